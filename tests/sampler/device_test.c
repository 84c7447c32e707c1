/* device_test.c - what the sources of devices share: numbers, JSON, names, tools. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decimal.h"
#include "fixture.h"
#include "json_walk.h"
#include "readings.h"
#include "settings.h"
#include "tool.h"

static double read_decimal(const char *text)
{
	double number = NAN;

	return decimal_read(&text, &number) ? number : NAN;
}

static void test_decimals_are_exact(void **state)
{
	static const char *const texts[] = { "0",
					     "-12",
					     "45.0",
					     "7.222",
					     "21.25",
					     "1.5e-05",
					     "8.893013000488281e-05",
					     "9007199254740991",
					     "1e22",
					     "-0.5",
					     "100.00",
					     "2147483648.5" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		assert_true(fabs(read_decimal(texts[i]) - strtod(texts[i], NULL)) <=
			    1e-15 * fabs(strtod(texts[i], NULL)));
}

static void test_decimals_of_any_length(void **state)
{
	char digits[600];

	(void)state;
	memset(digits, '9', sizeof digits - 1);
	digits[sizeof digits - 1] = '\0';
	assert_true(isinf(read_decimal(digits)));
	digits[1] = '.';
	assert_true(fabs(read_decimal(digits) - 10) < 1e-9);
	assert_true(read_decimal("1e-999999999999") == 0);
	assert_true(isinf(read_decimal("1e999999999999")));
	assert_true(fabs(read_decimal("12345678901234567890123") - 12345678901234567890123.0) <
		    1e8);
}

static void test_no_decimals(void **state)
{
	static const char *const texts[] = { "", "-", "N/A", ".5", "nan", "inf", "+1", "x" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		assert_true(isnan(read_decimal(texts[i])));
}

static void test_decimal_with_unit(void **state)
{
	const char *unit;
	double number;

	(void)state;
	assert_true(decimal_with_unit(" 8 GT/s", &number, &unit));
	assert_true(number == 8);
	assert_string_equal(unit, "GT/s");
	assert_true(decimal_with_unit("1300MHz", &number, &unit));
	assert_true(number == 1300);
	assert_string_equal(unit, "MHz");
	assert_false(decimal_with_unit("N/A (Secondary die)", &number, &unit));
}

/* Skips all members but "b". */
static double member_b(const char *text)
{
	struct json_walk walk;
	char name[8];
	double found = NAN;

	json_walk_begin(&walk, text, strlen(text));
	if (!json_walk_object(&walk))
		return NAN;
	while (json_walk_member(&walk, name, sizeof name)) {
		if (strcmp(name, "b") != 0 || !json_walk_number(&walk, &found))
			json_walk_skip(&walk);
	}
	return found;
}

static void test_json_members(void **state)
{
	(void)state;
	assert_true(member_b("{\"a\":1,\"b\":2.5}") == 2.5);
	assert_true(member_b("{\"a\":{\"b\":1,\"c\":[1,{\"x\":\"}]\"}]},\"b\":2,\"z\":null}") == 2);
	assert_true(member_b(" { \"a\" : [ ] , \"b\" : -3 } ") == -3);
	assert_true(member_b("{\"a\":NaN,\"c\":-Infinity,\"d\":true,\"b\":7}") == 7);
	assert_true(isnan(member_b("{\"b\":NaN}")));
	assert_true(isnan(member_b("{\"b\":\"5\"}")));
	assert_true(isnan(member_b("[]")));
	assert_true(isnan(member_b("")));
}

static void test_json_texts(void **state)
{
	static const char text[] =
		"[\"a\\n\\u00e9\\u20ac\\\"\", \"long text\", \"\\ud83d\\ude00\"]";
	struct json_walk walk;
	char got[16];

	(void)state;
	json_walk_begin(&walk, text, sizeof text - 1);
	assert_true(json_walk_array(&walk));
	assert_true(json_walk_element(&walk) && json_walk_text(&walk, got, sizeof got));
	assert_string_equal(got, "a\n\xc3\xa9\xe2\x82\xac\"");
	assert_true(json_walk_element(&walk) && json_walk_text(&walk, got, 5));
	assert_string_equal(got, "long");
	assert_true(json_walk_element(&walk) && json_walk_text(&walk, got, sizeof got));
	assert_string_equal(got, "?\?");
	assert_false(json_walk_element(&walk));
	assert_false(walk.has_failed);
}

