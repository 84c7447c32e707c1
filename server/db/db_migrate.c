/*
 * Migrations run one statement a call, so that an error names its line and so that what may not
 * share a message with others (create index concurrently, functions of extensions) can be run. A
 * migration waits for a table's lock only briefly and tries again: a statement that waits long
 * blocks every later one on that table.
 *
 * The advisory lock is taken by trying, not by waiting: "create index concurrently" waits for all
 * older snapshots, and a server that waits for the lock has one. It is the session's, so it is gone
 * with the connection: when that is lost, migrating ends there.
 */
#include "db_migrate.h"

#include <string.h>

#include "db_conn.h"
#include "db_split.h"
#include "db_sql.h"
#include "log.h"

#define MIGRATE_LOCK INT64_C(0x636169726e) /* "cairn" */
#define LOCK_PAUSE_US 100000
#define LEAST_SERVER_VERSION 150000
enum { TABLE_LOCK_MS = 3000, TABLE_LOCK_TRIES = 40 };

struct yes_row {
	bool yes;
};

struct applied {
	int32_t number;
	struct str name;
	struct str checksum;
};

static const struct db_column yes_columns[] = {
	DB_COLUMN(struct yes_row, yes),
};
static const struct db_row_table yes_table = DB_ROW_TABLE(struct yes_row, yes_columns);

static const struct db_column number_columns[] = {
	DB_COLUMN(struct applied, number),
};
static const struct db_row_table number_table = DB_ROW_TABLE(struct applied, number_columns);

static const struct db_column applied_columns[] = {
	DB_COLUMN(struct applied, number),
	DB_COLUMN(struct applied, name),
	DB_COLUMN(struct applied, checksum),
};
static const struct db_row_table applied_table = DB_ROW_TABLE(struct applied, applied_columns);

static const struct db_column view_columns[] = {
	DB_COLUMN(struct applied, name),
	DB_COLUMN(struct applied, checksum),
};
static const struct db_row_table view_table = DB_ROW_TABLE(struct applied, view_columns);

static err_t ask(struct db *db, const struct db_stmt *stmt, struct db_args args, bool *ret_yes)
{
	void *row;
	err_t e = db_first(db, stmt, args, &yes_table, &row);

	if (e)
		return e;
	*ret_yes = row && ((struct yes_row *)row)->yes;
	return NULL;
}

/* ---- one script ------------------------------------------------------------------------------ */

static int line_at(const char *script, const char *at)
{
	int line = 1;

	for (const char *p = script; p < at; p++)
		line += *p == '\n';
	return line;
}

static err_t run_script(struct db *db, const char *name, const char *script)
{
	struct str rest = str_of(script);
	struct str statement;

	while (db_split_next(&rest, &statement)) {
		err_t e = db_ready(db);

		if (!e)
			e = db_simple(db, name, str_copy(db_arena(db), statement));
		if (e)
			return err_wrap(db_arena(db), e, "line %d of \"%s\"",
					line_at(script, statement.at), name);
	}
	return NULL;
}

/* Records the former checksum, if there is one, so that servers from before can use the database, too. */
static err_t record(struct db *db, const struct db_migration *m)
{
	const char *checksum = m->former && *m->former ? m->former : m->checksum;

	return db_exec(db, &STMT_db_migration_insert,
		       DB_ARGS(P_INT4(m->number), P_TEXT(m->name), P_TEXT(checksum)), NULL);
}

static err_t apply_in_transaction(struct db *db, const struct db_migration *m)
{
	err_t e = db_begin(db, 0, TABLE_LOCK_MS);

	if (e)
		return e;
	e = run_script(db, m->name, m->sql);
	if (!e)
		e = record(db, m);
	if (!e)
		e = db_commit(db);
	db_rollback(db);
	return e;
}

static bool is_lock_failure(err_t e)
{
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) || db_err_is(e, DB_DEADLOCK);
}

