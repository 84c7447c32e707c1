#include "sweep_store.h"

#include <math.h>

#include "column.h"
#include "store_sql.h"

/* A text that may be NULL: .at == NULL. */
static struct db_param nullable(struct str text)
{
	struct db_param p = P_STR(text);

	p.null = !text.at;
	return p;
}

static struct db_param time_or_null(timestamp_us at)
{
	struct db_param p = P_TIME(at);

	p.null = !at.us;
	return p;
}

/* ---- sweeps -------------------------------------------------------------------------------------- */

static const struct db_column sweep_columns[] = {
	DB_COLUMN(struct sweep, project_id),    DB_COLUMN(struct sweep, sweep_id),
	DB_COLUMN(struct sweep, name),          DB_NULLABLE(struct sweep, prior_runs),
	DB_COLUMN(struct sweep, created_by),    DB_NULLABLE(struct sweep, user),
	DB_COLUMN(struct sweep, created_at),    DB_COLUMN(struct sweep, state),
	DB_NULLABLE(struct sweep, why_ended),   DB_COLUMN(struct sweep, state_at),
	DB_COLUMN(struct sweep, config),        DB_COLUMN(struct sweep, method),
	DB_COLUMN(struct sweep, seed),          DB_NULLABLE(struct sweep, display_name),
	DB_NULLABLE(struct sweep, description), DB_COLUMN(struct sweep, changed_at),
	DB_NULLABLE(struct sweep, controller),  DB_NULLABLE(struct sweep, scheduler),
	DB_COLUMN(struct sweep, next_trial),    DB_NULLABLE(struct sweep, look_at),
	DB_NULLABLE(struct sweep, deleted_at),
};
static const struct db_row_table sweep_table = DB_ROW_TABLE(struct sweep, sweep_columns);

err_t sweep_store_insert(struct db *db, const struct sweep *s)
{
	return db_exec(db, &STMT_sweep_insert,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_STR(s->name),
			       nullable(s->prior_runs), P_INT8(s->created_by),
			       P_TIME(s->created_at), P_INT2(s->state), P_STR(s->config),
			       P_INT2(s->method), P_INT8(s->seed), nullable(s->display_name),
			       nullable(s->description), nullable(s->controller),
			       nullable(s->scheduler), time_or_null(s->look_at)),
		       NULL);
}

err_t sweep_store_find(struct db *db, int64_t project_id, struct str name, struct sweep **ret_sweep)
{
	return db_first(db, &STMT_sweep_find, DB_ARGS(P_INT8(project_id), P_STR(name)),
			&sweep_table, (void **)ret_sweep);
}

err_t sweep_store_get(struct db *db, int64_t project_id, int64_t sweep_id, struct sweep **ret_sweep)
{
	return db_first(db, &STMT_sweep_get, DB_ARGS(P_INT8(project_id), P_INT8(sweep_id)),
			&sweep_table, (void **)ret_sweep);
}

err_t sweep_store_lock_same(struct db *db, int64_t project_id, struct str config)
{
	return db_exec(db, &STMT_sweep_lock_same, DB_ARGS(P_INT8(project_id), P_STR(config)), NULL);
}

err_t sweep_store_find_same(struct db *db, const struct sweep *like, timestamp_us since,
			    enum sweep_likeness likeness, struct sweep **ret_sweep)
{
	return db_first(db, &STMT_sweep_find_same,
			DB_ARGS(P_INT8(like->project_id), P_STR(like->config),
				P_INT8(like->created_by), P_TIME(since), P_INT2(like->state),
				nullable(like->prior_runs), nullable(like->display_name),
				nullable(like->description),
				P_BOOL(likeness == SWEEP_LIKE_WHAT_IS_GIVEN)),
			&sweep_table, (void **)ret_sweep);
}

err_t sweep_store_lock(struct db *db, int64_t project_id, int64_t sweep_id, int timeout_ms,
		       struct sweep **ret_sweep)
{
	struct str timeout = str_of(arena_printf(db_arena(db), "%dms", timeout_ms));

	return db_first(db, &STMT_sweep_lock,
			DB_ARGS(P_INT8(project_id), P_INT8(sweep_id), P_STR(timeout)), &sweep_table,
			(void **)ret_sweep);
}

err_t sweep_store_lock_free(struct db *db, int64_t project_id, int64_t sweep_id,
			    struct sweep **ret_sweep)
{
	return db_first(db, &STMT_sweep_lock_free, DB_ARGS(P_INT8(project_id), P_INT8(sweep_id)),
			&sweep_table, (void **)ret_sweep);
}

