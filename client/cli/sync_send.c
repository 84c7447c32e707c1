/*
 * Sends what the feed has: alerts and metadata, then a batch, until the spool is read to its end. A batch stays the same
 * until the server has answered. One that is refused as invalid is built again with half the records, down to the record
 * that the server refuses: that is given up and counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "requests.h"
#include "sync.h"

#define METADATA_PATH "/files/wandb-metadata.json"
#define HEARTBEAT_US 8000000
#define TURN_US 3000000 /* of a writer, while watching */
#define CRASHED "the process ended without finishing the run"

static void count_sent(struct sync_worker *worker, struct sync_writer *writer,
		       const uint64_t records[RECORD_KINDS], uint64_t bytes)
{
	pthread_mutex_lock(&worker->sync->lock);
	for (int i = 0; i < RECORD_KINDS; i++)
		writer->counts.records[i] += records[i];
	writer->counts.bytes += bytes;
	writer->has_news |= records[0] || records[1] || records[2];
	pthread_mutex_unlock(&worker->sync->lock);
}

static void count_refused(struct sync_worker *worker, struct sync_writer *writer)
{
	pthread_mutex_lock(&worker->sync->lock);
	writer->counts.refused++;
	pthread_mutex_unlock(&worker->sync->lock);
}

/* The session is not known any more, as after a restore: what the server has is asked again, once. */
static bool rejoin(struct sync_worker *worker, struct sync_writer *writer, enum outcome outcome)
{
	bool is_lost = outcome == OUTCOME_UNKNOWN ||
		       (outcome == OUTCOME_FENCED && sync_is_problem(worker, "batch-gap"));

	if (!is_lost || writer->was_rejoined) {
		sync_refuse(worker, writer, outcome);
		return false;
	}
	writer->was_rejoined = true;
	writer->session = 0;
	return sync_join(worker, writer);
}

/* ---- alerts and metadata ------------------------------------------------------------------------------ */

static bool is_same_member(struct json a, struct json b, const char *name)
{
	char *one = json_text(json_member(a, name)), *other = json_text(json_member(b, name));
	bool is_same = (!one && !other) || (one && other && strcmp(one, other) == 0);

	free(one);
	free(other);
	return is_same;
}

/* Whether the run has the alert: a sync that was killed may have sent it. */
static bool is_sent(struct sync_worker *worker, struct sync_writer *writer, struct json alert)
{
	static const struct text no_body;
	char label[SETTINGS_LABEL_MAX + 1];
	struct json page, items, item = { 0 };

	if (sync_ask(worker, writer, "GET", "/alerts?limit=1000", &no_body, &page) != OUTCOME_OK)
		return false;
	items = json_member(page, "items");
	while (json_next(items, &item, NULL)) {
		json_copy(json_member(item, "label"), label, sizeof label);
		if (is_same_member(item, alert, "title") && is_same_member(item, alert, "text") &&
		    strcmp(label, writer->settings.label) == 0)
			return true;
	}
	return false;
}

static bool send_alert(struct sync_worker *worker, struct sync_writer *writer,
		       const struct sync_alert *alert)
{
	struct json object = json_parse(alert->body.data, alert->body.length), answer;
	enum outcome outcome;

	if (!json_is_object(object) || is_sent(worker, writer, object))
		return true;
	outcome = sync_ask(worker, writer, "POST", "/alerts", &alert->body, &answer);
	if (outcome == OUTCOME_BAD || outcome == OUTCOME_LARGE) {
		count_refused(worker, writer);
		return true;
	}
	if (outcome) {
		sync_refuse(worker, writer, outcome);
		return false;
	}
	pthread_mutex_lock(&worker->sync->lock);
	writer->counts.alerts++;
	pthread_mutex_unlock(&worker->sync->lock);
	return true;
}

static bool send_alerts(struct sync_worker *worker, struct sync_writer *writer)
{
	struct sync_feed *feed = &writer->feed;

	for (size_t i = 0; i < feed->alert_count; i++) {
		const struct sync_alert *alert = &feed->alerts[i];

		if (alert->number > feed->sent.alerts && !send_alert(worker, writer, alert))
			return false;
	}
	for (size_t i = 0; i < feed->alert_count; i++)
		text_deinit(&feed->alerts[i].body);
	feed->alert_count = 0;
	return true;
}

/* One that is refused is given up: the run has its data all the same. */
static bool send_metadata(struct sync_worker *worker, struct sync_writer *writer)
{
	struct sync_feed *feed = &writer->feed;
	enum outcome outcome;
	struct json answer;

	if (!feed->has_metadata || (feed->sent.flags & SPOOL_SENT_METADATA))
		return true;
	outcome = sync_ask(worker, writer, "PUT", METADATA_PATH, &feed->metadata, &answer);
	if (outcome == OUTCOME_OK || outcome == OUTCOME_BAD || outcome == OUTCOME_LARGE) {
		feed->has_metadata = false;
		return true;
	}
	sync_refuse(worker, writer, outcome);
	return false;
}

/* ---- batches ------------------------------------------------------------------------------------------ */

