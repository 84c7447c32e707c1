/*
 * Requests of cairn sync: retries, what a refusal means, and the way to a session.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "names.h"
#include "requests.h"
#include "sync.h"

#define REQUEST_TIMEOUT_MS 30000
#define NAP_US 100000

static const struct text no_body;

static bool copy_server(struct settings *server, const struct settings *settings)
{
	settings_deinit(server);
	server->url = strdup(settings->url);
	server->api_key = strdup(settings->api_key);
	if (settings->ca_file)
		server->ca_file = strdup(settings->ca_file);
	return server->url && server->api_key && (server->ca_file || !settings->ca_file);
}

/* The main thread may end requests of the connection that the thread has. */
static void set_transport(struct sync_worker *worker, struct transport *transport)
{
	pthread_mutex_lock(&worker->sync->lock);
	transport_free(worker->transport);
	worker->transport = transport;
	pthread_mutex_unlock(&worker->sync->lock);
}

/* The connection to the writer's server, which may be that of the thread's last writer. */
static struct transport *connect_to(struct sync_worker *worker, const struct settings *settings)
{
	const struct settings *server = &worker->server;
	bool is_same = worker->transport && strcmp(server->url, settings->url) == 0 &&
		       strcmp(server->api_key, settings->api_key) == 0;

	if (is_same)
		return worker->transport;
	set_transport(worker, NULL);
	if (copy_server(&worker->server, settings))
		set_transport(worker, transport_new(server));
	return worker->transport;
}

static const char *path_of(struct sync_worker *worker, const struct sync_writer *writer,
			   const char *tail)
{
	if (strncmp(tail, "/api/", 5) == 0)
		return tail;
	text_clear(&worker->path, 4096);
	requests_path(&worker->path, writer->entity, &writer->settings, tail);
	return text_c_string(&worker->path);
}

static bool is_stopping(const struct sync_worker *worker)
{
	return atomic_load(&worker->sync->is_stopping);
}

/* False if the sync ends in between. */
static bool pause_us(const struct sync_worker *worker, int64_t wait_us)
{
	int64_t until_us = transport_clock_us() + wait_us;

	while (transport_clock_us() < until_us && !is_stopping(worker)) {
		int64_t left_us = until_us - transport_clock_us();
		struct timespec nap = { .tv_nsec = (left_us < NAP_US ? left_us : NAP_US) * 1000 };

		if (left_us > 0)
			nanosleep(&nap, NULL);
	}
	return !is_stopping(worker);
}

/* Waits for the next try; false if there is none. */
static bool waits(struct sync_worker *worker, struct sync_writer *writer)
{
	int64_t limit_us = worker->sync->options->timeout_s * INT64_C(1000000);
	int64_t wait_us = (int64_t)retry_next_ms(&worker->retry, worker->response.retry_after_s) *
			  1000;
	int64_t passed_us = transport_clock_us() - writer->answered_us;

	return passed_us + wait_us <= limit_us && pause_us(worker, wait_us);
}

enum outcome sync_ask(struct sync_worker *worker, struct sync_writer *writer, const char *method,
		      const char *tail, const struct text *body, struct json *ret_answer)
{
	struct transport *transport = connect_to(worker, &writer->settings);
	struct request request = { .method = method,
				   .path = path_of(worker, writer, tail),
				   .body = body->data,
				   .body_length = body->length,
				   .timeout_ms = REQUEST_TIMEOUT_MS };
	char error[TRANSPORT_ERROR_SIZE];
	enum outcome outcome;

	if (strncmp(tail, "/files/", 7) == 0)
		request.content_type = "application/octet-stream";
	if (!transport || !request.path || body->failed) {
		sync_fail(writer, SYNC_BROKEN, "out of memory");
		return OUTCOME_AGAIN;
	}
	for (;;) {
		if (is_stopping(worker)) {
			sync_fail(writer, SYNC_STOPPED, "interrupted");
			return OUTCOME_AGAIN;
		}
		transport_perform(transport, &request, &worker->response);
		outcome = answer_judge(&worker->response, ret_answer, error);
		if (outcome != OUTCOME_AGAIN)
			break;
		if (!waits(worker, writer)) {
			sync_fail(writer, is_stopping(worker) ? SYNC_STOPPED : SYNC_AWAY, "%s",
				  error);
			return outcome;
		}
	}
	writer->answered_us = transport_clock_us();
	retry_reset(&worker->retry);
	if (outcome != OUTCOME_OK)
		snprintf(worker->error, sizeof worker->error, "%s", error);
	return outcome;
}

bool sync_is_problem(const struct sync_worker *worker, const char *name)
{
	struct json body = json_parse(worker->response.body.data, worker->response.body.length);
	char type[96], expected[96];

	if (!json_is_object(body))
		return false;
	json_copy(json_member(body, "type"), type, sizeof type);
	snprintf(expected, sizeof expected, "urn:cairn:problem:%s", name);
	return strcmp(type, expected) == 0;
}

