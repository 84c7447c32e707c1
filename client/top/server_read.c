/* Reads the parts of a server's data that are lists of runs, writers and lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "run_text.h"
#include "server_parts.h"

#define LINES_READ "300"
#define WRITERS_READ "1000"

static double number_of(struct json object, const char *name)
{
	double number;

	return json_number(json_member(object, name), &number) ? number : NAN;
}

static double time_of(struct json object, const char *name)
{
	double seconds;

	return run_text_seconds(json_member(object, name), &seconds) ? seconds : 0;
}

/* The text of a member; "" if it is null or absent. NULL without memory. */
static char *text_of(struct json object, const char *name)
{
	struct json member = json_member(object, name);

	return json_is_string(member) ? json_text(member) : strdup("");
}

int server_get_run(struct server_source *server, const char *tail, const char *expected)
{
	const char *path = api_run_path(&server->api, server->run, tail);

	server->api.expected = expected;
	return path ? api_try(&server->api, "GET", path, NULL) : EXIT_REFUSED;
}

int server_get_project(struct server_source *server, const char *tail, const char *expected)
{
	const char *path = api_project_path(&server->api, tail);

	server->api.expected = expected;
	return path ? api_try(&server->api, "GET", path, NULL) : EXIT_REFUSED;
}

static size_t count_items(struct json items, size_t most)
{
	struct json item = { 0 };
	size_t count = 0;

	while (count < most && json_next(items, &item, NULL))
		count++;
	return count;
}

/* ---- runs ---------------------------------------------------------------------------------------- */

static void read_values(struct json values, struct model_run *run)
{
	struct json value = { 0 };

	for (int i = 0; i < MODEL_COLUMNS_MAX && json_next(values, &value, NULL); i++) {
		double number;

		if (json_number(value, &number))
			chart_number(number, run->values[i]);
		else if (json_is_string(value))
			json_copy(value, run->values[i], sizeof run->values[i]);
	}
}

static bool read_run(struct json item, struct model_run *run)
{
	*run = (struct model_run){ .id = text_of(item, "id"),
				   .name = text_of(item, "display_name"),
				   .state = text_of(item, "state"),
				   .rows = number_of(item, "rows"),
				   .last_step = number_of(item, "last_step"),
				   .started_s = time_of(item, "started_at"),
				   .ended_s = time_of(item, "ended_at"),
				   .heard_s = time_of(item, "heard_at") };
	read_values(json_member(item, "values"), run);
	if (run->id && run->id[0] && run->name && run->state)
		return true;
	free(run->id);
	free(run->name);
	free(run->state);
	return false;
}

static int read_one_run(struct server_source *server)
{
	struct model_run *runs = calloc(1, sizeof *runs);
	int result = server_get_run(server, "", "state");
	struct model *model;
	size_t count = 0;

	if (result || !runs) {
		free(runs);
		return result;
	}
	count += read_run(server->api.answer, &runs[0]);
	model = feed_begin(server->feed);
	model_take_runs(model, runs, count);
	feed_end(server->feed);
	return result;
}

static void add_columns(struct server_source *server, struct text *tail)
{
	for (size_t i = 0; i < server->wants.column_count; i++) {
		struct text key = { 0 };

		text_format(&key, "summary.%s", server->wants.columns[i]);
		text_str(tail, i ? "," : "&keys=");
		if (text_c_string(&key))
			server_add_key(tail, key.data);
		text_deinit(&key);
	}
}

static void take_runs(struct server_source *server)
{
	struct json items = json_member(server->api.answer, "items"), item = { 0 };
	size_t most = count_items(items, MODEL_RUNS_MAX), count = 0;
	struct model_run *runs = calloc(most ? most : 1, sizeof *runs);
	struct model *model;

	if (!runs)
		return;
	while (count < most && json_next(items, &item, NULL))
		count += read_run(item, &runs[count]);
	model = feed_begin(server->feed);
	model_take_runs(model, runs, count);
	model->has_more_runs = json_is_string(json_member(server->api.answer, "next_cursor"));
	for (size_t i = 0; i < MODEL_COLUMNS_MAX; i++) {
		bool has_one = i < server->wants.column_count;

		free(model->columns[i]);
		model->columns[i] = has_one ? strdup(server->wants.columns[i]) : NULL;
	}
	feed_end(server->feed);
}

static void add_option(const struct server_source *server, struct text *tail, const char *name)
{
	const char *value = cli_value(server->cli, name);

	if (!value)
		return;
	text_format(tail, "&%s=", name);
	text_escaped(tail, value);
}

