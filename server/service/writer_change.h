#ifndef WRITER_CHANGE_H
#define WRITER_CHANGE_H

#include "request.h"
#include "run.h"
#include "sdk_processes.h"

/*
 * Changes of a run's writers other than by their batches. The rules are in run.h, and the parts of the database that they
 * need are here. The run is locked, in the request's transaction, and the caller saves it. ERR_NOT_FOUND: no such writer
 * has joined.
 */
enum { WRITER_ANY_SESSION = -1 };

/* Each function reads what it needs; the rest is zero. */
struct writer_change {
	struct str client;

	/* The writer or a process of it ends. */
	int32_t session; /* ERR_CONFLICT if it is over; WRITER_ANY_SESSION: any session */
	struct run_finish finish;
	unsigned char digest[SDK_PROCESS_SAID_LEN]; /* of the request that ends a process, cut */

	/* Facts that it did not know when it joined. */
	struct str label; /* empty: nothing new */
	bool is_primary;
};
typedef err_t writer_change_fn(struct request *q, struct run *run,
			       const struct writer_change *change, struct run_changes *changes)
	__attribute__((warn_unused_result));

writer_change_fn writer_change_end;
/* Ends one of the SDK's processes of this writer. A repeat changes nothing. */
writer_change_fn writer_change_end_process;
/* Records that the writer is about to be preempted. */
writer_change_fn writer_change_preempt;
/* Records the label of a writer, or that it is a primary. */
writer_change_fn writer_change_learn;

/* Ends the writer of this number, by a person. */
err_t writer_change_give_up(struct request *q, struct run *run, int32_t number,
			    const struct run_hand *hand, struct run_changes *changes)
	__attribute__((warn_unused_result));

/* Returns the label of the writer after `told`; its current one if `told` adds nothing. */
struct str writer_change_label(struct arena *a, const struct writer *w, struct str told);

#endif