/* A text that is cut anywhere gives no number that was not in it. */
static void test_json_cut(void **state)
{
	static const char whole[] = "{\"a\":[1,2,{\"c\":\"x\\u0041\"}],\"b\":12345}";
	char part[sizeof whole];

	(void)state;
	for (size_t length = 0; length < sizeof whole - 1; length++) {
		memcpy(part, whole, length);
		part[length] = '\0';
		double found = member_b(part);
		assert_true(isnan(found) || found == 12345);
	}
	assert_true(member_b(whole) == 12345);
}

static void test_json_depth(void **state)
{
	char text[400];
	struct json_walk walk;

	(void)state;
	memset(text, '[', sizeof text);
	json_walk_begin(&walk, text, sizeof text);
	json_walk_skip(&walk);
	assert_true(walk.has_failed);
	assert_int_equal(walk.depth, JSON_WALK_DEPTH_MAX);
}

/* What closes or separates is no value. */
static void test_json_brackets(void **state)
{
	static const char *const texts[] = { "[,]",      "[,][,][,]",        "[]]",
					     "{\"a\":}", "{\"a\":}\"b\":1}", "[:]" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct json_walk walk;
		char name[8];
		json_walk_begin(&walk, texts[i], strlen(texts[i]));
		if (json_walk_array(&walk)) {
			while (json_walk_element(&walk))
				json_walk_skip(&walk);
		} else if (json_walk_object(&walk)) {
			while (json_walk_member(&walk, name, sizeof name))
				json_walk_skip(&walk);
		}
		assert_true(walk.has_failed || walk.depth == 0);
	}
}

static struct readings readings;

static int setup_readings(void **state)
{
	(void)state;
	memset(&readings, 0, sizeof readings);
	return 0;
}

static int teardown_readings(void **state)
{
	(void)state;
	readings_deinit(&readings);
	return 0;
}

static void test_names_are_kept(void **state)
{
	(void)state;
	readings_add(&readings, 1, "ipu.%d.clock (MHz)", 0);
	readings_add(&readings, NAN, "absent");
	readings_add(&readings, INFINITY, "absent");
	assert_int_equal(readings.count, 1);
	const char *name = readings.values[0].name;
	readings_begin(&readings);
	readings_add(&readings, 3, "other");
	readings_add(&readings, 2, "ipu.%d.clock (MHz)", 0);
	assert_int_equal(readings.count, 2);
	assert_ptr_equal(readings.values[1].name, name);
	assert_true(readings.values[1].value == 2);
}

/* No row may hold a name twice. */
static void test_a_name_counts_once(void **state)
{
	(void)state;
	readings_add(&readings, 1, "same");
	readings_add(&readings, 2, "same");
	assert_int_equal(readings.count, 1);
	assert_true(readings.values[0].value == 1);
	readings_begin(&readings);
	readings_add(&readings, 3, "same");
	assert_int_equal(readings.count, 1);
}

static void test_odd_names(void **state)
{
	char text[READING_NAME_MAX + 1];

	(void)state;
	readings_add(&readings, 1, "a\nb\x7f");
	assert_string_equal(readings.values[0].name, "a_b_");
	readings_add(&readings, 1, "%s", "\xff");
	assert_int_equal(readings.dropped, 1);
	memset(text, 'x', READING_NAME_MAX);
	text[READING_NAME_MAX] = '\0';
	readings_add(&readings, 1, "%s", text);
	assert_int_equal(readings.dropped, 2);
	text[READING_NAME_MAX - 1] = '\0';
	readings_add(&readings, 1, "%s", text);
	assert_int_equal(readings.count, 2);
}

static void test_names_have_a_limit(void **state)
{
	(void)state;
	for (size_t i = 0; i < READING_NAMES_MAX + 5; i++) {
		if (i % READINGS_MAX == 0)
			readings_begin(&readings);
		readings_add(&readings, 1, "name%zu", i);
	}
	assert_int_equal(readings.name_count, READING_NAMES_MAX);
	assert_int_equal(readings.dropped, 5);
	readings_begin(&readings);
	for (size_t i = 0; i < READINGS_MAX + 3; i++)
		readings_add(&readings, 1, "name%zu", i);
	assert_int_equal(readings.count, READINGS_MAX);
	assert_int_equal(readings.dropped, 3);
}

static atomic_bool stop;

