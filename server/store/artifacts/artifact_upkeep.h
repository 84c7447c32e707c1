#ifndef ARTIFACT_UPKEEP_H
#define ARTIFACT_UPKEEP_H

#include "artifact.h"
#include "db.h"
#include "db_row.h"

/* Statements of the artifact job (artifact_upkeep.sql). */
struct artifact_due {
	int64_t project_id;
	int64_t collection_id;
	int64_t artifact_id; /* 0: the collection */
};
/* Versions and drafts, and collections, of all projects that are to be looked at. */
err_t artifact_upkeep_list_due(struct db *db, timestamp_us now, int64_t limit,
			       struct artifact_due **ret_due, size_t *ret_count)
	__attribute__((warn_unused_result));
err_t artifact_upkeep_list_due_collections(struct db *db, timestamp_us now, int64_t limit,
					   struct artifact_due **ret_due, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Under the lock of the collection: whether it still is due. */
err_t artifact_upkeep_is_due(struct db *db, const struct artifact_due *due, timestamp_us now,
			     bool *ret_is) __attribute__((warn_unused_result));
/* When to look again; 0: never. */
err_t artifact_upkeep_look(struct db *db, const struct artifact_due *due, timestamp_us look_at)
	__attribute__((warn_unused_result));
/* Versions of the collection that have no TTL of their own are looked at now. */
err_t artifact_upkeep_look_all(struct db *db, const struct artifact_due *due, timestamp_us now)
	__attribute__((warn_unused_result));
/* Under the lock of its collection: what protects a version. */
err_t artifact_upkeep_hold(struct db *db, const struct artifact *version,
			   struct artifact_hold *ret_hold) __attribute__((warn_unused_result));
/* Places of the version: project_id, collection_id and version alone, in the order in which collections are locked. */
err_t artifact_upkeep_list_members(struct db *db, const struct artifact_due *due, int64_t limit,
				   struct artifact_member **ret_members, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Versions beyond the last `keep` that have no alias, in order of their numbers, after one. */
err_t artifact_upkeep_list_beyond(struct db *db, const struct artifact_collection *collection,
				  int64_t after, int64_t limit, int64_t **ret_ids,
				  size_t *ret_count) __attribute__((warn_unused_result));

/* Under its lock: from here on a deleted collection is not restored. */
err_t artifact_upkeep_begin_collection(struct db *db, const struct artifact_due *due,
				       timestamp_us now) __attribute__((warn_unused_result));
/* Whether that was done for a deleted collection. */
bool artifact_upkeep_has_begun(const struct artifact_collection *collection, timestamp_us now);
/* Under its lock: a portion of its versions is deleted, of its aliases and members removed. */
err_t artifact_upkeep_empty_collection(struct db *db, const struct artifact_due *due, int64_t limit,
				       timestamp_us now, bool *ret_more)
	__attribute__((warn_unused_result));
/* All of a deleted version or draft was removed: the row of a draft is, too. */
err_t artifact_upkeep_end(struct db *db, const struct artifact_due *due)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check artifact_upkeep_checks[];
extern const size_t artifact_upkeep_check_count;

#endif
