/*
 * A host program under remote control: reads commands from standard input, one a line, and answers
 * each with one line of JSON. The tests drive libcairn through it.
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cairn.h"

static struct cairn_run *run;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The text without what would end a JSON string. */
static const char *harmless(char *text)
{
	for (char *p = text; *p; p++)
		*p = *p == '"' || *p == '\\' ? '\'' : *p;
	return text;
}

static void answer(int result)
{
	printf("{\"result\":\"%s\"}\n", cairn_result_name(result));
	fflush(stdout);
}

static void command_start(const char *arguments)
{
	char error[400];
	int result;

	(void)arguments;
	result = cairn_run_start(NULL, &run);
	cairn_last_error(NULL, error, sizeof error);
	printf("{\"result\":\"%s\",\"run\":\"%s\",\"client\":\"%s\",\"label\":\"%s\",\"error\":\"%s\"}\n",
	       cairn_result_name(result), cairn_run_id(run), cairn_client_id(run), cairn_label(run),
	       error[0] ? "set" : "");
	fflush(stdout);
}

/* log FIRST COUNT: rows with n = FIRST ...; the last result that was not "ok" is told */
static void command_log(const char *arguments)
{
	long first = 0, count = 0, kept = 0;
	int result = CAIRN_OK;

	sscanf(arguments, "%ld %ld", &first, &count);
	for (long i = first; i < first + count; i++) {
		int now = CAIRN_LOG(run, { "n", i }, { "half", (double)i / 2 },
				    { "train/loss", 0.1 });
		if (now != CAIRN_OK)
			result = now;
		else
			kept++;
	}
	printf("{\"result\":\"%s\",\"kept\":%ld}\n", cairn_result_name(result), kept);
	fflush(stdout);
}

/* wide FIRST COUNT KEYS: rows of many values */
static void command_wide(const char *arguments)
{
	long first = 0, count = 0, keys = 0, kept = 0;
	struct cairn_metric *metrics;
	int result = CAIRN_OK;

	sscanf(arguments, "%ld %ld %ld", &first, &count, &keys);
	metrics = calloc((size_t)keys + 1, sizeof *metrics);
	for (long k = 0; k <= keys; k++) {
		char *name = malloc(32);
		snprintf(name, 32, k ? "key_%ld" : "n", k);
		metrics[k] = (struct cairn_metric){ name, (double)k / 7 };
	}
	for (long i = first; i < first + count; i++) {
		int now;

		metrics[0].value = (double)i;
		now = cairn_log(run, (size_t)keys + 1, metrics);
		if (now != CAIRN_OK)
			result = now;
		else
			kept++;
	}
	for (long k = 0; k <= keys; k++)
		free((void *)(uintptr_t)metrics[k].name);
	free(metrics);
	printf("{\"result\":\"%s\",\"kept\":%ld}\n", cairn_result_name(result), kept);
	fflush(stdout);
}

static void *log_thread(void *argument)
{
	long thread = (long)argument;

	for (long i = 0; i < 2000; i++)
		CAIRN_LOG(run, { "thread", thread }, { "n", i });
	return NULL;
}

/* threads COUNT: 2000 rows from each of them at the same time */
static void command_threads(const char *arguments)
{
	pthread_t threads[64];
	long count = strtol(arguments, NULL, 10);

	for (long i = 0; i < count && i < 64; i++)
		pthread_create(&threads[i], NULL, log_thread, (void *)i);
	for (long i = 0; i < count && i < 64; i++)
		pthread_join(threads[i], NULL);
	answer(CAIRN_OK);
}

/* Why a child failed, for its parent to tell. */
static int blame(int fd, const char *what, int result, const char *error)
{
	dprintf(fd, "%s: %s: %s; ", what, cairn_result_name(result), error);
	return 1;
}