err_t sweep_store_list(struct db *db, const struct sweeps_ask *ask, struct sweep **ret_sweeps,
		       size_t *ret_count, bool *ret_more)
{
	struct sweep *sweeps;
	size_t found, count = 0;
	err_t e = db_all(db, &STMT_sweep_list,
			 DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->after), P_INT2(ask->state),
				 P_INT8(ask->limit + 1), P_INT8(SWEEP_LIST_BYTES),
				 P_BOOL(ask->has_controllers)),
			 &sweep_table, (void **)&sweeps, &found);

	if (e)
		return e;
	while (count < found && count < (size_t)ask->limit && sweeps[count].config.len)
		count++;
	*ret_sweeps = sweeps;
	*ret_count = count;
	*ret_more = count < found;
	return NULL;
}

err_t sweep_store_count(struct db *db, const struct sweeps_ask *ask, int64_t *ret_count)
{
	return db_number(db, &STMT_sweep_count,
			 DB_ARGS(P_INT8(ask->project_id), P_INT2(ask->state)), ret_count);
}

err_t sweep_store_save_state(struct db *db, const struct sweep *s)
{
	return db_exec(db, &STMT_sweep_save_state,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT2(s->state),
			       nullable(s->why_ended), P_TIME(s->state_at)),
		       NULL);
}

err_t sweep_store_save_config(struct db *db, const struct sweep *s)
{
	return db_exec(db, &STMT_sweep_save_config,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_STR(s->config),
			       P_INT2(s->method), P_INT8(s->seed), nullable(s->display_name),
			       nullable(s->description), P_TIME(s->changed_at)),
		       NULL);
}

err_t sweep_store_save_controller(struct db *db, const struct sweep *s)
{
	return db_exec(db, &STMT_sweep_save_controller,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), nullable(s->controller),
			       nullable(s->scheduler)),
		       NULL);
}

err_t sweep_store_look(struct db *db, const struct sweep *s, timestamp_us look_at)
{
	return db_exec(db, &STMT_sweep_look,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), time_or_null(look_at)),
		       NULL);
}

err_t sweep_store_delete(struct db *db, const struct sweep *s, timestamp_us now)
{
	return db_exec(db, &STMT_sweep_delete,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_TIME(now)), NULL);
}

err_t sweep_store_look_named(struct db *db, int64_t project_id, struct str name, timestamp_us now)
{
	return db_exec(db, &STMT_sweep_look_named,
		       DB_ARGS(P_INT8(project_id), P_STR(name), P_TIME(now)), NULL);
}

static const struct db_column sums_columns[] = {
	DB_COLUMN(struct sweep_sums, sweep_id),   DB_COLUMN(struct sweep_sums, trials),
	DB_COLUMN(struct sweep_sums, waiting),    DB_COLUMN(struct sweep_sums, running),
	DB_COLUMN(struct sweep_sums, finished),   DB_COLUMN(struct sweep_sums, failed),
	DB_COLUMN(struct sweep_sums, killed),     DB_COLUMN(struct sweep_sums, lost),
	DB_COLUMN(struct sweep_sums, prior),      DB_COLUMN(struct sweep_sums, points),
	DB_COLUMN(struct sweep_sums, lowest),     DB_COLUMN(struct sweep_sums, highest),
	DB_NULLABLE(struct sweep_sums, ended_at),
};
static const struct db_row_table sums_table = DB_ROW_TABLE(struct sweep_sums, sums_columns);

err_t sweep_store_sums(struct db *db, const struct sweep_sums_ask *ask,
		       struct sweep_sums **ret_sums, size_t *ret_count)
{
	return db_all(db, &STMT_sweep_sums,
		      DB_ARGS(P_INT8(ask->project_id),
			      P_ARRAY(DB_INT8_ARRAY, ask->sweep_ids, ask->count),
			      P_BOOL(ask->sees_private)),
		      &sums_table, (void **)ret_sums, ret_count);
}

/* ---- agents and hosts ------------------------------------------------------------------------------ */

static const struct db_column agent_columns[] = {
	DB_COLUMN(struct sweep_agent, project_id), DB_COLUMN(struct sweep_agent, sweep_id),
	DB_COLUMN(struct sweep_agent, agent_id),   DB_COLUMN(struct sweep_agent, host),
	DB_COLUMN(struct sweep_agent, user_id),    DB_NULLABLE(struct sweep_agent, user),
	DB_COLUMN(struct sweep_agent, created_at), DB_COLUMN(struct sweep_agent, state),
	DB_COLUMN(struct sweep_agent, heard_at),   DB_COLUMN(struct sweep_agent, failed_in_row),
	DB_COLUMN(struct sweep_agent, finished),   DB_NULLABLE(struct sweep_agent, set_aside_at),
};
static const struct db_row_table agent_table = DB_ROW_TABLE(struct sweep_agent, agent_columns);

