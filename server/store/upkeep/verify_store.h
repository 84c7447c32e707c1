#ifndef VERIFY_STORE_H
#define VERIFY_STORE_H

#include "db.h"
#include "db_row.h"

/* All that is stored of a run, page by page, for verification; see verify/verify.h. */

/* Returns as many rows as hold so many bytes, or one. */
enum { VERIFY_PAGE_BYTES = 8 << 20 };

struct verify_item {
	int64_t run_id;
	int64_t project_id;
	struct str entity;
	struct str project;
	struct str name;
	int64_t row_count; /* of history and events */
};
struct verify_scope {
	int64_t project_id; /* 0: all */
	int64_t run_id;     /* 0: all */
};
struct verify_total {
	int64_t runs;
	int64_t row_count;
};
err_t verify_store_total(struct db *db, const struct verify_scope *scope,
			 struct verify_total *ret_total);
/* Runs that are not purged, by id, those after `after`. */
err_t verify_store_list_runs(struct db *db, const struct verify_scope *scope, int64_t after,
			     int64_t limit, struct verify_item **ret_items, size_t *ret_count);
/* Runs of the directory that have no lock row; at most 1000. */
err_t verify_store_list_lost_runs(struct db *db, int64_t project_id, struct verify_item **ret_items,
				  size_t *ret_count);
/* Projects whose metric names have gaps; row_count: the surplus of names. At most 1000. */
err_t verify_store_list_bad_projects(struct db *db, int64_t project_id,
				     struct verify_item **ret_items, size_t *ret_count);
/* The limits and counts that a run and its project give for its parts. */
struct verify_told {
	int32_t key_limit; /* numbers of the project's metrics are below */
	bool project_deleted;
	int64_t console_chunks;
	int64_t console_lines; /* in them */
};
err_t verify_store_told(struct db *db, int64_t run_id, struct verify_told *ret_told);

/*
 * Locks the tail, so that no slot of it is truncated until verify_store_tail_end(), which keeps the
 * snapshot. In a transaction of db_begin_snapshot(), before it reads anything.
 */
err_t verify_store_tail_begin(struct db *db);
/* Locks it until the transaction ends. */
err_t verify_store_tail_hold(struct db *db);
err_t verify_store_tail_end(struct db *db);

struct pending_row;
/* Blocks and packs after a number, oldest first. */
err_t verify_store_list_tail(struct db *db, int64_t run_id, int64_t after_seq,
			     struct pending_row **ret_rows, size_t *ret_count);

struct verify_keys {
	int32_t writer;
	struct str document;
};
err_t verify_store_list_keys(struct db *db, int64_t run_id, int16_t stream, int32_t after_writer,
			     struct verify_keys **ret_rows, size_t *ret_count);

/* The values of one key, kind and writer, from an index on. */
struct verify_from {
	int32_t number; /* of who asks */
	int16_t stream;
	int32_t key_id;
	int16_t kind;
	int32_t writer;
	int64_t index_from;
};
struct verify_chunk {
	int32_t number; /* of the strand it is of */
	int64_t total;  /* chunks that there are of all strands, at most `limit` of each */
	int64_t index_first;
	int32_t value_count;
	int64_t row_first;
	int64_t row_last;
	int64_t step_min;
	int64_t step_max;
	struct str roll;
	struct str data;
};
struct verify_chunk_ask {
	int64_t run_id;
	const struct verify_from *from;
	size_t count;
	int64_t row_first; /* only chunks with rows from here */
	int64_t row_end;   /* to before here */
	int64_t limit;     /* of each strand */
};
/* By number and index. */
err_t verify_store_list_chunks(struct db *db, const struct verify_chunk_ask *ask,
			       struct verify_chunk **ret_rows, size_t *ret_count);
err_t verify_store_count_chunks(struct db *db, int64_t run_id, int64_t *ret_count);

struct verify_strand {
	int16_t stream;
	int32_t writer;
	int32_t key_id;
	int16_t kind;
	int64_t chunks;
};
/* In this order, at most 1000 after the position. */
err_t verify_store_list_strands(struct db *db, int64_t run_id, const struct verify_strand *after,
				struct verify_strand **ret_rows, size_t *ret_count);

struct console_chunk;
err_t verify_store_list_console(struct db *db, int64_t run_id, const struct console_chunk *after,
				struct console_chunk **ret_rows, size_t *ret_count);

