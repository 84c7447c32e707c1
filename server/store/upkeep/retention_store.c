#include "retention_store.h"

#include "retention.h"
#include "store_sql.h"

#define DAY_US (INT64_C(24) * 3600 * 1000000)

struct taken_row {
	int64_t project_id;
};
static const struct db_column taken_columns[] = { DB_COLUMN(struct taken_row, project_id) };
static const struct db_row_table taken_table = DB_ROW_TABLE(struct taken_row, taken_columns);

struct over_row {
	int64_t run_id;
};
static const struct db_column over_columns[] = { DB_COLUMN(struct over_row, run_id) };
static const struct db_row_table over_table = DB_ROW_TABLE(struct over_row, over_columns);

err_t retention_store_take(struct db *db, timestamp_us now, timestamp_us next,
			   int64_t *ret_project_id)
{
	struct taken_row *row;
	err_t e = db_first(db, &STMT_retention_take, DB_ARGS(P_TIME(now), P_TIME(next)),
			   &taken_table, (void **)&row);

	if (!e)
		*ret_project_id = row ? row->project_id : 0;
	return e;
}

/* Runs that ended in the state before then have expired; for ever: nothing ended before 1970. */
static timestamp_us before(const struct retention_ask *ask, enum run_state state)
{
	int32_t days = retention_days(ask->project, state);

	return (timestamp_us){ days ? ask->now.us - days * DAY_US : 0 };
}

err_t retention_store_list(struct db *db, const struct retention_ask *ask, int64_t **ret_run_ids,
			   size_t *ret_count)
{
	timestamp_us finished = before(ask, RUN_FINISHED);
	timestamp_us failed = before(ask, RUN_FAILED);
	timestamp_us crashed = before(ask, RUN_CRASHED);
	timestamp_us killed = before(ask, RUN_KILLED);

	return db_all(db, &STMT_retention_runs,
		      DB_ARGS(P_INT8(ask->project->project_id), P_INT8(ask->after),
			      P_TIME(finished), P_TIME(failed), P_TIME(crashed), P_TIME(killed),
			      P_INT8(ask->limit)),
		      &over_table, (void **)ret_run_ids, ret_count);
}

const struct db_stmt_check retention_store_checks[] = {
	{ &STMT_retention_take, &taken_table },
	{ &STMT_retention_runs, &over_table },
};
const size_t retention_store_check_count = sizeof(retention_store_checks) /
					   sizeof(retention_store_checks[0]);
