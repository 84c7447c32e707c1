#include "sweep_agent.h"

#include "arena.h"
#include "auth.h"
#include "id.h"
#include "json_out.h"
#include "server_store.h"
#include "sweep_suggest.h"
#include "sweep_work.h"

enum { OPEN_MAX = 1000 };

/* ---- agents ---------------------------------------------------------------------------------------- */

static err_t check_room(struct request *q, const struct sweep *sweep)
{
	int64_t count;
	err_t e = sweep_store_count_agents(q->db, sweep, &count);

	if (!e && count >= SWEEP_AGENTS_MAX)
		return err_new(q->arena, ERR_UNPROCESSABLE, "a sweep has at most %d agents",
			       SWEEP_AGENTS_MAX);
	return e;
}

static err_t insert(struct request *q, struct sweep_agent *agent)
{
	err_t e = server_store_now(q->db, &q->now);

	if (e)
		return e;
	agent->agent_id = id_snowflake();
	agent->created_at = q->now;
	agent->heard_at = q->now;
	return sweep_store_insert_agent(q->db, agent);
}

/* Without the lock of the sweep: hundreds may come at once. */
err_t sweep_agent_make(struct request *q, struct sweep_target *target, struct str host)
{
	struct sweep_agent *agent = arena_new_of(q->arena, struct sweep_agent);
	err_t e;

	if (!host.len || host.len > SWEEP_HOST_MAX)
		return err_field(q->arena, ERR_INVALID, "host",
				 "expected the name of a host, of 1 to %d bytes", SWEEP_HOST_MAX);
	*agent = (struct sweep_agent){
		.project_id = target->sweep->project_id,
		.sweep_id = target->sweep->sweep_id,
		.host = host,
		.state = SWEEP_AGENT_RUNNING,
	};
	e = check_room(q, target->sweep);
	if (!e)
		e = auth_attributed_user(q, &agent->user_id);
	if (!e)
		e = insert(q, agent);
	if (db_err_is(e, DB_UNIQUE_VIOLATION))
		e = insert(q, agent);
	return e ? e
		 : sweep_store_find_agent(q->db, agent->project_id, agent->sweep_id,
					  agent->agent_id, &target->agent);
}

/* Its row is written only when it would be older than SWEEP_HEARD_US: heartbeats are many. */
static err_t hear(struct request *q, struct sweep_agent *agent)
{
	err_t e = server_store_now(q->db, &q->now);

	if (e)
		return e;
	if (agent->state == SWEEP_AGENT_RUNNING && q->now.us - agent->heard_at.us < SWEEP_HEARD_US)
		return NULL;
	agent->state = SWEEP_AGENT_RUNNING;
	agent->heard_at = q->now;
	return sweep_store_save_agent(q->db, agent);
}

static err_t end(struct request *q, struct sweep_agent *agent)
{
	agent->state = SWEEP_AGENT_FINISHED;
	agent->heard_at = q->now;
	return sweep_store_save_agent(q->db, agent);
}

/* ---- heartbeats ------------------------------------------------------------------------------------ */

struct beating {
	struct request *q;
	struct sweep_target *target;
	const struct sweep_beat_asked *asked;
	struct sweep_trial *trials; /* of the agent, that are not over */
	size_t count;
	struct sweep_commands *commands;
};

static bool has_run(const struct sweep_beat_asked *asked, struct str name)
{
	for (size_t i = 0; i < asked->count; i++) {
		if (str_equal(asked->run_names[i], name))
			return true;
	}
	return false;
}

/* Which trials of the agent it has, and which of these are to stop. */
static err_t read_trials(struct beating *b, struct sweep_beat *beat)
{
	struct sweep_agent *agent = b->target->agent;
	struct sweep_commands *c = b->commands;
	bool has_new = false;
	err_t e = sweep_store_trials_of_agent(b->q->db, agent, OPEN_MAX, &b->trials, &b->count);

	if (e)
		return e;
	c->at = arena_new_array(b->q->arena, struct sweep_command, b->count + 1);
	for (size_t i = 0; i < b->count; i++) {
		const struct sweep_trial *t = &b->trials[i];
		bool is_there = has_run(b->asked, t->run_name);

		has_new |= is_there && t->state == SWEEP_TRIAL_HANDED_OUT;
		beat->has_unstarted |= !is_there && t->state == SWEEP_TRIAL_HANDED_OUT;
		if (is_there && t->stop_at.us)
			c->at[c->count++] = (struct sweep_command){ .kind = SWEEP_COMMAND_STOP,
								    .run_name = t->run_name };
	}
	beat->stop_count = c->count;
	return has_new ? sweep_store_hear_trials(b->q->db, agent, b->asked->run_names,
						 b->asked->count)
		       : NULL;
}

static err_t tell_exit(struct beating *b)
{
	b->commands->at = arena_new_of(b->q->arena, struct sweep_command);
	b->commands->at[0].kind = SWEEP_COMMAND_EXIT;
	b->commands->count = 1;
	return end(b->q, b->target->agent);
}

static err_t suggest(struct beating *b)
{
	const struct sweep_config *config;
	struct sweep_handed handed;
	err_t e = sweep_suggest(b->q, b->target, b->asked, &handed);

	b->commands->is_busy = !e && !handed.was_asked;
	if (e || !handed.was_asked)
		return e;
	b->target->sweep->state = (int16_t)handed.state;
	if (!handed.count && (handed.state == SWEEP_STATE_CANCELED ||
			      (handed.state == SWEEP_STATE_FINISHED && !b->asked->count)))
		return tell_exit(b);
	b->commands->at = handed.at;
	b->commands->count = handed.count;
	if (!handed.count)
		return NULL;
	e = sweep_read_config(b->q, b->target->sweep, &config);
	if (!e)
		b->commands->program = config->program;
	return e;
}

