#ifndef RUN_ATTEMPT_H
#define RUN_ATTEMPT_H

#include "document_store.h"
#include "request.h"
#include "run.h"

/*
 * Keeps config and summary of q->target's run, if it has ended, as those of the attempt that ended: a process is about to
 * start the run again with documents of its own. The run is locked, in the request's transaction.
 */
err_t run_attempt_keep(struct request *q, const struct run *run)
	__attribute__((warn_unused_result));

/* Returns the document of an earlier attempt. ERR_NOT_FOUND: none is kept. */
err_t run_attempt_document(struct request *q, int64_t run_id, int32_t attempt,
			   enum document_kind kind, struct str *ret_text)
	__attribute__((warn_unused_result));

/*
 * Restores config and summary of an earlier attempt as a person's edit: the values that differ now are set again, and
 * other keys stay.
 */
err_t run_attempt_restore(struct request *q, int32_t attempt) __attribute__((warn_unused_result));

#endif