struct tools {
	struct fixture fixture;
	struct settings settings;
	char path[TOOL_PATH_MAX];
};

/* A script "tool" in the folder "bin" of the fixture, which is the tool path. */
static void write_tool(struct tools *tools, const char *script)
{
	char path[400];

	fixture_write(&tools->fixture, "bin/tool", "#!/bin/sh\n%s\n", script);
	snprintf(path, sizeof path, "%s/bin/tool", tools->fixture.root);
	assert_int_equal(chmod(path, 0755), 0);
	assert_true(tool_find(&tools->settings, "tool", NULL, tools->path));
	assert_string_equal(tools->path, path);
}

static int setup_tools(void **state)
{
	struct tools *tools = calloc(1, sizeof *tools);
	char path[400];

	*state = tools;
	fixture_begin(&tools->fixture, "");
	snprintf(path, sizeof path, "/nowhere::relative:%s/bin", tools->fixture.root);
	struct sampler_options options = { .tool_path = path };
	return settings_copy(&options, &tools->settings);
}

static int teardown_tools(void **state)
{
	struct tools *tools = *state;

	fixture_end(&tools->fixture);
	free(tools);
	return 0;
}

static enum tool_result run(struct tools *tools, const char *argument, unsigned timeout_ms,
			    char *ret_text, size_t size)
{
	const char *const arguments[] = { tools->path, argument, NULL };

	return tool_run(arguments, timeout_ms, &stop, ret_text, size);
}

#define LONG_MS 60000
#define PATIENCE_S 120

static void test_tool_output(void **state)
{
	struct tools *tools = *state;
	char text[64];

	write_tool(tools, "echo \"got $1\"; echo no >&2; cat");
	assert_int_equal(run(tools, "-a", LONG_MS, text, sizeof text), TOOL_OK);
	assert_string_equal(text, "got -a\n");
}

static void test_tool_fails(void **state)
{
	struct tools *tools = *state;
	char text[64];

	write_tool(tools, "echo part; exit 3");
	assert_int_equal(run(tools, NULL, LONG_MS, text, sizeof text), TOOL_FAILED);
	assert_string_equal(text, "part\n");
	write_tool(tools, "kill -9 $$");
	assert_int_equal(run(tools, NULL, LONG_MS, text, sizeof text), TOOL_FAILED);
	snprintf(tools->path, sizeof tools->path, "/nowhere/tool");
	assert_int_equal(run(tools, NULL, LONG_MS, text, sizeof text), TOOL_NOT_STARTED);
	assert_false(tool_find(&tools->settings, "other", "/nowhere", tools->path));
}

static void test_tool_talks_too_much(void **state)
{
	struct tools *tools = *state;
	char text[1024];

	write_tool(tools, "yes");
	assert_int_equal(run(tools, NULL, LONG_MS, text, sizeof text), TOOL_TOO_LONG);
	assert_int_equal(strlen(text), sizeof text - 1);
}

