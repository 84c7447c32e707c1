#ifndef ARTIFACT_STORAGE_API_H
#define ARTIFACT_STORAGE_API_H

#include "request.h"

/* GET and PUT /storage/wandb_artifacts/{number}/{artifact}/{md5}/{path...} */
err_t artifact_storage_api_show(struct request *q);
err_t artifact_storage_api_put_begin(struct request *q);
err_t artifact_storage_api_put(struct request *q);
/* GET and PUT /storage/manifests/{number}/{manifest}/wandb_manifest.json */
err_t artifact_storage_api_show_manifest(struct request *q);
err_t artifact_storage_api_put_manifest_begin(struct request *q);
err_t artifact_storage_api_put_manifest(struct request *q);
/* PUT /storage/parts/{number}/{upload}/{part} */
err_t artifact_storage_api_put_part_begin(struct request *q);
err_t artifact_storage_api_put_part(struct request *q);

#endif
