/* Prints the series of a run: a curve, the console, system metrics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "run_text.h"
#include "say.h"
#include "show.h"
#include "table.h"
#include "terminal.h"

#define PLOT_ROWS 13
#define PLOT_WIDTH_MAX 160
#define KEYS_SHOWN 40
#define KEYS_NAMED 8 /* where one was asked for that is not there */

/* Appends a metric's name as an element of `keys`. */
static void add_key(struct text *query, const char *key)
{
	struct text escaped = { 0 };

	for (; *key; key++) {
		if (*key == ',' || *key == '\\')
			text_add(&escaped, "\\", 1);
		text_add(&escaped, key, 1);
	}
	if (text_c_string(&escaped))
		text_escaped(query, escaped.data);
	text_deinit(&escaped);
}

static int ask(struct show *show, struct text *tail, const char *expected)
{
	const char *path = NULL;

	if (text_c_string(tail))
		path = api_run_path(show->api, show->run, tail->data);
	show->api->expected = expected;
	return path ? api_ask(show->api, "GET", path, NULL) : show->api->failed;
}

/* The names of a stream's numeric metrics, as many as fit; the caller frees them. */
static int list_keys(struct show *show, const char *stream, char **keys, size_t *count)
{
	struct text tail = { 0 };
	struct json item = { 0 };
	size_t max = *count;
	int result;

	*count = 0;
	text_format(&tail, "/keys?stream=%s&limit=1000", stream);
	result = ask(show, &tail, "items");
	text_deinit(&tail);
	if (result)
		return result;
	while (*count < max && json_next(json_member(show->api->answer, "items"), &item, NULL)) {
		char kind[20];
		struct json kinds = json_member(item, "kinds"), first = { 0 };

		if (!json_next(kinds, &first, NULL))
			continue;
		json_copy(first, kind, sizeof kind);
		if (strcmp(kind, "number") != 0)
			continue;
		keys[*count] = json_text(json_member(item, "key"));
		*count += keys[*count] != NULL;
	}
	return EXIT_DONE;
}

static void free_keys(char **keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(keys[i]);
}

/* "loss", or a name that ends in it, or the first. */
static const char *choose_key(char **keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(keys[i], "loss") == 0)
			return keys[i];
	}
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(keys[i]);

		if (length >= 4 && strcmp(keys[i] + length - 4, "loss") == 0)
			return keys[i];
	}
	return count ? keys[0] : NULL;
}

static bool read_point(struct json bucket, struct plot_point *point)
{
	double first, last;

	if (!json_number(json_member(bucket, "x_first"), &first) ||
	    !json_number(json_member(bucket, "x_last"), &last) ||
	    !json_number(json_member(bucket, "min"), &point->low) ||
	    !json_number(json_member(bucket, "max"), &point->high) ||
	    !json_number(json_member(bucket, "mean"), &point->mean))
		return false;
	point->x = (first + last) / 2;
	return true;
}

static bool draw(struct show *show, const char *key, int width)
{
	struct json series = { 0 }, bucket = { 0 };
	struct plot_point *points;
	size_t count = 0;

	json_next(json_member(show->api->answer, "series"), &series, NULL);
	points = calloc((size_t)width * 2, sizeof *points);
	if (!points)
		return false;
	while (count < (size_t)width * 2 &&
	       json_next(json_member(series, "buckets"), &bucket, NULL))
		count += read_point(bucket, &points[count]);
	if (count)
		plot_draw(key, points, count, width, PLOT_ROWS);
	free(points);
	return count > 0;
}

static void say_no_values(const char *key, char **keys, size_t count)
{
	printf("  no values of \"%s\"", key);
	for (size_t i = 0; i < count && i < KEYS_NAMED; i++) {
		fputs(i ? ", " : "; available: ", stdout);
		terminal_print(keys[i], 60);
	}
	puts(count > KEYS_NAMED ? " ..." : "");
}

int show_curve(struct show *show)
{
	char *keys[1000];
	size_t count = sizeof keys / sizeof keys[0];
	int width = terminal_width() - 2, result = list_keys(show, "history", keys, &count);
	struct text tail = { 0 };
	const char *key;

	if (result)
		return result;
	width = width < PLOT_WIDTH_MAX ? width : PLOT_WIDTH_MAX;
	key = show->metric ? show->metric : choose_key(keys, count);
	if (!key) {
		free_keys(keys, count);
		return EXIT_DONE;
	}
	text_format(&tail, "/history?buckets=%d&keys=", width * 2 - 24);
	add_key(&tail, key);
	result = ask(show, &tail, "series");
	if (!result) {
		show_title(show, "curve");
		if (!draw(show, key, width))
			say_no_values(key, keys, count);
	}
	text_deinit(&tail);
	free_keys(keys, count);
	return result;
}

