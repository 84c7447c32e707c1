/* The database library against a real PostgreSQL, directly and through PgBouncer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "arena.h"
#include "db_check.h"
#include "fixture.h"
#include "test_sql.h"

struct types_row {
	bool yes;
	int16_t small;
	int32_t middle;
	int64_t big;
	double real;
	struct str text;
	struct str bytes;
	struct str json;
	timestamp_us time;
};

static const struct db_column types_columns[] = {
	DB_NULLABLE(struct types_row, yes),   DB_NULLABLE(struct types_row, small),
	DB_NULLABLE(struct types_row, middle), DB_NULLABLE(struct types_row, big),
	DB_NULLABLE(struct types_row, real),  DB_NULLABLE(struct types_row, text),
	DB_BYTES(struct types_row, bytes),    DB_JSON(struct types_row, json),
	DB_NULLABLE(struct types_row, time),
};
static const struct db_row_table types_table = DB_ROW_TABLE(struct types_row, types_columns);

struct arrays_row {
	struct str yes;
	struct str small;
	struct str middle;
	struct str big;
	struct str real;
	struct str text;
	struct str bytes;
	struct str json;
	struct str time;
};

static const struct db_column arrays_columns[] = {
	DB_COLUMN(struct arrays_row, yes),    DB_COLUMN(struct arrays_row, small),
	DB_COLUMN(struct arrays_row, middle), DB_COLUMN(struct arrays_row, big),
	DB_COLUMN(struct arrays_row, real),   DB_COLUMN(struct arrays_row, text),
	DB_COLUMN(struct arrays_row, bytes),  DB_COLUMN(struct arrays_row, json),
	DB_COLUMN(struct arrays_row, time),
};
static const struct db_row_table arrays_table = DB_ROW_TABLE(struct arrays_row, arrays_columns);

/* The table every test may fill: id with a unique key, name. */
static void make_table(struct fixture *f)
{
	static const struct db_stmt drop = { "t_drop", "drop table if exists t" };
	static const struct db_stmt create = {
		"t_create", "create table t (id integer primary key, name text not null)"
	};

	ok(db_exec(f->db, &drop, DB_NO_ARGS, NULL));
	ok(db_exec(f->db, &create, DB_NO_ARGS, NULL));
}

static size_t count_rows(struct fixture *f)
{
	void *rows;
	size_t count;

	ok(db_all(f->db, &STMT_t_list, DB_NO_ARGS, &number_rows, &rows, &count));
	return count;
}

static void insert(struct db *db, int id)
{
	ok(db_exec(db, &STMT_t_insert, DB_ARGS(P_INT4(id), P_TEXT("x")), NULL));
}

static void assert_str(struct str s, const char *expected)
{
	if (!str_is(s, expected))
		fail_msg("\"%.*s\" is not \"%s\"", STR_ARG(s), expected);
}

/* ---- types ----------------------------------------------------------------------------------- */

static void test_types(void **state)
{
	struct fixture *f = *state;
	timestamp_us time = { INT64_C(1700000000123456) };
	void *row;
	struct types_row *r;

	ok(db_first(f->db, &STMT_t_types,
		    DB_ARGS(P_BOOL(true), P_INT2(-7), P_INT4(INT32_MIN), P_INT8(INT64_MAX),
			    P_FLOAT8(-INFINITY), P_TEXT("a\xc3\xa9"), P_BYTEA(STR("\0\xff")),
			    P_JSONB(STR("{\"b\": 1}")), P_TIME(time)),
		    &types_table, &row));
	r = row;
	assert_true(r->yes);
	assert_int_equal(r->small, -7);
	assert_int_equal(r->middle, INT32_MIN);
	assert_true(r->big == INT64_MAX);
	assert_true(isinf(r->real) && r->real < 0);
	assert_str(r->text, "a\xc3\xa9");
	assert_true(str_equal(r->bytes, STR("\0\xff")));
	assert_str(r->json, "{\"b\": 1}");
	assert_true(r->time.us == time.us);
}

