#include "sweep_suggest.h"

#include <math.h>

#include "arena.h"
#include "clock.h"
#include "sweep_facts.h"
#include "sweep_work.h"

enum { OPEN_MAX = 1000 /* trials of an agent that are not over */ };
#define NEW_US \
	(INT64_C(500) * \
	 1000) /* time for new trials of one heartbeat, under the lock of the sweep */

static err_t observe(struct sweep_work *w, enum sweep_observe_depth depth)
{
	struct sweep_observe_ask ask = w->ask;
	struct sweep_observed observed;

	ask.depth = depth;
	return sweep_observe(&ask, w->sweep, &observed);
}

/*
 * Some of the prior runs that the sweep job has not read yet: a few are read before the first trial, and for many the client asks
 * again. *ret_more: others are left.
 */
static err_t read_prior(struct sweep_work *w, bool *ret_more)
{
	const struct sweep *s = w->sweep;

	*ret_more = false;
	if (!s->prior_runs.at || w->q->now.us >= s->created_at.us + SWEEP_PRIOR_WAIT_US)
		return NULL;
	return sweep_observe_prior(&w->ask, w->sweep, ret_more);
}

/* ---- the search ------------------------------------------------------------------------------------ */

enum { SCRATCH_BYTES = 64 << 10 };

/* The facts that the searches of a request learn from: read once, then extended by the trials that it made. */
struct learning {
	struct arena *scratch;          /* of the search that runs; NULL: there was none */
	struct sweep_trial_fact *facts; /* NULL: not read */
	size_t count;
	size_t room;
	bool has_other_host;
};

static err_t learn(struct sweep_work *w, struct learning *l, struct str host)
{
	struct request *q = w->q;
	const timestamp_us heard_since = { q->now.us - w->ask.lost_us };
	const timestamp_us set_aside_after = { q->now.us - SWEEP_SET_ASIDE_US };
	const struct sweep_trial_fact *facts;
	err_t e = sweep_store_has_other_host(q->db, w->sweep, host, heard_since, set_aside_after,
					     &l->has_other_host);

	if (!e)
		e = sweep_facts_read(q->db, w->sweep, w->config, &facts, &l->count);
	if (e)
		return e;
	l->room = l->count + SWEEP_NEW_MAX;
	l->facts = arena_new_array(q->arena, struct sweep_trial_fact, l->room);
	for (size_t i = 0; i < l->count; i++)
		l->facts[i] = facts[i];
	return NULL;
}

static void learn_trial(struct sweep_work *w, struct learning *l, const struct sweep_trial *t)
{
	if (l->facts && l->count < l->room)
		sweep_fact_set(w->q->arena, t, &l->facts[l->count++]);
}

static void free_arena(void *arena)
{
	arena_free(arena);
}

/* A search takes much memory, which the next one uses again: what it answers is valid until then. */
static struct arena *scratch_of(struct sweep_work *w, struct learning *l)
{
	if (l->scratch) {
		arena_reset(l->scratch);
		return l->scratch;
	}
	l->scratch = arena_new_beside(w->q->arena, SCRATCH_BYTES);
	arena_defer(w->q->arena, free_arena, l->scratch);
	return l->scratch;
}

static err_t ask_search(struct sweep_work *w, struct learning *l, struct str host,
			struct sweep_suggestion *ret)
{
	struct sweep_asked asked = {
		.seed = w->sweep->seed,
		.trial = w->sweep->next_trial,
		.host = host,
	};
	err_t e = l->facts ? NULL : learn(w, l, host);

	if (e)
		return e;
	asked.is_only_host = !l->has_other_host;
	return sweep_next(scratch_of(w, l), w->config, l->facts, l->count, &asked, ret);
}

/* Before a sweep ends, all its trials are compared with their runs: one that was deleted since gives its point back. */
static err_t ask_twice(struct sweep_work *w, struct learning *l, struct str host,
		       struct sweep_suggestion *ret)
{
	err_t e = ask_search(w, l, host, ret);

