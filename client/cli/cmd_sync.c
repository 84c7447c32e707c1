/*
 * cairn sync: finds the spools, and has them sent by some threads, while this one looks for new ones, shows progress and
 * waits for signals. A writer that fails costs only itself.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "say.h"
#include "sync.h"
#include "sync_report.h"

#define TICK_MS 200
#define TURN_US 50000     /* others have a turn for so long, */
#define POLL_US 1000000   /* while watching: how often a process that goes on is looked at, */
#define SEARCH_US 2000000 /* how often new writers are looked for, */
#define AGAIN_US 30000000 /* and when one that failed is tried again */
#define PARALLEL 8
#define PARALLEL_MOST 64
#define TIMEOUT_S 60
#define TIMEOUT_MOST_S 86400

const struct cli_option sync_options[] = {
	{ "dry-run", 'n', NULL, "Print what would be sent, and send nothing." },
	{ "watch", 'w', NULL,
	  "Keep sending what the processes write, and find new ones, until interrupted." },
	{ "delete-synced", 'd', NULL,
	  "Delete segments and folders of which the server has everything." },
	{ "parallel", 'j', "N", "Writers that are sent at the same time, 1 to 64 [8]." },
	{ "timeout", 't', "SECONDS",
	  "Seconds to retry while the server is unreachable or overloaded, for each writer [60]." },
	{ "quiet", 'q', NULL, "Print errors only." },
	{ 0 },
};

static bool read_options(const struct cli *cli, struct sync_options *options)
{
	*options = (struct sync_options){ .server = CAIRN_OPTIONS_INIT,
					  .parallel = PARALLEL,
					  .timeout_s = TIMEOUT_S };
	options->server.url = cli_value(cli, "url");
	options->server.api_key_file = cli_value(cli, "key-file");
	options->server.ca_file = cli_value(cli, "ca-file");
	options->project = cli_value(cli, "project");
	options->deletes = cli_has(cli, "delete-synced");
	options->watches = cli_has(cli, "watch");
	options->is_quiet = cli_has(cli, "quiet");
	return cli_int(cli, "parallel", 1, PARALLEL_MOST, &options->parallel) &&
	       cli_int(cli, "timeout", 0, TIMEOUT_MOST_S, &options->timeout_s);
}

/* ---- the table of writers ----------------------------------------------------------------------------- */

static struct sync_writer *find_writer(const struct sync *sync, const char *folder)
{
	for (size_t i = 0; i < sync->count; i++) {
		if (strcmp(sync->writers[i]->folder, folder) == 0)
			return sync->writers[i];
	}
	return NULL;
}

/* NULL without memory. */
static struct sync_writer *add_writer(struct sync *sync, const char *folder)
{
	struct sync_writer **writers =
		realloc(sync->writers, (sync->count + 1) * sizeof(struct sync_writer *));

	if (!writers)
		return NULL;
	sync->writers = writers;
	writers[sync->count] = sync_writer_new(folder);
	return writers[sync->count] ? writers[sync->count++] : NULL;
}

/* One folder by one name, however the paths of the command line lead to it. The lock is held. False without memory. */
static bool take_entry(struct sync *sync, const struct spool_entry *entry)
{
	char *folder = realpath(entry->path, NULL);
	struct sync_writer *writer;

	if (!folder)
		return errno != ENOMEM; /* it was removed since */
	writer = find_writer(sync, folder);
	if (!writer)
		writer = add_writer(sync, folder);
	free(folder);
	if (!writer)
		return false;
	writer->search = sync->search;
	writer->listed_bytes = entry->bytes;
	if (!writer->is_busy && writer->state == SYNC_DONE &&
	    writer->listed_bytes != writer->passed_bytes)
		writer->due_us = 0; /* another process goes on with the folder */
	return true;
}

