/* Artifacts: names, ids and paths that are taken or refused, digests, what a request makes, and when versions end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "artifact.h"
#include "artifact_digest.h"
#include "artifact_id.h"
#include "artifact_path.h"

typedef err_t check_fn(struct arena *a, const char *field, struct str text);

static struct str repeated(struct arena *a, const char *text, size_t times)
{
	size_t len = strlen(text);
	char *all = arena_alloc(a, len * times + 1);

	for (size_t i = 0; i < times; i++)
		memcpy(all + i * len, text, len);
	return (struct str){ all, len * times };
}

static void names(void **state)
{
	static const struct {
		check_fn *check;
		struct str text;
		bool is_valid;
	} cases[] = {
		{ artifact_name_check, STR("run-a=b-my model.v2"), true },
		{ artifact_name_check, STR("\xc3\xa4"), true },
		{ artifact_name_check, STR(""), false },
		{ artifact_name_check, STR("a/b"), false },
		{ artifact_name_check, STR("a:b"), false },
		{ artifact_name_check, STR("a\nb"), false },
		{ artifact_name_check, STR("a\0b"), false },
		{ artifact_name_check, STR("\xff"), false },
		{ artifact_type_check, STR("wandb-run-incremental-table"), true },
		{ artifact_type_check, STR("a/b"), false },
		{ artifact_alias_check, STR("latest"), true },
		{ artifact_alias_check, STR("a/b:c"), true },
		{ artifact_alias_check, STR("v"), true },
		{ artifact_alias_check, STR("v1x"), true },
		{ artifact_alias_check, STR("v1"), false },
		{ artifact_alias_check, STR("v007"), false },
		{ artifact_alias_check, STR(""), false },
		{ artifact_tag_check, STR("a tag"), true },
		{ artifact_tag_check, STR("a\tb"), false },
		{ artifact_client_check, STR("0123abc"), true },
		{ artifact_client_check, STR("a/b"), false },
		{ artifact_distributed_check, STR("group/1:2"), true },
		{ artifact_distributed_check, STR("\x01"), false },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		err_t e = cases[i].check(a, "field", cases[i].text);

		if (!e != cases[i].is_valid)
			fail_msg("case %zu: %s", i, e ? e->message : "taken");
	}
	/* limits are in characters */
	assert_null(artifact_name_check(a, "name", repeated(a, "\xc3\xa4", ARTIFACT_NAME_MAX)));
	assert_non_null(artifact_name_check(a, "name", repeated(a, "a", ARTIFACT_NAME_MAX + 1)));
	assert_null(artifact_tag_check(a, "tag", repeated(a, "\xc3\xa4", ARTIFACT_TAG_MAX)));
	assert_non_null(artifact_tag_check(a, "tag", repeated(a, "a", ARTIFACT_TAG_MAX + 1)));
	assert_null(artifact_distributed_check(a, "d", repeated(a, "a", ARTIFACT_DISTRIBUTED_MAX)));
	assert_non_null(
		artifact_distributed_check(a, "d", repeated(a, "a", ARTIFACT_DISTRIBUTED_MAX + 1)));
	/* the words that people know from the SDK */
	assert_non_null(strstr(artifact_name_check(a, "name", STR("a/b"))->message,
			       "invalid artifact name \"a/b\", must be 128 characters or less"));
	arena_free(a);
}