static bool has_documents(const struct sync_feed *feed)
{
	return (feed->has_config && feed->config.length > 0) || feed->summary.count > 0;
}

/* Drops are sent with the record behind them, so that a sync that is killed does not send them again. */
static bool has_batch(const struct sync_writer *writer)
{
	const struct sync_feed *feed = &writer->feed;

	return sync_feed_limit(feed) > 0 || has_documents(feed);
}

static bool build(struct sync_worker *worker, struct sync_writer *writer)
{
	struct sync_feed *feed = &writer->feed;
	uint64_t limit = sync_feed_limit(feed);
	struct batch_input input = { .client_id = writer->settings.client_id,
				     .session = writer->session,
				     .number = writer->batch_next,
				     .stream = writer->identity.stream,
				     .record_first = (int64_t)feed->first,
				     .begin = backlog_begin(&feed->backlog),
				     .end = backlog_end(&feed->backlog) };

	input.record_limit = limit < writer->record_limit ? limit : writer->record_limit;
	if (input.record_limit > 0)
		memcpy(input.drops, feed->drops, sizeof input.drops);
	else
		input.record_first = -1;
	text_clear(&worker->summary, DOCUMENT_MAX_BYTES);
	if (feed->has_config && feed->config.length > 0)
		input.config = &feed->config;
	if (feed->summary.count > 0) {
		document_write(&feed->summary, &worker->summary);
		input.summary = &worker->summary;
	}
	if (!worker->summary.failed && batch_build(&worker->batch, &input))
		return true;
	sync_fail(writer, SYNC_BROKEN, "out of memory");
	return false;
}

static void forget_documents(struct sync_feed *feed)
{
	feed->has_config = false;
	document_forget(&feed->summary, UINT64_MAX);
}

static void settle(struct sync_worker *worker, struct sync_writer *writer)
{
	struct sync_feed *feed = &writer->feed;
	const struct unsent_part *part = &worker->batch.part;

	count_sent(worker, writer, part->counts, worker->batch.body.length);
	forget_documents(feed);
	if (part->records) {
		memset(feed->drops, 0, sizeof feed->drops);
		sync_feed_release(feed, part->records, part->end);
	}
	writer->batch_next++;
	writer->beat_us = transport_clock_us();
	writer->was_rejoined = false;
	if (writer->record_limit == 0)
		writer->record_limit = 1;
	else if (writer->record_limit < BATCH_ROWS_MAX)
		writer->record_limit *= 2;
}

/* A record that is refused alone is told as dropped with the next one. */
static void give_up_record(struct sync_worker *worker, struct sync_writer *writer)
{
	struct sync_feed *feed = &writer->feed;

	count_refused(worker, writer);
	for (int i = 0; i < RECORD_KINDS; i++)
		feed->drops[i] += worker->batch.part.counts[i];
	sync_feed_release(feed, 1, worker->batch.part.end);
	writer->record_limit = 1;
}

/* The server will not have this batch; its number is used again. */
static bool divide(struct sync_worker *worker, struct sync_writer *writer, enum outcome outcome)
{
	uint64_t records = worker->batch.part.records;
	bool with_documents = has_documents(&writer->feed);

	if (records == 0 && !with_documents) {
		sync_refuse(worker, writer, outcome);
		return false;
	}
	if (records > 1) {
		writer->record_limit = records / 2;
	} else if (records == 1 && with_documents) {
		writer->record_limit = 0;
	} else if (records == 1) {
		give_up_record(worker, writer);
	} else {
		count_refused(worker, writer);
		forget_documents(&writer->feed);
		writer->record_limit = 1;
	}
	return true;
}

/* The server has some of the records, which came by another way. */
static bool skip_stored(struct sync_worker *worker, struct sync_writer *writer)
{
	int64_t expected;

	if (!answer_expected_records(&worker->response, &expected) ||
	    (uint64_t)expected <= writer->feed.first) {
		sync_refuse(worker, writer, OUTCOME_BAD);
		return false;
	}
	sync_feed_skip(&writer->feed, (uint64_t)expected);
	return true;
}

static bool send_batch(struct sync_worker *worker, struct sync_writer *writer)
{
	enum outcome outcome;
	struct json answer;
	int64_t number;

	if (!build(worker, writer))
		return false;
	outcome = sync_ask(worker, writer, "POST", "/batch", &worker->batch.body, &answer);
	if (outcome == OUTCOME_OK && json_int(json_member(answer, "batch"), &number) &&
	    number == writer->batch_next) {
		settle(worker, writer);
		return true;
	}
	if (outcome == OUTCOME_OK) {
		sync_fail(writer, SYNC_REFUSED,
			  "the server's response to a batch does not contain the batch number");
		return false;
	}
	if (outcome == OUTCOME_FENCED && answer_expected_records(&worker->response, &number))
		return skip_stored(worker, writer);
	if (outcome == OUTCOME_BAD || outcome == OUTCOME_LARGE)
		return divide(worker, writer, outcome);
	return rejoin(worker, writer, outcome);
}

bool sync_heartbeat(struct sync_worker *worker, struct sync_writer *writer)
{
	if (transport_clock_us() - writer->beat_us < HEARTBEAT_US)
		return true;
	return send_batch(worker, writer);
}

