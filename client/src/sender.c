/* The thread: takes steps, waits between them, and keeps the run's phase. */
#include "sender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fork_gate.h"
#include "requests.h"
#include "thread.h"

#define FIRST_HEARTBEAT_US 9000000
#define LAST_RETRY_MS 500
#define FILE_MS 5000

struct sender *sender_new(struct cairn_run *run)
{
	struct sender *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->run = run;
	s->record_limit = SIZE_MAX;
	backlog_init(&s->replay, SIZE_MAX);
	s->heartbeat_us = FIRST_HEARTBEAT_US;
	retry_init(&s->retry, run->settings.retry_max_ms);
	retry_init(&s->alert.retry, run->settings.retry_max_ms);
	retry_init(&s->metadata.retry, run->settings.retry_max_ms);
	return s;
}

void sender_free(struct sender *s)
{
	if (!s)
		return;
	batch_deinit(&s->batch);
	text_deinit(&s->response.body);
	sender_source_deinit(s);
	text_deinit(&s->metadata.text);
	text_deinit(&s->scratch);
	text_deinit(&s->config);
	text_deinit(&s->summary);
	free(s);
}

void sender_note(struct sender *s, const char *error)
{
	pthread_mutex_lock(&s->run->lock);
	snprintf(s->run->error, sizeof s->run->error, "%s", error);
	pthread_mutex_unlock(&s->run->lock);
}

static void set_phase(struct sender *s, enum run_phase phase)
{
	pthread_mutex_lock(&s->run->lock);
	if (s->run->phase != phase) {
		s->run->phase = phase;
		pthread_cond_broadcast(&s->run->changed);
	}
	pthread_mutex_unlock(&s->run->lock);
}

void sender_answered(struct sender *s)
{
	s->last_answer_us = transport_clock_us();
	s->alert.is_server_well = true;
	s->metadata.is_server_well = true;
	retry_reset(&s->retry);
	set_phase(s, RUN_JOINED);
}

/* "/api/v1/projects/{entity}/{project}/runs/{run}" + path */
static const char *path_of(struct sender *s, const char *path)
{
	text_clear(&s->scratch, 4096);
	requests_path(&s->scratch, s->run->entity, &s->run->settings, path);
	return text_c_string(&s->scratch);
}

static enum outcome perform(struct sender *s, struct request *request, const struct text *body,
			    struct json *ret_object)
{
	char error[TRANSPORT_ERROR_SIZE];
	enum outcome outcome;

	request->body = body->data;
	request->body_length = body->length;
	if (!request->timeout_ms || request->timeout_ms > s->run->settings.request_timeout_ms)
		request->timeout_ms = s->run->settings.request_timeout_ms;
	if (!request->path || body->failed) {
		sender_note(s, "out of memory");
		return OUTCOME_AGAIN;
	}
	transport_perform(s->run->transport, request, &s->response);
	outcome = answer_judge(&s->response, ret_object, error);
	if (outcome != OUTCOME_OK)
		sender_note(s, error);
	return outcome;
}

enum outcome sender_ask(struct sender *s, const char *method, const char *path,
			const struct text *body, struct json *ret_object)
{
	struct request request = {
		.method = method,
		.path = strncmp(path, "/api/", 5) == 0 ? path : path_of(s, path),
	};

	return perform(s, &request, body, ret_object);
}

enum outcome sender_put_file(struct sender *s, const char *name, const struct text *body)
{
	struct request request = { .method = "PUT",
				   .content_type = "application/octet-stream",
				   .timeout_ms = FILE_MS,
				   .leaves_half = true };
	struct text path = { 0 };
	enum outcome outcome;
	struct json answer;

	text_format(&path, "/files/%s", name);
	if (text_c_string(&path))
		request.path = path_of(s, path.data);
	outcome = perform(s, &request, body, &answer);
	text_deinit(&path);
	return outcome;
}

static struct step refuse(struct sender *s)
{
	pthread_mutex_lock(&s->run->lock);
	s->run->was_refused = true;
	pthread_mutex_unlock(&s->run->lock);
	return (struct step){ STEP_OVER, 0 };
}

static bool is_finishing(struct sender *s)
{
	bool finishing;

	pthread_mutex_lock(&s->run->lock);
	finishing = s->run->is_finishing;
	pthread_mutex_unlock(&s->run->lock);
	return finishing;
}

struct step sender_retry(struct sender *s, enum outcome outcome)
{
	int wait_ms;

