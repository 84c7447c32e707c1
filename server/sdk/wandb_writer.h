#ifndef WANDB_WRITER_H
#define WANDB_WRITER_H

#include "ingest.h"
#include "json_doc.h"
#include "request.h"
#include "run.h"

/*
 * The SDK's processes as writers of q->target's run. In shared mode each has an id of its own; without
 * it no request names its process, and they are one writer (SDK_PLAIN_CLIENT, sdk_processes.h).
 */

struct wandb_process {
	struct str client; /* empty: not in shared mode */
	struct str host;   /* empty: it did not say */
	struct str info;   /* JSON object: what it said of itself */
	bool resumes;      /* it has read the run's documents */
	bool knows_name;   /* it knows the name that people call the run by */
};

/* A batch of it: identity, and what its writer is made with when nobody joined it. */
struct ingest_batch *wandb_writer_batch(struct request *q, struct str client)
	__attribute__((nonnull, returns_nonnull));

/*
 * The process begins to write: the run runs, with a new session of the writer or a new writer. `batch` is of
 * wandb_writer_batch(); its config is stored in the same flush. A process in shared mode whose config tells that
 * it is a primary, or that is suspected to be one, joins as a primary.
 */
err_t wandb_writer_join(struct request *q, const struct wandb_process *process,
			struct ingest_batch *batch) __attribute__((nonnull, warn_unused_result));

/* Its end, and with it perhaps the run's. One that nobody knows ends nothing. */
err_t wandb_writer_finish(struct request *q, struct str client, int32_t exit_code)
	__attribute__((nonnull, warn_unused_result));

/* Its machine is about to be taken from it. */
err_t wandb_writer_preempt(struct request *q, struct str client)
	__attribute__((nonnull, warn_unused_result));

/*
 * Stores what a process in shared mode tells late: that it is a primary, or its label (empty: none), and the
 * suspicion that it is a primary. Costs nothing when it was stored before.
 */
err_t wandb_writer_learn(struct request *q, struct str client, bool is_primary, struct str label)
	__attribute__((nonnull, warn_unused_result));

/*
 * The process is a primary, as a request without a run told this server. It is stored with the next request for
 * its run, if that request reaches this server with the same key.
 */
void wandb_writer_suspect(struct request *q, struct str client) __attribute__((nonnull));

/*
 * Its label, told by the lines of the batch. A worker's goes with the batch, so that many that begin at once
 * do not wait for one another; a primary's may take the place of another, and is learnt at once.
 */
err_t wandb_writer_tell(struct request *q, struct ingest_batch *batch, struct str client,
			struct str label) __attribute__((nonnull, warn_unused_result));
/* The batch is stored: its label need not be told again. */
void wandb_writer_told(struct request *q, const struct ingest_batch *batch)
	__attribute__((nonnull));

/* Whether it is there and has not ended. */
err_t wandb_writer_is_alive(struct request *q, struct str client, bool *ret_alive)
	__attribute__((nonnull, warn_unused_result));

#endif
