#ifndef UNREAD_STORE_H
#define UNREAD_STORE_H

#include "db.h"
#include "db_row.h"

/* Lines that could not be parsed, as they were received. */
struct unread_row {
	int64_t run_id;
	int64_t number; /* from 0 */
	int32_t writer;
	int16_t stream; /* enum stream, or UNREAD_OTHER */
	struct str text;
	timestamp_us came_at;
};
enum { UNREAD_OTHER = 4 };

/* The parameters of run_unread_insert: rows of one run and writer, for the flusher's pipeline. */
struct db_args unread_store_args(struct arena *a, const struct unread_row *rows, size_t count);

/* By number, those above `after`. */
err_t unread_store_list(struct db *db, int64_t run_id, int64_t after, int64_t limit,
			struct unread_row **ret_rows, size_t *ret_count);

#endif
