/*
 * Alerts, one request each, before what else waits. One that gets no answer is sent again; if the server had it,
 * it counts the second as a repeat. One that is refused is given up, and the next one has its turn.
 *
 * One that fails in another way must not hold up what was logged: before it is tried again a batch has its turn, a
 * heartbeat at least, which shows whether the server is away or fails at the alert alone. That is given up after
 * ALERT_TRIES_MAX such tries.
 */
#include <stdio.h>

#include "sender.h"

static const struct text *first_body(struct sender *s)
{
	const struct alert_waiting *first;

	pthread_mutex_lock(&s->run->lock);
	first = s->run->alerts.first;
	pthread_mutex_unlock(&s->run->lock);
	return first ? &first->body : NULL;
}

static struct step settle(struct sender *s, bool was_refused)
{
	s->alert.wait_ms = 0;
	s->alert.is_asked_for = false;
	s->alert.failed = 0;
	retry_reset(&s->alert.retry);
	pthread_mutex_lock(&s->run->lock);
	alerts_settle(&s->run->alerts, was_refused);
	pthread_cond_broadcast(&s->run->changed);
	pthread_mutex_unlock(&s->run->lock);
	return (struct step){ STEP_NEXT, 0 };
}

static struct step give_up(struct sender *s)
{
	char error[TRANSPORT_ERROR_SIZE];

	pthread_mutex_lock(&s->run->lock);
	snprintf(error, sizeof error, "%s", s->run->error);
	snprintf(s->run->error, sizeof s->run->error,
		 "an alert was dropped after %d attempts: %.200s", ALERT_TRIES_MAX, error);
	pthread_mutex_unlock(&s->run->lock);
	return settle(s, true);
}

/* It has its turn later, and a batch before. */
static struct step put_off(struct sender *s, enum outcome outcome)
{
	struct alert_tries *tries = &s->alert;

	tries->failed += tries->is_server_well;
	tries->is_server_well = false;
	if (tries->failed >= ALERT_TRIES_MAX)
		return give_up(s);
	tries->last_us = transport_clock_us();
	tries->wait_ms = retry_next_ms(&tries->retry, s->response.retry_after_s);
	tries->is_asked_for = s->response.retry_after_s > 0;
	tries->yields = true;
	if (outcome == OUTCOME_UNKNOWN || outcome == OUTCOME_FENCED)
		return sender_rejoin(s, outcome);
	s->last_answer_us = 0; /* a heartbeat is due */
	if (s->response.status == 0)
		return sender_retry(s, outcome);
	return (struct step){ STEP_NEXT, 0 };
}

/* How long it waits still, while something else has its turn. */
static int left_ms(struct sender *s)
{
	int64_t passed_ms = (transport_clock_us() - s->alert.last_us) / 1000;
	int wait_ms;

	pthread_mutex_lock(&s->run->lock);
	wait_ms = sender_wait_ms(s->run, s->alert.wait_ms, s->alert.is_asked_for);
	pthread_mutex_unlock(&s->run->lock);
	if (passed_ms < wait_ms)
		return (int)(wait_ms - passed_ms);
	return s->alert.yields ? 1 : 0;
}

struct step sender_alert(struct sender *s)
{
	const struct text *body = first_body(s);
	enum outcome outcome;
	struct json answer;
	int wait_ms = body ? left_ms(s) : 0;

	if (!body || wait_ms)
		return (struct step){ STEP_IDLE, wait_ms, s->alert.is_asked_for };
	outcome = sender_ask(s, "POST", "/alerts", body, &answer);
	switch (outcome) {
	case OUTCOME_OK:
		sender_answered(s);
		return settle(s, false);
	case OUTCOME_BAD:
	case OUTCOME_LARGE:
		return settle(s, true);
	case OUTCOME_GONE:
		return sender_retry(s, outcome);
	default:
		return put_off(s, outcome);
	}
}
