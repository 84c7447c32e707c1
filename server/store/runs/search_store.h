#ifndef SEARCH_STORE_H
#define SEARCH_STORE_H

#include "db.h"
#include "db_row.h"

/* The searched documents: writing, following and querying them by SQL. */

struct search_document {
	int64_t project_id;
	int64_t run_id;
	int64_t seq;
	int16_t visibility;
	struct str document;
	int64_t next_row;     /* of the run when it was read */
	timestamp_us read_at; /* or before */
};
/* Unless the run is deleted; in a transaction, for it waits for the holder of the run's lock. */
err_t search_store_save(struct db *db, const struct search_document *doc);
/*
 * For different runs of one project, in a transaction. Never waits for a
 * lock: runs that are locked, deleted or in another project are left out,
 * and the others come first afterwards, *ret_saved of them.
 */
err_t search_store_save_free(struct db *db, struct search_document *docs, size_t count,
			     size_t *ret_saved);
/*
 * A change of the visibility, or that the run is gone: with the change itself, in its transaction.
 */
err_t search_store_show(struct db *db, int64_t project_id, int64_t run_id, int16_t visibility);
err_t search_store_drop(struct db *db, int64_t project_id, int64_t run_id);

/*
 * ---- following ---------------------------------------------------------------------------------
 */

/* How often a project's documents were changed; no row: never. */
struct search_count_row {
	int64_t project_id;
	int64_t change;
	int64_t forgotten; /* a reader that is not beyond this one cannot follow any more */
};
err_t search_store_counts(struct db *db, const int64_t *project_ids, size_t count,
			  struct search_count_row **ret_rows, size_t *ret_count);

/* The projects that were logged to last, the last one first. */
struct search_recent_row {
	int64_t project_id;
};
err_t search_store_recent(struct db *db, size_t most, struct search_recent_row **ret_rows,
			  size_t *ret_count);

struct search_document_row {
	int64_t run_id;
	int64_t change;
	int16_t visibility;
	bool deleted;
	struct str document;
};
/* Some of a project's documents: those after a run_id, and those changed since, in that order. */
err_t search_store_load(struct db *db, int64_t project_id, int64_t after_run,
			struct search_document_row **ret_rows, size_t *ret_count);
err_t search_store_changed(struct db *db, int64_t project_id, int64_t after_change, int64_t limit,
			   struct search_document_row **ret_rows, size_t *ret_count);

/* ---- what they lack ------------------------------------------------------------------------------- */

struct search_noted_row {
	int64_t run_id;
	int64_t seq;
	bool is_put_off; /* its document could not be written, and will be retried later */
};
/*
 * The rows of all running runs of a project: if both are the same again, no rows came in between.
 */
struct search_running_row {
	int64_t runs;
	int64_t digest;
};
struct search_pending {
	struct search_noted_row *noted; /* by run_id */
	size_t noted_count;
	struct search_running_row running;
	struct search_count_row count;
};
/*
 * The noted changes, the rows since, and then the count: so nothing that is in a document by now
 * and was pending before is missed. One round trip.
 */
err_t search_store_pending(struct db *db, int64_t project_id, int64_t limit,
			   struct search_pending *ret_pending);
/* Removes the notes of these runs: their documents are up to date. */
err_t search_store_noted_done(struct db *db, const struct search_document *docs, size_t count);
/* The time of the oldest note; 0: there is none. */
err_t search_store_noted_since(struct db *db, int64_t project_id, timestamp_us *ret_since);

struct search_running_run {
	int64_t run_id;
	int64_t next_row;
};
/* By run_id. */
err_t search_store_running(struct db *db, int64_t project_id, struct search_running_run **ret_rows,
			   size_t *ret_count);

struct search_written_row {
	int64_t run_id;
	int64_t next_row;
	timestamp_us read_at;
};
/* By run_id; a run without a document has no row. */
err_t search_store_written(struct db *db, int64_t project_id, const int64_t *run_ids, size_t count,
			   struct search_written_row **ret_rows, size_t *ret_count);

/* ---- what they say -------------------------------------------------------------------------------- */

struct search_stored_row {
	int64_t run_id;
	int64_t seq;
	int64_t rows; /* how many the run had when it was written, at least these are in the summary */
	struct str config; /* JSON */
	struct str summary;
	struct str
		whole; /* NULL: the summary is the run's own; else searched_summary_restore() makes it */
};
/*
 * Among these runs, in this order and as far as they take so many bytes,
 * those whose document is as new as the run's noted changes. Rows are not
 * noted: if a run has more by now, their effect on the summary is missing.
 */
