/* Parts of the server whose database cannot be reached: why is said, in words that outlive the part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "err.h"
#include "ingest.h"
#include "listeners.h"
#include "notify.h"
#include "replica.h"

static const struct db_options nowhere = {
	.url = "host=/nowhere-at-all dbname=cairn",
	.connect_timeout_s = 1,
	.application_name = "test",
};

static void check(struct arena *a, err_t e)
{
	assert_non_null(e);
	assert_int_equal(e->kind, ERR_BUSY);
	assert_non_null(strstr(err_chain(a, e), "/nowhere-at-all"));
	arena_free(a);
}

static void test_alerts(void **state)
{
	const struct notify_options options = { .database = nowhere, .hosts = "", .ca_file = "" };
	struct arena *a = arena_new(4096);
	struct notify *notify;

	(void)state;
	check(a, notify_start(a, &options, &notify));
}

static void test_ingest(void **state)
{
	const struct ingest_options options = {
		.flushers = 2,
		.queue_limit = 16,
		.database = nowhere,
	};
	struct arena *a = arena_new(4096);
	struct ingest *ingest;

	(void)state;
	check(a, ingest_start(a, &options, &ingest));
}

static void test_listeners(void **state)
{
	const struct listeners_options options = { .database = nowhere, .limit = 16 };
	struct arena *a = arena_new(4096);
	struct listeners *listeners;

	(void)state;
	check(a, listeners_start(a, &options, &listeners));
}

static void test_replica(void **state)
{
	const struct replica_options options = { .primary = nowhere, .replica = nowhere };
	struct arena *a = arena_new(4096);
	struct replica *replica;

	(void)state;
	check(a, replica_start(a, &options, &replica));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alerts),
		cmocka_unit_test(test_ingest),
		cmocka_unit_test(test_listeners),
		cmocka_unit_test(test_replica),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
