#include "sync_feed.h"

#include <stdio.h>
#include <string.h>

#include "batch.h"
#include "json.h"
#include "utf8.h"

#define ENOUGH_BYTES (2 * BATCH_TARGET_BYTES) /* of records: so many are read ahead */
#define BACKLOG_BYTES ((size_t)64 * 1024 * 1024)

bool sync_feed_open(struct sync_feed *feed, const char *folder, uint64_t stored, bool is_ordered,
		    char error[static SPOOL_ERROR_SIZE])
{
	struct sync_survey survey;

	*feed = (struct sync_feed){ .stored = stored, .first = stored, .is_ordered = is_ordered };
	backlog_init(&feed->backlog, BACKLOG_BYTES);
	if (!is_ordered) {
		if (!sync_survey(folder, stored, &survey, error))
			return false;
		feed->sent = survey.sent;
	}
	feed->reader = spool_reader_open(folder, 0, error);
	return feed->reader != NULL;
}

void sync_feed_close(struct sync_feed *feed)
{
	if (feed->reader)
		spool_reader_close(feed->reader);
	backlog_deinit(&feed->backlog);
	document_deinit(&feed->summary);
	text_deinit(&feed->config);
	text_deinit(&feed->metadata);
	for (size_t i = 0; i < feed->alert_count; i++)
		text_deinit(&feed->alerts[i].body);
	*feed = (struct sync_feed){ 0 };
}

/* A batch ends behind what was read so far. */
static void set_mark(struct sync_feed *feed, uint64_t next)
{
	if (!feed->has_mark) {
		feed->has_mark = true;
		feed->mark_after = feed->count;
		memset(feed->mark_drops, 0, sizeof feed->mark_drops);
	}
	feed->mark_next = next;
}

/* The batch before the mark is sent: the next one begins behind it. */
static void pass_mark(struct sync_feed *feed)
{
	if (!feed->has_mark || feed->mark_after > 0)
		return;
	feed->has_mark = false;
	feed->first = feed->mark_next;
	for (int i = 0; i < RECORD_KINDS; i++)
		feed->drops[i] += feed->mark_drops[i];
}

/* Records are missing: as they cannot be read, their kind is not known, and they are counted as rows. */
static void take_gap(struct sync_feed *feed, uint64_t next)
{
	uint64_t expected = feed->first + feed->count;

	set_mark(feed, next);
	feed->mark_drops[RECORD_HISTORY] += next - expected;
	feed->missing += next - expected;
	pass_mark(feed);
}

static bool take_record(struct sync_feed *feed, const struct spool_frame *frame)
{
	const struct record *record = frame->as_record;
	void *copy;

	if (record->time_us > feed->last_time_us)
		feed->last_time_us = record->time_us;
	feed->has_end = false; /* the process went on with the folder of an earlier one */
	if (frame->record < feed->first + feed->count)
		return true; /* stored, or read already: an index never goes back */
	if (frame->record != feed->first + feed->count)
		take_gap(feed, frame->record);
	if (backlog_append(&feed->backlog, record->size, &copy) != BACKLOG_OK)
		return false;
	memcpy(copy, record, record->size);
	feed->count++;
	return true;
}

static bool replace(struct text *text, struct spool_bytes bytes)
{
	text_clear(text, DOCUMENT_MAX_BYTES);
	text_add(text, bytes.at, bytes.length);
	return !text->failed;
}

static bool take_config(struct sync_feed *feed, const struct spool_frame *frame)
{
	struct spool_bytes bytes;
	uint64_t version;

	if (!spool_read_document(frame, &version, &bytes) || version <= feed->sent.config)
		return true;
	feed->has_config = replace(&feed->config, bytes);
	feed->config_version = version;
	return feed->has_config;
}

static bool take_summary(struct sync_feed *feed, const struct spool_frame *frame)
{
	enum document_result result = DOCUMENT_OK;
	struct text object = { 0 };
	struct spool_bytes bytes;
	uint64_t version;

	if (!spool_read_document(frame, &version, &bytes) || version <= feed->sent.summary)
		return true;
	text_add(&object, bytes.at, bytes.length);
	feed->summary_version = version;
	if (text_c_string(&object))
		result = document_merge(&feed->summary, object.data);
	else
		result = DOCUMENT_NO_MEMORY;
	text_deinit(&object);
	return result != DOCUMENT_NO_MEMORY; /* one that is not valid is left out */
}

