/*
 * A server as a source: finds what the user means, reads parts when live events say that they have changed, and tries again
 * when the server is away. What was read stays on the screen.
 */
#include "server_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "names.h"
#include "say.h"
#include "server_parts.h"

#define FIRST_TIMEOUT_MS 5000 /* of the first request, before the screen is there */
#define TIMEOUT_MS 15000
#define ROUND_US 1000000
#define PART_LEAST_US 1000000
#define SHARE 5 /* a part may take a fifth of the time */
#define POLL_US 5000000
#define RETRY_MOST_S 15

/* ---- the target ------------------------------------------------------------------------------------ */

/* Whether the last request failed, or was answered by something else than the server, so that it may be tried again. */
static bool is_away(const struct server_source *server)
{
	long status = server->api.response.status;

	return status == 0 || status == 429 || status >= 500;
}

static bool is_missing(const struct server_source *server)
{
	return server->api.response.status == 404;
}

static int find_entity(struct server_source *server)
{
	struct api *api = &server->api;
	int result;

	if (api->settings.entity)
		return EXIT_DONE;
	result = api_try(api, "GET", "/api/v1/viewer", NULL);
	if (result)
		return result;
	api->settings.entity = json_text(json_member(api->answer, "default_entity"));
	if (api->settings.entity && names_is_entity(api->settings.entity))
		return EXIT_DONE;
	free(api->settings.entity);
	api->settings.entity = NULL;
	return EXIT_REFUSED;
}

static int find_run(struct server_source *server, const char *run)
{
	int result;

	snprintf(server->run, sizeof server->run, "%s", run);
	result = server_get_run(server, "", "state");
	server->is_run = result == EXIT_DONE;
	return result;
}

static int find_project(struct server_source *server)
{
	server->run[0] = '\0';
	server->is_run = false;
	return server_get_project(server, "", "name");
}

/* PROJECT/RUN of the default entity, else ENTITY/PROJECT. */
static int find_either(struct server_source *server, const char *target)
{
	size_t length = strcspn(target, "/");
	const char *rest = target + length + 1;
	int result = find_entity(server);

	if (result)
		return result;
	if (api_set_project(&server->api, target, length) && names_is_run(rest)) {
		result = find_run(server, rest);
		if (!result || !is_missing(server))
			return result;
	}
	if (!api_set_project(&server->api, target, strlen(target)))
		return EXIT_USAGE;
	return find_project(server);
}

static int resolve(struct server_source *server)
{
	const char *target = server->target ? server->target : getenv("CAIRN_RUN");
	const char *slash = target ? strrchr(target, '/') : NULL;
	int result;

	if (slash && strchr(target, '/') == slash && server->target)
		return find_either(server, target);
	if (slash && !api_set_project(&server->api, target, (size_t)(slash - target)))
		return EXIT_USAGE;
	if (!slash && server->target && !api_set_project(&server->api, target, strlen(target)))
		return EXIT_USAGE;
	result = find_entity(server);
	if (result)
		return result;
	if (slash || (target && !server->target))
		return find_run(server, slash ? slash + 1 : target);
	return find_project(server);
}

/* ---- the connection -------------------------------------------------------------------------------- */

static void set_title(struct server_source *server, struct model *model)
{
	const struct settings *settings = &server->api.settings;
	struct text title = { 0 };

	text_format(&title, "%s/%s", settings->entity, settings->project);
	if (server->is_run)
		text_format(&title, "/%s", server->run);
	free(model->title);
	model->title = text_take(&title);
	model->kind = server->is_run ? MODEL_RUN : MODEL_PROJECT;
}

static void note_resolved(struct server_source *server)
{
	struct model *model = feed_begin(server->feed);

	set_title(server, model);
	if (server->is_run)
		model_show(model, server->run, server->wants.is_system);
	feed_end(server->feed);
	server->is_resolved = true;
	server->dirty = PARTS_ALL;
}

/* One line about the last request, which failed. */
static void describe(const struct server_source *server, char *text, size_t size)
{
	const struct api *api = &server->api;

	if (api->response.status == 0)
		snprintf(text, size, "%s", api->response.error);
	else if (json_is_object(api->answer))
		json_line(json_member(api->answer, "detail"), text, size);
	else
		answer_describe_other(&api->response, text, size);
	if (!text[0])
		snprintf(text, size, "status %ld", api->response.status);
}