static void splits(void **state)
{
	static const struct {
		const char *text, *collection, *alias;
	} cases[] = {
		{ "m:best", "m", "best" },   { "m", "m", "latest" }, { "m:", "m", "latest" },
		{ "m:a:b/c", "m", "a:b/c" }, { "", NULL, NULL },     { ":best", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str collection, alias;
		bool split = artifact_name_split(str_of(cases[i].text), &collection, &alias);

		assert_int_equal(split, cases[i].collection != NULL);
		assert_true(!split || str_is(collection, cases[i].collection));
		assert_true(!split || str_is(alias, cases[i].alias));
	}
}

static void versions(void **state)
{
	int32_t version = -1;

	(void)state;
	assert_true(artifact_version_read(STR("v0"), &version));
	assert_int_equal(version, 0);
	assert_true(artifact_version_read(STR("v2147483647"), &version));
	assert_int_equal(version, INT32_MAX);
	assert_false(artifact_version_read(STR("v2147483648"), &version));
	assert_false(artifact_version_read(STR("v-1"), &version));
	assert_false(artifact_version_read(STR("v+1"), &version));
	assert_false(artifact_version_read(STR("V1"), &version));
	assert_false(artifact_version_read(STR("v"), &version));
	assert_false(artifact_version_read(STR("1"), &version));
}

static void limits(void **state)
{
	struct arena *a = arena_new(1024);

	(void)state;
	assert_null(artifact_ttl_check(a, "ttl_s", ARTIFACT_TTL_INHERIT));
	assert_null(artifact_ttl_check(a, "ttl_s", ARTIFACT_TTL_NONE));
	assert_null(artifact_ttl_check(a, "ttl_s", 1));
	assert_null(artifact_amount_check(
		a, NULL, &(struct artifact_amount){ 2000000, INT64_C(9007199254740992) }));
	assert_int_equal(
		artifact_amount_check(a, "contents", &(struct artifact_amount){ 2000001, 0 })->kind,
		ERR_UNPROCESSABLE);
	assert_int_equal(artifact_amount_check(
				 a, NULL, &(struct artifact_amount){ 1, INT64_C(9007199254740993) })
				 ->kind,
			 ERR_UNPROCESSABLE);
	assert_null(artifact_ttl_check(a, "ttl_s", ARTIFACT_TTL_MAX_S));
	assert_non_null(artifact_ttl_check(a, "ttl_s", ARTIFACT_TTL_MAX_S + 1));
	assert_non_null(artifact_ttl_check(a, "ttl_s", -2));
	assert_null(artifact_region_check(a, STR("")));
	assert_null(artifact_region_check(a, STR("default")));
	assert_null(artifact_region_check(a, STR("minio-local")));
	assert_non_null(
		strstr(artifact_region_check(a, STR("coreweave-us"))->message, "coreweave-us"));
	arena_free(a);
}

/* ---- what a request makes ------------------------------------------------------------------------ */

/* All combinations, by the rule that is written beside them. */
static void decisions(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 128; bits++) {
		const struct artifact_wish wish = {
			.has_client = bits & 1,
			.has_distributed = bits & 2,
			.dedupes = bits & 4,
		};
		const struct artifact_known known = {
			.has_client = bits & 8,
			.same_digest = bits & 16,
			.has_draft = bits & 32,
			.has_same = bits & 64,
		};
		enum artifact_making want = ARTIFACT_MAKE_NEW;

		if (wish.has_client && known.has_client)
			want = known.same_digest || wish.has_distributed ? ARTIFACT_MAKE_KNOWN
									 : ARTIFACT_MAKE_REFUSE;
		else if (wish.has_distributed && known.has_draft)
			want = ARTIFACT_MAKE_JOIN;
		else if (!wish.has_distributed && wish.dedupes && known.has_same)
			want = ARTIFACT_MAKE_SAME;
		if (artifact_decide(&wish, &known) != want)
			fail_msg("bits %#x: %d, not %d", bits, artifact_decide(&wish, &known),
				 want);
	}
}

/* The cases that the wire has names for. */
static void named_decisions(void **state)
{
	static const struct {
		const char *name;
		struct artifact_wish wish;
		struct artifact_known known;
		enum artifact_making making;
	} cases[] = {
		{ "the first version", { true, false, true }, { 0 }, ARTIFACT_MAKE_NEW },
		{ "the same again, by another draft",
		  { true, false, true },
		  { false, false, false, true },
		  ARTIFACT_MAKE_SAME },
		{ "the same again, where each is to be kept",
		  { true, false, false },
		  { false, false, false, true },
		  ARTIFACT_MAKE_NEW },
		{ "a request that is repeated",
		  { true, false, true },
		  { true, true, false, true },
		  ARTIFACT_MAKE_KNOWN },
		{ "an id that is used twice",
		  { true, false, true },
		  { true, false, false, true },
		  ARTIFACT_MAKE_REFUSE },
		{ "another rank",
		  { true, true, true },
		  { false, false, true, true },
		  ARTIFACT_MAKE_JOIN },
		{ "the first rank after a commit, with the digest of nothing",
		  { true, true, true },
		  { false, false, false, true },
		  ARTIFACT_MAKE_NEW },
		{ "a rank that repeats itself with more files",
		  { true, true, true },
		  { true, false, true, false },
		  ARTIFACT_MAKE_KNOWN },
		{ "a version of the public API",
		  { false, false, true },
		  { false, false, false, true },
		  ARTIFACT_MAKE_SAME },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (artifact_decide(&cases[i].wish, &cases[i].known) != cases[i].making)
			fail_msg("%s", cases[i].name);
	}
}

