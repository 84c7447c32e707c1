#include "artifact_upkeep.h"

#include "artifact_store.h"
#include "store_sql.h"

#define BEGUN_US (INT64_C(86400) * 1000000) /* as artifact_collection_begin has it */

static const struct db_column due_columns[] = {
	DB_COLUMN(struct artifact_due, project_id),
	DB_COLUMN(struct artifact_due, collection_id),
	DB_COLUMN(struct artifact_due, artifact_id),
};
static const struct db_row_table due_table = DB_ROW_TABLE(struct artifact_due, due_columns);

/* The place of a member: of its fields only these are read. */
static const struct db_column place_columns[] = {
	DB_COLUMN(struct artifact_member, project_id),
	DB_COLUMN(struct artifact_member, collection_id),
	DB_COLUMN(struct artifact_member, version),
};
static const struct db_row_table place_table = DB_ROW_TABLE(struct artifact_member, place_columns);

struct there_row {
	bool there;
};
static const struct db_column there_columns[] = { DB_COLUMN(struct there_row, there) };
static const struct db_row_table there_table = DB_ROW_TABLE(struct there_row, there_columns);

static const struct db_column hold_columns[] = {
	DB_COLUMN(struct artifact_hold, is_newest),
	DB_COLUMN(struct artifact_hold, is_linked),
	DB_COLUMN(struct artifact_hold, other_aliases),
};
static const struct db_row_table hold_table = DB_ROW_TABLE(struct artifact_hold, hold_columns);

struct number_row {
	int64_t number;
};
static const struct db_column number_columns[] = { DB_COLUMN(struct number_row, number) };
static const struct db_row_table number_table = DB_ROW_TABLE(struct number_row, number_columns);

err_t artifact_upkeep_list_due(struct db *db, timestamp_us now, int64_t limit,
			       struct artifact_due **ret_due, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_jobs_due, DB_ARGS(P_TIME(now), P_INT8(limit)), &due_table,
		      (void **)ret_due, ret_count);
}

err_t artifact_upkeep_list_due_collections(struct db *db, timestamp_us now, int64_t limit,
					   struct artifact_due **ret_due, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_collection_jobs_due, DB_ARGS(P_TIME(now), P_INT8(limit)),
		      &due_table, (void **)ret_due, ret_count);
}

err_t artifact_upkeep_is_due(struct db *db, const struct artifact_due *due, timestamp_us now,
			     bool *ret_is)
{
	int64_t number = due->artifact_id ? due->artifact_id : due->collection_id;
	struct there_row *row;
	err_t e = db_first(
		db, due->artifact_id ? &STMT_artifact_is_due : &STMT_artifact_collection_is_due,
		DB_ARGS(P_INT8(due->project_id), P_INT8(number), P_TIME(now)), &there_table,
		(void **)&row);

	if (!e)
		*ret_is = row->there;
	return e;
}

err_t artifact_upkeep_look(struct db *db, const struct artifact_due *due, timestamp_us look_at)
{
	struct db_param at = P_TIME(look_at);

	at.null = !look_at.us;
	if (!due->artifact_id)
		return db_exec(db, &STMT_artifact_collection_look,
			       DB_ARGS(P_INT8(due->project_id), P_INT8(due->collection_id), at),
			       NULL);
	return db_exec(db, &STMT_artifact_look,
		       DB_ARGS(P_INT8(due->project_id), P_INT8(due->artifact_id), at), NULL);
}

err_t artifact_upkeep_look_all(struct db *db, const struct artifact_due *due, timestamp_us now)
{
	return db_exec(db, &STMT_artifact_look_all,
		       DB_ARGS(P_INT8(due->project_id), P_INT8(due->collection_id), P_TIME(now)),
		       NULL);
}

err_t artifact_upkeep_hold(struct db *db, const struct artifact *v, struct artifact_hold *ret_hold)
{
	struct artifact_hold *hold;
	err_t e = db_first(db, &STMT_artifact_protection,
			   DB_ARGS(P_INT8(v->project_id), P_INT8(v->collection_id),
				   P_INT4(v->version), P_INT8(v->artifact_id)),
			   &hold_table, (void **)&hold);

	if (!e)
		*ret_hold = *hold;
	return e;
}

err_t artifact_upkeep_list_members(struct db *db, const struct artifact_due *due, int64_t limit,
				   struct artifact_member **ret_members, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_members_left,
		      DB_ARGS(P_INT8(due->project_id), P_INT8(due->artifact_id), P_INT8(limit)),
		      &place_table, (void **)ret_members, ret_count);
}

err_t artifact_upkeep_list_beyond(struct db *db, const struct artifact_collection *c, int64_t after,
				  int64_t limit, int64_t **ret_ids, size_t *ret_count)
{
	_Static_assert(sizeof(struct number_row) == sizeof(int64_t), "rows are numbers");

	return db_all(db, &STMT_artifact_beyond,
		      DB_ARGS(P_INT8(c->project_id), P_INT8(c->collection_id), P_INT8(c->keep_last),
			      P_INT8(after), P_INT8(limit)),
		      &number_table, (void **)ret_ids, ret_count);
}

err_t artifact_upkeep_begin_collection(struct db *db, const struct artifact_due *due,
				       timestamp_us now)
{
	return db_exec(db, &STMT_artifact_collection_begin,
		       DB_ARGS(P_INT8(due->project_id), P_INT8(due->collection_id), P_TIME(now)),
		       NULL);
}

bool artifact_upkeep_has_begun(const struct artifact_collection *collection, timestamp_us now)
{
	return collection->deleted_at.us + BEGUN_US <= now.us;
}

static err_t portion(struct db *db, const struct db_stmt *stmt, const struct artifact_due *due,
		     int64_t limit, bool *more)
{
	int64_t count;
	err_t e =
		db_exec(db, stmt,
			DB_ARGS(P_INT8(due->project_id), P_INT8(due->collection_id), P_INT8(limit)),
			&count);

	if (!e)
		*more |= count == limit;
	return e;
}

err_t artifact_upkeep_empty_collection(struct db *db, const struct artifact_due *due, int64_t limit,
				       timestamp_us now, bool *ret_more)
{
	int64_t count;
	err_t e = db_exec(db, &STMT_artifact_delete_all,
			  DB_ARGS(P_INT8(due->project_id), P_INT8(due->collection_id), P_TIME(now),
				  P_INT8(limit)),
			  &count);

	if (e)
		return e;
	*ret_more = count == limit;
	e = portion(db, &STMT_artifact_collection_clear_aliases, due, limit, ret_more);
	return e ? e : portion(db, &STMT_artifact_collection_clear_members, due, limit, ret_more);
}

err_t artifact_upkeep_end(struct db *db, const struct artifact_due *due)
{
	const struct db_args args = DB_ARGS(P_INT8(due->project_id), P_INT8(due->artifact_id));
	err_t e = db_exec(db, &STMT_artifact_gone, args, NULL);

	return e ? e : db_exec(db, &STMT_artifact_forget_draft, args, NULL);
}

const struct db_stmt_check artifact_upkeep_checks[] = {
	{ &STMT_artifact_jobs_due, &due_table },
	{ &STMT_artifact_collection_jobs_due, &due_table },
	{ &STMT_artifact_is_due, &there_table },
	{ &STMT_artifact_collection_is_due, &there_table },
	{ &STMT_artifact_protection, &hold_table },
	{ &STMT_artifact_members_left, &place_table },
	{ &STMT_artifact_beyond, &number_table },
};
const size_t artifact_upkeep_check_count = sizeof(artifact_upkeep_checks) /
					   sizeof(artifact_upkeep_checks[0]);
