#include "server_store.h"

#include "store_sql.h"

struct now_row {
	timestamp_us now;
};
static const struct db_column now_columns[] = { DB_COLUMN(struct now_row, now) };
static const struct db_row_table now_table = DB_ROW_TABLE(struct now_row, now_columns);

struct setting_row {
	struct str value;
};
static const struct db_column setting_columns[] = { DB_COLUMN(struct setting_row, value) };
static const struct db_row_table setting_table = DB_ROW_TABLE(struct setting_row, setting_columns);

static const struct db_column since_columns[] = {
	DB_COLUMN(struct server_since, runs_made),
	DB_COLUMN(struct server_since, runs_heard),
	DB_COLUMN(struct server_since, users_made),
};
static const struct db_row_table since_table = DB_ROW_TABLE(struct server_since, since_columns);

static err_t take_now(struct db *db, const struct now_row *row, timestamp_us *ret_now)
{
	if (!row)
		return err_new(db_arena(db), ERR_INTERNAL, "the database's clock has no row");
	*ret_now = row->now;
	return NULL;
}

static err_t read_now(struct db *db, const struct db_stmt *stmt, timestamp_us *ret_now)
{
	void *row;
	err_t e = db_first(db, stmt, DB_NO_ARGS, &now_table, &row);

	if (e)
		return e;
	return take_now(db, row, ret_now);
}

err_t server_store_now(struct db *db, timestamp_us *ret_now)
{
	return read_now(db, &STMT_server_now, ret_now);
}

err_t server_store_time(struct db *db, timestamp_us *ret_now)
{
	return read_now(db, &STMT_server_time, ret_now);
}

err_t server_store_begin_waiting(struct db *db, int timeout_ms, int lock_timeout_ms,
				 timestamp_us *ret_now)
{
	unsigned number;
	void *rows;
	size_t count;
	err_t e;

	db_pipe_start(db);
	db_pipe_begin_tx(db, timeout_ms, lock_timeout_ms);
	number = db_pipe_add(db, &STMT_server_now, DB_NO_ARGS);
	e = db_pipe_run(db);
	if (!e)
		e = db_pipe_all(db, number, &now_table, &rows, &count);
	if (!e)
		e = take_now(db, count ? rows : NULL, ret_now);
	if (e)
		db_rollback(db);
	return e;
}

err_t server_store_begin_now(struct db *db, int timeout_ms, timestamp_us *ret_now)
{
	return server_store_begin_waiting(db, timeout_ms, 0, ret_now);
}

static err_t read_setting(struct db *db, const struct db_stmt *stmt, const char *name,
			  struct str *ret_value)
{
	void *row;
	err_t e = db_first(db, stmt, DB_ARGS(P_TEXT(name)), &setting_table, &row);

	if (e)
		return e;
	*ret_value = row ? ((struct setting_row *)row)->value : (struct str){ "", 0 };
	return NULL;
}

err_t server_store_settle(struct db *db, const char *name, struct str value, struct str *ret_value)
{
	err_t e =
		db_exec(db, &STMT_server_setting_insert, DB_ARGS(P_TEXT(name), P_STR(value)), NULL);

	if (!e)
		e = server_store_setting(db, name, ret_value);
	if (!e && !ret_value->len)
		e = err_new(db_arena(db), ERR_INTERNAL, "the setting \"%s\" was deleted", name);
	return e;
}

err_t server_store_setting(struct db *db, const char *name, struct str *ret_value)
{
	return read_setting(db, &STMT_server_setting_find, name, ret_value);
}

err_t server_store_lock_setting(struct db *db, const char *name, struct str *ret_value)
{
	return read_setting(db, &STMT_server_setting_lock, name, ret_value);
}

static const struct db_column lsn_columns[] = {
	DB_COLUMN(struct server_lsn, cluster),
	DB_COLUMN(struct server_lsn, is_replica),
	DB_COLUMN(struct server_lsn, lsn),
};
static const struct db_row_table lsn_table = DB_ROW_TABLE(struct server_lsn, lsn_columns);

