/*
 * The thread repeats: frames for all that is new, one write, and then memory lets go of the records.
 * Frames that could not be written are made again later, for what was not written is still in memory.
 */
#include "spooling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fork_gate.h"
#include "run.h"
#include "spool_folder.h"
#include "spool_writer.h"
#include "thread.h"

#define CHUNK_BYTES (1024 * 1024) /* no record is added to a write beyond this */
#define OFFLINE_MS 100
#define ONLINE_LEAST_MS 50
#define ONLINE_MOST_MS 1000
#define SYNC_US 1000000
#define TOUCH_US 5000000
#define RETRY_US 250000     /* after a failure */
#define LAST_US 1000000     /* so long before the end of a finish what is not sent is written */
#define METADATA_US 2000000 /* drivers of GPUs have so long to tell of themselves */

/* How far something has come. */
struct marks {
	uint64_t record; /* index behind the last one */
	uint64_t config, summary, alerts;
	struct spool_sent sent;
	bool has_metadata, has_end, is_preempting;
};

struct spooling {
	struct cairn_run *run;
	struct spool_writer *writer;  /* NULL: nothing is on disk */
	struct marks added, written;  /* to the frames that wait; to the files */
	uint64_t drops[RECORD_KINDS]; /* in the frames that wait */
	struct text text;
	int64_t retry_us; /* not before */
	int64_t synced_us, touched_us, flushed_us;
	int64_t unsettled_us; /* since when there is a document or an alert that is not sent; 0: none */
	bool is_dirty;        /* written, and not synced */
};

struct spooling *spooling_new(struct cairn_run *run)
{
	struct spooling *p = calloc(1, sizeof *p);

	if (p)
		p->run = run;
	return p;
}

void spooling_free(struct spooling *p)
{
	if (!p)
		return;
	spool_writer_close(p->writer);
	text_deinit(&p->text);
	free(p);
}

static bool is_offline(const struct spooling *p)
{
	return p->run->settings.mode == MODE_OFFLINE;
}

static void note_error(struct spooling *p, const char *error)
{
	struct cairn_run *run = p->run;

	pthread_mutex_lock(&run->lock);
	if (error)
		snprintf(run->spool.error, sizeof run->spool.error, "data stays in memory: %.*s",
			 (int)sizeof run->spool.error - 32, error);
	else
		run->spool.error[0] = '\0';
	pthread_mutex_unlock(&run->lock);
	p->retry_us = error ? transport_clock_us() + RETRY_US : 0;
}

/* ---- the folder --------------------------------------------------------------------------------------- */

static bool take_folder(struct spooling *p)
{
	struct cairn_run *run = p->run;
	char *folder = strdup(spool_writer_folder(p->writer));

	if (!folder)
		return false;
	pthread_mutex_lock(&run->lock);
	free(run->spool.folder);
	run->spool.folder = folder;
	if (is_offline(p) && run->phase == RUN_JOINING)
		run->phase = RUN_JOINED;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
	p->written = (struct marks){ .record = spool_writer_record(p->writer) };
	p->touched_us = transport_clock_us();
	return true;
}

static void describe(const struct spooling *p, char *host, struct spool_identity *ret_identity)
{
	static char primary[] = "primary", worker[] = "worker", online[] = "online",
		    offline[] = "offline", version[] = "libcairn " CAIRN_VERSION;
	const struct settings *settings = &p->run->settings;

	pthread_mutex_lock(&p->run->lock);
	*ret_identity = (struct spool_identity){
		.url = settings->url,
		.entity = p->run->entity,
		.project = settings->project,
		.run = settings->run_id,
		.client = settings->client_id,
		.stream = p->run->stream,
		.label = settings->label,
		.role = settings->role == CAIRN_WORKER ? worker : primary,
		.parent = settings->parent,
		.host = host[0] ? host : NULL,
		.pid = getpid(),
		.display_name = settings->display_name,
		.group = settings->group,
		.job_type = settings->job_type,
		.tags = settings->tags,
		.notes = settings->notes,
		.started_at_us = p->run->started_us,
		.mode = is_offline(p) ? offline : online,
		.client_version = version,
	};
	pthread_mutex_unlock(&p->run->lock);
}

/* Somebody removed it, as cairn sync does that takes the process for dead. All that holds for a whole folder is written
 * into a new one. */
