/*
 * The server as a list of parts. Each has a start and a stop; they are started in the order of the
 * table and stopped in reverse, also when one in the middle cannot start.
 */
#include "serve.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "app.h"
#include "auth.h"
#include "content.h"
#include "database.h"
#include "db.h"
#include "db_embedded.h"
#include "entity_store.h"
#include "files.h"
#include "http_server.h"
#include "ingest.h"
#include "jobs.h"
#include "listen.h"
#include "listeners.h"
#include "log.h"
#include "replica.h"
#include "routes.h"
#include "search.h"
#include "secret.h"
#include "sign_in_gate.h"
#include "static_files.h"
#include "wandb_door.h"
#include "wandb_routes.h"
#include "wandb_unknown.h"

struct part {
	const char *name;
	err_t (*start)(struct app *app);
	void (*stop)(struct app *app);
};

/* ---- the address -------------------------------------------------------------------------------- */

static err_t check_address(struct app *app)
{
	return listen_check(app->arena, app->config->listen);
}

/* ---- the data directory ------------------------------------------------------------------------ */

static err_t start_directory(struct app *app)
{
	return database_make_directory(app->arena, app->config);
}

/* ---- the embedded database --------------------------------------------------------------------- */

static err_t start_embedded(struct app *app)
{
	err_t e;

	if (*app->config->database_url)
		return NULL;
	e = database_start_embedded(app->arena, app->config, &app->embedded);
	if (e && e->kind == ERR_CONFLICT) /* another server has it: for us a matter of settings */
		return err_new(app->arena, ERR_PRECONDITION, "%s", err_chain(app->arena, e));
	if (e)
		return e;
	app->database_url = db_embedded_url(app->embedded);
	app->listen_database_url = app->database_url;
	return NULL;
}

static void stop_embedded(struct app *app)
{
	db_embedded_stop(app->embedded);
}

/* ---- the database ------------------------------------------------------------------------------ */

/* Without a user nobody can do anything. */
static err_t say_who_is_first(struct app *app, struct db *db)
{
	bool is_somebody;
	err_t e = account_store_exists(db, &is_somebody);

	if (!e && !is_somebody)
		log_info("there are no users yet",
			 LOG_TEXT("hint", arena_printf(app->arena,
						       "cairnd user add NAME --admin --data-dir %s",
						       app->config->data_dir)));
	return e;
}

static err_t start_database(struct app *app)
{
	struct secret_file file;
	struct db *db;
	err_t e = database_prepare(app->arena, app->config, app->listen_database_url, &db);

	if (e)
		return e;
	e = secret_read(app->arena, app->config->secret_file, &file);
	if (!e)
		e = secret_settle(db, &file);
	if (!e)
		app->secret = file.secret;
	if (!e)
		e = say_who_is_first(app, db);
	db_close(db);
	return e;
}

static err_t start_canceller(struct app *app)
{
	app->canceller = db_canceller_start();
	return app->canceller ? NULL : err_new(app->arena, ERR_INTERNAL, "cannot start a thread");
}

static void stop_canceller(struct app *app)
{
	db_canceller_stop(app->canceller);
}

/* ---- a copy to read from ------------------------------------------------------------------------ */

static err_t start_replica(struct app *app)
{
	struct replica_options options = {
		.primary = database_options(app->config, app->database_url),
		.replica = database_options(app->config, app->config->read_database_url),
		.bound_us = app->config->read_lag_ms * 1000,
	};

	if (!*app->config->read_database_url)
		return NULL;
	return replica_start(app->arena, &options, &app->replica);
}

static void stop_replica(struct app *app)
{
	replica_stop(app->replica);
}

/* Who writes notes the place in the log only where there is somebody to read as far as that. */
static struct db_options writing_options(const struct app *app)
{
	struct db_options options = database_options(app->config, app->database_url);

	options.notes_written = app->replica != NULL;
	return options;
}

/* ---- identities -------------------------------------------------------------------------------- */

static err_t start_auth(struct app *app)
{
	const struct config *c = app->config;
	struct session_limits sessions = { c->session_idle_s * 1000000,
					   c->session_max_s * 1000000 };
	struct sign_in_limits sign_in = {
		.parallel = c->sign_in_parallel,
		.name_failures = c->sign_in_name_failures,
		.address_failures = c->sign_in_address_failures,
	};

	app->auth = auth_new(&app->secret, &sessions);
	app->sign_in_gate = sign_in_gate_new(&sign_in, &app->memory);
	return NULL;
}

