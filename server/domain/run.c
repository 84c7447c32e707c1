#include "run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attempt.h"
#include "buf.h"

static const char *const state_names[] = {
	[RUN_RUNNING] = "running",       [RUN_FINISHED] = "finished",   [RUN_FAILED] = "failed",
	[RUN_CRASHED] = "crashed",       [RUN_KILLED] = "killed",       [RUN_PENDING] = "pending",
	[RUN_PREEMPTING] = "preempting", [RUN_PREEMPTED] = "preempted",
};

const char *run_state_name(int state)
{
	return state >= RUN_RUNNING && state <= RUN_PREEMPTED ? state_names[state] : "none";
}

bool run_state_parse(struct str text, enum run_state *ret_state)
{
	for (int i = RUN_RUNNING; i <= RUN_PREEMPTED; i++) {
		if (str_is(text, state_names[i])) {
			*ret_state = (enum run_state)i;
			return true;
		}
	}
	return false;
}

const char *run_state_hint(struct arena *a)
{
	struct buf *b = buf_new(a);

	buf_add_text(b, "states are ");
	for (int i = RUN_RUNNING; i <= RUN_PREEMPTED; i++) {
		if (i > RUN_RUNNING)
			buf_add_text(b, i < RUN_PREEMPTED ? ", " : " and ");
		buf_add_text(b, state_names[i]);
	}
	buf_add_byte(b, '\0');
	return b->at;
}

bool run_state_runs(int state)
{
	return state == RUN_RUNNING || state == RUN_PREEMPTING;
}

bool run_has_ended(const struct run *run)
{
	return !run_state_runs(run->state);
}

static bool was_cut_off(int state)
{
	return state == RUN_CRASHED || state == RUN_PREEMPTED;
}

/* Any writer's data makes it run again. */
static bool is_silent(const struct run *run)
{
	return was_cut_off(run->state) && !run->end_told;
}

struct writer_run run_of_writers(const struct run *run)
{
	struct writer_run of = { .has_ended = run_has_ended(run) };

	if (run->state == RUN_FINISHED || run->state == RUN_KILLED)
		of.decided_at = run->ended_at;
	return of;
}

bool run_was_rewound(const struct run *run)
{
	return run->branch > (run->branch_row ? 1 : 0);
}

int64_t run_rows(const struct run *run)
{
	return run->next_row - run->hidden_rows;
}

bool run_is_left_by(const struct run *run, const struct writer *w)
{
	return w->writer < run->branch_writer;
}

bool run_can_be_forked(const struct run *run)
{
	return !run->branch && !run->next_seq;
}

int32_t run_number_writer(struct run *run)
{
	if (run->next_writer == WRITER_OVERFLOW)
		run->next_writer++;
	return run->next_writer++;
}

struct cause {
	enum run_who who;
	int32_t writer;
	int64_t user_id;
	const char *reason;
};

static void change_state(struct run *run, int16_t to, struct cause cause,
			 struct run_changes *changes)
{
	assert(changes->count < RUN_CHANGES_MAX);
	changes->at[changes->count++] = (struct run_change){
		.number = run->next_state++,
		.from_state = run->state,
		.to_state = to,
		.attempt = run->attempt,
		.who = (int16_t)cause.who,
		.writer = cause.writer,
		.user_id = cause.user_id,
		.reason = cause.reason,
	};
	run->state = to;
}

/* Noted among the changes of state, from the state to itself. */
static void note(struct run *run, struct cause cause, struct run_changes *changes)
{
	change_state(run, run->state, cause, changes);
}

/* Running again, in an attempt of its own. */
static void begin_attempt(struct run *run, struct run_clock clock, struct cause cause,
			  struct run_changes *changes)
{
	bool has_end = run->state == RUN_FINISHED || run->state == RUN_FAILED ||
		       run->state == RUN_KILLED || run->end_told;
	bool by_join = cause.who == RUN_WHO_WRITER && has_end;

