/*
 * Alerts, one request each, before what else waits. One that gets no answer is sent again; if the server had it,
 * it counts the second as a repeat. One that is refused is given up, and the next one has its turn.
 */
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
	pthread_mutex_lock(&s->run->lock);
	alerts_settle(&s->run->alerts, was_refused);
	pthread_cond_broadcast(&s->run->changed);
	pthread_mutex_unlock(&s->run->lock);
	return (struct step){ STEP_NEXT, 0 };
}

struct step sender_alert(struct sender *s)
{
	const struct text *body = first_body(s);
	enum verdict verdict;
	struct json answer;

	if (!body)
		return (struct step){ STEP_IDLE, 0 };
	verdict = sender_ask(s, "POST", "/alerts", body, &answer);
	switch (verdict) {
	case VERDICT_OK:
		sender_answered(s);
		return settle(s, false);
	case VERDICT_BAD:
	case VERDICT_LARGE:
		return settle(s, true);
	case VERDICT_UNKNOWN:
		return sender_rejoin(s, verdict);
	default:
		return sender_retry(s, verdict);
	}
}