	if (e || ret->kind != SWEEP_NEXT_ENDED)
		return e;
	l->facts = NULL;
	e = observe(w, SWEEP_OBSERVE_ALL);
	return e ? e : ask_search(w, l, host, ret);
}

static struct sweep_trial *new_trial(struct sweep_work *w, const struct sweep_suggestion *next)
{
	struct arena *a = w->q->arena;
	struct sweep_trial *trial = arena_new_of(a, struct sweep_trial);

	*trial = sweep_work_trial(w, SWEEP_SOURCE_SEARCH, str_of(str_copy(a, next->params)));
	trial->point = next->point;
	trial->retry_of = next->retry_of;
	trial->tries = next->tries;
	if (next->note.len)
		trial->note = str_of(str_copy(a, next->note));
	return trial;
}

/* A new trial; *ret_trial is NULL if there is none now, and *ret_why says why. The sweep may have ended. */
static err_t search(struct sweep_work *w, struct learning *l, struct str host,
		    struct sweep_trial **ret_trial, const char **ret_why)
{
	struct sweep_suggestion next;
	err_t e;

	*ret_trial = NULL;
	*ret_why = "the controller of the sweep has not scheduled one";
	if (w->config->is_controlled)
		return NULL;
	if (w->sweep->next_trial > SWEEP_TRIALS_MAX) {
		*ret_why = "the sweep has as many trials as are possible";
		return sweep_work_event(w, SWEEP_EVENT_ENDED, *ret_why);
	}
	e = ask_twice(w, l, host, &next);
	if (e)
		return e;
	if (next.kind == SWEEP_NEXT_TRIAL) {
		*ret_trial = new_trial(w, &next);
		return NULL;
	}
	*ret_why = arena_strdup(w->q->arena, next.why);
	return next.kind == SWEEP_NEXT_ENDED ? sweep_work_event(w, SWEEP_EVENT_ENDED, *ret_why)
					     : NULL;
}

/* ---- handing out ----------------------------------------------------------------------------------- */

static void give(struct sweep_work *w, struct sweep_trial *t, struct str host)
{
	t->agent_id = w->agent ? w->agent->agent_id : 0;
	t->host = host;
	t->sent_at = w->q->now;
	t->sent_count = 1;
	t->state = SWEEP_TRIAL_HANDED_OUT;
}

struct handing {
	const struct sweep_beat_asked *beat;
	size_t room; /* trials that the agent gets at most */
	struct sweep_handed *handed;
};

static void add_command(struct sweep_work *w, struct handing *h, const struct sweep_trial *t,
			enum sweep_command_kind kind)
{
	h->handed->at[h->handed->count++] = (struct sweep_command){
		.kind = kind,
		.run_name = t->run_name,
		.trial = t->trial,
		.params = t->params,
		.args = sweep_args_of(w->q->arena, t->params),
	};
}

static bool has_run(const struct sweep_beat_asked *beat, struct str name)
{
	for (size_t i = 0; i < beat->count; i++) {
		if (str_equal(beat->run_names[i], name))
			return true;
	}
	return false;
}

/*
 * A trial of the agent that it does not have, and that has no run. It was never seen: its answer was lost, once. It was seen, or
 * was sent twice, or is to stop: its process ended before it made a run.
 */
static err_t again_or_lost(struct sweep_work *w, struct handing *h, struct sweep_trial *t)
{
	if (t->state != SWEEP_TRIAL_HANDED_OUT || t->sent_count > 1 || t->stop_at.us)
		return sweep_observe_lost(&w->ask, w->sweep, t);
	if (h->handed->count == h->room)
		return NULL;
	t->sent_count++;
	t->sent_at = w->q->now;
	add_command(w, h, t, t->run_id ? SWEEP_COMMAND_RESUME : SWEEP_COMMAND_RUN);
	return sweep_store_save_trial(w->q->db, t);
}

/* A preempted one has a run from before. */
static bool has_begun(const struct sweep_trial *t)
{
	return t->run_id && !t->ended_at.us;
}