static void test_types_null(void **state)
{
	static const struct types_row zero;
	struct fixture *f = *state;
	void *row;

	ok(db_first(f->db, &STMT_t_types,
		    DB_ARGS(P_NULL(DB_BOOL), P_NULL(DB_INT2), P_NULL(DB_INT4), P_NULL(DB_INT8),
			    P_NULL(DB_FLOAT8), P_STR_OR_NULL(STR("")), P_NULL(DB_BYTEA),
			    P_NULL(DB_JSONB), P_NULL(DB_TIMESTAMP)),
		    &types_table, &row));
	assert_memory_equal(row, &zero, sizeof(zero));
}

static void test_empty_is_not_null(void **state)
{
	struct fixture *f = *state;
	struct str none = { NULL, 0 };
	void *row;
	struct types_row *r;

	ok(db_first(f->db, &STMT_t_types,
		    DB_ARGS(P_NULL(DB_BOOL), P_NULL(DB_INT2), P_NULL(DB_INT4), P_NULL(DB_INT8),
			    P_FLOAT8(NAN), P_STR(none), P_BYTEA(none), P_NULL(DB_JSONB),
			    P_NULL(DB_TIMESTAMP)),
		    &types_table, &row));
	r = row;
	assert_non_null(r->text.at);
	assert_non_null(r->bytes.at);
	assert_true(isnan(r->real));
}

static void test_arrays(void **state)
{
	struct fixture *f = *state;
	const bool yes[] = { true, false };
	const int16_t small[] = { -1, 2 };
	const int32_t middle[] = { 70000 };
	const int64_t big[] = { INT64_MIN, 5 };
	const double real[] = { 0.5, -1e300 };
	const struct str text[] = { STR("a"), { NULL, 0 }, STR(""), STR("\"q\"") };
	const struct str json[] = { STR("[1]"), STR("null") };
	const struct str bytes[] = { STR("\1\2"), STR("") };
	const int64_t time[] = { 1500000, -1000000 };
	void *row;
	struct arrays_row *r;

	ok(db_first(f->db, &STMT_t_arrays,
		    DB_ARGS(P_ARRAY(DB_BOOL_ARRAY, yes, 2), P_ARRAY(DB_INT2_ARRAY, small, 2),
			    P_ARRAY(DB_INT4_ARRAY, middle, 1), P_ARRAY(DB_INT8_ARRAY, big, 2),
			    P_ARRAY(DB_FLOAT8_ARRAY, real, 2), P_ARRAY(DB_TEXT_ARRAY, text, 4),
			    P_ARRAY(DB_BYTEA_ARRAY, bytes, 2), P_ARRAY(DB_JSONB_ARRAY, json, 2),
			    P_ARRAY(DB_TIMESTAMP_ARRAY, time, 2)),
		    &arrays_table, &row));
	r = row;
	assert_str(r->yes, "[true,false]");
	assert_str(r->small, "[-1,2]");
	assert_str(r->middle, "[70000]");
	assert_str(r->big, "[-9223372036854775808,5]");
	assert_str(r->real, "[0.5,-1e+300]");
	assert_str(r->text, "[\"a\",null,\"\",\"\\\"q\\\"\"]");
	assert_str(r->bytes, "{\"\\\\x0102\",\"\\\\x\"}");
	assert_str(r->json, "[[1],null]");
	assert_str(r->time, "[1.500000,-1.000000]");
}

static void test_arrays_empty(void **state)
{
	struct fixture *f = *state;
	void *row;
	struct arrays_row *r;

	ok(db_first(f->db, &STMT_t_arrays,
		    DB_ARGS(P_ARRAY(DB_BOOL_ARRAY, NULL, 0), P_ARRAY(DB_INT2_ARRAY, NULL, 0),
			    P_ARRAY(DB_INT4_ARRAY, NULL, 0), P_ARRAY(DB_INT8_ARRAY, NULL, 0),
			    P_ARRAY(DB_FLOAT8_ARRAY, NULL, 0), P_ARRAY(DB_TEXT_ARRAY, NULL, 0),
			    P_ARRAY(DB_BYTEA_ARRAY, NULL, 0), P_ARRAY(DB_JSONB_ARRAY, NULL, 0),
			    P_ARRAY(DB_TIMESTAMP_ARRAY, NULL, 0)),
		    &arrays_table, &row));
	r = row;
	assert_str(r->big, "[]");
	assert_str(r->text, "[]");
}

