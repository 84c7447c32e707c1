#include <stdio.h>

#include "requests.h"
#include "sender.h"

/* Older servers know no state and no reason of a writer. */
static void write_finish(struct sender *s, struct text *body)
{
	static const char *const states[] = { NULL, "crashed", "preempted" };
	struct cairn_run *run = s->run;
	struct requests_end end;
	char reason[RUN_REASON_SIZE];

	pthread_mutex_lock(&run->lock);
	end = (struct requests_end){ .exit_code = run->exit_code, .reason = reason };
	snprintf(reason, sizeof reason, "%s", s->knows_records ? run->end_reason : "");
	if (s->knows_records && run->settings.role == CAIRN_PRIMARY)
		end.state = states[run->end_state];
	pthread_mutex_unlock(&run->lock);
	requests_finish(body, run->settings.client_id, s->session, &end);
}

struct step sender_finish(struct sender *s)
{
	struct text body = { 0 };
	struct json answer;
	enum outcome outcome;

	write_finish(s, &body);
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
