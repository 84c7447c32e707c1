#ifndef SERIES_ASK_H
#define SERIES_ASK_H

#include "request.h"
#include "series_axis.h"
#include "series_sampled.h"

/*
 * The body of POST …/series: panels, each of some keys over one grid, for the runs shown and for groups of runs. See
 * `POST …/series` in api/.
 */
enum {
	SERIES_PANELS_MAX = 64,
	SERIES_RUNS_MAX = 1000,     /* shown */
	SERIES_GROUPS_MAX = 64,     /* of runs, */
	SERIES_MEMBERS_MAX = 10000, /* in all of them */
	SERIES_PANEL_KEYS_MAX = 1000,
	SERIES_SERIES_MAX = 20000,    /* panels x keys x (runs + groups) */
	SERIES_BUCKETS_MAX = 2000000, /* these x buckets */
	SERIES_KEPT_MAX = 8 << 20,    /* runs of a group x buckets, for percentiles: 64 MiB */
	SERIES_ETAG_MAX = 64,
};

enum series_form { SERIES_JSON, SERIES_LINES, SERIES_COLUMNS };

struct series_member {
	int64_t run_id;
	struct str name;
	int64_t rows; /* of history */
	int64_t events;
	int64_t version; /* changes with every change of the run or of a writer */
	int32_t branch;
	int32_t writers;
};

struct series_members {
	struct series_member *at; /* ascending by run_id */
	size_t count;
};

struct series_group {
	struct str name;
	struct str filter;       /* .at NULL: names */
	const struct str *names; /* of runs */
	size_t name_count;
	struct series_members members;
};

struct series_panel {
	const struct str *keys;
	size_t key_count;
	struct axis axis;
	struct series_range range;
	uint32_t buckets;
	enum series_split split;
	bool by_host;     /* split by writers, with those of one host joined */
	bool is_rate;     /* values are counters */
	bool percentiles; /* of groups */
	uint32_t columns; /* of a piece of series, by bits as in series_column_names; 0: all */
	struct str etag;  /* of the answer that the client has; .at NULL: none */
};

struct series_question {
	enum series_form form;
	bool narrow;             /* SERIES_COLUMNS: values as float32 */
	const struct str *names; /* of the runs shown */
	size_t name_count;
	struct series_members shown;
	struct str *missing; /* names of runs that do not exist, or that the caller may not see */
	size_t missing_count;
	struct series_group *groups;
	size_t group_count;
	struct series_panel *panels;
	size_t panel_count;
};

/* Reads and checks the body. Runs are only names yet. */
err_t series_ask_read(struct request *q, struct series_question *ret_question)
	__attribute__((warn_unused_result));

/* Finds the runs that are shown, and all runs of every group. */
err_t series_ask_find_runs(struct request *q, struct series_question *question)
	__attribute__((warn_unused_result));

/* Returns whether the run exists and the caller may see it. */
struct run_info;
struct target;
bool series_ask_may_see(const struct target *t, const struct run_info *info);

/* Returns the ids of the members that still exist and that the caller may still see. */
err_t series_ask_still(struct request *q, const struct series_member *members, size_t count,
		       int64_t *run_ids, size_t *ret_count) __attribute__((warn_unused_result));

#endif
