#ifndef SEARCH_PARTS_H
#define SEARCH_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "columns_groups.h"
#include "columns_page.h"
#include "pattern.h"
#include "search.h"
#include "tally.h"
#include "match_results.h"

/* Shared by search.c, search_follow.c and search_sql.c. */

/* The result of a fold; behind_us: at folded_us. */
struct search_folded {
	bool is_behind;
	int64_t behind_us;
	int64_t folded_us; /* monotonic */
};

/*
 * A queried project. `columns` and `change` are under its lock: queries read, the follower writes.
 * All else is under the server's lock, which is never waited for while holding a project's.
 */
struct search_project {
	struct search_project *next;
	int64_t project_id;
	pthread_rwlock_t lock;
	struct columns *columns; /* NULL: asked by SQL */
	int64_t change;          /* they are as of this count */
	_Atomic size_t bytes;
	size_t loaded_bytes;   /* when they were loaded: some of what came since may be garbage */
	int64_t used_us;       /* monotonic */
	int64_t not_before_us; /* there was no room: the time of the next try */
	bool wanted;
	unsigned holders;
	bool has_folded; /* all rows of the runs that ran then are in documents */
	struct search_running_row folded;
	bool is_folding;
	uint64_t folds; /* that were begun */
	uint64_t folds_done;
	struct search_folded last_fold;
};

struct search {
	pthread_mutex_t lock;
	pthread_cond_t wake;   /* something is wanted */
	pthread_cond_t folded; /* a fold ended */
	pthread_cond_t come;   /* wanted columns are there, or do not come */
	struct search_project *projects;
	size_t memory; /* for columns */
	struct match_cache *results;
	_Atomic uint64_t loads;               /* the id of columns is their number */
	const struct search_project *loading; /* just now */
	bool is_wanted;
	bool is_followed; /* a thread loads what is wanted */
	bool is_closed;
	_Atomic uint64_t by_columns;
	_Atomic uint64_t by_sql;
};

enum {
	SEARCH_INLINE_MAX = 256, /* changes that a query puts in itself */
	SEARCH_STEP = 1000,      /* that the job does at once */
};

/* Created if need be; it stays until search_give(). */
struct search_project *search_take(struct search *s, int64_t project_id);
void search_give(struct search *s, struct search_project *p);

/*
 * *ret_is_counted: nothing was pending, and *ret_now is the project's count after that was known.
 */
err_t search_fold(struct search *s, struct db *db, struct search_project *p,
		  const struct search_question *q, struct search_count_row *ret_now,
		  bool *ret_is_counted) __attribute__((warn_unused_result));

/*
 * Puts in later changes, at most `limit` of them, up to that count; drops
 * columns that cannot follow.
 */
err_t search_catch_up(struct db *db, struct search_project *p, const struct search_count_row *to,
		      int64_t limit) __attribute__((warn_unused_result));

struct search_key_paths search_sql_paths(struct arena *a, const struct filter_path *path);
/* One text for each number, as columns write it. */
struct search_value search_sql_value(struct arena *a, int16_t rank, struct str number,
				     struct str text);

/*
 * Loads the next documents by run_id into columns; *after is the last run
 * of them, unchanged if there was none.
 */
err_t search_load_window(struct db *db, int64_t project_id, struct columns *c, int64_t *after,
			 bool *ret_fits) __attribute__((warn_unused_result));

/*
 * The rows that match, if the results report afterwards that all results
 * were known; the columns are locked.
 */
struct bits search_found_rows(struct arena *a, const struct columns *c,
			      const struct search_question *q, struct match_results *results);
/* ERR_TIMEOUT: not all was counted. */
err_t search_count(struct db *db, struct tally *tally, const struct columns *c, struct bits rows)
	__attribute__((warn_unused_result));
err_t search_windows(struct db *db, const struct search_question *q, struct match_results *results,
		     struct tally *tally) __attribute__((warn_unused_result));

err_t search_sql_page_of_several(struct db *db, const struct search_question *q,
				 struct patterns *patterns, const struct search_page *ask,
				 struct search_page_found *ret_found)
	__attribute__((warn_unused_result));
err_t search_sql_page(struct db *db, const struct search_question *q, struct patterns *patterns,
		      const struct search_page *ask, struct search_page_found *ret_found)
	__attribute__((warn_unused_result));
err_t search_sql_groups(struct db *db, const struct search_question *q, struct patterns *patterns,
			const struct search_groups *ask, struct search_groups_found *ret_found)
	__attribute__((warn_unused_result));

#endif
