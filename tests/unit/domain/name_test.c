/* Names: every kind's limits, and what the refusal says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "name.h"

struct name_case {
	enum name_kind kind;
	const char *name;
	bool valid;
};

static const struct name_case cases[] = {
	{ NAME_ENTITY, "ann", true },
	{ NAME_ENTITY, "A", true },
	{ NAME_ENTITY, "0day", true },
	{ NAME_ENTITY, "a_b.c-d", true },
	{ NAME_ENTITY, "", false },
	{ NAME_ENTITY, "-ann", false },
	{ NAME_ENTITY, ".ann", false },
	{ NAME_ENTITY, "_ann", false },
	{ NAME_ENTITY, "an n", false },
	{ NAME_ENTITY, "an/n", false },
	{ NAME_ENTITY, "anné", false },
	{ NAME_ENTITY, "ann\n", false },
	{ NAME_ENTITY, "api", false },
	{ NAME_ENTITY, "artifacts", false },
	{ NAME_ENTITY, "graphql", false },
	{ NAME_ENTITY, "healthz", false },
	{ NAME_ENTITY, "apis", true },
	{ NAME_PROJECT, "api", true },
	{ NAME_PROJECT, "settings", false },
	{ NAME_PROJECT, "digits", true },
	{ NAME_PROJECT, "a#1", false },
	{ NAME_PROJECT, "my project", true },
	{ NAME_PROJECT, "größe;'\"<>&+=~", true },
	{ NAME_PROJECT, " a", false },
	{ NAME_PROJECT, "a ", false },
	{ NAME_PROJECT, "a\\b", false },
	{ NAME_PROJECT, "50%", false },
	{ NAME_PROJECT, "a:b", false },
	{ NAME_PROJECT, "..", false },
	{ NAME_PROJECT, "...", true },
	{ NAME_PROJECT, "\xff", false },
	{ NAME_RUN, "a b", true },
	{ NAME_RUN, "größe \\ & + = ( ) ~", true },
	{ NAME_RUN, "-dash", true },
	{ NAME_RUN, "100%", false },
	{ NAME_RUN, "a%41b", false },
	{ NAME_RUN, "it's", false },
	{ NAME_RUN, "a;b", false },
	{ NAME_RUN, "a\tb", false },
	{ NAME_RUN, " a", false },
	{ NAME_RUN, ".", false },
	{ NAME_RUN, "x1y2z3w4", true },
	{ NAME_RUN, "a:b", false },
	{ NAME_RUN, "..", false },
	{ NAME_LABEL, "rank0", true },
	{ NAME_LABEL, "Gerät 1", true },
	{ NAME_LABEL, "a/b", false },
	{ NAME_LABEL, "a\x01", false },
	{ NAME_LABEL, "\xff", false },
	{ NAME_LABEL, "", false },
	{ NAME_CLIENT, "host:1.2-3_x", true },
	{ NAME_CLIENT, "-", true },
	{ NAME_CLIENT, "sdk", false },
	{ NAME_CLIENT, "sdk2", true },
	{ NAME_CLIENT, "a b", false },
	{ NAME_CLIENT, "", false },
	{ NAME_STREAM, "aZ0_-", true },
	{ NAME_STREAM, "-", true },
	{ NAME_STREAM, "a.b", false },
	{ NAME_STREAM, "a:b", false },
	{ NAME_STREAM, "a b", false },
	{ NAME_STREAM, "", false },
	{ NAME_METRIC, "train/loss", true },
	{ NAME_METRIC, "δ", true },
	{ NAME_METRIC, "", false },
	{ NAME_METRIC, "a\tb", false },
	{ NAME_METRIC, "a\x7f", false },
	{ NAME_DISPLAY, "", true },
	{ NAME_DISPLAY, "a / b", true },
	{ NAME_TAG, "", false },
};

static void test_cases(void **state)
{
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct name_case *c = &cases[i];
		err_t e = name_check(a, c->kind, "it", str_of(c->name));

		if (name_is_valid(c->kind, str_of(c->name)) != c->valid || !e != c->valid)
			fail_msg("\"%s\" as kind %d", c->name, (int)c->kind);
		if (e) {
			assert_int_equal(e->kind, ERR_INVALID);
			assert_string_equal(e->field, "it");
		}
	}
	arena_free(a);
}

/* At its limit a name is good, one byte longer it is not. */
static void test_lengths(void **state)
{
	static const struct {
		enum name_kind kind;
		size_t max;
	} limits[] = {
		{ NAME_ENTITY, NAME_ENTITY_MAX },     { NAME_PROJECT, NAME_PROJECT_MAX },
		{ NAME_RUN, NAME_RUN_MAX },           { NAME_LABEL, NAME_LABEL_MAX },
		{ NAME_CLIENT, NAME_CLIENT_MAX },     { NAME_METRIC, NAME_METRIC_MAX },
		{ NAME_DISPLAY, NAME_DISPLAY_MAX },   { NAME_GROUP, NAME_GROUP_MAX },
		{ NAME_JOB_TYPE, NAME_JOB_TYPE_MAX }, { NAME_TAG, NAME_TAG_MAX },
		{ NAME_API_KEY, NAME_API_KEY_MAX },   { NAME_SWEEP, NAME_SWEEP_MAX },
		{ NAME_VIEW, NAME_VIEW_MAX },         { NAME_NOTE, NAME_NOTE_MAX },
		{ NAME_STREAM, NAME_STREAM_MAX },
	};
	char text[1024];

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(sizeof(limits) / sizeof(limits[0]), NAME_KINDS);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		assert_true(name_is_valid(limits[i].kind, (struct str){ text, limits[i].max }));
		assert_false(
			name_is_valid(limits[i].kind, (struct str){ text, limits[i].max + 1 }));
	}
}

