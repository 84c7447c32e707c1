/* cairn alert: a person, or a script, tells others of a run. */
#include <stdio.h>

#include "api.h"
#include "command.h"
#include "say.h"

const struct cli_option alert_options[] = {
	{ "title", 't', "TEXT", "Title, one line; required." },
	{ "text", 'm', "TEXT", "Text with details." },
	{ "level", 'l', "LEVEL", "info, warn or error [info]." },
	{ 0 },
};

static int post(struct api *api, const char *argument, const struct text *body)
{
	const char *run = api_run_argument(api, argument);
	const char *path = run ? api_run_path(api, run, "/alerts") : NULL;
	int64_t number;
	int result = run ? api->failed : EXIT_USAGE;

	api->expected = "number";
	if (path)
		result = api_ask(api, "POST", path, body);
	if (path && !result && json_int(json_member(api->answer, "number"), &number))
		printf("alert %lld of %s\n", (long long)number, run);
	return result;
}

int command_alert(struct cli *cli)
{
	const char *title = cli_value(cli, "title");
	struct text body = { 0 };
	struct api api;
	int result;

	if (!title || cli->argc > 1) {
		say(title ? "alert takes one run" : "alert requires a --title");
		return EXIT_USAGE;
	}
	result = api_open(&api, cli, SETTINGS_KEY_NEEDED);
	if (result)
		return result;
	text_str(&body, "{");
	text_json_member(&body, "title", title);
	text_json_member(&body, "text", cli_value(cli, "text"));
	text_json_member(&body, "level", cli_value(cli, "level"));
	text_str(&body, "}");
	result = post(&api, cli->argc ? cli->argv[0] : NULL, &body);
	text_deinit(&body);
	api_close(&api);
	return result;
}