void sync_refuse(struct sync_worker *worker, struct sync_writer *writer, enum outcome outcome)
{
	const char *error = worker->error;

	switch (outcome) {
	case OUTCOME_AGAIN:
		break; /* it was told where the tries ended */
	case OUTCOME_DENIED:
		sync_fail(writer, SYNC_REFUSED,
			  "the server rejects the API key (%s); sync again with a valid key",
			  error);
		break;
	case OUTCOME_GONE:
		sync_fail(writer, SYNC_REFUSED,
			  "the run was deleted: restore it and sync again, or remove the folder");
		break;
	case OUTCOME_FENCED:
		if (sync_is_problem(worker, "session-fenced"))
			sync_fail(writer, SYNC_FENCED,
				  "another cairn sync, or the process itself, sends it now");
		else
			sync_fail(writer, SYNC_REFUSED, "%s", error);
		break;
	case OUTCOME_UNKNOWN:
		sync_fail(writer, SYNC_REFUSED,
			  "the server does not know the project, or you do not have access (%s)",
			  error);
		break;
	case OUTCOME_LARGE:
		sync_fail(writer, SYNC_REFUSED,
			  "a request is too large for a proxy on the way (%s): raise its limit",
			  error);
		break;
	default:
		sync_fail(writer, SYNC_REFUSED, "%s", error);
	}
}

/* The user's default entity, if the spool names none. */
static bool find_entity(struct sync_worker *worker, struct sync_writer *writer)
{
	enum outcome outcome;
	struct json viewer;
	char *entity;

	if (writer->entity)
		return true;
	if (writer->settings.entity) {
		writer->entity = strdup(writer->settings.entity);
		return writer->entity != NULL;
	}
	outcome = sync_ask(worker, writer, "GET", "/api/v1/viewer", &no_body, &viewer);
	if (outcome) {
		sync_refuse(worker, writer, outcome);
		return false;
	}
	entity = json_text(json_member(viewer, "default_entity"));
	if (entity && names_is_entity(entity)) {
		writer->entity = entity;
		return true;
	}
	free(entity);
	sync_fail(writer, SYNC_REFUSED, "you have no default entity: set --project entity/project");
	return false;
}

/* The writer as the server knows it. */
struct known {
	bool is_there, has_ended;
	int64_t records;
};

static bool is_text(struct json value, const char *text)
{
	char *own = json_text(value);
	bool is_same = own && strcmp(own, text) == 0;

	free(own);
	return is_same;
}

static void look_at_page(struct json page, const char *client, struct known *known)
{
	struct json items = json_member(page, "items"), item = { 0 };

	while (json_next(items, &item, NULL)) {
		if (!is_text(json_member(item, "client"), client))
			continue;
		known->is_there = true;
		known->has_ended = is_text(json_member(item, "state"), "ended");
		if (!json_int(json_member(item, "records"), &known->records))
			known->records = 0;
	}
}

/* Looks for the writer in the run's list. A run that is not there has none. False after a refusal. */
static bool find_writer(struct sync_worker *worker, struct sync_writer *writer, struct known *known)
{
	struct text tail = { 0 };
	char *cursor = NULL;
	enum outcome outcome;
	struct json page;

	*known = (struct known){ 0 };
	do {
		text_clear(&tail, 4096);
		text_str(&tail, "/writers?limit=1000");
		if (cursor) {
			text_str(&tail, "&cursor=");
			text_escaped(&tail, cursor);
		}
		outcome = text_c_string(&tail)
				  ? sync_ask(worker, writer, "GET", tail.data, &no_body, &page)
				  : OUTCOME_BAD;
		free(cursor);
		cursor = NULL;
		if (outcome == OUTCOME_OK) {
			look_at_page(page, writer->identity.client, known);
			cursor = json_text(json_member(page, "next_cursor"));
		}
	} while (outcome == OUTCOME_OK && cursor && cursor[0] && !known->is_there);
	free(cursor);
	text_deinit(&tail);
	if (outcome == OUTCOME_OK || outcome == OUTCOME_UNKNOWN)
		return true;
	sync_refuse(worker, writer, outcome);
	return false;
}

static uint64_t target_of(const struct sync_writer *writer)
{
	struct text text = { 0 };
	uint64_t target = 0;

	text_format(&text, "%s %s/%s", writer->settings.url, writer->entity,
		    writer->settings.project);
	if (text_c_string(&text))
		target = text_hash(text.data);
	text_deinit(&text);
	return target;
}

void sync_note(const struct sync_writer *writer, enum sync_stage stage)
{
	const struct sync_mark mark = { .records = writer->feed.first,
					.stage = stage,
					.place = writer->place,
					.target = target_of(writer),
					.refused = writer->mark.refused + writer->counts.refused };

	sync_folder_write_mark(writer->folder, &mark);
}

