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

/* The rows of these paths that are there, in order. */
err_t leaf_store_find(struct db *db, const struct leaf_document *of, const struct leaves *paths,
		      struct leaves *ret_rows);
/* All of them, but for objects. */
err_t leaf_store_list(struct db *db, const struct leaf_document *of, struct leaves *ret_leaves);
/* Of a config: what the newest other writer says that has the path; of those that somebody has. */
err_t leaf_store_heirs(struct db *db, int64_t run_id, int32_t writer, const struct leaves *orphaned,
		       struct leaves *ret_heirs);
err_t leaf_store_save(struct db *db, const struct leaf_document *of, const struct leaves *rows);
err_t leaf_store_drop(struct db *db, const struct leaf_document *of, const struct leaves *rows);
err_t leaf_store_drop_all(struct db *db, const struct leaf_document *of);

/* What is known of the document as a whole; of one that is not there yet: nothing. */
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