static bool take_metadata(struct sync_feed *feed, const struct spool_frame *frame)
{
	if (feed->sent.flags & SPOOL_SENT_METADATA)
		return true;
	feed->has_metadata =
		replace(&feed->metadata, (struct spool_bytes){ frame->payload, frame->length });
	return feed->has_metadata;
}

static bool take_alert(struct sync_feed *feed, const struct spool_frame *frame)
{
	struct sync_alert *alert = &feed->alerts[feed->alert_count];
	struct spool_bytes bytes;
	int64_t time_us;

	if (!spool_read_alert(frame, &alert->number, &time_us, &bytes) ||
	    alert->number <= feed->sent.alerts)
		return true;
	alert->body = (struct text){ 0 };
	text_add(&alert->body, bytes.at, bytes.length);
	feed->alert_count++;
	return !alert->body.failed;
}

static void take_drop(struct sync_feed *feed, const struct spool_frame *frame)
{
	struct spool_drop drop;

	if (!spool_read_drop(frame, &drop))
		return;
	set_mark(feed, feed->first + feed->count);
	for (int i = 0; i < RECORD_KINDS; i++)
		feed->mark_drops[i] += drop.counts[i];
	pass_mark(feed);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The versions and numbers of a process only grow. */
static void take_sent(struct spool_sent *sent, const struct spool_frame *frame)
{
	struct spool_sent more;

	if (!spool_read_sent(frame, &more))
		return;
	sent->alerts = greater(sent->alerts, more.alerts);
	sent->config = greater(sent->config, more.config);
	sent->summary = greater(sent->summary, more.summary);
	sent->flags |= more.flags;
}

/* Documents that wait and that the process sent itself. */
static void drop_sent(struct sync_feed *feed)
{
	if (feed->config_version <= feed->sent.config)
		feed->has_config = false;
	if (feed->summary_version <= feed->sent.summary)
		document_forget(&feed->summary, UINT64_MAX);
}

/* As much as fits of what the server takes as a reason: no control characters, only whole characters. */
static void copy_line(struct spool_bytes bytes, char *line, size_t size)
{
	size_t used = 0, length;

	for (size_t at = 0; at < bytes.length; at += length) {
		const char *c = bytes.at + at;
		bool is_well;

		length = utf8_length(c, bytes.length - at);
		is_well = length > 0 && !utf8_is_control(c, length);
		length = length ? length : 1;
		if (used + length >= size)
			break;
		if (is_well)
			memcpy(line + used, c, length);
		else
			line[used] = ' ';
		used += is_well ? length : 1;
	}
	line[used] = '\0';
}

static void take_end(struct sync_feed *feed, const struct spool_frame *frame)
{
	struct spool_bytes reason;

	if (!spool_read_end(frame, &feed->end, &reason))
		return;
	copy_line(reason, feed->reason, sizeof feed->reason);
	feed->has_end = true;
}

static void take_facts(struct sync_feed *feed, const struct spool_frame *frame)
{
	struct json facts = json_parse(frame->payload, frame->length);

	if (json_is_object(facts))
		feed->is_preempting = json_true(json_member(facts, "preempting"));
}

/* Documents, metadata and alerts; false without memory. */
static bool take_document(struct sync_feed *feed, const struct spool_frame *frame)
{
	if (feed->is_ordered && frame->record < feed->stored)
		return true;
	switch (frame->type) {
	case SPOOL_CONFIG:
		return take_config(feed, frame);
	case SPOOL_SUMMARY:
		return take_summary(feed, frame);
	case SPOOL_METADATA:
		return take_metadata(feed, frame);
	case SPOOL_ALERT:
		return take_alert(feed, frame);
	default:
		return true;
	}
}

/* False without memory. */
static bool take_frame(struct sync_feed *feed, const struct spool_frame *frame)
{
	switch (frame->type) {
	case SPOOL_RECORD:
		return take_record(feed, frame);
	case SPOOL_SENT:
		take_sent(&feed->sent, frame);
		drop_sent(feed);
		return true;
	case SPOOL_DROP:
		if (frame->record >= feed->stored)
			take_drop(feed, frame);
		return true;
	case SPOOL_END:
		take_end(feed, frame);
		return true;
	case SPOOL_FACTS:
		take_facts(feed, frame);
		return true;
	default:
		return take_document(feed, frame);
	}
}

static bool is_full(const struct sync_feed *feed)
{
	return feed->backlog.queued >= ENOUGH_BYTES || feed->alert_count == SYNC_ALERTS_MAX ||
	       feed->has_mark || feed->count >= BATCH_ROWS_MAX;
}

static void take_damage(struct sync_feed *feed)
{
	if (feed->damages++ == 0)
		spool_reader_describe_damage(feed->reader, feed->damage);
}

enum sync_fill sync_feed_fill(struct sync_feed *feed, char error[static SPOOL_ERROR_SIZE])
{
	struct spool_frame frame;

	while (!is_full(feed)) {
		switch (spool_reader_next(feed->reader, &frame, error)) {
		case SPOOL_READ_FRAME:
			if (take_frame(feed, &frame))
				break;
			snprintf(error, SPOOL_ERROR_SIZE, "out of memory");
			return SYNC_FILL_FAILED;
		case SPOOL_READ_END:
			return SYNC_FILL_END;
		case SPOOL_READ_DAMAGE:
			take_damage(feed);
			break;
		case SPOOL_READ_FAILED:
			return SYNC_FILL_FAILED;
		}
	}
	return SYNC_FILL_MORE;
}

uint64_t sync_feed_limit(const struct sync_feed *feed)
{
	return feed->has_mark ? feed->mark_after : feed->count;
}

void sync_feed_release(struct sync_feed *feed, uint64_t records, struct backlog_cursor end)
{
	backlog_release(&feed->backlog, end);
	feed->first += records;
	feed->count -= records;
	if (feed->has_mark)
		feed->mark_after -= records;
	pass_mark(feed);
}

void sync_feed_skip(struct sync_feed *feed, uint64_t stored)
{
	struct backlog_cursor cursor = backlog_begin(&feed->backlog);
	struct backlog_cursor end = backlog_end(&feed->backlog);

	while (feed->count > 0 && feed->first < stored) {
		const struct record *record = backlog_at(&cursor, end);

		cursor.offset += record->size;
		sync_feed_release(feed, 1, cursor);
		cursor = backlog_begin(&feed->backlog);
		end = backlog_end(&feed->backlog);
	}
	if (stored > feed->stored)
		feed->stored = stored;
	if (feed->count == 0 && feed->first < stored)
		feed->first = stored;
}

bool sync_feed_has_drops(const struct sync_feed *feed)
{
	return feed->drops[RECORD_HISTORY] || feed->drops[RECORD_EVENTS] ||
	       feed->drops[RECORD_CONSOLE];
}

static void survey_frame(const struct spool_frame *frame, uint64_t from, struct sync_survey *survey)
{
	struct spool_bytes reason;
	struct spool_end end;

	if (frame->type == SPOOL_SENT)
		take_sent(&survey->sent, frame);
	if (frame->type == SPOOL_END)
		survey->has_end = spool_read_end(frame, &end, &reason);
	if (frame->type != SPOOL_RECORD)
		return;
	survey->has_end = false;
	if (frame->record < from)
		return;
	survey->counts[frame->as_record->kind]++;
	survey->bytes += frame->length + SPOOL_FRAME_HEAD_BYTES;
}

bool sync_survey(const char *folder, uint64_t from, struct sync_survey *ret_survey,
		 char error[static SPOOL_ERROR_SIZE])
{
	struct spool_reader *reader = spool_reader_open(folder, 0, error);
	const struct spool_reader_counts *counts;
	struct spool_frame frame;
	enum spool_read read;

	*ret_survey = (struct sync_survey){ 0 };
	if (!reader)
		return false;
	while ((read = spool_reader_next(reader, &frame, error)) == SPOOL_READ_FRAME ||
	       read == SPOOL_READ_DAMAGE) {
		if (read == SPOOL_READ_FRAME)
			survey_frame(&frame, from, ret_survey);
	}
	counts = spool_reader_counts(reader);
	ret_survey->records = spool_reader_record(reader);
	ret_survey->damages = counts->damages;
	ret_survey->lost_records = counts->lost_records;
	ret_survey->unfinished_bytes = counts->unfinished_bytes;
	spool_reader_close(reader);
	return read == SPOOL_READ_END;
}
