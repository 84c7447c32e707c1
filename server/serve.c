/*
 * The server as a list of parts. Each has a start and a stop; they are started in the order of the
 * table and stopped in reverse, also when one in the middle cannot start.
 */
#include "serve.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "background.h"
#include "config_unknown.h"
#include "http_server.h"
#include "log.h"
#include "serve_lines.h"
#include "serve_parts.h"

struct part {
	const char *name;
	err_t (*start)(struct app *app);
	void (*stop)(struct app *app);
};

static const struct part parts[] = {
	{ "open files", raise_file_limit, NULL },
	{ "address", check_address, NULL },
	{ "data directory", start_directory, NULL },
	{ "embedded database", start_embedded, stop_embedded },
	{ "database", start_database, NULL },
	{ "cancelling", start_canceller, stop_canceller },
	{ "replica", start_replica, stop_replica },
	{ "identities", start_auth, stop_auth },
	{ "files", start_files, stop_files },
	{ "alerts", start_alerts, stop_alerts },
	{ "ingest", start_ingest, stop_ingest },
	{ "search", start_search, stop_search },
	{ "jobs", start_jobs, stop_jobs },
	{ "listeners", start_listeners, stop_listeners },
	{ "flushing", NULL, end_ingest },
	{ "wandb", start_wandb, stop_wandb },
	{ "http", start_http, stop_http },
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]), REFRESH_S = 2 };

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

/* Committed data is safe and the embedded database ends by itself, so only answers are worth
 * waiting for. */
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

/* The TLS certificate is the only setting that is read again: at SIGHUP, and when its files have changed. */
static int wait_for_stop(struct app *app, const sigset_t *set)
{
	const struct timespec period = { .tv_sec = REFRESH_S };

	for (;;) {
		int number = sigtimedwait(set, NULL, &period);

		if (number > 0 && number != SIGHUP)
			return number;
		http_server_refresh(app->http,
				    number == SIGHUP ? TLS_REFRESH_NOW : TLS_REFRESH_IF_CHANGED);
	}
}

static void tell_unknown(struct arena *a)
{
	struct config_unknown *list;
	size_t count = config_list_unknown(a, (const char *const *)environ, &list);

	for (size_t i = 0; i < count; i++)
		log_warning("unknown setting in an environment variable",
			    LOG_TEXT("variable", list[i].variable),
			    LOG_TEXT("nearest", list[i].nearest ? list[i].nearest : "-"));
}

static err_t tell_ready(struct arena *a, const struct app *app)
{
	err_t e = app->options->print_lines ? serve_print_lines(a, app, stdout) : NULL;

	if (!e && app->options->background)
		background_ready(app->options->background);
	return e;
}

err_t serve(struct arena *a, const struct config *config, const struct serve_options *options)
{
	struct app app = {
		.config = config,
		.options = options,
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
	tell_unknown(a);
	e = start_parts(&app, &started);
	if (!e)
		e = tell_ready(a, &app);
	if (!e) {
		log_info("started", LOG_TEXT("version", CAIRN_VERSION));
		log_info("stopping", LOG_INT("signal", wait_for_stop(&app, &set)));
		hurry_on_next_signal();
	}
	stop_parts(&app, started);
	if (!e)
		log_info("stopped");
	return e;
}
