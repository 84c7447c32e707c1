#ifndef SEARCH_PARTS_H
#define SEARCH_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "columns.h"
#include "pattern.h"
#include "search.h"
#include "verdict_cache.h"

/* What search.c, search_follow.c and search_sql.c share. */

/*
 * A project that was asked for. `columns` and `change` belong to its lock: who asks reads, who follows
 * writes. All else belongs to the server's lock, which is never waited for with a project's in hand.
 */
struct search_project {
	struct search_project *next;
	int64_t project_id;
	pthread_rwlock_t lock;
	struct columns *columns; /* NULL: asked by SQL */
	int64_t change;          /* they are as of this count */
	_Atomic size_t bytes;
	size_t loaded_bytes; /* when they were loaded: what came since may be in part of no more use */
	int64_t used_us;     /* monotonic */
	int64_t not_before_us; /* there was no room: when that is looked at again */
	bool wanted;
	unsigned holders;
};

struct search {
	pthread_mutex_t lock;
	pthread_cond_t wake; /* something is wanted */
	struct search_project *projects;
	size_t memory; /* for columns */
	struct verdict_cache *verdicts;
	_Atomic uint64_t loads; /* the id of columns is their number */
	bool is_wanted;
	bool is_closed;
	_Atomic uint64_t by_columns;
	_Atomic uint64_t by_sql;
};

enum {
	SEARCH_INLINE_MAX = 256, /* changes that a question puts in itself */
	SEARCH_STEP = 1000,      /* that the job does at once */
};

/* Made if need be; until search_give() it stays. */
struct search_project *search_take(struct search *s, int64_t project_id);
void search_give(struct search *s, struct search_project *p);

/* Puts in what was changed since, at most `limit` of it, up to that count; drops what cannot follow. */
err_t search_catch_up(struct db *db, struct search_project *p, const struct search_count_row *to,
		      int64_t limit) __attribute__((warn_unused_result));

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
