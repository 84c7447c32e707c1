/* Migrations: once, twice, four processes at once, and everything that is refused. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "db_migrate.h"
#include "fixture.h"

static const struct db_migration steps[] = {
	{ 1, "0001_base",
	  "-- First; with a semicolon.\n"
	  "create table a (id integer primary key);\n"
	  "create function twice(i integer) returns integer language sql as $$ select 2 * i; $$;\n"
	  "insert into a values (1), (twice(1)); -- the end",
	  "c1" },
	{ 2, "0002_index",
	  "-- no transaction\n"
	  "create index concurrently if not exists a_index on a (id);\n",
	  "c2" },
	{ 3, "0003_more", "alter table a add column name text not null default 'x;y';", "c3" },
};

static const struct db_view views[] = {
	{ "v1", "drop view if exists v1 cascade; create view v1 as select id from a;", "v1" },
	{ "v2", "drop view if exists v2 cascade; create view v2 as select id from v1;", "v2" },
};

static const struct db_schema schema = { steps, 3, views, 2 };

static int clean_setup(void **state)
{
	static const struct db_stmt drop = { "m_drop", "drop schema public cascade" };
	static const struct db_stmt create = { "m_create", "create schema public" };
	struct fixture *f;

	fixture_setup(state);
	f = *state;
	ok(db_exec(f->db, &drop, DB_NO_ARGS, NULL));
	ok(db_exec(f->db, &create, DB_NO_ARGS, NULL));
	return 0;
}

/* The number in the only row. Each question is a statement of its own. */
static int32_t number_of(struct db *db, const char *sql)
{
	struct db_stmt *stmt = arena_new_of(db_arena(db), struct db_stmt);
	void *row;

	*stmt = (struct db_stmt){ arena_printf(db_arena(db), "test_%p", (void *)stmt), sql };
	ok(db_first(db, stmt, DB_NO_ARGS, &number_rows, &row));
	return ((struct number_row *)row)->number;
}

#define NUMBER(f, sql) number_of((f)->db, "select (" sql ")::integer as number, '' as name")

static void test_once_and_twice(void **state)
{
	struct fixture *f = *state;
	int applied;
	int version;

	ok(db_schema_version(f->db, &version));
	assert_int_equal(version, 0);
	ok(db_migrate(f->db, &schema, 5, &applied));
	assert_int_equal(applied, 3);
	ok(db_schema_version(f->db, &version));
	assert_int_equal(version, 3);
	ok(db_migrate(f->db, &schema, 5, &applied));
	assert_int_equal(applied, 0);
	assert_int_equal(NUMBER(f, "select count(*) from a where name = 'x;y'"), 2);
	assert_int_equal(NUMBER(f, "select count(*) from v2"), 2);
	assert_int_equal(NUMBER(f, "select count(*) from pg_index where indisvalid and "
				   "indexrelid = 'a_index'::regclass"),
			 1);
}

struct watched {
	struct arena *arena;
	size_t first; /* of the last call before migrations */
	int calls;
	int applied;
	bool refuses;
};

static err_t watch_before(void *p, const struct db_schema *s, size_t first)
{
	struct watched *w = p;

	assert_int_equal(s->migrations, 3);
	w->first = first;
	w->calls++;
	return w->refuses ? err_new(w->arena, ERR_PRECONDITION, "no room") : NULL;
}

static void watch_applied(void *p, const struct db_migration *m, int64_t ms)
{
	struct watched *w = p;

	assert_true(m->number > 0 && ms >= 0);
	w->applied++;
}

/* The watcher is asked before an upgrade only: not for a new database, and not when there is nothing to do. */
static void test_watched(void **state)
{
	struct fixture *f = *state;
	struct watched w = { .arena = db_arena(f->db) };
	const struct db_migrate_watch watch = {
		.before = watch_before,
		.applied = watch_applied,
		.p = &w,
	};
	struct db_schema first = schema;
	struct db_schema applied;
	int count;

	ok(db_schema_applied(f->db, &applied));
	assert_int_equal(applied.migrations, 0);
	first.migrations = 1;
	ok(db_migrate_watched(f->db, &first, 5, &watch, &count));
	assert_int_equal(w.calls, 0);
	assert_int_equal(w.applied, 1);
	w.refuses = true;
	assert_error(db_migrate_watched(f->db, &schema, 5, &watch, &count), ERR_PRECONDITION, NULL);
	ok(db_schema_applied(f->db, &applied));
	assert_int_equal(applied.migrations, 1);
	assert_string_equal(applied.migration[0].checksum, "c1");
	w.refuses = false;
	ok(db_migrate_watched(f->db, &schema, 5, &watch, &count));
	ok(db_migrate_watched(f->db, &schema, 5, &watch, &count));
	assert_int_equal(w.calls, 2);
	assert_int_equal(w.first, 1);
	assert_int_equal(w.applied, 3);
}

