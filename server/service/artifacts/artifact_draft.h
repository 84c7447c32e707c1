#ifndef ARTIFACT_DRAFT_H
#define ARTIFACT_DRAFT_H

#include "artifact_store.h"
#include "request.h"

/* Drafts that content is sent for, by their numbers. One that was committed since is found too: its content does not change. */

/* ERR_NOT_FOUND: there is none. ERR_GONE: it was deleted. Outside a transaction, with q->now: the draft is kept. */
err_t artifact_draft_find(struct request *q, int64_t project_id, int64_t artifact_id,
			  struct artifact **ret_draft) __attribute__((warn_unused_result));
/*
 * The same in a transaction, until whose end the draft is neither committed nor deleted: what is recorded then is part of
 * it. ERR_CONFLICT if it is committed.
 */
err_t artifact_draft_hold(struct request *q, int64_t project_id, int64_t artifact_id,
			  struct artifact **ret_draft) __attribute__((warn_unused_result));
/* A request of the draft came: it is kept from now on. Outside a transaction, with q->now. */
err_t artifact_draft_keep(struct request *q, const struct artifact *draft)
	__attribute__((warn_unused_result));
/* The error of a change of a version that is committed. */
err_t artifact_draft_is_committed(struct request *q, const struct artifact *artifact)
	__attribute__((warn_unused_result));

#endif
