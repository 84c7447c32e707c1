#ifndef FLUSH_STORE_H
#define FLUSH_STORE_H

#include "document_store.h"
#include "left_out_store.h"
#include "run_store.h"
#include "tail_store.h"
#include "unread_store.h"
#include "writer_store.h"

/*
 * A flush in the database: one transaction over many runs, two round trips. The first begins, locks
 * the runs in ascending order and then, in later statements, reads the data for decisions; the
 * second writes and commits.
 */
enum flush_wait {
	FLUSH_WAIT, /* for locks, up to the lock timeout */
	FLUSH_SKIP, /* take only runs that are not locked */
};

struct flush_ask {
	const int64_t *run_ids; /* ascending, each once */
	size_t run_count;
	const int64_t *writer_run_ids; /* pairs: the run and the client's own name */
	const struct str *clients;
	size_t writer_count;
	enum flush_wait wait;
	int timeout_ms;
	int lock_timeout_ms;
};

struct flush_state {
	timestamp_us now;
	int16_t slot;
	struct run
		*runs; /* in no order; those that are not here are unknown, or locked elsewhere */
	size_t run_count;
	struct writer *writers;
	size_t writer_count;
};
/* On an error the caller rolls back. */
err_t flush_store_begin(struct db *db, const struct flush_ask *ask, struct flush_state *ret_state);

struct flush_change {
	int64_t run_id;
	struct run_change change;
};

struct flush_left_out {
	int64_t run_id;
	const struct left_out_list *list;
};

struct flush_answer {
	int64_t run_id;
	struct str key;
	struct str digest;
	int64_t row_first;
	int64_t row_count;
};

struct flush_writes {
	timestamp_us now;
	int16_t slot;
	const struct tail_row *tail;
	size_t tail_count;
	int64_t version;        /* of them from now on */
	const struct run *runs; /* the runs that changed */
	size_t run_count;
	const struct writer *writers; /* writers that existed and changed */
	size_t writer_count;
	const struct writer *replaced; /* by those that joined */
	size_t replaced_count;
	const struct writer *labelled; /* of `writers`: those that sent their label */
	size_t labelled_count;
	const struct writer *saved; /* whole rows of writers that are new or joined */
	size_t saved_count;
	const struct flush_change *changes;
	size_t change_count;
	const struct run_note *notes; /* runs whose searched document is old now */
	size_t note_count;
	const struct flush_answer *answers;
	size_t answer_count;
	const struct unread_row *unread; /* those of one run and writer are next to each other */
	size_t unread_count;
	const struct flush_left_out *left_out; /* of each run that has any */
	size_t left_out_count;
	const struct sent_row *sent; /* each of another writer */
	size_t sent_count;
};
err_t flush_store_commit(struct db *db, const struct flush_writes *writes);

/* The answer to an Idempotency-Key; NULL when it is new. In the flush's transaction. */
err_t flush_store_find_answer(struct db *db, int64_t run_id, struct str key,
			      struct run_answer **ret_answer);

#endif
