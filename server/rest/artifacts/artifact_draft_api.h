#ifndef ARTIFACT_DRAFT_API_H
#define ARTIFACT_DRAFT_API_H

#include "request.h"

/* POST …/artifacts/{collection}/versions: a draft */
err_t artifact_draft_api_post(struct request *q);
/* POST …/drafts/{draft}/references */
err_t artifact_draft_api_references(struct request *q);
/* POST …/drafts/{draft}/commit */
err_t artifact_draft_api_commit(struct request *q);

#endif
