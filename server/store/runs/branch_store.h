#ifndef BRANCH_STORE_H
#define BRANCH_STORE_H

#include "branch.h"
#include "db.h"
#include "db_row.h"

/*
 * The branches of a run, numbered from 0, with the parts that each inherited. A run that was
 * neither rewound nor forked has none here, and run.branch is 0; a fork's own branch is 1.
 */
struct branch_new {
	int64_t run_id;
	int32_t number;
	int64_t source_id; /* the run it goes on from */
	int32_t source_branch;
	int64_t step; /* up to which; -1: nothing */
	struct branch_view view;
	int64_t row_first; /* of the rows logged in it */
	timestamp_us made_at;
	int64_t user_id; /* 0: no user */
};
err_t branch_store_insert(struct db *db, const struct branch_new *branch);

/* The state of a branch when the next one of its run began; documents as text. */
struct branch_end {
	int64_t run_id;
	int32_t number;
	struct branch_view view;
	timestamp_us left_at;
	int64_t row_count;
	int64_t last_step;
	struct str config;
	struct str summary;
};
err_t branch_store_leave(struct db *db, const struct branch_end *end);

/* The branch that is written into from now on; the run is locked. */
struct branch_begin {
	int64_t run_id;
	int32_t number;
	int32_t writer_first; /* of the writers that write into it */
	int64_t row_first;    /* the first row that is in the run itself */
};
err_t branch_store_begin(struct db *db, const struct branch_begin *begin);

/* ERR_NOT_FOUND when the run has no such branch. */
err_t branch_store_view(struct db *db, int64_t run_id, int32_t number,
			struct branch_view *ret_view);

struct branch_info {
	int32_t number;
	struct str source_name; /* the run's */
	int16_t source_visibility;
	int32_t source_branch;
	int64_t step;
	int64_t row_first;
	timestamp_us made_at;
	struct str user_name; /* empty: no user */
	timestamp_us left_at; /* 0: it is written into */
	int64_t row_count;    /* when it was left */
	int64_t last_step;
};
struct branch_list {
	int64_t project_id;
	int64_t run_id;
	int32_t after; /* number; -1: from the first on */
	int64_t limit;
};
err_t branch_store_list(struct db *db, const struct branch_list *ask, struct branch_info **ret_rows,
			size_t *ret_count);

struct branch_documents {
	struct str config;
	struct str summary;
};
/* NULL: there is no such branch, or it was not left. */
err_t branch_store_documents(struct db *db, int64_t run_id, int32_t number,
			     struct branch_documents **ret_documents);

/* Statistics of the keys that the branch inherited, by writer (series/key_stats). */
struct branch_keys {
	int32_t writer;
	struct str document;
};
err_t branch_store_save_keys(struct db *db, int64_t run_id, int32_t number,
			     const struct branch_keys *rows, size_t count);
/* By writer. */
err_t branch_store_list_keys(struct db *db, int64_t run_id, int32_t number,
			     struct branch_keys **ret_rows, size_t *ret_count);

/* Whether a fork of the run, or of a fork of it, has rows of it. */
err_t branch_store_is_forked(struct db *db, int64_t run_id, bool *ret_forked);

/* Names of processes are assigned again: the writers that have them now get `number` appended. */
err_t branch_store_set_aside(struct db *db, int64_t run_id, int32_t number, struct str client);
/* The same of one writer of an older branch; it is not an error if there is none. */
err_t branch_store_set_aside_one(struct db *db, int64_t run_id, struct str client);

/*
 * Adds to the numbers of its writers, which have no rows and lines, a
 * number greater than any of them.
 */
err_t branch_store_renumber(struct db *db, int64_t run_id, int32_t more);

/* Saves the source of the fork, and its new visibility. */
struct run_info;
err_t branch_store_note_fork(struct db *db, int64_t project_id, const struct run_info *fork);

#endif