/* A forked child: finds its copy dead, starts a run of its own as a worker, logs and finishes. */
static int be_child(int fd)
{
	struct cairn_options options = CAIRN_OPTIONS_INIT;
	struct cairn_report report;
	struct cairn_run *own;
	char error[400];
	int result = CAIRN_LOG(run, { "n", 1 });

	if (result != CAIRN_FORKED || cairn_finish(run, 0, 1000, NULL) != CAIRN_FORKED)
		return blame(fd, "its copy of the run is not dead", result, "");
	options.run_id = cairn_run_id(run);
	options.role = CAIRN_WORKER;
	options.label = "child";
	result = cairn_run_start(&options, &own);
	cairn_last_error(NULL, error, sizeof error);
	if (result != CAIRN_OK)
		return blame(fd, "start", result, error);
	CAIRN_LOG(own, { "child", 1 });
	result = cairn_finish(own, 0, 120000, &report);
	if (result != CAIRN_OK)
		return blame(fd, "finish", result, report.error);
	cairn_run_free(own);
	return 0;
}

/* fork COUNT: as many children, one after another, while this process logs */
static void command_fork(const char *arguments)
{
	long count = strtol(arguments, NULL, 10), bad = 0;
	char why[1000] = "";
	int ends[2];

	if (pipe(ends) != 0)
		abort();
	for (long i = 0; i < count; i++) {
		int status = 0;
		pid_t pid;

		for (int k = 0; k < 2000 && count > 1; k++)
			CAIRN_LOG(run, { "filler", k });
		pid = fork();
		if (pid == 0)
			_exit(be_child(ends[1]));
		waitpid(pid, &status, 0);
		bad += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	}
	close(ends[1]);
	if (read(ends[0], why, sizeof why - 1) < 0)
		abort();
	close(ends[0]);
	printf("{\"result\":\"ok\",\"bad\":%ld,\"why\":\"%s\"}\n", bad, harmless(why));
	fflush(stdout);
}

static void command_finish(const char *arguments)
{
	struct cairn_report report;
	int exit_code = 0, timeout_ms = 10000, result;
	double start = now_s();

	sscanf(arguments, "%d %d", &exit_code, &timeout_ms);
	result = cairn_finish(run, exit_code, timeout_ms, &report);
	printf("{\"result\":\"%s\",\"seconds\":%.3f,\"history_unsent\":%" PRIu64
	       ",\"events_unsent\":%" PRIu64 ",\"console_unsent\":%" PRIu64
	       ",\"history_lost\":%" PRIu64 ",\"console_lost\":%" PRIu64
	       ",\"alerts_unsent\":%" PRIu64
	       ",\"documents_unsent\":%d,\"end_unsent\":%d,\"has_error\":%d"
	       ",\"history_spooled\":%" PRIu64 ",\"console_spooled\":%" PRIu64
	       ",\"alerts_spooled\":%" PRIu64 ",\"end_spooled\":%d,\"spool\":\"%s\"}\n",
	       cairn_result_name(result), now_s() - start, report.history_unsent,
	       report.events_unsent, report.console_unsent, report.history_lost,
	       report.console_lost, report.alerts_unsent, report.documents_unsent,
	       report.end_unsent, report.error[0] != '\0', report.history_spooled,
	       report.console_spooled, report.alerts_spooled, report.end_spooled, report.spool);
	fflush(stdout);
}

static void command_stats(const char *arguments)
{
	struct cairn_stats stats;
	char error[300];

	(void)arguments;
	cairn_stats(run, &stats);
	cairn_last_error(run, error, sizeof error);
	printf("{\"accepted\":%" PRIu64 ",\"stored\":%" PRIu64 ",\"dropped\":%" PRIu64
	       ",\"refused\":%" PRIu64 ",\"queued\":%" PRIu64 ",\"batches\":%" PRIu64
	       ",\"retries\":%" PRIu64 ",\"joins\":%" PRIu64 ",\"buffer_bytes\":%" PRIu64
	       ",\"joined\":%d,\"stop\":%d,\"error\":\"%s\"}\n",
	       stats.history.accepted, stats.history.stored, stats.history.dropped,
	       stats.history.refused, stats.history.queued, stats.batches, stats.retries,
	       stats.joins, stats.buffer_bytes, stats.joined, cairn_should_stop(run),
	       harmless(error));
	fflush(stdout);
}