static bool is_set_aside(const struct request *q, const struct sweep_agent *agent)
{
	return agent->set_aside_at.us && q->now.us < agent->set_aside_at.us + SWEEP_SET_ASIDE_US;
}

static err_t answer(struct beating *b, const struct sweep_beat *beat)
{
	switch (sweep_beat_answer(beat)) {
	case SWEEP_ANSWER_EXIT:
		/* its last trial was lost on the way, when another agent ended the sweep */
		return beat->state == SWEEP_STATE_FINISHED && beat->has_unstarted ? suggest(b)
										  : tell_exit(b);
	case SWEEP_ANSWER_AGAIN:
	case SWEEP_ANSWER_RESUME:
	case SWEEP_ANSWER_SUGGEST:
		return suggest(b);
	default:
		return NULL; /* the runs to stop, if any, are there */
	}
}

static err_t check_beat(struct request *q, const struct sweep_beat_asked *asked)
{
	if (asked->count > SWEEP_BEAT_RUNS_MAX)
		return err_field(q->arena, ERR_INVALID, "runs", "expected at most %d runs",
				 SWEEP_BEAT_RUNS_MAX);
	if (asked->capacity < 1 || asked->capacity > SWEEP_CAPACITY_MAX)
		return err_field(q->arena, ERR_INVALID, "capacity", "expected 1 to %d",
				 SWEEP_CAPACITY_MAX);
	return NULL;
}

err_t sweep_agent_beat(struct request *q, struct sweep_target *target,
		       const struct sweep_beat_asked *asked, struct sweep_commands *ret_commands)
{
	struct beating b = { q, target, asked, NULL, 0, ret_commands };
	struct sweep_beat beat = {
		.is_known = true,
		.run_count = asked->count,
		.capacity = (size_t)asked->capacity,
	};
	err_t e = check_beat(q, asked);

	*ret_commands = (struct sweep_commands){ .count = 0 };
	if (!e)
		e = hear(q, target->agent);
	if (!e)
		e = sweep_state_change(q->arena, (enum sweep_state)target->sweep->state,
				       SWEEP_EVENT_BEAT, &beat.state);
	if (!e)
		e = read_trials(&b, &beat);
	beat.is_set_aside = is_set_aside(q, target->agent);
	return e ? e : answer(&b, &beat);
}

static const char *const kinds[] = {
	[SWEEP_COMMAND_RUN] = "run",
	[SWEEP_COMMAND_RESUME] = "resume",
	[SWEEP_COMMAND_STOP] = "stop",
	[SWEEP_COMMAND_EXIT] = "exit",
};

const char *sweep_command_name(enum sweep_command_kind kind)
{
	return kinds[kind];
}

struct str sweep_commands_json(struct arena *a, const struct sweep_commands *commands)
{
	struct buf *text = buf_new(a);
	struct json_out o = json_out_begin(text);

	json_out_array(&o);
	for (size_t i = 0; i < commands->count; i++) {
		const struct sweep_command *c = &commands->at[i];

		json_out_object(&o);
		json_out_put_text(&o, "type", str_of(kinds[c->kind]));
		if (c->kind != SWEEP_COMMAND_EXIT)
			json_out_put_text(&o, "run_id", c->run_name);
		if (c->args.at) {
			json_out_put_text(&o, "program", commands->program);
			json_out_put_raw(&o, "args", c->args);
		}
		json_out_object_end(&o);
	}
	json_out_array_end(&o);
	return buf_str(text);
}

/* ---- its end --------------------------------------------------------------------------------------- */

static err_t observe(struct sweep_work *w, void *arg)
{
	struct sweep_observed observed;

	(void)arg;
	return sweep_observe(&w->ask, w->sweep, &observed);
}

/* Many leave when a sweep ends. Where others are at the sweep, its trials are for others when these or the job observe them. */
err_t sweep_agent_leave(struct request *q, struct sweep_target *target)
{
	err_t e = server_store_now(q->db, &q->now);

	if (!e)
		e = end(q, target->agent);
	if (!e)
		e = sweep_work(q, target, SWEEP_WORK_BRIEF, observe, NULL);
	return e && e->kind == ERR_BUSY ? NULL : e;
}

struct setting_aside {
	struct sweep_agent *agent;
	bool is_set_aside;
};

static err_t set_aside(struct sweep_work *w, void *arg)
{
	const struct setting_aside *s = arg;
	struct sweep_agent *now;
	struct sweep_host host;
	err_t e = sweep_store_find_agent(w->q->db, w->sweep->project_id, w->sweep->sweep_id,
					 s->agent->agent_id, &now);

	if (e || !now)
		return e;
	host = (struct sweep_host){
		.host = now->host,
		.finished = now->finished,
		.failed_in_row = s->is_set_aside ? now->failed_in_row : 0,
		.set_aside_at = { s->is_set_aside ? w->q->now.us : 0 },
	};
	return sweep_store_save_host(w->q->db, w->sweep, &host);
}

err_t sweep_agent_set_aside(struct request *q, struct sweep_target *target, bool is_set_aside_now)
{
	struct setting_aside s = { target->agent, is_set_aside_now };
	const struct sweep_agent *agent = target->agent;
	err_t e = sweep_work(q, target, SWEEP_WORK_CHANGE, set_aside, &s);

	return e ? e
		 : sweep_store_find_agent(q->db, agent->project_id, agent->sweep_id,
					  agent->agent_id, &target->agent);
}
