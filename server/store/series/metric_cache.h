#ifndef METRIC_CACHE_H
#define METRIC_CACHE_H

#include <stdint.h>

#include "clock.h"
#include "db.h"
#include "err.h"
#include "str.h"

/*
 * Names of metrics and their numbers, kept in memory per project, for METRIC_CACHE_KEPT_US: a name that no run has is
 * deleted hours later, and gets another number if it comes again (metric_store.h). The number of projects and names is
 * bounded. Serves all threads.
 */
struct metric_cache;

enum {
	METRIC_CACHE_PROJECTS = 256,
	METRIC_CACHE_NAMES = 500000, /* of all projects; of names of 512 bytes 300 MiB */
};
#define METRIC_CACHE_KEPT_US (INT64_C(10) * 60 * 1000000)

struct metric_cache *metric_cache_new(size_t names_max);
void metric_cache_free(struct metric_cache *cache);
/* Names that are kept now. */
size_t metric_cache_count(struct metric_cache *cache);

/* Drops a project's entries: one of its numbers is that of a deleted name. */
void metric_cache_forget(struct metric_cache *cache, int64_t project_id);

/*
 * Numbers of names for rows that are about to be stored, as many as have one; INT32_MAX for names
 * that have none or are marked as unused, which metric_store_add() has to number. *ret_as_of: the
 * numbers were right then, by the database's clock.
 */
err_t metric_cache_find_used(struct metric_cache *cache, struct db *db, int64_t project_id,
			     const struct str *names, size_t count, int32_t *ret_key_ids,
			     timestamp_us *ret_as_of) __attribute__((warn_unused_result));

/* Numbers of names, given now where there are none yet, all or none; outside a transaction. */
err_t metric_cache_numbers(struct metric_cache *cache, struct db *db, int64_t project_id,
			   const struct str *names, size_t count, uint32_t *ret_key_ids)
	__attribute__((warn_unused_result));

/* Numbers of known names; INT32_MAX if there is none. */
err_t metric_cache_find(struct metric_cache *cache, struct db *db, int64_t project_id,
			const struct str *names, size_t count, int32_t *ret_key_ids)
	__attribute__((warn_unused_result));

/* Names of numbers, in the connection's arena; empty if there is none. */
err_t metric_cache_names(struct metric_cache *cache, struct db *db, int64_t project_id,
			 const int32_t *key_ids, size_t count, struct str *ret_names)
	__attribute__((warn_unused_result));

#endif
