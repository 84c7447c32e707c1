/* cairn sweep FILE: sends a config, or only has it checked. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "run_text.h"
#include "say.h"
#include "sweep.h"

#define CONFIG_MAX_BYTES (1024 * 1024) /* as the server has it */

static bool read_config(const char *path, struct text *config)
{
	bool is_input = strcmp(path, "-") == 0;
	FILE *file = is_input ? stdin : fopen(path, "re");
	char bytes[8192];
	size_t count;
	int reason = file ? 0 : errno;

	while (file && config->length <= CONFIG_MAX_BYTES &&
	       (count = fread(bytes, 1, sizeof bytes, file)))
		text_add(config, bytes, count);
	if (file && ferror(file))
		reason = errno ? errno : EIO;
	if (file && !is_input)
		fclose(file);
	if (reason)
		say("cannot read \"%s\": %s", path, strerror(reason));
	else if (config->length > CONFIG_MAX_BYTES)
		say("\"%s\" has more than 1 MiB: it is not the config of a sweep", path);
	else if (!config->length)
		say("\"%s\" is empty: expected the config of a sweep", path);
	return !reason && config->length && config->length <= CONFIG_MAX_BYTES;
}

static void put_runs(struct text *body, const char *words)
{
	text_str(body, ",\"prior_runs\":[");
	for (bool is_first = true; *words;) {
		size_t length = strcspn(words, ",");

		if (length) {
			text_str(body, is_first ? "" : ",");
			text_json_string(body, words, length);
			is_first = false;
		}
		words += length + (words[length] == ',');
	}
	text_str(body, "]");
}

static void build_body(const struct cli *cli, const struct text *config, struct text *body)
{
	const char *prior = cli_value(cli, "prior-run");

	text_str(body, "{\"config\":");
	text_json_string(body, config->data, config->length);
	text_json_member(body, "display_name", cli_value(cli, "name"));
	if (prior)
		put_runs(body, prior);
	text_str(body, "}");
}

/* "sweep.yaml:3:12: error: parameters.lr.min: expected a number" */
static void print_faults(const char *file, struct json faults)
{
	struct json fault = { 0 };

	while (json_next(faults, &fault, NULL)) {
		char level[32], path[300], text[600];
		int64_t line = 0, column = 0;

		json_line(json_member(fault, "level"), level, sizeof level);
		json_line(json_member(fault, "path"), path, sizeof path);
		json_line(json_member(fault, "text"), text, sizeof text);
		fprintf(stderr, "%s:", file);
		if (json_int(json_member(fault, "line"), &line))
			fprintf(stderr, "%lld:", (long long)line);
		if (json_int(json_member(fault, "column"), &column))
			fprintf(stderr, "%lld:", (long long)column);
		fprintf(stderr, " %s: %s%s%s\n", level, path, path[0] ? ": " : "", text);
	}
}

static int print_checked(const struct api *api, const struct cli *cli)
{
	bool is_valid = json_true(json_member(api->answer, "is_valid"));
	struct json parameter = { 0 };
	char name[300], kind[64];
	int64_t count;

	if (cli_has(cli, "json")) {
		api_print_json(api);
		return is_valid ? EXIT_DONE : EXIT_REFUSED;
	}
	print_faults(cli->argv[0], json_member(api->answer, "faults"));
	if (!is_valid)
		return EXIT_REFUSED;
	while (json_next(json_member(api->answer, "parameters"), &parameter, NULL)) {
		json_line(json_member(parameter, "name"), name, sizeof name);
		json_line(json_member(parameter, "distribution"), kind, sizeof kind);
		printf("%-24s %s\n", name, kind);
	}
	if (json_int(json_member(api->answer, "count"), &count))
		printf("the config is valid: %lld points\n", (long long)count);
	else
		printf("the config is valid\n");
	return EXIT_DONE;
}

static void print_made(const struct api *api, const struct cli *cli)
{
	char name[SWEEP_WORD_SIZE + 8];
	struct text address = { 0 };

	json_line(json_member(api->answer, "id"), name, sizeof name);
	sweep_address(api, name, &address);
	print_faults(cli->argv[0], json_member(api->answer, "faults"));
	printf("sweep %s\n", name);
	if (api->response.status == 200)
		printf("it was made by the same request a moment ago; --name makes another one\n");
	if (text_c_string(&address))
		printf("page: %s\n", address.data);
	printf("start an agent: cairn agent %s/%s/%s\n", api->settings.entity,
	       api->settings.project, name);
	text_deinit(&address);
}

/* Names all errors of a config that was rejected: the rejection has only the first. */
static void explain(struct api *api, const struct cli *cli, const struct text *body)
{
	api->expected = "is_valid";
	if (!sweep_try(api, "POST", "", "?dry_run=true", body))
		print_faults(cli->argv[0], json_member(api->answer, "faults"));
}

static bool is_project_given(const struct cli *cli)
{
	const char *name = cli_value(cli, "project");

	if (!name)
		name = getenv("CAIRN_PROJECT");
	return name && name[0];
}

static int set_place(struct api *api, const char *entity, const char *project)
{
	struct text name = { 0 };
	bool is_set;

	text_format(&name, "%s/%s", entity[0] ? entity : api->settings.entity,
		    project[0] ? project : api->settings.project);
	is_set = text_c_string(&name) && api_set_project(api, name.data, name.length);
	if (!is_set)
		say("invalid project or entity in the config: %s",
		    text_c_string(&name) ? name.data : "");
	text_deinit(&name);
	return is_set ? 0 : EXIT_REFUSED;
}

/* As wandb sweep: the project of the config counts if none is given otherwise. The server reads the config. */
static int find_place(struct api *api, const struct cli *cli, const struct text *body)
{
	char entity[NAMES_ENTITY_MAX + 2], project[NAMES_PROJECT_MAX + 2];
	int result;

	if (is_project_given(cli))
		return 0;
	api->expected = "is_valid";
	result = sweep_try(api, "POST", "", "?dry_run=true", body);
	if (result) {
		api_say(api);
		if (api->response.status == 403 || api->response.status == 410)
			say("the config was to be read in \"%s/%s\": set the project of the sweep "
			    "with --project",
			    api->settings.entity, api->settings.project);
		return result;
	}
	json_copy(json_member(api->answer, "entity"), entity, sizeof entity);
	json_copy(json_member(api->answer, "project"), project, sizeof project);
	return entity[0] || project[0] ? set_place(api, entity, project) : 0;
}

static int send_config(struct api *api, const struct cli *cli, const struct text *body)
{
	bool is_dry = cli_has(cli, "dry-run");
	int result = find_place(api, cli, body);

	if (result)
		return result;
	api->expected = is_dry ? "is_valid" : "id";
	result = sweep_try(api, "POST", "", is_dry ? "?dry_run=true" : "", body);
	if (result) {
		api_say(api);
		if (api->response.status == 400)
			explain(api, cli, body);
	} else if (is_dry) {
		result = print_checked(api, cli);
	} else if (cli_has(cli, "json")) {
		api_print_json(api);
	} else {
		print_made(api, cli);
	}
	return result;
}

int sweep_make(struct api *api, const struct cli *cli)
{
	struct text config = { 0 }, body = { 0 };
	int result = EXIT_REFUSED;

	if (read_config(cli->argv[0], &config)) {
		build_body(cli, &config, &body);
		if (text_c_string(&body))
			result = send_config(api, cli, &body);
	}
	text_deinit(&config);
	text_deinit(&body);
	return result;
}
