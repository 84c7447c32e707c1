#ifndef USAGE_STORE_H
#define USAGE_STORE_H

#include "artifact.h"
#include "db.h"
#include "db_row.h"
#include "disk_forecast.h"
#include "run.h"

/* The sizes of runs, and their sums per project and entity. */

/* Measures the run's compacted data now; its files are counted separately (file_store.h). */
err_t usage_store_measure(struct db *db, int64_t run_id, int64_t *ret_bytes)
	__attribute__((warn_unused_result));
/* Adds to the size of the run's project, or subtracts; the run is locked. */
err_t usage_store_add(struct db *db, const struct run *run, int64_t bytes)
	__attribute__((warn_unused_result));
/* The run is locked; `bytes` was measured, `seq` is the compact_seq it had when it was measured. */
err_t usage_store_save(struct db *db, const struct run *run, int64_t bytes, int64_t seq)
	__attribute__((warn_unused_result));
/* Runs after `after` that have to be measured, by run_id. */
err_t usage_store_list_missed(struct db *db, int64_t after, int64_t limit, int64_t **ret_run_ids,
			      size_t *ret_count) __attribute__((warn_unused_result));
/* The total of all. */
err_t usage_store_total(struct db *db, int64_t *ret_bytes) __attribute__((warn_unused_result));

/* The size of a project, and the part of it that is content of artifacts. */
struct project_usage {
	int64_t size_bytes;
	int64_t artifact_bytes;
};
/* NULL: it has used nothing. */
err_t usage_store_of_project(struct db *db, int64_t project_id, struct project_usage **ret_usage)
	__attribute__((warn_unused_result));
struct collection_usage {
	int64_t collection_id;
	int64_t versions;
	int64_t files;      /* of all versions */
	int64_t size_bytes; /* of their contents, each once */
	int64_t only_here;  /* of those that no other collection has */
};
struct collection_usage_ask {
	int64_t project_id;
	enum artifact_sees sees;
	const int64_t *collection_ids;
	size_t count;
};
/* In no order. */
err_t usage_store_of_collections(struct db *db, const struct collection_usage_ask *ask,
				 struct collection_usage **ret_usages, size_t *ret_count)
	__attribute__((warn_unused_result));

struct entity_usage {
	int64_t quota_bytes; /* QUOTA_STANDARD: the server's holds */
	int64_t size_bytes;
	int64_t project_quota_bytes; /* QUOTA_NONE: it has none */
	int64_t project_bytes;
};
/* For an entity and a project of it, 0: none. NULL if there is no such entity. */
err_t usage_store_of_entity(struct db *db, int64_t entity_id, int64_t project_id,
			    struct entity_usage **ret_usage) __attribute__((warn_unused_result));
/* In a transaction: until its end no other transaction takes a decision by the entity's total. */
err_t usage_store_hold(struct db *db, int64_t entity_id) __attribute__((warn_unused_result));
err_t usage_store_save_quota(struct db *db, int64_t entity_id, int64_t quota_bytes,
			     bool *ret_changed) __attribute__((warn_unused_result));

/* The use of the disk with the files: the first sample of a day is kept, for so long. */
enum { DISK_SAMPLES_DAYS = 30 };
err_t usage_store_sample_disk(struct db *db, const struct disk_forecast_sample *now,
			      int64_t disk_bytes) __attribute__((warn_unused_result));
/* The first since then, of a disk of that size; NULL if there is none. */
err_t usage_store_find_sample(struct db *db, timestamp_us since, int64_t disk_bytes,
			      struct disk_forecast_sample **ret_sample)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check usage_store_checks[];
extern const size_t usage_store_check_count;

#endif