static bool begin_again(struct spooling *p)
{
	struct cairn_run *run = p->run;
	char error[SPOOL_ERROR_SIZE], host[65] = "";
	struct spool_identity identity;
	enum spool_result result;

	gethostname(host, sizeof host - 1);
	describe(p, host, &identity);
	fork_gate_leave();
	result = spool_writer_begin_again(p->writer, run->settings.spool.path, &identity, error);
	fork_gate_enter();
	p->written = (struct marks){ .record = p->written.record };
	p->added = p->written;
	if (result) {
		note_error(p, error);
		return false;
	}
	p->is_dirty = true;
	p->touched_us = transport_clock_us();
	pthread_mutex_lock(&run->lock);
	run->spool.removals++;
	run->spool.has_end = false;
	run->spool.config = 0;
	run->spool.summary = 0;
	snprintf(run->spool.error, sizeof run->spool.error,
		 "the spool \"%.120s\" was removed while this process wrote to it: what was not "
		 "sent is lost",
		 spool_writer_folder(p->writer));
	pthread_cond_signal(&run->wake);
	pthread_mutex_unlock(&run->lock);
	return true;
}

static bool is_gone(const struct spooling *p)
{
	bool is_gone;

	fork_gate_leave();
	is_gone = spool_writer_is_gone(p->writer);
	fork_gate_enter();
	return is_gone;
}

static bool open_folder(struct spooling *p)
{
	const struct spool_settings *spool = &p->run->settings.spool;
	const struct spool_limits limits = { .max_bytes = spool->max_bytes,
					     .reserve_part = spool->reserve_part,
					     .reserve_bytes = spool->reserve_bytes };
	char error[SPOOL_ERROR_SIZE], host[65] = "";
	struct spool_identity identity;

	if (p->writer)
		return !is_gone(p) || begin_again(p);
	gethostname(host, sizeof host - 1);
	describe(p, host, &identity);
	fork_gate_leave();
	p->writer = spool_writer_open(spool->path, &identity, &limits, error);
	fork_gate_enter();
	if (!p->writer || !take_folder(p)) {
		note_error(p, p->writer ? "out of memory" : error);
		spool_writer_close(p->writer);
		p->writer = NULL;
		return false;
	}
	return true;
}

/* Everything that it holds is sent. */
static void remove_folder(struct spooling *p)
{
	struct cairn_run *run = p->run;

	fork_gate_leave();
	spool_writer_remove(p->writer);
	fork_gate_enter();
	spool_writer_close(p->writer);
	p->writer = NULL;
	p->is_dirty = false;
	pthread_mutex_lock(&run->lock);
	free(run->spool.folder);
	run->spool.folder = NULL;
	run->spool.config = 0;
	run->spool.summary = 0;
	run->spool.alerts = 0;
	run->spool.has_end = false;
	pthread_mutex_unlock(&run->lock);
}

/* A client id that was used before may have left a folder. It is not ours: cairn sync sends it. */
static void note_left(struct spooling *p)
{
	struct cairn_run *run = p->run;
	char name[SPOOL_NAME_SIZE], path[SPOOL_PATH_SIZE], host[65] = "";
	struct spool_identity identity;
	bool is_there;

	if (!run->settings.has_own_client_id || is_offline(p))
		return;
	describe(p, host, &identity);
	fork_gate_leave();
	is_there = spool_folder_find(run->settings.spool.path, &identity, name);
	fork_gate_enter();
	if (!is_there)
		return;
	snprintf(path, sizeof path, "%s/%s", run->settings.spool.path, name);
	pthread_mutex_lock(&run->lock);
	snprintf(run->spool.error, sizeof run->spool.error,
		 "an earlier process left unsent data in \"%.190s\": cairn sync", path);
	pthread_mutex_unlock(&run->lock);
}

/* ---- frames ------------------------------------------------------------------------------------------- */

static bool add_document(struct spooling *p, enum spool_type type, struct document *document,
			 uint64_t settled, uint64_t *mark)
{
	uint64_t version;

	text_clear(&p->text, DOCUMENT_MAX_BYTES);
	pthread_mutex_lock(&p->run->documents_lock);
	version = document->version;
	if (version > settled && version > *mark)
		document_write(document, &p->text);
	pthread_mutex_unlock(&p->run->documents_lock);
	if (p->text.length == 0)
		return !p->text.failed;
	*mark = version;
	return !p->text.failed && spool_writer_add(p->writer, type, &version, sizeof version,
						   p->text.data, p->text.length);
}

