/* cairn artifact put, get and verify: files between this host and the server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "artifact.h"
#include "artifact_get.h"
#include "artifact_link.h"
#include "artifact_put.h"
#include "run_text.h"
#include "say.h"
#include "utf8.h"

enum { JOBS = 8, JOBS_MOST = 64, ALIASES_MAX = 100 };

const char *artifact_bytes(int64_t bytes, char text[32])
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1000 && unit < 4; unit++)
		value /= 1000;
	snprintf(text, 32, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
	return text;
}

/* On a terminal, a line that is written over. */
static void show(void *context, const struct artifact_progress *progress)
{
	char done[32], all[32];

	(void)context;
	fprintf(stderr, "\r%lld of %lld files, %s of %s  ", (long long)progress->files,
		(long long)progress->all_files, artifact_bytes(progress->bytes, done),
		artifact_bytes(progress->all_bytes, all));
	fflush(stderr);
}

static void say_away(void *context, const char *reason)
{
	const struct artifact_link *link = context;

	if (link->show)
		fputs("\r\033[K", stderr);
	say("no response: %s; trying again for ten minutes", reason);
}

static int open_link(struct api *api, const struct cli *cli, struct artifact_link *link)
{
	long jobs = JOBS;
	int result;

	if (!cli_int(cli, "jobs", 1, JOBS_MOST, &jobs))
		return EXIT_USAGE;
	result = api_find_entity(api);
	if (result)
		return result;
	artifact_link_init(link, &api->settings, api->settings.entity, api->settings.project);
	link->jobs = (int)jobs;
	link->show = isatty(STDERR_FILENO) ? show : NULL;
	link->say_away = say_away;
	link->context = link;
	return EXIT_DONE;
}

static int close_link(struct artifact_link *link, enum artifact_outcome outcome)
{
	if (link->show)
		fputs("\r\033[K", stderr);
	if (outcome)
		say("%s", link->error);
	artifact_link_deinit(link);
	switch (outcome) {
	case ARTIFACT_DONE:
		return EXIT_DONE;
	case ARTIFACT_AWAY:
		return EXIT_NO_ANSWER;
	default:
		return EXIT_REFUSED;
	}
}

/* NULL: none. */
static const char *given_run(const struct cli *cli)
{
	const char *run = cli_value(cli, "run") ? cli_value(cli, "run") : getenv("CAIRN_RUN");

	return run && run[0] ? run : NULL;
}

/* ---- put ---------------------------------------------------------------------------------------------------- */

/* Cuts the text at its commas. */
static bool split(char *text, const char *aliases[ALIASES_MAX + 1])
{
	size_t count = 0;

	for (char *word = strtok_r(text, ",", &text); word; word = strtok_r(NULL, ",", &text)) {
		if (count == ALIASES_MAX) {
			say("more than %d aliases", ALIASES_MAX);
			return false;
		}
		aliases[count++] = word;
	}
	aliases[count] = NULL;
	return true;
}

/* The last part of a path, without slashes at its end; NULL if there is none. */
static char *last_part(const char *path)
{
	char *whole = realpath(path, NULL), *part = NULL;
	const char *slash = whole ? strrchr(whole, '/') : NULL;

	if (slash && slash[1])
		part = strdup(slash + 1);
	free(whole);
	return part;
}

static int send_it(struct api *api, const struct cli *cli, const struct artifact_put *put)
{
	struct artifact_put_result sent;
	struct artifact_link link;
	char bytes[32], new_bytes[32];
	int result = open_link(api, cli, &link);

	if (result)
		return result;
	result = close_link(&link, artifact_put(&link, put, &sent));
	if (result)
		return result;
	printf("%s:%s  %lld files, %s%s", put->collection, sent.version, (long long)sent.files,
	       artifact_bytes(sent.bytes, bytes), sent.is_new ? "" : ", unchanged");
	if (sent.is_new)
		printf("; sent %lld files, %s", (long long)sent.sent_files,
		       artifact_bytes(sent.sent_bytes, new_bytes));
	putchar('\n');
	return EXIT_DONE;
}

int artifact_send(struct api *api, const struct cli *cli)
{
	const char *aliases[ALIASES_MAX + 1], *alias = cli_value(cli, "alias"),
					      *metadata = cli_value(cli, "metadata"),
					      *run = given_run(cli);
	char *words = strdup(alias ? alias : ""), *name = cli_value(cli, "name")
								  ? strdup(cli_value(cli, "name"))
								  : last_part(cli->argv[0]);
	struct artifact_put put = {
		.path = cli->argv[0],
		.collection = name,
		.type = cli_value(cli, "type"),
		.aliases = aliases,
		.description = cli_value(cli, "description"),
		.metadata = metadata,
		.run = run ? api_run_argument(api, run) : NULL,
	};
	int result = EXIT_USAGE;

	if (run && !put.run)
		result = EXIT_USAGE;
	else if (!put.type)
		say("put requires --type, such as model or dataset");
	else if (!name || !words)
		say("cannot read \"%s\", or name it with --name", put.path);
	else if (metadata && !json_is_object(json_parse(metadata, strlen(metadata))))
		say("--metadata is not a JSON object: {\"accuracy\": 0.9}");
	else if (split(words, aliases))
		result = send_it(api, cli, &put);
	free(words);
	free(name);
	return result;
}