struct search_stored_ask {
	int64_t project_id;
	const int64_t *run_ids;
	size_t count;
	int64_t bytes;
};
err_t search_store_stored(struct db *db, const struct search_stored_ask *ask,
			  struct search_stored_row **ret_rows, size_t *ret_count);

/* ---- what is asked ------------------------------------------------------------------------------- */

/* The paths of a key: jsonpaths. */
struct search_key_paths {
	struct str path;
	struct str flat; /* the other one; empty: none */
	bool outside;    /* of config and summary: an empty value is missing */
};

/* A value as it is ordered and grouped: by rank, then number, then the beginning of its text. */
struct search_value {
	int16_t rank;      /* enum search_rank */
	struct str number; /* a decimal; "0" if it is not a number */
	struct str text;
};
enum search_rank {
	SEARCH_RANK_NULL = 1,
	SEARCH_RANK_TEXT,
	SEARCH_RANK_NUMBER,
	SEARCH_RANK_BOOL,
	SEARCH_RANK_LIST,
	SEARCH_RANK_OBJECT,
	SEARCH_RANK_NONE, /* last; of a descending order 0 in SQL, and again the last */
};
enum { SEARCH_VALUE_CHARS = 256 }; /* of a text that are compared */

/* The selection of runs: those of the filter that the caller may see. */
struct search_which {
	int64_t project_id;
	bool sees_private;
	bool project_public;
	struct str filter; /* a jsonpath; empty: none */
	/* The matches of the filter's expressions: for these runs number matched[i] (from 1) of
	 * `variables`, for all others the first. */
	const int64_t *run_ids;
	const int32_t *matched;
	size_t run_count;
	const struct str *variables; /* JSON objects */
	size_t variable_count;
	bool of_group; /* only those with this value */
	struct search_key_paths group_key;
	struct search_value group;
};

struct search_page_ask {
	struct search_which which;
	struct search_key_paths order;
	bool descending;
	bool has_cursor;
	struct search_value cursor;
	int64_t cursor_run_id;
	int64_t offset;
	int64_t limit;
};
struct search_run_row {
	int64_t run_id;
	int16_t rank;
	struct str number;
	struct str text;
};
err_t search_store_page(struct db *db, const struct search_page_ask *ask,
			struct search_run_row **ret_rows, size_t *ret_count);
err_t search_store_count(struct db *db, const struct search_which *which, int64_t *ret_runs);

/* Statistics of values that are numbers; if count is 0 the rest is not set. */
struct search_numbers {
	int64_t count;
	double least;
	double greatest;
	double mean;
	double deviation; /* of a sample; negative: one number has none, nor have those beyond 1e140 */
};

struct search_groups_ask {
	struct search_which which;
	struct search_key_paths key;
	const struct str *of_paths; /* of the statistics */
	const struct str *of_flats; /* the other ones, or the same */
	size_t of_count;
	bool by_count;
	bool descending;
	bool has_cursor;
	int64_t cursor_runs;
	struct search_value cursor;
	int64_t limit;
};
/* A group comes once for each key of the statistics, in their order; or once. */
struct search_group_row {
	int16_t rank;
	struct str number;
	struct str text;
	int64_t runs;
	int64_t key; /* from 1; 0: there are no statistics */
	int64_t numbers;
	double least;
	double greatest;
	double mean;
	double deviation;
	int64_t all_groups; /* in all pages */
	int64_t all_runs;
};
err_t search_store_groups(struct db *db, const struct search_groups_ask *ask,
			  struct search_group_row **ret_rows, size_t *ret_count);

/* The texts at a path of the next runs by run_id; a run without any comes once, without text. */
struct search_text_row {
	int64_t run_id;
	struct str text; /* .at NULL: none */
};
err_t search_store_texts(struct db *db, const struct search_which *which, struct str path,
			 int64_t after_run, struct search_text_row **ret_rows, size_t *ret_count);

/* The values of some runs of a project under some keys, in no order; a missing value has no row. */
struct search_values_ask {
	int64_t project_id;
	const int64_t *run_ids;
	size_t run_count;
	const struct str *paths; /* as in struct search_key_paths, each with all three */
	const struct str *flats;
	const bool *outside;
	size_t key_count;
};
struct search_value_row {
	int64_t run_id;
	int32_t key; /* which of them, from 0 */
	int16_t rank;
	struct str number;
	struct str text;
};
err_t search_store_values(struct db *db, const struct search_values_ask *ask,
			  struct search_value_row **ret_rows, size_t *ret_count);

extern const struct db_stmt_check search_store_checks[];
extern const size_t search_store_check_count;

#endif