/* Takes the note of an earlier sync, unless it sent the spool elsewhere or something was added since. */
static void read_mark(struct sync_writer *writer)
{
	if (!sync_folder_read_mark(writer->folder, &writer->mark) ||
	    writer->mark.target != target_of(writer))
		writer->mark = (struct sync_mark){ 0 };
	else if (!sync_folder_place(writer->folder, &writer->place) ||
		 !sync_place_is_same(writer->mark.place, writer->place))
		writer->mark = (struct sync_mark){ .refused = writer->mark.refused };
}

/*
 * Whether the server has all of the spool, with the end of its process, so that a join would say nothing new. The mark says
 * it of this spool. The server's numbers are those of all processes of the writer: they only show that it still has it.
 */
static bool is_known(struct sync_worker *worker, struct sync_writer *writer, bool *ret_known)
{
	struct sync_survey survey;
	struct known known;

	*ret_known = false;
	read_mark(writer);
	if (!find_writer(worker, writer, &known))
		return false;
	if (!known.is_there || !known.has_ended || writer->mark.stage != SYNC_STAGE_END)
		return true;
	if (!sync_survey(writer->folder, 0, &survey, writer->line)) {
		writer->state = SYNC_BROKEN;
		return false;
	}
	*ret_known = writer->mark.records <= (uint64_t)known.records;
	writer->damages = survey.damages;
	return true;
}

static enum outcome put_run(struct sync_worker *worker, struct sync_writer *writer,
			    int64_t started_at_us)
{
	struct json run;

	text_clear(&worker->body, DOCUMENT_MAX_BYTES);
	requests_make(&worker->body, &writer->settings, started_at_us);
	return sync_ask(worker, writer, "PUT", "", &worker->body, &run);
}

/* A start that the server refuses, as of a host whose clock is years ahead, is left out. */
static bool make_run(struct sync_worker *worker, struct sync_writer *writer)
{
	enum outcome outcome = put_run(worker, writer, writer->identity.started_at_us);

	if (outcome == OUTCOME_BAD)
		outcome = put_run(worker, writer, 0);
	if (outcome)
		sync_refuse(worker, writer, outcome);
	return outcome == OUTCOME_OK;
}

static void say_too_old(struct sync_writer *writer)
{
	sync_fail(writer, SYNC_REFUSED,
		  "the server is too old for cairn sync: update it, and sync again");
}

static bool take_session(struct sync_writer *writer, struct json answer)
{
	int64_t session, records;

	if (!json_int(json_member(answer, "session"), &session) || session < 1) {
		sync_fail(writer, SYNC_REFUSED,
			  "the server's response to a join contains no session");
		return false;
	}
	if (!json_int(json_member(answer, "records"), &records) || records < 0) {
		say_too_old(writer);
		return false;
	}
	if (!json_int(json_member(answer, "batch_next"), &writer->batch_next) ||
	    writer->batch_next < 1)
		writer->batch_next = 1;
	if (writer->is_open)
		sync_feed_close(&writer->feed);
	writer->is_open = true;
	if (!sync_feed_open(&writer->feed, writer->folder, (uint64_t)records,
			    writer->identity.mode && strcmp(writer->identity.mode, "offline") == 0,
			    writer->line)) {
		writer->state = SYNC_BROKEN;
		return false;
	}
	writer->session = session;
	writer->beat_us = transport_clock_us();
	writer->record_limit = UINT64_MAX;
	return true;
}

static enum outcome post_join(struct sync_worker *worker, struct sync_writer *writer,
			      int64_t started_at_us, struct json *ret_answer)
{
	const struct requests_process process = {
		.host = writer->identity.host,
		.pid = writer->identity.pid,
		.client_version = writer->identity.client_version,
		.started_at_us = started_at_us,
		.stream = writer->identity.stream,
	};

	text_clear(&worker->body, 4096);
	requests_join(&worker->body, &writer->settings, &process);
	return sync_ask(worker, writer, "POST", "/join", &worker->body, ret_answer);
}

/* With its start, so that a run that has ended in between stays as it is. */
static bool join(struct sync_worker *worker, struct sync_writer *writer)
{
	struct json answer;
	enum outcome outcome = post_join(worker, writer, writer->identity.started_at_us, &answer);

	if (outcome == OUTCOME_BAD)
		outcome = post_join(worker, writer, 0, &answer);
	if (outcome == OUTCOME_BAD && answer_refuses_stream(&worker->response))
		say_too_old(writer);
	else if (outcome)
		sync_refuse(worker, writer, outcome);
	return outcome == OUTCOME_OK && take_session(writer, answer);
}

bool sync_join(struct sync_worker *worker, struct sync_writer *writer)
{
	bool is_there = false;

	if (!find_entity(worker, writer))
		return false;
	if (!is_known(worker, writer, &is_there))
		return false;
	if (is_there) {
		writer->state = SYNC_DONE;
		return false;
	}
	return make_run(worker, writer) && join(worker, writer);
}