	run->fallback_state = by_join ? run->state : 0;
	run->attempt++;
	run->end_pending = false;
	run->started_at = clock.now;
	run->ended_at = (timestamp_us){ 0 };
	if (!by_join) {
		run->has_exit_code = false;
		run->end_reason = (struct str){ NULL, 0 };
	}
	run->end_told = false;
	run->stop_asked_at = (timestamp_us){ 0 };
	run->stop_reason = (struct str){ NULL, 0 };
	change_state(run, RUN_RUNNING, cause, changes);
	run->heard_at = clock.now;
	run->look_at.us = clock.now.us + clock.limit_us;
}

static void end_run(struct run *run, const struct attempt_verdict *v, struct run_clock clock,
		    struct cause cause, struct run_changes *changes)
{
	run->ended_at = v->ended_at.us ? v->ended_at : clock.now;
	run->has_exit_code = v->has_exit_code;
	run->exit_code = v->exit_code;
	run->end_reason = v->said;
	run->end_told = v->is_told;
	run->end_pending = false;
	change_state(run, v->state, cause, changes);
	changes->at[changes->count - 1].at = v->ended_at;
}

/* The state in which a run ends that may have been preempting; a writer may know that it crashed. */
static int16_t end_state(const struct run *run, const struct attempt_verdict *v)
{
	bool may_be_it = v->state == RUN_FAILED || (v->state == RUN_CRASHED && !v->is_told);

	return run->state == RUN_PREEMPTING && may_be_it ? RUN_PREEMPTED : v->state;
}

static void decide(struct run *run, const struct writer *writers, size_t count,
		   struct run_clock clock, struct cause cause, struct run_changes *changes)
{
	struct attempt_verdict v;

	if (run_has_ended(run))
		return;
	v = attempt_decide(run, writers, count, clock);
	if (v.state == RUN_RUNNING) {
		run->end_pending = v.end_pending;
		run->look_at = v.look_at;
		return;
	}
	cause.reason = v.said.len ? v.said.at : v.reason;
	if (v.state == RUN_CRASHED && !v.said.len)
		v.said = str_of(v.reason);
	v.state = end_state(run, &v);
	end_run(run, &v, clock, cause, changes);
}

void run_make(struct run *run, struct run_clock clock, int64_t user_id, struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_USER, -1, user_id, "created" };

	run->last_step = -1;
	run->compact_seq = -1;
	run->next_state = 1;
	begin_attempt(run, clock, cause, changes);
}

void run_make_begun(struct run *run, timestamp_us started_at, struct run_clock clock,
		    int64_t user_id, struct run_changes *changes)
{
	run_make(run, clock, user_id, changes);
	run->started_at = changes->at[0].at = started_at;
}

err_t run_check_start(struct arena *a, timestamp_us started_at, timestamp_us now)
{
	if (started_at.us > 0 && started_at.us <= now.us + RUN_AHEAD_MAX_US)
		return NULL;
	return err_field(a, ERR_INVALID, "started_at",
			 "must be after 1970 and at most one day in the future");
}

void run_make_pending(struct run *run, struct run_clock clock, int64_t user_id,
		      struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_USER, -1, user_id, "created to run later" };

	run->last_step = -1;
	run->compact_seq = -1;
	run->next_state = 1;
	run->started_at = run->heard_at = run->look_at = clock.now;
	change_state(run, RUN_PENDING, cause, changes);
}

void run_resume(struct run *run, int64_t user_id, struct run_clock clock,
		struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_USER, -1, user_id, "resumed" };

	if (run_has_ended(run))
		begin_attempt(run, clock, cause, changes);
}

/* The writer is not expected any more. */
static bool is_gone(const struct writer *w, struct run_clock clock)
{
	return w->state == WRITER_GIVEN_UP || writer_is_lost(w, clock.now, clock.limit_us);
}

