#include "api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "cairn.h"
#include "names.h"
#include "namesakes.h"
#include "say.h"
#include "utf8.h"

#define REQUEST_TIMEOUT_MS 30000

int api_open(struct api *api, const struct cli *cli, enum settings_key key)
{
	struct cairn_options options = CAIRN_OPTIONS_INIT;
	char error[SETTINGS_ERROR_SIZE];

	*api = (struct api){ .is_project_named = cli_has(cli, "project"),
			     .timeout_ms = REQUEST_TIMEOUT_MS,
			     .failed = EXIT_REFUSED };
	options.url = cli_value(cli, "url");
	options.api_key_file = cli_value(cli, "key-file");
	options.ca_file = cli_value(cli, "ca-file");
	options.project = cli_value(cli, "project");
	if (settings_load_server(&options, key, &api->settings, error)) {
		say("%s", error);
		settings_deinit(&api->settings);
		return EXIT_USAGE;
	}
	api->transport = transport_new(&api->settings);
	if (api->transport)
		return EXIT_DONE;
	settings_deinit(&api->settings);
	say("out of memory");
	return EXIT_REFUSED;
}

void api_close(struct api *api)
{
	transport_free(api->transport);
	text_deinit(&api->response.body);
	text_deinit(&api->path);
	settings_deinit(&api->settings);
}

int api_try(struct api *api, const char *method, const char *path, const struct text *body)
{
	struct request request = {
		.method = method,
		.path = path,
		.body = body ? body->data : NULL,
		.body_length = body ? body->length : 0,
		.timeout_ms = api->timeout_ms,
		.wake_fd = api->wake_fd,
		.on_wake = api->on_wake,
		.wake_context = api->wake_context,
	};

	transport_perform(api->transport, &request, &api->response);
	return api_judge(api);
}

int api_judge(struct api *api)
{
	long status = api->response.status;
	const char *expected = api->expected;

	api->expected = NULL;
	api->answer = json_parse(api->response.body.data, api->response.body.length);
	if (status == 0)
		return EXIT_NO_ANSWER;
	if (status < 200 || status >= 300)
		return EXIT_REFUSED;
	if (answer_is_object(&api->response, api->answer) &&
	    (!expected || json_member(api->answer, expected).at))
		return EXIT_DONE;
	api->answer = (struct json){ 0 };
	return EXIT_REFUSED;
}

/* Which no role changes. */
static bool is_quota(const struct api *api)
{
	char type[80];

	json_copy(json_member(api->answer, "type"), type, sizeof type);
	return strcmp(type, "urn:cairn:problem:quota-exceeded") == 0;
}

/* Returns what to do now. The server's own hint is for requests written by hand; if we know
 * the command for it, that is shown instead. */
static const char *advice(const struct api *api, const char *hint)
{
	switch (api->response.status) {
	case 401:
		return "Log in again with cairn login, or set CAIRN_API_KEY.";
	case 403:
		return is_quota(api)
			       ? hint
			       : "Ask an admin of the entity for the right role, or use another key.";
	case 404:
		if (hint[0] || !api->path.data) /* no such path at all */
			return "Run cairn doctor to check the address.";
		if (strstr(api->path.data, "/runs/"))
			return "List the runs of a project with cairn ls; choose a project with "
			       "--project.";
		return "List projects with cairn projects and choose one with --project; a first "
		       "run creates a project.";
	default:
		return hint;
	}
}

void api_say(const struct api *api)
{
	char title[120], detail[400], hint[300], other[400];
	const char *what, *next;
	long status = api->response.status;

	if (status == 0) {
		say("no response from %s: %s\n  Run cairn doctor to find the reason.",
		    api->settings.url, api->response.error);
		return;
	}
	if (!json_is_object(api->answer)) {
		answer_describe_other(&api->response, other, sizeof other);
		say("%s\n  Run cairn doctor to find the reason.", other);
		return;
	}
	json_line(json_member(api->answer, "title"), title, sizeof title);
	json_line(json_member(api->answer, "detail"), detail, sizeof detail);
	json_line(json_member(api->answer, "hint"), hint, sizeof hint);
	what = detail[0] ? detail : title;
	next = advice(api, hint);
	say("%s (status %ld)%s%s", what[0] ? what : "the server rejected the request", status,
	    next[0] ? "\n  " : "", next);
}