static void note_lost(struct server_source *server)
{
	struct model *model;
	int64_t after_s = server->api.response.retry_after_s;
	char text[sizeof model->notice];

	describe(server, text, sizeof text);
	if (after_s < 1 || after_s > RETRY_MOST_S)
		after_s = server->failures < 4 ? 1 << server->failures : RETRY_MOST_S;
	server->failures++;
	server->retry_us = transport_clock_us() + after_s * 1000000;
	model = feed_begin(server->feed);
	model->link = LINK_LOST;
	snprintf(model->notice, sizeof model->notice, "%s", text);
	model->retry_s = model_now(model) + (double)after_s;
	feed_end(server->feed);
}

static void note_link(struct server_source *server, const struct live_news *news)
{
	struct model *model;

	if (server->failures && server->line)
		live_line_hurry(server->line);
	server->failures = 0;
	server->retry_us = 0;
	model = feed_begin(server->feed);
	model->link = news->is_open ? LINK_LIVE : news->has_failed ? LINK_POLLING : LINK_CONNECTING;
	model->is_whole |= server->was_read == PARTS_ALL;
	if (!isnan(news->clock_ahead_s))
		model->clock_ahead_s = news->clock_ahead_s;
	if (news->alert[0]) {
		snprintf(model->alert, sizeof model->alert, "%s", news->alert);
		model->alert_s = model_now(model);
	}
	feed_end(server->feed);
}

/* The first look, before the screen is there: what the server refuses now is said. It also tells whether the filter and the
 * order are valid. A server that is away may come back. */
static int look_first(struct server_source *server)
{
	int result;

	server->api.timeout_ms = FIRST_TIMEOUT_MS;
	result = resolve(server);
	if (!result) {
		note_resolved(server);
		result = server_read(server, PART_RUNS);
	}
	server->api.timeout_ms = TIMEOUT_MS;
	if (result == EXIT_USAGE) {
		say("invalid target \"%s\": expected PROJECT, ENTITY/PROJECT, PROJECT/RUN or "
		    "ENTITY/PROJECT/RUN",
		    server->target ? server->target : getenv("CAIRN_RUN"));
	} else if (result && is_away(server)) {
		note_lost(server);
		result = EXIT_DONE;
	} else if (result) {
		api_say(&server->api);
	}
	return result;
}

static int open_server(struct top_source *source, struct feed *feed)
{
	struct server_source *server = (struct server_source *)source;
	int result = api_open(&server->api, server->cli, SETTINGS_KEY_OPTIONAL);

	if (result)
		return result;
	server->feed = feed;
	feed->model.kind = MODEL_PROJECT;
	feed->model.title =
		model_text(server->target ? server->target : server->api.settings.project);
	result = look_first(server);
	if (result)
		return result;
	server->line = live_line_start(&server->api.settings, feed);
	if (!server->line)
		say("out of memory");
	return server->line ? EXIT_DONE : EXIT_REFUSED;
}

/* ---- rounds ------------------------------------------------------------------------------------------ */

/* Follows the project's stream, with the run that is shown. */
static void follow(struct server_source *server)
{
	struct text tail = { 0 };
	const char *path = NULL;

	text_str(&tail, "/live");
	if (server->run[0]) {
		text_str(&tail, "?follow=");
		text_escaped(&tail, server->run);
	}
	if (text_c_string(&tail))
		path = api_project_path(&server->api, tail.data);
	if (path)
		live_line_follow(server->line, path);
	text_deinit(&tail);
}

static void show_run(struct server_source *server, const char *run)
{
	server_forget_run(server);
	snprintf(server->run, sizeof server->run, "%s", run);
	server->dirty |= PARTS_OF_RUN;
	server->was_read &= ~PARTS_OF_RUN;
	for (int part = 0; part < PARTS; part++)
		server->due_us[part] = 0;
}

