/* Prints a run: facts, writers, states, summary. */
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "run_text.h"
#include "show.h"
#include "table.h"
#include "terminal.h"

#define LIST_LIMIT "100"

/* Asks for a part of the run. */
static int ask(struct show *show, const char *tail, const char *expected)
{
	const char *path = api_run_path(show->api, show->run, tail);

	show->api->expected = expected;
	return path ? api_ask(show->api, "GET", path, NULL) : show->api->failed;
}

static void print_fact(const char *name, const char *text)
{
	if (!text[0] || strcmp(text, "-") == 0)
		return;
	printf("  %-10s ", name);
	terminal_print(text, (size_t)terminal_width() - 14);
	putchar('\n');
}

static void print_end(struct json run)
{
	char state[32], code[32], end[280], line[400], reason[120];

	run_text_member(run, "state", state, sizeof state);
	run_text_number(run, "exit_code", code, sizeof code);
	run_text_member(run, "stop_reason", reason, sizeof reason);
	run_text_member(run, "end_reason", end, sizeof end);
	snprintf(line, sizeof line, "%s%s%s%s%s", state, end[0] ? ": " : "", end,
		 code[0] == '-' && !code[1] ? "" : ", exit code ",
		 code[0] == '-' && !code[1] ? "" : code);
	print_fact("state", line);
	if (json_is_string(json_member(run, "stop_requested_at")))
		print_fact("stop", reason[0] ? reason : "requested");
}

int show_run(struct show *show)
{
	char text[300], line[NAMES_ENTITY_MAX + NAMES_PROJECT_MAX + 400];
	struct json run;
	int result = ask(show, "", "state");

	if (result)
		return result;
	run = show->api->answer;
	run_text_member(run, "display_name", text, sizeof text);
	if (strcmp(text, show->run) == 0)
		text[0] = '\0';
	snprintf(line, sizeof line, "run %s%s%s", show->run, text[0] ? "  " : "", text);
	show_title(show, line);
	snprintf(line, sizeof line, "%s/%s", show->api->settings.entity,
		 show->api->settings.project);
	print_fact("project", line);
	print_end(run);
	run_text_time(run, "created_at", text, sizeof text);
	print_fact("created", text);
	run_text_duration(run, text, sizeof text);
	print_fact("took", text);
	run_text_number(run, "attempt", text, sizeof text);
	print_fact("attempt", text);
	run_text_number(run, "rows", text, sizeof text);
	print_fact("rows", text);
	run_text_number(run, "last_step", text, sizeof text);
	print_fact("last step", text);
	run_text_bytes(run, "bytes", text, sizeof text);
	print_fact("stored", text);
	run_text_member(run, "user", text, sizeof text);
	print_fact("by", text);
	run_text_member(run, "group", text, sizeof text);
	print_fact("group", text);
	run_text_member(run, "job_type", text, sizeof text);
	print_fact("job type", text);
	return EXIT_DONE;
}

/* A list that goes on says so. */
static void print_more(struct json list)
{
	if (json_is_string(json_member(list, "next_cursor")))
		printf("  ... only the first " LIST_LIMIT " are shown\n");
}

static void add_writer(struct table *table, struct json writer)
{
	char text[200];

	run_text_member(writer, "label", text, sizeof text);
	table_add(table, text);
	run_text_member(writer, "role", text, sizeof text);
	table_add(table, text);
	run_text_member(writer, "state", text, sizeof text);
	table_add(table, text);
	run_text_number(writer, "history_rows", text, sizeof text);
	table_add(table, text);
	run_text_number(writer, "event_rows", text, sizeof text);
	table_add(table, text);
	run_text_number(writer, "console_lines", text, sizeof text);
	table_add(table, text);
	run_text_number(writer, "dropped_rows", text, sizeof text);
	table_add(table, text);
	run_text_number(writer, "exit_code", text, sizeof text);
	table_add(table, text);
	run_text_ago(writer, "heard_at", text, sizeof text);
	table_add(table, text);
}

int show_writers(struct show *show)
{
	struct table table = { .titles = { "LABEL", "ROLE", "STATE", "ROWS", "EVENTS", "LINES",
					   "DROPPED", "EXIT", "HEARD" },
			       .is_right = { [3] = true, true, true, true, true, true },
			       .columns = 9 };
	struct json writer = { 0 };
	int result = ask(show, "/writers?limit=" LIST_LIMIT, "items");

	if (result)
		return result;
	show_title(show, "writers");
	while (json_next(json_member(show->api->answer, "items"), &writer, NULL))
		add_writer(&table, writer);
	table_print(&table, 2);
	print_more(show->api->answer);
	table_deinit(&table);
	return EXIT_DONE;
}

static void add_state(struct table *table, struct json change)
{
	char who[32], name[160], text[200];

	run_text_time(change, "at", text, sizeof text);
	table_add(table, text);
	run_text_member(change, "to", text, sizeof text);
	table_add(table, text);
	run_text_member(change, "who", who, sizeof who);
	run_text_member(change, "label", name, sizeof name);
	if (!name[0])
		run_text_member(change, "user", name, sizeof name);
	snprintf(text, sizeof text, "%s%s%s", who, name[0] ? " " : "", name);
	table_add(table, text);
	run_text_member(change, "reason", text, sizeof text);
	table_add(table, text);
}

int show_states(struct show *show)
{
	struct table table = { .titles = { "AT", "STATE", "WHO", "WHY" }, .columns = 4 };
	struct json change = { 0 };
	int result = ask(show, "/states?limit=" LIST_LIMIT, "items");

	if (result)
		return result;
	show_title(show, "states");
	while (json_next(json_member(show->api->answer, "items"), &change, NULL))
		add_state(&table, change);
	table_print(&table, 2);
	print_more(show->api->answer);
	table_deinit(&table);
	return EXIT_DONE;
}

int show_summary(struct show *show)
{
	struct table table = { .titles = { "KEY", "VALUE" }, .columns = 2 };
	struct json value = { 0 }, name;
	int result = ask(show, "/summary", NULL);

	if (result)
		return result;
	show_title(show, "summary");
	while (json_next(show->api->answer, &value, &name)) {
		char text[300];

		json_copy(name, text, sizeof text);
		table_add(&table, text);
		run_text_value(value, text, sizeof text);
		table_add(&table, text);
	}
	table_print(&table, 2);
	table_deinit(&table);
	return EXIT_DONE;
}