static bool add_metadata(struct spooling *p)
{
	struct cairn_run *run = p->run;
	bool is_wanted;

	text_clear(&p->text, DOCUMENT_MAX_BYTES);
	pthread_mutex_lock(&run->lock);
	is_wanted = run->has_metadata && !run->is_metadata_sent && !p->added.has_metadata &&
		    (run->is_finishing || !run->sampling ||
		     run_wall_clock_us() - run->started_us > METADATA_US);
	if (is_wanted)
		text_add(&p->text, run->metadata.data, run->metadata.length);
	pthread_mutex_unlock(&run->lock);
	if (!is_wanted)
		return true;
	run_complete_metadata(run, &p->text);
	p->added.has_metadata = true;
	return !p->text.failed &&
	       spool_writer_add(p->writer, SPOOL_METADATA, NULL, 0, p->text.data, p->text.length);
}

/* The lock is held: the sender takes alerts away. */
static bool add_waiting_alerts(struct spooling *p)
{
	const struct alerts *alerts = &p->run->alerts;
	uint64_t number = alerts->settled;

	for (const struct alert_waiting *alert = alerts->first; alert; alert = alert->next) {
		int64_t head[2] = { (int64_t)++number, alert->time_us };

		if (number <= p->added.alerts)
			continue;
		if (!spool_writer_add(p->writer, SPOOL_ALERT, head, sizeof head, alert->body.data,
				      alert->body.length))
			return false;
		p->added.alerts = number;
	}
	return true;
}

static bool add_alerts(struct spooling *p)
{
	bool is_well;

	pthread_mutex_lock(&p->run->lock);
	is_well = add_waiting_alerts(p);
	pthread_mutex_unlock(&p->run->lock);
	return is_well;
}

static bool add_drops(struct spooling *p)
{
	struct spool_drop drop = { 0 };
	uint64_t all = 0;

	pthread_mutex_lock(&p->run->lock);
	for (int i = 0; i < RECORD_KINDS; i++) {
		drop.counts[i] = unsent_drops(p->run, i);
		all += drop.counts[i];
	}
	pthread_mutex_unlock(&p->run->lock);
	memcpy(p->drops, drop.counts, sizeof p->drops);
	return all == 0 || spool_writer_add(p->writer, SPOOL_DROP, &drop, sizeof drop, NULL, 0);
}

/* Notes which documents and alerts in the files the server has taken. */
static bool add_sent(struct spooling *p)
{
	struct cairn_run *run = p->run;
	struct spool_sent sent;

	if (is_offline(p))
		return true;
	pthread_mutex_lock(&run->lock);
	sent = (struct spool_sent){ .alerts = run->alerts.settled,
				    .config = run->config_settled,
				    .summary = run->summary_settled,
				    .flags = run->is_metadata_sent ? SPOOL_SENT_METADATA : 0 };
	pthread_mutex_unlock(&run->lock);
	if (memcmp(&sent, &p->added.sent, sizeof sent) == 0)
		return true;
	p->added.sent = sent;
	return spool_writer_add(p->writer, SPOOL_SENT, &sent, sizeof sent, NULL, 0);
}

/* A server would know that the run was preempting, and so that a failure means that it was preempted. The lock is held. */
static enum spool_end_state end_state(const struct cairn_run *run)
{
	static const enum spool_end_state states[] = { SPOOL_END_EXIT, SPOOL_END_CRASHED,
						       SPOOL_END_PREEMPTED };
	bool is_cut_off = run->is_preempting && run->exit_code != 0;

	if (run->end_state == RUN_END_EXIT && is_cut_off)
		return SPOOL_END_PREEMPTED;
	return states[run->end_state];
}

