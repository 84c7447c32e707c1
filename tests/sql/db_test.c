/* The database library against a real PostgreSQL, directly and through PgBouncer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	DB_NULLABLE(struct types_row, yes),    DB_NULLABLE(struct types_row, small),
	DB_NULLABLE(struct types_row, middle), DB_NULLABLE(struct types_row, big),
	DB_NULLABLE(struct types_row, real),   DB_NULLABLE(struct types_row, text),
	DB_BYTES(struct types_row, bytes),     DB_JSON(struct types_row, json),
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
		&STMT_t_wrong_type,
		&STMT_t_missing_column,
		&STMT_t_null,
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
		{ &STMT_t_rows, &number_rows },
		{ &STMT_t_list, &number_rows },
		{ &STMT_t_insert, NULL },
		{ &STMT_t_types, &types_table },
	};
	const struct db_stmt_check bad[] = {
		{ &STMT_t_wrong_type, &number_rows },
		{ &STMT_t_missing_column, &number_rows },
		{ &STMT_t_bad_syntax, NULL },
		{ &STMT_t_insert, &number_rows },
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

/* ---- statements ahead ------------------------------------------------------------------------------ */

static const struct db_stmt *const ahead[] = { &STMT_t_lock, &STMT_t_bad_syntax, &STMT_t_rows,
					       NULL };
static const struct db_stmt *const good_ahead[] = { &STMT_t_lock, &STMT_t_rows, NULL };

static struct db *connect_ahead(struct fixture *f, struct db_ahead statements)
{
	struct db_options options = {
		.url = getenv("CAIRN_TEST_DATABASE_URL"),
		.unnamed_statements = fixture_is_pooled(),
		.ahead = statements,
	};
	struct db *db = NULL;

	ok(db_open(f->a, &options, &db));
	return db;
}

static void assert_planned(struct db *db, const char *name)
{
	struct number_row *row;

	if (fixture_is_pooled())
		return;
	ok(db_first(db, &STMT_t_prepared, DB_ARGS(P_TEXT(name)), &number_rows, (void **)&row));
	assert_non_null(row);
}

static int backend_of(struct db *db)
{
	struct number_row *row;

	ok(db_first(db, &STMT_t_pid, DB_NO_ARGS, &number_rows, (void **)&row));
	return row->number;
}

static void test_ahead(void **state)
{
	struct fixture *f = *state;
	struct db *db;

	make_table(f);
	insert(f->db, 7);
	for (int by_key = 0; by_key < 2; by_key++) {
		db = connect_ahead(f, (struct db_ahead){ good_ahead, by_key });
		db_prepare_ahead(db);
		assert_planned(db, "t_lock");
		assert_planned(db, "t_rows");
		db_close(db);
	}
}

/* A new connection knows nothing; what is prepared once is not prepared again. */
static void test_ahead_after_a_reconnect(void **state)
{
	struct fixture *f = *state;
	struct db *db = connect_ahead(f, (struct db_ahead){ good_ahead, false });
	struct number_row *row;

	make_table(f);
	insert(f->db, 7);
	db_prepare_ahead(db);
	db_prepare_ahead(db);
	if (!fixture_is_pooled()) {
		int before = backend_of(db);
		err_t e;

		ok(db_exec(f->db, &STMT_t_kill, DB_ARGS(P_INT4(before)), NULL));
		do {
			e = db_first(db, &STMT_t_pid, DB_NO_ARGS, &number_rows, (void **)&row);
		} while (e || row->number == before);
	}
	ok(db_first(db, &STMT_t_lock, DB_ARGS(P_INT4(7)), &number_rows, (void **)&row));
	assert_int_equal(row->number, 7);
	db_prepare_ahead(db); /* what was not asked meanwhile */
	assert_planned(db, "t_rows");
	db_close(db);
}

/* The others are prepared when they are asked, with types of their own. */
static void test_ahead_with_one_that_fails(void **state)
{
	struct fixture *f = *state;
	struct db *db = connect_ahead(f, (struct db_ahead){ ahead, false });
	struct number_row *rows;
	size_t count;

	make_table(f);
	insert(f->db, 7);
	db_prepare_ahead(db);
	ok(db_all(db, &STMT_t_rows, DB_ARGS(P_INT4(3)), &number_rows, (void **)&rows, &count));
	assert_int_equal(count, 3);
	ok(db_first(db, &STMT_t_lock, DB_ARGS(P_INT4(7)), &number_rows, (void **)&rows));
	db_close(db);
}

/* PostgreSQL takes "$1" of t_lock for an integer; who sends another type is answered all the same. */
static void test_ahead_with_other_types(void **state)
{
	struct fixture *f = *state;
	struct db *db = connect_ahead(f, (struct db_ahead){ good_ahead, false });
	struct number_row *row;

	make_table(f);
	insert(f->db, 7);
	db_prepare_ahead(db);
	ok(db_first(db, &STMT_t_lock, DB_ARGS(P_INT8(7)), &number_rows, (void **)&row));
	assert_int_equal(row->number, 7);
	db_pipe_start(db);
	assert_int_equal(db_pipe_add(db, &STMT_t_lock, DB_ARGS(P_INT8(7))), 0);
	ok(db_pipe_run(db));
	db_close(db);
}

/* Nobody's statement is compiled; what the site asks for in the address goes before it. */
static void test_jit_is_off(void **state)
{
	struct fixture *f = *state;
	struct number_row *row;

	if (fixture_is_pooled())
		return;
	ok(db_first(f->db, &STMT_t_jit, DB_NO_ARGS, &number_rows, (void **)&row));
	assert_str(row->name, "off");
}

#define DB_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(test_types),
		DB_TEST(test_types_null),
		DB_TEST(test_empty_is_not_null),
		DB_TEST(test_arrays),
		DB_TEST(test_arrays_empty),
		DB_TEST(test_rows),
		DB_TEST(test_wrong_columns),
		DB_TEST(test_check),
		DB_TEST(test_kinds),
		DB_TEST(test_other_types_refused),
		DB_TEST(test_ahead),
		DB_TEST(test_ahead_after_a_reconnect),
		DB_TEST(test_ahead_with_one_that_fails),
		DB_TEST(test_ahead_with_other_types),
		DB_TEST(test_jit_is_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