static void test_rows(void **state)
{
	struct fixture *f = *state;
	void *rows;
	void *row;
	size_t count;
	struct number_row *r;

	ok(db_all(f->db, &STMT_t_rows, DB_ARGS(P_INT4(1000)), &number_rows, &rows, &count));
	r = rows;
	assert_int_equal(count, 1000);
	assert_int_equal(r[999].number, 1000);
	assert_str(r[999].name, "row 1000");
	assert_null(r[998].name.at);
	ok(db_first(f->db, &STMT_t_rows, DB_ARGS(P_INT4(0)), &number_rows, &row));
	assert_null(row);
}

/* ---- failures -------------------------------------------------------------------------------- */

static void test_wrong_columns(void **state)
{
	static const struct db_stmt *const wrong[] = {
		&STMT_t_wrong_type, &STMT_t_missing_column, &STMT_t_null,
	};
	struct fixture *f = *state;
	void *row;

	for (size_t i = 0; i < 3; i++) {
		assert_error(db_first(f->db, wrong[i], DB_NO_ARGS, &number_rows, &row),
			     ERR_INTERNAL, NULL);
	}
	ok(db_first(f->db, &STMT_t_pid, DB_NO_ARGS, &number_rows, &row));
}

static void test_check(void **state)
{
	const struct db_stmt_check good[] = {
		{ &STMT_t_rows, &number_rows }, { &STMT_t_list, &number_rows },
		{ &STMT_t_insert, NULL }, { &STMT_t_types, &types_table },
	};
	const struct db_stmt_check bad[] = {
		{ &STMT_t_wrong_type, &number_rows }, { &STMT_t_missing_column, &number_rows },
		{ &STMT_t_bad_syntax, NULL }, { &STMT_t_insert, &number_rows },
	};
	struct fixture *f = *state;
	struct buf *report = buf_new(f->a);

	make_table(f);
	assert_int_equal(db_check_statements(f->db, good, 4, report), 0);
	assert_int_equal(report->len, 0);
	assert_int_equal(db_check_statements(f->db, bad, 4, report), 5);
	buf_add_byte(report, '\0');
	assert_non_null(strstr(report->at, "t_wrong_type: column \"number\" of struct number_row "
					   "has the type with OID 20, expected integer\n"));
	assert_non_null(strstr(report->at, "t_missing_column: column \"name\""));
	assert_non_null(strstr(report->at, "t_bad_syntax: "));
	assert_non_null(strstr(report->at, "t_insert: column \"name\""));
}

static void test_kinds(void **state)
{
	struct fixture *f = *state;
	void *row;
	err_t e;

	make_table(f);
	insert(f->db, 1);
	e = db_exec(f->db, &STMT_t_insert, DB_ARGS(P_INT4(1), P_TEXT("x")), NULL);
	assert_error(e, ERR_CONFLICT, DB_UNIQUE_VIOLATION);
	assert_true(db_err_is(e, DB_UNIQUE_VIOLATION));
	e = db_exec(f->db, &STMT_t_insert, DB_ARGS(P_INT4(2), P_TEXT(NULL)), NULL);
	assert_error(e, ERR_CONFLICT, "23502");
	e = db_exec(f->db, &STMT_t_insert, DB_ARGS(P_INT4(2), P_STR(STR("a\0b"))), NULL);
	assert_error(e, ERR_INVALID, "22021");
	e = db_first(f->db, &STMT_t_divide, DB_ARGS(P_INT4(0)), &number_rows, &row);
	assert_error(e, ERR_INTERNAL, "22012");
	e = db_exec(f->db, &STMT_t_bad_syntax, DB_NO_ARGS, NULL);
	assert_error(e, ERR_INTERNAL, "42601");
	assert_true(db_is_up(f->db));
	assert_int_equal(count_rows(f), 1);
}

static void test_other_types_refused(void **state)
{
	struct fixture *f = *state;
	void *row;

	if (fixture_is_pooled())
		return;
	ok(db_first(f->db, &STMT_t_rows, DB_ARGS(P_INT4(1)), &number_rows, &row));
	assert_error(db_first(f->db, &STMT_t_rows, DB_ARGS(P_INT8(1)), &number_rows, &row),
		     ERR_INTERNAL, NULL);
}

/* ---- transactions ---------------------------------------------------------------------------- */