err_t sweep_store_insert_agent(struct db *db, const struct sweep_agent *a)
{
	return db_exec(db, &STMT_sweep_agent_insert,
		       DB_ARGS(P_INT8(a->project_id), P_INT8(a->sweep_id), P_INT8(a->agent_id),
			       P_STR(a->host), P_INT8(a->user_id), P_TIME(a->created_at)),
		       NULL);
}

err_t sweep_store_find_agent(struct db *db, int64_t project_id, int64_t sweep_id, int64_t agent_id,
			     struct sweep_agent **ret_agent)
{
	return db_first(db, &STMT_sweep_agent_find,
			DB_ARGS(P_INT8(project_id), P_INT8(sweep_id), P_INT8(agent_id)),
			&agent_table, (void **)ret_agent);
}

err_t sweep_store_list_agents(struct db *db, const struct sweep *s, int64_t after, int64_t limit,
			      struct sweep_agent **ret_agents, size_t *ret_count)
{
	return db_all(db, &STMT_sweep_agent_list,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT8(after),
			      P_INT8(limit)),
		      &agent_table, (void **)ret_agents, ret_count);
}

err_t sweep_store_count_agents(struct db *db, const struct sweep *s, int64_t *ret_count)
{
	return db_number(db, &STMT_sweep_agent_count,
			 DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id)), ret_count);
}

static const struct db_column agent_trials_columns[] = {
	DB_COLUMN(struct sweep_agent_trials, agent_id),
	DB_COLUMN(struct sweep_agent_trials, trials),
};
static const struct db_row_table agent_trials_table =
	DB_ROW_TABLE(struct sweep_agent_trials, agent_trials_columns);

err_t sweep_store_agent_trials(struct db *db, const struct sweep *s, const int64_t *agent_ids,
			       size_t count, struct sweep_agent_trials **ret_trials,
			       size_t *ret_count)
{
	return db_all(db, &STMT_sweep_agent_counts,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id),
			      P_ARRAY(DB_INT8_ARRAY, agent_ids, count)),
		      &agent_trials_table, (void **)ret_trials, ret_count);
}

err_t sweep_store_save_agent(struct db *db, const struct sweep_agent *a)
{
	return db_exec(db, &STMT_sweep_agent_save,
		       DB_ARGS(P_INT8(a->project_id), P_INT8(a->sweep_id), P_INT8(a->agent_id),
			       P_INT2(a->state), P_TIME(a->heard_at)),
		       NULL);
}

err_t sweep_store_lose_agents(struct db *db, const struct sweep *s, timestamp_us since,
			      int64_t *ret_count)
{
	return db_exec(db, &STMT_sweep_agent_lose,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_TIME(since),
			       P_INT2(SWEEP_AGENT_LOST)),
		       ret_count);
}

err_t sweep_store_has_other_host(struct db *db, const struct sweep *s, struct str host,
				 timestamp_us heard_since, timestamp_us set_aside_after,
				 bool *ret_has)
{
	int64_t count;
	err_t e = db_number(db, &STMT_sweep_agent_elsewhere,
			    DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_STR(host),
				    P_TIME(heard_since), P_TIME(set_aside_after)),
			    &count);

	if (!e)
		*ret_has = count > 0;
	return e;
}

static const struct db_column host_columns[] = {
	DB_COLUMN(struct sweep_host, host),
	DB_COLUMN(struct sweep_host, failed_in_row),
	DB_COLUMN(struct sweep_host, finished),
	DB_NULLABLE(struct sweep_host, set_aside_at),
};
static const struct db_row_table host_table = DB_ROW_TABLE(struct sweep_host, host_columns);

err_t sweep_store_list_hosts(struct db *db, const struct sweep *s, struct sweep_host **ret_hosts,
			     size_t *ret_count)
{
	return db_all(db, &STMT_sweep_host_list,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT8(SWEEP_AGENTS_MAX)),
		      &host_table, (void **)ret_hosts, ret_count);
}

err_t sweep_store_save_host(struct db *db, const struct sweep *s, const struct sweep_host *h)
{
	return db_exec(db, &STMT_sweep_host_save,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_STR(h->host),
			       P_INT4(h->failed_in_row), P_INT8(h->finished),
			       time_or_null(h->set_aside_at)),
		       NULL);
}

/* ---- trials -------------------------------------------------------------------------------------- */

