/*
 * Every statement of the store on a migrated database: each prepares, and what a store reads through
 * a table has the table's columns and types. A new store adds its list here.
 */
#include <stdlib.h>

#include "alert_store.h"
#include "arena.h"
#include "artifact_store.h"
#include "artifact_upkeep.h"
#include "audit_store.h"
#include "blob_store.h"
#include "buf.h"
#include "db_check.h"
#include "db_migrate.h"
#include "deletion_store.h"
#include "entity_store.h"
#include "entry_store.h"
#include "file_store.h"
#include "fixture.h"
#include "key_store.h"
#include "lineage_store.h"
#include "move_keys.h"
#include "move_store.h"
#include "link_store.h"
#include "session_store.h"
#include "project_store.h"
#include "search_store.h"
#include "server_store.h"
#include "store_ahead.h"
#include "sweep_store.h"
#include "test_sql.h"
#include "purge_store.h"
#include "retention_store.h"
#include "usage_store.h"
#include "verify_store.h"
#include "view_store.h"
#include "watch_store.h"

/* From the build: all statements of server/store. */
extern const struct db_stmt *const store_sql_statements[];

static void check(struct fixture *f, const struct db_stmt_check *checks, size_t count)
{
	struct buf *report = buf_new(f->a);

	if (db_check_statements(f->db, checks, count, report))
		fail_msg("\n%.*s", STR_ARG(buf_str(report)));
}

static void test_all_prepare(void **state)
{
	struct fixture *f = *state;
	struct buf *report = buf_new(f->a);
	size_t faults = 0;
	size_t count = 0;

	for (; store_sql_statements[count]; count++) {
		const struct db_stmt_check one = { store_sql_statements[count], NULL };

		faults += db_check_statements(f->db, &one, 1, report);
	}
	if (faults)
		fail_msg("\n%.*s", STR_ARG(buf_str(report)));
	assert_true(count > 0);
}

static void test_tables_match(void **state)
{
	struct fixture *f = *state;

	check(f, alert_store_checks, alert_store_check_count);
	check(f, artifact_store_checks, artifact_store_check_count);
	check(f, artifact_upkeep_checks, artifact_upkeep_check_count);
	check(f, blob_store_checks, blob_store_check_count);
	check(f, entry_store_checks, entry_store_check_count);
	check(f, lineage_store_checks, lineage_store_check_count);
	check(f, entity_store_checks, entity_store_check_count);
	check(f, project_store_checks, project_store_check_count);
	check(f, deletion_store_checks, deletion_store_check_count);
	check(f, file_store_checks, file_store_check_count);
	check(f, move_keys_checks, move_keys_check_count);
	check(f, move_store_checks, move_store_check_count);
	check(f, purge_store_checks, purge_store_check_count);
	check(f, retention_store_checks, retention_store_check_count);
	check(f, usage_store_checks, usage_store_check_count);
	check(f, key_store_checks, key_store_check_count);
	check(f, audit_store_checks, audit_store_check_count);
	check(f, server_store_checks, server_store_check_count);
	check(f, link_store_checks, link_store_check_count);
	check(f, session_store_checks, session_store_check_count);
	check(f, sweep_store_checks, sweep_store_check_count);
	check(f, search_store_checks, search_store_check_count);
	check(f, verify_store_checks, verify_store_check_count);
	check(f, view_store_checks, view_store_check_count);
	check(f, watch_store_checks, watch_store_check_count);
}

/* Types that PostgreSQL finds by itself are those that the store sends: tests/api/test_cold_start.py. */
static void check_ahead(struct fixture *f, struct db_ahead ahead)
{
	struct db_options options = { .url = getenv("CAIRN_TEST_DATABASE_URL"), .ahead = ahead };
	struct number_row *rows;
	struct db *db;
	size_t planned;
	size_t count = 0;

	ok(db_open(f->a, &options, &db));
	db_prepare_ahead(db);
	ok(db_all(db, &STMT_t_prepared, DB_ARGS(P_TEXT("")), &number_rows, (void **)&rows,
		  &planned));
	for (const struct db_stmt *const *s = ahead.statements; *s; s++, count++) {
		size_t i = 0;

		while (i < planned && !str_equal(rows[i].name, str_of((*s)->name)))
			i++;
		if (i == planned)
			fail_msg("\"%s\" is not planned ahead", (*s)->name);
	}
	assert_true(count > 5);
	db_close(db);
}

static void test_all_ahead(void **state)
{
	check_ahead(*state, store_ahead_of_worker());
	check_ahead(*state, store_ahead_of_flusher());
}

static int migrated_setup(void **state)
{
	struct fixture *f;
	int applied;

	fixture_setup(state);
	f = *state;
	ok(db_migrate(f->db, &db_schema, 5, &applied));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_prepare),
		cmocka_unit_test(test_tables_match),
		cmocka_unit_test(test_all_ahead),
	};

	return cmocka_run_group_tests(tests, migrated_setup, fixture_teardown);
}
