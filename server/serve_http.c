/* How the server is reached: routes of all doors, and what is done around each request. */
#include "serve_parts.h"

#include "app.h"
#include "auth.h"
#include "database.h"
#include "db.h"
#include "db_migrate.h"
#include "http_server.h"
#include "ingest.h"
#include "jobs.h"
#include "listeners.h"
#include "log.h"
#include "metric_summary_cache.h"
#include "notify.h"
#include "replica.h"
#include "routes.h"
#include "search.h"
#include "sign_in_gate.h"
#include "static_files.h"
#include "store_ahead.h"
#include "wandb_routes.h"
#include "wandb_unknown_fields.h"

/* ---- HTTP -------------------------------------------------------------------------------------- */

static err_t worker_start(struct app *app, struct arena *a, struct db **ret_db)
{
	struct db_options options = writing_options(app);
	struct db_options reader = database_options(app->config, app->config->read_database_url);
	err_t e;

	options.canceller = reader.canceller = app->canceller;
	options.ahead = reader.ahead = store_ahead_of_worker();
	e = db_open(a, &options, ret_db);
	if (!e && app->replica)
		db_add_reader(*ret_db, &reader);
	return e;
}

static void worker_stop(struct app *app, struct db *db)
{
	(void)app;
	db_close(db);
}

static err_t enter(struct request *q)
{
	err_t e = auth_enter(q);

	return e ? e : replica_check(q);
}

/* Nothing comes any more that would have it compacted. */
static void tell_ended(struct app *app, const struct run *run)
{
	struct jobs_update told = {
		.run_id = run->run_id,
		.project_id = run->project_id,
		.tail_rows = run->tail_rows,
		.tail_bytes = run->tail_bytes,
		.writers = run->next_writer,
		.ended = true,
	};

	if (app->jobs)
		jobs_tell(app->jobs, &told);
}

/* The request is committed then: what it noted for the search is looked at without delay. */
static err_t leave(struct request *q, err_t e)
{
	bool writes = q->db && db_in_transaction(q->db);

	e = auth_leave(q, e);
	if (q->target && q->target->ended)
		tell_ended(q->app, q->target->ended);
	if (e)
		return e;
	if (q->target && q->target->resized && q->app->jobs)
		jobs_tell_resized(q->app->jobs, q->target->resized);
	if (writes)
		replica_tell_written(q, db_written(q->db));
	replica_tell_source(q);
	if (q->method != GET && q->route->access != ACCESS_READ && q->app->jobs)
		jobs_look(q->app->jobs);
	return NULL;
}

/* The build of a release is given its CAIRN_REVISION. */
static void build_metrics(struct buf *text)
{
	buf_add_text(text,
		     "# HELP cairn_build_info Version, revision and schema of the running server; "
		     "always 1.\n"
		     "# TYPE cairn_build_info gauge\n");
	buf_printf(text,
		   "cairn_build_info{version=\"" CAIRN_VERSION "\",revision=\"" CAIRN_REVISION
		   "\",schema=\"%zu\"} 1\n",
		   db_schema.migrations);
}

static void add_metrics(struct app *app, struct buf *text)
{
	build_metrics(text);
	auth_metrics(app->auth, text);
	sign_in_gate_metrics(app->sign_in_gate, text);
	replica_metrics(app->replica, text);
	ingest_metrics(app->ingest, text);
	jobs_metrics(app->jobs, text);
	notify_metrics(app->notify, text);
	listeners_metrics(app->listeners, text);
	search_metrics(app->search, text);
	metric_summary_cache_metrics(app->metric_summaries, text);
	wandb_unknown_fields_metrics(text);
}

err_t start_http(struct app *app)
{
	const struct config *c = app->config;
	size_t route_count;
	struct http_options options = {
		.listen = c->listen,
		.port_file = *c->port_file ? c->port_file : NULL,
		.tls_cert_file = *c->tls_cert_file ? c->tls_cert_file : NULL,
		.tls_key_file = *c->tls_key_file ? c->tls_key_file : NULL,
		.path_prefix = c->path_prefix,
		.trusted_proxies = c->trusted_proxies,
		.cors_origins = c->cors_origins,
		.io_threads = (unsigned)c->io_threads,
		.workers = (unsigned)c->workers,
		.write_workers = (unsigned)c->write_workers,
		.queue_limit = (unsigned)c->queue_limit,
		.connection_limit = (unsigned)c->connection_limit,
		.client_share = (unsigned)c->client_share,
		.max_body = (size_t)c->max_body,
		.max_upload = (size_t)c->max_file,
		.disk_threads = (unsigned)c->disk_threads,
		.public_url = c->public_url,
		.memory = &app->memory,
		.hsts_s = (int)c->hsts_s,
		.deadline_ms = (int)c->deadline_ms,
		.idle_timeout_s = (int)c->idle_timeout_s,
		.body_timeout_s = (int)c->body_timeout_s,
		.slowest_bytes_per_s = c->slowest_bytes_per_s,
		.drain_timeout_s = (int)c->drain_timeout_s,
		.routes = wandb_routes_beside(app->arena, api_routes, api_route_count,
					      &route_count),
		.files = web_files,
		.file_count = web_file_count,
		.web_dir = *c->web_dir ? c->web_dir : NULL,
		.app = app,
		.hooks = {
			.worker_start = worker_start,
			.worker_stop = worker_stop,
			.worker_rest = db_prepare_ahead,
			.use_arena = db_set_arena,
			.set_deadline = db_set_deadline,
			.head = auth_head,
			.knows = auth_knows,
			.verify = auth_verify,
			.enter = enter,
			.leave = leave,
			.elsewhere = replica_of,
			.failed_elsewhere = replica_failed,
			.still = auth_still,
			.who = auth_who,
			.metrics = add_metrics,
		},
	};
	err_t e;

	options.route_count = route_count;
	e = http_server_start(app->arena, &options, &app->http);
	if (!e)
		log_info("listening", LOG_TEXT("address", c->listen),
			 LOG_INT("port", http_server_port(app->http)));
	return e;
}

void stop_http(struct app *app)
{
	http_server_stop(app->http);
}
