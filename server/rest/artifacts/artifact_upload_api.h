#ifndef ARTIFACT_UPLOAD_API_H
#define ARTIFACT_UPLOAD_API_H

#include "request.h"

/* POST …/drafts/{draft}/files: links to upload by */
err_t artifact_upload_api_ask(struct request *q);
/* PUT …/drafts/{draft}/files/{path...} */
err_t artifact_upload_api_put_begin(struct request *q);
err_t artifact_upload_api_put(struct request *q);
/* PUT …/drafts/{draft}/files.tar */
err_t artifact_upload_api_put_tar_begin(struct request *q);
err_t artifact_upload_api_put_tar(struct request *q);

#endif