static void test_transaction(void **state)
{
	struct fixture *f = *state;
	const int32_t ids[] = { 1, 2, 77 };
	int64_t changed;

	make_table(f);
	ok(db_begin(f->db, 5000, 0));
	assert_true(db_in_transaction(f->db));
	insert(f->db, 1);
	db_rollback(f->db);
	assert_false(db_in_transaction(f->db));
	db_rollback(f->db);
	assert_int_equal(count_rows(f), 0);
	ok(db_begin(f->db, 5000, 0));
	insert(f->db, 1);
	insert(f->db, 2);
	ok(db_exec(f->db, &STMT_t_update,
		   DB_ARGS(P_TEXT("y"), P_ARRAY(DB_INT4_ARRAY, ids, 3)), &changed));
	assert_int_equal(changed, 2);
	ok(db_commit(f->db));
	assert_int_equal(count_rows(f), 2);
}

static void test_limits_are_local(void **state)
{
	struct fixture *f = *state;
	void *row;

	ok(db_begin(f->db, 1234, 99));
	ok(db_first(f->db, &STMT_t_idle_limit, DB_NO_ARGS, &number_rows, &row));
	assert_str(((struct number_row *)row)->name, "8s 1234ms 99ms");
	ok(db_commit(f->db));
	ok(db_first(f->db, &STMT_t_idle_limit, DB_NO_ARGS, &number_rows, &row));
	assert_str(((struct number_row *)row)->name, "0 0 0");
}

static void test_commit_of_failed(void **state)
{
	struct fixture *f = *state;
	err_t e;

	make_table(f);
	ok(db_begin(f->db, 5000, 0));
	insert(f->db, 1);
	e = db_exec(f->db, &STMT_t_insert, DB_ARGS(P_INT4(1), P_TEXT("x")), NULL);
	assert_error(e, ERR_CONFLICT, DB_UNIQUE_VIOLATION);
	assert_error(db_commit(f->db), ERR_INTERNAL, NULL);
	assert_int_equal(count_rows(f), 0);
}

static void test_timeouts(void **state)
{
	struct fixture *f = *state;
	struct db *other = fixture_connect(f->a);
	void *row;
	err_t e;

	make_table(f);
	insert(f->db, 1);
	ok(db_begin(f->db, 50, 0));
	e = db_exec(f->db, &STMT_t_sleep, DB_ARGS(P_FLOAT8(30)), NULL);
	assert_error(e, ERR_TIMEOUT, DB_QUERY_CANCELED);
	db_rollback(f->db);

	ok(db_begin(other, 5000, 0));
	ok(db_first(other, &STMT_t_lock, DB_ARGS(P_INT4(1)), &number_rows, &row));
	ok(db_begin(f->db, 5000, 50));
	e = db_first(f->db, &STMT_t_lock, DB_ARGS(P_INT4(1)), &number_rows, &row);
	assert_error(e, ERR_BUSY, DB_LOCK_NOT_AVAILABLE);
	db_rollback(f->db);
	db_rollback(other);
	db_close(other);
}

/* ---- pipelines ------------------------------------------------------------------------------- */

static void test_pipeline(void **state)
{
	struct fixture *f = *state;
	void *rows;
	size_t count;
	unsigned list;

	make_table(f);
	for (int round = 0; round < 3; round++) {
		db_pipe_start(f->db);
		db_pipe_begin_tx(f->db, 5000, 100);
		for (int i = 0; i < 100; i++)
			db_pipe_add(f->db, &STMT_t_insert,
				    DB_ARGS(P_INT4(round * 100 + i), P_TEXT("x")));
		list = db_pipe_add(f->db, &STMT_t_list, DB_NO_ARGS);
		db_pipe_commit_tx(f->db);
		ok(db_pipe_run(f->db));
		assert_int_equal(list, 100);
		ok(db_pipe_all(f->db, list, &number_rows, &rows, &count));
		assert_int_equal(count, (round + 1) * 100);
		assert_false(db_in_transaction(f->db));
	}
	assert_int_equal(count_rows(f), 300);
}

/* Two round trips: begin with the first statements, commit with the last. */
static void test_pipeline_in_two(void **state)
{
	struct fixture *f = *state;

	make_table(f);
	db_pipe_start(f->db);
	db_pipe_begin_tx(f->db, 5000, 100);
	db_pipe_add(f->db, &STMT_t_insert, DB_ARGS(P_INT4(1), P_TEXT("x")));
	ok(db_pipe_run(f->db));
	assert_true(db_in_transaction(f->db));
	insert(f->db, 2);
	db_pipe_start(f->db);
	db_pipe_add(f->db, &STMT_t_insert, DB_ARGS(P_INT4(3), P_TEXT("x")));
	db_pipe_commit_tx(f->db);
	ok(db_pipe_run(f->db));
	assert_false(db_in_transaction(f->db));
	assert_int_equal(count_rows(f), 3);
}

