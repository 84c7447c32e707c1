/* cairn sweep: makes sweeps, shows them and changes their state. */
#include <stdio.h>
#include <string.h>

#include "say.h"
#include "sweep.h"

const struct cli_option sweep_options[] = {
	{ "name", 'n', "TEXT", "FILE: display name of the sweep [name in the config]." },
	{ "prior-run", 0, "RUNS",
	  "FILE: ids of runs of the project from which the search learns, separated by commas." },
	{ "dry-run", 0, NULL, "FILE: only check the config, and print its errors and warnings." },
	{ "state", 's', "STATE", "ls, trials: only those in this state." },
	{ "limit", 0, "COUNT", "ls, trials: maximum number of rows [50]." },
	{ "json", 0, NULL, "Print the server's response unchanged." },
	{ 0 },
};

bool sweep_take_name(struct api *api, const char *word, char ret_name[static SWEEP_WORD_SIZE])
{
	static const char *signs = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
	bool is_valid = strlen(name) == SWEEP_WORD_SIZE - 1 &&
			strspn(name, signs) == SWEEP_WORD_SIZE - 1;

	if (is_valid && (!slash || api_set_project(api, word, (size_t)(slash - word)))) {
		snprintf(ret_name, SWEEP_WORD_SIZE, "%s", name);
		return true;
	}
	say("invalid sweep \"%s\": expected the id of a sweep, such as k3x9a0bq, PROJECT/SWEEP or "
	    "ENTITY/PROJECT/SWEEP; cairn sweep ls lists sweeps",
	    word);
	return false;
}

static const char *path_of(struct api *api, const char *name, const char *rest)
{
	struct text tail = { 0 };
	const char *path = NULL;

	text_format(&tail, "/sweeps%s%s%s", name[0] ? "/" : "", name, rest);
	if (text_c_string(&tail))
		path = api_project_path(api, tail.data);
	text_deinit(&tail);
	return path;
}

int sweep_ask(struct api *api, const char *method, const char *name, const char *tail,
	      const struct text *body)
{
	const char *path = path_of(api, name, tail);

	return path ? api_ask(api, method, path, body) : api->failed;
}

int sweep_try(struct api *api, const char *method, const char *name, const char *tail,
	      const struct text *body)
{
	const char *path = path_of(api, name, tail);

	return path ? api_try(api, method, path, body) : api->failed;
}

void sweep_address(const struct api *api, const char *name, struct text *text)
{
	text_format(text, "%s/%s/", api->settings.url, api->settings.entity);
	text_escaped(text, api->settings.project);
	text_format(text, "/sweeps/%s", name);
}

static int put_state(struct api *api, const struct cli *cli, const char *state)
{
	char name[SWEEP_WORD_SIZE], now[32], why[200];
	struct text body = { 0 };
	int result;

	if (!sweep_take_name(api, cli->argv[0], name))
		return EXIT_USAGE;
	text_format(&body, "{\"state\":\"%s\"}", state);
	api->expected = "state";
	result = text_c_string(&body) ? sweep_ask(api, "PATCH", name, "", &body) : EXIT_REFUSED;
	text_deinit(&body);
	if (result)
		return result;
	if (cli_has(cli, "json")) {
		api_print_json(api);
		return EXIT_DONE;
	}
	json_line(json_member(api->answer, "state"), now, sizeof now);
	json_line(json_member(api->answer, "why_ended"), why, sizeof why);
	printf("%s is %s%s%s\n", name, now, why[0] ? ": " : "", why);
	return EXIT_DONE;
}

static int pause_sweep(struct api *api, const struct cli *cli)
{
	return put_state(api, cli, "paused");
}

static int resume_sweep(struct api *api, const struct cli *cli)
{
	return put_state(api, cli, "running");
}

static int stop_sweep(struct api *api, const struct cli *cli)
{
	return put_state(api, cli, "finished");
}

static int cancel_sweep(struct api *api, const struct cli *cli)
{
	return put_state(api, cli, "canceled");
}

static int remove_sweep(struct api *api, const struct cli *cli)
{
	char name[SWEEP_WORD_SIZE];
	int result;

	if (!sweep_take_name(api, cli->argv[0], name))
		return EXIT_USAGE;
	result = sweep_try(api, "DELETE", name, "", NULL);
	if (api->response.status != 204) {
		api_say(api);
		return result ? result : EXIT_REFUSED;
	}
	printf("deleted %s; its runs stay\n", name);
	return EXIT_DONE;
}

static const struct verb {
	const char *name;
	int least, most; /* arguments behind it */
	const char *usage;
	enum settings_key key;
	int (*call)(struct api *api, const struct cli *cli);
} verbs[] = {
	{ "ls", 0, 1, "ls [PROJECT]", SETTINGS_KEY_OPTIONAL, sweep_list },
	{ "show", 1, 1, "show SWEEP", SETTINGS_KEY_OPTIONAL, sweep_show },
	{ "trials", 1, 1, "trials SWEEP", SETTINGS_KEY_OPTIONAL, sweep_trials },
	{ "best", 1, 1, "best SWEEP", SETTINGS_KEY_OPTIONAL, sweep_best },
	{ "pause", 1, 1, "pause SWEEP", SETTINGS_KEY_NEEDED, pause_sweep },
	{ "resume", 1, 1, "resume SWEEP", SETTINGS_KEY_NEEDED, resume_sweep },
	{ "stop", 1, 1, "stop SWEEP", SETTINGS_KEY_NEEDED, stop_sweep },
	{ "cancel", 1, 1, "cancel SWEEP", SETTINGS_KEY_NEEDED, cancel_sweep },
	{ "rm", 1, 1, "rm SWEEP", SETTINGS_KEY_NEEDED, remove_sweep },
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static const struct verb make = { "", 1, 1, "FILE", SETTINGS_KEY_NEEDED, sweep_make };

/* Any other first word is the file of a config. */
static const struct verb *take_verb(struct cli *cli)
{
	for (size_t i = 0; i < VERBS; i++) {
		if (strcmp(verbs[i].name, cli->argv[0]) == 0) {
			cli->argc--;
			cli->argv++;
			return &verbs[i];
		}
	}
	return &make;
}

int command_sweep(struct cli *cli)
{
	const struct verb *verb;
	struct api api;
	int result;

	if (!cli->argc) {
		say("expected the file of a config, or ls, show, trials, best, pause, resume, stop, "
		    "cancel or rm; see cairn sweep --help");
		return EXIT_USAGE;
	}
	verb = take_verb(cli);
	if (cli->argc < verb->least || cli->argc > verb->most) {
		say("usage: cairn sweep %s", verb->usage);
		return EXIT_USAGE;
	}
	result = api_open(&api, cli, verb->key);
	if (result)
		return result;
	result = verb->call(&api, cli);
	api_close(&api);
	return result;
}