static bool add_end(struct spooling *p)
{
	struct cairn_run *run = p->run;
	struct spool_end end = { .time_us = run_wall_clock_us() };
	char reason[RUN_REASON_SIZE];
	bool has_end;

	pthread_mutex_lock(&run->lock);
	has_end = run->has_end;
	end.exit_code = run->exit_code;
	end.state = end_state(run);
	snprintf(reason, sizeof reason, "%s", run->end_reason);
	pthread_mutex_unlock(&run->lock);
	if (!has_end || p->added.has_end)
		return true;
	p->added.has_end = true;
	return spool_writer_add(p->writer, SPOOL_END, &end, sizeof end, reason, strlen(reason));
}

/* For a process that does not live to write its end. */
static bool add_preempting(struct spooling *p)
{
	static const char facts[] = "{\"preempting\":true}";
	bool is_preempting;

	pthread_mutex_lock(&p->run->lock);
	is_preempting = p->run->is_preempting;
	pthread_mutex_unlock(&p->run->lock);
	if (!is_preempting || p->added.is_preempting)
		return true;
	p->added.is_preempting = true;
	return spool_writer_add(p->writer, SPOOL_FACTS, NULL, 0, facts, strlen(facts));
}

/* All but records and the end. */
static bool add_others(struct spooling *p)
{
	struct cairn_run *run = p->run;
	uint64_t config_settled, summary_settled;

	pthread_mutex_lock(&run->lock);
	config_settled = run->config_settled;
	summary_settled = run->summary_settled;
	pthread_mutex_unlock(&run->lock);
	return add_sent(p) &&
	       add_document(p, SPOOL_CONFIG, &run->config, config_settled, &p->added.config) &&
	       add_document(p, SPOOL_SUMMARY, &run->summary, summary_settled, &p->added.summary) &&
	       add_alerts(p) && add_preempting(p) && add_drops(p);
}

/* The next records of memory. Memory keeps them until they are written. */
static bool add_records(struct spooling *p, struct unsent_part *part)
{
	struct cairn_run *run = p->run;
	struct backlog_cursor end;
	const struct record *record;
	bool is_well = true;

	pthread_mutex_lock(&run->lock);
	unsent_begin_read(run);
	*part = (struct unsent_part){ .first = run->head, .end = backlog_begin(&run->backlog) };
	end = backlog_end(&run->backlog);
	pthread_mutex_unlock(&run->lock);
	spool_writer_begin_at(p->writer, part->first);
	while (is_well && spool_writer_waiting(p->writer) < CHUNK_BYTES &&
	       (record = backlog_at(&part->end, end))) {
		is_well = spool_writer_add(p->writer, SPOOL_RECORD, NULL, 0, record, record->size);
		if (!is_well)
			break;
		part->counts[record->kind]++;
		part->records++;
		part->end.offset += record->size;
	}
	pthread_mutex_lock(&run->lock);
	unsent_end_read(run);
	pthread_mutex_unlock(&run->lock);
	p->added.record = part->first + part->records;
	return is_well || part->records > 0;
}

/* ---- writing ------------------------------------------------------------------------------------------ */

/* Memory lets go of what is written. In offline mode that holds for alerts, too. is_part: other frames are set aside. */
static void let_go(struct spooling *p, const struct unsent_part *part, bool is_part)
{
	struct cairn_run *run = p->run;

	pthread_mutex_lock(&run->lock);
	unsent_spooled(run, part);
	for (int i = 0; i < RECORD_KINDS && !is_part; i++)
		run->counts[i].drops_on_disk += p->drops[i];
	while (!is_part && is_offline(p) && run->alerts.settled < p->added.alerts)
		alerts_settle(&run->alerts, false);
	pthread_cond_broadcast(&run->changed);
	if (!is_offline(p))
		pthread_cond_signal(&run->wake);
	pthread_mutex_unlock(&run->lock);
	p->is_dirty = true;
	p->written.record = p->added.record;
	if (is_part)
		return;
	memset(p->drops, 0, sizeof p->drops);
	p->written = p->added;
}

static bool fail(struct spooling *p, const char *error)
{
	spool_writer_discard(p->writer);
	memset(p->drops, 0, sizeof p->drops);
	p->added = p->written;
	note_error(p, error);
	return false;
}

static bool write_out(struct spooling *p, const struct unsent_part *part, bool is_part)
{
	char error[SPOOL_ERROR_SIZE];
	enum spool_result result;

	if (spool_writer_waiting(p->writer) == 0)
		return true;
	fork_gate_leave();
	result = spool_writer_write(p->writer, error);
	fork_gate_enter();
	if (result)
		return fail(p, result == SPOOL_NO_MEMORY ? "out of memory" : error);
	let_go(p, part, is_part);
	if (p->retry_us)
		note_error(p, NULL);
	return true;
}

