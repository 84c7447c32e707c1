#ifndef INGEST_H
#define INGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "batch.h"
#include "block.h"
#include "db.h"
#include "err.h"
#include "json_doc.h"
#include "left_out.h"
#include "line_ranges.h"
#include "run.h"
#include "str.h"

/*
 * The write path, shared by the REST API and the SDK API.
 *
 *	worker    batch_scan()      body -> columns -> one block per stream, names -> numbers
 *	          ingest_submit()   the request is detached; the worker is free
 *	flusher   one transaction over all that waits: lock the runs, judge each batch, give numbers to
 *	          rows, write blocks, runs and writers, commit
 *	          batch->done()     from the flusher's thread
 *
 * A run always goes to the same flusher of a server, so its batches stay in order; between servers
 * the run's row is the lock. A failing flush is halved until the bad batch is by itself.
 */
struct ingest;
struct metric_cache;
struct codec;
struct buf;
struct memory_share;

struct ingest_stream {
	struct str data; /* a block; empty: nothing was sent */
	struct block_facts facts;
	double newest_s; /* the greatest `_timestamp` that was sent; 0: none was */
};

struct ingest_answer {
	int64_t batch;
	int64_t row_first;
	int64_t rows;
	int64_t step_next;
	bool stop;
	int16_t state;
	int32_t writer;
	int64_t written; /* see db_written() */
};

/* The answer to a join; without info and the remembered batches, which are not sent. */
struct ingest_joined {
	struct run run;
	struct writer writer;
	int64_t records; /* that are stored of the stream which the join named */
	timestamp_us now;
};

/* How a batch is compared with what was stored before. */
enum batch_identity {
	BATCH_BY_NUMBER,  /* a native writer's, by its session and number */
	BATCH_BY_HAND,    /* bare rows: no join, no session, no number */
	BATCH_BY_LINES,   /* of the wandb SDK in shared mode, by the numbers of its lines */
	BATCH_BY_CONTENT, /* of the SDK otherwise: above what is stored, or compared with it */
};

/*
 * The lines by which a batch of the SDK is judged, under the run's lock. Lines that are stored
 * already were left out if the sender's `batch` is known; a batch of which some are new and some
 * are not is refused as "lines-known", and stored when it comes again without them.
 */
struct ingest_lines {
	struct line_range
		of[LINE_FILES]; /* of the SDK: the numbers as they were sent; empty: none */
	int64_t console_shift; /* BATCH_BY_CONTENT: added to the numbers of console lines; see writer.h */
	bool has_piece;        /* the console lines begin `piece` */
	struct console_piece piece; /* see line_ranges.h */
	bool is_repeat; /* the session sent rows again, so it is a sync of a process that stored them */
	bool is_compared; /* with all that the writer stored up to batch - 1 */
};

/* A line that could not be read. */
struct ingest_unread {
	int16_t stream;
	struct str text;
};

/* The numbers of its rows' metric names, and when they were read, by the database's clock. */
struct ingest_names {
	int32_t *key_ids; /* each may be there twice */
	size_t count;
	timestamp_us as_of;
};

/* The contents of one request; everything lives in its arena. */
struct ingest_batch {
	struct arena *arena;
	int64_t run_id;
	int64_t project_id;
	int64_t limit_us; /* of the project: silence that crashes a run */

	struct str client;
	int32_t session;
	int64_t batch;
	unsigned char digest[BATCH_DIGEST_LEN];

	struct batch_records records;
	bool is_preempting; /* the writer is about to lose its machine */

	const struct writer_join
		*join; /* a join, without data but perhaps with a config; NULL: none */
	struct ingest_joined *joined; /* the answer to that */

	enum batch_identity identity;
	struct ingest_lines lines;
	struct str label;           /* of the writer that is made if there is none */
	enum writer_role role;      /* of that, too */
	struct str label_was;       /* of a worker that sends its label: the old one, */
	struct str label_told;      /* and the new one; empty: none was sent */
	struct str idempotency_key; /* of bare rows; empty: none */

	struct ingest_stream history;
	struct ingest_stream events;
	struct str console; /* a block of lines; empty: none */
	int64_t line_first;
	int64_t line_last;
	int64_t line_time_first; /* of the lines, the least and the greatest */
	int64_t line_time_last;
	int32_t line_count;
	uint64_t line_bytes;            /* of the lines, decoded */
	const struct json_doc *config;  /* the writer's whole document; NULL: not sent */
	const struct json_doc *summary; /* keys set explicitly; NULL: none */
	bool summary_is_whole; /* a process of the wandb SDK sends all of it (sdk_summary.h) */
	bool summary_is_final; /* no more will come */
	bool summary_derived;  /* and leaves derived values to the server */
	const struct json_doc *last; /* then: batch_last_values() of its history; NULL: none */
	int64_t dropped_rows;
	struct ingest_unread *unread; /* the first RUN_UNREAD_MAX of them */
	size_t unread_count;
	struct left_out_list left_out; /* members of it that cannot be kept */
	struct left_out_list
		left_out_here; /* of documents too large together, found under the lock */
	struct ingest_names names;

	size_t bytes;        /* of its blocks, for the flusher's limits */
	int64_t deadline_us; /* monotonic: a flush that begins later refuses it; 0: none */
	struct ingest_answer answer;
	err_t error;
	void (*done)(struct ingest_batch *batch, err_t e); /* once, from a flusher's thread */
	void *owner;
};

/* Called after a commit, from the flusher's thread; must not block. */
struct ingest_update {
	int64_t run_id;
	int64_t project_id;
	bool history, events, console, documents, state;
	int32_t tail_rows; /* rows that wait for compaction now */
	int64_t tail_bytes;
	int32_t writers;
	int16_t run_state;
};

struct ingest_options {
	unsigned flushers;
	size_t queue_limit;         /* batches that wait per flusher; more are refused */
	int64_t new_names_per_hour; /* of metrics, that one run may bring; 0: no limit */
	struct db_options database;
	void (*update)(void *p, const struct ingest_update *update);
	void *update_arg;
};

err_t ingest_start(struct arena *a, const struct ingest_options *options,
		   struct ingest **ret_ingest) __attribute__((warn_unused_result));
/* Flushes submitted batches; afterwards no callback is called, and no batch is taken any more. */
void ingest_end(struct ingest *ingest);
/* The same, and frees its memory. */
void ingest_stop(struct ingest *ingest);

/*
 * Call when a worker starts reading a batch; end with ingest_submit() or ingest_announce_end(). A
 * flush that is about to begin waits for it, for a moment.
 */
void ingest_announce(struct ingest *ingest);
void ingest_announce_end(struct ingest *ingest);

/* False: too many wait already; done() is not called then. */
bool ingest_submit(struct ingest *ingest, struct ingest_batch *batch)
	__attribute__((warn_unused_result));

/* The batches that wait for the busiest flusher, and the limit. */
size_t ingest_waiting(struct ingest *ingest);
size_t ingest_queue_limit(const struct ingest *ingest);

struct metric_cache *ingest_metrics_cache(struct ingest *ingest);
int64_t ingest_new_names_per_hour(const struct ingest *ingest);
/*
 * Codecs may have many megabytes of scratch, so they are lent, not owned;
 * while lent, that counts in the share.
 */
struct codec *ingest_take_codec(struct ingest *ingest, struct memory_share *share);
void ingest_give_codec(struct ingest *ingest, struct codec *codec);

/* Prometheus text. */
void ingest_metrics(struct ingest *ingest, struct buf *text);

#endif