static void stop_auth(struct app *app)
{
	sign_in_gate_free(app->sign_in_gate);
	auth_free(app->auth);
}

/* ---- files ------------------------------------------------------------------------------------- */

static err_t start_files(struct app *app)
{
	return files_open(app->arena, app->config, app->database_url, &app->content);
}

static void stop_files(struct app *app)
{
	content_close(app->content);
}

/* ---- ingest ------------------------------------------------------------------------------------ */

/* After each commit, from a flusher. */
static void on_news(void *p, const struct ingest_news *news)
{
	struct app *app = p;
	struct jobs_news told = {
		.run_id = news->run_id,
		.project_id = news->project_id,
		.tail_rows = news->tail_rows,
		.tail_bytes = news->tail_bytes,
		.writers = news->writers,
		.ended = news->run_state != RUN_RUNNING,
	};

	if (app->jobs)
		jobs_tell(app->jobs, &told);
	if (app->listeners)
		listeners_wake(app->listeners, news->run_id);
}

static err_t start_ingest(struct app *app)
{
	struct ingest_options options = {
		.flushers = (unsigned)app->config->flushers,
		.queue_limit = (size_t)app->config->queue_limit,
		.database = writing_options(app),
		.news = on_news,
		.news_arg = app,
	};

	return ingest_start(app->arena, &options, &app->ingest);
}

/* Flushers tell jobs and listeners: they end before those, and their memory after. */
static void end_ingest(struct app *app)
{
	ingest_end(app->ingest);
}

static void stop_ingest(struct app *app)
{
	ingest_stop(app->ingest);
}

/* ---- search ------------------------------------------------------------------------------------ */

/* Counted as a whole: it keeps to its part by itself. */
static err_t start_search(struct app *app)
{
	memory_take(&app->memory, MEMORY_SEARCH, (size_t)app->config->search_memory);
	app->search = search_new((size_t)app->config->search_memory);
	return NULL;
}

static void stop_search(struct app *app)
{
	search_free(app->search);
}

/* ---- what happens by itself, and who watches --------------------------------------------------- */

static err_t start_jobs(struct app *app)
{
	struct jobs_options options = {
		.database = database_options(app->config, app->database_url),
		.metrics = ingest_metrics_cache(app->ingest),
		.search = app->search,
		.content = app->content,
		.grace_us = app->config->grace_s * 1000000,
	};

	return jobs_start(app->arena, &options, &app->jobs);
}

static void stop_jobs(struct app *app)
{
	struct jobs *jobs = app->jobs;

	app->jobs = NULL;
	jobs_stop(jobs);
}

static err_t start_listeners(struct app *app)
{
	struct listeners_options options = {
		.database = database_options(app->config, app->database_url),
		.ingest = app->ingest,
		.auth = app->auth,
		.limit = (size_t)app->config->live_listeners,
	};

	if (app->config->live_notify) {
		options.neighbours = database_options(app->config, app->listen_database_url);
		options.neighbours.application_name = "cairnd live";
	}
	return listeners_start(app->arena, &options, &app->listeners);
}

static void stop_listeners(struct app *app)
{
	struct listeners *listeners = app->listeners;

	app->listeners = NULL;
	listeners_stop(listeners);
}

/* ---- HTTP -------------------------------------------------------------------------------------- */

