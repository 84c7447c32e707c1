/* cairn artifact rm, link and restore. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact.h"
#include "run_text.h"
#include "say.h"

enum { TEXT = 600 };

static void print_freed(struct json freed, bool is_dry)
{
	char versions[64], files[64], bytes[64], name[TEXT];
	struct json item = { 0 };
	int64_t freed_bytes;

	run_text_number(freed, "versions", versions, sizeof versions);
	run_text_number(freed, "files", files, sizeof files);
	run_text_bytes(freed, "freed_bytes", bytes, sizeof bytes);
	if (!is_dry)
		printf("deleted %s versions, %s files\n", versions, files);
	else if (!json_int(json_member(freed, "freed_bytes"), &freed_bytes))
		printf("would delete %s versions, %s files: too many to count the bytes that would be freed\n",
		       versions, files);
	else
		printf("would delete %s versions, %s files; %s would be freed\n", versions, files,
		       bytes);
	while (json_next(json_member(freed, "held_by"), &item, NULL)) {
		json_line(json_member(item, "reason"), versions, sizeof versions);
		json_line(json_member(item, "name"), name, sizeof name);
		printf("  %s %s\n", versions, name);
	}
	json_line(json_member(freed, "restore"), name, sizeof name);
	if (!is_dry && name[0])
		printf("undo within ten minutes: cairn artifact restore %s\n", name);
}

int artifact_remove(struct api *api, const struct cli *cli)
{
	bool is_all = cli_has(cli, "all"), is_dry = cli_has(cli, "dry-run");
	struct artifact_words words;
	struct text tail = { 0 };
	const char *path;
	int result;

	if (!artifact_take_name(api, cli->argv[0], &words))
		return EXIT_USAGE;
	if (is_all == (words.version[0] != '\0')) {
		say("expected a version, NAME:VERSION, or NAME with --all");
		return EXIT_USAGE;
	}
	artifact_tail(&tail, &words);
	text_str(&tail, is_dry ? "?dry_run=true" : "?dry_run=false");
	if (!is_all && cli_has(cli, "force"))
		text_str(&tail, "&aliases=true");
	path = text_c_string(&tail) ? api_project_path(api, tail.data) : NULL;
	api->expected = "deleted";
	result = path ? api_ask(api, "DELETE", path, NULL) : api->failed;
	text_deinit(&tail);
	if (result == EXIT_REFUSED && api->response.status == 409 && !is_all)
		say("use --force to delete it with its aliases");
	if (!result && cli_has(cli, "json"))
		api_print_json(api);
	else if (!result)
		print_freed(api->answer, is_dry);
	return result;
}

/* Writes a JSON array of words with commas in between. */
static void write_words(struct text *body, const char *words)
{
	text_str(body, "[");
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

/* "entity/project/name:version" */
static bool names_an_entity(const char *word)
{
	const char *slash = strchr(word, '/');

	return slash && strchr(slash + 1, '/');
}

/* A portfolio without a project is in that of the settings, wherever the source is. */
static int read_link(struct api *api, const struct cli *cli, struct text *address,
		     struct artifact_words *portfolio)
{
	struct artifact_words source;
	char *project = NULL;
	int result = names_an_entity(cli->argv[0]) && names_an_entity(cli->argv[1])
			     ? EXIT_DONE
			     : api_find_entity(api);

	if (!result && api->settings.entity && !(project = api_current_project(api)))
		result = EXIT_REFUSED;
	if (!result && !artifact_take_name(api, cli->argv[0], &source))
		result = EXIT_USAGE;
	if (!result)
		text_format(address, "%s/%s/%s:%s", api->settings.entity, api->settings.project,
			    source.name, source.version[0] ? source.version : "latest");
	if (!result && project && !api_set_project(api, project, strlen(project)))
		result = EXIT_REFUSED;
	if (!result && !artifact_take_name(api, cli->argv[1], portfolio))
		result = EXIT_USAGE;
	portfolio->version[0] = '\0';
	free(project);
	return result;
}

static int post_link(struct api *api, const struct cli *cli, const char *source,
		     const struct artifact_words *portfolio)
{
	const char *alias = cli_value(cli, "alias"), *path;
	struct text tail = { 0 }, body = { 0 };
	char version[64];
	int result;

	text_str(&body, "{");
	text_json_member(&body, "source", source);
	text_str(&body, ",\"aliases\":");
	write_words(&body, alias ? alias : "");
	text_str(&body, "}");
	artifact_tail(&tail, portfolio);
	text_str(&tail, "/links");
	path = text_c_string(&tail) && text_c_string(&body) ? api_project_path(api, tail.data)
							    : NULL;
	api->expected = "version";
	result = path ? api_ask(api, "POST", path, &body) : api->failed;
	if (!result) {
		run_text_member(api->answer, "version", version, sizeof version);
		printf("%s:%s\n", portfolio->name, version);
	}
	text_deinit(&tail);
	text_deinit(&body);
	return result;
}

int artifact_link_words(struct api *api, const struct cli *cli)
{
	struct artifact_words portfolio;
	struct text source = { 0 };
	int result = read_link(api, cli, &source, &portfolio);

	if (!result)
		result = post_link(api, cli, text_c_string(&source), &portfolio);
	text_deinit(&source);
	return result;
}

int artifact_restore(struct api *api, const struct cli *cli)
{
	const char *path = api_project_path(api, "/artifact-restore");
	struct text body = { 0 };
	int result;

	text_str(&body, "{");
	text_json_member(&body, "restore", cli->argv[0]);
	text_str(&body, "}");
	result = path && text_c_string(&body) ? api_try(api, "POST", path, &body) : api->failed;
	text_deinit(&body);
	if (api->response.status == 204)
		return EXIT_DONE;
	if (result)
		api_say(api);
	return result;
}
