#ifndef RUN_ATTEMPT_H
#define RUN_ATTEMPT_H

#include "document_store.h"
#include "request.h"
#include "run.h"

/*
 * A process is about to begin q->target's run again with documents of its own. Of one that has ended the config
 * and summary are kept as those of the attempt that ended. With the run locked, in the request's transaction.
 */
err_t run_attempt_keep(struct request *q, const struct run *run)
	__attribute__((warn_unused_result));

/* The document of an earlier attempt; ERR_NOT_FOUND when none of it is kept. */
err_t run_attempt_document(struct request *q, int64_t run_id, int32_t attempt,
			   enum document_kind kind, struct str *ret_text)
	__attribute__((warn_unused_result));

/*
 * Config and summary of an earlier attempt come back as a person's edit: the values that are other ones now. What is
 * there besides stays.
 */
err_t run_attempt_restore(struct request *q, int32_t attempt) __attribute__((warn_unused_result));

#endif