static err_t give_own(struct sweep_work *w, struct handing *h)
{
	struct sweep_trial *trials;
	size_t count;
	err_t e = sweep_store_trials_of_agent(w->q->db, w->agent, OPEN_MAX, &trials, &count);

	for (size_t i = 0; i < count && !e; i++) {
		if (!has_run(h->beat, trials[i].run_name) && !has_begun(&trials[i]))
			e = again_or_lost(w, h, &trials[i]);
	}
	return e;
}

static err_t give_waiting(struct sweep_work *w, struct handing *h)
{
	struct sweep_trial *trials;
	size_t count;
	err_t e = sweep_store_offers(w->q->db, w->sweep, (int64_t)h->room, &trials, &count);

	for (size_t i = 0; i < count && !e && h->handed->count < h->room; i++) {
		struct sweep_trial *t = &trials[i];

		give(w, t, w->agent->host);
		add_command(w, h, t, t->run_id ? SWEEP_COMMAND_RESUME : SWEEP_COMMAND_RUN);
		e = sweep_store_save_trial(w->q->db, t);
	}
	return e;
}

/* As many as there is time for, and at least one: the others come with the next heartbeat, which is sent at once. */
static err_t give_new(struct sweep_work *w, struct handing *h)
{
	const int64_t until = clock_mono_us() + NEW_US;
	bool is_reading = false;
	struct learning l = { .count = 0 };
	err_t e = NULL;

	if (h->handed->count < h->room && w->sweep->state == SWEEP_STATE_RUNNING)
		e = read_prior(w, &is_reading);
	if (is_reading) {
		h->handed->was_asked = h->handed->count > 0;
		return e;
	}
	while (!e && h->handed->count < h->room && w->sweep->state == SWEEP_STATE_RUNNING) {
		struct sweep_trial *trial;
		const char *why;

		e = search(w, &l, w->agent->host, &trial, &why);
		if (e || !trial)
			return e;
		give(w, trial, w->agent->host);
		e = sweep_work_insert(w, trial);
		learn_trial(w, &l, trial);
		add_command(w, h, trial, SWEEP_COMMAND_RUN);
		if (clock_mono_us() >= until)
			return e;
	}
	return e;
}

/* A finished sweep still gives again what was lost on the way. */
static err_t hand_out(struct sweep_work *w, void *arg)
{
	struct handing *h = arg;
	err_t e = observe(w, SWEEP_OBSERVE_OPEN);

	h->handed->count = 0;
	h->handed->was_asked = true;
	if (!e)
		e = sweep_work_event(w, SWEEP_EVENT_BEAT, NULL);
	if (!e && w->sweep->state != SWEEP_STATE_PAUSED && w->sweep->state != SWEEP_STATE_CANCELED)
		e = give_own(w, h);
	if (!e && w->sweep->state == SWEEP_STATE_RUNNING)
		e = give_waiting(w, h);
	if (!e)
		e = give_new(w, h);
	h->handed->state = (enum sweep_state)w->sweep->state;
	return e;
}

err_t sweep_suggest(struct request *q, const struct sweep_target *target,
		    const struct sweep_beat_asked *beat, struct sweep_handed *ret_handed)
{
	size_t capacity = (size_t)beat->capacity;
	size_t free_slots = capacity > beat->count ? capacity - beat->count : 0;
	struct handing h = {
		.beat = beat,
		.room = free_slots < SWEEP_NEW_MAX ? free_slots : SWEEP_NEW_MAX,
		.handed = ret_handed,
	};
	struct sweep_target t = *target;
	err_t e;

	ret_handed->at = arena_new_array(q->arena, struct sweep_command, h.room + 1);
	ret_handed->count = 0;
	ret_handed->state = (enum sweep_state)target->sweep->state;
	ret_handed->was_asked = true;
	e = sweep_work(q, &t, SWEEP_WORK_BEAT, hand_out, &h);
	if (!e || e->kind != ERR_BUSY)
		return e;
	ret_handed->was_asked = false;
	ret_handed->count = 0;
	return NULL;
}

/* ---- by hand --------------------------------------------------------------------------------------- */

