/* cairn artifact ls and show. */
#include <stdio.h>
#include <string.h>

#include "artifact.h"
#include "run_text.h"
#include "say.h"
#include "table.h"

enum { TEXT = 600 };

static void add_member(struct table *table, struct json object, const char *name)
{
	char text[TEXT];

	run_text_member(object, name, text, sizeof text);
	table_add(table, text);
}

static void add_bytes(struct table *table, struct json object, const char *name)
{
	char text[64];

	run_text_bytes(object, name, text, sizeof text);
	table_add(table, text);
}

/* "latest, best" */
static void write_names(struct json list, const char *member, char *text, size_t size)
{
	struct json item = { 0 };
	size_t used = 0;

	text[0] = '\0';
	while (json_next(list, &item, NULL) && used + 3 < size) {
		char name[200];

		json_line(member ? json_member(item, member) : item, name, sizeof name);
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
	}
}

static void add_names(struct table *table, struct json list, const char *member)
{
	char text[TEXT];

	write_names(list, member, text, sizeof text);
	table_add(table, text[0] ? text : "-");
}

static void add_collection(struct table *table, struct json item)
{
	char text[64];

	add_member(table, item, "name");
	add_member(table, item, "type");
	add_member(table, json_member(item, "latest"), "version");
	run_text_number(item, "versions", text, sizeof text);
	table_add(table, text);
	add_bytes(table, item, "bytes");
	run_text_time(item, "changed_at", text, sizeof text);
	table_add(table, text);
	add_names(table, json_member(item, "aliases"), "alias");
}

static void add_version(struct table *table, struct json item)
{
	char text[64];

	add_member(table, item, "version");
	run_text_number(item, "files", text, sizeof text);
	table_add(table, text);
	add_bytes(table, item, "bytes");
	run_text_time(item, "created_at", text, sizeof text);
	table_add(table, text);
	add_member(table, item, "user");
	add_member(table, json_member(item, "run"), "id");
	add_names(table, json_member(item, "aliases"), NULL);
}

static void print_list(const struct api *api, bool of_versions)
{
	struct table collections = { .titles = { "NAME", "TYPE", "LATEST", "VERSIONS", "BYTES",
						 "CHANGED", "ALIASES" },
				     .is_right = { false, false, false, true, true },
				     .columns = 7 };
	struct table versions = { .titles = { "VERSION", "FILES", "BYTES", "CREATED", "BY", "RUN",
					      "ALIASES" },
				  .is_right = { false, true, true },
				  .columns = 7 };
	struct table *table = of_versions ? &versions : &collections;
	struct json items = json_member(api->answer, "items"), item = { 0 };

	while (json_next(items, &item, NULL))
		(of_versions ? add_version : add_collection)(table, item);
	if (table->count)
		table_print(table, 0);
	else
		printf(of_versions ? "no versions\n" : "no artifacts in %s/%s\n",
		       api->settings.entity, api->settings.project);
	table_deinit(table);
	if (json_is_string(json_member(api->answer, "next_cursor")))
		printf("there are more: use --limit\n");
}

int artifact_list(struct api *api, const struct cli *cli)
{
	struct artifact_words words = { "", "" };
	const char *type = cli_value(cli, "type"), *path;
	struct text tail = { 0 };
	long limit = 50;
	int result;

	if (!cli_int(cli, "limit", 1, 1000, &limit) ||
	    (cli->argc && !artifact_take_name(api, cli->argv[0], &words)))
		return EXIT_USAGE;
	words.version[0] = '\0';
	text_str(&tail, "/artifacts");
	if (cli->argc) {
		text_clear(&tail, 64);
		artifact_tail(&tail, &words);
		text_str(&tail, "/versions");
	}
	text_format(&tail, "?limit=%ld", limit);
	if (type && !cli->argc) {
		text_str(&tail, "&type=");
		text_escaped(&tail, type);
	}
	path = text_c_string(&tail) ? api_project_path(api, tail.data) : NULL;
	api->expected = "items";
	result = path ? api_ask(api, "GET", path, NULL) : api->failed;
	text_deinit(&tail);
	if (!result && cli_has(cli, "json"))
		api_print_json(api);
	else if (!result)
		print_list(api, cli->argc > 0);
	return result;
}

/* ---- one -------------------------------------------------------------------------------------------------- */

static void print_line(const char *title, const char *text)
{
	if (text[0])
		printf("%-12s %s\n", title, text);
}

static void print_member(struct json object, const char *title, const char *name)
{
	char text[TEXT];

	run_text_member(object, name, text, sizeof text);
	print_line(title, strcmp(text, "-") == 0 ? "" : text);
}

static void print_version(struct json version)
{
	char text[TEXT], bytes[64], files[64];

	run_text_member(version, "collection", text, sizeof text);
	printf("%s:", text);
	run_text_member(version, "version", text, sizeof text);
	printf("%s\n", text);
	print_member(version, "type", "type");
	write_names(json_member(version, "aliases"), NULL, text, sizeof text);
	print_line("aliases", text);
	write_names(json_member(version, "tags"), NULL, text, sizeof text);
	print_line("tags", text);
	print_member(version, "description", "description");
	run_text_number(version, "files", files, sizeof files);
	run_text_bytes(version, "bytes", bytes, sizeof bytes);
	snprintf(text, sizeof text, "%s, %s", files, bytes);
	print_line("files", text);
	print_member(version, "digest", "digest");
	run_text_time(version, "created_at", text, sizeof text);
	print_line("created", text);
	print_member(version, "by", "user");
	print_member(json_member(version, "run"), "run", "id");
	print_member(json_member(version, "source"), "linked from", "collection");
	run_text_value(json_member(version, "metadata"), text, sizeof text);
	print_line("metadata", strcmp(text, "{}") == 0 ? "" : text);
}

int artifact_show(struct api *api, const struct cli *cli)
{
	struct artifact_words words;
	struct text tail = { 0 };
	const char *path;
	int result;

	if (!artifact_take_name(api, cli->argv[0], &words))
		return EXIT_USAGE;
	if (!words.version[0])
		snprintf(words.version, sizeof words.version, "latest");
	artifact_tail(&tail, &words);
	path = text_c_string(&tail) ? api_project_path(api, tail.data) : NULL;
	api->expected = "version";
	result = path ? api_ask(api, "GET", path, NULL) : api->failed;
	text_deinit(&tail);
	if (!result && cli_has(cli, "json"))
		api_print_json(api);
	else if (!result)
		print_version(api->answer);
	return result;
}