static err_t apply(struct db *db, const struct db_migration *m)
{
	err_t e = NULL;

	if (str_starts(str_of(m->sql), "-- no transaction\n")) {
		e = run_script(db, m->name, m->sql);
		return e ? e : record(db, m);
	}
	for (int i = 0; i < TABLE_LOCK_TRIES; i++) {
		e = apply_in_transaction(db, m);
		if (!is_lock_failure(e))
			break;
		clock_sleep_us(LOCK_PAUSE_US);
	}
	return e;
}

/* ---- what is applied ------------------------------------------------------------------------- */

static struct err *refuse(struct db *db, const char *text)
{
	struct err *e = err_new(db_arena(db), ERR_PRECONDITION, "%s", text);

	e->type = "schema";
	return e;
}

static err_t refuse_newer(struct db *db, const struct db_schema *s, int number)
{
	struct err *e =
		refuse(db, arena_printf(db_arena(db),
					"the database is newer than this server: it has schema "
					"%d, but the server supports only %zu",
					number, s->migrations));

	e->hint = "start the newer version again, or use \"cairnd rollback\" to restore the copy "
		  "from before the upgrade";
	return e;
}

/* Released migrations are not edited, so the database is from a build between two releases. */
static err_t refuse_stranger(struct arena *arena, const struct applied *a)
{
	struct err *e = err_new(arena, ERR_PRECONDITION,
				"the database was created by another build of cairnd: its "
				"migration \"%.*s\" differs",
				STR_ARG(a->name));

	e->type = "schema";
	e->hint = "use that build, or start with a new database or data directory";
	return e;
}

static bool is_same(const struct applied *a, const struct db_migration *m)
{
	return str_is(a->name, m->name) &&
	       (str_is(a->checksum, m->checksum) ||
		(m->former && *m->former && str_is(a->checksum, m->former)));
}

/* Applied migration i must be the schema's i-th. */
static err_t check_applied(struct db *db, const struct db_schema *s, const struct applied *a,
			   size_t i)
{
	const struct db_migration *m = &s->migration[i];
	struct arena *arena = db_arena(db);

	if (a->number != m->number)
		return refuse(db,
			      arena_printf(arena,
					   "a migration is missing: the database has migration %d "
					   "where %d was expected",
					   a->number, m->number));
	if (!is_same(a, m))
		return refuse_stranger(arena, a);
	return NULL;
}

static err_t check_schema(struct db *db, const struct db_schema *s)
{
	for (size_t i = 0; i < s->migrations; i++) {
		if (s->migration[i].number != (int)i + 1)
			return refuse(db, arena_printf(db_arena(db), "migration %zu is missing",
						       i + 1));
	}
	return NULL;
}

static err_t check_database(struct db *db, const struct db_schema *s, size_t *ret_applied)
{
	void *rows;
	const struct applied *a;
	size_t count;
	err_t e;

	e = db_all(db, &STMT_db_migration_list, DB_NO_ARGS, &applied_table, &rows, &count);
	if (e)
		return e;
	a = rows;
	if (count && (size_t)a[count - 1].number > s->migrations)
		return refuse_newer(db, s, a[count - 1].number);
	for (size_t i = 0; i < count && !e; i++)
		e = check_applied(db, s, &a[i], i);
	*ret_applied = count;
	return e;
}

/* ---- views ----------------------------------------------------------------------------------- */

static bool view_is_current(const struct db_view *v, const struct applied *a, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (str_is(a[i].name, v->name))
			return str_is(a[i].checksum, v->checksum);
	}
	return false;
}

static err_t views_are_current(struct db *db, const struct db_schema *s, bool *ret_current)
{
	void *rows;
	size_t count;
	bool current = true;
	err_t e = db_all(db, &STMT_db_view_list, DB_NO_ARGS, &view_table, &rows, &count);

	if (e)
		return e;
	for (size_t i = 0; i < s->views; i++)
		current &= view_is_current(&s->view[i], rows, count);
	*ret_current = current;
	return NULL;
}

