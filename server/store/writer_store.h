#ifndef WRITER_STORE_H
#define WRITER_STORE_H

#include "db.h"
#include "db_row.h"
#include "writer.h"

extern const struct db_row_table writer_table;

/* All of a run, by number. */
err_t writer_store_list(struct db *db, int64_t run_id, struct writer **ret_writers,
			size_t *ret_count);
/* By the client's own name; *ret_writer is NULL when it never joined. */
err_t writer_store_find(struct db *db, int64_t run_id, struct str client,
			struct writer **ret_writer);
/* Inserts or replaces the whole row. */
err_t writer_store_save(struct db *db, const struct writer *w);

/* The parameters of writer_advance, for the flusher's pipeline. */
struct db_args writer_store_advance_args(struct arena *a, const struct writer *writers, size_t n);
struct db_args writer_store_save_args(struct arena *a, const struct writer *w);

#endif
