/* cairn artifact: versions of files, sent and fetched. Each verb is in one of the files artifact_*.c. */
#include <stdio.h>
#include <string.h>

#include "artifact.h"
#include "names.h"
#include "say.h"

const struct cli_option artifact_options[] = {
	{ "type", 't', "TYPE",
	  "put: type of the artifact, such as model or dataset. ls: only this type." },
	{ "name", 'n', "NAME", "put: name of the artifact [the last part of PATH]." },
	{ "alias", 'a', "ALIASES",
	  "put, link: aliases of the version, separated by commas, in addition to latest." },
	{ "description", 'd', "TEXT", "put: description of the version." },
	{ "metadata", 'm', "JSON", "put: a JSON object, which filters can search." },
	{ "run", 'r', "RUN", "put: run that made it. get: run that uses it [CAIRN_RUN]." },
	{ "prefix", 0, "PREFIX", "get: only files whose paths begin with it." },
	{ "jobs", 'j', "COUNT",
	  "put, get, verify: files, or parts of large files, at the same time [8]." },
	{ "server", 0, NULL, "verify: check the files that the server has stored." },
	{ "all", 0, NULL, "rm: the whole collection." },
	{ "force", 'f', NULL, "rm: also if the version has aliases." },
	{ "dry-run", 0, NULL, "rm: only show what would be deleted and freed." },
	{ "limit", 0, "COUNT", "ls: maximum number of rows [50]." },
	{ "json", 0, NULL, "ls, show, rm: print the server's response unchanged." },
	{ 0 },
};

static const struct verb {
	const char *name;
	int least, most; /* arguments behind it */
	const char *usage;
	int (*call)(struct api *api, const struct cli *cli);
} verbs[] = {
	{ "put", 1, 1, "put PATH --type TYPE", artifact_send },
	{ "get", 1, 2, "get NAME[:VERSION] [DIR]", artifact_fetch },
	{ "ls", 0, 1, "ls [NAME]", artifact_list },
	{ "show", 1, 1, "show NAME[:VERSION]", artifact_show },
	{ "rm", 1, 1, "rm NAME:VERSION", artifact_remove },
	{ "link", 2, 2, "link NAME[:VERSION] PORTFOLIO", artifact_link_words },
	{ "verify", 1, 2, "verify NAME[:VERSION] DIR|--server", artifact_verify },
	{ "restore", 1, 1, "restore ID", artifact_restore },
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

bool artifact_take_name(struct api *api, const char *word, struct artifact_words *ret_words)
{
	const char *slash, *colon = strchr(word, ':');
	size_t length = colon ? (size_t)(colon - word) : strlen(word);

	slash = memrchr(word, '/', length);
	if (slash && !api_set_project(api, word, (size_t)(slash - word))) {
		say("invalid artifact \"%s\": expected NAME:VERSION or ENTITY/PROJECT/NAME:VERSION",
		    word);
		return false;
	}
	length -= slash ? (size_t)(slash + 1 - word) : 0;
	word = slash ? slash + 1 : word;
	if (!length || length >= sizeof ret_words->name ||
	    (colon && strlen(colon + 1) >= sizeof ret_words->version) || (colon && !colon[1])) {
		say("invalid artifact \"%s\": expected NAME:VERSION or ENTITY/PROJECT/NAME:VERSION",
		    word);
		return false;
	}
	snprintf(ret_words->name, sizeof ret_words->name, "%.*s", (int)length, word);
	snprintf(ret_words->version, sizeof ret_words->version, "%s", colon ? colon + 1 : "");
	return true;
}

void artifact_tail(struct text *tail, const struct artifact_words *words)
{
	text_str(tail, "/artifacts/");
	text_escaped(tail, words->name);
	if (!words->version[0])
		return;
	text_str(tail, "/versions/");
	text_escaped(tail, words->version);
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < VERBS; i++) {
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	}
	return NULL;
}

int command_artifact(struct cli *cli)
{
	const struct verb *verb = cli->argc ? find_verb(cli->argv[0]) : NULL;
	struct api api;
	int result;

	if (!verb) {
		say("expected put, get, ls, show, rm, link, verify or restore; see cairn artifact "
		    "--help");
		return EXIT_USAGE;
	}
	cli->argc--;
	cli->argv++;
	if (cli->argc < verb->least || cli->argc > verb->most) {
		say("usage: cairn artifact %s", verb->usage);
		return EXIT_USAGE;
	}
	result = api_open(&api, cli, SETTINGS_KEY_NEEDED);
	if (result)
		return result;
	result = verb->call(&api, cli);
	api_close(&api);
	return result;
}