static err_t make_view(struct db *db, const struct db_view *v)
{
	err_t e = run_script(db, v->name, v->sql);

	if (e)
		return e;
	return db_exec(db, &STMT_db_view_save, DB_ARGS(P_TEXT(v->name), P_TEXT(v->checksum)), NULL);
}

/* All of them or none: a view may depend on another. */
static err_t make_views(struct db *db, const struct db_schema *s)
{
	err_t e = db_begin(db, 0, TABLE_LOCK_MS);

	for (size_t i = 0; i < s->views && !e; i++)
		e = make_view(db, &s->view[i]);
	if (!e)
		e = db_commit(db);
	db_rollback(db);
	return e;
}

static err_t update_views(struct db *db, const struct db_schema *s, bool migrated)
{
	bool current;
	err_t e = views_are_current(db, s, &current);

	if (e || (current && !migrated) || !s->views)
		return e;
	for (int i = 0; i < TABLE_LOCK_TRIES; i++) {
		e = make_views(db, s);
		if (!is_lock_failure(e))
			break;
		clock_sleep_us(LOCK_PAUSE_US);
	}
	return e;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static err_t check_server(struct db *db)
{
	const char *encoding;
	struct err *wrong;
	err_t e = db_ready(db);

	if (e)
		return e;
	if (db_server_version(db) < LEAST_SERVER_VERSION) {
		wrong = refuse(db,
			       arena_printf(db_arena(db),
					    "the database server is version %d, but PostgreSQL 15 "
					    "or newer is required",
					    db_server_version(db) / 10000));
		wrong->hint = "upgrade the database server, or set database_url to another one";
		return wrong;
	}
	encoding = PQparameterStatus(db->pg, "server_encoding");
	if (!encoding || strcmp(encoding, "UTF8") == 0)
		return NULL;
	wrong = refuse(db, arena_printf(db_arena(db),
					"the database has encoding %s, but UTF8 is required",
					encoding));
	wrong->hint = "create a database with \"createdb -E UTF8 -T template0\"";
	return wrong;
}

static err_t make_tables(struct db *db)
{
	return run_script(db, "schema tables",
			  "create table if not exists schema_migration ("
			  " number integer primary key, name text not null, checksum text not null,"
			  " applied_at timestamptz not null default now());"
			  "create table if not exists schema_view ("
			  " name text primary key, checksum text not null,"
			  " applied_at timestamptz not null default now())");
}

static err_t apply_all(struct db *db, const struct db_schema *s, size_t first,
		       const struct db_migrate_watch *watch)
{
	err_t e = NULL;

	if (watch->before && first && first < s->migrations)
		e = watch->before(watch->p, s, first);
	for (size_t i = first; i < s->migrations && !e; i++) {
		int64_t began_us = clock_mono_us();

		e = apply(db, &s->migration[i]);
		if (!e && watch->applied)
			watch->applied(watch->p, &s->migration[i],
				       (clock_mono_us() - began_us) / 1000);
	}
	return e;
}

static err_t migrate_locked(struct db *db, const struct db_schema *s,
			    const struct db_migrate_watch *watch, int *ret_applied)
{
	size_t first;
	err_t e = make_tables(db);

	if (!e)
		e = check_database(db, s, &first);
	if (!e)
		e = apply_all(db, s, first, watch);
	if (!e)
		e = update_views(db, s, first < s->migrations);
	if (!e)
		*ret_applied = (int)(s->migrations - first);
	return e;
}

static const struct db_migrate_watch unwatched;

static void tell_waiting(const struct db_migrate_watch *watch)
{
	log_info("waiting for another server to migrate the database");
	if (watch->waiting)
		watch->waiting(watch->p);
}

static err_t take_lock(struct db *db, int wait_s, const struct db_migrate_watch *watch)
{
	int64_t until_us = clock_mono_us() + (int64_t)wait_s * 1000000;
	bool locked = false;
	bool told = false;

	while (!locked) {
		err_t e = ask(db, &STMT_db_try_lock, DB_ARGS(P_INT8(MIGRATE_LOCK)), &locked);

		if (e)
			return e;
		if (!locked && clock_mono_us() >= until_us)
			return wait_s ? err_new(db_arena(db), ERR_BUSY,
						"another server has been migrating the database for %d s",
						wait_s)
				      : err_new(db_arena(db), ERR_BUSY,
						"another server or command is changing the database's schema");
		if (!locked && !told)
			tell_waiting(watch);
		told = true;
		if (!locked)
			clock_sleep_us(LOCK_PAUSE_US);
	}
	db->held = true;
	return NULL;
}

err_t db_migrate_lock(struct db *db, int wait_s)
{
	return take_lock(db, wait_s, &unwatched);
}

err_t db_migrate_unlock(struct db *db)
{
	err_t e = db_exec(db, &STMT_db_unlock, DB_ARGS(P_INT8(MIGRATE_LOCK)), NULL);

	db->held = false;
	return e;
}

err_t db_migrate_watched(struct db *db, const struct db_schema *schema, int wait_s,
			 const struct db_migrate_watch *watch, int *ret_applied)
{
	err_t unlocked;
	err_t e = check_server(db);

	if (!e)
		e = check_schema(db, schema);
	if (!e)
		e = take_lock(db, wait_s, watch);
	if (e)
		return e;
	e = migrate_locked(db, schema, watch, ret_applied);
	unlocked = db_migrate_unlock(db);
	return e ? e : unlocked;
}

err_t db_migrate(struct db *db, const struct db_schema *schema, int wait_s, int *ret_applied)
{
	return db_migrate_watched(db, schema, wait_s, &unwatched, ret_applied);
}

err_t db_schema_applied(struct db *db, struct db_schema *ret_applied)
{
	struct db_migration *list;
	struct applied *rows;
	size_t count = 0;
	bool exists;
	err_t e = ask(db, &STMT_db_migration_table_exists, DB_NO_ARGS, &exists);

	if (!e && exists)
		e = db_all(db, &STMT_db_migration_list, DB_NO_ARGS, &applied_table, (void **)&rows,
			   &count);
	if (e)
		return e;
	list = arena_new_array(db_arena(db), struct db_migration, count + 1);
	for (size_t i = 0; i < count; i++)
		list[i] = (struct db_migration){
			.number = rows[i].number,
			.name = str_copy(db_arena(db), rows[i].name),
			.checksum = str_copy(db_arena(db), rows[i].checksum),
		};
	*ret_applied = (struct db_schema){ .migration = list, .migrations = count };
	return NULL;
}

err_t db_schema_version(struct db *db, int *ret_version)
{
	bool exists;
	void *row;
	err_t e;

	*ret_version = 0;
	e = ask(db, &STMT_db_migration_table_exists, DB_NO_ARGS, &exists);
	if (e || !exists)
		return e;
	e = db_first(db, &STMT_db_last_migration, DB_NO_ARGS, &number_table, &row);
	if (e)
		return e;
	*ret_version = row ? ((struct applied *)row)->number : 0;
	return NULL;
}

err_t db_migrate_plan(struct db *db, const struct db_schema *schema,
		      struct db_migrate_plan *ret_plan)
{
	struct db_migrate_plan plan = { .views = schema->views > 0 };
	bool exists;
	bool current;
	err_t e;

	e = check_server(db);
	if (!e)
		e = check_schema(db, schema);
	if (!e)
		e = ask(db, &STMT_db_migration_table_exists, DB_NO_ARGS, &exists);
	if (!e && exists)
		e = check_database(db, schema, &plan.first);
	if (!e && exists)
		e = views_are_current(db, schema, &current);
	if (e)
		return e;
	plan.version = (int)plan.first;
	if (exists)
		plan.views &= !current || plan.first < schema->migrations;
	*ret_plan = plan;
	return NULL;
}