static void test_nul(void **state)
{
	(void)state;
	for (int kind = 0; kind < NAME_KINDS; kind++)
		assert_false(name_is_valid((enum name_kind)kind, (struct str){ "a\0b", 3 }));
}

static void test_texts(void **state)
{
	struct arena *a = arena_new(1024);
	err_t e;

	(void)state;
	e = name_check(a, NAME_ENTITY, "entity", STR("api"));
	assert_string_equal(e->message, "the entity \"api\" is reserved");
	e = name_check(a, NAME_ENTITY, "entity", STR("a b"));
	assert_string_equal(e->hint,
			    "expected 1 to 64 characters of A-Z a-z 0-9 _ . -, beginning with a "
			    "letter or digit");
	e = name_check(a, NAME_RUN, "run", STR("a:b"));
	assert_string_equal(e->message, "the run id contains invalid characters");
	e = name_check(a, NAME_JOB_TYPE, "job_type",
		       str_of("aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff12345"));
	assert_string_equal(e->message, "the job type has 65 characters, more than 64");
	assert_string_equal(e->hint,
			    "expected 0 to 64 characters of text without control characters");
	arena_free(a);
}

static void test_fit(void **state)
{
	static const struct {
		struct str name;
		const char *fit;
	} names[] = {
		{ STR(""), "" },
		{ STR("plain"), "plain" },
		{ STR("line one\nline\ttwo\x7f"), "line one line two " },
		{ STR("a\0b"), "a b" },
		{ STR("実験"), "実験" },
	};
	struct arena *a = arena_new(1024);
	char text[3 * (NAME_TAG_MAX + 1)];
	struct str fit;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(str_is(name_fit(a, NAME_TAG, names[i].name), names[i].fit));
	for (size_t i = 0; i < sizeof(text); i += 3)
		memcpy(text + i, "猫", 3);
	fit = name_fit(a, NAME_TAG, (struct str){ text, sizeof(text) });
	assert_int_equal(fit.len, 3 * NAME_TAG_MAX);
	assert_true(name_is_valid(NAME_TAG, fit));
	assert_false(name_is_valid(NAME_TAG, (struct str){ text, sizeof(text) }));
	assert_int_equal(name_max_bytes(NAME_TAG), 4 * NAME_TAG_MAX);
	assert_int_equal(name_max_bytes(NAME_RUN), NAME_RUN_MAX);
	arena_free(a);
}

/* New names are read as they are written. */
static void test_visible(void **state)
{
	static const struct {
		const char *name;
		bool is_visible;
	} texts[] = {
		{ "", true },
		{ "x1y2", true },
		{ "größe", true },
		{ "\xd7\x90\xd7\x91", true },             /* Hebrew letters */
		{ "\xd9\x86\xe2\x80\x8c\xd9\x87", true }, /* U+200C joins no letters */
		{ "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9", true }, /* U+200D, of emoji */
		{ "\xc2\xa0", true },
		{ "a\xe2\x80\x90", true },
		{ "\xe2\x80\xaf", true },
		{ "\xe2\x81\xaa", true },
		{ "\xd8\x9b", true },
		{ "\xc2\x80", false },
		{ "a\xc2\x9f", false },
		{ "\xd8\x9c", false },
		{ "a\xe2\x80\x8e", false },
		{ "a\xe2\x80\x8f", false },
		{ "a\xe2\x80\xa8", false },
		{ "a\xe2\x80\xaa", false },
		{ "\xe2\x80\xaegnp.exe", false },
		{ "\xe2\x81\xa6", false },
		{ "x\xe2\x81\xa9y", false },
	};
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		err_t e = name_check_visible(a, "run", str_of(texts[i].name));

		if (!e != texts[i].is_visible)
			fail_msg("case %zu", i);
		if (e)
			assert_string_equal(e->field, "run");
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_nul),   cmocka_unit_test(test_texts),
		cmocka_unit_test(test_fit),   cmocka_unit_test(test_visible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