/* All that the tool started ends with it: the last writer of a pipe that they hold is gone. */
static void test_tool_hangs(void **state)
{
	struct tools *tools = *state;
	char text[64], fifo[400], script[900], byte;

	snprintf(fifo, sizeof fifo, "%s/fifo", tools->fixture.root);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	int reader = open(fifo, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	snprintf(script, sizeof script,
		 "exec 9>'%s'; echo x >&9; (sleep 1000) & echo begun; sleep 1000", fifo);
	write_tool(tools, script);
	assert_int_equal(run(tools, NULL, 2000, text, sizeof text), TOOL_TIMEOUT);
	assert_string_equal(text, "begun\n");
	double start_s = now_s();
	while (read(reader, &byte, 1) != 0) /* 0: nobody has it open */
		assert_true(now_s() - start_s < PATIENCE_S);
	close(reader);
}

/* One that closes its output and stays is not waited for beyond the deadline. */
static void test_tool_stays(void **state)
{
	struct tools *tools = *state;
	char text[64];

	write_tool(tools, "echo all; exec >&-; exec 1>/dev/null; sleep 1000");
	assert_int_equal(run(tools, NULL, 1000, text, sizeof text), TOOL_TIMEOUT);
}

/* The end of the sampler does not wait for a tool. */
static void test_tool_is_stopped(void **state)
{
	struct tools *tools = *state;
	char text[64];

	write_tool(tools, "sleep 1000");
	atomic_store(&stop, true);
	assert_int_equal(run(tools, NULL, LONG_MS, text, sizeof text), TOOL_STOPPED);
	atomic_store(&stop, false);
}

/* Not more often than the settings allow; after failures later and later, up to a limit. */
static void test_turns_of_a_tool(void **state)
{
	struct settings settings = { .tool_period_ms = 1000 };
	struct tool_turns turns = { 0 };
	const uint64_t second_ns = UINT64_C(1000000000);

	(void)state;
	assert_true(tool_is_due(&turns, 0));
	tool_was_run(&turns, &settings, 0, true);
	assert_false(tool_is_due(&turns, second_ns - 1));
	assert_true(tool_is_due(&turns, second_ns));
	for (int i = 0; i < 100; i++)
		tool_was_run(&turns, &settings, 0, false);
	assert_false(tool_is_due(&turns, 64 * second_ns - 1));
	assert_true(tool_is_due(&turns, 64 * second_ns));
	tool_was_run(&turns, &settings, 0, true);
	assert_true(tool_is_due(&turns, second_ns));
}

/* The program's descriptors and signals are not the tool's. */
static void test_tool_is_apart(void **state)
{
	struct tools *tools = *state;
	char text[256];
	sigset_t all, before;

	write_tool(tools, "ls /proc/self/fd | wc -l; kill -s TERM $$; echo alive");
	int leaked = dup(2); /* not close-on-exec */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	signal(SIGTERM, SIG_IGN);
	assert_int_equal(run(tools, NULL, LONG_MS, text, sizeof text), TOOL_FAILED);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(leaked);
	assert_int_equal(atoi(text), 4); /* 0, 1, 2 and the folder */
	assert_null(strstr(text, "alive"));
}

/* A program that ignores SIGCHLD has no exit status; the output counts. */
static void test_tool_without_children(void **state)
{
	struct tools *tools = *state;
	char text[64];

	write_tool(tools, "echo good");
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(run(tools, NULL, LONG_MS, text, sizeof text), TOOL_OK);
	signal(SIGCHLD, SIG_DFL);
	assert_string_equal(text, "good\n");
}

static void test_child_lines(void **state)
{
	struct tools *tools = *state;
	struct tool_child child;
	char text[16];
	ssize_t n;

	write_tool(tools, "echo one; sleep 1000");
	const char *const arguments[] = { tools->path, NULL };
	assert_true(tool_start(&child, arguments));
	while ((n = tool_read(&child, 1000, text, sizeof text)) == 0)
		;
	assert_int_equal(n, 4);
	assert_int_equal(tool_read(&child, 0, text, sizeof text), 0);
	tool_stop(&child);
	assert_int_equal(child.pid, 0);
	tool_stop(&child);
	write_tool(tools, "exit 0");
	assert_true(tool_start(&child, arguments));
	while ((n = tool_read(&child, 1000, text, sizeof text)) == 0)
		;
	assert_int_equal(n, -1);
	tool_stop(&child);
}

#define WITH_READINGS(test) cmocka_unit_test_setup_teardown(test, setup_readings, teardown_readings)
#define WITH_TOOLS(test) cmocka_unit_test_setup_teardown(test, setup_tools, teardown_tools)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decimals_are_exact),
		cmocka_unit_test(test_decimals_of_any_length),
		cmocka_unit_test(test_no_decimals),
		cmocka_unit_test(test_decimal_with_unit),
		cmocka_unit_test(test_json_members),
		cmocka_unit_test(test_json_texts),
		cmocka_unit_test(test_json_cut),
		cmocka_unit_test(test_json_depth),
		cmocka_unit_test(test_json_brackets),
		WITH_READINGS(test_names_are_kept),
		WITH_READINGS(test_a_name_counts_once),
		WITH_READINGS(test_odd_names),
		WITH_READINGS(test_names_have_a_limit),
		WITH_TOOLS(test_tool_output),
		WITH_TOOLS(test_tool_fails),
		WITH_TOOLS(test_tool_talks_too_much),
		WITH_TOOLS(test_tool_hangs),
		WITH_TOOLS(test_tool_stays),
		WITH_TOOLS(test_tool_is_stopped),
		cmocka_unit_test(test_turns_of_a_tool),
		WITH_TOOLS(test_tool_is_apart),
		WITH_TOOLS(test_tool_without_children),
		WITH_TOOLS(test_child_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
