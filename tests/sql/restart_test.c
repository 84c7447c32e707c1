/*
 * One connection through the lives of its PostgreSQL, an embedded one of this test: killed, stopped,
 * frozen. What the connection answers meanwhile must always be "busy".
 */
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "db_embedded.h"
#include "fixture.h"
#include "test_sql.h"

struct life {
	struct arena *a;
	char folder[64];
	struct db_embedded *embedded;
	struct db *db;
};

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int start_life(void **state)
{
	struct life *l = calloc(1, sizeof(*l));
	struct db_embedded_options options = { .data_dir = l->folder };
	struct db_options connection = { .application_name = "test" };

	*state = l;
	l->a = arena_new(1024);
	snprintf(l->folder, sizeof(l->folder), "%s/cairn-restart-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	assert_non_null(mkdtemp(l->folder));
	ok(db_embedded_start(l->a, &options, &l->embedded));
	connection.url = db_embedded_url(l->embedded);
	ok(db_open(l->a, &connection, &l->db));
	return 0;
}

static int end_life(void **state)
{
	struct life *l = *state;

	db_close(l->db);
	db_embedded_stop(l->embedded);
	nftw(l->folder, remove_entry, 32, FTW_DEPTH | FTW_PHYS);
	arena_free(l->a);
	free(l);
	return 0;
}

static pid_t postmaster(struct life *l)
{
	FILE *f = fopen(arena_printf(l->a, "%s/pg/postmaster.pid", l->folder), "r");
	int pid = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	fclose(f);
	return pid;
}

static err_t ask(struct life *l, int *ret_number)
{
	void *row;
	err_t e = db_first(l->db, &STMT_t_pid, DB_NO_ARGS, &number_rows, &row);

	if (!e)
		*ret_number = ((struct number_row *)row)->number;
	return e;
}

/* Asks until there is an answer; every failure on the way must be "busy". */
static int ask_until_answered(struct life *l)
{
	int64_t until_us = clock_mono_us() + 120000000;
	int number = 0;
	err_t e;

	while ((e = ask(l, &number))) {
		assert_int_equal(e->kind, ERR_BUSY);
		assert_false(db_in_transaction(l->db));
		assert_true(clock_mono_us() < until_us);
		clock_sleep_us(5000);
	}
	return number;
}

static void test_postgres_killed(void **state)
{
	struct life *l = *state;
	int before;
	int after;

	ok(ask(l, &before));
	for (int i = 0; i < 3; i++) {
		kill(postmaster(l), SIGKILL);
		while (kill(before, 0) == 0)
			clock_sleep_us(1000);
		after = ask_until_answered(l);
		assert_int_not_equal(before, after);
		before = after;
	}
	assert_true(db_is_up(l->db));
}

/* An ordered restart says good-bye: the idle connection notices and no call fails for long. */
static void test_postgres_stopped(void **state)
{
	struct life *l = *state;
	int before;

	ok(ask(l, &before));
	kill(postmaster(l), SIGINT);
	while (kill(before, 0) == 0)
		clock_sleep_us(1000);
	assert_int_not_equal(ask_until_answered(l), before);
}

/* How long it takes until the connection gives up a backend that lives and does not answer. */
static int64_t frozen_us(struct life *l)
{
	int64_t started_us;
	int64_t took_us;
	int pid;
	int other;
	err_t e;

	ok(ask(l, &pid));
	ok(db_begin(l->db, 200, 0));
	kill(pid, SIGSTOP);
	started_us = clock_mono_us();
	e = ask(l, &other);
	took_us = clock_mono_us() - started_us;
	assert_error(e, ERR_BUSY, "08006");
	db_rollback(l->db);
	kill(pid, SIGCONT);
	assert_int_not_equal(ask_until_answered(l), pid);
	return took_us;
}

/* The transaction's limit and a little more; the machine itself may stand still at some of them. */
static void test_backend_frozen(void **state)
{
	struct life *l = *state;
	int tries = 0;

	while (frozen_us(l) >= 8000000)
		assert_in_range(++tries, 1, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_postgres_killed),
		cmocka_unit_test(test_postgres_stopped),
		cmocka_unit_test(test_backend_frozen),
	};

	return cmocka_run_group_tests(tests, start_life, end_life);
}