static void replace_lost(struct writer *others, size_t count, const struct writer *w,
			 struct run_clock clock)
{
	for (size_t i = 0; i < count; i++) {
		struct writer *other = &others[i];

		if (other->role == WRITER_PRIMARY && other->writer != w->writer &&
		    str_equal(other->label, w->label) && is_gone(other, clock)) {
			other->state = WRITER_REPLACED;
			other->ended_at = clock.now;
		}
	}
}

/* The same attempt goes on: the writers that ended decide its end with those that have not. */
static void take_back_end(struct run *run, struct cause cause, struct run_changes *changes)
{
	run->ended_at = (timestamp_us){ 0 };
	run->has_exit_code = false;
	run->end_reason = (struct str){ NULL, 0 };
	run->end_told = false;
	change_state(run, RUN_RUNNING, cause, changes);
}

/* Whether the process began before the end of the attempt in which it was, which is over. */
static bool is_late(const struct run *run, const struct writer *w, timestamp_us started_at)
{
	bool was_before = w->attempt && w->attempt < run->attempt;

	if (run_state_runs(run->state))
		return run->attempt > 1 && w->attempt < run->attempt &&
		       started_at.us < run->started_at.us;
	if (run->state == RUN_PENDING)
		return w->attempt && w->attempt == run->attempt;
	return started_at.us < run->ended_at.us && (was_before || !is_silent(run));
}

/* The join of a process whose data is sent later. */
static void join_later(struct run *run, struct writer *w, timestamp_us started_at,
		       struct run_clock clock, struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_WRITER, w->writer, 0, "a writer joined" };

	w->late = is_late(run, w, started_at);
	if (w->late) {
		if (!w->attempt)
			w->attempt = run->attempt - run_state_runs(run->state);
	} else if (is_silent(run) && started_at.us < run->ended_at.us) {
		cause.reason = "a writer sent what it had kept";
		take_back_end(run, cause, changes);
	} else if (run_has_ended(run)) {
		begin_attempt(run, clock, cause, changes);
		run->started_at = changes->at[changes->count - 1].at = started_at;
	}
}

void run_join(struct run *run, struct writer *w, const struct run_joining *joining,
	      struct run_clock clock, struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_WRITER, w->writer, 0, "a writer joined" };

	w->session++;
	w->batch = 0;
	w->recent = (struct str){ NULL, 0 };
	w->console_shift = -1 - w->console_lines;
	if (w->state != WRITER_ALIVE || run_has_ended(run)) { /* else others of its name go on */
		w->has_exit_code = false;
		w->exit_code = 0;
	}
	w->state = WRITER_ALIVE;
	w->end_state = 0;
	w->end_reason = (struct str){ NULL, 0 };
	w->ended_at = (timestamp_us){ 0 };
	w->late = false;
	if (joining->started_at.us)
		join_later(run, w, joining->started_at, clock, changes);
	else if (run->state != RUN_RUNNING) /* a preempted run begins again when a writer joins */
		begin_attempt(run, clock, cause, changes);
	if (w->role == WRITER_PRIMARY && !w->late)
		replace_lost(joining->others, joining->count, w, clock);
	run_hear(run, w, clock, changes);
}

/* Whether the end was decided by the primaries known then; a user's decision is final. */
static bool is_end_without(const struct run *run, const struct writer *w,
			   const struct writer *writers, size_t count, struct run_clock clock)
{
	bool goes_on = w->state == WRITER_ALIVE && w->attempt == run->attempt &&
		       !writer_is_lost(w, clock.now, clock.limit_us);

	return run_has_ended(run) && goes_on &&
	       attempt_decide(run, writers, count, clock).state == run->state;
}

void run_promote(struct run *run, struct writer *w, struct writer *writers, size_t count,
		 struct run_clock clock, struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_WRITER, w->writer, 0,
			       "a primary that was not known to be one continues" };
	bool came_too_soon;

	if (w->role != WRITER_WORKER)
		return;
	came_too_soon = is_end_without(run, w, writers, count, clock);
	w->role = WRITER_PRIMARY;
	replace_lost(writers, count, w, clock);
	if (came_too_soon)
		take_back_end(run, cause, changes);
	if (came_too_soon || w->state != WRITER_ALIVE)
		decide(run, writers, count, clock, cause, changes);
}

