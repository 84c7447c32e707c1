/* cairn ls: the runs of a project as a table, newest first. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "command.h"
#include "names.h"
#include "run_text.h"
#include "say.h"
#include "table.h"

const struct cli_option ls_options[] = {
	{ "filter", 'f', "FILTER",
	  "List only runs that match: state:crashed config.lr<0.01, or "
	  "JSON." },
	{ "order", 'o', "ORDER", "Sort by a key: -created_at, display_name, summary.loss ..." },
	{ "limit", 'n', "COUNT", "Maximum number of runs [20]." },
	{ "json", 0, NULL, "Print the server's response unchanged." },
	{ 0 },
};

static void add_run(struct table *table, struct json run)
{
	char text[NAMES_RUN_MAX + 1];

	run_text_member(run, "id", text, sizeof text);
	table_add(table, text);
	run_text_member(run, "state", text, sizeof text);
	table_add(table, text);
	run_text_number(run, "rows", text, sizeof text);
	table_add(table, text);
	run_text_number(run, "last_step", text, sizeof text);
	table_add(table, text);
	run_text_time(run, "created_at", text, sizeof text);
	table_add(table, text);
	run_text_duration(run, text, sizeof text);
	table_add(table, text);
	run_text_member(run, "user", text, sizeof text);
	table_add(table, text);
	run_text_member(run, "display_name", text, sizeof text);
	table_add(table, text);
}

/* A busy server says when its list lacks what was stored last. */
static void say_age(const struct api *api)
{
	double behind_s;

	if (json_number(json_member(api->answer, "behind_s"), &behind_s))
		say("the list does not include all data stored in the last %.1f seconds", behind_s);
}

static void say_none(const struct api *api, const char *filter)
{
	printf(filter ? "no runs in %s/%s match\n" : "no runs in %s/%s\n", api->settings.entity,
	       api->settings.project);
	if (filter && strstr(filter, "state"))
		say("states are running, finished, failed, crashed, killed, pending, preempting "
		    "and preempted");
}

static void print_runs(const struct api *api, const char *filter)
{
	struct table table = { .titles = { "RUN", "STATE", "ROWS", "STEP", "CREATED", "TOOK", "BY",
					   "NAME" },
			       .is_right = { false, false, true, true, false, true },
			       .columns = 8 };
	struct json items = json_member(api->answer, "items"), run = { 0 };

	while (json_next(items, &run, NULL))
		add_run(&table, run);
	if (table.count == 0)
		say_none(api, filter);
	else
		table_print(&table, 0);
	table_deinit(&table);
	say_age(api);
	if (json_is_string(json_member(api->answer, "next_cursor")))
		printf("more runs match: use --limit\n");
}

/* PROJECT as an argument goes before --project. */
static bool take_project(struct api *api, const struct cli *cli)
{
	const char *name = cli->argc ? cli->argv[0] : NULL;

	if (cli->argc > 1) {
		say("ls takes one project");
		return false;
	}
	if (!name || api_set_project(api, name, strlen(name)))
		return true;
	say("invalid project \"%s\": expected PROJECT or ENTITY/PROJECT", name);
	return false;
}

int command_ls(struct cli *cli)
{
	struct text query = { 0 };
	struct api api;
	const char *path;
	long limit = 20;
	int result;

	if (!cli_int(cli, "limit", 1, 1000, &limit))
		return EXIT_USAGE;
	result = api_open(&api, cli, SETTINGS_KEY_NEEDED);
	if (result)
		return result;
	result = EXIT_USAGE;
	if (!take_project(&api, cli))
		goto out;
	text_format(&query, "/runs?limit=%ld", limit);
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "order" : "filter", *value = cli_value(cli, name);

		if (value) {
			text_format(&query, "&%s=", name);
			text_escaped(&query, value);
		}
	}
	path = text_c_string(&query) ? api_project_path(&api, query.data) : NULL;
	api.expected = "items";
	result = path ? api_ask(&api, "GET", path, NULL) : api.failed;
	if (result)
		goto out;
	if (cli_has(cli, "json"))
		api_print_json(&api);
	else
		print_runs(&api, cli_value(cli, "filter"));
out:
	text_deinit(&query);
	api_close(&api);
	return result;
}