static err_t worker_start(struct app *app, struct arena *a, struct db **ret_db)
{
	struct db_options options = writing_options(app);
	struct db_options reader = database_options(app->config, app->config->read_database_url);
	err_t e;

	options.canceller = reader.canceller = app->canceller;
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
	struct jobs_news told = {
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
	bool writes = q->route->flags & ROUTE_TX;

	e = auth_leave(q, e);
	if (e)
		return e;
	if (writes)
		replica_tell_written(q, db_written(q->db));
	replica_tell_source(q);
	if (q->target && q->target->ended)
		tell_ended(q->app, q->target->ended);
	if (q->method != GET && q->route->access != ACCESS_READ && q->app->jobs)
		jobs_look(q->app->jobs);
	return NULL;
}

static void add_metrics(struct app *app, struct buf *text)
{
	auth_metrics(app->auth, text);
	sign_in_gate_metrics(app->sign_in_gate, text);
	replica_metrics(app->replica, text);
	ingest_metrics(app->ingest, text);
	jobs_metrics(app->jobs, text);
	listeners_metrics(app->listeners, text);
	search_metrics(app->search, text);
	wandb_unknown_metrics(text);
}

static err_t start_http(struct app *app)
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
		.max_body = (size_t)c->max_body,
		.max_upload = (size_t)c->max_file,
		.disk_threads = (unsigned)c->disk_threads,
		.public_url = c->public_url,
		.memory = &app->memory,
		.deadline_ms = (int)c->deadline_ms,
		.idle_timeout_s = (int)c->idle_timeout_s,
		.body_timeout_s = (int)c->body_timeout_s,
		.slowest_bytes_per_s = c->slowest_bytes_per_s,
		.drain_timeout_s = (int)c->drain_timeout_s,
		.routes = wandb_routes_beside(app->arena, api_routes, api_route_count,
					      &route_count),
		.files = web_files,
		.file_count = web_file_count,
		.app = app,
		.hooks = {
			.worker_start = worker_start,
			.worker_stop = worker_stop,
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

/* ---- the wandb SDK's door ------------------------------------------------------------------------ */

static err_t start_wandb(struct app *app)
{
	app->wandb = wandb_door_new();
	return NULL;
}

static void stop_wandb(struct app *app)
{
	wandb_door_free(app->wandb);
}

static void stop_http(struct app *app)
{
	http_server_stop(app->http);
}

/* ---- all of it --------------------------------------------------------------------------------- */

static const struct part parts[] = {
	{ "address", check_address, NULL },
	{ "data directory", start_directory, NULL },
	{ "embedded database", start_embedded, stop_embedded },
	{ "database", start_database, NULL },
	{ "cancelling", start_canceller, stop_canceller },
	{ "replica", start_replica, stop_replica },
	{ "identities", start_auth, stop_auth },
	{ "files", start_files, stop_files },
	{ "ingest", start_ingest, stop_ingest },
	{ "search", start_search, stop_search },
	{ "jobs", start_jobs, stop_jobs },
	{ "listeners", start_listeners, stop_listeners },
	{ "flushing", NULL, end_ingest },
	{ "wandb", start_wandb, stop_wandb },
	{ "http", start_http, stop_http },
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

static void stop_parts(struct app *app, size_t started)
{
	while (started--) {
		log_debug("stopping", LOG_TEXT("part", parts[started].name));
		if (parts[started].stop)
			parts[started].stop(app);
	}
}

static err_t start_parts(struct app *app, size_t *ret_started)
{
	for (size_t i = 0; i < PARTS; i++) {
		err_t e;

		log_debug("starting", LOG_TEXT("part", parts[i].name));
		e = parts[i].start ? parts[i].start(app) : NULL;
		if (e)
			return e;
		*ret_started = i + 1;
	}
	return NULL;
}

/* Blocked in every thread; the main thread takes them. A lost client is an error of write(). */
static void block_signals(sigset_t *ret_set)
{
	sigemptyset(ret_set);
	sigaddset(ret_set, SIGTERM);
	sigaddset(ret_set, SIGINT);
	sigaddset(ret_set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, ret_set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* What is committed is safe and the embedded database ends by itself, so there is nothing to wait
 * for but answers. */
static void leave_at_once(int signal_number)
{
	_exit(128 + signal_number);
}

static void hurry_on_next_signal(void)
{
	sigset_t set;

	signal(SIGTERM, leave_at_once);
	signal(SIGINT, leave_at_once);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* SIGHUP asks for nothing: settings are read at the start, and logs go to standard error. */
static int wait_for_stop(const sigset_t *set)
{
	int number;

	do
		number = sigwaitinfo(set, NULL);
	while (number < 0 || number == SIGHUP);
	return number;
}

err_t serve(struct arena *a, const struct config *config)
{
	struct app app = {
		.config = config,
		.database_url = config->database_url,
		.listen_database_url = config->listen_database_url,
		.arena = a,
	};
	size_t started = 0;
	sigset_t set;
	err_t e;

	memory_init(&app.memory, (size_t)config->memory);
	block_signals(&set);
	log_set((enum log_level)config->log_level, (enum log_format)config->log_format);
	e = start_parts(&app, &started);
	if (!e) {
		log_info("started", LOG_TEXT("version", CAIRN_VERSION));
		log_info("stopping", LOG_INT("signal", wait_for_stop(&set)));
		hurry_on_next_signal();
	}
	stop_parts(&app, started);
	if (!e)
		log_info("stopped");
	return e;
}
