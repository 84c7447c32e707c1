#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include "sync.h"

#define LIFE_US 5000000
#define HINT_OPEN (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

void sync_fail(struct sync_writer *writer, enum sync_state state, const char *format, ...)
{
	va_list args;

	writer->state = state;
	va_start(args, format);
	vsnprintf(writer->line, sizeof writer->line, format, args);
	va_end(args);
}

struct sync_writer *sync_writer_new(const char *folder)
{
	struct sync_writer *writer = calloc(1, sizeof *writer);

	if (!writer)
		return NULL;
	writer->folder = strdup(folder);
	if (writer->folder)
		return writer;
	free(writer);
	return NULL;
}

/* The session ends: what is read ahead is read again in the next pass. */
static void close_feed(struct sync_writer *writer)
{
	if (writer->is_open)
		sync_feed_close(&writer->feed);
	writer->is_open = false;
	writer->session = 0;
}

void sync_writer_free(struct sync_writer *writer)
{
	if (!writer)
		return;
	close_feed(writer);
	spool_identity_deinit(&writer->identity);
	settings_deinit(&writer->settings);
	free(writer->entity);
	free(writer->folder);
	free(writer);
}

void sync_worker_deinit(struct sync_worker *worker)
{
	transport_free(worker->transport);
	settings_deinit(&worker->server);
	batch_deinit(&worker->batch);
	text_deinit(&worker->response.body);
	text_deinit(&worker->path);
	text_deinit(&worker->body);
	text_deinit(&worker->summary);
}

/* Replaces what the environment says of this process by what the spool says of its writer. */
static bool set(char **member, const char *value)
{
	free(*member);
	*member = value ? strdup(value) : NULL;
	return *member || !value;
}

static bool take_identity(struct settings *settings, const struct spool_identity *identity)
{
	bool is_worker = identity->role && strcmp(identity->role, "worker") == 0;

	settings->role = is_worker ? CAIRN_WORKER : CAIRN_PRIMARY;
	return set(&settings->run_id, identity->run) &&
	       set(&settings->client_id, identity->client) &&
	       set(&settings->label, identity->label) && set(&settings->parent, identity->parent) &&
	       set(&settings->display_name, identity->display_name) &&
	       set(&settings->group, identity->group) &&
	       set(&settings->job_type, identity->job_type) &&
	       set(&settings->tags, identity->tags) && set(&settings->notes, identity->notes);
}

/* --url and CAIRN_URL name a server that can be reached from here; else it is the one of the process. */
static bool load_settings(const struct sync *sync, struct sync_writer *writer)
{
	struct cairn_options options = sync->options->server;
	const struct spool_identity *identity = &writer->identity;
	const char *set_url = getenv("CAIRN_URL");
	char error[SETTINGS_ERROR_SIZE];
	struct text project = { 0 };
	int result = CAIRN_MEMORY;

	if (!options.url && !(set_url && set_url[0]))
		options.url = identity->url;
	text_format(&project, "%s%s%s", identity->entity ? identity->entity : "",
		    identity->entity ? "/" : "", identity->project);
	options.project = sync->options->project ? sync->options->project : text_c_string(&project);
	snprintf(error, sizeof error, "out of memory");
	if (options.project)
		result = settings_load_server(&options, SETTINGS_KEY_NEEDED, &writer->settings,
					      error);
	text_deinit(&project);
	if (!result && take_identity(&writer->settings, identity))
		return true;
	sync_fail(writer, SYNC_BROKEN, "%s", result ? error : "out of memory");
	return false;
}

bool sync_writer_prepare(const struct sync *sync, struct sync_writer *writer)
{
	enum spool_identity_result result;

	if (writer->is_prepared)
		return true;
	spool_identity_deinit(&writer->identity);
	settings_deinit(&writer->settings);
	result = spool_identity_read(writer->folder, &writer->identity, writer->line);
	if (result != SPOOL_IDENTITY_OK) {
		writer->state = SYNC_BROKEN;
		return false;
	}
	writer->is_prepared = load_settings(sync, writer);
	return writer->is_prepared;
}

static bool is_offline(const struct sync_writer *writer)
{
	return writer->identity.mode && strcmp(writer->identity.mode, "offline") == 0;
}

/* A hint for the process and for other syncs; and room on the disk, if that is asked for. */
static void leave_hint(struct sync_worker *worker, struct sync_writer *writer)
{
	int folder_fd;

	if (!writer->is_open)
		return;
	folder_fd = open(writer->folder, HINT_OPEN);
	if (folder_fd < 0)
		return;
	spool_folder_note_sent(folder_fd, writer->feed.first);
	close(folder_fd);
	if (worker->sync->options->deletes && writer->feed.damages == 0)
		spool_folder_remove_segments(writer->folder, writer->feed.first, 0);
}

/* Whether the process lives. To find that out for another host, a file is made: while watching, not each time. */
static enum spool_life life_of(const struct sync_worker *worker, struct sync_writer *writer)
{
	int64_t now_us = transport_clock_us();

	if (worker->sync->options->watches && writer->life_us && now_us - writer->life_us < LIFE_US)
		return writer->life;
	writer->life_us = now_us;
	writer->life = spool_folder_life(writer->folder);
	return writer->life;
}

/* Sends until the spool ends. A process that dies in between may have written more before: it is read once again. */
static bool send_to_end(struct sync_worker *worker, struct sync_writer *writer,
			enum spool_life *ret_life)
{
	if (!sync_send(worker, writer))
		return false;
	*ret_life = life_of(worker, writer);
	if (*ret_life != SPOOL_DEAD)
		return sync_heartbeat(worker, writer);
	return sync_send(worker, writer);
}

static void work(struct sync_worker *worker, struct sync_writer *writer)
{
	enum spool_life life = SPOOL_UNKNOWN;

	if (!is_offline(writer) && life_of(worker, writer) != SPOOL_DEAD) {
		sync_fail(writer, SYNC_LIVE, "its process still runs and sends it itself");
		return;
	}
	if (!writer->session && !sync_join(worker, writer))
		return;
	if (!send_to_end(worker, writer, &life))
		return;
	leave_hint(worker, writer);
	if (!writer->feed.has_end && life != SPOOL_DEAD) {
		writer->state = SYNC_CURRENT;
		return;
	}
	if (sync_finish(worker, writer))
		writer->state = SYNC_DONE;
}

/* Damage is reported with the state: what could be read is sent. */
static void note_damage(struct sync_writer *writer)
{
	const struct sync_feed *feed = &writer->feed;

	writer->damages = writer->is_open ? feed->damages : 0;
	if (writer->line[0] || !writer->is_open || (!feed->damages && !feed->missing))
		return;
	snprintf(writer->line, sizeof writer->line, "%llu records are missing in the spool%s%.240s",
		 (unsigned long long)feed->missing, feed->damages ? "; " : "", feed->damage);
}

void sync_writer_pass(struct sync_worker *worker, struct sync_writer *writer)
{
	writer->state = SYNC_NEW;
	writer->line[0] = '\0';
	writer->ended[0] = '\0';
	retry_reset(&worker->retry);
	writer->answered_us = transport_clock_us();
	if (sync_writer_prepare(worker->sync, writer))
		work(worker, writer);
	note_damage(writer);
	if (writer->state == SYNC_DONE && !writer->damages && worker->sync->options->deletes)
		writer->was_deleted = spool_folder_remove(writer->folder);
	if (writer->state != SYNC_CURRENT && writer->state != SYNC_PARTLY)
		close_feed(writer);
}
