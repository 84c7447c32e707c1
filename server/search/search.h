#ifndef SEARCH_H
#define SEARCH_H

#include "buf.h"
#include "db.h"
#include "filter.h"
#include "search_store.h"
#include "text_match.h"

/*
 * Queries of a project's runs: pages in an order, counts, groups. Answered from columns in memory
 * if this server has them (columns.h), else by SQL, with the same answers: a first question by SQL
 * makes the columns wanted, and the job that follows the documents loads them.
 *
 * Columns are never older than the database: each question asks for the project's count of changes first,
 * and puts in what is new, whichever server wrote it.
 */
struct search;

/* At most so many bytes of columns; 0: none, all queries use SQL. */
struct search *search_new(size_t memory);
void search_free(struct search *s);

/*
 * Changes that were acknowledged before a query and are in no document yet are written there first,
 * as far as the bounds allow; for the rest the answer has its age. (search_fold.c)
 */
struct request;
struct run_reader;
struct search_fold {
	struct db *db; /* queries of another one are not folded: a replica reports its own age */
	struct run_reader (*reader)(struct request *of); /* lends a reader of runs */
	struct request *of;
	int64_t most_us;
	int64_t most_runs;
	bool is_behind;    /* at least one of the queries with it was */
	int64_t behind_us; /* changes acknowledged so long ago, and before, are in the answer */
};

struct search_question {
	int64_t project_id;
	bool sees_private;
	bool project_public;
	const struct filter_node *filter;
	struct filter_path group_key; /* no names: of all groups */
	struct search_value group;
	int64_t deadline_us;      /* monotonic */
	struct search_fold *fold; /* NULL: the documents are queried as they are */
};

enum { SEARCH_ORDERS_MORE = 3 };
struct search_order {
	struct filter_path path;
	bool descending;
};

struct search_page {
	struct filter_path order;
	bool descending;                              /* by run, too, where all keys are equal */
	struct search_order more[SEARCH_ORDERS_MORE]; /* if the first key is equal */
	size_t more_count;
	bool counts; /* all that the filter finds */
	bool has_cursor;
	struct search_value cursor; /* of the last row of the page before */
	struct search_value cursor_more[SEARCH_ORDERS_MORE];
	int64_t cursor_run_id;
	int64_t offset; /* rows before the page; without a cursor */
	int64_t limit;
};
struct search_found_run {
	int64_t run_id;
	struct search_value value;
	struct search_value more[SEARCH_ORDERS_MORE];
};
struct search_page_found {
	struct search_found_run *runs;
	size_t count;
	int64_t all; /* if the page counts */
};
/* ERR_UNPROCESSABLE: several keys of more runs than can be ordered so. */
err_t search_page(struct search *s, struct db *db, const struct search_question *q,
		  const struct search_page *ask, struct search_page_found *ret_found)
	__attribute__((warn_unused_result));

/* Only folds, for callers that query documents otherwise. */
err_t search_fold_now(struct search *s, struct db *db, const struct search_question *q)
	__attribute__((warn_unused_result));

/* Runs by the value of a key; and statistics of the numbers of other keys. */
enum { SEARCH_GROUPS_OF_MAX = 64 };
struct search_groups {
	struct filter_path key;
	const struct filter_path *of;
	size_t of_count;
	bool by_count; /* how many runs they have, and then by value; else by value */
	bool descending;
	bool has_cursor;
	int64_t cursor_runs; /* if it goes by count */
	struct search_value cursor;
	int64_t limit;
};
struct search_group {
	struct search_value value;
	int64_t runs;
	struct search_numbers *numbers; /* of each of ask->of */
};
struct search_groups_found {
	struct search_group *groups;
	size_t count;
	int64_t all_groups; /* on all pages; with all_runs 0 where a page is empty */
	int64_t all_runs;
};
err_t search_groups(struct search *s, struct db *db, const struct search_question *q,
		    const struct search_groups *ask, struct search_groups_found *ret_found)
	__attribute__((warn_unused_result));

/*
 * The values of runs under keys, from their documents: [run * key_count +
 * key], SEARCH_RANK_NONE if missing.
 */
