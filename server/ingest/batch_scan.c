#include "batch_scan.h"

#include <math.h>

#include "arena.h"
#include "batch_blocks.h"
#include "buf.h"
#include "clock.h"
#include "document.h"
#include "json_rows.h"
#include "json_scan.h"
#include "lines.h"
#include "name.h"
#include "row_axes.h"

enum {
	LINE_MAX_BYTES = 64 << 10,
};
#define DROPPED_MAX (INT64_C(1) << 53)
#define RECORD_MAX (INT64_C(1) << 53)

enum field {
	FIELD_WRITER = 1 << 0,
	FIELD_SESSION = 1 << 1,
	FIELD_BATCH = 1 << 2,
	FIELD_HISTORY = 1 << 3,
	FIELD_EVENTS = 1 << 4,
	FIELD_CONSOLE = 1 << 5,
	FIELD_CONFIG = 1 << 6,
	FIELD_SUMMARY = 1 << 7,
	FIELD_DROPPED = 1 << 8,
	FIELD_RECORD_FIRST = 1 << 9,
	FIELD_PREEMPTING = 1 << 10,
	FIELD_STREAM = 1 << 11,
};
enum { FIELDS_REQUIRED = FIELD_WRITER | FIELD_SESSION | FIELD_BATCH };

struct scan {
	struct json_scan json;
	struct ingest_batch *batch;
	struct json_rows history;
	struct json_rows events;
	struct lines lines;
	struct str config;
	struct str summary;
	unsigned seen;
};

typedef void read_fn(struct scan *s);

/* ---- fields ---------------------------------------------------------------------------------- */

static void read_writer(struct scan *s)
{
	s->batch->client = json_scan_text(&s->json, NAME_CLIENT_MAX);
	if (!s->json.error && !name_is_valid(NAME_CLIENT, s->batch->client))
		json_scan_fail(&s->json,
			       "invalid client id: expected 1 to %d characters of A-Z "
			       "a-z 0-9 _ . : -",
			       NAME_CLIENT_MAX);
}

static void read_session(struct scan *s)
{
	s->batch->session = (int32_t)json_scan_int64(&s->json, 1, INT32_MAX);
}

static void read_batch(struct scan *s)
{
	s->batch->batch = json_scan_int64(&s->json, 1, INT64_C(1) << 53);
}

static void read_record_first(struct scan *s)
{
	s->batch->records.first = json_scan_int64(&s->json, 0, RECORD_MAX);
	s->batch->records.has_first = true;
}

static void read_record_stream(struct scan *s)
{
	s->batch->records.stream = json_scan_text(&s->json, SIZE_MAX);
	if (!s->json.error && !name_is_valid(NAME_STREAM, s->batch->records.stream))
		json_scan_fail(&s->json,
			       "invalid stream: expected 1 to %d characters of A-Z a-z 0-9 _ -",
			       NAME_STREAM_MAX);
}

static void read_preempting(struct scan *s)
{
	s->batch->is_preempting = json_scan_bool(&s->json);
}

static void read_history(struct scan *s)
{
	json_scan_rows(&s->json, &s->history);
}

static void read_events(struct scan *s)
{
	json_rows_init(&s->events, s->json.arena, 4096);
	s->events.kind = LEFT_OUT_EVENTS;
	json_scan_rows(&s->json, &s->events);
}

static int64_t read_time_us(struct json_scan *json)
{
	double seconds = json_scan_double(json);

	if (!isfinite(seconds) || seconds < 0 || seconds > 1e11) {
		json_scan_fail(json, "must be seconds since 1970");
		return 0;
	}
	return llround(seconds * 1e6);
}

static enum line_stream read_stream(struct json_scan *json)
{
	struct str name = json_scan_text(json, 16);

	if (str_is(name, "stderr"))
		return LINE_STDERR;
	if (!str_is(name, "stdout"))
		json_scan_fail(json, "must be \"stdout\" or \"stderr\"");
	return LINE_STDOUT;
}

static void read_line_field(struct scan *s, struct str key, struct line *line, unsigned *seen)
{
	static const char *const names[] = { "line", "stream", "time", "text" };
	unsigned which = 0;

	while (which < 4 && !str_is(key, names[which]))
		which++;
	if (which == 4 || *seen & 1u << which) {
		json_scan_fail(&s->json, which == 4 ? "unknown field" : "duplicate field");
		return;
	}
	*seen |= 1u << which;
	if (which == 0)
		line->number = json_scan_int64(&s->json, 0, INT32_MAX);
	else if (which == 1)
		line->stream = read_stream(&s->json);
	else if (which == 2)
		line->time_us = read_time_us(&s->json);
	else
		line->text = json_scan_text(&s->json, LINE_MAX_BYTES);
}

static void read_line(struct scan *s, struct line *line)
{
	unsigned seen = 0;
	struct str key;

	*line = (struct line){ .time_us = 0 };
	json_scan_object(&s->json);
	while (json_scan_key(&s->json, &key))
		read_line_field(s, key, line, &seen);
	if (!s->json.error && (!(seen & 1) || !(seen & 8)))
		json_scan_fail(&s->json, "a console line requires \"line\" and \"text\"");
	if (!(seen & 4))
		line->time_us = clock_wall_us().us;
}

static void read_console(struct scan *s)
{
	struct buf *lines = buf_new(s->json.arena);
	uint32_t count = 0;

	json_scan_array(&s->json);
	while (json_scan_item(&s->json)) {
		struct line line;

		read_line(s, &line);
		buf_add(lines, &line, sizeof(line));
		if (++count > LINES_MAX)
			json_scan_fail(&s->json, "more than %d console lines", LINES_MAX);
	}
	s->lines = (struct lines){ count, (struct line *)(void *)lines->at };
}