int api_ask(struct api *api, const char *method, const char *path, const struct text *body)
{
	int result = api_try(api, method, path, body);

	if (result && !namesakes_say(api))
		api_say(api);
	return result;
}

int api_find_entity(struct api *api)
{
	const char *expected = api->expected; /* of the request that needs the entity */
	int result;

	if (api->settings.entity)
		return EXIT_DONE;
	api->expected = "default_entity";
	result = api_ask(api, "GET", "/api/v1/viewer", NULL);
	api->expected = expected;
	if (result)
		return result;
	api->settings.entity = json_text(json_member(api->answer, "default_entity"));
	if (api->settings.entity && names_is_entity(api->settings.entity))
		return EXIT_DONE;
	say("you have no default entity: set the project with --project ENTITY/PROJECT");
	return EXIT_USAGE;
}

const char *api_path(struct api *api, const char *path)
{
	text_clear(&api->path, 4096);
	text_str(&api->path, path);
	return text_c_string(&api->path);
}

static const char *build_path(struct api *api, const char *run, const char *tail)
{
	int result = api_find_entity(api);

	api->run = run[0] ? run : NULL;
	if (result) {
		api->failed = result;
		return NULL;
	}
	text_clear(&api->path, 4096);
	text_format(&api->path, "/api/v1/projects/%s/", api->settings.entity);
	text_escaped(&api->path, api->settings.project);
	text_str(&api->path, run[0] ? "/runs/" : "");
	text_escaped(&api->path, run);
	text_str(&api->path, tail);
	return text_c_string(&api->path);
}

const char *api_project_path(struct api *api, const char *tail)
{
	return build_path(api, "", tail);
}

const char *api_run_path(struct api *api, const char *run, const char *tail)
{
	return build_path(api, run, tail);
}

static bool set_text(char **member, const char *text, size_t length)
{
	free(*member);
	*member = strndup(text, length);
	return *member != NULL;
}

bool api_set_project(struct api *api, const char *name, size_t length)
{
	const char *slash = memchr(name, '/', length);
	struct settings *settings = &api->settings;

	api->is_project_named = true;
	if (slash && !set_text(&settings->entity, name, (size_t)(slash - name)))
		return false;
	if (slash) {
		length -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	return set_text(&settings->project, name, length) && names_is_project(settings->project) &&
	       (!slash || names_is_entity(settings->entity));
}

char *api_current_project(const struct api *api)
{
	struct text project = { 0 };

	text_format(&project, "%s/%s", api->settings.entity, api->settings.project);
	if (!text_c_string(&project))
		say("out of memory");
	return text_take(&project);
}

const char *api_run_argument(struct api *api, const char *argument)
{
	const char *name = argument ? argument : getenv("CAIRN_RUN"), *run, *slash;

	if (!name || !name[0]) {
		say("no run given: name it or set CAIRN_RUN; cairn ls lists runs");
		return NULL;
	}
	slash = strrchr(name, '/');
	run = slash ? slash + 1 : name;
	if ((!slash || api_set_project(api, name, (size_t)(slash - name))) && names_is_run(run))
		return run;
	say("invalid run \"%s\": expected RUN, PROJECT/RUN or ENTITY/PROJECT/RUN", name);
	return NULL;
}

void api_print_json(const struct api *api)
{
	const char *at = api->answer.at, *end = at + api->answer.length;
	char escape[UTF8_ESCAPE_SIZE];
	size_t length;

	for (; at < end; at += length) {
		length = utf8_length(at, (size_t)(end - at));
		/* outside of its strings JSON has white space only */
		if (length && (unsigned char)*at >= 0x20 && utf8_is_control(at, length)) {
			utf8_escape(at, length, escape);
			fputs(escape, stdout);
			continue;
		}
		length = length ? length : 1;
		fwrite(at, 1, length, stdout);
	}
	putchar('\n');
}