static void tell_synced(struct spooling *p)
{
	struct cairn_run *run = p->run;

	pthread_mutex_lock(&run->lock);
	run->spool.synced = p->written.record;
	run->spool.config = p->written.config;
	run->spool.summary = p->written.summary;
	run->spool.alerts = p->written.alerts;
	run->spool.has_end = p->written.has_end;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
}

static bool sync_files(struct spooling *p)
{
	char error[SPOOL_ERROR_SIZE];
	enum spool_result result;

	if (!p->is_dirty)
		return true;
	if (is_gone(p)) {
		begin_again(p); /* what was in it has to be written first */
		return false;
	}
	fork_gate_leave();
	result = spool_writer_sync(p->writer, error);
	fork_gate_enter();
	p->synced_us = transport_clock_us();
	if (result) {
		note_error(p, error);
		return false;
	}
	p->is_dirty = false;
	if (p->retry_us)
		note_error(p, NULL);
	tell_synced(p);
	return true;
}

static void maintain(struct spooling *p)
{
	int64_t now_us = transport_clock_us();

	if (p->is_dirty && now_us - p->synced_us >= SYNC_US)
		sync_files(p);
	if (!p->writer || now_us - p->touched_us < TOUCH_US)
		return;
	fork_gate_leave();
	spool_writer_touch(p->writer);
	fork_gate_enter();
	p->touched_us = now_us;
}

/* Lines that have not ended are handed on now and then, as the sender does. */
static void flush_console(struct spooling *p)
{
	struct cairn_run *run = p->run;
	int64_t now_us = transport_clock_us();

	if (now_us - p->flushed_us < (int64_t)run->settings.flush_interval_ms * 1000)
		return;
	p->flushed_us = now_us;
	pthread_mutex_lock(&run->console_lock);
	console_flush(&run->console);
	pthread_mutex_unlock(&run->console_lock);
}

enum last { NOT_LAST, WITH_END };

/* Writes the records that are in memory now, and behind them the frames that wait: an alert comes after what was logged
 * before it, and its index says so. */
static bool write_round(struct spooling *p)
{
	struct cairn_run *run = p->run;
	struct unsent_part part = { 0 };
	bool is_part;
	uint64_t end;

	pthread_mutex_lock(&run->lock);
	end = unsent_end(run);
	pthread_mutex_unlock(&run->lock);
	spool_writer_set_aside(p->writer);
	do {
		if (!add_records(p, &part))
			return fail(p, "out of memory");
		is_part = part.records > 0 && p->added.record < end;
		if (!is_part && !spool_writer_take_back(p->writer))
			return fail(p, "out of memory");
		if (!write_out(p, &part, is_part))
			return false;
		maintain(p);
	} while (is_part);
	return true;
}

/* Writes all that is new. False if something of it could not be written. */
static bool write_all(struct spooling *p, enum last last)
{
	const struct unsent_part none = { 0 };
	bool has_more;

	if (!open_folder(p))
		return false;
	flush_console(p);
	p->added = p->written;
	do {
		uint64_t record = p->added.record;

		if (!add_others(p))
			return fail(p, "out of memory");
		if (!write_round(p))
			return false;
		has_more = p->added.record > record;
	} while (has_more);
	if (!add_metadata(p) || (last == WITH_END && !add_end(p)))
		return fail(p, "out of memory");
	return write_out(p, &none, false);
}

/* ---- when --------------------------------------------------------------------------------------------- */

/* The run at one moment. */
struct view {
	uint64_t queued;      /* bytes of records */
	int64_t oldest_us;    /* when the first of them was logged, since 1970; 0: none */
	bool is_on_disk;      /* records are */
	bool has_unsettled;   /* a document or an alert waits */
	bool is_disk_settled; /* and none of them is on disk */
	bool is_all_sent;     /* with the end, if there is one */
	bool is_asked, is_finishing, is_over, is_deleted;
	int64_t deadline_us;
	uint64_t sent;
};