static void ends(void **state)
{
	struct artifact v = { .created_at = { 5000000 }, .ttl_s = ARTIFACT_TTL_INHERIT };

	(void)state;
	assert_int_equal(artifact_expires(&v).us, 0);
	v.collection_ttl_s = 10;
	assert_int_equal(artifact_expires(&v).us, 15000000);
	v.ttl_s = ARTIFACT_TTL_NONE;
	assert_int_equal(artifact_expires(&v).us, 0);
	v.ttl_s = 3;
	assert_int_equal(artifact_expires(&v).us, 8000000);
	assert_false(artifact_is_protected(&(struct artifact_hold){ 0 }));
	assert_true(artifact_is_protected(&(struct artifact_hold){ .is_newest = true }));
	assert_true(artifact_is_protected(&(struct artifact_hold){ .is_linked = true }));
	assert_true(artifact_is_protected(&(struct artifact_hold){ .other_aliases = 1 }));
}

/* ---- ids, paths, digests -------------------------------------------------------------------------- */

static void ids(void **state)
{
	struct arena *a = arena_new(1024);
	const struct artifact_id id = { 1, 123 }, most = { INT64_MAX, INT64_MAX };
	struct artifact_id read;
	struct str text = artifact_id_write(a, ARTIFACT_ID_VERSION, id);

	(void)state;
	assert_true(str_is(text, "QXJ0aWZhY3Q6MToxMjM="));
	assert_true(artifact_id_read(ARTIFACT_ID_VERSION, text, &read));
	assert_int_equal(read.project_id, 1);
	assert_int_equal(read.number, 123);
	/* as they stand in URLs */
	assert_true(artifact_id_read(ARTIFACT_ID_VERSION, STR("QXJ0aWZhY3Q6MToxMjM"), &read));
	assert_true(artifact_id_read(ARTIFACT_ID_VERSION, STR("QXJ0aWZhY3Q6MToxMjM%3D"), &read));
	assert_true(artifact_id_read_hex(STR("41727469666163743a313a313233"), &read));
	assert_int_equal(read.number, 123);
	for (int kind = 0; kind < ARTIFACT_ID_KINDS; kind++) {
		text = artifact_id_write(a, (enum artifact_id_kind)kind, most);
		assert_null(memchr(text.at, '/', text.len));
		assert_null(memchr(text.at, '+', text.len));
		for (int other = 0; other < ARTIFACT_ID_KINDS; other++)
			assert_int_equal(artifact_id_read((enum artifact_id_kind)other, text,
							  &read),
					 kind == other);
		assert_true(read.number == INT64_MAX);
	}
	assert_false(artifact_id_read(ARTIFACT_ID_VERSION, STR(""), &read));
	assert_false(artifact_id_read(ARTIFACT_ID_VERSION, STR("===="), &read));
	assert_false(
		artifact_id_read(ARTIFACT_ID_VERSION, STR("QXJ0aWZhY3Q6MTow"), &read)); /* 1:0 */
	assert_false(artifact_id_read(ARTIFACT_ID_VERSION, repeated(a, "QUFB", 1000), &read));
	assert_false(artifact_id_read_hex(STR("4172x"), &read));
	arena_free(a);
}

static void paths(void **state)
{
	static const struct {
		struct str text;
		bool is_valid;
	} cases[] = {
		{ STR("a"), true },       { STR("a/b c/%.txt"), true }, { STR("a\\b"), true },
		{ STR("..a/b.."), true }, { STR("u\xcc\x88"), true },   { STR("a\nb"), true },
		{ STR(""), false },       { STR("/a"), false },         { STR("a/"), false },
		{ STR("a//b"), false },   { STR("./a"), false },        { STR("a/."), false },
		{ STR("../a"), false },   { STR("a/../b"), false },     { STR("a/.."), false },
		{ STR("a\0b"), false },   { STR("\xff"), false },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		err_t e = artifact_path_check(a, "path", cases[i].text);

		if (!e != cases[i].is_valid)
			fail_msg("case %zu: %s", i, e ? e->message : "taken");
	}
	assert_null(artifact_path_check(a, "path", repeated(a, "a", ARTIFACT_PATH_MAX)));
	assert_non_null(artifact_path_check(a, "path", repeated(a, "a", ARTIFACT_PATH_MAX + 1)));
	arena_free(a);
}