void run_label(struct writer *w, struct str label, struct writer *writers, size_t count,
	       struct run_clock clock)
{
	w->label = label;
	if (w->role == WRITER_PRIMARY)
		replace_lost(writers, count, w, clock);
}

/*
 * A request reads the clock before it waits for the run: others may have been received since then.
 */
static timestamp_us later(timestamp_us one, timestamp_us other)
{
	return one.us > other.us ? one : other;
}

/* The user who ended it thought that it was lost. */
static void take_back(struct writer *w)
{
	if (w->state != WRITER_GIVEN_UP)
		return;
	w->state = WRITER_ALIVE;
	w->end_reason = (struct str){ NULL, 0 };
	w->ended_at = (timestamp_us){ 0 };
}

void run_hear(struct run *run, struct writer *w, struct run_clock clock,
	      struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_WRITER, w->writer, 0, "a writer sent data again" };

	take_back(w);
	if (run_is_left_by(run, w) || w->late) {
		w->heard_at = later(w->heard_at, clock.now);
		return;
	}
	if (is_silent(run))
		begin_attempt(run, clock, cause, changes);
	w->heard_at = later(w->heard_at, clock.now);
	run->heard_at = later(run->heard_at, clock.now);
	if (run_has_ended(run))
		return;
	if (w->state == WRITER_ALIVE)
		w->attempt = run->attempt;
	if (!run->end_pending)
		run->look_at.us = run->heard_at.us + clock.limit_us;
}

void run_preempt(struct run *run, const struct writer *w, struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_WRITER, w->writer, 0, "a writer is about to be preempted" };

	if (run->state == RUN_RUNNING && !run_is_left_by(run, w) && !w->late)
		change_state(run, RUN_PREEMPTING, cause, changes);
}

timestamp_us run_end_time(const struct run *run, timestamp_us told, timestamp_us now)
{
	int64_t latest;

	if (!told.us)
		return now;
	if (told.us < run->started_at.us)
		return run->started_at;
	latest = run->started_at.us <= now.us ? now.us : now.us + RUN_AHEAD_MAX_US;
	if (latest < run->started_at.us)
		latest = run->started_at.us;
	return told.us < latest ? told : (timestamp_us){ latest };
}

static void end_children(struct writer *writers, size_t count, const struct writer *parent)
{
	for (size_t i = 0; i < count; i++) {
		struct writer *w = &writers[i];

		if (w->state == WRITER_ALIVE && w != parent && w->parent.len &&
		    str_equal(w->parent, parent->client)) {
			w->state = WRITER_ORPHANED;
			w->ended_at = parent->ended_at;
		}
	}
}

/* Only a primary may decide how a run ends. */
static err_t check_state(struct arena *a, const struct writer *w, int16_t state)
{
	struct err *e;

	if (!state || w->role == WRITER_PRIMARY)
		return NULL;
	e = err_field(a, ERR_FORBIDDEN, "state", "a %s cannot decide how a run ends",
		      writer_role_name(w->role));
	e->type = "worker-may-not-decide";
	e->hint = "omit \"state\": the finish of a worker ends only that worker";
	return e;
}

/* The worse exit code: of a process that ended before under the same name, or of this one. */
static int32_t worse_code(const struct writer *w, int32_t code)
{
	return w->has_exit_code && w->exit_code ? w->exit_code : code;
}

err_t run_finish(struct arena *a, struct run *run, struct writer *writers, size_t count,
		 size_t which, const struct run_finish *finish, struct run_clock clock,
		 struct run_changes *changes)
{
	struct writer *w = &writers[which];
	struct cause cause = { RUN_WHO_WRITER, w->writer, 0, "" };
	err_t e = check_state(a, w, finish->state);