/* Adds the writers below a path. `error` is the reason why the path, or a folder there, cannot be read, or "". */
static bool search(struct sync *sync, const char *path, char error[static SPOOL_ERROR_SIZE])
{
	struct spool_entries entries;
	bool is_well = true;

	if (!spool_folder_list(path, &entries, error))
		return false;
	pthread_mutex_lock(&sync->lock);
	for (size_t i = 0; is_well && i < entries.count; i++)
		is_well = take_entry(sync, &entries.items[i]);
	pthread_cond_broadcast(&sync->wake);
	pthread_mutex_unlock(&sync->lock);
	if (!is_well)
		snprintf(error, SPOOL_ERROR_SIZE, "out of memory");
	spool_entries_deinit(&entries);
	return is_well;
}

/* Forgets writers whose folders are deleted. */
static void forget_deleted(struct sync *sync)
{
	size_t kept = 0;

	pthread_mutex_lock(&sync->lock);
	for (size_t i = 0; i < sync->count; i++) {
		struct sync_writer *writer = sync->writers[i];

		if (writer->was_deleted && !writer->is_busy && writer->search != sync->search)
			sync_writer_free(writer);
		else
			sync->writers[kept++] = writer;
	}
	sync->count = kept;
	pthread_mutex_unlock(&sync->lock);
}

/* While watching, a path may come later, and what it lacks is said once. */
static bool search_all(struct sync *sync, char *const *paths, int count, bool is_first)
{
	bool is_well = true;

	sync->search++;
	for (int i = 0; i < count; i++) {
		char error[SPOOL_ERROR_SIZE];

		if (search(sync, paths[i], error) && !error[0])
			continue;
		is_well = false;
		if (is_first)
			say("%s", error);
	}
	forget_deleted(sync);
	return is_well;
}

/* ---- the threads -------------------------------------------------------------------------------------- */

/* The next writer that is due; the lock is held. */
static struct sync_writer *find_due(const struct sync *sync)
{
	struct sync_writer *due = NULL;
	int64_t now_us = transport_clock_us();

	for (size_t i = 0; i < sync->count; i++) {
		struct sync_writer *writer = sync->writers[i];

		if (!writer->is_busy && writer->due_us <= now_us &&
		    (!due || writer->due_us < due->due_us))
			due = writer;
	}
	return due;
}

/* Whether a writer waits for its next pass; the lock is held. */
static bool has_more(const struct sync *sync)
{
	for (size_t i = 0; i < sync->count; i++) {
		if (!sync->writers[i]->is_busy && sync->writers[i]->due_us != INT64_MAX)
			return true;
	}
	return false;
}

/* When it has its next pass. */
static int64_t next_due_us(const struct sync *sync, const struct sync_writer *writer)
{
	int64_t now_us = transport_clock_us();

	if (writer->state == SYNC_PARTLY)
		return now_us + TURN_US;
	if (!sync->options->watches || writer->state == SYNC_DONE)
		return INT64_MAX;
	return now_us +
	       (writer->state == SYNC_CURRENT || writer->state == SYNC_LIVE ? POLL_US : AGAIN_US);
}

static void nap(struct sync *sync)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += TURN_US * 1000L;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&sync->wake, &sync->lock, &until);
}

static void *work(void *argument)
{
	struct sync_worker *worker = argument;
	struct sync *sync = worker->sync;

	pthread_mutex_lock(&sync->lock);
	while (!atomic_load(&sync->is_stopping)) {
		struct sync_writer *writer = find_due(sync);

		if (!writer && !sync->options->watches && !has_more(sync))
			break;
		if (!writer) {
			nap(sync);
			continue;
		}
		writer->is_busy = true;
		writer->passed_bytes = writer->listed_bytes;
		pthread_mutex_unlock(&sync->lock);
		sync_writer_pass(worker, writer);
		pthread_mutex_lock(&sync->lock);
		writer->is_busy = false;
		writer->due_us = next_due_us(sync, writer);
		sync_report_writer(sync, writer);
	}
	sync->working--;
	pthread_mutex_unlock(&sync->lock);
	return NULL;
}

static struct sync_worker *start(struct sync *sync)
{
	size_t count = (size_t)sync->options->parallel;
	struct sync_worker *workers = calloc(count, sizeof *workers);

	for (size_t i = 0; workers && i < count; i++) {
		workers[i].sync = sync;
		retry_init(&workers[i].retry, 30000);
		pthread_mutex_lock(&sync->lock);
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0)
			sync->working++;
		else
			workers[i].sync = NULL;
		pthread_mutex_unlock(&sync->lock);
	}
	return workers;
}

