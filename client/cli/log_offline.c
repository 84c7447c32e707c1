#include "log_offline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "names.h"
#include "random_id.h"
#include "record.h"
#include "run.h"
#include "say.h"
#include "settings.h"
#include "spool_folder.h"
#include "spool_writer.h"

#define BUSY_NS 5000000L /* until another process has written its row */
#define LEFT_US 3000000  /* a row that is half written for so long is what a kill left */
#define CLIENT "log."

enum log_mode log_mode(void)
{
	const struct cairn_options options = CAIRN_OPTIONS_INIT;
	char error[SETTINGS_ERROR_SIZE];
	enum settings_mode mode;

	if (settings_load_mode(&options, &mode, error)) {
		say("%s", error);
		return LOG_INVALID;
	}
	if (mode == MODE_OFFLINE)
		return LOG_OFFLINE;
	return mode == MODE_DISABLED ? LOG_DISABLED : LOG_ONLINE;
}

/* Letters that a client id may have. */
static void describe_host(char *host, size_t size)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

	if (gethostname(host, size - 1) != 0 || !host[0])
		snprintf(host, size, "host");
	host[strspn(host, letters)] = '\0';
}

/* "RUN", "PROJECT/RUN" or "ENTITY/PROJECT/RUN" */
static bool read_run(const struct cli *cli, char *name, size_t size, struct cairn_options *options)
{
	const char *given = cli_value(cli, "run");
	char *slash;

	options->project = cli_value(cli, "project");
	if (!given)
		given = getenv("CAIRN_RUN");
	if (!given || !given[0] || (size_t)snprintf(name, size, "%s", given) >= size) {
		say("no run given: name it or set CAIRN_RUN");
		return false;
	}
	slash = strrchr(name, '/');
	if (slash) {
		*slash = '\0';
		options->project = name;
	}
	options->run_id = slash ? slash + 1 : name;
	return true;
}

static bool add_row(struct spool_writer *writer, const struct text *row)
{
	size_t size = record_text_size(row->length);
	struct record *record = calloc(1, size);
	bool is_added;

	if (!record)
		return false;
	record_put_text(record, size, row->data, row->length);
	record->kind = RECORD_HISTORY;
	record->form = RECORD_JSON;
	record->flags = RECORD_HAS_TIME;
	record->number = RECORD_NO_STEP;
	record->time_us = run_wall_clock_us();
	is_added = spool_writer_add(writer, SPOOL_RECORD, NULL, 0, record, size);
	free(record);
	return is_added;
}

static struct spool_writer *open_stream(const struct settings *settings,
					const struct spool_identity *identity, char *stream,
					char *error)
{
	const struct spool_limits limits = { .max_bytes = settings->spool.max_bytes,
					     .reserve_part = settings->spool.reserve_part,
					     .reserve_bytes = settings->spool.reserve_bytes };
	struct spool_identity own = *identity;

	own.stream = stream;
	return spool_writer_open(settings->spool.path, &own, &limits, error);
}

/* Goes on with the stream that earlier calls left, unless there is nothing in it: `cairn sync` may have deleted the folder
 * since it was found, and a stream never begins again. */
static struct spool_writer *open_writer(const struct settings *settings,
					const struct spool_identity *identity, char *error)
{
	char name[SPOOL_NAME_SIZE], stream[SPOOL_STREAM_SIZE];
	struct spool_writer *writer;

	if (spool_folder_find(settings->spool.path, identity, name)) {
		writer = open_stream(settings, identity, strrchr(name, '.') + 1, error);
		if (!writer || spool_writer_record(writer) > 0 ||
		    spool_writer_is_unfinished(writer))
			return writer;
		spool_writer_close(writer);
	}
	random_id(stream, sizeof stream - 1);
	return open_stream(settings, identity, stream, error);
}

enum attempt { ATTEMPT_DONE, ATTEMPT_BUSY, ATTEMPT_FAILED };

/* The half row at the end of the spool. */
struct half {
	uint64_t bytes;   /* of the spool with it */
	int64_t since_us; /* when it was first seen like that */
};

static bool is_being_written(const struct spool_writer *writer, struct half *half)
{
	int64_t now_us = transport_clock_us();

	if (!spool_writer_is_unfinished(writer))
		return false;
	if (half->since_us == 0 || half->bytes != spool_writer_bytes(writer))
		*half = (struct half){ spool_writer_bytes(writer), now_us };
	return now_us - half->since_us < LEFT_US;
}

static enum attempt attempt(const struct settings *settings, const struct spool_identity *identity,
			    const struct text *row, struct half *half, char *error)
{
	struct spool_writer *writer = open_writer(settings, identity, error);
	enum attempt result = ATTEMPT_FAILED;

	if (!writer)
		return ATTEMPT_FAILED;
	if (is_being_written(writer, half))
		result = ATTEMPT_BUSY;
	else if (!add_row(writer, row))
		snprintf(error, SPOOL_ERROR_SIZE, "out of memory");
	else if (spool_writer_write(writer, error) == SPOOL_OK)
		result = spool_writer_sync(writer, error) ? ATTEMPT_FAILED : ATTEMPT_DONE;
	else if (spool_writer_was_overtaken(writer) || access(spool_writer_folder(writer), F_OK))
		result = ATTEMPT_BUSY; /* or `cairn sync` deleted the folder just now */
	spool_writer_close(writer);
	return result;
}

static int write_row(const struct settings *settings, const struct text *row, int64_t deadline_us)
{
	static char role[] = "worker", mode[] = "offline", version[] = "cairn " CAIRN_VERSION;
	const struct timespec pause = { .tv_nsec = BUSY_NS };
	char host[60], error[SPOOL_ERROR_SIZE];
	const struct spool_identity identity = {
		.url = settings->url,
		.entity = settings->entity,
		.project = settings->project,
		.run = settings->run_id,
		.client = settings->client_id,
		.label = settings->label,
		.role = role,
		.parent = settings->parent,
		.host = host,
		.pid = getpid(),
		.started_at_us = run_wall_clock_us(),
		.mode = mode,
		.client_version = version,
	};
	struct half half = { 0 };
	enum attempt result;

	describe_host(host, sizeof host);
	while ((result = attempt(settings, &identity, row, &half, error)) == ATTEMPT_BUSY &&
	       transport_clock_us() < deadline_us)
		nanosleep(&pause, NULL);
	if (result == ATTEMPT_DONE)
		return EXIT_DONE;
	say("%s", result == ATTEMPT_BUSY ? "another process writes to the spool of this run: try "
					   "again later"
					 : error);
	return EXIT_REFUSED;
}

int log_offline(const struct cli *cli, const struct text *row, int64_t deadline_us)
{
	char name[NAMES_RUN_MAX + NAMES_PROJECT_MAX + NAMES_ENTITY_MAX + 3], host[60];
	char client[SETTINGS_CLIENT_ID_MAX + 1], label[SETTINGS_LABEL_MAX + 1];
	struct cairn_options options = CAIRN_OPTIONS_INIT;
	char error[SETTINGS_ERROR_SIZE];
	struct settings settings;
	int result;

	if (!read_run(cli, name, sizeof name, &options))
		return EXIT_USAGE;
	describe_host(host, sizeof host);
	snprintf(client, sizeof client, CLIENT "%.60s", host);
	snprintf(label, sizeof label, "cairn log on %.60s", host);
	options.client_id = client;
	options.label = label;
	result = settings_load(&options, &settings, error) ? EXIT_USAGE : EXIT_DONE;
	if (result)
		say("%s", error);
	else
		result = write_row(&settings, row, deadline_us);
	settings_deinit(&settings);
	return result;
}
