/* cairn finish and cairn stop: a person ends a run, or asks it to end. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "command.h"
#include "say.h"

const struct cli_option finish_options[] = {
	{ "exit-code", 'e', "CODE", "0 means finished, any other code failed [0]." },
	{ "state", 's', "STATE", "finished, failed or killed, instead of an exit code." },
	{ "reason", 'm', "TEXT", "Reason, shown in the states of the run." },
	{ 0 },
};

const struct cli_option stop_options[] = {
	{ "reason", 'm', "TEXT", "Reason, stored with the run (stop_reason)." },
	{ 0 },
};

static int post_to_run(const struct cli *cli, const char *tail, const struct text *body)
{
	struct api api;
	const char *run, *path;
	char state[32];
	int result = api_open(&api, cli, SETTINGS_KEY_NEEDED);

	if (result)
		return result;
	result = EXIT_USAGE;
	run = api_run_argument(&api, cli->argc ? cli->argv[0] : NULL);
	path = run ? api_run_path(&api, run, tail) : NULL;
	api.expected = "state";
	if (run)
		result = path ? api_ask(&api, "POST", path, body) : api.failed;
	if (path && !result) {
		json_line(json_member(api.answer, "state"), state, sizeof state);
		printf("%s is %s%s\n", run, state[0] ? state : "told",
		       strcmp(tail, "/stop") == 0 ? "; its writers have been asked to stop" : "");
	}
	api_close(&api);
	return result;
}

int command_finish(struct cli *cli)
{
	struct text body = { 0 };
	long code = 0;
	int result;

	if (!cli_int(cli, "exit-code", -255, 255, &code))
		return EXIT_USAGE;
	if (cli->argc > 1) {
		say("finish takes one run");
		return EXIT_USAGE;
	}
	text_str(&body, "{");
	text_json_member(&body, "state", cli_value(cli, "state"));
	if (!cli_has(cli, "state") || cli_has(cli, "exit-code"))
		text_format(&body, "%s\"exit_code\":%ld", body.length > 1 ? "," : "", code);
	text_json_member(&body, "reason", cli_value(cli, "reason"));
	text_str(&body, "}");
	result = post_to_run(cli, "/finish", &body);
	text_deinit(&body);
	return result;
}

int command_stop(struct cli *cli)
{
	struct text body = { 0 };
	int result;

	if (cli->argc > 1) {
		say("stop takes one run");
		return EXIT_USAGE;
	}
	text_str(&body, "{");
	text_json_member(&body, "reason", cli_value(cli, "reason"));
	text_str(&body, "}");
	result = post_to_run(cli, "/stop", &body);
	text_deinit(&body);
	return result;
}
