#ifndef VERIFY_RUN_H
#define VERIFY_RUN_H

#include <pthread.h>

#include "chunk_store.h"
#include "run.h"
#include "tail_store.h"
#include "verify.h"

/* The verification of one run, shared by its parts. Inside this folder only. */

struct codec;
struct metric_cache;

enum { VERIFY_STREAMS = 2, VERIFY_FAULTS_TOLD = 100 /* of a run; the others are only counted */ };

/* 0 for history, 1 for events. */
static inline int verify_stream_index(int16_t stream)
{
	return stream == STREAM_EVENTS;
}

/* For one lane: a writer, or all those that share WRITER_OVERFLOW. */
struct writer_tally {
	bool is_there;
	struct str label;
	int64_t told[VERIFY_STREAMS]; /* rows, by the writer's own count */
	int64_t seen[VERIFY_STREAMS]; /* rows found in chunks and tail */
	int64_t lines_told;           /* the greatest line's number + 1 */
	int64_t lines_seen;
};

struct verify_run {
	struct db *db;
	struct codec *codec;
	struct metric_cache *metrics;
	struct arena *arena;  /* of the run */
	struct arena *slice;  /* of some strands */
	struct arena *answer; /* of one answer of the database */
	struct arena *one;    /* of one thing that is decoded */
	const struct verify_item *item;
	const struct verify_ask *ask;
	pthread_mutex_t *fault_lock;

	const struct run *hot;
	struct verify_told told;
	struct writer_tally *writers; /* by number */
	size_t writer_count;
	int64_t in_chunks[VERIFY_STREAMS]; /* rows below are in chunks, others in the tail */
	int64_t step_max;                  /* of history */
	int64_t tail_base;                 /* step_base of the first block of history; none: -2 */
	bool broken[VERIFY_STREAMS]; /* some is unreadable: missing rows are not reported again */
	struct verify_sum sum;
};

/* The fault of a row whose checksum differs. */
#define VERIFY_ROW_FORMAT "the row of %.*s%s%.*s differs from what was written"
#define VERIFY_ROW_ARGS(row) \
	STR_ARG((row)->table_name), (row)->row_name.len ? " with " : "", STR_ARG((row)->row_name)

/* The location of a fault; key_id 0 and writer -1: none. */
struct verify_location {
	enum verify_part part;
	int16_t stream;
	int32_t key_id;
	int32_t writer;
};
void verify_tell(struct verify_run *v, const struct verify_location *location, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether the project has a name with this number. */
bool verify_has_name(struct verify_run *v, uint32_t key_id);

/* The lane's tally; NULL when no writer has the number. */
struct writer_tally *verify_writer(struct verify_run *v, int32_t lane);

/* Checks the run of v->item, and reports its faults. An error is the database's. */
err_t verify_run(struct verify_run *v) __attribute__((warn_unused_result));

/* ---- its parts, in this order ------------------------------------------------------------------- */

/* Writers, by their own counts. */
err_t verify_writers(struct verify_run *v) __attribute__((warn_unused_result));
/* Blocks that are not compacted, and the run's counters of them. */
err_t verify_tail(struct verify_run *v) __attribute__((warn_unused_result));
/* Key lists and the chunks that they list. */
err_t verify_values(struct verify_run *v) __attribute__((warn_unused_result));
/* Chunks that no key list has. */
err_t verify_orphans(struct verify_run *v) __attribute__((warn_unused_result));
err_t verify_console(struct verify_run *v) __attribute__((warn_unused_result));
/* Compares the counts with those of writers and run. */
void verify_counts(struct verify_run *v);
/* For a run that was rewound or forked: each branch, and what it inherited. */
err_t verify_branches(struct verify_run *v) __attribute__((warn_unused_result));
/* Changes of state, documents, directory. */
err_t verify_records(struct verify_run *v) __attribute__((warn_unused_result));

/* Its alerts, and their pending deliveries. */
err_t verify_alerts(struct verify_run *v) __attribute__((warn_unused_result));

/*
 * The run's count of its files; and, after its snapshot has ended, for it
 * may take long, their contents.
 */
err_t verify_file_count(struct verify_run *v) __attribute__((warn_unused_result));
err_t verify_files(struct verify_run *v) __attribute__((warn_unused_result));

/* Versions of artifacts, of the scope: they belong to no run. */
struct verify_artifacts {
	struct db *db; /* whose arena is `answer` */
	struct arena *answer;
	struct arena *one;
	const struct verify_ask *ask;
	struct verify_sum *sum;
	void (*tell)(void *p, const struct verify_item *item, const char *message);
	void *p;
};
err_t verify_artifacts(struct verify_artifacts *v) __attribute__((warn_unused_result));

/* Rows of the run, with their checksums. */
err_t verify_rows(struct verify_run *v) __attribute__((warn_unused_result));

#endif
