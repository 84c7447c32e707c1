#ifndef BATCH_H
#define BATCH_H

#include <stdint.h>

#include "err.h"
#include "writer.h"

/*
 * The identity of a batch: (run, writer, session, batch number), one number for all its streams. A
 * writer's row remembers its last batches, so that a repeat is distinguished from a conflict and
 * gets the same answer again.
 */
enum {
	BATCH_DIGEST_LEN = 16,
	BATCH_REMEMBERED = 16, /* a repeat of an older one cannot be checked: 409 batch-forgotten */
	BATCH_SESSIONS = 8,    /* earlier sessions whose last batch is remembered */
	BATCH_MEMORY_LEN = 8 + BATCH_DIGEST_LEN + 8 + 4,
	BATCH_RECENT_MAX = BATCH_REMEMBERED * BATCH_MEMORY_LEN, /* bytes of writer.recent */
};

struct batch_memory {
	int64_t batch;
	unsigned char digest[BATCH_DIGEST_LEN];
	int64_t row_first; /* the run-global number of its first history row */
	int32_t rows;
};

enum batch_verdict {
	BATCH_NEW,
	BATCH_REPEAT,    /* same number, same bytes: nothing is stored, same answer */
	BATCH_DIFFERS,   /* same number, other bytes */
	BATCH_FORGOTTEN, /* too old to tell */
	BATCH_GAP,       /* too high */
	BATCH_FENCED,    /* another session has begun */
};

/* The records of a batch in their stream, see record_streams.h. */
struct batch_records {
	struct str stream; /* empty: it named none */
	bool has_first;
	int64_t first; /* the index of the batch's first one, if the client sent it */
	int64_t count;
};

/* *ret_memory is filled for BATCH_REPEAT. */
enum batch_verdict batch_judge(const struct writer *w, int32_t session, int64_t batch,
			       const unsigned char digest[static BATCH_DIGEST_LEN],
			       struct batch_memory *ret_memory);

/* Refuses a BATCH_NEW that begins with records that are stored. */
err_t batch_check_records(struct arena *a, const struct writer *w,
			  const struct batch_records *records);

/* The stream's records are those before the batch's, and the batch's. */
void batch_count_records(struct arena *a, struct writer *w, const struct batch_records *records);

/* Whether these are the bytes of the writer's last batch. */
bool batch_is_last(const struct writer *w, const unsigned char digest[static BATCH_DIGEST_LEN]);

/* The refusal in words, for every verdict but NEW and REPEAT. */
err_t batch_refusal(struct arena *a, enum batch_verdict verdict, const struct writer *w,
		    int32_t session, int64_t batch);

/* Remembers a new batch: w->batch and w->recent (new bytes in the arena). */
void batch_remember(struct arena *a, struct writer *w, const struct batch_memory *memory);

/* A session ends because another begins: its last batch goes into w->sessions. */
void batch_remember_session(struct arena *a, struct writer *w);

/*
 * Whether a writer's remembered batches are consistent with the run's next
 * row: NULL, or the fault in words.
 */
const char *batch_check_memory(struct arena *a, const struct writer *w, int64_t next_row);

struct batch_session {
	int32_t session;
	int64_t batch;
};
/* Latest first; returns how many. */
unsigned batch_sessions(const struct writer *w, struct batch_session out[static BATCH_SESSIONS]);

#endif
