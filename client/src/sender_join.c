/*
 * From nothing to a session: which entity, the run itself, the session. Each is asked for with a
 * request that may be repeated.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"
#include "requests.h"
#include "sender.h"

#define FENCE_CALM_US 60000000 /* a session that lasted so long was no quarrel */
#define HEARTBEAT_MARGIN_US 1000000

static const struct text no_body;

/* The user's default entity, where the project was given without one. */
static struct step find_entity(struct sender *s)
{
	struct json viewer;
	enum outcome outcome = sender_ask(s, "GET", "/api/v1/viewer", &no_body, &viewer);
	char *entity;

	if (outcome)
		return sender_retry(s, outcome);
	entity = json_text(json_member(viewer, "default_entity"));
	if (!entity || !names_is_entity(entity)) {
		free(entity);
		sender_note(s, "you have no default entity: set the project as \"entity/project\"");
		return sender_retry(s, OUTCOME_DENIED);
	}
	pthread_mutex_lock(&s->run->lock);
	s->run->entity = entity;
	pthread_mutex_unlock(&s->run->lock);
	return (struct step){ STEP_NEXT, 0 };
}

/* Makes the run, or finds it made: both are well. */
static struct step make_run(struct sender *s)
{
	const struct settings *settings = &s->run->settings;
	struct text body = { 0 };
	struct json run;
	enum outcome outcome;

	requests_make(&body, settings, 0);
	outcome = sender_ask(s, "PUT", "", &body, &run);
	text_deinit(&body);
	if (outcome)
		return sender_retry(s, outcome);
	s->is_made = true;
	return (struct step){ STEP_NEXT, 0 };
}

static void write_join(const struct sender *s, struct text *body)
{
	struct requests_process process = { .stream = s->is_streamless ? NULL : s->run->stream,
					    .pid = getpid(),
					    .client_version = "libcairn " CAIRN_VERSION };
	char host[65] = "";

	gethostname(host, sizeof host - 1);
	process.host = host[0] ? host : NULL;
	requests_join(body, &s->run->settings, &process);
}

/* A batch whose fate was open when the old session ended: the server says whether it has it. */
static void settle_pending(struct sender *s, struct json join)
{
	struct batch *batch = &s->batch;

	if (batch->is_pending && answer_stored_batch(join, batch->session) >= batch->number)
		sender_batch_stored(s);
	batch->is_pending = false; /* it is built again with numbers of the new session */
	sender_take_records(s, join);
}

static void take_session(struct sender *s, struct json join, int64_t session)
{
	int64_t heartbeat_s;

	settle_pending(s, join);
	s->session = session;
	if (!json_int(json_member(join, "batch_next"), &s->next_number) || s->next_number < 1)
		s->next_number = 1;
	if (json_int(json_member(join, "heartbeat_s"), &heartbeat_s) && heartbeat_s >= 1 &&
	    heartbeat_s <= 10)
		s->heartbeat_us = heartbeat_s * 1000000 -
				  HEARTBEAT_MARGIN_US / (heartbeat_s < 2 ? 2 : 1);
	if (json_true(json_member(join, "stop")))
		atomic_store(&s->run->stop_asked, true);
	s->joined_us = transport_clock_us();
	pthread_mutex_lock(&s->run->lock);
	s->run->joins++;
	pthread_mutex_unlock(&s->run->lock);
	sender_answered(s);
}

static struct step join(struct sender *s)
{
	struct text body = { 0 };
	struct json answer;
	enum outcome outcome;
	int64_t session;

	write_join(s, &body);
	outcome = sender_ask(s, "POST", "/join", &body, &answer);
	text_deinit(&body);
	if (outcome == OUTCOME_UNKNOWN) {
		s->is_made = false;
		outcome = OUTCOME_AGAIN;
	}
	if (outcome == OUTCOME_BAD && !s->is_streamless && answer_refuses_stream(&s->response)) {
		s->is_streamless = true;
		return (struct step){ STEP_NEXT, 0 };
	}
	if (outcome)
		return sender_retry(s, outcome);
	if (!json_int(json_member(answer, "session"), &session) || session < 1) {
		sender_note(s, "the server's response to a join contains no session");
		return sender_retry(s, OUTCOME_AGAIN);
	}
	take_session(s, answer, session);
	return (struct step){ STEP_NEXT, 0 };
}

struct step sender_join(struct sender *s)
{
	if (!s->run->entity)
		return find_entity(s);
	if (!s->is_made)
		return make_run(s);
	return join(s);
}

struct step sender_rejoin(struct sender *s, enum outcome outcome)
{
	bool is_calm = transport_clock_us() - s->joined_us > FENCE_CALM_US;

	s->session = 0;
	if (outcome == OUTCOME_UNKNOWN)
		s->is_made = false;
	s->fences = is_calm ? 1 : s->fences + 1;
	if (s->fences == 1)
		return (struct step){ STEP_NEXT, 0 };
	s->retry.tries = s->fences;
	return (struct step){ STEP_WAIT, retry_next_ms(&s->retry, 0) };
}