static const struct db_column trial_columns[] = {
	DB_COLUMN(struct sweep_trial, project_id), DB_COLUMN(struct sweep_trial, sweep_id),
	DB_COLUMN(struct sweep_trial, trial),      DB_COLUMN(struct sweep_trial, run_name),
	DB_COLUMN(struct sweep_trial, source),     DB_COLUMN(struct sweep_trial, retry_of),
	DB_COLUMN(struct sweep_trial, tries),      DB_NULLABLE(struct sweep_trial, note),
	DB_COLUMN(struct sweep_trial, created_at), DB_COLUMN(struct sweep_trial, params),
	DB_COLUMN(struct sweep_trial, point),      DB_COLUMN(struct sweep_trial, state),
	DB_COLUMN(struct sweep_trial, agent_id),   DB_COLUMN(struct sweep_trial, host),
	DB_NULLABLE(struct sweep_trial, sent_at),  DB_COLUMN(struct sweep_trial, sent_count),
	DB_COLUMN(struct sweep_trial, run_id),     DB_NULLABLE(struct sweep_trial, started_at),
	DB_NULLABLE(struct sweep_trial, ended_at), DB_NULLABLE(struct sweep_trial, stop_at),
	DB_COLUMN(struct sweep_trial, lowest),     DB_COLUMN(struct sweep_trial, highest),
	DB_COLUMN(struct sweep_trial, latest),     DB_COLUMN(struct sweep_trial, summary),
	DB_COLUMN(struct sweep_trial, steps),      DB_BYTES(struct sweep_trial, curve),
};
static const struct db_row_table trial_table = DB_ROW_TABLE(struct sweep_trial, trial_columns);

static const struct db_column trial_run_columns[] = {
	DB_COLUMN(struct sweep_trial, project_id),  DB_COLUMN(struct sweep_trial, sweep_id),
	DB_COLUMN(struct sweep_trial, trial),       DB_COLUMN(struct sweep_trial, run_name),
	DB_COLUMN(struct sweep_trial, source),      DB_COLUMN(struct sweep_trial, retry_of),
	DB_COLUMN(struct sweep_trial, tries),       DB_NULLABLE(struct sweep_trial, note),
	DB_COLUMN(struct sweep_trial, created_at),  DB_COLUMN(struct sweep_trial, params),
	DB_COLUMN(struct sweep_trial, point),       DB_COLUMN(struct sweep_trial, state),
	DB_COLUMN(struct sweep_trial, agent_id),    DB_COLUMN(struct sweep_trial, host),
	DB_NULLABLE(struct sweep_trial, sent_at),   DB_COLUMN(struct sweep_trial, sent_count),
	DB_COLUMN(struct sweep_trial, run_id),      DB_NULLABLE(struct sweep_trial, started_at),
	DB_NULLABLE(struct sweep_trial, ended_at),  DB_NULLABLE(struct sweep_trial, stop_at),
	DB_COLUMN(struct sweep_trial, lowest),      DB_COLUMN(struct sweep_trial, highest),
	DB_COLUMN(struct sweep_trial, latest),      DB_COLUMN(struct sweep_trial, summary),
	DB_COLUMN(struct sweep_trial, steps),       DB_BYTES(struct sweep_trial, curve),
	DB_COLUMN(struct sweep_trial, found_id),    DB_COLUMN(struct sweep_trial, is_deleted),
	DB_COLUMN(struct sweep_trial, visibility),  DB_NULLABLE(struct sweep_trial, display_name),
	DB_COLUMN(struct sweep_trial, agent_state),
};
static const struct db_row_table trial_run_table =
	DB_ROW_TABLE(struct sweep_trial, trial_run_columns);

static const struct db_column trial_curve_columns[] = {
	DB_COLUMN(struct sweep_trial, project_id), DB_COLUMN(struct sweep_trial, sweep_id),
	DB_COLUMN(struct sweep_trial, trial),      DB_COLUMN(struct sweep_trial, state),
	DB_COLUMN(struct sweep_trial, run_id),     DB_NULLABLE(struct sweep_trial, stop_at),
	DB_COLUMN(struct sweep_trial, lowest),     DB_COLUMN(struct sweep_trial, highest),
	DB_COLUMN(struct sweep_trial, steps),      DB_BYTES(struct sweep_trial, curve),
};
static const struct db_row_table trial_curve_table =
	DB_ROW_TABLE(struct sweep_trial, trial_curve_columns);