/* No request goes on, and none begins. */
static void stop(struct sync *sync, const struct sync_worker *workers)
{
	pthread_mutex_lock(&sync->lock);
	atomic_store(&sync->is_stopping, true);
	for (long i = 0; i < sync->options->parallel; i++) {
		if (workers[i].transport)
			transport_set_deadline(workers[i].transport, 0);
	}
	pthread_cond_broadcast(&sync->wake);
	pthread_mutex_unlock(&sync->lock);
}

static void join_all(const struct sync *sync, struct sync_worker *workers)
{
	for (long i = 0; i < sync->options->parallel; i++) {
		if (workers[i].sync)
			pthread_join(workers[i].thread, NULL);
		sync_worker_deinit(&workers[i]);
	}
	free(workers);
}

/* ---- the main thread ---------------------------------------------------------------------------------- */

static bool is_working(struct sync *sync)
{
	bool working;

	pthread_mutex_lock(&sync->lock);
	working = sync->working > 0;
	pthread_mutex_unlock(&sync->lock);
	return working;
}

/* Until all is sent, or a signal; returns its number, or 0. */
static int oversee(struct sync *sync, const struct sync_worker *workers, char *const *paths,
		   int count, const sigset_t *signals)
{
	const struct timespec tick = { .tv_nsec = TICK_MS * 1000000L };
	int64_t searched_us = transport_clock_us();
	int number = 0;

	while (is_working(sync)) {
		int found = sigtimedwait(signals, NULL, &tick);

		if (found > 0 && !number) {
			number = found;
			stop(sync, workers);
		}
		if (sync->options->watches && transport_clock_us() - searched_us > SEARCH_US) {
			searched_us = transport_clock_us();
			search_all(sync, paths, count, false);
		}
		sync_report_progress(sync);
	}
	sync_report_clear(sync);
	return number;
}

static int send_all(struct sync *sync, char *const *paths, int count)
{
	struct sync_worker *workers;
	sigset_t signals;
	int number;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	workers = start(sync);
	if (!workers) {
		say("out of memory");
		return EXIT_REFUSED;
	}
	number = oversee(sync, workers, paths, count, &signals);
	join_all(sync, workers);
	if (number && !sync->options->watches)
		say("interrupted; run cairn sync again to send the rest");
	return sync_report_end(sync);
}

static void free_all(struct sync *sync)
{
	for (size_t i = 0; i < sync->count; i++)
		sync_writer_free(sync->writers[i]);
	free(sync->writers);
}

static int sync_paths(const struct cli *cli, const struct sync_options *options, char *const *paths,
		      int count)
{
	struct sync sync = { .options = options };
	bool is_well;
	int result;

	pthread_mutex_init(&sync.lock, NULL);
	pthread_cond_init(&sync.wake, NULL);
	atomic_init(&sync.is_stopping, false);
	is_well = search_all(&sync, paths, count, true);
	if (!is_well && sync.count == 0 && !options->watches)
		result = EXIT_REFUSED;
	else if (cli_has(cli, "dry-run"))
		result = sync_report_dry(&sync);
	else
		result = send_all(&sync, paths, count);
	free_all(&sync);
	return result == EXIT_DONE && !is_well && !options->watches ? EXIT_REFUSED : result;
}

int command_sync(struct cli *cli)
{
	struct sync_options options;
	char *standard = NULL;
	int result;

	if (!read_options(cli, &options))
		return EXIT_USAGE;
	if (cli->argc > 0)
		return sync_paths(cli, &options, cli->argv, cli->argc);
	standard = spool_folder_default();
	if (!standard) {
		say("out of memory");
		return EXIT_REFUSED;
	}
	if (access(standard, F_OK) != 0 && errno == ENOENT && !options.watches) {
		if (!options.is_quiet)
			say("there is no spool: \"%s\" does not exist", standard);
		result = EXIT_DONE;
	} else {
		result = sync_paths(cli, &options, &standard, 1);
	}
	free(standard);
	return result;
}
