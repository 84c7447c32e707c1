#ifndef LEAF_STORE_H
#define LEAF_STORE_H

#include "document_store.h"
#include "leaves.h"

/* A run's merged documents as stored, leaf by leaf; changed under the run's lock. */

/* Which of a run's documents. */
struct leaf_document {
	int64_t run_id;
	enum document_kind kind;
};

/* The existing rows of these paths, in order. */
err_t leaf_store_find(struct db *db, const struct leaf_document *of, const struct leaves *paths,
		      struct leaves *ret_rows);
/* All of them, except objects. */
err_t leaf_store_list(struct db *db, const struct leaf_document *of, struct leaves *ret_leaves);
/*
 * For a config: the value of the newest other writer that has the path;
 * only for paths that one has.
 */
err_t leaf_store_heirs(struct db *db, int64_t run_id, int32_t writer, const struct leaves *orphaned,
		       struct leaves *ret_heirs);
err_t leaf_store_save(struct db *db, const struct leaf_document *of, const struct leaves *rows);
err_t leaf_store_drop(struct db *db, const struct leaf_document *of, const struct leaves *rows);
err_t leaf_store_drop_all(struct db *db, const struct leaf_document *of);

/* The totals of the document; zero if it does not exist yet. */
struct merged_row {
	int64_t value_count;
	int64_t size_bytes;
	int64_t path_bytes;
	bool tangled;
};
err_t leaf_store_find_merged(struct db *db, const struct leaf_document *of,
			     struct merged_row *ret_row);
err_t leaf_store_save_merged(struct db *db, const struct leaf_document *of,
			     const struct merged_row *row);

#endif