/* ---- get ----------------------------------------------------------------------------------------------------- */

/* The run that uses a version. Its project need not be the version's. */
struct user {
	const char *run; /* NULL: none */
	char *project;   /* "entity/project" */
};

/* Reads the run, and leaves the project of the settings as it was. */
static int find_user(struct api *api, const struct cli *cli, struct user *user)
{
	const char *run = given_run(cli);
	bool is_named = api->is_project_named;
	char *project;
	int result;

	*user = (struct user){ 0 };
	if (!run)
		return EXIT_DONE;
	result = api_find_entity(api);
	if (result)
		return result;
	project = api_current_project(api);
	user->run = project ? api_run_argument(api, run) : NULL;
	user->project = user->run ? api_current_project(api) : NULL;
	if (!user->project || !api_set_project(api, project, strlen(project)))
		result = project ? EXIT_USAGE : EXIT_REFUSED;
	api->is_project_named = is_named;
	free(project);
	return result;
}

/* Records that the run uses the version that was fetched: an alias may name another one by now. */
static int note_use(struct api *api, const struct user *user, const char *name, const char *version)
{
	struct text body = { 0 }, address = { 0 };
	const char *path = NULL;
	int result;

	text_format(&address, "%s/%s/%s:%s", api->settings.entity, api->settings.project, name,
		    version);
	if (api_set_project(api, user->project, strlen(user->project)))
		path = api_run_path(api, user->run, "/artifacts");
	text_str(&body, "{");
	text_json_member(&body, "artifact", text_c_string(&address));
	text_str(&body, "}");
	api->expected = "version";
	result = path && text_c_string(&body) ? api_ask(api, "POST", path, &body) : api->failed;
	text_deinit(&body);
	text_deinit(&address);
	return result;
}

static void print_fetched(const char *name, const char *folder,
			  const struct artifact_get_result *got)
{
	char bytes[32], new_bytes[32];

	printf("%s:%s in %s: %lld files, %s; fetched %lld files, %s\n", name, got->version, folder,
	       (long long)got->files, artifact_bytes(got->bytes, bytes),
	       (long long)got->fetched_files, artifact_bytes(got->fetched_bytes, new_bytes));
	if (got->references)
		say("%lld references were not fetched: their content is not on the server",
		    (long long)got->references);
}

static int fetch(struct api *api, const struct cli *cli, const struct user *user)
{
	struct artifact_get_result got;
	struct artifact_words words;
	struct artifact_link link;
	struct artifact_get get;
	int result;

	if (!artifact_take_name(api, cli->argv[0], &words))
		return EXIT_USAGE;
	if (!words.version[0])
		snprintf(words.version, sizeof words.version, "latest");
	result = open_link(api, cli, &link);
	if (result)
		return result;
	get = (struct artifact_get){
		.collection = words.name,
		.version = words.version,
		.folder = cli->argc > 1 ? cli->argv[1] : words.name,
		.prefix = cli_value(cli, "prefix"),
	};
	result = close_link(&link, artifact_get(&link, &get, &got));
	if (!result && user->run)
		result = note_use(api, user, words.name, got.version);
	if (!result)
		print_fetched(words.name, get.folder, &got);
	return result;
}

int artifact_fetch(struct api *api, const struct cli *cli)
{
	struct user user;
	int result = find_user(api, cli, &user);

	if (!result)
		result = fetch(api, cli, &user);
	free(user.project);
	return result;
}

void artifact_say_file(void *context, const char *what, const char *path)
{
	char escape[UTF8_ESCAPE_SIZE];
	size_t left = strlen(path), length;

	(void)context;
	printf("%s: ", what);
	for (; left; path += length, left -= length) {
		length = utf8_length(path, left);
		if (length && utf8_is_control(path, length)) {
			utf8_escape(path, length, escape);
			fputs(escape, stdout);
			continue;
		}
		length = length ? length : 1;
		fwrite(path, 1, length, stdout);
	}
	putchar('\n');
}

int artifact_verify(struct api *api, const struct cli *cli)
{
	struct artifact_get_result got;
	struct artifact_words words;
	struct artifact_check check;
	struct artifact_link link;
	char bytes[32];
	int result;

	if (!artifact_take_name(api, cli->argv[0], &words))
		return EXIT_USAGE;
	if (!words.version[0])
		snprintf(words.version, sizeof words.version, "latest");
	if (cli_has(cli, "server") != (cli->argc == 1)) {
		say("expected a folder, or --server to check the files on the server");
		return EXIT_USAGE;
	}
	if (cli_has(cli, "server"))
		return artifact_verify_stored(api, &words);
	result = open_link(api, cli, &link);
	if (result)
		return result;
	check = (struct artifact_check){
		.collection = words.name,
		.version = words.version,
		.folder = cli->argv[1],
		.tell = artifact_say_file,
	};
	result = close_link(&link, artifact_check(&link, &check, &got));
	if (!result)
		printf("%s has the files of %s:%s: %lld files, %s\n", check.folder, words.name,
		       words.version, (long long)got.files, artifact_bytes(got.bytes, bytes));
	return result;
}
