#ifndef FLUSH_WRITERS_H
#define FLUSH_WRITERS_H

#include "flush.h"

/*
 * The writers of a flush's batches: asked of the database with the locks, but for those that the flusher
 * knows; of these the ones whose run was changed by another server or request are asked for behind.
 */

/* The pairs to ask for at once, into arrays of f->count; returns how many. */
size_t flush_unknown_writers(const struct flush *f, int64_t *ret_run_ids, struct str *ret_clients);
/* The writer of a batch: one that is there, or was made in this flush; NULL when there is none. */
struct writer *flush_find_writer(const struct flush *f, const struct ingest_batch *b);
/* A new one, with the run's next number; its client's, and alive. */
struct writer *flush_make_writer(struct flush *f, struct run_work *work,
				 const struct ingest_batch *b);
/* The same of a batch that comes from a writer that nobody joined, with its label and role. */
struct writer *flush_make_unjoined(struct flush *f, struct run_work *work,
				   const struct ingest_batch *b);
/* Takes back the writer that was made last: nothing of it is stored. Its number is given again. */
void flush_unmake_writer(struct flush *f, struct run_work *work);
/* The runs are locked and read: f->state.writers becomes all that are there, each once, in order. */
err_t flush_complete_writers(struct flush *f) __attribute__((warn_unused_result));
/* It is committed: what was read and changed is known from now on. */
void flush_keep_writers(struct flush *f);

#endif
