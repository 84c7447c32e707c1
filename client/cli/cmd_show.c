/* cairn show: a run on one screen or two. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "say.h"
#include "show.h"
#include "terminal.h"

const struct cli_option show_options[] = {
	{ "metric", 'm', "KEY", "Metric to plot [loss, or the first metric]." },
	{ "label", 'l', "LABEL", "Show console and system metrics of this label only." },
	{ "console", 'c', "LINES", "Number of lines per label, 0 for none [5]." },
	{ "only", 'o', "PART",
	  "Show one part: run, writers, states, summary, curve, console, "
	  "system." },
	{ "json", 0, NULL, "Print the server's response unchanged." },
	{ 0 },
};

struct part {
	const char *name;
	int (*show)(struct show *show);
};

static const struct part parts[] = {
	{ "run", show_run },         { "writers", show_writers }, { "states", show_states },
	{ "summary", show_summary }, { "curve", show_curve },     { "console", show_console },
	{ "system", show_system },
};

static const struct part *find_part(const char *name)
{
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (name && strcmp(parts[i].name, name) == 0)
			return &parts[i];
	}
	return NULL;
}

void show_title(const struct show *show, const char *title)
{
	fputs(show->has_colour ? "\n\033[1m" : "\n", stdout);
	terminal_print(title, (size_t)terminal_width());
	fputs(show->has_colour ? "\033[0m\n" : "\n", stdout);
}

static int show_json(struct show *show)
{
	const char *path = api_run_path(show->api, show->run, "");
	int result;

	show->api->expected = "state";
	result = path ? api_ask(show->api, "GET", path, NULL) : show->api->failed;
	if (!result)
		api_print_json(show->api);
	return result;
}

static int show_parts(struct show *show, const struct part *only)
{
	int result = EXIT_DONE;

	if (only)
		return only->show(show);
	for (size_t i = 0; !result && i < sizeof parts / sizeof parts[0]; i++)
		result = parts[i].show(show);
	return result;
}

int command_show(struct cli *cli)
{
	struct show show = { .label = cli_value(cli, "label"),
			     .metric = cli_value(cli, "metric"),
			     .console_lines = 5,
			     .is_alone = cli_has(cli, "only"),
			     .has_colour = terminal_has_colour() };
	const char *only = cli_value(cli, "only");
	struct api api;
	int result;

	if (!cli_int(cli, "console", 0, 10000, &show.console_lines))
		return EXIT_USAGE;
	if (cli->argc > 1 || (only && !find_part(only))) {
		say(cli->argc > 1 ? "show takes one run"
				  : "--only must be run, writers, states, summary, curve, "
				    "console or system");
		return EXIT_USAGE;
	}
	result = api_open(&api, cli, SETTINGS_KEY_OPTIONAL);
	if (result)
		return result;
	show.api = &api;
	show.run = api_run_argument(&api, cli->argc ? cli->argv[0] : NULL);
	if (!show.run)
		result = EXIT_USAGE;
	else if (cli_has(cli, "json"))
		result = show_json(&show);
	else
		result = show_parts(&show, find_part(only));
	api_close(&api);
	return result;
}