static const struct db_column trial_fact_columns[] = {
	DB_COLUMN(struct sweep_trial, trial),     DB_COLUMN(struct sweep_trial, run_name),
	DB_COLUMN(struct sweep_trial, source),    DB_COLUMN(struct sweep_trial, retry_of),
	DB_COLUMN(struct sweep_trial, tries),     DB_COLUMN(struct sweep_trial, params),
	DB_COLUMN(struct sweep_trial, point),     DB_COLUMN(struct sweep_trial, state),
	DB_COLUMN(struct sweep_trial, agent_id),  DB_COLUMN(struct sweep_trial, host),
	DB_NULLABLE(struct sweep_trial, sent_at), DB_COLUMN(struct sweep_trial, sent_count),
	DB_COLUMN(struct sweep_trial, run_id),    DB_COLUMN(struct sweep_trial, lowest),
	DB_COLUMN(struct sweep_trial, highest),   DB_COLUMN(struct sweep_trial, latest),
	DB_COLUMN(struct sweep_trial, summary),
};
static const struct db_row_table trial_fact_table =
	DB_ROW_TABLE(struct sweep_trial, trial_fact_columns);

static const struct db_column trial_sample_columns[] = {
	DB_COLUMN(struct sweep_trial, trial),  DB_COLUMN(struct sweep_trial, params),
	DB_COLUMN(struct sweep_trial, lowest), DB_COLUMN(struct sweep_trial, highest),
	DB_COLUMN(struct sweep_trial, latest), DB_COLUMN(struct sweep_trial, summary),
};
static const struct db_row_table trial_sample_table =
	DB_ROW_TABLE(struct sweep_trial, trial_sample_columns);

/* NaN is no value. */
static struct db_param real(double value)
{
	return (struct db_param)P_FLOAT8(value);
}

static struct db_param bytes_or_null(struct str bytes)
{
	struct db_param p = P_BYTEA(bytes);

	p.null = !bytes.at;
	return p;
}

static err_t save_next(struct db *db, struct sweep *s, int64_t next_trial)
{
	s->next_trial = next_trial;
	return db_exec(db, &STMT_sweep_save_next,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT8(next_trial)),
		       NULL);
}

err_t sweep_store_insert_trial(struct db *db, struct sweep *s, const struct sweep_trial *t)
{
	err_t e = db_exec(db, &STMT_sweep_trial_insert,
			  DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT8(t->trial),
				  P_STR(t->run_name), P_INT2(t->source), P_INT8(t->retry_of),
				  P_INT4(t->tries), nullable(t->note), P_TIME(t->created_at),
				  P_STR(t->params), P_INT8(t->point), P_INT2(t->state),
				  P_INT8(t->agent_id), P_STR(t->host), time_or_null(t->sent_at),
				  P_INT4(t->sent_count), P_INT8(t->run_id),
				  time_or_null(t->started_at), time_or_null(t->ended_at),
				  time_or_null(t->stop_at), real(t->lowest), real(t->highest),
				  real(t->latest), real(t->summary), P_INT8(t->steps),
				  bytes_or_null(t->curve)),
			  NULL);

	return e ? e : save_next(db, s, t->trial + 1);
}

err_t sweep_store_insert_waiting(struct db *db, struct sweep *s, const struct sweep_trial *trials,
				 size_t count)
{
	struct arena *a = db_arena(db);
	err_t e;

	if (!count)
		return NULL;
	e = db_exec(db, &STMT_sweep_trial_insert_waiting,
		    DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id),
			    P_TIME(trials[0].created_at),
			    COLUMN(a, DB_INT8_ARRAY, trials, count, trial),
			    COLUMN(a, DB_TEXT_ARRAY, trials, count, run_name),
			    COLUMN(a, DB_INT2_ARRAY, trials, count, source),
			    COLUMN(a, DB_INT8_ARRAY, trials, count, retry_of),
			    COLUMN(a, DB_INT4_ARRAY, trials, count, tries),
			    COLUMN(a, DB_TEXT_ARRAY, trials, count, params),
			    COLUMN(a, DB_INT8_ARRAY, trials, count, point)),
		    NULL);
	return e ? e : save_next(db, s, trials[count - 1].trial + 1);
}

err_t sweep_store_insert_prior(struct db *db, struct sweep *s, const struct str *run_names,
			       const int64_t *run_ids, size_t count)
{
	err_t e = db_exec(db, &STMT_sweep_trial_insert_prior,
			  DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_TIME(s->created_at),
				  P_ARRAY(DB_TEXT_ARRAY, run_names, count),
				  P_ARRAY(DB_INT8_ARRAY, run_ids, count)),
			  NULL);

	return e ? e : save_next(db, s, (int64_t)count + 1);
}

