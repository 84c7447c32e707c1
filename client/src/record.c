/*
 * Records are written twice: once in the thread of the host program, where every nanosecond counts,
 * as a copy; once by the sender, as JSON.
 */
#include "record.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "number.h"
#include "utf8.h"

#define ROW_HEAD_MAX_BYTES 128 /* the braces, time and step */

static size_t round_up(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Names that mean something to the server. */
static bool is_reserved(const char *name)
{
	return strcmp(name, "_step") == 0 || strcmp(name, "_timestamp") == 0 ||
	       strcmp(name, "_row") == 0 || strcmp(name, "_label") == 0;
}

/* Length of a metric's name; 0 when it is none. A call for each name would cost cairn_log() three percent. */
__attribute__((always_inline)) static inline size_t name_length(const char *name)
{
	size_t length = name ? strnlen(name, RECORD_NAME_MAX_BYTES + 1) : 0;

	if (!name || !utf8_is_text(name, length, RECORD_NAME_MAX_BYTES))
		return 0;
	return name[0] == '_' && is_reserved(name) ? 0 : length;
}

/* Whether the row is short enough as JSON. An escape has six bytes, so few rows have to be looked through. */
static bool fits_row(size_t count, const struct cairn_metric *metrics, size_t name_bytes)
{
	size_t length = ROW_HEAD_MAX_BYTES + count * (NUMBER_TEXT_MAX + 4);

	if (length + 6 * name_bytes <= RECORD_ROW_MAX_BYTES)
		return true;
	for (size_t i = 0; i < count; i++) {
		for (const char *c = metrics[i].name; *c; c++)
			length += (unsigned char)*c < 0x20 || strchr("\"\\\x7f", *c) ? 6 : 1;
	}
	return length <= RECORD_ROW_MAX_BYTES;
}

size_t record_metrics_size(size_t count, const struct cairn_metric *metrics)
{
	size_t size = sizeof(struct record) + count * sizeof(double);
	size_t name_bytes = 0;

	if (count == 0 || count > RECORD_METRICS_MAX || !metrics)
		return 0;
	for (size_t i = 0; i < count; i++) {
		size_t length = name_length(metrics[i].name);

		if (length == 0)
			return 0;
		name_bytes += length;
	}
	return fits_row(count, metrics, name_bytes) ? round_up(size + name_bytes + count) : 0;
}

size_t record_text_size(size_t length)
{
	return round_up(sizeof(struct record) + length);
}

/* Records are written to the spool as they are: no byte of them is left as it was. */
static void clear_rest(struct record *record, size_t size)
{
	record->unused = 0;
	record->stream = 0;
	memset((char *)record + size - 8, 0, 8);
}

void record_put_metrics(struct record *record, size_t size, size_t count,
			const struct cairn_metric *metrics)
{
	char *values = record->data, *names = record->data + count * sizeof(double);

	clear_rest(record, size);
	record->size = (uint32_t)size;
	record->count = (uint32_t)count;
	record->form = RECORD_METRICS;
	record->flags = 0;
	for (size_t i = 0; i < count; i++) {
		memcpy(values + i * sizeof(double), &metrics[i].value, sizeof(double));
		names = stpcpy(names, metrics[i].name) + 1;
	}
}

void record_put_text(struct record *record, size_t size, const char *bytes, size_t length)
{
	clear_rest(record, size);
	record->size = (uint32_t)size;
	record->count = (uint32_t)length;
	record->flags = 0;
	memcpy(record->data, bytes, length);
}

static bool is_metrics(const struct record *record, size_t data_bytes)
{
	const char *name, *end = record->data + data_bytes;

	if (record->kind == RECORD_CONSOLE || record->count == 0 ||
	    record->count > RECORD_METRICS_MAX || record->count * sizeof(double) > data_bytes)
		return false;
	name = record->data + record->count * sizeof(double);
	for (uint32_t i = 0; i < record->count; i++) {
		const char *stop = memchr(name, 0, (size_t)(end - name));

		if (!stop || name_length(name) == 0)
			return false;
		name = stop + 1;
	}
	return true;
}

static bool is_object(const struct record *record, size_t data_bytes)
{
	struct json object, value = { 0 };

	if (record->kind == RECORD_CONSOLE || record->count > data_bytes)
		return false;
	object = json_parse(record->data, record->count);
	return object.at == record->data && object.length == record->count &&
	       json_is_object(object) && json_next(object, &value, NULL);
}

static bool is_line(const struct record *record, size_t data_bytes)
{
	return record->kind == RECORD_CONSOLE && record->count <= data_bytes &&
	       record->count <= RECORD_LINE_MAX_BYTES && record->number >= 0 &&
	       (record->stream == CAIRN_STDOUT || record->stream == CAIRN_STDERR);
}

bool record_check(const void *bytes, size_t size)
{
	const struct record *record = bytes;

	if (size < sizeof *record || size % 8 || record->size != size)
		return false;
	if (record->kind >= RECORD_KINDS || record->number < RECORD_NO_STEP ||
	    record->number > RECORD_STEP_MAX || record->time_us < 0 ||
	    record->time_us > RECORD_TIME_MAX_US)
		return false;
	switch (record->form) {
	case RECORD_METRICS:
		return is_metrics(record, size - sizeof *record);
	case RECORD_JSON:
		return is_object(record, size - sizeof *record);
	default:
		return record->form == RECORD_LINE && is_line(record, size - sizeof *record);
	}
}

void name_set_deinit(struct name_set *set)
{
	free(set->slots);
	*set = (struct name_set){ 0 };
}

/* Empty slots, at least twice as many as names. */
static size_t prepare(struct name_set *set, size_t count)
{
	size_t capacity = 16;
	uint32_t *slots;

	while (capacity < count * 2)
		capacity *= 2;
	if (capacity > set->capacity) {
		slots = realloc(set->slots, capacity * sizeof *slots);
		if (!slots)
			return 0;
		set->slots = slots;
		set->capacity = capacity;
	}
	memset(set->slots, 0, capacity * sizeof *set->slots);
	return capacity;
}

struct metric_text {
	const char *name;
	double value;
};

/* Whether the name is new among those before it; a name that came twice keeps the later value. */
static bool is_new(struct name_set *set, size_t capacity, struct metric_text *metrics, size_t index)
{
	size_t slot = text_hash(metrics[index].name) & (capacity - 1);

	for (; set->slots[slot]; slot = (slot + 1) & (capacity - 1)) {
		size_t other = set->slots[slot] - 1;

		if (strcmp(metrics[other].name, metrics[index].name) == 0) {
			metrics[other].value = metrics[index].value;
			return false;
		}
	}
	set->slots[slot] = (uint32_t)index + 1;
	return true;
}

static void write_head(const struct record *record, struct text *text)
{
	text_str(text, "{");
	if (!(record->flags & RECORD_HAS_TIME)) {
		text_str(text, "\"_timestamp\":");
		text_json_time(text, record->time_us);
	}
	if (record->number != RECORD_NO_STEP) {
		text_str(text, ",\"_step\":");
		text_int(text, record->number);
	}
}

static bool write_metrics(const struct record *record, struct name_set *set, struct text *text)
{
	struct metric_text few[64], *metrics = few;
	const char *name = record->data + record->count * sizeof(double);
	size_t capacity = prepare(set, record->count), kept = 0;

	if (capacity && record->count > sizeof few / sizeof few[0])
		metrics = malloc(record->count * sizeof *metrics);
	if (capacity == 0 || !metrics)
		return false;
	for (size_t i = 0; i < record->count; i++, name += strlen(name) + 1) {
		metrics[kept].name = name;
		memcpy(&metrics[kept].value, record->data + i * sizeof(double), sizeof(double));
		kept += is_new(set, capacity, metrics, kept);
	}
	write_head(record, text);
	for (size_t i = 0; i < kept; i++) {
		text_add(text, ",", 1);
		text_json_string(text, metrics[i].name, strlen(metrics[i].name));
		text_add(text, ":", 1);
		text_json_number(text, metrics[i].value);
	}
	text_add(text, "}", 1);
	if (metrics != few)
		free(metrics);
	return !text->failed;
}

/* The object's members behind ours; it is checked, and not empty. */
static bool write_json(const struct record *record, struct text *text)
{
	bool has_own = !(record->flags & RECORD_HAS_TIME) || record->number != RECORD_NO_STEP;

	write_head(record, text);
	if (has_own)
		text_add(text, ",", 1);
	text_add(text, record->data + 1, record->count - 1);
	return !text->failed;
}

static bool write_line(const struct record *record, struct text *text)
{
	text_str(text, "{\"line\":");
	text_int(text, record->number);
	text_str(text, record->stream == CAIRN_STDERR ? ",\"stream\":\"stderr\",\"time\":"
						      : ",\"stream\":\"stdout\",\"time\":");
	text_json_time(text, record->time_us);
	text_str(text, ",\"text\":");
	text_json_string(text, record->data, record->count);
	text_str(text, "}");
	return !text->failed;
}

bool record_write(const struct record *record, struct name_set *names, struct text *text)
{
	switch (record->form) {
	case RECORD_METRICS:
		return write_metrics(record, names, text);
	case RECORD_JSON:
		return write_json(record, text);
	default:
		return write_line(record, text);
	}
}
