#ifndef METRIC_STORE_H
#define METRIC_STORE_H

#include "db.h"
#include "db_row.h"

/*
 * The dictionary of a project's metric names. A name keeps its number
 * until it is deleted, and no number is reused.
 *
 * A name that no run has any more is deleted in two steps, because servers keep names in memory
 * (metric_cache.h) and batches are numbered before they are stored. First the name is marked as
 * unused, and counts and is found as before. A batch with the name removes the mark; a batch that
 * was numbered from memory does not. METRIC_UNUSED_US later the name is deleted, if it still has
 * that mark and no run has it. By then memory is newer than the mark, and a flush stores a batch
 * only if its numbers are younger than METRIC_NUMBERS_GOOD_US, or are still those of names without
 * a mark. Both times are the database's.
 */
enum { METRICS_PER_PROJECT = 100000 };
#define METRIC_UNUSED_US (INT64_C(3) * 3600 * 1000000)
/* Less than METRIC_UNUSED_US by more than any flush or move takes (deadline_ms is at most an hour). */
#define METRIC_NUMBERS_GOOD_US (INT64_C(30) * 60 * 1000000)
#define METRIC_NEW_PER_US \
	(INT64_C(3600) * 1000000) /* the time in which a run's new names are counted */

struct metric {
	int32_t key_id;
	struct str name;
	timestamp_us unused_at; /* 0: it is used, or was at the last check */
};

/* The metrics with these names, in any order. */
err_t metric_store_list(struct db *db, int64_t project_id, const struct str *names, size_t count,
			struct metric **ret_metrics, size_t *ret_count);
err_t metric_store_names(struct db *db, int64_t project_id, const int32_t *key_ids, size_t count,
			 struct metric **ret_metrics, size_t *ret_count);

/* Names that have no number, or one that is marked as unused. */
struct new_metrics {
	int64_t project_id;
	int64_t run_id; /* that brings them; 0: not known */
	const struct str *names;
	size_t count;
	int64_t new_per_hour; /* of the run at most; 0: no limit */
};
enum metric_room {
	METRIC_ROOM,         /* all names have numbers */
	METRIC_PROJECT_FULL, /* the first of them have; the project has METRICS_PER_PROJECT */
	METRIC_RUN_FULL,     /* the first of them have; the run has brought new_per_hour */
};
/* Gives them numbers and removes the marks, in a transaction of its own. */
err_t metric_store_add(struct db *db, const struct new_metrics *metrics,
		       enum metric_room *ret_room);
/* All or none: ERR_UNPROCESSABLE when the project has no room. The run's limit does not count. */
err_t metric_store_add_all(struct db *db, const struct new_metrics *metrics);

/* Whether all these numbers are of names without a mark. */
err_t metric_store_are_used(struct db *db, int64_t project_id, const int32_t *key_ids, size_t count,
			    bool *ret_used);

/* ---- names that no run has ---------------------------------------------------------------------- */

/* A run has left the project; in the same transaction. */
err_t metric_store_look(struct db *db, int64_t project_id, timestamp_us now);
/* Projects that are due, the longest first. */
err_t metric_store_list_due(struct db *db, timestamp_us now, int64_t limit,
			    int64_t **ret_project_ids, size_t *ret_count);
/* False: another server has it. Until that time no other takes it. */
err_t metric_store_take_due(struct db *db, int64_t project_id, timestamp_us now, timestamp_us until,
			    bool *ret_taken);
/* Some of the project's runs after one, ascending, deleted ones too. */
err_t metric_store_runs(struct db *db, int64_t project_id, int64_t after, int64_t limit,
			int64_t **ret_run_ids, size_t *ret_count);
/*
 * The numbers that runs have, ascending, each once, and the time before they were read. Marks names and removes
 * marks, and deletes names that were marked long enough before. `until` is that of metric_store_take_due().
 */
struct metric_use {
	int64_t project_id;
	const int32_t *key_ids;
	size_t count;
	timestamp_us since;
	timestamp_us until;
};
err_t metric_store_judge(struct db *db, const struct metric_use *use, int64_t *ret_deleted);

/* A shortened name and the whole one (odd_name.h), of those names that are shortened. */
struct metric_whole {
	struct str name;
	struct str whole_name;
};
err_t metric_store_wholes(struct db *db, int64_t project_id, const struct str *names, size_t count,
			  struct metric_whole **ret_wholes, size_t *ret_count);
/* Saves those that are not known yet; for names that have numbers. */
err_t metric_store_save_wholes(struct db *db, int64_t project_id, const struct metric_whole *wholes,
			       size_t count);

#endif