	if (e || (w->state != WRITER_ALIVE && w->state != WRITER_GIVEN_UP))
		return e;
	run_hear(run, w, clock, changes);
	if (!finish->has_no_exit_code) {
		w->exit_code = worse_code(w, finish->exit_code);
		w->has_exit_code = true;
	}
	if (finish->others_heard_at.us) {
		w->heard_at = finish->others_heard_at;
	} else {
		w->state = WRITER_ENDED;
		w->end_state = finish->state;
		w->end_reason = finish->reason;
		w->ended_at = run_end_time(run, finish->ended_at, clock.now);
		end_children(writers, count, w);
	}
	decide(run, writers, count, clock, cause, changes);
	return NULL;
}

err_t run_give_up(struct arena *a, struct run *run, struct writer *writers, size_t count,
		  size_t which, const struct run_hand *hand, struct run_clock clock,
		  struct run_changes *changes)
{
	struct writer *w = &writers[which];
	struct cause cause = { RUN_WHO_USER, w->writer, hand->user_id, hand->reason };
	struct err *alive;
	err_t e = check_state(a, w, hand->finish.state);

	if (e || writer_has_ended(w))
		return e;
	if (!writer_is_lost(w, clock.now, clock.limit_us)) {
		alive = err_field(a, ERR_CONFLICT, "writer", "the writer \"%.*s\" is not lost",
				  STR_ARG(w->label));
		alive->type = "writer-alive";
		alive->hint = "ask the run to stop, or wait until the writer has not sent data "
			      "for the time limit";
		return alive;
	}
	w->state = WRITER_GIVEN_UP;
	w->end_state = hand->finish.state ? hand->finish.state : RUN_FAILED;
	w->end_reason = str_of(hand->reason);
	w->ended_at = clock.now;
	note(run, cause, changes);
	decide(run, writers, count, clock, cause, changes);
	return NULL;
}

void run_sweep(struct run *run, const struct writer *writers, size_t count, struct run_clock clock,
	       struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_SWEEPER, -1, 0, "" };

	decide(run, writers, count, clock, cause, changes);
}

bool run_may_be_put(const struct run *run, enum run_state state)
{
	bool runs = run_state_runs(run->state);

	if (state == RUN_PENDING)
		return runs || was_cut_off(run->state) || run->state == RUN_FAILED;
	return state == RUN_FAILED && (runs || run->state == RUN_PENDING);
}

/* Resets stop request and end for the next attempt. */
static void wait_again(struct run *run, struct cause cause, struct run_changes *changes)
{
	run->ended_at = run->stop_asked_at = (timestamp_us){ 0 };
	run->stop_reason = run->end_reason = (struct str){ NULL, 0 };
	run->has_exit_code = false;
	run->end_told = false;
	run->end_pending = false;
	change_state(run, RUN_PENDING, cause, changes);
}

void run_override(struct run *run, enum run_state state, int64_t user_id, const char *reason,
		  struct run_clock clock, struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_USER, -1, user_id, reason };
	struct attempt_verdict v = { .state = (int16_t)state, .said = str_of(reason) };

	if (run->state == (int16_t)state)
		return;
	if (run_has_ended(run)) { /* the exit codes of its primaries do not decide any more */
		v.has_exit_code = run->has_exit_code;
		v.exit_code = run->exit_code;
	}
	if (state == RUN_RUNNING)
		begin_attempt(run, clock, cause, changes);
	else if (state == RUN_PENDING)
		wait_again(run, cause, changes);
	else
		end_run(run, &v, clock, cause, changes);
}

void run_finish_by_hand(struct run *run, const struct run_hand *hand, struct run_clock clock,
			struct run_changes *changes)
{
	enum run_state by_code = hand->finish.exit_code ? RUN_FAILED : RUN_FINISHED;
	enum run_state state = hand->finish.state ? (enum run_state)hand->finish.state : by_code;

