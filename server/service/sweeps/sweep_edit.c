#include "sweep_edit.h"

#include "arena.h"
#include "audit_note.h"
#include "auth.h"
#include "buf.h"
#include "sweep_controller.h"
#include "sweep_work.h"

static err_t note(struct request *q, enum audit_action action, const struct sweep *sweep,
		  struct str detail)
{
	return audit_note(q, &(struct audit_event){
				     .action = action, .subject = sweep->name, .detail = detail });
}

/* ---- config and texts ------------------------------------------------------------------------------ */

static err_t too_long(struct request *q, const char *field, int most)
{
	return err_field(q->arena, ERR_INVALID, field, "expected at most %d bytes", most);
}

static err_t check_texts(struct request *q, const struct sweep_change *c)
{
	if (c->has_display_name && c->display_name.len > SWEEP_TITLE_MAX)
		return too_long(q, "display_name", SWEEP_TITLE_MAX);
	if (c->has_description && c->description.len > SWEEP_DESCRIPTION_MAX)
		return too_long(q, "description", SWEEP_DESCRIPTION_MAX);
	if (c->has_controller && c->controller.len > SWEEP_CONTROLLER_MAX)
		return too_long(q, "controller", SWEEP_CONTROLLER_MAX);
	if (c->has_scheduler && c->scheduler.len > SWEEP_CONTROLLER_MAX)
		return too_long(q, "scheduler", SWEEP_CONTROLLER_MAX);
	return NULL;
}

/* Trials have the values of the metric; those that were reported by hand stay. */
static err_t change_metric(struct sweep_work *w)
{
	if (w->sweep->next_trial > SWEEP_READ_AGAIN_MAX + 1)
		return err_field(w->q->arena, ERR_INVALID, "config",
				 "the metric cannot be changed after %d trials: make a new sweep, "
				 "with the runs of this one as prior runs",
				 SWEEP_READ_AGAIN_MAX);
	return sweep_observe_again(&w->ask, w->sweep);
}

/* The points of trials have other numbers then. A seed that the config does not have stays. */
static err_t set_config(struct sweep_work *w, struct str text)
{
	const struct str metric = w->config->metric.name;
	struct sweep_faults faults;
	err_t e;

	if (str_equal(w->sweep->config, text))
		return NULL;
	e = sweep_config_read(w->q->arena, text, &w->config, &faults);
	if (!e)
		e = sweep_check_params(w->q->arena, w->config);
	if (e)
		return e;
	w->ask.config = w->config;
	w->space = NULL;
	w->sweep->config = text;
	w->sweep->method = (int16_t)w->config->method;
	if (w->config->has_seed)
		w->sweep->seed = w->config->seed;
	e = sweep_store_clear_points(w->q->db, w->sweep);
	return e || str_equal(metric, w->config->metric.name) ? e : change_metric(w);
}

static err_t set_texts(struct sweep_work *w, const struct sweep_change *c)
{
	err_t e = c->has_config ? set_config(w, c->config) : NULL;

	if (c->has_display_name)
		w->sweep->display_name = c->display_name;
	if (c->has_description)
		w->sweep->description = c->description;
	if (e || !(c->has_config || c->has_display_name || c->has_description))
		return e;
	w->sweep->changed_at = w->q->now;
	return sweep_store_save_config(w->q->db, w->sweep);
}

static void put_word(struct buf *words, bool is_changed, const char *word)
{
	if (is_changed)
		buf_printf(words, "%s%s", words->len ? ", " : "", word);
}

static err_t note_texts(struct sweep_work *w, const struct sweep_change *c)
{
	struct buf *words = buf_new(w->q->arena);

	put_word(words, c->has_config, "config");
	put_word(words, c->has_display_name, "display_name");
	put_word(words, c->has_description, "description");
	if (!words->len)
		return NULL; /* a controller writes every few seconds */
	return note(w->q, AUDIT_SWEEP_CHANGE, w->sweep, buf_str(words));
}

static err_t set_controller(struct sweep_work *w, const struct sweep_change *c)
{
	if (!c->has_controller && !c->has_scheduler)
		return NULL;
	if (c->has_scheduler)
		w->sweep->scheduler = c->scheduler;
	if (!c->has_controller)
		return sweep_store_save_controller(w->q->db, w->sweep);
	w->sweep->controller = c->controller;
	return c->controller.len ? sweep_controller_apply(w)
				 : sweep_store_save_controller(w->q->db, w->sweep);
}

/* ---- state ----------------------------------------------------------------------------------------- */

enum { AGAIN_AT_ONCE = 100 };