static void folders(void **state)
{
	/* The file that is a folder, too, and paths in byte order. */
	static const struct {
		const char *folder;
		const char *paths[6];
	} cases[] = {
		{ "", { "a", "a-b", "aa", "aab/b", "b/a", "b/a.c" } },
		{ "", { "a/b/c", "a/b/d", "a/bc", "a0" } },
		{ "a", { "a", "a/b" } },
		{ "a", { "a", "a-b", "a-c/c", "a/b" } },
		{ "a/b", { "a/a", "a/b", "a/b!", "a/b/c/d" } },
		{ "aa", { "a", "aa", "aa.b", "aa/a" } },
		{ "x-", { "x", "x-", "x-+", "x-/y" } },
	};
	struct arena *a = arena_new(16 << 10);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct artifact_digest *d = artifact_digest_begin(a);
		struct str folder;

		for (size_t k = 0; k < 6 && cases[i].paths[k]; k++)
			artifact_digest_add(d, str_of(cases[i].paths[k]), STR("x"));
		folder = artifact_digest_folder(d);
		if (!str_is(folder, cases[i].folder))
			fail_msg("case %zu: \"%.*s\"", i, STR_ARG(folder));
	}
	arena_free(a);
}

#define HELLO "XUFAKrxLKna5cZ2REBfFkg=="
#define EMPTY "1B2M2Y8AsgTpgAmY7PhCfg=="

static void digests(void **state)
{
	/* path, digest, … */
	static const struct {
		const char *digest;
		const char *entries[6];
	} cases[] = {
		{ ARTIFACT_DIGEST_EMPTY, { NULL } },
		{ "541f289bb3c6ae786d51e7288e523543", { "a.txt", HELLO } },
		{ "a3b8383b04f2d48acf21bb4b4ff94e9a", { "a.txt", HELLO, "b/c.txt", EMPTY } },
		{ "8e9b72bd4678f1d999e09869e2a93457",
		  { "B", "xMpCOKC5I4INzFCab3WEmw==", "a", "yB5yjZ1ML2NvBn+JzBSGLA==", "\xc3\xa4",
		    "7MvIfktc4v4oMI/Z8qe68w==" } },
		{ "5409c83977c47767fbaf74cfd601a8fc", { "x", "s3etag-2" } },
	};
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct artifact_digest *d = artifact_digest_begin(a);
		char text[ARTIFACT_DIGEST_TEXT_SIZE + 1];

		for (size_t k = 0; k < 6 && cases[i].entries[k]; k += 2)
			artifact_digest_add(d, str_of(cases[i].entries[k]),
					    str_of(cases[i].entries[k + 1]));
		artifact_digest_end(d, text);
		assert_string_equal(text, cases[i].digest);
	}
	artifact_digest_begin(a); /* one that is not ended is released with the arena */
	arena_free(a);
}

static void md5s(void **state)
{
	struct arena *a = arena_new(1024);
	unsigned char md5[ARTIFACT_MD5_SIZE];
	struct str bytes = { (const char *)md5, sizeof(md5) };

	(void)state;
	assert_true(artifact_md5_read(STR(HELLO), md5));
	assert_true(str_is(artifact_md5_write(a, bytes), HELLO));
	assert_true(str_is(artifact_md5_write_hex(a, bytes), "5d41402abc4b2a76b9719d911017c592"));
	assert_true(artifact_md5_read_hex(STR("5D41402abc4b2a76b9719d911017c592"), md5));
	assert_false(artifact_md5_read(STR(""), md5));
	assert_false(artifact_md5_read(STR("s3etag-2"), md5));
	assert_false(artifact_md5_read(STR("XUFAKrxLKna5cZ2REBfFkg="), md5));
	assert_false(artifact_md5_read(STR("XUFAKrxLKna5cZ2REBfFkgAA"), md5));
	assert_false(artifact_md5_read_hex(STR("5d41402abc4b2a76b9719d911017c59"), md5));
	assert_false(artifact_md5_read_hex(STR("5d41402abc4b2a76b9719d911017c59x"), md5));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),     cmocka_unit_test(splits),
		cmocka_unit_test(versions),  cmocka_unit_test(limits),
		cmocka_unit_test(decisions), cmocka_unit_test(named_decisions),
		cmocka_unit_test(ends),      cmocka_unit_test(ids),
		cmocka_unit_test(paths),     cmocka_unit_test(digests),
		cmocka_unit_test(folders),   cmocka_unit_test(md5s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
