#include "spooled.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cairn.h"
#include "json.h"
#include "record.h"
#include "transport.h"

#define LIFE_AGE_US 5000000
#define LOOK_FRAMES 64 /* frames between two looks at the clock */
#define NAME_DEPTH_MAX 8

struct spooled *spooled_open(const char *path, char error[static SPOOL_ERROR_SIZE])
{
	struct spooled *spooled = calloc(1, sizeof *spooled);

	if (!spooled) {
		snprintf(error, SPOOL_ERROR_SIZE, "out of memory");
		return NULL;
	}
	spooled->last_step = NAN;
	spooled->path = strdup(path);
	if (spooled->path &&
	    spool_identity_read(path, &spooled->identity, error) == SPOOL_IDENTITY_OK)
		spooled->reader = spool_reader_open(path, 0, error);
	if (spooled->reader)
		return spooled;
	spooled_close(spooled);
	return NULL;
}

void spooled_close(struct spooled *spooled)
{
	if (!spooled)
		return;
	if (spooled->reader)
		spool_reader_close(spooled->reader);
	spool_identity_deinit(&spooled->identity);
	series_set_deinit(&spooled->history);
	series_set_deinit(&spooled->events);
	for (size_t i = 0; i < spooled->line_count; i++)
		free(spooled->lines[i].text);
	free(spooled->path);
	free(spooled);
}

/* ---- records ---------------------------------------------------------------------------------------- */

struct row {
	struct series_set *set;
	double step, time_s;
};

static void add_value(const struct row *row, const char *key, size_t length, double value)
{
	struct series *series = series_get(row->set, key, length);

	if (series)
		series_add(series, row->step, row->time_s, value);
}

static void take_metrics(const struct row *row, const struct record *record)
{
	const char *name = record->data + record->count * sizeof(double);

	for (uint32_t i = 0; i < record->count; i++) {
		size_t length = strlen(name);
		double value;

		memcpy(&value, record->data + i * sizeof value, sizeof value);
		add_value(row, name, length, value);
		name += length + 1;
	}
}

/* Numbers of an object; those of objects in it have names with dots. */
static void take_object(const struct row *row, struct json object, const struct text *before,
			int depth)
{
	struct json value = { 0 }, name;

	while (depth < NAME_DEPTH_MAX && json_next(object, &value, &name)) {
		struct text key = { 0 };
		double number;

		text_add(&key, before->data, before->length);
		json_decode(name, &key);
		if (json_is_object(value)) {
			text_add(&key, ".", 1);
			if (!key.failed)
				take_object(row, value, &key, depth + 1);
		} else if (json_number(value, &number) && text_c_string(&key) &&
			   strcmp(key.data, "_step") != 0 && strcmp(key.data, "_timestamp") != 0) {
			add_value(row, key.data, key.length, number);
		}
		text_deinit(&key);
	}
}

/* Rows without a step have the next one, as the server gives it to them. */
static double step_of(struct spooled *spooled, const struct record *record, struct json object)
{
	double step = record->number == RECORD_NO_STEP ? NAN : (double)record->number, own;

	if (json_number(json_member(object, "_step"), &own))
		step = own;
	if (isnan(step))
		step = isnan(spooled->last_step) ? 0 : spooled->last_step + 1;
	spooled->last_step = isnan(spooled->last_step) ? step : fmax(step, spooled->last_step);
	return step;
}

static void take_row(struct spooled *spooled, const struct record *record)
{
	bool is_history = record->kind == RECORD_HISTORY;
	struct row row = { is_history ? &spooled->history : &spooled->events, 0,
			   (double)record->time_us / 1e6 };
	const struct text nothing = { 0 };
	struct json object = { 0 };

	if (record->form == RECORD_JSON)
		object = json_parse(record->data, record->count);
	if (is_history) {
		row.step = step_of(spooled, record, object);
		spooled->rows++;
	}
	if (record->form == RECORD_METRICS)
		take_metrics(&row, record);
	else
		take_object(&row, object, &nothing, 0);
}

/* A line that is written again, as of a progress bar, takes the place of its former one. */
static struct spooled_line *place_of(struct spooled *spooled, const struct record *record)
{
	struct spooled_line *lines = spooled->lines;

	for (size_t i = spooled->line_count; i > 0; i--) {
		if (lines[i - 1].number == record->number && lines[i - 1].stream == record->stream)
			return &lines[i - 1];
	}
	if (spooled->line_count == SPOOLED_LINES) {
		free(lines[0].text);
		memmove(lines, lines + 1, (SPOOLED_LINES - 1) * sizeof lines[0]);
		spooled->line_count--;
	}
	lines[spooled->line_count] = (struct spooled_line){ .text = NULL };
	return &lines[spooled->line_count++];
}

static void take_line(struct spooled *spooled, const struct record *record)
{
	struct spooled_line *line = place_of(spooled, record);

	free(line->text);
	line->text = strndup(record->data, record->count);
	line->number = record->number;
	line->stream = record->stream;
	line->time_s = (double)record->time_us / 1e6;
}

static void take_record(struct spooled *spooled, const struct record *record)
{
	if (record->kind == RECORD_CONSOLE)
		take_line(spooled, record);
	else
		take_row(spooled, record);
	spooled->last_time_s = fmax(spooled->last_time_s, (double)record->time_us / 1e6);
}

static void take_frame(struct spooled *spooled, const struct spool_frame *frame)
{
	struct spool_bytes reason;
	struct spool_drop drop;

	if (frame->type == SPOOL_RECORD && frame->as_record)
		take_record(spooled, frame->as_record);
	else if (frame->type == SPOOL_END)
		spooled->has_end = spool_read_end(frame, &spooled->end, &reason);
	else if (frame->type == SPOOL_DROP && spool_read_drop(frame, &drop))
		spooled->dropped += (double)(drop.counts[0] + drop.counts[1] + drop.counts[2]);
}

void spooled_read(struct spooled *spooled, int64_t until_us)
{
	char error[SPOOL_ERROR_SIZE];
	struct spool_frame frame;
	enum spool_read got;

	if (transport_clock_us() - spooled->looked_us > LIFE_AGE_US || !spooled->looked_us) {
		spooled->life = spool_folder_life(spooled->path);
		spooled->looked_us = transport_clock_us();
	}
	spooled->is_read = false;
	for (int frames = 0; frames % LOOK_FRAMES || transport_clock_us() < until_us; frames++) {
		got = spool_reader_next(spooled->reader, &frame, error);
		if (got == SPOOL_READ_FRAME)
			take_frame(spooled, &frame);
		else if (got != SPOOL_READ_DAMAGE) {
			spooled->is_read = true;
			break;
		}
	}
	spooled->damages = spool_reader_counts(spooled->reader)->damages;
}

double spooled_heard_s(const struct spooled *spooled)
{
	char path[SPOOL_PATH_SIZE];
	struct stat stat_of;

	snprintf(path, sizeof path, "%s/alive", spooled->path);
	if (stat(path, &stat_of))
		return spooled->last_time_s;
	return (double)stat_of.st_mtime;
}

bool spooled_is_same_run(const struct spooled *a, const struct spooled *b)
{
	const char *first = a->identity.entity ? a->identity.entity : "";
	const char *second = b->identity.entity ? b->identity.entity : "";

	return strcmp(a->identity.run, b->identity.run) == 0 &&
	       strcmp(a->identity.project, b->identity.project) == 0 && strcmp(first, second) == 0;
}
