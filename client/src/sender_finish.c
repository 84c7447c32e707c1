#include "sender.h"

static void write_finish(struct cairn_run *run, int64_t session, struct text *body)
{
	text_format(body, "{\"writer\":\"%s\",\"session\":", run->settings.client_id);
	text_int(body, session);
	text_str(body, ",\"exit_code\":");
	text_int(body, run->exit_code);
	text_str(body, "}");
}

struct step sender_finish(struct sender *s)
{
	struct text body = { 0 };
	struct json answer;
	enum outcome outcome;

	write_finish(s->run, s->session, &body);
	outcome = sender_ask(s, "POST", "/finish", &body, &answer);
	text_deinit(&body);
	switch (outcome) {
	case OUTCOME_OK:
		if (json_is_string(json_member(answer, "state")))
			break;
		sender_note(s, "the server's response to the end of a run contains no state");
		return sender_retry(s, OUTCOME_AGAIN);
	case OUTCOME_UNKNOWN:
	case OUTCOME_FENCED:
		return sender_rejoin(s, outcome);
	default:
		return sender_retry(s, outcome);
	}
	pthread_mutex_lock(&s->run->lock);
	s->run->is_end_sent = true;
	pthread_mutex_unlock(&s->run->lock);
	return (struct step){ STEP_OVER, 0 };
}
