/* Console lines of the SDK, in both forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "sdk_console.h"

#define AT INT64_C(1795207775172235) /* 2026-11-20T20:49:35.172235 */

static const struct sdk_console_ask none = { .labels = SDK_CONSOLE_NO_LABEL };
static const struct sdk_console_ask any = { .labels = SDK_CONSOLE_ANY_LABEL };
static const struct sdk_console_ask rank0 = { SDK_CONSOLE_THIS_LABEL, STR("rank0") };
static const struct sdk_console_ask odd = { SDK_CONSOLE_THIS_LABEL, STR("a] b") };

static void a_line_is_read(void **state)
{
	static const struct {
		const char *line;
		const struct sdk_console_ask *ask;
		bool is_stderr;
		int64_t time_us; /* 0: none */
		const char *label;
		const char *text;
	} cases[] = {
		/* with a prefix */
		{ "2026-11-20T20:49:35.172235 hello", &none, false, AT, "", "hello" },
		{ "ERROR 2026-11-20T20:49:35.172235 oops", &none, true, AT, "", "oops" },
		{ "2026-11-20T20:49:35.172235   in  ", &none, false, AT, "", "  in  " },
		{ "2026-11-20T20:49:35.172235 ", &none, false, AT, "", "" },
		{ "2026-11-20T20:49:35.172235", &none, false, AT, "", "" },
		{ "2026-11-20T20:49:35.172235 synced\n", &none, false, AT, "", "synced" },
		{ "2026-11-20T20:49:35 x", &none, false, AT - 172235, "", "x" },
		{ "2026-11-20T20:49:35.172 x", &none, false, AT - 235, "", "x" },
		{ "2026-11-20T20:49:35.172235 \x1b[31mred\x1b[0m", &none, false, AT, "",
		  "\x1b[31mred\x1b[0m" },
		/* a label, or a text in brackets */
		{ "2026-11-20T20:49:35.172235 [rank0] hello", &any, false, AT, "rank0", "hello" },
		{ "ERROR 2026-11-20T20:49:35.172235 [rank0] oops", &rank0, true, AT, "rank0",
		  "oops" },
		{ "2026-11-20T20:49:35.172235 [rank0] [INFO] x", &any, false, AT, "rank0",
		  "[INFO] x" },
		{ "2026-11-20T20:49:35.172235 [INFO] x", &none, false, AT, "", "[INFO] x" },
		{ "2026-11-20T20:49:35.172235 [INFO] x", &rank0, false, AT, "", "[INFO] x" },
		{ "2026-11-20T20:49:35.172235 [rank01] x", &rank0, false, AT, "", "[rank01] x" },
		{ "2026-11-20T20:49:35.172235 [rank0]x", &any, false, AT, "", "[rank0]x" },
		{ "2026-11-20T20:49:35.172235 [rank0] ", &any, false, AT, "rank0", "" },
		{ "2026-11-20T20:49:35.172235 [rank0]", &rank0, false, AT, "rank0", "" },
		{ "2026-11-20T20:49:35.172235 []", &any, false, AT, "", "[]" },
		{ "2026-11-20T20:49:35.172235 [", &any, false, AT, "", "[" },
		{ "2026-11-20T20:49:35.172235 [rank0", &rank0, false, AT, "", "[rank0" },
		{ "2026-11-20T20:49:35.172235 [a] b] x", &odd, false, AT, "a] b", "x" },
		{ "2026-11-20T20:49:35.172235 x [rank0] y", &any, false, AT, "", "x [rank0] y" },
		/* as JSON */
		{ "{\"ts\":\"2026-11-20T20:49:35.172235\",\"content\":\"hello\"}", &none, false, AT,
		  "", "hello" },
		{ "{\"level\":\"error\",\"ts\":\"2026-11-20T20:49:35.172235\",\"label\":\"n [0]\","
		  "\"content\":\"oops\"}",
		  &none, true, AT, "n [0]", "oops" },
		{ "{\"level\":\"info\",\"ts\":\"2026-11-20T20:49:35.172235\",\"content\":\"\"}",
		  &any, false, AT, "", "" },
		{ "{\"ts\":\"2026-11-20T20:49:35.172235\",\"content\":\"\\u001b[1m\\u00fc\","
		  "\"more\":[1]}",
		  &any, false, AT, "", "\x1b[1m\xc3\xbc" },
		{ "{\"ts\":\"2026-11-20T20:49:35.172235\",\"content\":\"[rank0] x\"}", &any, false,
		  AT, "", "[rank0] x" },
		/* neither */
		{ "", &any, false, 0, "", "" },
		{ "hello", &any, false, 0, "", "hello" },
		{ "ERROR oops", &any, false, 0, "", "ERROR oops" },
		{ "ERROR ", &any, false, 0, "", "ERROR " },
		{ "[rank0] hello", &any, false, 0, "", "[rank0] hello" },
		{ "2026-11-20T20:49:35Z x", &none, false, 0, "", "2026-11-20T20:49:35Z x" },
		{ "2026-02-30T20:49:35 x", &none, false, 0, "", "2026-02-30T20:49:35 x" },
		{ "2026-11-20T20:49:35+01:00 x", &none, false, 0, "",
		  "2026-11-20T20:49:35+01:00 x" },
		{ "1969-11-20T20:49:35 x", &none, false, 0, "", "1969-11-20T20:49:35 x" },
		{ "2026-11-20 20:49:35 x", &none, false, 0, "", "2026-11-20 20:49:35 x" },
		{ " 2026-11-20T20:49:35 x", &none, false, 0, "", " 2026-11-20T20:49:35 x" },
		{ "{\"a\":1}", &none, false, 0, "", "{\"a\":1}" },
		{ "{\"ts\":\"now\",\"content\":\"x\"}", &none, false, 0, "",
		  "{\"ts\":\"now\",\"content\":\"x\"}" },
		{ "{\"ts\":\"2026-11-20T20:49:35\"}", &none, false, 0, "",
		  "{\"ts\":\"2026-11-20T20:49:35\"}" },
		{ "{\"ts\":\"2026-11-20T20:49:35\",\"content\":1}", &none, false, 0, "",
		  "{\"ts\":\"2026-11-20T20:49:35\",\"content\":1}" },
		{ "{\"ts\":\"2026-11-20T20:49:35\",\"content\":\"x\"} y", &none, false, 0, "",
		  "{\"ts\":\"2026-11-20T20:49:35\",\"content\":\"x\"} y" },
		{ "{", &none, false, 0, "", "{" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct sdk_console_line line =
			sdk_console_read(a, str_of(cases[i].line), cases[i].ask);

		if (line.is_stderr != cases[i].is_stderr ||
		    line.has_time != (cases[i].time_us != 0) ||
		    (line.has_time && line.time_us != cases[i].time_us) ||
		    !str_is(line.label, cases[i].label) || !str_is(line.text, cases[i].text))
			fail_msg("case %zu: %d, %lld, \"%.*s\", \"%.*s\"", i, line.is_stderr,
				 (long long)line.time_us, STR_ARG(line.label), STR_ARG(line.text));
		arena_free(a);
	}
}

static void zero_bytes_are_text(void **state)
{
	struct arena *a = arena_new(4096);
	struct sdk_console_line line;

	(void)state;
	line = sdk_console_read(a, STR("2026-11-20T20:49:35 a\0b"), &none);
	assert_true(str_equal(line.text, STR("a\0b")));
	line = sdk_console_read(
		a, STR("{\"ts\":\"2026-11-20T20:49:35\",\"content\":\"a\\u0000b\"}"), &none);
	assert_true(str_equal(line.text, STR("a\0b")));
	line = sdk_console_read(a, STR("2026-11-20T20:49:35\0 a"), &none);
	assert_false(line.has_time);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_read),
		cmocka_unit_test(zero_bytes_are_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