/* Takes what the screen wants now. */
static void take_wants(struct server_source *server)
{
	struct wants before = server->wants;
	struct model *model;

	server->wants = (struct wants){ 0 };
	model = feed_begin(server->feed);
	if (!wants_copy(&server->wants, &server->feed->wants)) {
		feed_end(server->feed);
		server->wants = before;
		return;
	}
	if (!server->is_run && strcmp(server->wants.run, server->run) != 0)
		show_run(server, server->wants.run);
	model_show(model, server->run[0] ? server->run : NULL, server->wants.is_system);
	feed_end(server->feed);
	if (before.is_system != server->wants.is_system) {
		server->dirty |= PART_BIT(PART_METRICS);
		server->due_us[PART_METRICS] = 0;
	}
	if (!wants_same_charts(&before, &server->wants)) {
		server->dirty |= PART_BIT(PART_CHARTS);
		server->due_us[PART_CHARTS] = 0;
	}
	if (!server->wants.column_count) { /* not known yet */
		for (size_t i = 0; i < before.column_count; i++)
			wants_add_column(&server->wants, before.columns[i]);
	} else if (!server->is_run && !wants_same_columns(&before, &server->wants)) {
		server->dirty |= PART_BIT(PART_RUNS);
		server->due_us[PART_RUNS] = 0;
	}
	wants_deinit(&before);
}

/* Reads a part that has changed. False if the connection is lost. */
static bool read_part(struct server_source *server, enum server_part part)
{
	int64_t began_us = transport_clock_us(), took_us;
	int result = server_read(server, part);
	long status = server->api.response.status;

	took_us = transport_clock_us() - began_us;
	server->due_us[part] = began_us + took_us +
			       (took_us * SHARE > PART_LEAST_US ? took_us * SHARE : PART_LEAST_US);
	server->was_read |= PART_BIT(part);
	if (!result)
		return true;
	/* A part of a run that is gone is left as it is: the list shows what became of the run. */
	if (part != PART_RUNS && status >= 400 && status < 500 && status != 401 && status != 403 &&
	    status != 429)
		return true;
	server->dirty |= PART_BIT(part);
	return false;
}

/* False if the connection is lost. */
static bool read_parts(struct server_source *server)
{
	for (int part = 0; part < PARTS; part++) {
		if (!(server->dirty & PART_BIT(part)) ||
		    server->due_us[part] > transport_clock_us())
			continue;
		if (feed_is_done(server->feed))
			return true;
		server->dirty &= ~PART_BIT(part);
		if (!read_part(server, (enum server_part)part))
			return false;
		take_wants(
			server); /* what was read may have given the screen something to choose from */
	}
	return true;
}

static int64_t until_next(const struct server_source *server)
{
	int64_t now_us = transport_clock_us(), wait_us = ROUND_US;

	for (int part = 0; part < PARTS; part++) {
		int64_t left_us = server->due_us[part] - now_us;

		if (server->dirty & PART_BIT(part) && left_us < wait_us)
			wait_us = left_us;
	}
	return wait_us > 0 ? wait_us : 0;
}

/* The server's answer decides whether it is there. */
static bool try_resolve(struct server_source *server)
{
	if (server->is_resolved)
		return true;
	if (resolve(server)) {
		note_lost(server);
		return false;
	}
	note_resolved(server);
	return true;
}

static void poll_parts(struct server_source *server, const struct live_news *news)
{
	int64_t now_us = transport_clock_us();

	server->dirty |= news->parts;
	if (news->is_open || now_us < server->poll_us)
		return;
	server->poll_us = now_us + POLL_US;
	server->dirty |= PARTS_ALL;
}

static void next_round(struct top_source *source, struct feed *feed)
{
	struct server_source *server = (struct server_source *)source;
	int64_t left_us = server->retry_us - transport_clock_us();
	struct live_news news;

	if (left_us > 0) {
		feed_wait(feed, left_us < ROUND_US ? left_us : ROUND_US);
		return;
	}
	if (!try_resolve(server))
		return;
	take_wants(server);
	follow(server);
	news = live_line_take(server->line);
	poll_parts(server, &news);
	if (server->failures)
		server->dirty |= PARTS_ALL;
	if (!read_parts(server)) {
		note_lost(server);
		return;
	}
	note_link(server, &news);
	feed_wait(feed, until_next(server));
}

static void interrupt_server(struct top_source *source)
{
	struct server_source *server = (struct server_source *)source;

	transport_set_deadline(server->api.transport, 0);
}

static void close_server(struct top_source *source)
{
	struct server_source *server = (struct server_source *)source;

	live_line_stop(server->line);
	server_forget_run(server);
	wants_deinit(&server->wants);
	if (server->api.transport)
		api_close(&server->api);
	free(server);
}

struct top_source *server_source_new(const struct cli *cli, const char *target)
{
	struct server_source *server = calloc(1, sizeof *server);

	if (!server)
		return NULL;
	server->source =
		(struct top_source){ open_server, next_round, interrupt_server, close_server };
	server->cli = cli;
	server->target = target;
	return &server->source;
}
