/* Starts the parts that work: alerts, ingest, search, jobs, listeners. */
#include "serve_parts.h"

#include "app.h"
#include "database.h"
#include "ingest.h"
#include "jobs.h"
#include "listeners.h"
#include "metric_summary_cache.h"
#include "notify.h"
#include "search.h"
#include "store_ahead.h"
#include "wandb_session_cache.h"

/* ---- alerts ------------------------------------------------------------------------------------ */

err_t start_alerts(struct app *app)
{
	const struct notify_options options = {
		.database = database_options(app->config, app->database_url),
		.secret = &app->secret,
		.hosts = app->config->webhook_hosts,
		.public_url = app->config->public_url,
		.ca_file = app->config->ca_file,
		.timeout_ms = (long)app->config->webhook_timeout_s * 1000,
	};

	return notify_start(app->arena, &options, &app->notify);
}

void stop_alerts(struct app *app)
{
	notify_stop(app->notify);
}

/* ---- ingest ------------------------------------------------------------------------------------ */

/* After each commit, from a flusher. */
static void on_update(void *p, const struct ingest_update *update)
{
	struct app *app = p;
	struct jobs_update told = {
		.run_id = update->run_id,
		.project_id = update->project_id,
		.tail_rows = update->tail_rows,
		.tail_bytes = update->tail_bytes,
		.writers = update->writers,
		.ended = !run_state_runs(update->run_state),
		.rows = update->history,
	};

	if (app->jobs)
		jobs_tell(app->jobs, &told);
	if (app->listeners)
		listeners_wake(app->listeners, update->run_id);
}

err_t start_ingest(struct app *app)
{
	struct ingest_options options = {
		.flushers = (unsigned)app->config->flushers,
		.queue_limit = (size_t)app->config->queue_limit,
		.new_names_per_hour = app->config->new_names_per_hour,
		.database = writing_options(app),
		.update = on_update,
		.update_arg = app,
	};

	options.database.ahead = store_ahead_of_flusher();
	return ingest_start(app->arena, &options, &app->ingest);
}

/* Flushers tell jobs and listeners: they end before those, and their memory after. */
void end_ingest(struct app *app)
{
	ingest_end(app->ingest);
}

void stop_ingest(struct app *app)
{
	ingest_stop(app->ingest);
}

/* ---- search ------------------------------------------------------------------------------------ */

/* Counted as a whole: it keeps to its part by itself. */
err_t start_search(struct app *app)
{
	memory_take(&app->memory, MEMORY_SEARCH, (size_t)app->config->search_memory);
	app->search = search_new((size_t)app->config->search_memory);
	app->metric_summaries = metric_summary_cache_new(&app->memory);
	return NULL;
}

void stop_search(struct app *app)
{
	metric_summary_cache_free(app->metric_summaries);
	search_free(app->search);
}

/* ---- what happens by itself, and who watches --------------------------------------------------- */

err_t start_jobs(struct app *app)
{
	struct jobs_options options = {
		.database = database_options(app->config, app->database_url),
		.metrics = ingest_metrics_cache(app->ingest),
		.search = app->search,
		.content = app->content,
		.grace_us = app->config->grace_s * 1000000,
		.agent_lost_us = app->config->sweep_agent_lost_s * 1000000,
		.audit_us = app->config->audit_days * 24 * 3600 * 1000000,
		.audit_entries = app->config->audit_entries,
	};

	return jobs_start(app->arena, &options, &app->jobs);
}

void stop_jobs(struct app *app)
{
	struct jobs *jobs = app->jobs;

	app->jobs = NULL;
	jobs_stop(jobs);
}

err_t start_listeners(struct app *app)
{
	struct listeners_options options = {
		.database = database_options(app->config, app->database_url),
		.ingest = app->ingest,
		.auth = app->auth,
		.limit = (size_t)app->config->live_listeners,
		.share = (unsigned)app->config->client_share,
	};

	if (app->config->live_notify) {
		options.peers = database_options(app->config, app->listen_database_url);
		options.peers.application_name =
			"cairnd live " CAIRN_VERSION; /* see server_versions */
	}
	return listeners_start(app->arena, &options, &app->listeners);
}

void stop_listeners(struct app *app)
{
	struct listeners *listeners = app->listeners;

	app->listeners = NULL;
	listeners_stop(listeners);
}

/* ---- sessions of the wandb SDK ------------------------------------------------------------------- */

err_t start_wandb(struct app *app)
{
	app->wandb = wandb_session_cache_new();
	return NULL;
}

void stop_wandb(struct app *app)
{
	wandb_session_cache_free(app->wandb);
}