static void add_label(struct show *show, struct text *tail)
{
	if (!show->label)
		return;
	text_str(tail, "&label=");
	text_escaped(tail, show->label);
}

/* Lines come ordered by writer. */
static void print_lines(struct json items)
{
	char label[140], previous[140] = "";
	struct json item = { 0 };
	char *text;

	while (json_next(items, &item, NULL)) {
		run_text_member(item, "label", label, sizeof label);
		if (strcmp(label, previous) != 0) {
			printf("  ");
			terminal_print(label, (size_t)terminal_width() - 3);
			putchar('\n');
		}
		snprintf(previous, sizeof previous, "%s", label);
		text = json_text(json_member(item, "text"));
		printf("    ");
		terminal_print(text ? text : "", (size_t)terminal_width() - 5);
		putchar('\n');
		free(text);
	}
}

int show_console(struct show *show)
{
	struct text tail = { 0 };
	struct json first = { 0 };
	int result;

	if (show->console_lines == 0)
		return EXIT_DONE;
	text_format(&tail, "/console?limit=10000&tail=%ld", show->console_lines);
	add_label(show, &tail);
	result = ask(show, &tail, "items");
	text_deinit(&tail);
	if (result)
		return result;
	if (!json_next(json_member(show->api->answer, "items"), &first, NULL) && !show->is_alone)
		return EXIT_DONE;
	show_title(show, "console");
	print_lines(json_member(show->api->answer, "items"));
	return EXIT_DONE;
}

static void add_number(struct table *table, struct json bucket, const char *name)
{
	char text[40];
	double number;

	if (json_number(json_member(bucket, name), &number))
		snprintf(text, sizeof text, "%.5g", number);
	else
		snprintf(text, sizeof text, "-");
	table_add(table, text);
}

static void print_system(struct json answer)
{
	struct table table = { .titles = { "LABEL", "METRIC", "MIN", "MEAN", "MAX", "LAST" },
			       .is_right = { [2] = true, true, true, true },
			       .columns = 6 };
	struct json series = { 0 };
	char text[300];

	while (json_next(json_member(answer, "series"), &series, NULL)) {
		struct json bucket = { 0 };

		if (!json_next(json_member(series, "buckets"), &bucket, NULL))
			continue;
		run_text_member(series, "label", text, sizeof text);
		table_add(&table, text);
		run_text_member(series, "key", text, sizeof text);
		table_add(&table, text);
		add_number(&table, bucket, "min");
		add_number(&table, bucket, "mean");
		add_number(&table, bucket, "max");
		add_number(&table, bucket, "last");
	}
	table_print(&table, 2);
	table_deinit(&table);
}

/* The metrics that tell most on a line each; with a label given, all of them. */
static bool is_shown(const struct show *show, const char *key)
{
	static const char *const few[] = {
		"cpu",          "memory_percent", "proc.memory.rssMB",     "proc.cpu.threads",
		"network.sent", "gpu.0.gpu",      "gpu.0.memoryAllocated", "gpu.0.powerWatts"
	};

	for (size_t i = 0; !show->label && i < sizeof few / sizeof few[0]; i++) {
		if (strcmp(few[i], key) == 0)
			return true;
	}
	return show->label != NULL;
}

int show_system(struct show *show)
{
	char *keys[1000];
	size_t count = sizeof keys / sizeof keys[0], used = 0;
	int result = list_keys(show, "events", keys, &count);
	struct text tail = { 0 };

	if (result)
		return result;
	text_str(&tail, "/events?buckets=1&split=writer");
	add_label(show, &tail);
	text_str(&tail, "&keys=");
	for (size_t i = 0; i < count && used < KEYS_SHOWN; i++) {
		if (!is_shown(show, keys[i]))
			continue;
		text_str(&tail, used++ ? "," : "");
		add_key(&tail, keys[i]);
	}
	free_keys(keys, count);
	if (used) {
		result = ask(show, &tail, "series");
		show_title(show, "system metrics");
		if (!result)
			print_system(show->api->answer);
	}
	text_deinit(&tail);
	return result;
}