bool sync_send(struct sync_worker *worker, struct sync_writer *writer)
{
	int64_t until_us = transport_clock_us() + TURN_US;
	enum sync_fill fill = SYNC_FILL_MORE;

	do {
		if (worker->sync->options->watches && transport_clock_us() > until_us) {
			writer->state = SYNC_PARTLY;
			return false;
		}
		if (atomic_load(&worker->sync->is_stopping)) {
			sync_fail(writer, SYNC_STOPPED, "interrupted");
			return false;
		}
		fill = sync_feed_fill(&writer->feed, writer->line);
		if (fill == SYNC_FILL_FAILED) {
			writer->state = SYNC_BROKEN;
			return false;
		}
		if (!send_alerts(worker, writer) || !send_metadata(worker, writer))
			return false;
		if (has_batch(writer) && !send_batch(worker, writer))
			return false;
	} while (fill == SYNC_FILL_MORE || has_batch(writer));
	return true;
}

/* ---- the end ------------------------------------------------------------------------------------------ */

/* cairn log: each row is a process of its own, and none has an end. */
static bool is_by_hand(const struct sync_writer *writer)
{
	const char *version = writer->identity.client_version;

	return version && strncmp(version, "cairn ", 6) == 0;
}

static struct requests_end end_of(const struct sync_writer *writer)
{
	static const char *const states[] = { [SPOOL_END_EXIT] = NULL,
					      [SPOOL_END_CRASHED] = "crashed",
					      [SPOOL_END_PREEMPTED] = "preempted" };
	const struct sync_feed *feed = &writer->feed;
	bool is_primary = writer->settings.role != CAIRN_WORKER;
	struct requests_end end = { .exit_code = 1, .reason = CRASHED };

	if (feed->has_end) {
		end.exit_code = feed->end.exit_code;
		end.reason = feed->reason;
		end.ended_at_us = feed->end.time_us;
		if (is_primary && feed->end.state < sizeof states / sizeof states[0])
			end.state = states[feed->end.state];
		return end;
	}
	if (is_by_hand(writer))
		end = (struct requests_end){ .exit_code = 0 };
	else if (is_primary)
		end.state = feed->is_preempting ? "preempted" : "crashed";
	if (feed->is_preempting)
		end.reason = "preempted";
	end.ended_at_us = feed->last_time_us > 0 ? feed->last_time_us
						 : writer->identity.started_at_us;
	return end;
}

/* Drops behind the last record, and the index behind it: the server has none for records at the end that it refused. */
static bool send_last_drops(struct sync_worker *worker, struct sync_writer *writer)
{
	struct sync_feed *feed = &writer->feed;
	struct batch_input input = { .client_id = writer->settings.client_id,
				     .session = writer->session,
				     .number = writer->batch_next,
				     .stream = writer->identity.stream,
				     .record_first = (int64_t)feed->first,
				     .begin = backlog_begin(&feed->backlog),
				     .end = backlog_end(&feed->backlog) };
	enum outcome outcome;
	struct json answer;

	if (writer->mark.stage == SYNC_STAGE_DROPS &&
	    sync_place_is_same(writer->mark.place, writer->place))
		memset(feed->drops, 0,
		       sizeof feed->drops); /* a sync ended before the end was sent */
	if (!sync_feed_has_drops(feed))
		return true;
	memcpy(input.drops, feed->drops, sizeof input.drops);
	if (!batch_build(&worker->batch, &input)) {
		sync_fail(writer, SYNC_BROKEN, "out of memory");
		return false;
	}
	outcome = sync_ask(worker, writer, "POST", "/batch", &worker->batch.body, &answer);
	if (outcome) {
		sync_refuse(worker, writer, outcome);
		return false;
	}
	memset(feed->drops, 0, sizeof feed->drops);
	writer->batch_next++;
	sync_note(writer, SYNC_STAGE_DROPS);
	return true;
}

static enum outcome finish(struct sync_worker *worker, struct sync_writer *writer,
			   const struct requests_end *end, struct json *ret_answer)
{
	text_clear(&worker->body, 4096);
	requests_finish(&worker->body, writer->settings.client_id, writer->session, end);
	return sync_ask(worker, writer, "POST", "/finish", &worker->body, ret_answer);
}

bool sync_finish(struct sync_worker *worker, struct sync_writer *writer)
{
	struct requests_end end = end_of(writer);
	enum outcome outcome;
	struct json answer;

	if (!send_last_drops(worker, writer))
		return false;
	outcome = finish(worker, writer, &end, &answer);
	if (outcome == OUTCOME_BAD) { /* times and words of a spool may be anything */
		end = (struct requests_end){ .exit_code = end.exit_code, .state = end.state };
		outcome = finish(worker, writer, &end, &answer);
	}
	if (outcome) {
		sync_refuse(worker, writer, outcome);
		return false;
	}
	sync_note(writer, SYNC_STAGE_END);
	json_line(json_member(answer, "state"), writer->ended, sizeof writer->ended);
	writer->has_news = true;
	return true;
}