/* A migration that a view would forbid: the views are made anew after it. */
static void test_step_by_step(void **state)
{
	struct fixture *f = *state;
	struct db_schema first = schema;
	struct db_view changed[] = { views[0], views[1] };
	struct db_schema second = { steps, 3, changed, 2 };
	int applied;

	first.migrations = 1;
	ok(db_migrate(f->db, &first, 5, &applied));
	assert_int_equal(applied, 1);
	ok(db_migrate(f->db, &schema, 5, &applied));
	assert_int_equal(applied, 2);
	changed[0].sql = "drop view if exists v1 cascade; create view v1 as select 7 as id;";
	changed[0].checksum = "other";
	ok(db_migrate(f->db, &second, 5, &applied));
	assert_int_equal(applied, 0);
	assert_int_equal(NUMBER(f, "select id from v2"), 7);
}

static void assert_refused(struct fixture *f, const struct db_schema *s, const char *text)
{
	int applied = -1;
	err_t e = db_migrate(f->db, s, 5, &applied);

	assert_error(e, ERR_PRECONDITION, NULL);
	if (!strstr(e->message, text))
		fail_msg("\"%s\" says nothing of \"%s\"", e->message, text);
	assert_int_equal(applied, -1);
}

static void test_refusals(void **state)
{
	struct fixture *f = *state;
	struct db_migration changed[] = { steps[0], steps[1], steps[2] };
	struct db_schema other = { changed, 3, views, 2 };
	struct db_schema older = schema;
	int applied;

	ok(db_migrate(f->db, &schema, 5, &applied));
	older.migrations = 2;
	assert_refused(f, &older,
		       "newer than this server: it has schema 3, but the server supports only 2");
	changed[1].checksum = "other";
	assert_refused(f, &other, "its migration \"0002_index\" differs");
	changed[1] = steps[1];
	changed[1].number = 4;
	assert_refused(f, &other, "migration 2 is missing");
	changed[1].number = 2;
	number_of(f->db, "delete from schema_migration where number = 2 "
			 "returning number, name");
	assert_refused(f, &other, "the database has migration 3 where 2 was expected");
}

/* Only the comments of a migration changed since it was applied. */
static void test_former_checksum(void **state)
{
	struct fixture *f = *state;
	struct db_migration changed[] = { steps[0], steps[1], steps[2] };
	struct db_schema other = { changed, 3, views, 2 };
	int applied;

	ok(db_migrate(f->db, &schema, 5, &applied));
	changed[1].checksum = "other";
	changed[1].former = "";
	assert_refused(f, &other, "its migration \"0002_index\" differs");
	changed[1].former = "c1";
	assert_refused(f, &other, "its migration \"0002_index\" differs");
	changed[1].former = steps[1].checksum;
	ok(db_migrate(f->db, &other, 5, &applied));
	assert_int_equal(applied, 0);
}

/* A server from before the comments changed can use a database that this one made. */
static void test_former_checksum_is_recorded(void **state)
{
	struct fixture *f = *state;
	struct db_migration changed[] = { steps[0], steps[1], steps[2] };
	struct db_schema other = { changed, 3, views, 2 };
	int applied;

	changed[1].checksum = "other";
	changed[1].former = steps[1].checksum;
	ok(db_migrate(f->db, &other, 5, &applied));
	assert_int_equal(applied, 3);
	ok(db_migrate(f->db, &schema, 5, &applied));
	assert_int_equal(applied, 0);
}

static void test_failure_names_line(void **state)
{
	struct fixture *f = *state;
	const struct db_migration broken[] = {
		steps[0],
		{ 2, "0002_broken", "create table b (id integer);\n\n-- so\nselect 1 / 0;\n", "x" },
	};
	const struct db_schema s = { broken, 2, NULL, 0 };
	int applied;
	int version;
	err_t e;

	for (int i = 0; i < 2; i++) {
		e = db_migrate(f->db, &s, 5, &applied);
		assert_error(e, ERR_INTERNAL, "22012");
		assert_string_equal(e->message, "line 4 of \"0002_broken\"");
		ok(db_schema_version(f->db, &version));
		assert_int_equal(version, 1);
	}
	assert_int_equal(NUMBER(f, "select count(*) from pg_class where relname = 'b'"), 0);
}

/* What every process does; its exit status says how it went. */
static void migrate_and_exit(void)
{
	struct arena *a = arena_new(1024);
	struct db *db = fixture_connect(a);
	int applied = 0;
	err_t e = db_migrate(db, &schema, 30, &applied);

	_exit(e ? 100 : applied);
}

