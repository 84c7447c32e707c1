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

struct writer_end {
	struct str client;
	int32_t session; /* ERR_CONFLICT when it is over; WRITER_ANY_SESSION: whichever it is */
	struct run_finish finish;
};
err_t writer_change_end(struct request *q, struct run *run, const struct writer_end *end,
			struct run_changes *changes) __attribute__((warn_unused_result));

/* One of the SDK's processes that are this writer ends; told again it changes nothing. */
struct writer_process_end {
	struct str client;
	struct run_finish finish;
	unsigned char digest[SDK_PROCESS_SAID_LEN]; /* the beginning of that of the request */
};
err_t writer_change_end_process(struct request *q, struct run *run,
				const struct writer_process_end *end, struct run_changes *changes)
	__attribute__((warn_unused_result));

/* A person ends the writer of this number. */
err_t writer_change_give_up(struct request *q, struct run *run, int32_t number,
			    const struct run_hand *hand, struct run_changes *changes)
	__attribute__((warn_unused_result));

/* The writer is about to be preempted. */
err_t writer_change_preempt(struct request *q, struct run *run, const struct str *client,
			    struct run_changes *changes) __attribute__((warn_unused_result));

/* What a writer could not say when it joined. */
struct writer_learnt {
	struct str client;
	struct str label; /* told since; empty: none */
	bool is_primary;
};
err_t writer_change_learn(struct request *q, struct run *run, const struct writer_learnt *learnt,
			  struct run_changes *changes) __attribute__((warn_unused_result));

/* What the writer is called once `told` is heard; its label as it is when that says no more. */
struct str writer_change_label(struct arena *a, const struct writer *w, struct str told);

#endif
