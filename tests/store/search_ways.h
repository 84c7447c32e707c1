#ifndef SEARCH_WAYS_H
#define SEARCH_WAYS_H

#include "scene.h"
#include "search.h"

/*
 * Every test twice: asked by SQL, and by columns that were loaded before it began and follow from then on.
 */
#define WAYS_TEST(test, setup) \
	{ #test " by SQL", test, ways_by_sql_##setup, ways_teardown, NULL }, \
	{ \
#test " by columns", test, ways_by_columns_##setup, ways_teardown, NULL \
	}

/* For a setup of the test's own. */
#define WAYS_SETUP(setup) \
	static int ways_by_sql_##setup(void **state) \
	{ \
		return setup(state) || ways_begin(*state, false); \
	} \
	static int ways_by_columns_##setup(void **state) \
	{ \
		return setup(state) || ways_begin(*state, true); \
	}

int ways_begin(struct scene *s, bool by_columns);
int ways_teardown(void **state);

/* The one of the test; it fails where the way was not taken. */
struct search *ways_now(void);

/* A search that has the scene's project as columns. */
struct search *ways_loaded(struct scene *s, size_t memory);
/* "cairn_search_by_columns_total" and others. */
long long ways_metric(struct search *search, const char *name);

#endif