static err_t read_lsn(struct db *db, const struct db_stmt *stmt, struct server_lsn *ret_lsn)
{
	void *row;
	err_t e = db_first(db, stmt, DB_NO_ARGS, &lsn_table, &row);

	if (!e && !row)
		e = err_new(db_arena(db), ERR_INTERNAL,
			    "could not read the database's WAL position");
	if (!e)
		*ret_lsn = *(struct server_lsn *)row;
	return e;
}

err_t server_store_lsn(struct db *db, struct server_lsn *ret_lsn)
{
	return read_lsn(db, &STMT_server_lsn, ret_lsn);
}

err_t server_store_replayed(struct db *db, struct server_lsn *ret_lsn)
{
	return read_lsn(db, &STMT_server_replayed, ret_lsn);
}

err_t server_store_bytes(struct db *db, int64_t *ret_bytes)
{
	return db_number(db, &STMT_server_database_bytes, DB_NO_ARGS, ret_bytes);
}

err_t server_store_database(struct db *db, struct server_database *ret_database)
{
	struct server_database d = { .cluster = 0 };
	struct setting_row *row;
	err_t e = db_number(db, &STMT_server_cluster, DB_NO_ARGS, &d.cluster);

	if (e && !db_err_is(e, DB_NO_PRIVILEGE))
		return e;
	e = db_first(db, &STMT_server_database, DB_NO_ARGS, &setting_table, (void **)&row);
	if (e)
		return e;
	d.name = row->value;
	*ret_database = d;
	return NULL;
}

err_t server_store_since(struct db *db, timestamp_us since, struct server_since *ret_since)
{
	void *row;
	err_t e = db_first(db, &STMT_server_since, DB_ARGS(P_TIME(since)), &since_table, &row);

	if (!e)
		*ret_since = *(struct server_since *)row;
	return e;
}

static const struct db_column health_columns[] = {
	DB_COLUMN(struct server_health, encoding),
	DB_COLUMN(struct server_health, fsync),
	DB_COLUMN(struct server_health, full_page_writes),
	DB_COLUMN(struct server_health, synchronous_commit),
	DB_COLUMN(struct server_health, connection_limit),
	DB_COLUMN(struct server_health, other_connections),
	DB_COLUMN(struct server_health, servers),
	DB_COLUMN(struct server_health, slot),
	DB_COLUMN(struct server_health, slot_bytes),
};
static const struct db_row_table health_table = DB_ROW_TABLE(struct server_health, health_columns);

static const struct db_column version_columns[] = {
	DB_COLUMN(struct server_version, version),
	DB_COLUMN(struct server_version, host),
	DB_COLUMN(struct server_version, servers),
};
static const struct db_row_table version_table =
	DB_ROW_TABLE(struct server_version, version_columns);

err_t server_store_health(struct db *db, struct server_health *ret_health)
{
	void *row;
	err_t e = db_first(db, &STMT_server_health, DB_NO_ARGS, &health_table, &row);

	if (!e && !row)
		e = err_new(db_arena(db), ERR_INTERNAL, "could not read the database's role");
	if (!e)
		*ret_health = *(struct server_health *)row;
	return e;
}

err_t server_store_versions(struct db *db, struct server_version **ret_versions, size_t *ret_count)
{
	return db_all(db, &STMT_server_versions, DB_NO_ARGS, &version_table, (void **)ret_versions,
		      ret_count);
}

const struct db_stmt_check server_store_checks[] = {
	{ &STMT_server_database_bytes, &db_number_table },
	{ &STMT_server_lsn, &lsn_table },
	{ &STMT_server_replayed, &lsn_table },
	{ &STMT_server_now, &now_table },
	{ &STMT_server_time, &now_table },
	{ &STMT_server_setting_find, &setting_table },
	{ &STMT_server_setting_insert, NULL },
	{ &STMT_server_setting_lock, &setting_table },
	{ &STMT_server_since, &since_table },
	{ &STMT_server_health, &health_table },
	{ &STMT_server_versions, &version_table },
	{ &STMT_server_cluster, &db_number_table },
	{ &STMT_server_database, &setting_table },
};
const size_t server_store_check_count = sizeof(server_store_checks) /
					sizeof(server_store_checks[0]);
