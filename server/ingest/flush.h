#ifndef FLUSH_H
#define FLUSH_H

#include "flush_store.h"
#include "ingest.h"
#include "leaves.h"
#include "pack.h"

/*
 * One flush: all waiting batches, in one transaction. It locks and reads, then judges each batch in
 * the order it came and notes its effects in structs, then writes all and commits.
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
	struct ingest_update update;
	bool knows_set;    /* its explicitly set summary is read, as `set` has it */
	struct leaves set; /* of all writers */
	const struct json_doc *set_joined;
};

/* For a writer whose batches bring whole summaries (flush_sent.h). */
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
	/* For each of state.writers, which are ascending by run and client: */
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
		*sent; /* by run and writer; after flush.sent_sorted in order of arrival */
	size_t sent_sorted;
	size_t sent_count;
	int64_t version; /* of the runs that are saved */
};

enum {
	/* For a statement of batches that no client waits for: one that stores the 250,000 values a
	 * document may have takes seconds, more on a busy machine. */
	FLUSH_TIMEOUT_MS = 25000,
	/* For others it is this part of the time that the requests have left: batches that are then
	 * retried separately, and those that wait after them, have the rest of it. */
	FLUSH_PART_ALONE = 2,
	FLUSH_PART_TOGETHER = 4,
	FLUSH_LOCK_TIMEOUT_MS = 200,
	/*
	 * For one batch, after which no other waits: many that bring a run its
	 * first names wait for each other.
	 */
	FLUSH_JUDGE_LOCK_TIMEOUT_MS = 2000,
};

/*
 * On success every batch has its answer or its own error, and accepted data is committed. An error
 * is that of the whole flush: nothing was stored, nothing is decided; the caller rolls back. With
 * FLUSH_SKIP batches of runs that are locked elsewhere get ERR_BUSY.
 */
err_t flush_run(struct flush *f, enum flush_wait wait) __attribute__((warn_unused_result));

/* Until each batch has its answer or its error; nothing is committed, and the caller rolls back. */
err_t flush_judge(struct flush *f) __attribute__((warn_unused_result));

/*
 * The writer sent something that was stored before: nothing is stored again, but the writer lives.
 */
void flush_hear_again(struct flush *f, struct run_work *work, struct writer *w,
		      struct ingest_batch *b);

/* The writer lives, whatever it sent. */
void flush_hear(struct flush *f, struct run_work *work, struct writer *w,
		const struct ingest_batch *b);
/* Adds a batch's contents to the writer and the run; its identity is not checked. */
err_t flush_take(struct flush *f, struct run_work *work, struct writer *w, struct ingest_batch *b)
	__attribute__((warn_unused_result));
/* The same for a batch with a number, which is remembered. */
err_t flush_take_new(struct flush *f, struct run_work *work, struct writer *w,
		     struct ingest_batch *b) __attribute__((warn_unused_result));
void flush_answer(const struct run_work *work, const struct writer *w, struct ingest_batch *b);

/* A writer's config or explicit summary, merged into the run's; in the flush's transaction. */
err_t flush_documents(struct flush *f, struct run_work *work, const struct writer *w,
		      struct ingest_batch *batch) __attribute__((warn_unused_result));

#endif
