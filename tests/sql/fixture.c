#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "test_sql.h"

static const struct db_column number_columns[] = {
	DB_COLUMN(struct number_row, number),
	DB_NULLABLE(struct number_row, name),
};
const struct db_row_table number_rows = DB_ROW_TABLE(struct number_row, number_columns);

bool fixture_is_pooled(void)
{
	return getenv("CAIRN_TEST_BOUNCER") != NULL;
}

struct db *fixture_connect(struct arena *a)
{
	return fixture_connect_with(a, NULL);
}

struct db *fixture_connect_with(struct arena *a, struct db_canceller *canceller)
{
	struct db_options options = {
		.url = getenv("CAIRN_TEST_DATABASE_URL"),
		.unnamed_statements = fixture_is_pooled(),
		.connect_timeout_s = 60,
		.application_name = "test",
		.canceller = canceller,
	};
	struct db *db = NULL;

	ok(db_open(a, &options, &db));
	return db;
}

int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->a = arena_new(1024);
	f->db = fixture_connect(f->a);
	*state = f;
	return 0;
}

int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	db_close(f->db);
	arena_free(f->a);
	free(f);
	return 0;
}

void assert_ok(err_t e, const char *what)
{
	struct arena *a;

	if (!e)
		return;
	a = arena_new(1024);
	print_error("%s: %s\n", what, err_chain(a, e));
	arena_free(a);
	fail();
}

void assert_error(err_t e, enum err_kind kind, const char *sqlstate)
{
	assert_non_null(e);
	if (e->kind != kind || !sqlstate != !e->sqlstate ||
	    (sqlstate && strcmp(e->sqlstate, sqlstate) != 0))
		fail_msg("%s: kind %s, sqlstate %s", e->message, err_kind_name(e->kind),
			 e->sqlstate ? e->sqlstate : "none");
}

void make_table(struct fixture *f)
{
	static const struct db_stmt drop = { "t_drop", "drop table if exists t" };
	static const struct db_stmt create = {
		"t_create", "create table t (id integer primary key, name text not null)"
	};

	ok(db_exec(f->db, &drop, DB_NO_ARGS, NULL));
	ok(db_exec(f->db, &create, DB_NO_ARGS, NULL));
}

size_t count_rows(struct fixture *f)
{
	void *rows;
	size_t count;

	ok(db_all(f->db, &STMT_t_list, DB_NO_ARGS, &number_rows, &rows, &count));
	return count;
}

void insert(struct db *db, int id)
{
	ok(db_exec(db, &STMT_t_insert, DB_ARGS(P_INT4(id), P_TEXT("x")), NULL));
}

void assert_str(struct str s, const char *expected)
{
	if (!str_is(s, expected))
		fail_msg("\"%.*s\" is not \"%s\"", STR_ARG(s), expected);
}