int server_read_runs(struct server_source *server)
{
	struct text tail = { 0 };
	int result;

	if (server->is_run)
		return read_one_run(server);
	text_format(&tail, "/runs?limit=%d", MODEL_RUNS_MAX);
	add_option(server, &tail, "filter");
	add_option(server, &tail, "order");
	add_columns(server, &tail);
	result = text_c_string(&tail) ? server_get_project(server, tail.data, "items")
				      : EXIT_REFUSED;
	text_deinit(&tail);
	if (!result)
		take_runs(server);
	return result;
}

/* ---- writers --------------------------------------------------------------------------------------- */

static void forget_hosts(struct server_source *server)
{
	for (size_t i = 0; i < server->host_count; i++)
		free(server->hosts[i].host);
	free(server->hosts);
	server->hosts = NULL;
	server->host_count = 0;
}

static bool read_writer(struct json item, struct model_writer *writer)
{
	*writer = (struct model_writer){ .label = text_of(item, "label"),
					 .role = text_of(item, "role"),
					 .state = text_of(item, "state"),
					 .host = text_of(item, "host"),
					 .rows = number_of(item, "history_rows"),
					 .dropped = number_of(item, "dropped_rows"),
					 .heard_s = time_of(item, "heard_at") };
	if (writer->label && writer->role && writer->state && writer->host)
		return true;
	free(writer->label);
	free(writer->role);
	free(writer->state);
	free(writer->host);
	return false;
}

static void note_host(struct server_source *server, struct json item,
		      const struct model_writer *writer)
{
	struct writer_host *host = &server->hosts[server->host_count];

	host->number = number_of(item, "number");
	host->host = strdup(writer->host[0] ? writer->host : writer->label);
	server->host_count += host->host != NULL;
}

static int read_writers(struct server_source *server)
{
	int result = server_get_run(server, "/writers?limit=" WRITERS_READ, "items");
	struct json items = json_member(server->api.answer, "items"), item = { 0 };
	size_t most = count_items(items, SIZE_MAX), count = 0;
	struct model_writer *writers = calloc(most ? most : 1, sizeof *writers);

	if (result || !writers) {
		free(writers);
		return result;
	}
	forget_hosts(server);
	server->hosts = calloc(most ? most : 1, sizeof *server->hosts);
	while (count < most && json_next(items, &item, NULL)) {
		if (!read_writer(item, &writers[count]))
			continue;
		if (server->hosts)
			note_host(server, item, &writers[count]);
		count++;
	}
	model_take_writers(feed_begin(server->feed), writers, count);
	feed_end(server->feed);
	return result;
}

/* ---- console --------------------------------------------------------------------------------------- */

static bool read_line(struct json item, struct model_line *line)
{
	char word[20];

	*line = (struct model_line){ .label = text_of(item, "label"),
				     .text = text_of(item, "text"),
				     .number = number_of(item, "line") };
	json_copy(json_member(item, "level"), word, sizeof word);
	line->is_error = strcmp(word, "error") == 0;
	if (line->label && line->text)
		return true;
	free(line->label);
	free(line->text);
	return false;
}

/* The latest comes first. */
static int read_console(struct server_source *server)
{
	int result = server_get_run(server, "/console?order=-arrival&limit=" LINES_READ, "items");
	struct json items = json_member(server->api.answer, "items"), item = { 0 };
	size_t most = count_items(items, MODEL_LINES_MAX), count = 0;
	struct model_line *lines = calloc(most ? most : 1, sizeof *lines);

	if (result || !lines) {
		free(lines);
		return result;
	}
	while (count < most && json_next(items, &item, NULL))
		count += read_line(item, &lines[count]);
	for (size_t i = 0; i < count / 2; i++) {
		struct model_line line = lines[i];

		lines[i] = lines[count - 1 - i];
		lines[count - 1 - i] = line;
	}
	model_take_lines(feed_begin(server->feed), lines, count);
	feed_end(server->feed);
	return result;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

void server_forget_run(struct server_source *server)
{
	forget_hosts(server);
	for (size_t i = 0; i < server->device_key_count; i++)
		free(server->device_keys[i]);
	free(server->device_keys);
	server->device_keys = NULL;
	server->device_key_count = 0;
	server->device_keys_us = 0;
}

int server_read(struct server_source *server, enum server_part part)
{
	static int (*const reads[PARTS])(struct server_source * server) = {
		[PART_RUNS] = server_read_runs,       [PART_WRITERS] = read_writers,
		[PART_METRICS] = server_read_metrics, [PART_CHARTS] = server_read_charts,
		[PART_DEVICES] = server_read_devices, [PART_CONSOLE] = read_console,
	};

	if (part != PART_RUNS && !server->run[0])
		return EXIT_DONE;
	return reads[part](server);
}