/* The lock is held. */
static int64_t time_of_first(const struct cairn_run *run)
{
	struct backlog_cursor cursor = backlog_begin(&run->backlog);
	const struct record *record = NULL;

	if (run->backlog.queued > 0)
		record = backlog_at(&cursor, backlog_end(&run->backlog));
	return record ? record->time_us : 0;
}

static void look(struct spooling *p, struct view *ret_view)
{
	struct cairn_run *run = p->run;
	uint64_t config, summary;

	pthread_mutex_lock(&run->documents_lock);
	config = run->config.version;
	summary = run->summary.version;
	pthread_mutex_unlock(&run->documents_lock);
	pthread_mutex_lock(&run->lock);
	*ret_view = (struct view){
		.queued = run->backlog.queued,
		.oldest_us = time_of_first(run),
		.is_on_disk = unsent_is_on_disk(run),
		.has_unsettled = config > run->config_settled || summary > run->summary_settled ||
				 run->alerts.accepted > run->alerts.settled,
		.is_disk_settled = p->written.config <= run->config_settled &&
				   p->written.summary <= run->summary_settled &&
				   p->written.alerts <= run->alerts.settled,
		.is_asked = run->spool.is_asked,
		.is_finishing = run->is_finishing,
		.is_over = run->phase == RUN_OVER,
		.is_deleted = run->is_deleted,
		.deadline_us = run->deadline_us,
		.sent = run->sent,
	};
	ret_view->is_all_sent = !ret_view->queued && !ret_view->is_on_disk &&
				!ret_view->has_unsettled && (!run->has_end || run->is_end_sent);
	run->spool.is_asked = false;
	pthread_mutex_unlock(&run->lock);
}

static bool is_due(struct spooling *p, const struct view *view)
{
	const struct spool_settings *spool = &p->run->settings.spool;
	int64_t after_us = (int64_t)spool->after_ms * 1000, now_us = transport_clock_us();

	if (!view->has_unsettled)
		p->unsettled_us = 0;
	else if (!p->unsettled_us)
		p->unsettled_us = now_us;
	if (p->retry_us > now_us && !view->is_asked)
		return false;
	if (is_offline(p) || view->is_on_disk || (int64_t)view->queued >= spool->after_bytes)
		return true;
	if (p->unsettled_us && now_us - p->unsettled_us >= after_us)
		return true;
	return view->oldest_us && run_wall_clock_us() - view->oldest_us >= after_us;
}

/* Segments whose records were sent go, and when all was sent the folder. */
static void clean(struct spooling *p, const struct view *view, bool has_written)
{
	if (!p->writer || is_offline(p) || !view->is_disk_settled)
		return;
	if (!view->is_on_disk && !has_written) {
		remove_folder(p);
		return;
	}
	fork_gate_leave();
	spool_writer_forget(p->writer, view->sent);
	fork_gate_enter();
}

static void work(struct spooling *p, const struct view *view)
{
	bool has_tried = is_due(p, view);

	if (has_tried && write_all(p, NOT_LAST) && view->is_asked)
		sync_files(p);
	clean(p, view, has_tried);
	maintain(p);
}

static int wait_ms(const struct spooling *p)
{
	int ms = p->run->settings.spool.after_ms / 5;

	if (is_offline(p))
		return OFFLINE_MS;
	if (ms > ONLINE_MOST_MS)
		return ONLINE_MOST_MS;
	return ms > ONLINE_LEAST_MS ? ms : ONLINE_LEAST_MS;
}

/* Until so long has passed, the moment comes, or somebody asks. */
static void wait_until(struct spooling *p, int64_t until_us)
{
	struct cairn_run *run = p->run;
	int64_t at_us = transport_clock_us() + (int64_t)wait_ms(p) * 1000;
	bool is_finishing;
	struct timespec at;
	int e = 0;

	if (until_us < at_us)
		at_us = until_us;
	at = (struct timespec){ .tv_sec = at_us / 1000000, .tv_nsec = at_us % 1000000 * 1000 };
	fork_gate_leave();
	pthread_mutex_lock(&run->lock);
	is_finishing = run->is_finishing;
	while (!e && !(run->spool.is_poked && p->retry_us <= transport_clock_us()) &&
	       !run->spool.is_asked && run->is_finishing == is_finishing && run->phase != RUN_OVER)
		e = pthread_cond_timedwait(&run->spool_wake, &run->lock, &at);
	run->spool.is_poked = p->retry_us > transport_clock_us(); /* not again until the retry */
	pthread_mutex_unlock(&run->lock);
	fork_gate_enter();
}