	pthread_mutex_lock(&s->run->lock);
	s->run->retries++;
	pthread_mutex_unlock(&s->run->lock);
	wait_ms = retry_next_ms(&s->retry, s->response.retry_after_s);
	if (outcome == OUTCOME_GONE) {
		pthread_mutex_lock(&s->run->lock);
		s->run->is_deleted = true;
		pthread_mutex_unlock(&s->run->lock);
		return refuse(s);
	}
	if (outcome == OUTCOME_AGAIN || outcome == OUTCOME_LARGE || outcome == OUTCOME_FENCED)
		return (struct step){ STEP_WAIT, wait_ms, s->response.retry_after_s > 0 };
	set_phase(s, RUN_DENIED);
	if (is_finishing(s))
		return refuse(s);
	return (struct step){ STEP_WAIT, RETRY_DENIED_MS };
}

/* Not while a run that finishes has something to send that was logged. */
static bool lets_metadata_in(struct sender *s, struct step batch)
{
	return batch.kind == STEP_NEXT && sender_metadata_is_overdue(s) && !is_finishing(s);
}

static struct step next_step(struct sender *s)
{
	struct step alert;
	struct step batch;
	struct step metadata;

	if (!s->session)
		return sender_join(s);
	alert = sender_alert(s);
	if (alert.kind != STEP_IDLE)
		return alert;
	batch = sender_batch(s);
	s->alert.yields = false;
	if (batch.kind != STEP_IDLE && !lets_metadata_in(s, batch))
		return batch;
	metadata = sender_metadata(s);
	if (metadata.kind != STEP_IDLE || batch.kind != STEP_IDLE)
		return metadata;
	if (alert.wait_ms)
		return alert.wait_ms < batch.wait_ms ? alert : batch;
	return is_finishing(s) ? sender_finish(s) : batch;
}

int sender_wait_ms(const struct cairn_run *run, int wait_ms, bool is_asked_for)
{
	bool is_short = run->is_finishing && !is_asked_for && wait_ms > LAST_RETRY_MS;

	return is_short ? LAST_RETRY_MS : wait_ms;
}

/* When a wait that begins now is over. The lock is held. */
static struct timespec end_of_wait(const struct cairn_run *run, struct step step)
{
	int wait_ms = sender_wait_ms(run, step.wait_ms, step.is_asked_for);
	int64_t at_us = transport_clock_us() + (int64_t)wait_ms * 1000;

	if (run->is_finishing && run->deadline_us < at_us)
		at_us = run->deadline_us;
	return (struct timespec){ .tv_sec = at_us / 1000000, .tv_nsec = at_us % 1000000 * 1000 };
}

/* Why the sender need not wait any longer. The lock is held. */
static bool is_wait_over(const struct cairn_run *run, struct step step)
{
	if (run->is_hurried && (run->is_finishing || !step.is_asked_for))
		return true;
	return step.kind == STEP_IDLE && run->is_poked;
}

static void wait_for(struct sender *s, struct step step)
{
	struct cairn_run *run = s->run;
	struct timespec until;
	int e = 0;

	fork_gate_leave();
	pthread_mutex_lock(&run->lock);
	until = end_of_wait(run, step);
	while (!is_wait_over(run, step) && e == 0)
		e = pthread_cond_timedwait(&run->wake, &run->lock, &until);
	if (run->is_hurried && (run->is_finishing || !s->alert.is_asked_for))
		s->alert.wait_ms = 0;
	run->is_hurried = false;
	pthread_mutex_unlock(&run->lock);
	fork_gate_enter();
}

/* The time given to finish is over. */
static bool is_late(struct sender *s)
{
	bool late;

	pthread_mutex_lock(&s->run->lock);
	late = s->run->is_finishing && s->run->deadline_us <= transport_clock_us();
	pthread_mutex_unlock(&s->run->lock);
	return late;
}

static void end_run(struct sender *s)
{
	struct cairn_run *run = s->run;

	pthread_mutex_lock(&run->lock);
	run->phase = RUN_OVER;
	run->is_closed = true;
	pthread_cond_broadcast(&run->changed);
	pthread_cond_signal(&run->spool_wake);
	pthread_mutex_unlock(&run->lock);
	run_release(run);
}

static void *sender_main(void *argument)
{
	struct sender *s = argument;

	fork_gate_begin_thread();
	pthread_setname_np(pthread_self(), "cairn-sender");
	while (!is_late(s)) {
		struct step step = next_step(s);

		if (step.kind == STEP_OVER)
			break;
		if (step.kind != STEP_NEXT)
			wait_for(s, step);
	}
	end_run(s);
	fork_gate_end_thread();
	return NULL;
}

int sender_start(struct sender *sender)
{
	return thread_start(sender_main, sender);
}
