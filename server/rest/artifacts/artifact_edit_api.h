#ifndef ARTIFACT_EDIT_API_H
#define ARTIFACT_EDIT_API_H

#include "request.h"

/* PATCH, DELETE …/artifacts/{collection} */
err_t artifact_edit_api_patch(struct request *q);
err_t artifact_edit_api_delete(struct request *q);
/* PATCH, DELETE …/versions/{version} */
err_t artifact_edit_api_patch_version(struct request *q);
err_t artifact_edit_api_delete_version(struct request *q);
/* PUT, DELETE …/versions/{version}/aliases/{alias} */
err_t artifact_edit_api_put_alias(struct request *q);
err_t artifact_edit_api_delete_alias(struct request *q);
/* POST …/artifacts/{collection}/links */
err_t artifact_edit_api_link(struct request *q);
/* POST …/artifact-restore */
err_t artifact_edit_api_restore(struct request *q);

#endif
