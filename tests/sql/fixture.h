#ifndef FIXTURE_H
#define FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "db.h"
#include "db_row.h"

/* What every test here starts with: an arena and a connection to CAIRN_TEST_DATABASE_URL. */
struct fixture {
	struct arena *a;
	struct db *db;
};

int fixture_setup(void **state);
int fixture_teardown(void **state);
/* One more connection, to be closed by the test. */
struct db *fixture_connect(struct arena *a);
struct db *fixture_connect_with(struct arena *a, struct db_canceller *canceller);
/* Behind PgBouncer: another session may answer each transaction. */
bool fixture_is_pooled(void);

#define ok(call) assert_ok((call), #call)
void assert_ok(err_t e, const char *what);
void assert_error(err_t e, enum err_kind kind, const char *sqlstate);

void assert_str(struct str s, const char *expected);

/* The table every test may fill: id with a unique key, name; made anew. */
void make_table(struct fixture *f);
void insert(struct db *db, int id);
size_t count_rows(struct fixture *f);

struct number_row {
	int32_t number;
	struct str name;
};
extern const struct db_row_table number_rows;

#endif
