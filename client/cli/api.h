#ifndef API_H
#define API_H

#include "command.h"
#include "json.h"
#include "settings.h"
#include "text.h"
#include "transport.h"

/* The server as one subcommand sees it: settings, a connection, the last answer. */
struct api {
	struct settings settings;
	struct transport *transport;
	struct response response;
	struct text path;
	struct json answer;    /* of the last request; absent when there was none */
	const char *run;       /* that the last path was of; NULL: of none */
	bool is_project_named; /* on the command line */
	const char *
		expected; /* a member of the next answer, without which it is not Cairn's; NULL: any object */
	int timeout_ms;
	/* For on_wake of struct request. */
	int wake_fd;
	void (*on_wake)(void *context);
	void *wake_context;
	int failed; /* the exit code when a path is NULL, for then the server was asked in vain */
};

/* Reads the settings and makes the connection; 0, or an exit code after saying why. */
int api_open(struct api *api, const struct cli *cli, enum settings_key key)
	__attribute__((nonnull));
void api_close(struct api *api) __attribute__((nonnull));

/* One request. 0 with api->answer, or an exit code after saying why. */
int api_ask(struct api *api, const char *method, const char *path, const struct text *body)
	__attribute__((nonnull(1, 2, 3)));

/* The exit code of the response, which is read into api->answer: a success is an object of JSON, and has the member that
 * is expected. */
int api_judge(struct api *api) __attribute__((nonnull));

/* As api_ask() without saying anything. */
int api_try(struct api *api, const char *method, const char *path, const struct text *body)
	__attribute__((nonnull(1, 2, 3)));

/* Says why the last request failed. */
void api_say(const struct api *api) __attribute__((nonnull));

/* Fills in the user's default entity if the project was given without one. */
int api_find_entity(struct api *api) __attribute__((nonnull));

/* A path that names no project; valid until the next call. NULL without memory. */
const char *api_path(struct api *api, const char *path) __attribute__((nonnull));

/* "/api/v1/projects/{entity}/{project}" + tail; valid until the next call. NULL after saying why. */
const char *api_project_path(struct api *api, const char *tail) __attribute__((nonnull));

/* "…/runs/{run}" + tail */
const char *api_run_path(struct api *api, const char *run, const char *tail)
	__attribute__((nonnull));

/* Takes "project" or "entity/project" of `length` bytes; false when it is none. */
bool api_set_project(struct api *api, const char *name, size_t length) __attribute__((nonnull));
/* "entity/project" of the settings, once the entity is known; the caller frees it. NULL after saying why. */
char *api_current_project(const struct api *api) __attribute__((nonnull));

/* The run named by the first argument or CAIRN_RUN; NULL after saying what is missing. Also takes
 * "project/run" and "entity/project/run". */
const char *api_run_argument(struct api *api, const char *argument) __attribute__((nonnull(1)));

/* Prints the answer as a line of JSON; characters that steer a terminal are escaped as JSON can. */
void api_print_json(const struct api *api) __attribute__((nonnull));

#endif
