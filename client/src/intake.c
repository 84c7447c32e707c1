/*
 * Takes what the host program logs. These functions run in its threads: they copy, count and return. The
 * lock is held for one copy.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "run.h"
#include "utf8.h"

int64_t run_wall_clock_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int result_of(enum backlog_result result)
{
	if (result == BACKLOG_OK)
		return CAIRN_OK;
	return result == BACKLOG_FULL ? CAIRN_FULL : CAIRN_MEMORY;
}

/* Room for a record, under the lock; counts it, or its loss. CAIRN_OK, or why there is none. */
static int begin_record(struct cairn_run *run, enum record_kind kind, size_t size,
			struct record **ret_record)
{
	void *record = NULL;
	int result = CAIRN_FINISHED;

	if (!run->is_closed) {
		result = result_of(backlog_append(&run->backlog, size, &record));
		if (result)
			run->counts[kind].dropped++;
		else
			run->counts[kind].accepted++;
	}
	*ret_record = record;
	return result;
}

/* The sender looks at once when much is waiting; otherwise it comes by itself. */
static void poke_if_much(struct cairn_run *run)
{
	if (run->backlog.queued < RUN_POKE_BYTES)
		return;
	if (!run->is_poked) {
		run->is_poked = true;
		pthread_cond_signal(&run->wake);
	}
	if (run->backlog.queued >= run->spool.poke_bytes && !run->spool.is_poked) {
		run->spool.is_poked = true;
		pthread_cond_signal(&run->spool_wake);
	}
	if (run->settings.mode == MODE_DISABLED)
		backlog_release(&run->backlog, backlog_end(&run->backlog));
}

int run_add_metrics(struct cairn_run *run, enum record_kind kind, int64_t step,
		    const struct cairn_metric *metrics, size_t count)
{
	size_t size = record_metrics_size(count, metrics);
	int64_t now_us = run_wall_clock_us();
	struct record *record;
	int result;

	if (size == 0)
		return CAIRN_INVALID;
	pthread_mutex_lock(&run->lock);
	result = begin_record(run, kind, size, &record);
	if (!result) {
		record_put_metrics(record, size, count, metrics);
		record->kind = (uint8_t)kind;
		record->number = step;
		record->time_us = now_us;
		poke_if_much(run);
	}
	pthread_mutex_unlock(&run->lock);
	return result;
}

int cairn_log(struct cairn_run *run, size_t count, const struct cairn_metric *metrics)
{
	int result = run_check(run);

	return result ? result
		      : run_add_metrics(run, RECORD_HISTORY, RECORD_NO_STEP, metrics, count);
}

int cairn_log_step(struct cairn_run *run, int64_t step, size_t count,
		   const struct cairn_metric *metrics)
{
	int result = run_check(run);

	if (!result && (step < 0 || step > RECORD_STEP_MAX))
		result = CAIRN_INVALID;
	return result ? result : run_add_metrics(run, RECORD_HISTORY, step, metrics, count);
}

int cairn_event(struct cairn_run *run, size_t count, const struct cairn_metric *metrics)
{
	int result = run_check(run);

	return result ? result
		      : run_add_metrics(run, RECORD_EVENTS, RECORD_NO_STEP, metrics, count);
}

static int add_object(struct cairn_run *run, struct json object, bool has_time)
{
	size_t size = record_text_size(object.length);
	int64_t now_us = run_wall_clock_us();
	struct record *record;
	int result;

	pthread_mutex_lock(&run->lock);
	result = begin_record(run, RECORD_HISTORY, size, &record);
	if (!result) {
		record_put_text(record, size, object.at, object.length);
		record->kind = RECORD_HISTORY;
		record->form = RECORD_JSON;
		record->flags = has_time ? RECORD_HAS_TIME : 0;
		record->number = RECORD_NO_STEP;
		record->time_us = now_us;
		poke_if_much(run);
	}
	pthread_mutex_unlock(&run->lock);
	return result;
}

int cairn_log_json(struct cairn_run *run, const char *object)
{
	int result = run_check(run);
	struct json_facts facts;
	size_t length;

	if (result || !object)
		return result ? result : CAIRN_INVALID;
	length = strnlen(object, RECORD_ROW_MAX_BYTES + 1);
	if (length > RECORD_ROW_MAX_BYTES)
		return CAIRN_INVALID;
	switch (json_check_row(object, length, &facts)) {
	case JSON_OK:
		break;
	case JSON_NO_MEMORY:
		return CAIRN_MEMORY;
	default:
		return CAIRN_INVALID;
	}
	if (facts.is_empty || facts.leaves > RECORD_METRICS_MAX)
		return CAIRN_INVALID;
	return add_object(run, json_parse(object, length), facts.has_timestamp);
}

