/* Trials of a sweep: listed, asked for and reported by hand. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "auth.h"
#include "json_in.h"
#include "page.h"
#include "reply.h"
#include "sweep_api.h"
#include "sweep_json.h"
#include "sweep_suggest.h"

enum { AGENT_BYTES = 20, NUMBER_MAX = 18 };

/* ---- lists ------------------------------------------------------------------------------------------ */

static err_t read_order(struct request *q, struct sweep_trials_ask *ask)
{
	static const struct {
		const char *name;
		enum sweep_trial_order order;
	} orders[] = { { "trial", SWEEP_TRIALS_OLDEST },
		       { "-trial", SWEEP_TRIALS_NEWEST },
		       { "best", SWEEP_TRIALS_BEST } };
	struct str order = request_query(q, "order");

	ask->order = SWEEP_TRIALS_OLDEST;
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (order.at && str_is(order, orders[i].name)) {
			ask->order = orders[i].order;
			return NULL;
		}
	}
	if (!order.at)
		return NULL;
	return err_field(q->arena, ERR_INVALID, "order",
			 "\"order\" must be one of trial, -trial, best");
}

static err_t read_state(struct request *q, struct sweep_trials_ask *ask)
{
	struct str state = request_query(q, "state");
	int found = state.at ? sweep_trial_state_read(state) : 0;

	ask->state = (int16_t)found;
	if (found >= 0)
		return NULL;
	return err_field(q->arena, ERR_INVALID, "state",
			 "\"state\" must be the state of a trial, such as running or finished");
}

/* "5", or "0x1.8p+1 5": of the last trial its order value and its number. */
static bool read_after(struct str after, struct sweep_trials_ask *ask)
{
	char text[64];
	char *end = text;

	ask->has_after = after.len > 0;
	if (!after.len)
		return true;
	if (ask->order != SWEEP_TRIALS_BEST)
		return str_to_int64(after, 1, INT64_MAX, &ask->after);
	if (after.len >= sizeof(text))
		return false;
	memcpy(text, after.at, after.len);
	text[after.len] = '\0';
	ask->after_value = strtod(text, &end);
	return *end == ' ' && str_to_int64(str_of(end + 1), 1, INT64_MAX, &ask->after);
}

static err_t read_list(struct request *q, struct page *page, struct sweep_trials_ask *ask)
{
	err_t e = page_read(q, page);

	*ask = (struct sweep_trials_ask){
		.limit = page->limit + 1,
		.sees_private = access_sees(q->target->sees_private, q->target->visibility,
					    VISIBILITY_PRIVATE),
	};
	if (!e)
		e = read_order(q, ask);
	if (!e)
		e = read_state(q, ask);
	if (!e && !read_after(page->after, ask))
		e = page_bad_cursor(q);
	return e;
}

static void set_cursor(struct request *q, struct page *page, const struct sweep_trials_ask *ask,
		       const struct sweep_trial *last)
{
	if (ask->order == SWEEP_TRIALS_BEST)
		page_set_cursor(q, page, "%a %" PRId64, sweep_trial_order_value(last, ask->goal),
				last->trial);
	else
		page_set_cursor(q, page, "%" PRId64, last->trial);
}

err_t sweep_trial_api_list(struct request *q)
{
	struct sweep_trials_ask ask;
	struct sweep_target target;
	struct sweep_shown *shown;
	struct sweep_trial *trials;
	struct page page;
	size_t count;
	err_t e = read_list(q, &page, &ask);

	if (!e)
		e = sweep_api_target(q, &target);
	if (!e)
		e = sweep_show(q, target.sweep, 1, &shown);
	if (e)
		return e;
	ask.goal = shown->metric.goal;
	e = sweep_store_list_trials(q->db, target.sweep, &ask, &trials, &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	e = sweep_json_trials(q, &page.out, shown, trials, page.shown);
	if (page.has_more)
		set_cursor(q, &page, &ask, &trials[page.shown - 1]);
	page_end(q, &page);
	return e;
}

/* ---- one -------------------------------------------------------------------------------------------- */

static err_t find_trial(struct request *q, struct sweep_target *target, int64_t *ret_number)
{
	struct str text = request_param(q, "trial");
	err_t e = sweep_api_target(q, target);

	if (!e && !str_to_int64(text, 1, INT64_MAX, ret_number))
		e = err_new(q->arena, ERR_NOT_FOUND, "the trial \"%.*s\" does not exist",
			    STR_ARG(text));
	return e;
}

err_t sweep_trial_api_show(struct request *q)
{
	struct sweep_target target;
	struct sweep_trial *trial;
	int64_t number = 0;
	err_t e = find_trial(q, &target, &number);

	if (!e)
		e = sweep_store_find_trial(q->db, target.sweep, number, &trial);
	if (!e && !trial)
		e = err_new(q->arena, ERR_NOT_FOUND, "the trial %" PRId64 " does not exist",
			    number);
	return e ? e : sweep_json_trial_reply(q, 200, target.sweep, trial);
}

static err_t read_hand(struct request *q, struct str *ret_agent, struct sweep_hand_asked *asked)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*ret_agent = json_in_text_or(&in, "agent", AGENT_BYTES, STR(""));
	*asked = (struct sweep_hand_asked){
		.host = json_in_text_or(&in, "host", SWEEP_HOST_MAX, STR("")),
	};
	if (json_in_doc_object(&in, "params"))
		asked->params = json_in_raw(&in, "params");
	return json_in_end(&in);
}

err_t sweep_trial_api_post(struct request *q)
{
	struct sweep_hand_asked asked;
	struct sweep_target target;
	struct sweep_trial *trial;
	struct str agent;
	err_t e = read_hand(q, &agent, &asked);

	if (!e)
		e = sweep_target_here(q, request_param(q, "sweep"), agent, &target);
	if (!e)
		e = sweep_suggest_by_hand(q, &target, &asked, &trial);
	if (e)
		return e;
	reply_header(q, "Location",
		     arena_printf(q->arena, "%.*s/%" PRId64, STR_ARG(q->path), trial->trial));
	return sweep_json_trial_reply(q, 201, target.sweep, trial);
}

static err_t read_report(struct request *q, struct sweep_report *report, bool *ret_again)
{
	static const char *const words[] = { "running", "finished", "failed", "killed", NULL };
	static const int16_t states[] = { SWEEP_TRIAL_RUNNING, SWEEP_TRIAL_FINISHED,
					  SWEEP_TRIAL_FAILED, SWEEP_TRIAL_KILLED };
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*report = (struct sweep_report){ .has_value = json_in_has(&in, "value") };
	if (report->has_value)
		report->value = json_in_number(&in, "value");
	if (json_in_has(&in, "state"))
		report->state = states[json_in_choice(&in, "state", words)];
	*ret_again = json_in_has(&in, "retry") && json_in_bool(&in, "retry");
	if (*ret_again == (report->state || report->has_value) && !json_in_error(&in))
		json_in_refuse(&in, "retry", "Send \"retry\": true, or \"state\" or \"value\".");
	return json_in_end(&in);
}

err_t sweep_trial_api_patch(struct request *q)
{
	struct sweep_report report;
	struct sweep_target target;
	struct sweep_trial *trial;
	int64_t number = 0;
	bool again = false;
	err_t e = read_report(q, &report, &again);

	if (!e)
		e = find_trial(q, &target, &number);
	if (!e)
		e = again ? sweep_retry(q, &target, number, &trial)
			  : sweep_report(q, &target, number, &report, &trial);
	return e ? e : sweep_json_trial_reply(q, 200, target.sweep, trial);
}
