#ifndef FLUSH_H
#define FLUSH_H

#include "flush_store.h"
#include "ingest.h"
#include "leaves.h"
#include "pack.h"

/*
 * One flush: what waits, in one transaction. Begun by locking and reading, then each batch is judged
 * in the order it came and its effects are noted in structs, then all is written and committed.
 */
struct flush_pack {
	struct tail_row row; /* of the pack */
	struct pack_block *blocks;
	uint32_t count;
	size_t bytes;
};

struct run_work {
	struct run *run;
	struct flush_pack packs[STREAM_CONSOLE + 1]; /* by stream; open ones (flush_tail.h) */
	size_t last_row;                             /* of flush.tail, counted from 1; 0: none */
	bool changed;
	bool noted;    /* its searched document is old now */
	bool rejoined; /* writers that others may know changed by more than batches */
	struct run_changes changes;
	struct left_out_list left_out; /* of its batches, and what is found under the lock */
	struct ingest_news news;
	bool knows_set;    /* what is set in its summary, as `set` has it */
	struct leaves set; /* of all writers */
	const struct json_doc *set_joined;
};

/* Of a writer whose batches bring whole summaries (flush_sent.h). */
struct flush_sent {
	struct sent_row row;
	bool changed;
};

struct flush {
	struct db *db;
	struct arena *arena;
	struct codec *codec;
	struct writer_cache *known;   /* the flusher's; NULL: none */
	struct metric_cache *metrics; /* the server's; NULL: no batch has names */
	struct ingest_batch **batches;
	size_t count;
	struct flush_state state;
	struct run_work *runs; /* ascending by run_id */
	size_t run_count;
	/* Of each of state.writers, which are ascending by run and client: */
	bool *writer_changed;
	bool *writer_joined;
	bool *writer_labelled;
	int64_t *batch_before;
	int16_t *state_before;
	struct writer *new_writers;
	size_t new_writer_count;
	struct tail_row *tail;
	size_t tail_count;
	struct flush_answer *answers;
	size_t answer_count;
	struct unread_row *unread;
	size_t unread_count;
	size_t unread_size;
	struct flush_sent
		*sent; /* by run and writer; behind flush.sent_sorted in order of arrival */
	size_t sent_sorted;
	size_t sent_count;
	int64_t version; /* of the runs that are saved */
};

enum {
	/* Of a statement of batches that nobody waits for: one that stores the 250,000 values a document may have takes
	 * seconds, more where others compute. */
	FLUSH_TIMEOUT_MS = 25000,
	/* Of others it is this part of the time that the requests have left: what is tried apart then, and what waits
	 * behind, has the rest of it. */
	FLUSH_PART_ALONE = 2,
	FLUSH_PART_TOGETHER = 4,
	FLUSH_LOCK_TIMEOUT_MS = 200,
	/* Of one batch, behind which no other waits: many that bring a run its first names wait for each other. */
	FLUSH_JUDGE_LOCK_TIMEOUT_MS = 2000,
};

/*
 * Success: every batch has its answer or its own error, and what was accepted is committed. An error
 * is of the whole flush: nothing was stored, nothing is decided; the caller rolls back. With
 * FLUSH_SKIP batches of runs that are locked elsewhere get ERR_BUSY.
 */
err_t flush_run(struct flush *f, enum flush_wait wait) __attribute__((warn_unused_result));

/* As far as each batch has its answer or its error; nothing is committed, and the caller rolls back. */
err_t flush_judge(struct flush *f) __attribute__((warn_unused_result));

/* What it sent was stored before: nothing of it is stored again, but the writer lives. */
void flush_hear_again(struct flush *f, struct run_work *work, struct writer *w,
		      struct ingest_batch *b);

/* The writer lives, whatever it sent. */
void flush_hear(struct flush *f, struct run_work *work, struct writer *w,
		const struct ingest_batch *b);
/* What a batch brings is the writer's and the run's; what identifies it is not looked at. */
err_t flush_take(struct flush *f, struct run_work *work, struct writer *w, struct ingest_batch *b)
	__attribute__((warn_unused_result));
/* The same of a batch with a number, which is remembered. */
err_t flush_take_new(struct flush *f, struct run_work *work, struct writer *w,
		     struct ingest_batch *b) __attribute__((warn_unused_result));
void flush_answer(const struct run_work *work, const struct writer *w, struct ingest_batch *b);

/* A writer's config or explicit summary, merged into the run's; in the flush's transaction. */
err_t flush_documents(struct flush *f, struct run_work *work, const struct writer *w,
		      struct ingest_batch *batch) __attribute__((warn_unused_result));

#endif
