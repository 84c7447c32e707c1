/* Runs are found by their ids, and seen under their names: who gives a name is told which ids it may mean. */
#include "namesakes.h"

#include <string.h>

#include "names.h"
#include "say.h"
#include "shell_word.h"

#define NAMED 5 /* of several; that there are more is said */
#define LIMIT "6"

static bool is_missing_run(const struct api *api)
{
	char type[80];

	json_copy(json_member(api->answer, "type"), type, sizeof type);
	return api->run && api->response.status == 404 &&
	       strcmp(type, "urn:cairn:problem:not-found") == 0;
}

/* Asks for the runs with this name, latest first. */
static bool ask(struct api *api, const char *name)
{
	struct text filter = { 0 }, tail = { 0 };
	const char *path = NULL;

	text_str(&filter, "{");
	text_json_member(&filter, "display_name", name);
	text_str(&filter, "}");
	text_str(&tail, "/runs?limit=" LIMIT "&filter=");
	if (text_c_string(&filter))
		text_escaped(&tail, filter.data);
	if (!filter.failed && text_c_string(&tail))
		path = api_project_path(api, tail.data);
	text_deinit(&filter);
	text_deinit(&tail);
	return path && api_try(api, "GET", path, NULL) == EXIT_DONE;
}

/* "a, b and others" */
static int add_ids(struct text *list, struct json runs)
{
	struct json run = { 0 };
	int count = 0;

	for (; json_next(runs, &run, NULL); count++) {
		if (count > NAMED)
			break;
		if (count == NAMED) {
			text_str(list, " and others");
			continue;
		}
		text_str(list, count ? ", " : "");
		json_decode(json_member(run, "id"), list);
	}
	return count;
}

/* Adds the command for the first of them. */
static void add_command(struct text *text, const struct api *api, struct json runs)
{
	struct text argument = { 0 };
	struct json first = { 0 };

	json_next(runs, &first, NULL);
	if (api->is_project_named)
		text_format(&argument, "%s/%s/", api->settings.entity, api->settings.project);
	json_decode(json_member(first, "id"), &argument);
	text_str(text, "cairn show ");
	if (text_c_string(&argument)) {
		text_str(text, argument.data[0] == '-' ? "-- " : "");
		shell_word(text, argument.data);
	}
	text->failed |= argument.failed;
	text_deinit(&argument);
}

static bool say_ids(const struct api *api, const char *name)
{
	struct json runs = json_member(api->answer, "items");
	struct text ids = { 0 }, command = { 0 };
	int count = add_ids(&ids, runs);
	bool is_said = false;

	if (count)
		add_command(&command, api, runs);
	if (count && text_c_string(&ids) && text_c_string(&command)) {
		say(count == 1 ? "no run with id \"%s\"; the run named \"%s\" is %s: %s"
			       : "no run with id \"%s\"; runs named \"%s\" are %s: %s",
		    name, name, ids.data, command.data);
		is_said = true;
	}
	text_deinit(&ids);
	text_deinit(&command);
	return is_said;
}

bool namesakes_say(const struct api *api)
{
	struct api other = *api; /* the same connection */
	bool is_said;

	if (!is_missing_run(api))
		return false;
	other.response = (struct response){ 0 };
	other.path = (struct text){ 0 };
	is_said = ask(&other, api->run) && say_ids(&other, api->run);
	text_deinit(&other.response.body);
	text_deinit(&other.path);
	return is_said;
}