	if (run->state == (int16_t)state)
		return;
	run_override(run, state, hand->user_id, hand->reason ? hand->reason : "ended by hand",
		     clock, changes);
	if (!hand->reason)
		run->end_reason = (struct str){ NULL, 0 };
	if (hand->has_exit_code) {
		run->has_exit_code = true;
		run->exit_code = hand->finish.exit_code;
	}
}

err_t run_ask_stop(struct arena *a, struct run *run, struct str reason, timestamp_us now)
{
	if (run_has_ended(run))
		return err_new(a, ERR_CONFLICT, "the run is %s, so it cannot be stopped",
			       run_state_name(run->state));
	if (run->stop_asked_at.us)
		return NULL;
	run->stop_asked_at = now;
	run->stop_reason = reason;
	return NULL;
}

void run_rewind(struct run *run, int64_t user_id, const char *reason, struct run_clock clock,
		struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_USER, -1, user_id, reason };

	if (run_has_ended(run))
		note(run, cause, changes);
	else
		begin_attempt(run, clock, cause, changes);
}

void run_delete(struct run *run, const struct run_deletion *deletion, timestamp_us now,
		struct run_changes *changes)
{
	struct cause cause = { deletion->who, -1, deletion->user_id, deletion->reason };

	run->deleted_at = now;
	run->purge_at = deletion->purge_at;
	note(run, cause, changes);
}

err_t run_restore(struct arena *a, struct run *run, int64_t user_id, timestamp_us now,
		  struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_USER, -1, user_id, "restored" };

	if (!run->deleted_at.us)
		return NULL;
	if (run->purging || run->purge_at.us <= now.us)
		return err_new(a, ERR_GONE, "the run was deleted and can no longer be restored");
	run->deleted_at = run->purge_at = (timestamp_us){ 0 };
	note(run, cause, changes);
	return NULL;
}

static err_t cannot_move(struct arena *a, const char *message, const char *hint)
{
	struct err *e = err_new(a, ERR_CONFLICT, "%s", message);

	e->hint = hint;
	return e;
}

/* Preempted and pending runs are begun again by clients that know their address. */
static bool has_come_to_an_end(const struct run *run)
{
	return run_has_ended(run) && run->state != RUN_PENDING && run->state != RUN_PREEMPTED;
}

err_t run_may_be_moved(struct arena *a, const struct run *run, bool is_forked)
{
	if (!has_come_to_an_end(run))
		return cannot_move(a,
				   arena_printf(a, "the run is %s, and processes still write to it",
						run_state_name(run->state)),
				   "stop the run or wait for its end, then move it");
	if (is_forked)
		return cannot_move(a, "the run is a fork, or other runs were forked from it",
				   "a run and its forks must be in the same project");
	return NULL;
}

void run_move(struct run *run, int64_t project_id, int64_t user_id, struct run_changes *changes)
{
	struct cause cause = { RUN_WHO_USER, -1, user_id, "moved" };

	run->project_id = project_id;
	note(run, cause, changes);
}

err_t run_check_project(struct arena *a, const struct run *run, int64_t project_id)
{
	if (run->project_id == project_id)
		return NULL;
	return err_new(a, ERR_GONE, "the run was moved to another project");
}

bool run_may_be_purged(const struct run *run, timestamp_us now)
{
	const bool is_due = run->purge_at.us <= now.us && run->kept_until.us <= now.us;

	return run->deleted_at.us && (run->purging || is_due);
}

static int by_id(const void *a, const void *b)
{
	const int64_t x = ((const struct run *)a)->run_id;
	const int64_t y = ((const struct run *)b)->run_id;

	return (x > y) - (x < y);
}

void run_list_sort(struct run *runs, size_t count)
{
	if (count)
		qsort(runs, count, sizeof(runs[0]), by_id);
}

const struct run *run_list_find(const struct run *runs, size_t count, int64_t run_id)
{
	const struct run one = { .run_id = run_id };

	return count ? bsearch(&one, runs, count, sizeof(one), by_id) : NULL;
}
