#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credentials.h"
#include "sync.h"

#define LIFE_US 5000000

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

/*
 * The key for a server that only the spool names: that of the login there, and no other, as a spool may be anybody's. NULL with the
 * state and line set.
 */
static char *key_of_login(struct sync_writer *writer)
{
	char *path = credentials_path(), *url = NULL, *key = NULL;
	enum credentials_result result =
		path ? credentials_read(path, writer->identity.url, &url, &key) : CREDENTIALS_NONE;

	free(url);
	if (result == CREDENTIALS_OPEN)
		sync_fail(writer, SYNC_REFUSED,
			  "\"%.200s\" is readable by others: run chmod 600 on it, then try again",
			  path);
	else if (result)
		sync_fail(
			writer, SYNC_REFUSED,
			"the spool names the server %.160s, and there is no login for it: set --url "
			"or CAIRN_URL, or run cairn login",
			writer->identity.url);
	free(path);
	if (!result)
		return key;
	free(key);
	return NULL;
}

/* --url and CAIRN_URL name a server that can be reached from here; else it is the one of the process. */
static bool choose_server(struct sync_writer *writer, struct cairn_options *options,
			  char **ret_login)
{
	const char *set_url = getenv("CAIRN_URL");

	*ret_login = NULL;
	if (options->url || (set_url && set_url[0]) || !writer->identity.url)
		return true;
	*ret_login = key_of_login(writer);
	options->url = writer->identity.url;
	options->api_key = *ret_login;
	return *ret_login != NULL;
}

static bool load_settings(const struct sync *sync, struct sync_writer *writer)
{
	struct cairn_options options = sync->options->server;
	const struct spool_identity *identity = &writer->identity;
	char error[SETTINGS_ERROR_SIZE], *login;
	struct text project = { 0 };
	int result = CAIRN_MEMORY;

	if (!choose_server(writer, &options, &login))
		return false;
	text_format(&project, "%s%s%s", identity->entity ? identity->entity : "",
		    identity->entity ? "/" : "", identity->project);
	options.project = sync->options->project ? sync->options->project : text_c_string(&project);
	snprintf(error, sizeof error, "out of memory");
	if (options.project)
		result = settings_load_server(&options, SETTINGS_KEY_NEEDED, &writer->settings,
					      error);
	text_deinit(&project);
	free(login);
	if (!result && take_identity(&writer->settings, identity))
		return true;
	sync_fail(writer, SYNC_BROKEN, "%s", result ? error : "out of memory");
	return false;
}

/* The mode may have changed since the last pass. */
static bool read_mode(struct sync_writer *writer)
{
	struct spool_identity identity;
	bool is_read = spool_identity_read(writer->folder, &identity, writer->line) ==
		       SPOOL_IDENTITY_OK;

	if (is_read) {
		char *mode = writer->identity.mode;

		writer->identity.mode = identity.mode;
		identity.mode = mode;
	} else {
		writer->state = SYNC_BROKEN;
	}
	spool_identity_deinit(&identity);
	return is_read;
}

bool sync_writer_prepare(const struct sync *sync, struct sync_writer *writer)
{
	enum spool_identity_result result;

	if (writer->is_prepared)
		return read_mode(writer);
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

/* The process goes on: a hint for it and for other syncs; and room on the disk, if that is asked for. That a process is
 * about to be preempted must be known at its end. */
static void leave_hint(const struct sync_worker *worker, struct sync_writer *writer)
{
	const struct sync_feed *feed = &writer->feed;

	sync_note(writer, SYNC_STAGE_NONE);
	if (worker->sync->options->deletes && feed->damages == 0 && !feed->is_preempting &&
	    writer->mark.refused + writer->counts.refused == 0)
		spool_folder_remove_segments(writer->folder, feed->first, 0);
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
	if (*ret_life != SPOOL_DEAD && !sync_heartbeat(worker, writer))
		return false;
	if (!sync_folder_place(writer->folder, &writer->place)) {
		sync_fail(writer, SYNC_BROKEN, "the folder was removed, or cannot be read");
		return false;
	}
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
	if (!writer->feed.has_end && life != SPOOL_DEAD) {
		leave_hint(worker, writer);
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

	if (writer->is_open)
		writer->damages = feed->damages;
	else if (writer->damages && !writer->line[0])
		snprintf(writer->line, sizeof writer->line,
			 "the spool is damaged in %llu places: what can be read was sent",
			 (unsigned long long)writer->damages);
	if (writer->line[0] || !writer->is_open || (!feed->damages && !feed->missing))
		return;
	snprintf(writer->line, sizeof writer->line, "%llu records are missing in the spool%s%.240s",
		 (unsigned long long)feed->missing, feed->damages ? "; " : "", feed->damage);
}

/* Whether all of the folder is on the server, and nothing can be added to it. The folder is read once more, from the
 * beginning: that a process died may have been said by the age of a file alone. */
static bool may_be_removed(struct sync_writer *writer)
{
	uint64_t refused = writer->mark.refused + writer->counts.refused;
	struct sync_survey survey;

	if (refused > 0)
		snprintf(writer->line, sizeof writer->line,
			 "kept: the server rejected %llu of its records or documents",
			 (unsigned long long)refused);
	if (refused > 0 || writer->damages ||
	    !sync_survey(writer->folder, 0, &survey, writer->line))
		return false;
	writer->damages = survey.damages;
	if (survey.damages || survey.lost_records)
		return false;
	if (survey.has_end || sync_folder_is_surely_dead(writer->folder))
		return true;
	snprintf(writer->line, sizeof writer->line,
		 "kept: it has no end, and its process may come back, as it ran on another host or "
		 "before this one was started");
	return false;
}

static void remove_folder(struct sync_writer *writer)
{
	if (!may_be_removed(writer))
		return;
	switch (sync_folder_remove(writer->folder, writer->place)) {
	case SYNC_REMOVED:
		writer->was_deleted = true;
		break;
	case SYNC_REMOVAL_GREW:
		writer->state = SYNC_PARTLY; /* what was added is sent in the next pass */
		close_feed(writer);
		break;
	case SYNC_REMOVAL_FAILED:
		sync_fail(writer, SYNC_DONE, "the folder cannot be deleted, or has other files");
	}
}

void sync_writer_pass(struct sync_worker *worker, struct sync_writer *writer)
{
	writer->state = SYNC_NEW;
	writer->line[0] = '\0';
	writer->ended[0] = '\0';
	retry_reset(&worker->retry);
	writer->damages = 0;
	writer->answered_us = transport_clock_us();
	if (sync_writer_prepare(worker->sync, writer))
		work(worker, writer);
	note_damage(writer);
	if (writer->state == SYNC_DONE && worker->sync->options->deletes)
		remove_folder(writer);
	if (writer->state != SYNC_CURRENT && writer->state != SYNC_PARTLY)
		close_feed(writer);
}
