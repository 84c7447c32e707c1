/* cairn artifact verify --server: the server reads the files of a version again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "artifact.h"
#include "run_text.h"
#include "say.h"

/* A request reads for about ten seconds, or one file of any size. */
enum { REQUEST_MS = 600000, BUSY_TRIES = 60, PAUSE_MOST_S = 10 };

struct stored {
	struct api *api;
	struct text tail; /* of the path, up to the query */
	char name[1100];  /* "digits:v3" */
	int64_t files, bytes, damaged;
};

/* Aliases move: all requests are of the version that the first one found. */
static int find_version(struct stored *s, struct artifact_words *words)
{
	const char *path;
	int result;

	artifact_tail(&s->tail, words);
	path = text_c_string(&s->tail) ? api_project_path(s->api, s->tail.data) : NULL;
	s->api->expected = "version";
	result = path ? api_ask(s->api, "GET", path, NULL) : s->api->failed;
	if (result)
		return result;
	json_copy(json_member(s->api->answer, "version"), words->version, sizeof words->version);
	text_clear(&s->tail, 64);
	artifact_tail(&s->tail, words);
	snprintf(s->name, sizeof s->name, "%s:%s", words->name, words->version);
	return EXIT_DONE;
}

/* The server verifies only some versions at the same time. */
static int ask_patiently(struct api *api, const char *path)
{
	int result = EXIT_DONE;

	for (int tries = 0; tries < BUSY_TRIES; tries++) {
		int64_t pause_s;

		api->expected = "items";
		result = api_try(api, "POST", path, NULL);
		if (api->response.status != 503)
			break;
		pause_s = api->response.retry_after_s;
		sleep(pause_s < 1 ? 1 : pause_s > PAUSE_MOST_S ? PAUSE_MOST_S : (unsigned)pause_s);
	}
	if (result)
		api_say(api);
	return result;
}

static bool say_damaged(struct stored *s)
{
	struct json items = json_member(s->api->answer, "items"), item = { 0 };
	int64_t number;

	while (json_next(items, &item, NULL)) {
		char *file = json_text(json_member(item, "path"));
		char fault[64];

		if (!file)
			return false;
		json_line(json_member(item, "fault"), fault, sizeof fault);
		artifact_say_file(NULL, fault, file);
		free(file);
		s->damaged++;
	}
	if (json_int(json_member(s->api->answer, "files"), &number))
		s->files += number;
	if (json_int(json_member(s->api->answer, "bytes"), &number))
		s->bytes += number;
	return true;
}

/* One page; *cursor is that of the next one, NULL at the end. */
static int verify_page(struct stored *s, char **cursor)
{
	struct text tail = { 0 };
	const char *path;
	int result;

	text_format(&tail, "%s/verify", s->tail.data);
	if (*cursor) {
		text_str(&tail, "?cursor=");
		text_escaped(&tail, *cursor);
	}
	free(*cursor);
	*cursor = NULL;
	path = text_c_string(&tail) ? api_project_path(s->api, tail.data) : NULL;
	result = path ? ask_patiently(s->api, path) : s->api->failed;
	text_deinit(&tail);
	if (result)
		return result;
	if (!say_damaged(s)) {
		say("out of memory");
		return EXIT_REFUSED;
	}
	*cursor = json_text(json_member(s->api->answer, "next_cursor"));
	return EXIT_DONE;
}

int artifact_verify_stored(struct api *api, struct artifact_words *words)
{
	struct stored s = { .api = api };
	char *cursor = NULL, bytes[32];
	int result = find_version(&s, words);

	api->timeout_ms = REQUEST_MS;
	if (!result)
		result = text_c_string(&s.tail) ? EXIT_DONE : EXIT_REFUSED;
	if (!result)
		do
			result = verify_page(&s, &cursor);
		while (!result && cursor);
	text_deinit(&s.tail);
	if (result)
		return result;
	artifact_bytes(s.bytes, bytes);
	if (s.damaged) {
		printf("%lld of %lld files of %s are damaged on the server\n", (long long)s.damaged,
		       (long long)s.files, s.name);
		return EXIT_REFUSED;
	}
	printf("the server has all files of %s: %lld files, %s\n", s.name, (long long)s.files,
	       bytes);
	return EXIT_DONE;
}