struct by_hand {
	const struct sweep_hand_asked *asked;
	struct sweep_trial *trial;
	const char *why;
	bool is_reading; /* prior runs */
	bool is_waiting; /* the trial is one that waited */
};

static err_t own_values(struct sweep_work *w, struct by_hand *hand)
{
	hand->trial = arena_new_of(w->q->arena, struct sweep_trial);
	*hand->trial = sweep_work_trial(w, SWEEP_SOURCE_HAND, hand->asked->params);
	return sweep_work_find_point(w, hand->trial);
}

static bool is_ended(const struct sweep *s)
{
	return s->state == SWEEP_STATE_FINISHED || s->state == SWEEP_STATE_CANCELED;
}

static err_t find_by_hand(struct sweep_work *w, struct by_hand *hand, struct str host)
{
	struct learning l = { .count = 0 };
	err_t e;

	hand->trial = NULL;
	hand->is_reading = false;
	hand->is_waiting = false;
	hand->why = w->sweep->state == SWEEP_STATE_PAUSED ? "it is paused" : "it has ended";
	if (is_ended(w->sweep) || w->sweep->state == SWEEP_STATE_PAUSED)
		return NULL;
	if (hand->asked->params.at)
		return own_values(w, hand);
	e = sweep_store_waiting_trial(w->q->db, w->sweep, &hand->trial);
	hand->is_waiting = !e && hand->trial;
	if (e || hand->trial)
		return e;
	e = read_prior(w, &hand->is_reading);
	return e || hand->is_reading ? e : search(w, &l, host, &hand->trial, &hand->why);
}

static err_t give_by_hand(struct sweep_work *w, void *arg)
{
	struct by_hand *hand = arg;
	struct str host = hand->asked->host;
	err_t e = observe(w, SWEEP_OBSERVE_OPEN);

	if (!host.len)
		host = w->agent ? w->agent->host : STR("");
	if (!e)
		e = sweep_work_event(w, SWEEP_EVENT_BEAT, NULL);
	if (!e)
		e = find_by_hand(w, hand, host);
	if (e || !hand->trial)
		return e;
	give(w, hand->trial, host);
	return hand->is_waiting ? sweep_store_save_trial(w->q->db, hand->trial)
				: sweep_work_insert(w, hand->trial);
}

err_t sweep_suggest_by_hand(struct request *q, struct sweep_target *target,
			    const struct sweep_hand_asked *asked, struct sweep_trial **ret_trial)
{
	struct by_hand hand = { .asked = asked };
	err_t e = NULL;

	if (asked->host.len > SWEEP_HOST_MAX)
		return err_field(q->arena, ERR_INVALID, "host", "expected at most %d bytes",
				 SWEEP_HOST_MAX);
	e = sweep_work(q, target, SWEEP_WORK_SEARCH, give_by_hand, &hand);
	if (!e && hand.is_reading)
		return err_new(q->arena, ERR_BUSY, "prior runs of the sweep are being read");
	if (!e && !hand.trial)
		return err_new(q->arena, ERR_CONFLICT, "the sweep has no trial to give: %s",
			       hand.why);
	if (!e)
		*ret_trial = hand.trial;
	return e;
}

/* ---- reports --------------------------------------------------------------------------------------- */

struct reporting {
	int64_t number;
	const struct sweep_report *report;
	struct sweep_trial *trial;
};

static err_t find_trial(struct sweep_work *w, struct reporting *r)
{
	err_t e = sweep_store_find_trial(w->q->db, w->sweep, r->number, &r->trial);

	if (!e && !r->trial)
		return err_new(w->q->arena, ERR_NOT_FOUND, "the sweep has no such trial");
	return e;
}

static bool is_over(int state)
{
	return state != SWEEP_TRIAL_HANDED_OUT && state != SWEEP_TRIAL_RUNNING;
}

/* Clients repeat requests. */
static bool is_repeated(const struct sweep_trial *t, const struct sweep_report *report)
{
	return is_over(t->state) && (!report->state || report->state == t->state) &&
	       (!report->has_value || report->value == t->latest);
}

