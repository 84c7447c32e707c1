#ifndef LINEAGE_STORE_H
#define LINEAGE_STORE_H

#include "artifact.h"
#include "db.h"
#include "db_row.h"

/* Artifacts that runs read and wrote (lineage.sql). Edges are the run's: they move with it and are purged with it. */
struct lineage_edge {
	int64_t run_id;
	int16_t way;        /* enum artifact_way */
	int64_t project_id; /* of the artifact */
	int64_t artifact_id;
	struct str used_as; /* .at == NULL: none */
	timestamp_us at;
};

/* Under the run's lock. An edge that is there stays; a new used_as replaces the old one. */
err_t lineage_store_add(struct db *db, const struct lineage_edge *edge)
	__attribute__((warn_unused_result));
/* The edge with this run, way, project and artifact; NULL: there is none. */
err_t lineage_store_find(struct db *db, const struct lineage_edge *like,
			 struct lineage_edge **ret_edge) __attribute__((warn_unused_result));
struct lineage_ask {
	int64_t run_id;
	enum artifact_way way;
	bool has_after; /* after this edge */
	timestamp_us after_at;
	int64_t after_project_id;
	int64_t after_id;
	int64_t limit;
};
/* Edges of a run, oldest first. Drafts are among them: the caller reads the artifacts and leaves those out. */
err_t lineage_store_of_run(struct db *db, const struct lineage_ask *ask,
			   struct lineage_edge **ret_edges, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Edges of an artifact: runs that made or used it, oldest first. */
err_t lineage_store_of_artifact(struct db *db, int64_t project_id, int64_t artifact_id,
				enum artifact_way way, int64_t limit,
				struct lineage_edge **ret_edges, size_t *ret_count)
	__attribute__((warn_unused_result));
/* A page of the edges of a run, oldest first; drafts are among them. */
struct lineage_page_ask {
	int64_t run_id;
	int16_t way;               /* enum artifact_way; 0: both */
	struct lineage_edge after; /* after this one; way 0: from the first */
	int64_t limit;
};
err_t lineage_store_page(struct db *db, const struct lineage_page_ask *ask,
			 struct lineage_edge **ret_edges, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Edges of several runs, and of several artifacts, both ways, at most `limit`. */
err_t lineage_store_of_runs(struct db *db, const int64_t *run_ids, size_t count, int64_t limit,
			    struct lineage_edge **ret_edges, size_t *ret_count)
	__attribute__((warn_unused_result));
struct lineage_artifacts {
	const int64_t *project_ids;
	const int64_t *artifact_ids;
	size_t count;
};
err_t lineage_store_of_artifacts(struct db *db, const struct lineage_artifacts *artifacts,
				 int64_t limit, struct lineage_edge **ret_edges, size_t *ret_count)
	__attribute__((warn_unused_result));
/* The names of runs by their numbers, in no order; deleted runs, and runs of deleted projects, are left out. */
struct lineage_run {
	int64_t run_id;
	int64_t project_id;
	int64_t entity_id;
	struct str entity;
	struct str project;
	struct str run;
	struct str display_name;
	struct str job_type;
	int16_t state;
	int16_t project_visibility;
	int16_t run_visibility;
	timestamp_us created_at;
};
err_t lineage_store_list_runs(struct db *db, const int64_t *run_ids, size_t count,
			      struct lineage_run **ret_runs, size_t *ret_count)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check lineage_store_checks[];
extern const size_t lineage_store_check_count;

#endif
