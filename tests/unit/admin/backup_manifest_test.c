/* What a backup says of itself: written, read, judged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "backup_manifest.h"

static const struct db_migration migrations[] = {
	{ 1, "0001_one", "", "a" },
	{ 2, "0002_two", "", "b" },
	{ 3, "0003_three", "", "c" },
};
static const struct db_schema ours = { migrations, 3, NULL, 0 };

static struct backup_manifest sample(struct arena *a)
{
	static struct db_table tables[] = {
		{ STR("public.chunk"), INT64_C(5000000000) },
		{ STR("public.\"a \\ b\""), 0 },
	};

	return (struct backup_manifest){
		.version = STR("0.1.0"),
		.schema = 2,
		.postgresql = 15,
		.time = { INT64_C(1795000000123456) },
		.checksum = backup_schema_checksum(a, &ours, 2),
		.tables = tables,
		.table_count = 2,
	};
}

static void test_there_and_back(void **state)
{
	struct arena *a = arena_new(4096);
	struct backup_manifest m = sample(a);
	struct buf *text = buf_new(a);
	struct backup_manifest back;

	(void)state;
	backup_manifest_write(&m, text);
	assert_null(backup_manifest_read(a, buf_str(text), &back));
	assert_true(str_equal(back.version, m.version));
	assert_true(str_equal(back.checksum, m.checksum));
	assert_int_equal(back.schema, 2);
	assert_int_equal(back.postgresql, 15);
	assert_true(back.time.us == m.time.us);
	assert_null(db_tables_compare(a, m.tables, 2, back.tables, back.table_count));
	arena_free(a);
}

static void test_unreadable(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"{\"format\":2}",
		"{\"format\":1}",
		"{\"format\":1,\"cairn\":\"x\",\"schema\":0}",
	};
	struct arena *a = arena_new(4096);
	struct backup_manifest m;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_non_null(backup_manifest_read(a, str_of(texts[i]), &m));
	arena_free(a);
}

static void test_judgement(void **state)
{
	struct arena *a = arena_new(4096);
	struct backup_manifest m = sample(a);

	(void)state;
	assert_null(backup_manifest_judge(a, &m, &ours, 15));
	assert_null(backup_manifest_judge(a, &m, &ours, 17));
	assert_non_null(backup_manifest_judge(a, &m, &ours, 14));
	m.schema = 3;
	assert_non_null(backup_manifest_judge(a, &m, &ours, 15)); /* two migrations' checksum */
	m.schema = 4;
	assert_non_null(backup_manifest_judge(a, &m, &ours, 15));
	m.schema = 3;
	m.checksum = backup_schema_checksum(a, &ours, 3);
	assert_null(backup_manifest_judge(a, &m, &ours, 15));
	arena_free(a);
}

/* The database was made before the comments of two migrations changed, and has got the third since. */
static void test_former_comments(void **state)
{
	struct db_migration now[] = { ours.migration[0], ours.migration[1], ours.migration[2] };
	const struct db_schema schema = { now, 3, NULL, 0 };
	struct arena *a = arena_new(4096);
	struct backup_manifest m = sample(a);

	(void)state;
	m.schema = 3;
	m.checksum = backup_schema_checksum(a, &ours, 3);
	for (size_t i = 0; i < 2; i++) {
		now[i].former = now[i].checksum;
		now[i].checksum = "with other comments";
	}
	assert_null(backup_manifest_judge(a, &m, &schema, 15));
	now[1].former = "";
	assert_non_null(backup_manifest_judge(a, &m, &schema, 15));
	arena_free(a);
}

static void test_tables(void **state)
{
	const struct db_table told[] = { { STR("a"), 1 }, { STR("b"), 2 } };
	const struct db_table fewer[] = { { STR("a"), 1 }, { STR("b"), 1 } };
	const struct db_table other[] = { { STR("a"), 1 }, { STR("c"), 2 } };
	struct arena *a = arena_new(4096);

	(void)state;
	assert_null(db_tables_compare(a, told, 2, told, 2));
	assert_non_null(db_tables_compare(a, told, 2, told, 1));
	assert_non_null(db_tables_compare(a, told, 2, fewer, 2));
	assert_non_null(db_tables_compare(a, told, 2, other, 2));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_judgement),      cmocka_unit_test(test_former_comments),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
