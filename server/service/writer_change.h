#ifndef WRITER_CHANGE_H
#define WRITER_CHANGE_H

#include "request.h"
#include "run.h"
#include "sdk_processes.h"

/*
 * What changes of a run's writers but by their batches: the rules are run.h's, here is what of the database
 * they need. With the run locked, in the request's transaction; the caller saves the run. ERR_NOT_FOUND
 * when no such writer joined.
 */
enum { WRITER_ANY_SESSION = -1 };

/* Each function reads what it needs; the rest is zero. */
struct writer_change {
	struct str client;

	/* The writer or a process of it ends. */
	int32_t session; /* ERR_CONFLICT when it is over; WRITER_ANY_SESSION: whichever it is */
	struct run_finish finish;
	unsigned char digest[SDK_PROCESS_SAID_LEN]; /* of the request that ends a process, cut */

	/* What it could not say when it joined. */
	struct str label; /* empty: nothing new */
	bool is_primary;
};
typedef err_t writer_change_fn(struct request *q, struct run *run,
			       const struct writer_change *change, struct run_changes *changes)
	__attribute__((warn_unused_result));

writer_change_fn writer_change_end;
/* One of the SDK's processes that are this writer ends; told again it changes nothing. */
writer_change_fn writer_change_end_process;
/* The writer is about to be preempted. */
writer_change_fn writer_change_preempt;
/* The writer says its label, or that it is a primary. */
writer_change_fn writer_change_learn;

/* A person ends the writer of this number. */
err_t writer_change_give_up(struct request *q, struct run *run, int32_t number,
			    const struct run_hand *hand, struct run_changes *changes)
	__attribute__((warn_unused_result));

/* What the writer is called once `told` is heard; its label as it is when that says no more. */
struct str writer_change_label(struct arena *a, const struct writer *w, struct str told);

#endif