err_t sweep_store_save_trial(struct db *db, const struct sweep_trial *t)
{
	return db_exec(db, &STMT_sweep_trial_save,
		       DB_ARGS(P_INT8(t->project_id), P_INT8(t->sweep_id), P_INT8(t->trial),
			       P_INT2(t->state), P_INT8(t->agent_id), P_STR(t->host),
			       time_or_null(t->sent_at), P_INT4(t->sent_count), P_INT8(t->run_id),
			       time_or_null(t->started_at), time_or_null(t->ended_at),
			       real(t->lowest), real(t->highest), real(t->latest), real(t->summary),
			       P_INT8(t->steps), bytes_or_null(t->curve)),
		       NULL);
}

err_t sweep_store_save_params(struct db *db, const struct sweep_trial *t)
{
	return db_exec(db, &STMT_sweep_trial_save_params,
		       DB_ARGS(P_INT8(t->project_id), P_INT8(t->sweep_id), P_INT8(t->trial),
			       P_STR(t->params), P_INT8(t->point)),
		       NULL);
}

err_t sweep_store_save_curve(struct db *db, const struct sweep_trial *t)
{
	return db_exec(db, &STMT_sweep_trial_save_curve,
		       DB_ARGS(P_INT8(t->project_id), P_INT8(t->sweep_id), P_INT8(t->trial),
			       bytes_or_null(t->curve)),
		       NULL);
}

err_t sweep_store_stop_trial(struct db *db, const struct sweep_trial *t, timestamp_us now)
{
	return db_exec(db, &STMT_sweep_trial_stop,
		       DB_ARGS(P_INT8(t->project_id), P_INT8(t->sweep_id), P_INT8(t->trial),
			       P_TIME(now)),
		       NULL);
}

err_t sweep_store_stop_trials(struct db *db, const struct sweep *s, timestamp_us now)
{
	return db_exec(db, &STMT_sweep_trial_stop_all,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_TIME(now)), NULL);
}

err_t sweep_store_hear_trials(struct db *db, const struct sweep_agent *a,
			      const struct str *run_names, size_t count)
{
	return db_exec(db, &STMT_sweep_trial_hear,
		       DB_ARGS(P_INT8(a->project_id), P_INT8(a->sweep_id), P_INT8(a->agent_id),
			       P_ARRAY(DB_TEXT_ARRAY, run_names, count)),
		       NULL);
}

err_t sweep_store_trials_of_agent(struct db *db, const struct sweep_agent *a, int64_t limit,
				  struct sweep_trial **ret_trials, size_t *ret_count)
{
	return db_all(db, &STMT_sweep_trial_of_agent,
		      DB_ARGS(P_INT8(a->project_id), P_INT8(a->sweep_id), P_INT8(a->agent_id),
			      P_INT8(limit)),
		      &trial_table, (void **)ret_trials, ret_count);
}

err_t sweep_store_offers(struct db *db, const struct sweep *s, int64_t limit,
			 struct sweep_trial **ret_trials, size_t *ret_count)
{
	return db_all(db, &STMT_sweep_trial_offers,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT8(limit)),
		      &trial_table, (void **)ret_trials, ret_count);
}

err_t sweep_store_waiting_trial(struct db *db, const struct sweep *s,
				struct sweep_trial **ret_trial)
{
	return db_first(db, &STMT_sweep_trial_waiting,
			DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id)), &trial_table,
			(void **)ret_trial);
}

err_t sweep_store_canceled_trials(struct db *db, const struct sweep *s,
				  const struct sweep_canceled_ask *ask,
				  struct sweep_trial **ret_trials, size_t *ret_count)
{
	return db_all(db, &STMT_sweep_trial_canceled,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_TIME(ask->at),
			      P_INT8(ask->after), P_INT8(ask->limit)),
		      &trial_table, (void **)ret_trials, ret_count);
}

err_t sweep_store_find_trial(struct db *db, const struct sweep *s, int64_t number,
			     struct sweep_trial **ret_trial)
{
	return db_first(db, &STMT_sweep_trial_find,
			DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT8(number)),
			&trial_run_table, (void **)ret_trial);
}

err_t sweep_store_find_trial_of_run(struct db *db, const struct sweep *s, struct str run_name,
				    struct sweep_trial **ret_trial)
{
	return db_first(db, &STMT_sweep_trial_find_run,
			DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_STR(run_name)),
			&trial_run_table, (void **)ret_trial);
}

struct name_row {
	struct str name;
};
static const struct db_column name_columns[] = { DB_COLUMN(struct name_row, name) };
static const struct db_row_table name_table = DB_ROW_TABLE(struct name_row, name_columns);

