#ifndef PROJECT_STORE_H
#define PROJECT_STORE_H

#include "db.h"
#include "db_row.h"
#include "entity.h"
#include "project.h"

/* The target of a request's path, with what decides about access. */
struct target_row {
	int64_t entity_id;
	int16_t entity_kind;
	int16_t role;       /* of the caller: enum entity_role */
	bool owns_public;   /* asked without a project: the entity owns a public one */
	int64_t project_id; /* 0: not there */
	int16_t visibility;
	int32_t crash_after_s;
	bool project_deleted;
};

struct target_run_row {
	int64_t run_id;
	int16_t visibility;
	bool deleted;
	bool moved; /* to another project; run_id is 0 then */
};

/* NULL if there is no such entity; an empty project asks only for the entity. */
err_t target_store_find(struct db *db, int64_t user_id, struct str entity, struct str project,
			struct target_row **ret_row) __attribute__((warn_unused_result));
/* NULL when there is none. */
err_t target_store_find_run(struct db *db, int64_t project_id, struct str run,
			    struct target_run_row **ret_row) __attribute__((warn_unused_result));

/*
 * Makes the project unless its name is taken, be it by a deleted one; *ret_made is whether it did.
 */
err_t project_store_make(struct db *db, const struct project *project, timestamp_us now,
			 bool *ret_made) __attribute__((warn_unused_result));
/* NULL when it was deleted. */
err_t project_store_find(struct db *db, int64_t project_id, struct project **ret_project)
	__attribute__((warn_unused_result));
/* The same, locked until the transaction ends. */
err_t project_store_lock(struct db *db, int64_t project_id, struct project **ret_project)
	__attribute__((warn_unused_result));
/* It cannot be deleted or changed until the transaction ends; others may hold it, too. ERR_GONE: it was deleted. */
err_t project_store_hold(struct db *db, int64_t project_id) __attribute__((warn_unused_result));
err_t project_store_save(struct db *db, const struct project *project, timestamp_us now)
	__attribute__((warn_unused_result));

struct project_list {
	int64_t user_id;
	int64_t entity_id;       /* 0: of all entities */
	bool all;                /* private ones of others too */
	bool deleted;            /* of the entity: those that may be restored, and no others */
	timestamp_us now;        /* with it */
	struct str after_entity; /* the list begins after this one */
	struct str after_name;
	int64_t limit;
};
/* By entity and name. */
err_t project_store_list(struct db *db, const struct project_list *list,
			 struct project **ret_projects, size_t *ret_count)
	__attribute__((warn_unused_result));

enum { PROJECT_ACTIVITY_MOST = 10000 }; /* runs of each that are counted */
struct project_activity {
	bool is_told; /* the user sees the project whole */
	int64_t runs;
	int64_t running;
	timestamp_us heard_at; /* 0: no process yet */
};
/* For each of the projects, as the caller of the list sees it. */
err_t project_store_activity(struct db *db, const struct project_list *list,
			     const struct project *projects, size_t count,
			     struct project_activity **ret_activities)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check project_store_checks[];
extern const size_t project_store_check_count;

#endif