/* A point that an edited config no longer has is not tried again. */
static bool is_gone(const struct sweep_trial *t, const struct sweep_space *space)
{
	return t->source == SWEEP_SOURCE_SEARCH && t->point == SWEEP_POINT_NONE &&
	       sweep_space_has_points(space);
}

static err_t give_again(struct sweep_work *w, const struct sweep_space *space,
			const struct sweep_trial *canceled, size_t count)
{
	struct sweep_trial *again = arena_new_array(w->q->arena, struct sweep_trial, count + 1);
	int64_t number = w->sweep->next_trial;
	size_t n = 0;

	for (size_t i = 0; i < count && number <= SWEEP_TRIALS_MAX; i++) {
		struct sweep_trial *t = &again[n];
		err_t e;

		*t = sweep_work_trial(w, (enum sweep_trial_source)canceled[i].source,
				      canceled[i].params);
		e = sweep_work_find_point(w, t);
		if (e)
			return e;
		if (is_gone(t, space))
			continue;
		t->trial = number++;
		t->retry_of = canceled[i].trial;
		t->tries = canceled[i].tries;
		n++;
	}
	return sweep_store_insert_waiting(w->q->db, w->sweep, again, n);
}

/* A trial that a cancellation ended was not tried: each of its points waits for an agent again, and does not count as another try. */
static err_t give_all_again(struct sweep_work *w, timestamp_us canceled_at)
{
	const struct sweep_space *space = sweep_work_space(w); /* before the mark */
	struct sweep_canceled_ask ask = { .at = canceled_at, .limit = AGAIN_AT_ONCE };
	size_t count;

	do {
		struct arena_mark before = arena_mark(w->q->arena);
		struct sweep_trial *trials;
		err_t e = sweep_store_canceled_trials(w->q->db, w->sweep, &ask, &trials, &count);

		if (!e)
			e = give_again(w, space, trials, count);
		if (e)
			return e;
		if (count)
			ask.after = trials[count - 1].trial;
		arena_rewind(w->q->arena, &before);
	} while (count == AGAIN_AT_ONCE);
	return NULL;
}

/* Trials that ended before they were asked to stop have finished. */
static err_t resume_canceled(struct sweep_work *w)
{
	const timestamp_us canceled_at = w->sweep->state_at;
	err_t e = sweep_observe_all_open(&w->ask, w->sweep);

	if (!e)
		e = sweep_work_event(w, SWEEP_EVENT_RESUME, NULL);
	return e ? e : give_all_again(w, canceled_at);
}

static err_t set_state(struct sweep_work *w, enum sweep_event event)
{
	int16_t before = w->sweep->state;
	err_t e;

	if (before == SWEEP_STATE_CANCELED && event == SWEEP_EVENT_RESUME)
		e = resume_canceled(w);
	else
		e = sweep_work_event(w, event,
				     event == SWEEP_EVENT_CANCEL ? "canceled" : "stopped");
	if (e || before == w->sweep->state)
		return e;
	return note(w->q, AUDIT_SWEEP_STATE, w->sweep,
		    str_of(sweep_state_name((enum sweep_state)w->sweep->state)));
}

static err_t edit(struct sweep_work *w, void *arg)
{
	const struct sweep_change *c = arg;
	err_t e = set_texts(w, c);

	if (!e)
		e = set_controller(w, c);
	if (!e && c->event)
		e = set_state(w, c->event);
	return e ? e : note_texts(w, c);
}

err_t sweep_edit(struct request *q, struct sweep_target *target, const struct sweep_change *change)
{
	struct sweep_change c = *change;
	err_t e = check_texts(q, change);

	return e ? e : sweep_work(q, target, SWEEP_WORK_CHANGE, edit, &c);
}

/* ---- deletion -------------------------------------------------------------------------------------- */

static err_t delete (struct sweep_work *w, void *arg)
{
	err_t e = sweep_store_delete(w->q->db, w->sweep, w->q->now);

	(void)arg;
	w->sweep->look_at = w->q->now;
	return e ? e : note(w->q, AUDIT_SWEEP_DELETE, w->sweep, STR(""));
}

err_t sweep_delete(struct request *q, const struct sweep_target *target)
{
	struct sweep_target t = *target;

	if (q->target->right < ACCESS_RIGHT_ADMIN && t.sweep->created_by != q->identity->user_id)
		return err_new(q->arena, ERR_FORBIDDEN,
			       "only its creator, or an admin of the project's owner, can delete "
			       "the sweep");
	return sweep_work(q, &t, SWEEP_WORK_CHANGE, delete, NULL);
}
