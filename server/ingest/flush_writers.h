#ifndef FLUSH_WRITERS_H
#define FLUSH_WRITERS_H

#include "flush.h"

/*
 * The writers of a flush's batches: read from the database with the locks,
 * except those that the flusher has cached; of these, writers whose run
 * was changed by another server or request are read afterwards.
 */

/* The pairs to read at once, into arrays of f->count; returns how many. */
size_t flush_unknown_writers(const struct flush *f, int64_t *ret_run_ids, struct str *ret_clients);
/* The writer of a batch: an existing one, or one made in this flush; NULL if there is none. */
struct writer *flush_find_writer(const struct flush *f, const struct ingest_batch *b);
/* Makes a writer with the run's next number; its client's, and alive. */
struct writer *flush_make_writer(struct flush *f, struct run_work *work,
				 const struct ingest_batch *b);
/* The same for a batch from a writer that never joined, with its label and role. */
struct writer *flush_make_unjoined(struct flush *f, struct run_work *work,
				   const struct ingest_batch *b);
/* Undoes the last flush_make_writer(): nothing of it is stored. Its number is reused. */
void flush_unmake_writer(struct flush *f, struct run_work *work);
/* The runs are locked and read: f->state.writers gets all existing ones, each once, in order. */
err_t flush_complete_writers(struct flush *f) __attribute__((warn_unused_result));
/* After the commit: caches what was read and changed. */
void flush_keep_writers(struct flush *f);

#endif
