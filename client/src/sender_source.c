/*
 * The origin of the next records. The spool holds older ones than memory, so it goes first: pieces of it
 * are read into a backlog of the sender's own, from which batches are built as from that of the run.
 *
 * Frames of documents and alerts are passed over: the run has them in memory as long as it lives. Drops are told where
 * they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sender.h"

#define REPLAY_BYTES (2 * 1024 * 1024) /* no record is read beyond this */

void sender_source_deinit(struct sender *s)
{
	spool_reader_close(s->reader);
	s->reader = NULL;
	backlog_deinit(&s->replay);
	backlog_init(&s->replay, SIZE_MAX);
}

/* All before the server's count is confirmed, on disk and in memory: `cairn sync` may have sent some of it. */
void sender_take_records(struct sender *s, struct json join)
{
	struct cairn_run *run = s->run;
	int64_t records;
	uint64_t end;

	s->knows_records = !s->is_streamless && json_int(json_member(join, "records"), &records) &&
			   records >= 0;
	if (!s->knows_records)
		return;
	pthread_mutex_lock(&run->lock);
	end = unsent_end(run);
	pthread_mutex_unlock(&run->lock);
	if ((uint64_t)records <= end)
		s->known = (uint64_t)records;
	else
		sender_note(s, "the server counts more records than this process has logged");
}

/* ---- from disk ---------------------------------------------------------------------------------------- */

static bool open_reader(struct sender *s, uint64_t first)
{
	char error[SPOOL_ERROR_SIZE], *folder;

	if (s->reader)
		return true;
	pthread_mutex_lock(&s->run->lock);
	folder = s->run->spool.folder ? strdup(s->run->spool.folder) : NULL;
	pthread_mutex_unlock(&s->run->lock);
	snprintf(error, sizeof error, "out of memory");
	if (folder)
		s->reader = spool_reader_open(folder, first, error);
	free(folder);
	if (!s->reader)
		sender_note(s, error);
	return s->reader != NULL;
}

/* Records before this index are lost or were sent. */
static void go_to(struct sender *s, uint64_t index)
{
	pthread_mutex_lock(&s->run->lock);
	if (index > s->run->sent)
		s->run->sent = index;
	pthread_mutex_unlock(&s->run->lock);
}

static bool take_record(struct sender *s, const struct spool_frame *frame, uint64_t first)
{
	void *room;

	if (frame->record < first)
		return true;
	if (s->replay.queued == 0 && frame->record > first)
		go_to(s, frame->record);
	if (backlog_append(&s->replay, frame->length, &room))
		return false;
	memcpy(room, frame->payload, frame->length);
	return true;
}

static void take_drops(struct sender *s, const struct spool_frame *frame)
{
	struct spool_drop drop;

	if (!spool_read_drop(frame, &drop))
		return;
	pthread_mutex_lock(&s->run->lock);
	for (int i = 0; i < RECORD_KINDS; i++) {
		uint64_t *on_disk = &s->run->counts[i].drops_on_disk;

		*on_disk -= drop.counts[i] < *on_disk ? drop.counts[i] : *on_disk;
	}
	pthread_mutex_unlock(&s->run->lock);
}

static void note_damage(struct sender *s)
{
	char line[SPOOL_ERROR_SIZE];

	spool_reader_describe_damage(s->reader, line);
	sender_note(s, line);
	s->has_damage |= spool_reader_damage(s->reader)->records > 0;
}

/* The files end before the records do: somebody removed or cut them. */
static void note_missing(struct sender *s, uint64_t end)
{
	sender_note(s, "the spool was changed by something else: records in it are lost");
	s->has_damage = true;
	if (s->replay.queued == 0)
		go_to(s, end);
}

/* The next piece of the records from `first` to `end`; they are consecutive. False to try again later. */
static bool load(struct sender *s, uint64_t first, uint64_t end)
{
	char error[SPOOL_ERROR_SIZE];
	struct spool_frame frame;

	while (s->replay.queued < REPLAY_BYTES && spool_reader_record(s->reader) < end) {
		switch (spool_reader_next(s->reader, &frame, error)) {
		case SPOOL_READ_FRAME:
			if (frame.type == SPOOL_DROP)
				take_drops(s, &frame);
			if (frame.as_record && !take_record(s, &frame, first))
				return false;
			break;
		case SPOOL_READ_DAMAGE:
			note_damage(s);
			if (s->replay.queued > 0)
				return true;
			break;
		case SPOOL_READ_END:
			note_missing(s, end);
			return true;
		case SPOOL_READ_FAILED:
			sender_note(s, error);
			return s->replay.queued > 0;
		}
	}
	if (s->replay.queued == 0)
		go_to(s, end);
	return true;
}

static bool find_on_disk(struct sender *s, uint64_t first, uint64_t end,
			 struct sender_source *ret_source)
{
	if (s->replay.queued == 0 && (!open_reader(s, first) || !load(s, first, end)))
		return false;
	pthread_mutex_lock(&s->run->lock);
	*ret_source = (struct sender_source){ .backlog = &s->replay,
					      .is_from_disk = true,
					      .has_records = s->replay.queued > 0,
					      .first = s->run->sent };
	pthread_mutex_unlock(&s->run->lock);
	return true;
}

/* ---- from memory -------------------------------------------------------------------------------------- */

/* All of the disk is sent: goes on in memory. The lock is held. */
static void leave_disk(struct sender *s)
{
	bool was_there = s->reader != NULL;

	if (was_there)
		sender_source_deinit(s);
	unsent_end_disk(s->run, s->has_damage);
	s->has_damage = false;
	for (int i = 0; i < RECORD_KINDS; i++)
		s->run->counts[i].drops_on_disk = 0;
	if (!was_there)
		return;
	pthread_cond_broadcast(&s->run->changed);
	pthread_cond_signal(&s->run->spool_wake);
}

/* Passes over what the server has. The lock is held. */
static void skip_known(struct sender *s)
{
	if (s->known <= s->run->sent)
		return;
	if (unsent_is_on_disk(s->run))
		sender_source_deinit(s); /* it is read again from there on */
	unsent_skip(s->run, s->known);
	pthread_cond_broadcast(&s->run->changed);
}

/* The folder was removed and made again. What the server does not have of the records in it is lost. The lock is held. */
static void notice_removal(struct sender *s)
{
	if (s->removals == s->run->spool.removals)
		return;
	s->removals = s->run->spool.removals;
	s->has_damage |= unsent_is_on_disk(s->run);
	sender_source_deinit(s);
}

bool sender_find_source(struct sender *s, struct sender_source *ret_source)
{
	struct cairn_run *run = s->run;
	uint64_t first, end;
	bool is_on_disk;

	pthread_mutex_lock(&run->lock);
	skip_known(s);
	notice_removal(s);
	is_on_disk = unsent_is_on_disk(run);
	first = run->sent;
	end = run->head;
	if (!is_on_disk) {
		leave_disk(s);
		*ret_source = (struct sender_source){ .backlog = &run->backlog,
						      .has_records = run->backlog.queued > 0,
						      .first = run->head };
	}
	pthread_mutex_unlock(&run->lock);
	return !is_on_disk || find_on_disk(s, first, end, ret_source);
}
