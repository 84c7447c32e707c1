/* Transactions, pipelines and lost connections, directly and through PgBouncer. */
#include <string.h>
#include <sys/socket.h>

#include "arena.h"
#include "clock.h"
#include "fixture.h"
#include "test_sql.h"

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
	ok(db_exec(f->db, &STMT_t_update, DB_ARGS(P_TEXT("y"), P_ARRAY(DB_INT4_ARRAY, ids, 3)),
		   &changed));
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
	ok(db_begin(f->db, 40000, 99));
	ok(db_first(f->db, &STMT_t_idle_limit, DB_NO_ARGS, &number_rows, &row));
	assert_str(((struct number_row *)row)->name, "20s 40s 99ms");
	ok(db_commit(f->db));
	db_pipe_start(f->db);
	db_pipe_begin_tx(f->db, 200000, 99);
	ok(db_pipe_run(f->db));
	ok(db_first(f->db, &STMT_t_idle_limit, DB_NO_ARGS, &number_rows, &row));
	assert_str(((struct number_row *)row)->name, "30s 200s 99ms");
	ok(db_commit(f->db));
	ok(db_first(f->db, &STMT_t_idle_limit, DB_NO_ARGS, &number_rows, &row));
	assert_str(((struct number_row *)row)->name, "0 0 0");
}

/* Whatever the site's defaults: what is read after waiting for a lock is what was committed before. */
static void test_isolation(void **state)
{
	static const struct db_stmt set = {
		"t_isolation_set", "set default_transaction_isolation = 'repeatable read'"
	};
	static const struct db_stmt reset = { "t_isolation_reset",
					      "reset default_transaction_isolation" };
	struct fixture *f = *state;
	void *row;

	if (fixture_is_pooled())
		skip();
	ok(db_exec(f->db, &set, DB_NO_ARGS, NULL));
	ok(db_begin(f->db, 5000, 0));
	ok(db_first(f->db, &STMT_t_isolation, DB_NO_ARGS, &number_rows, &row));
	ok(db_commit(f->db));
	ok(db_exec(f->db, &reset, DB_NO_ARGS, NULL));
	assert_str(((struct number_row *)row)->name, "read committed");
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

	ok(db_begin(other, 60000, 0));
	ok(db_first(other, &STMT_t_lock, DB_ARGS(P_INT4(1)), &number_rows, &row));
	ok(db_begin(f->db, 60000, 50));
	e = db_first(f->db, &STMT_t_lock, DB_ARGS(P_INT4(1)), &number_rows, &row);
	assert_error(e, ERR_BUSY, DB_LOCK_NOT_AVAILABLE);
	db_rollback(f->db);
	db_rollback(other);
	db_close(other);
}

/* Sleeping statements of others, until there are none. */
static void wait_for_end_of_sleep(struct fixture *f)
{
	int64_t until_us = clock_mono_us() + 120000000;
	void *row;

	do {
		assert_true(clock_mono_us() < until_us);
		ok(db_first(f->db, &STMT_t_sleepers, DB_NO_ARGS, &number_rows, &row));
	} while (((struct number_row *)row)->number);
}

/* Outside a transaction, where no limit of the server holds. */
static void test_deadline(void **state)
{
	struct fixture *f = *state;
	struct db_canceller *canceller = db_canceller_start();
	struct db *db = fixture_connect_with(f->a, canceller);
	int64_t started_us = clock_mono_us();
	err_t e;

	db_set_deadline(db, started_us + 100000);
	e = db_exec(db, &STMT_t_sleep, DB_ARGS(P_FLOAT8(600)), NULL);
	assert_error(e, ERR_TIMEOUT, "08006");
	assert_true(clock_mono_us() - started_us < 120000000);
	wait_for_end_of_sleep(f);
	db_set_deadline(db, clock_mono_us() + 120000000);
	ok(db_exec(db, &STMT_t_sleep, DB_ARGS(P_FLOAT8(0)), NULL));
	db_close(db);
	db_canceller_stop(canceller);
}

/* The server's own limit comes first: the connection and the caller's rollback are kept. */
static void test_deadline_in_a_transaction(void **state)
{
	struct fixture *f = *state;
	err_t e;

	db_set_deadline(f->db, clock_mono_us() + 100000);
	ok(db_begin(f->db, 100, 0));
	e = db_exec(f->db, &STMT_t_sleep, DB_ARGS(P_FLOAT8(60)), NULL);
	assert_error(e, ERR_TIMEOUT, DB_QUERY_CANCELED);
	assert_true(db_is_up(f->db));
	db_rollback(f->db);
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
	int64_t until = clock_mono_us() + 120000000;

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

#define DB_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(test_transaction),
		DB_TEST(test_limits_are_local),
		DB_TEST(test_isolation),
		DB_TEST(test_commit_of_failed),
		DB_TEST(test_timeouts),
		DB_TEST(test_deadline),
		DB_TEST(test_deadline_in_a_transaction),
		DB_TEST(test_pipeline),
		DB_TEST(test_pipeline_in_two),
		DB_TEST(test_pipeline_failure),
		DB_TEST(test_pipeline_too_large),
		DB_TEST(test_pipeline_large),
		DB_TEST(test_pipeline_abandoned),
		DB_TEST(test_idle_connection_lost),
		DB_TEST(test_transaction_lost),
		DB_TEST(test_pipeline_lost),
		DB_TEST(test_nobody_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
