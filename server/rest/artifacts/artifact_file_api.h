#ifndef ARTIFACT_FILE_API_H
#define ARTIFACT_FILE_API_H

#include "request.h"

/* GET …/versions/{version}/files?prefix=&delimiter= */
err_t artifact_file_api_list(struct request *q);
/* GET …/versions/{version}/files/{path...}?framed=&scripts= */
err_t artifact_file_api_show(struct request *q);
/* GET …/versions/{version}/files.tar?prefix= */
err_t artifact_file_api_tar(struct request *q);
/* GET …/versions/{version}/manifest?links= */
err_t artifact_file_api_manifest(struct request *q);
/* GET …/artifacts/{collection}/compare?from=&to=&count= */
err_t artifact_file_api_compare(struct request *q);

#endif
