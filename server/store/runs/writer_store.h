#ifndef WRITER_STORE_H
#define WRITER_STORE_H

#include "attempt.h"
#include "db.h"
#include "db_row.h"

extern const struct db_row_table writer_table;
extern const struct db_row_table writer_commit_table;

/*
 * Rows of writers lack the changes of batches since the run was compacted
 * (writer_marks.h). Functions with `now` in their name apply these: under
 * the run's lock, or as of their call.
 */

/* By number, those above `after` (-1: from the first), as their rows are. */
err_t writer_store_list(struct db *db, int64_t run_id, int32_t after, int64_t limit,
			struct writer **ret_writers, size_t *ret_count);
/* The same, now. */
err_t writer_store_list_now(struct db *db, int64_t run_id, int32_t after, int64_t limit,
			    struct writer **ret_writers, size_t *ret_count);
/* The writers with these numbers, as their rows are; in no order. */
err_t writer_store_list_numbers(struct db *db, int64_t run_id, const int32_t *numbers, size_t asked,
				struct writer **ret_writers, size_t *ret_count);
/*
 * Now: the writers that decide when the client finishes: primaries, hands,
 * itself, its children; or all.
 */
err_t writer_store_list_deciders(struct db *db, int64_t run_id, struct str client, bool all,
				 struct writer **ret_writers, size_t *ret_count);
/* The client's, now; *ret_writer is NULL when there is none. */
err_t writer_store_find_now(struct db *db, int64_t run_id, struct str client,
			    struct writer **ret_writer);
/* For pairs of a run and a client, as their rows are; in no order, each once. */
err_t writer_store_find_all(struct db *db, const int64_t *run_ids, const struct str *clients,
			    size_t asked, struct writer **ret_writers, size_t *ret_count);
/* For pairs of a run and a number, as their rows are; in no order. */
err_t writer_store_list_pairs(struct db *db, const int64_t *run_ids, const int32_t *numbers,
			      size_t asked, struct writer **ret_writers, size_t *ret_count);
/* The commits of runs' programs; runs that sent none are left out. */
struct writer_commit {
	int64_t run_id;
	struct str commit;
};
err_t writer_store_list_commits(struct db *db, const int64_t *run_ids, size_t asked,
				struct writer_commit **ret_commits, size_t *ret_count);
/*
 * Primaries for pairs of a run and a label, as their rows are: the ones
 * that a joining writer may replace.
 */
err_t writer_store_list_primaries(struct db *db, const int64_t *run_ids, const struct str *labels,
				  size_t asked, struct writer **ret_writers, size_t *ret_count);
/* The hosts of a run's processes, each once, in order. */
struct writer_host {
	struct str host;
};
err_t writer_store_list_hosts(struct db *db, int64_t run_id, int64_t limit,
			      struct writer_host **ret_hosts, size_t *ret_count);
/*
 * How many writers of the run's attempt are lost (attempt_count_lost()). In most runs none is,
 * which costs a lookup.
 */
err_t writer_store_count_lost(struct db *db, const struct run *run, struct run_clock clock,
			      int64_t *ret_count);
/* How many a run has. */
err_t writer_store_count(struct db *db, int64_t run_id, int64_t *ret_count);
/* Inserts or replaces the whole row. */
err_t writer_store_save(struct db *db, const struct writer *w);

/* Saves the changes of writers by batches. */
err_t writer_store_advance(struct db *db, const struct writer *writers, size_t count);

/* The parameters of writer_advance, for the flusher's pipeline. */
struct db_args writer_store_advance_args(struct arena *a, const struct writer *writers, size_t n);
struct db_args writer_store_save_args(struct arena *a, const struct writer *w);
struct db_args writer_store_replace_args(struct arena *a, const struct writer *writers, size_t n);
struct db_args writer_store_label_args(struct arena *a, const struct writer *writers, size_t n);

#endif