/* ---- the end ------------------------------------------------------------------------------------------ */

/* In the last moments of a finish; half of it if it is short. */
static int64_t time_of_last(const struct view *view)
{
	int64_t now_us = transport_clock_us(), left_us = view->deadline_us - now_us;

	if (left_us <= 0)
		return now_us;
	return view->deadline_us - (left_us / 2 < LAST_US ? left_us / 2 : LAST_US);
}

/* Until the sender has ended, or it is time to write what it has not sent. */
static void wait_for_sender(struct spooling *p, struct view *view)
{
	int64_t last_us = time_of_last(view);

	while (!view->is_over && transport_clock_us() < last_us) {
		work(p, view);
		wait_until(p, last_us);
		look(p, view);
	}
}

/* The sender ends at the deadline; what it sent in the last moment counts. */
static void wait_for_end_of_sender(struct spooling *p, struct view *view)
{
	look(p, view);
	while (!view->is_over && transport_clock_us() < view->deadline_us + LAST_US) {
		wait_until(p, INT64_MAX);
		look(p, view);
	}
}

/* Not all could be written: the end, and how much is missing before it. */
static void write_last_word(struct spooling *p)
{
	struct cairn_run *run = p->run;
	struct spool_drop drop = { 0 };
	char error[SPOOL_ERROR_SIZE];

	if (!p->writer)
		return;
	pthread_mutex_lock(&run->lock);
	for (int i = 0; i < RECORD_KINDS; i++)
		drop.counts[i] = unsent_drops(run, i) + unsent_in_memory(run, i);
	pthread_mutex_unlock(&run->lock);
	if (!spool_writer_add(p->writer, SPOOL_DROP, &drop, sizeof drop, NULL, 0) || !add_end(p) ||
	    spool_writer_write_last(p->writer, error))
		return;
	p->written = p->added;
	p->is_dirty = true;
	sync_files(p);
}

static void write_rest(struct spooling *p)
{
	if (write_all(p, WITH_END))
		sync_files(p);
	else
		write_last_word(p);
}

static void finish_online(struct spooling *p, struct view *view)
{
	wait_for_sender(p, view);
	if (!view->is_all_sent && !view->is_deleted)
		write_rest(p);
	wait_for_end_of_sender(p, view);
	if (view->is_all_sent && p->writer)
		remove_folder(p);
}

static void finish_offline(struct spooling *p, struct view *view)
{
	bool is_written = write_all(p, WITH_END) && sync_files(p);

	while (!is_written && transport_clock_us() < view->deadline_us) {
		wait_until(p, view->deadline_us);
		is_written = write_all(p, WITH_END) && sync_files(p);
	}
	if (!is_written)
		write_last_word(p);
}

static void end(struct spooling *p)
{
	struct cairn_run *run = p->run;

	pthread_mutex_lock(&run->lock);
	run->spool.is_over = true;
	run->spool.poke_bytes = SIZE_MAX;
	if (is_offline(p)) {
		run->phase = RUN_OVER;
		run->is_closed = true;
	}
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
	run_release(run);
}

static void *spooling_main(void *argument)
{
	struct spooling *p = argument;
	struct view view;

	fork_gate_begin_thread();
	pthread_setname_np(pthread_self(), "cairn-spool");
	note_left(p);
	look(p, &view);
	while (!view.is_finishing) {
		work(p, &view);
		wait_until(p, INT64_MAX);
		look(p, &view);
	}
	if (is_offline(p))
		finish_offline(p, &view);
	else
		finish_online(p, &view);
	end(p);
	fork_gate_end_thread();
	return NULL;
}

int spooling_start(struct spooling *p)
{
	struct run_spool *spool = &p->run->spool;
	int e;

	spool->is_over = false;
	spool->poke_bytes = is_offline(p) ? RUN_POKE_BYTES
					  : (size_t)p->run->settings.spool.after_bytes;
	e = thread_start(spooling_main, p);
	if (e) {
		spool->is_over = true;
		spool->poke_bytes = SIZE_MAX;
	}
	return e;
}
