#include "lineage_store.h"

#include "store_sql.h"

static const struct db_column edge_columns[] = {
	DB_COLUMN(struct lineage_edge, run_id),     DB_COLUMN(struct lineage_edge, way),
	DB_COLUMN(struct lineage_edge, project_id), DB_COLUMN(struct lineage_edge, artifact_id),
	DB_NULLABLE(struct lineage_edge, used_as),  DB_COLUMN(struct lineage_edge, at),
};
static const struct db_row_table edge_table = DB_ROW_TABLE(struct lineage_edge, edge_columns);

static const struct db_column run_columns[] = {
	DB_COLUMN(struct lineage_run, run_id),
	DB_COLUMN(struct lineage_run, project_id),
	DB_COLUMN(struct lineage_run, entity_id),
	DB_COLUMN(struct lineage_run, entity),
	DB_COLUMN(struct lineage_run, project),
	DB_COLUMN(struct lineage_run, run),
	DB_COLUMN(struct lineage_run, display_name),
	DB_COLUMN(struct lineage_run, job_type),
	DB_COLUMN(struct lineage_run, state),
	DB_COLUMN(struct lineage_run, project_visibility),
	DB_COLUMN(struct lineage_run, run_visibility),
	DB_COLUMN(struct lineage_run, created_at),
};
static const struct db_row_table run_table = DB_ROW_TABLE(struct lineage_run, run_columns);

err_t lineage_store_add(struct db *db, const struct lineage_edge *edge)
{
	struct db_param used_as = P_STR(edge->used_as);

	used_as.null = !edge->used_as.at;
	return db_exec(db, &STMT_lineage_add,
		       DB_ARGS(P_INT8(edge->run_id), P_INT2(edge->way), P_INT8(edge->project_id),
			       P_INT8(edge->artifact_id), used_as, P_TIME(edge->at)),
		       NULL);
}

err_t lineage_store_find(struct db *db, const struct lineage_edge *like,
			 struct lineage_edge **ret_edge)
{
	return db_first(db, &STMT_lineage_find,
			DB_ARGS(P_INT8(like->run_id), P_INT2(like->way), P_INT8(like->project_id),
				P_INT8(like->artifact_id)),
			&edge_table, (void **)ret_edge);
}

err_t lineage_store_of_run(struct db *db, const struct lineage_ask *ask,
			   struct lineage_edge **ret_edges, size_t *ret_count)
{
	return db_all(db, &STMT_lineage_of_run,
		      DB_ARGS(P_INT8(ask->run_id), P_INT2(ask->way), P_BOOL(ask->has_after),
			      P_TIME(ask->after_at), P_INT8(ask->after_project_id),
			      P_INT8(ask->after_id), P_INT8(ask->limit)),
		      &edge_table, (void **)ret_edges, ret_count);
}

err_t lineage_store_of_artifact(struct db *db, int64_t project_id, int64_t artifact_id,
				enum artifact_way way, int64_t limit,
				struct lineage_edge **ret_edges, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_used_by,
		      DB_ARGS(P_INT8(project_id), P_INT8(artifact_id), P_INT2(way), P_INT8(limit)),
		      &edge_table, (void **)ret_edges, ret_count);
}

err_t lineage_store_page(struct db *db, const struct lineage_page_ask *ask,
			 struct lineage_edge **ret_edges, size_t *ret_count)
{
	const struct lineage_edge *after = &ask->after;

	return db_all(db, &STMT_lineage_of_run_page,
		      DB_ARGS(P_INT8(ask->run_id), P_INT2(ask->way), P_BOOL(after->way != 0),
			      P_TIME(after->at), P_INT8(after->project_id),
			      P_INT8(after->artifact_id), P_INT2(after->way), P_INT8(ask->limit)),
		      &edge_table, (void **)ret_edges, ret_count);
}

err_t lineage_store_of_runs(struct db *db, const int64_t *run_ids, size_t count, int64_t limit,
			    struct lineage_edge **ret_edges, size_t *ret_count)
{
	return db_all(db, &STMT_lineage_of_runs,
		      DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, count), P_INT8(limit)), &edge_table,
		      (void **)ret_edges, ret_count);
}

err_t lineage_store_of_artifacts(struct db *db, const struct lineage_artifacts *artifacts,
				 int64_t limit, struct lineage_edge **ret_edges, size_t *ret_count)
{
	return db_all(db, &STMT_artifacts_used_by,
		      DB_ARGS(P_ARRAY(DB_INT8_ARRAY, artifacts->project_ids, artifacts->count),
			      P_ARRAY(DB_INT8_ARRAY, artifacts->artifact_ids, artifacts->count),
			      P_INT8(limit)),
		      &edge_table, (void **)ret_edges, ret_count);
}

err_t lineage_store_list_runs(struct db *db, const int64_t *run_ids, size_t count,
			      struct lineage_run **ret_runs, size_t *ret_count)
{
	return db_all(db, &STMT_lineage_runs, DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, count)),
		      &run_table, (void **)ret_runs, ret_count);
}

const struct db_stmt_check lineage_store_checks[] = {
	{ &STMT_lineage_of_run, &edge_table },      { &STMT_lineage_find, &edge_table },
	{ &STMT_lineage_of_run_page, &edge_table }, { &STMT_lineage_of_runs, &edge_table },
	{ &STMT_artifacts_used_by, &edge_table },   { &STMT_artifact_used_by, &edge_table },
	{ &STMT_lineage_runs, &run_table },
};
const size_t lineage_store_check_count = sizeof(lineage_store_checks) /
					 sizeof(lineage_store_checks[0]);