err_t sweep_store_name_of_trial(struct db *db, int64_t project_id, struct str run_name,
				struct str *ret_sweep)
{
	struct name_row *row;
	err_t e = db_first(db, &STMT_sweep_name_of_trial,
			   DB_ARGS(P_INT8(project_id), P_STR(run_name)), &name_table,
			   (void **)&row);

	if (!e)
		*ret_sweep = row ? row->name : STR("");
	return e;
}

err_t sweep_store_all_trials(struct db *db, const struct sweep *s, enum sweep_params_read params,
			     struct sweep_trial **ret_trials, size_t *ret_count)
{
	return db_all(db, &STMT_sweep_trial_all,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT2(params),
			      P_INT8(SWEEP_TRIALS_MAX), P_INT8(SWEEP_READ_MAX)),
		      &trial_fact_table, (void **)ret_trials, ret_count);
}

err_t sweep_store_curves(struct db *db, const struct sweep *s, struct sweep_trial **ret_trials,
			 size_t *ret_count)
{
	return db_all(db, &STMT_sweep_trial_curves,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT8(SWEEP_TRIALS_MAX)),
		      &trial_curve_table, (void **)ret_trials, ret_count);
}

err_t sweep_store_open_trials(struct db *db, const struct sweep *s,
			      const struct sweep_open_ask *ask, struct sweep_trial **ret_trials,
			      size_t *ret_count)
{
	return db_all(db, &STMT_sweep_trial_open_list,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT8(ask->limit),
			      P_INT8(ask->agent_id), P_INT8(ask->after)),
		      &trial_run_table, (void **)ret_trials, ret_count);
}

err_t sweep_store_unread_prior(struct db *db, const struct sweep *s, int64_t limit,
			       struct sweep_trial **ret_trials, size_t *ret_count)
{
	return db_all(db, &STMT_sweep_trial_prior_list,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT8(limit)),
		      &trial_run_table, (void **)ret_trials, ret_count);
}

err_t sweep_store_changed_trials(struct db *db, const struct sweep *s,
				 const struct sweep_changed_ask *ask,
				 struct sweep_trial **ret_trials, size_t *ret_count)
{
	return db_all(db, &STMT_sweep_trial_changed_list,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_TIME(ask->since),
			      P_INT8(SWEEP_TRIALS_MAX), P_INT8(ask->after), P_INT8(ask->until)),
		      &trial_run_table, (void **)ret_trials, ret_count);
}

static err_t list_by_value(struct db *db, const struct sweep *s, const struct sweep_trials_ask *ask,
			   struct sweep_trial **ret_trials, size_t *ret_count)
{
	struct db_param after = P_FLOAT8(ask->after_value);

	after.null = !ask->has_after;
	return db_all(db, &STMT_sweep_trial_list_by_value,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT2(ask->state), after,
			      P_INT8(ask->after), P_BOOL(ask->goal == SWEEP_MAXIMIZE),
			      P_INT8(ask->limit), P_BOOL(ask->sees_private)),
		      &trial_run_table, (void **)ret_trials, ret_count);
}

err_t sweep_store_list_trials(struct db *db, const struct sweep *s,
			      const struct sweep_trials_ask *ask, struct sweep_trial **ret_trials,
			      size_t *ret_count)
{
	if (ask->order == SWEEP_TRIALS_BEST)
		return list_by_value(db, s, ask, ret_trials, ret_count);
	return db_all(db, &STMT_sweep_trial_list,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT2(ask->state),
			      P_INT8(ask->after), P_INT8(ask->agent_id),
			      P_BOOL(ask->order == SWEEP_TRIALS_NEWEST), P_INT8(ask->limit)),
		      &trial_run_table, (void **)ret_trials, ret_count);
}

double sweep_trial_value(const struct sweep_trial *t, enum sweep_goal goal)
{
	return goal == SWEEP_MAXIMIZE ? fmax(t->highest, t->summary) : fmin(t->lowest, t->summary);
}

double sweep_trial_order_value(const struct sweep_trial *t, enum sweep_goal goal)
{
	double value = sweep_trial_value(t, goal);

	return goal == SWEEP_MAXIMIZE ? -value : value;
}

static const struct db_column joined_columns[] = {
	DB_COLUMN(struct sweep_joined, name),
	DB_COLUMN(struct sweep_joined, run_id),
};
static const struct db_row_table joined_table = DB_ROW_TABLE(struct sweep_joined, joined_columns);

err_t sweep_store_samples(struct db *db, const struct sweep *s, const struct sweep_samples_ask *ask,
			  struct sweep_trial **ret_trials, size_t *ret_count)
{
	return db_all(db, &STMT_sweep_trial_samples,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_BOOL(ask->sees_private),
			      P_INT8(ask->limit), P_INT8(ask->bytes)),
		      &trial_sample_table, (void **)ret_trials, ret_count);
}