static void test_four_at_once(void **state)
{
	struct fixture *f = *state;
	pid_t child[4];
	int applied = 0;

	for (int i = 0; i < 4; i++) {
		child[i] = fork();
		if (child[i] == 0)
			migrate_and_exit();
	}
	for (int i = 0; i < 4; i++) {
		int status;

		assert_int_equal(waitpid(child[i], &status, 0), child[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 100);
		applied += WEXITSTATUS(status);
	}
	assert_int_equal(applied, 3);
	assert_int_equal(NUMBER(f, "select count(*) from schema_migration"), 3);
}

/* Somebody holds the lock: the others give up with a clear error. */
static void test_lock_is_waited_for(void **state)
{
	struct fixture *f = *state;
	struct db *other = fixture_connect(f->a);
	int applied;

	number_of(other, "select 1 as number, pg_advisory_lock(x'636169726e'::bigint)::text "
			 "as name");
	assert_error(db_migrate(f->db, &schema, 0, &applied), ERR_BUSY, NULL);
	db_close(other);
	ok(db_migrate(f->db, &schema, 30, &applied));
	assert_int_equal(applied, 3);
}

/* A table lock that somebody holds for a while: tried again until it is free. */
static void test_table_lock_is_waited_for(void **state)
{
	struct fixture *f = *state;
	struct db_schema first = schema;
	struct db *other = fixture_connect(f->a);
	int applied;
	pid_t child;
	int status;

	first.migrations = 2;
	ok(db_migrate(f->db, &first, 5, &applied));
	ok(db_begin(other, 0, 0));
	number_of(other, "select id as number, '' as name from a limit 1");
	child = fork();
	if (child == 0)
		migrate_and_exit();
	while (NUMBER(f, "select count(*) from pg_locks where not granted") == 0)
		clock_sleep_us(1000);
	ok(db_commit(other));
	db_close(other);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

enum { LOST = 101 };

static void lose_and_exit(const struct db_schema *loses)
{
	struct arena *a = arena_new(4096);
	struct db *db = fixture_connect(a);
	int applied = 0;
	err_t e = db_migrate(db, loses, 30, &applied);
	bool lost = e && (db_err_is(e, "08003") || db_err_is(e, "57P01"));

	_exit(lost ? LOST : e ? 100 : applied);
}

/* Whoever migrates and pauses between two attempts. */
static const struct db_stmt end_who_pauses = {
	"m_end", "select pg_terminate_backend(a.pid) from pg_stat_activity a "
		 "join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.granted "
		 "where a.state = 'idle' and a.query = 'rollback'"
};

/*
 * The session's lock goes with its connection, which is lost here between two statements: on another
 * connection nobody would know who else migrates.
 */
static void test_a_lost_connection_ends_it(void **state)
{
	static const struct db_migration one[] = {
		{ 1, "0001_held", "alter table held add column name text;", "c1" },
	};
	static const struct db_schema loses = { one, 1, NULL, 0 };
	static const struct db_stmt make = { "m_make", "create table held (id integer)" };
	struct fixture *f = *state;
	struct db *other = fixture_connect(f->a);
	pid_t child;
	int applied;
	int status;

	ok(db_exec(f->db, &make, DB_NO_ARGS, NULL));
	ok(db_begin(other, 0, 0));
	number_of(other, "select count(*)::integer as number, '' as name from held");
	child = fork();
	if (child == 0)
		lose_and_exit(&loses);
	while (waitpid(child, &status, WNOHANG) == 0)
		ok(db_exec(f->db, &end_who_pauses, DB_NO_ARGS, NULL));
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == LOST);
	ok(db_commit(other));
	db_close(other);
	ok(db_migrate(f->db, &loses, 5, &applied));
	assert_int_equal(applied, 1);
}

/* The product's own migrations apply to an empty database. */
static void test_product_schema(void **state)
{
	struct fixture *f = *state;
	int applied;

	ok(db_migrate(f->db, &db_schema, 5, &applied));
	assert_int_equal(applied, db_schema.migrations);
	ok(db_migrate(f->db, &db_schema, 5, &applied));
	assert_int_equal(applied, 0);
}

#define MIGRATE_TEST(name) cmocka_unit_test_setup_teardown(name, clean_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MIGRATE_TEST(test_once_and_twice),
		MIGRATE_TEST(test_watched),
		MIGRATE_TEST(test_step_by_step),
		MIGRATE_TEST(test_refusals),
		MIGRATE_TEST(test_former_checksum),
		MIGRATE_TEST(test_former_checksum_is_recorded),
		MIGRATE_TEST(test_failure_names_line),
		MIGRATE_TEST(test_four_at_once),
		MIGRATE_TEST(test_lock_is_waited_for),
		MIGRATE_TEST(test_table_lock_is_waited_for),
		MIGRATE_TEST(test_a_lost_connection_ends_it),
		MIGRATE_TEST(test_product_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