bool run_put_line(void *context, const struct console_line *line)
{
	struct cairn_run *run = context;
	size_t size = record_text_size(line->length);
	struct record *record;
	int64_t now_us = run_wall_clock_us();
	int result;

	pthread_mutex_lock(&run->lock);
	result = begin_record(run, RECORD_CONSOLE, size, &record);
	if (!result) {
		record_put_text(record, size, line->text, line->length);
		record->kind = RECORD_CONSOLE;
		record->form = RECORD_LINE;
		record->stream = (uint8_t)line->stream;
		record->number = line->number;
		record->time_us = now_us;
		poke_if_much(run);
	}
	pthread_mutex_unlock(&run->lock);
	return result == CAIRN_OK;
}

static bool is_closed(struct cairn_run *run)
{
	bool closed;

	pthread_mutex_lock(&run->lock);
	closed = run->is_closed;
	pthread_mutex_unlock(&run->lock);
	return closed;
}

static uint64_t lines_dropped(struct cairn_run *run)
{
	uint64_t dropped;

	pthread_mutex_lock(&run->lock);
	dropped = run->counts[RECORD_CONSOLE].dropped;
	pthread_mutex_unlock(&run->lock);
	return dropped;
}

/* Lines that ended in these bytes; at least one. */
static void count_lost_lines(struct cairn_run *run, const char *bytes, size_t count)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < count; i++)
		lines += bytes[i] == '\n';
	pthread_mutex_lock(&run->lock);
	run->counts[RECORD_CONSOLE].dropped += lines ? lines : 1;
	pthread_mutex_unlock(&run->lock);
}

int cairn_console(struct cairn_run *run, enum cairn_stream stream, const char *bytes, size_t count)
{
	int result = run_check(run);
	uint64_t before;

	if (result)
		return result;
	if ((!bytes && count) || (stream != CAIRN_STDOUT && stream != CAIRN_STDERR))
		return CAIRN_INVALID;
	if (is_closed(run))
		return CAIRN_FINISHED;
	pthread_mutex_lock(&run->console_lock);
	before = lines_dropped(run);
	if (!console_add(&run->console, stream, bytes, count)) {
		count_lost_lines(run, bytes, count);
		result = CAIRN_MEMORY;
	} else if (lines_dropped(run) > before) {
		result = CAIRN_FULL;
	}
	pthread_mutex_unlock(&run->console_lock);
	return result;
}

static int document_code(enum document_result result)
{
	static const int codes[] = { CAIRN_OK, CAIRN_INVALID, CAIRN_FULL, CAIRN_MEMORY };

	return codes[result];
}

static int merge(struct cairn_run *run, struct document *document, const char *object)
{
	enum document_result result;

	pthread_mutex_lock(&run->documents_lock);
	result = document_merge(document, object);
	pthread_mutex_unlock(&run->documents_lock);
	return document_code(result);
}

static int set(struct cairn_run *run, struct document *document, const char *name,
	       const struct text *value)
{
	enum document_result result;

	if (value->failed)
		return CAIRN_MEMORY;
	pthread_mutex_lock(&run->documents_lock);
	result = document_set(document, name, value->data, value->length);
	pthread_mutex_unlock(&run->documents_lock);
	return document_code(result);
}

static int set_number(struct cairn_run *run, struct document *document, const char *name,
		      double number)
{
	struct text value = { 0 };
	int result;

	text_json_number(&value, number);
	result = set(run, document, name, &value);
	text_deinit(&value);
	return result;
}

static int set_text(struct cairn_run *run, struct document *document, const char *name,
		    const char *text)
{
	struct text value = { 0 };
	int result;

	text_json_string(&value, text, strlen(text));
	result = set(run, document, name, &value);
	text_deinit(&value);
	return result;
}

/* Checks what all the setters below have in common. */
static int check_set(struct cairn_run *run, const void *name)
{
	int result = run_check(run);

	if (!result && is_closed(run))
		result = CAIRN_FINISHED;
	return !result && !name ? CAIRN_INVALID : result;
}

int cairn_config_json(struct cairn_run *run, const char *object)
{
	int result = check_set(run, object);

	return result ? result : merge(run, &run->config, object);
}

int cairn_config_number(struct cairn_run *run, const char *name, double value)
{
	int result = check_set(run, name);

	return result ? result : set_number(run, &run->config, name, value);
}

int cairn_config_text(struct cairn_run *run, const char *name, const char *value)
{
	int result = check_set(run, value ? name : NULL);

	return result ? result : set_text(run, &run->config, name, value);
}

int cairn_summary_json(struct cairn_run *run, const char *object)
{
	int result = check_set(run, object);

	return result ? result : merge(run, &run->summary, object);
}

int cairn_summary_number(struct cairn_run *run, const char *name, double value)
{
	int result = check_set(run, name);

	return result ? result : set_number(run, &run->summary, name, value);
}

int cairn_summary_text(struct cairn_run *run, const char *name, const char *value)
{
	int result = check_set(run, value ? name : NULL);

	return result ? result : set_text(run, &run->summary, name, value);
}