static void command_url(const char *arguments)
{
	char url[300];
	size_t length = cairn_run_url(run, url, sizeof url);

	(void)arguments;
	printf("{\"url\":\"%s\",\"length\":%zu}\n", url, length);
	fflush(stdout);
}

static void command_json(const char *arguments)
{
	answer(cairn_log_json(run, arguments));
}

static void command_config(const char *arguments)
{
	answer(cairn_config_json(run, arguments));
}

static void command_summary(const char *arguments)
{
	answer(cairn_summary_json(run, arguments));
}

/* console HEX: these bytes, to standard output */
static void command_console(const char *arguments)
{
	size_t length = strlen(arguments) / 2;
	char *bytes = malloc(length + 1);

	for (size_t i = 0; i < length; i++) {
		unsigned value = 0;
		sscanf(arguments + 2 * i, "%2x", &value);
		bytes[i] = (char)value;
	}
	answer(cairn_console(run, CAIRN_STDOUT, bytes, length));
	free(bytes);
}

/* alert TITLE: a warning without a text */
static void command_alert(const char *arguments)
{
	answer(cairn_alert(run, CAIRN_ALERT_WARN, arguments, NULL));
}

/* log_artifact NAME PATH [TIMEOUT_MS]: as a model with the alias "best" */
static void command_log_artifact(const char *arguments)
{
	static const char *const aliases[] = { "best", NULL };
	struct cairn_artifact artifact = CAIRN_ARTIFACT_INIT;
	char name[100], path[1000], version[16] = "";
	int result, timeout_ms = 120000;

	sscanf(arguments, "%99s %999s %d", name, path, &timeout_ms);
	artifact.name = name;
	artifact.type = "model";
	artifact.aliases = aliases;
	artifact.metadata_json = "{\"lr\": 0.1}";
	result = cairn_log_artifact(run, path, &artifact, timeout_ms, version);
	printf("{\"result\":\"%s\",\"version\":\"%s\"}\n", cairn_result_name(result), version);
	fflush(stdout);
}

/* use_artifact NAME [FOLDER [TIMEOUT_MS]] */
static void command_use_artifact(const char *arguments)
{
	char name[1000], folder[1000];
	int timeout_ms = 120000;
	int given = sscanf(arguments, "%999s %999s %d", name, folder, &timeout_ms);

	answer(cairn_use_artifact(run, name, given > 1 ? folder : NULL, timeout_ms));
}

static void command_flush(const char *arguments)
{
	answer(cairn_flush(run, (int)strtol(arguments, NULL, 10)));
}

static void command_joined(const char *arguments)
{
	answer(cairn_wait_joined(run, (int)strtol(arguments, NULL, 10)));
}

static void command_free(const char *arguments)
{
	(void)arguments;
	cairn_run_free(run);
	run = NULL;
	answer(CAIRN_OK);
}

static void command_exit(const char *arguments)
{
	exit((int)strtol(arguments, NULL, 10));
}

/* die: as kill -9 does it */
static void command_die(const char *arguments)
{
	(void)arguments;
	raise(SIGKILL);
}

static const struct command {
	const char *name;
	void (*call)(const char *arguments);
} commands[] = {
	{ "start", command_start },
	{ "log", command_log },
	{ "wide", command_wide },
	{ "threads", command_threads },
	{ "fork", command_fork },
	{ "finish", command_finish },
	{ "stats", command_stats },
	{ "url", command_url },
	{ "json", command_json },
	{ "config", command_config },
	{ "summary", command_summary },
	{ "console", command_console },
	{ "flush", command_flush },
	{ "joined", command_joined },
	{ "free", command_free },
	{ "exit", command_exit },
	{ "die", command_die },
	{ "alert", command_alert },
	{ "log_artifact", command_log_artifact },
	{ "use_artifact", command_use_artifact },
};

static void handle(char *line)
{
	char *arguments = strchr(line, ' ');

	if (arguments)
		*arguments++ = '\0';
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		if (strcmp(commands[i].name, line) == 0) {
			commands[i].call(arguments ? arguments : "");
			return;
		}
	}
	answer(CAIRN_INVALID);
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while ((length = getline(&line, &size, stdin)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		handle(line);
	}
	free(line);
	return 0;
}