/* The end of a lost one may still come. It does not go on, since its point is given again. */
static err_t check_report(struct sweep_work *w, const struct sweep_trial *t,
			  const struct sweep_report *report)
{
	struct arena *a = w->q->arena;
	bool is_end = report->state && is_over(report->state);

	if (t->found_id || t->run_id)
		return err_new(a, ERR_CONFLICT,
			       "trial %lld has the run \"%.*s\": change the run instead",
			       (long long)t->trial, STR_ARG(t->run_name));
	if (!is_over(t->state) || is_repeated(t, report))
		return NULL;
	if (t->state != SWEEP_TRIAL_LOST)
		return err_new(a, ERR_CONFLICT, "trial %lld has ended", (long long)t->trial);
	if (!is_end)
		return err_new(a, ERR_CONFLICT,
			       "trial %lld was lost, and its point is given again: report how it "
			       "ended, or ask for another trial",
			       (long long)t->trial);
	return NULL;
}

static void take_report(struct sweep_trial *t, const struct sweep_report *report, timestamp_us now)
{
	if (report->has_value) {
		t->lowest = fmin(t->lowest, report->value);
		t->highest = fmax(t->highest, report->value);
		t->latest = report->value;
		t->steps++;
	}
	if (report->state)
		t->state = report->state;
	if (!t->started_at.us)
		t->started_at = t->created_at;
	t->sent_at = now;
}

static err_t report(struct sweep_work *w, void *arg)
{
	struct reporting *r = arg;
	err_t e = find_trial(w, r);

	if (!e)
		e = check_report(w, r->trial, r->report);
	if (e || is_repeated(r->trial, r->report))
		return e;
	take_report(r->trial, r->report, w->q->now);
	return sweep_observe_report(&w->ask, w->sweep, r->trial);
}

static bool is_reported(int state)
{
	return state == 0 || state == SWEEP_TRIAL_RUNNING || state == SWEEP_TRIAL_FINISHED ||
	       state == SWEEP_TRIAL_FAILED || state == SWEEP_TRIAL_KILLED;
}

err_t sweep_report(struct request *q, struct sweep_target *target, int64_t number,
		   const struct sweep_report *report_of, struct sweep_trial **ret_trial)
{
	struct reporting r = { .number = number, .report = report_of };
	err_t e;

	if (!is_reported(report_of->state))
		return err_field(q->arena, ERR_INVALID, "state",
				 "expected \"running\", \"finished\", \"failed\" or \"killed\"");
	if (report_of->has_value && !isfinite(report_of->value))
		return err_field(q->arena, ERR_INVALID, "value", "expected a finite number");
	e = sweep_work(q, target, SWEEP_WORK_CHANGE, report, &r);
	if (!e)
		*ret_trial = r.trial;
	return e;
}

static err_t retry(struct sweep_work *w, void *arg)
{
	struct reporting *r = arg;
	struct sweep_trial *again = arena_new_of(w->q->arena, struct sweep_trial);
	err_t e = find_trial(w, r);

	if (e)
		return e;
	if (!is_over(r->trial->state))
		return err_new(w->q->arena, ERR_CONFLICT, "trial %lld has not ended",
			       (long long)r->trial->trial);
	if (is_ended(w->sweep))
		return err_new(w->q->arena, ERR_CONFLICT, "the sweep has ended: resume it first");
	*again = sweep_work_trial(w, SWEEP_SOURCE_HAND, r->trial->params);
	again->point = r->trial->point;
	again->retry_of = r->trial->trial;
	again->tries = r->trial->tries + 1;
	r->trial = again;
	return sweep_work_insert(w, again);
}

err_t sweep_retry(struct request *q, struct sweep_target *target, int64_t number,
		  struct sweep_trial **ret_trial)
{
	struct reporting r = { .number = number };
	err_t e = sweep_work(q, target, SWEEP_WORK_CHANGE, retry, &r);

	if (!e)
		*ret_trial = r.trial;
	return e;
}
