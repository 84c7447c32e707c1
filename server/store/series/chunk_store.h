#ifndef CHUNK_STORE_H
#define CHUNK_STORE_H

#include "db.h"
#include "db_row.h"

/* Chunks and key statistics, as compaction reads and writes them. */

enum chunk_kind { CHUNK_NUMBERS = 1, CHUNK_TEXTS = 2 };

struct chunk_row {
	int16_t stream;
	int32_t key_id;
	int16_t kind;
	int32_t writer;
	int64_t index_first;
	int32_t value_count;
	int64_t row_first;
	int64_t row_last;
	int64_t step_min;
	int64_t step_max;
	struct str roll; /* empty: none */
	struct str data;
};

/* For one key of one writer: the values from index `from` on, when `next` are there. */
struct open_values {
	int16_t stream;
	int32_t key_id;
	int16_t kind;
	int32_t writer;
	int64_t from;
	int64_t next;
};
/* The chunks that have them and are to be written again; by stream, writer, key, kind, index. */
err_t chunk_store_open(struct db *db, int64_t run_id, const struct open_values *asked,
		       size_t asked_count, struct chunk_row **ret_rows, size_t *ret_count);
/* Drops these chunks, except the first of each. */
err_t chunk_store_drop(struct db *db, int64_t run_id, const struct open_values *rows, size_t count);
err_t chunk_store_save(struct db *db, int64_t run_id, const struct chunk_row *rows, size_t count);

struct stream_keys {
	int16_t stream;
	int32_t writer;
	struct str document;
};
/* The keys asked for, by stream and writer. */
err_t chunk_store_list_keys(struct db *db, int64_t run_id, const struct stream_keys *asked,
			    size_t asked_count, struct stream_keys **ret_rows, size_t *ret_count);
err_t chunk_store_save_keys(struct db *db, int64_t run_id, const struct stream_keys *rows,
			    size_t count);

/* All up to `seq` is compacted. */
struct compacted {
	int64_t seq;
	int32_t blocks;         /* that leave the tail's count */
	int64_t bytes;          /* of them, decoded */
	int64_t console_chunks; /* that there are more now */
	int64_t console_lines;  /* the same of lines in chunks */
};
/* The run is locked. */
err_t chunk_store_compacted(struct db *db, int64_t run_id, const struct compacted *done);

#endif
