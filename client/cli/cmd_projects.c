/* cairn projects: the projects that one may see, as a table. */
#include <stdio.h>

#include "api.h"
#include "command.h"
#include "names.h"
#include "run_text.h"
#include "say.h"
#include "table.h"

#define PROJECTS_MAX 1000

const struct cli_option projects_options[] = {
	{ "json", 0, NULL, "Print the server's response unchanged." },
	{ 0 },
};

static void add_project(struct table *table, struct json project)
{
	char entity[NAMES_ENTITY_MAX + 1], name[NAMES_PROJECT_MAX + 1];
	char text[NAMES_ENTITY_MAX + 1 + NAMES_PROJECT_MAX + 1];

	run_text_member(project, "entity", entity, sizeof entity);
	run_text_member(project, "name", name, sizeof name);
	snprintf(text, sizeof text, "%s/%s", entity, name);
	table_add(table, text);
	run_text_member(project, "visibility", text, sizeof text);
	table_add(table, text);
	run_text_time(project, "created_at", text, sizeof text);
	table_add(table, text);
	run_text_bytes(project, "bytes", text, sizeof text);
	table_add(table, text);
	run_text_member(project, "description", text, sizeof text);
	table_add(table, text);
}

static void print_projects(struct json list)
{
	struct table table = { .titles = { "PROJECT", "VISIBILITY", "CREATED", "STORED",
					   "DESCRIPTION" },
			       .is_right = { [3] = true },
			       .columns = 5 };
	struct json items = json_member(list, "items"), project = { 0 };

	while (json_next(items, &project, NULL))
		add_project(&table, project);
	if (table.count == 0)
		printf("No projects yet. Your first run creates one.\n");
	else
		table_print(&table, 0);
	table_deinit(&table);
	if (json_is_string(json_member(list, "next_cursor")))
		printf("only the first %d projects are shown\n", PROJECTS_MAX);
}

int command_projects(struct cli *cli)
{
	char path[60];
	struct api api;
	int result;

	if (cli->argc > 0) {
		say("projects takes no argument; use cairn ls PROJECT to list runs");
		return EXIT_USAGE;
	}
	result = api_open(&api, cli, SETTINGS_KEY_NEEDED);
	if (result)
		return result;
	snprintf(path, sizeof path, "/api/v1/projects?limit=%d", PROJECTS_MAX);
	api.expected = "items";
	result = api_ask(&api, "GET", path, NULL);
	if (!result && cli_has(cli, "json"))
		api_print_json(&api);
	else if (!result)
		print_projects(api.answer);
	api_close(&api);
	return result;
}