static void test_pipeline_failure(void **state)
{
	struct fixture *f = *state;
	err_t e;

	make_table(f);
	for (int round = 0; round < 2; round++) {
		db_pipe_start(f->db);
		db_pipe_begin_tx(f->db, 5000, 100);
		db_pipe_add(f->db, &STMT_t_insert, DB_ARGS(P_INT4(1), P_TEXT("x")));
		db_pipe_add(f->db, &STMT_t_insert, DB_ARGS(P_INT4(1), P_TEXT("x")));
		/* Prepared for the first time where the server skips everything. */
		db_pipe_add(f->db, &STMT_t_list, DB_NO_ARGS);
		db_pipe_commit_tx(f->db);
		e = db_pipe_run(f->db);
		assert_error(e, ERR_CONFLICT, DB_UNIQUE_VIOLATION);
		assert_true(db_in_transaction(f->db));
		db_rollback(f->db);
		assert_true(db_is_up(f->db));
	}
	assert_int_equal(count_rows(f), 0);
	insert(f->db, 5);
	assert_int_equal(count_rows(f), 1);
}

static void test_pipeline_too_large(void **state)
{
	struct fixture *f = *state;
	struct str huge = { "", (size_t)3 << 30 }; /* refused before a byte of it is read */

	make_table(f);
	db_pipe_start(f->db);
	db_pipe_begin_tx(f->db, 5000, 100);
	db_pipe_add(f->db, &STMT_t_insert, DB_ARGS(P_INT4(1), P_STR(huge)));
	db_pipe_commit_tx(f->db);
	assert_error(db_pipe_run(f->db), ERR_TOO_LARGE, NULL);
	db_rollback(f->db);
	assert_int_equal(count_rows(f), 0);
}

/* Far more than both sides' buffers hold, in both directions. */
static void test_pipeline_large(void **state)
{
	struct fixture *f = *state;
	size_t len = 1 << 20;
	char *text = memset(arena_alloc(f->a, len), 'x', len);
	void *rows;
	size_t count;

	make_table(f);
	db_pipe_start(f->db);
	for (int i = 0; i < 30; i++) {
		db_pipe_add(f->db, &STMT_t_insert,
			    DB_ARGS(P_INT4(i), P_STR(((struct str){ text, len }))));
		db_pipe_add(f->db, &STMT_t_list, DB_NO_ARGS);
	}
	ok(db_pipe_run(f->db));
	ok(db_pipe_all(f->db, 59, &number_rows, &rows, &count));
	assert_int_equal(count, 30);
}

static void test_pipeline_abandoned(void **state)
{
	struct fixture *f = *state;

	make_table(f);
	db_pipe_start(f->db);
	db_pipe_begin_tx(f->db, 5000, 100);
	db_pipe_add(f->db, &STMT_t_insert, DB_ARGS(P_INT4(1), P_TEXT("x")));
	db_rollback(f->db);
	assert_int_equal(count_rows(f), 0);
}

/* ---- lost connections ------------------------------------------------------------------------ */

static int backend_pid(struct db *db)
{
	void *row;

	ok(db_first(db, &STMT_t_pid, DB_NO_ARGS, &number_rows, &row));
	return ((struct number_row *)row)->number;
}

static void kill_backend(struct fixture *f, int pid)
{
	struct db *other = fixture_connect(f->a);

	ok(db_exec(other, &STMT_t_kill, DB_ARGS(P_INT4(pid)), NULL));
	db_close(other);
}