struct search_values {
	int64_t project_id;
	const int64_t *run_ids;
	size_t run_count;
	const struct filter_path *keys;
	size_t key_count;
};
err_t search_values(struct db *db, const struct search_values *ask,
		    struct search_value **ret_values) __attribute__((warn_unused_result));

/* The fields that runs can be queried by, as filters name them: config.lr. */
struct search_fields {
	struct str within; /* "config" or "summary": the names of its members; empty: all */
	struct str beside; /* members of this one, too, as if they were of `within`; empty: none */
	struct text_match *match; /* only names that it finds; its error is for the caller */
};
struct search_field {
	struct str name;
	unsigned
		kinds; /* a bit for each enum search_rank; within "summary" NaN and the infinities are numbers */
	int64_t runs;
};
struct search_fields_found {
	struct search_field *fields; /* in order of their names */
	size_t count;
};
err_t search_fields(struct search *s, struct db *db, const struct search_question *q,
		    const struct search_fields *ask, struct search_fields_found *ret_found)
	__attribute__((warn_unused_result));

/* The values of one of them, the most frequent first: each item of a list, none of an object. */
struct search_field_values {
	struct filter_path field;
	struct text_match *match;
	int64_t limit;
};
struct search_value_runs {
	struct search_value value;
	int64_t runs;
};
struct search_field_values_found {
	struct search_value_runs *values;
	size_t count;
	int64_t all;  /* different ones that match */
	int64_t runs; /* that have the field */
	bool has_numbers;
	struct str least; /* of all, whether they match or not */
	struct str greatest;
};
/* ERR_UNPROCESSABLE: there are too many different values. */
err_t search_field_values(struct search *s, struct db *db, const struct search_question *q,
			  const struct search_field_values *ask,
			  struct search_field_values_found *ret_found)
	__attribute__((warn_unused_result));

/*
 * The sections of the project that have the keys: of the runs that `q` may
 * see, whatever its filter matches.
 */
err_t search_bare(struct search *s, struct db *db, const struct search_question *q,
		  struct filter_bare *bare) __attribute__((warn_unused_result));

/* The values of these groups' runs under other keys. */
enum {
	SEARCH_DIFFERENT_KEYS_MAX = 16,
	SEARCH_DIFFERENT_MAX = 1 << 20,       /* values, over all keys */
	SEARCH_DIFFERENT_TEXTS_MAX = 1 << 26, /* bytes of their texts, over all keys */
	SEARCH_DIFFERENT_NOTES_MAX = 1 << 24, /* values of runs, alike or not, over all keys */
	SEARCH_DIFFERENT_SHOWN = 5,
};
struct search_different {
	struct filter_path by;
	const struct search_group *groups;
	size_t group_count;
	const struct filter_path *keys;
	size_t key_count;
};
struct search_different_found {
	int64_t count;                                           /* different values */
	int64_t runs;                                            /* that have one */
	struct search_value_runs values[SEARCH_DIFFERENT_SHOWN]; /* the most frequent first */
	size_t shown;
};
/* [group * key_count + key]. ERR_UNPROCESSABLE: it exceeds the limits. */
err_t search_different(struct search *s, struct db *db, const struct search_question *q,
		       const struct search_different *ask,
		       struct search_different_found **ret_found)
	__attribute__((warn_unused_result));

/* ---- for the job that follows ------------------------------------------------------------------- */

/*
 * Waits until columns are wanted, the time is over, or search_close(), after which it never waits.
 */
void search_wait(struct search *s, int64_t us);
void search_close(struct search *s);

/*
 * At the start: loads the projects that were logged to last, as many as there is room for, until a
 * query wants another; *ret_loaded were loaded.
 */
err_t search_load_recent(struct search *s, struct db *db, const _Atomic bool *stop,
			 uint64_t *ret_loaded) __attribute__((warn_unused_result));

/*
 * Loads wanted projects, puts in new changes, drops projects if there is
 * no room; *ret_loaded were loaded.
 */
err_t search_follow(struct search *s, struct db *db, const _Atomic bool *stop, uint64_t *ret_loaded)
	__attribute__((warn_unused_result));

/* Prometheus text. */
void search_metrics(struct search *s, struct buf *text);

#endif