err_t sweep_store_list_joined(struct db *db, const struct sweep *s, int64_t limit,
			      struct sweep_joined **ret_runs, size_t *ret_count)
{
	return db_all(db, &STMT_sweep_joined,
		      DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_STR(s->name),
			      P_INT8(limit)),
		      &joined_table, (void **)ret_runs, ret_count);
}

err_t sweep_store_clear_points(struct db *db, const struct sweep *s)
{
	return db_exec(db, &STMT_sweep_clear_points,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id)), NULL);
}

/* ---- the job -------------------------------------------------------------------------------------- */

static const struct db_column due_columns[] = {
	DB_COLUMN(struct sweep_due, project_id),
	DB_COLUMN(struct sweep_due, sweep_id),
};
static const struct db_row_table due_table = DB_ROW_TABLE(struct sweep_due, due_columns);

err_t sweep_store_list_due(struct db *db, timestamp_us now, int64_t limit,
			   struct sweep_due **ret_due, size_t *ret_count)
{
	return db_all(db, &STMT_sweep_due, DB_ARGS(P_TIME(now), P_INT8(limit)), &due_table,
		      (void **)ret_due, ret_count);
}

static err_t purge_portion(struct db *db, const struct db_stmt *stmt, const struct sweep *s,
			   int64_t limit, bool *ret_more)
{
	int64_t gone;
	err_t e = db_exec(db, stmt,
			  DB_ARGS(P_INT8(s->project_id), P_INT8(s->sweep_id), P_INT8(limit)),
			  &gone);

	if (!e)
		*ret_more = gone >= limit;
	return e;
}

err_t sweep_store_purge(struct db *db, const struct sweep *s, int64_t limit, bool *ret_more)
{
	const struct db_param key[] = { P_INT8(s->project_id), P_INT8(s->sweep_id) };
	err_t e = purge_portion(db, &STMT_sweep_remove_trials, s, limit, ret_more);

	if (!e && !*ret_more)
		e = purge_portion(db, &STMT_sweep_remove_agents, s, limit, ret_more);
	if (e || *ret_more)
		return e;
	e = db_exec(db, &STMT_sweep_remove_hosts, (struct db_args){ key, 2 }, NULL);
	return e ? e : db_exec(db, &STMT_sweep_remove, (struct db_args){ key, 2 }, NULL);
}

const struct db_stmt_check sweep_store_checks[] = {
	{ &STMT_sweep_find, &sweep_table },
	{ &STMT_sweep_get, &sweep_table },
	{ &STMT_sweep_find_same, &sweep_table },
	{ &STMT_sweep_lock, &sweep_table },
	{ &STMT_sweep_lock_free, &sweep_table },
	{ &STMT_sweep_list, &sweep_table },
	{ &STMT_sweep_count, &db_number_table },
	{ &STMT_sweep_sums, &sums_table },
	{ &STMT_sweep_agent_find, &agent_table },
	{ &STMT_sweep_agent_list, &agent_table },
	{ &STMT_sweep_agent_count, &db_number_table },
	{ &STMT_sweep_agent_counts, &agent_trials_table },
	{ &STMT_sweep_agent_elsewhere, &db_number_table },
	{ &STMT_sweep_host_list, &host_table },
	{ &STMT_sweep_trial_of_agent, &trial_table },
	{ &STMT_sweep_trial_curves, &trial_curve_table },
	{ &STMT_sweep_trial_offers, &trial_table },
	{ &STMT_sweep_trial_waiting, &trial_table },
	{ &STMT_sweep_trial_canceled, &trial_table },
	{ &STMT_sweep_trial_find, &trial_run_table },
	{ &STMT_sweep_trial_find_run, &trial_run_table },
	{ &STMT_sweep_name_of_trial, &name_table },
	{ &STMT_sweep_trial_all, &trial_fact_table },
	{ &STMT_sweep_trial_open_list, &trial_run_table },
	{ &STMT_sweep_trial_prior_list, &trial_run_table },
	{ &STMT_sweep_trial_changed_list, &trial_run_table },
	{ &STMT_sweep_trial_list, &trial_run_table },
	{ &STMT_sweep_trial_list_by_value, &trial_run_table },
	{ &STMT_sweep_trial_samples, &trial_sample_table },
	{ &STMT_sweep_joined, &joined_table },
	{ &STMT_sweep_due, &due_table },
};
const size_t sweep_store_check_count = sizeof(sweep_store_checks) / sizeof(sweep_store_checks[0]);