struct verify_records {
	bool has_info;
	bool info_deleted;
	bool noted;           /* its searched document is due to be rewritten */
	int64_t document_seq; /* -1: there is none */
	struct str document_state;
	bool document_is_its;
};
err_t verify_store_records(struct db *db, int64_t run_id, struct verify_records *ret_records);

struct verify_alert {
	int32_t number;
	bool is_there;       /* false: it only waits to be sent */
	int32_t writer;      /* -1: no writer's */
	int16_t delivery;    /* enum alert_delivery */
	int64_t due_project; /* that it waits for; 0: it does not */
};
/* By number; beyond a run's limit not all are returned. */
err_t verify_store_list_alerts(struct db *db, int64_t run_id, struct verify_alert **ret_rows,
			       size_t *ret_count);

struct verify_leaf {
	int16_t kind;
	struct str place;
	struct str path;
	struct str value; /* .at NULL: an object */
};
err_t verify_store_list_leaves(struct db *db, int64_t run_id, const struct verify_leaf *after,
			       struct verify_leaf **ret_rows, size_t *ret_count);

struct verify_merged {
	int16_t kind;
	int64_t value_count;
	int64_t size_bytes;
	int64_t path_bytes;
};
err_t verify_store_list_merged(struct db *db, int64_t run_id, struct verify_merged **ret_rows,
			       size_t *ret_count);

/* A row that does not match its checksum: "run_config", "writer 3". */
struct verify_row {
	struct str table_name;
	struct str row_name;
	int64_t project_id; /* of those of the directory, like what follows */
	int64_t run_id;     /* 0: of no run */
	struct str entity;
	struct str project;
	struct str name;
};
/*
 * At most 1000 each: rows of a run; rows found by project; rows of no
 * project; rows of runs that do not exist.
 */
err_t verify_store_list_rows(struct db *db, int64_t run_id, struct verify_row **ret_rows,
			     size_t *ret_count);
err_t verify_store_list_directory_rows(struct db *db, const struct verify_scope *scope,
				       struct verify_row **ret_rows, size_t *ret_count);
err_t verify_store_list_artifact_rows(struct db *db, const struct verify_scope *scope,
				      struct verify_row **ret_rows, size_t *ret_count);
err_t verify_store_list_sweep_rows(struct db *db, const struct verify_scope *scope,
				   struct verify_row **ret_rows, size_t *ret_count);
err_t verify_store_list_server_rows(struct db *db, struct verify_row **ret_rows, size_t *ret_count);
err_t verify_store_list_stray_rows(struct db *db, struct verify_row **ret_rows, size_t *ret_count);

/* Artifacts: faults in words, at most 1000; versions and content to read, in order after one of them. */
struct verify_words {
	int64_t project_id;
	struct str entity;
	struct str project;
	struct str message;
};
err_t verify_store_list_artifact_faults(struct db *db, const struct verify_scope *scope,
					struct verify_words **ret_faults, size_t *ret_count);
/* The same for sweeps. */
err_t verify_store_list_sweep_faults(struct db *db, const struct verify_scope *scope,
				     struct verify_words **ret_faults, size_t *ret_count);
struct verify_version {
	int64_t project_id;
	int64_t artifact_id;
	int64_t manifest_id;
	int32_t version;
	struct str name;
	struct str digest;
	int64_t size_bytes;
	int64_t file_count;
	struct str entity;
	struct str project;
};
struct verify_place {
	int64_t project_id;
	int64_t number;
};
err_t verify_store_list_versions(struct db *db, const struct verify_scope *scope,
				 const struct verify_place *after, int64_t limit,
				 struct verify_version **ret_versions, size_t *ret_count);
struct verify_blob {
	int64_t project_id;
	int64_t blob_id;
	struct str content;
	struct str md5;
	int64_t size_bytes;
	struct str entity;
	struct str project;
	struct str path; /* of an entry that has it; empty: none */
};
err_t verify_store_list_blobs(struct db *db, const struct verify_scope *scope,
			      const struct verify_place *after, int64_t limit,
			      struct verify_blob **ret_blobs, size_t *ret_count);

extern const struct db_stmt_check verify_store_checks[];
extern const size_t verify_store_check_count;

#endif