/* True when the socket has something to say, such as that it was closed. */
static bool has_news(struct db *db)
{
	char byte;

	return recv(db_socket(db), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

static void wait_for_news(struct db *db)
{
	int64_t until = clock_mono_us() + 10000000;

	while (!has_news(db)) {
		assert_true(clock_mono_us() < until);
		clock_sleep_us(1000);
	}
}

static void test_idle_connection_lost(void **state)
{
	struct fixture *f = *state;
	int before = backend_pid(f->db);

	if (fixture_is_pooled())
		return;
	kill_backend(f, before);
	wait_for_news(f->db);
	assert_int_not_equal(backend_pid(f->db), before);
	assert_true(db_is_up(f->db));
}

static void test_transaction_lost(void **state)
{
	struct fixture *f = *state;
	err_t e;

	make_table(f);
	ok(db_begin(f->db, 5000, 0));
	insert(f->db, 1);
	kill_backend(f, backend_pid(f->db));
	e = db_exec(f->db, &STMT_t_insert, DB_ARGS(P_INT4(2), P_TEXT("x")), NULL);
	assert_non_null(e);
	assert_int_equal(e->kind, ERR_BUSY);
	e = db_exec(f->db, &STMT_t_insert, DB_ARGS(P_INT4(3), P_TEXT("x")), NULL);
	assert_int_equal(e->kind, ERR_BUSY);
	e = db_commit(f->db);
	assert_int_equal(e->kind, ERR_BUSY);
	assert_int_equal(count_rows(f), 0);
}

static void test_pipeline_lost(void **state)
{
	struct fixture *f = *state;
	err_t e;

	make_table(f);
	db_pipe_start(f->db);
	db_pipe_begin_tx(f->db, 5000, 100);
	db_pipe_add(f->db, &STMT_t_insert, DB_ARGS(P_INT4(1), P_TEXT("x")));
	ok(db_pipe_run(f->db));
	kill_backend(f, backend_pid(f->db));
	db_pipe_start(f->db);
	for (int i = 2; i < 10; i++)
		db_pipe_add(f->db, &STMT_t_insert, DB_ARGS(P_INT4(i), P_TEXT("x")));
	db_pipe_commit_tx(f->db);
	e = db_pipe_run(f->db);
	assert_non_null(e);
	assert_int_equal(e->kind, ERR_BUSY);
	db_rollback(f->db);
	assert_int_equal(count_rows(f), 0);
}

static void test_nobody_there(void **state)
{
	struct fixture *f = *state;
	struct db_options options = { .url = "postgresql:///x?host=/nonexistent" };
	struct db *db;

	assert_error(db_open(f->a, &options, &db), ERR_BUSY, "08001");
}

/* ---- notifications --------------------------------------------------------------------------- */

static void test_notify(void **state)
{
	struct fixture *f = *state;
	struct db *listener;
	struct str payload;

	if (fixture_is_pooled())
		return;
	listener = fixture_connect(f->a);
	ok(db_listen(listener, "test_channel"));
	ok(db_wait_notify(listener, 0, &payload));
	assert_int_equal(payload.len, 0);
	ok(db_notify(f->db, "test_channel", STR("one")));
	ok(db_notify(f->db, "test_channel", STR("two")));
	ok(db_wait_notify(listener, 10000, &payload));
	assert_str(payload, "one");
	ok(db_wait_notify(listener, 10000, &payload));
	assert_str(payload, "two");

	kill_backend(f, backend_pid(listener));
	wait_for_news(listener);
	ok(db_wait_notify(listener, 0, &payload)); /* connects and listens again */
	ok(db_notify(f->db, "test_channel", STR("three")));
	ok(db_wait_notify(listener, 10000, &payload));
	assert_str(payload, "three");
	db_close(listener);
}

#define DB_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(test_types), DB_TEST(test_types_null), DB_TEST(test_empty_is_not_null),
		DB_TEST(test_arrays), DB_TEST(test_arrays_empty), DB_TEST(test_rows),
		DB_TEST(test_wrong_columns), DB_TEST(test_check), DB_TEST(test_kinds),
		DB_TEST(test_other_types_refused), DB_TEST(test_transaction),
		DB_TEST(test_limits_are_local), DB_TEST(test_commit_of_failed),
		DB_TEST(test_timeouts), DB_TEST(test_pipeline), DB_TEST(test_pipeline_in_two),
		DB_TEST(test_pipeline_failure), DB_TEST(test_pipeline_too_large),
		DB_TEST(test_pipeline_large), DB_TEST(test_pipeline_abandoned),
		DB_TEST(test_idle_connection_lost), DB_TEST(test_transaction_lost),
		DB_TEST(test_pipeline_lost), DB_TEST(test_nobody_there), DB_TEST(test_notify),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
