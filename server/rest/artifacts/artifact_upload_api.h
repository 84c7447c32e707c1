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

/* POST …/drafts/{draft}/uploads: a file that comes in parts, or goes on */
err_t artifact_upload_api_open(struct request *q);
/* PUT …/drafts/{draft}/uploads/{upload}/{part} */
err_t artifact_upload_api_put_part_begin(struct request *q);
err_t artifact_upload_api_put_part(struct request *q);
/* POST …/drafts/{draft}/uploads/{upload}/complete */
err_t artifact_upload_api_complete(struct request *q);
/* DELETE …/drafts/{draft}/uploads/{upload} */
err_t artifact_upload_api_abort(struct request *q);

#endif