static void read_config(struct scan *s)
{
	s->config = json_scan_raw(&s->json);
}

static void read_summary(struct scan *s)
{
	s->summary = json_scan_raw(&s->json);
}

static void read_dropped(struct scan *s)
{
	static const char *const names[] = { "history", "events", "console" };
	unsigned seen = 0;
	struct str key;

	json_scan_object(&s->json);
	while (json_scan_key(&s->json, &key)) {
		unsigned which = 0;

		while (which < 3 && !str_is(key, names[which]))
			which++;
		if (which == 3 || seen & 1u << which)
			json_scan_fail(&s->json, which == 3 ? "unknown field" : "duplicate field");
		seen |= 1u << which;
		s->batch->dropped_rows += json_scan_int64(&s->json, 0, DROPPED_MAX);
	}
}

static const struct {
	const char *name;
	enum field field;
	read_fn *read;
} fields[] = {
	{ "writer", FIELD_WRITER, read_writer },
	{ "session", FIELD_SESSION, read_session },
	{ "batch", FIELD_BATCH, read_batch },
	{ "history", FIELD_HISTORY, read_history },
	{ "events", FIELD_EVENTS, read_events },
	{ "console", FIELD_CONSOLE, read_console },
	{ "config", FIELD_CONFIG, read_config },
	{ "summary", FIELD_SUMMARY, read_summary },
	{ "dropped", FIELD_DROPPED, read_dropped },
	{ "record_first", FIELD_RECORD_FIRST, read_record_first },
	{ "stream", FIELD_STREAM, read_record_stream },
	{ "preempting", FIELD_PREEMPTING, read_preempting },
};

static void read_field(struct scan *s, struct str key)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!str_is(key, fields[i].name))
			continue;
		if (s->seen & fields[i].field)
			json_scan_fail(&s->json, "duplicate field");
		s->seen |= fields[i].field;
		fields[i].read(s);
		return;
	}
	json_scan_fail(&s->json, "unknown field");
}

static err_t read_body(struct scan *s, const struct batch_source *from)
{
	struct str key;
	err_t e;

	json_scan_begin(&s->json, from->scratch, from->body);
	json_scan_object(&s->json);
	while (json_scan_key(&s->json, &key))
		read_field(s, key);
	e = json_scan_end(&s->json);
	if (e)
		return e;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].field & FIELDS_REQUIRED & ~s->seen)
			return err_field(s->batch->arena, ERR_INVALID, fields[i].name,
					 "\"%s\" is missing", fields[i].name);
	}
	return NULL;
}

/* ---- documents ---------------------------------------------------------------------------------- */

static err_t make_document(struct arena *a, const char *field, struct str json,
			   const struct json_doc **ret_doc)
{
	err_t e;

	if (!json.len)
		return NULL;
	if (json.len > DOCUMENT_MAX_BYTES)
		return err_field(a, ERR_UNPROCESSABLE, field, "\"%s\" has more than %d bytes",
				 field, DOCUMENT_MAX_BYTES);
	e = json_doc_parse(a, json, ret_doc);
	if (e) {
		struct err *named = err_field(
			a, e->kind, e->field ? arena_printf(a, "%s.%s", field, e->field) : field,
			"%s", e->message);
		return named;
	}
	if (!json_doc_is(*ret_doc, JSON_KIND_OBJECT))
		return err_field(a, ERR_INVALID, field, "\"%s\" must be an object", field);
	return NULL;
}

static struct str copy(struct arena *a, struct str s)
{
	return (struct str){ str_copy(a, s), s.len };
}

/* Copies the only texts that still point into the body. */
static void keep_names(struct ingest_batch *batch)
{
	batch->client = copy(batch->arena, batch->client);
	batch->records.stream = copy(batch->arena, batch->records.stream);
}

err_t batch_scan(struct ingest *ingest, const struct batch_source *from, struct ingest_batch *batch)
{
	struct scan s = { .batch = batch };
	err_t e;

	json_rows_init(&s.history, from->scratch, from->body.len);
	e = read_body(&s, from);
	if (!e)
		e = make_document(batch->arena, "config", s.config, &batch->config);
	if (!e)
		e = make_document(batch->arena, "summary", s.summary, &batch->summary);
	if (e)
		return e;
	if (s.history.row_count)
		row_axes_history(&s.history, batch_now_s());
	if (s.events.row_count)
		row_axes_events(&s.events, batch_now_s());
	keep_names(batch);
	batch_take_digest(batch, from->body);
	e = batch_make_blocks(ingest, from->db, &s.history, &s.events, batch);
	if (!e && s.lines.count)
		batch_make_lines(ingest, from->scratch, &s.lines, batch);
	return e;
}

err_t batch_scan_rows(struct ingest *ingest, const struct batch_source *from,
		      struct ingest_batch *batch)
{
	struct json_rows none = { .row_count = 0 };
	struct json_scan json;
	struct json_rows rows;
	err_t e;

	json_rows_init(&rows, from->scratch, from->body.len);
	json_scan_begin(&json, from->scratch, from->body);
	json_scan_rows_body(&json, &rows);
	e = json_scan_end(&json);
	if (e)
		return e;
	if (!rows.row_count)
		return err_new(from->scratch, ERR_INVALID, "the body contains no row");
	row_axes_history(&rows, batch_now_s());
	batch_take_digest(batch, from->body);
	if (!batch->project_id)
		return NULL;
	return batch_make_blocks(ingest, from->db, &rows, &none, batch);
}
