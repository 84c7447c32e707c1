/*
 * Read with the scanner, in place: what stands before a fault is taken, and what stands behind it is kept as
 * it came. Rejected: a document of all of it, which is refused as a whole for one character, and takes several
 * times the memory.
 */
#include "wandb_body.h"

#include <string.h>

#include "arena.h"
#include "clock.h"
#include "document.h"
#include "json_scan.h"
#include "sdk_console.h"
#include "sdk_role.h"
#include "unread_store.h"

enum { CONSOLE_LINE_MAX_BYTES = 64 << 10 };
#define OFFSET_MAX (INT64_C(1) << 53)

struct reading {
	struct json_scan scan;
	struct ingest_batch *batch;
	struct wandb_body *body;
	struct str client;
	const char *rest; /* what has been taken ends here */
	unsigned seen;    /* of the table of files, a bit each */
};

struct file {
	int64_t offset;
	bool has_offset; /* the offset is one */
	struct batch_rows content;
};

static void add_unread(struct reading *r, int16_t stream, struct str text)
{
	if (!r->scan.error)
		batch_add_unread(r->batch, stream, text);
}

/* ---- a file: {"offset":…, "content":[…]} ---------------------------------------------------------- */

/* From 0 to OFFSET_MAX, however it is written. */
static bool read_offset(struct json_scan *s, int64_t *ret_offset)
{
	struct str text = json_scan_raw(s);
	const struct json_doc *doc;

	return !s->error && !json_doc_parse(s->arena, text, &doc) &&
	       json_doc_int64(doc, ret_offset) && *ret_offset >= 0 && *ret_offset <= OFFSET_MAX;
}

/* A value that is not a string is read as its JSON text. */
static struct str read_line(struct json_scan *s)
{
	bool is_text = json_scan_kind(s) == JSON_KIND_STRING;

	return is_text ? json_scan_text(s, SIZE_MAX) : json_scan_raw(s);
}

static void read_content(struct reading *r, struct batch_rows *content)
{
	struct json_scan *s = &r->scan;
	size_t size = 0;

	json_scan_array(s);
	while (json_scan_item(s)) {
		struct str line = read_line(s);

		if (s->error)
			return;
		if (content->count == size)
			content->lines = arena_grow(s->arena, content->lines, &size,
						    sizeof(content->lines[0]));
		content->lines[content->count++] = line;
		r->rest = s->at;
	}
}

/* Without an offset its lines are the first. */
static void read_file(struct reading *r, struct file *file)
{
	struct json_scan *s = &r->scan;
	bool has_offset = false;
	struct str key;

	*file = (struct file){ .has_offset = true };
	if (json_scan_kind(s) != JSON_KIND_OBJECT) {
		add_unread(r, UNREAD_OTHER, json_scan_raw(s));
		return;
	}
	json_scan_object(s);
	while (json_scan_key(s, &key)) {
		if (str_is(key, "offset")) {
			has_offset = true;
			file->has_offset = read_offset(s, &file->offset);
		} else if (!str_is(key, "content")) {
			json_scan_raw(s);
		} else if (json_scan_kind(s) == JSON_KIND_ARRAY && !file->content.count) {
			read_content(r, &file->content);
		} else {
			add_unread(r, UNREAD_OTHER, json_scan_raw(s));
		}
	}
	if (s->error && !has_offset)
		file->has_offset = false;
}

/* ---- rows ----------------------------------------------------------------------------------------- */

static void take_rows(const struct file *file, struct batch_rows *rows, struct line_range *range)
{
	*rows = file->content;
	*range = (struct line_range){ file->offset, file->offset + (int64_t)rows->count };
}

static void take_history(struct reading *r, const struct file *file)
{
	take_rows(file, &r->body->parts.history, &r->body->lines[LINE_FILE_HISTORY]);
}

/* ---- events: a process with a label adds it to each key, "system.cpu/l:rank0" -------------------- */

static const char label_sign[] = "/l:";

/* The line without labels in its keys; what is no object stays as it is. */
static struct str without_labels(struct reading *r, struct str line)
{
	struct arena *a = r->scan.arena;
	struct json_member *members;
	const struct json_doc *row;

	if (!line.len || !memmem(line.at, line.len, label_sign, strlen(label_sign)) ||
	    json_doc_parse(a, line, &row) || !json_doc_is(row, JSON_KIND_OBJECT))
		return line;
	members = arena_new_array(a, struct json_member, row->count);
	for (size_t i = 0; i < row->count; i++) {
		struct str label;

		members[i] = row->members[i];
		members[i].name = sdk_role_event_key(members[i].name, &label);
		if (label.len)
			r->body->label = label;
	}
	return json_doc_dump(a, json_doc_object(a, members, row->count));
}

static void take_events(struct reading *r, const struct file *file)
{
	struct batch_rows *rows = &r->body->parts.events;

	take_rows(file, rows, &r->body->lines[LINE_FILE_EVENTS]);
	for (size_t i = 0; i < rows->count; i++)
		rows->lines[i] = without_labels(r, rows->lines[i]);
}

/* ---- console -------------------------------------------------------------------------------------- */

static struct line read_console_line(struct reading *r, struct str text, int64_t number,
				     int64_t now_us)
{
	const struct sdk_console_ask ask = { r->client.len ? SDK_CONSOLE_ANY_LABEL
							   : SDK_CONSOLE_NO_LABEL,
					     { NULL, 0 } };
	struct sdk_console_line line = sdk_console_read(r->scan.arena, text, &ask);

	if (line.label.len)
		r->body->label = line.label;
	return (struct line){
		.number = number,
		.time_us = line.has_time ? line.time_us : now_us,
		.stream = line.is_stderr ? LINE_STDERR : LINE_STDOUT,
		.text = str_head(line.text, CONSOLE_LINE_MAX_BYTES),
	};
}

/* How many of so many lines have a number that a line can have. */
static size_t countable(const struct file *file)
{
	int64_t room = file->offset > INT32_MAX ? 0 : INT32_MAX - file->offset + 1;

	if (room > LINES_MAX)
		room = LINES_MAX;
	return file->content.count < (size_t)room ? file->content.count : (size_t)room;
}

static void take_console(struct reading *r, const struct file *file)
{
	struct lines *lines = &r->body->parts.console;
	int64_t now_us = clock_wall_us().us;
	size_t count = countable(file);

	lines->items = arena_new_array(r->scan.arena, struct line, count + 1);
	for (size_t i = 0; i < count; i++)
		lines->items[lines->count++] = read_console_line(r, file->content.lines[i],
								 file->offset + (int64_t)i, now_us);
	for (size_t i = count; i < file->content.count; i++)
		batch_add_unread(r->batch, UNREAD_OTHER, file->content.lines[i]);
}

/* ---- the rest ------------------------------------------------------------------------------------- */

/* Always whole, so the last line counts, wherever it stands. */
static void take_summary(struct reading *r, const struct file *file)
{
	struct str text = file->content.lines[file->content.count - 1];
	const struct json_doc_members how = { LEFT_OUT_SUMMARY, DOCUMENT_MAX_BYTES, false,
					      &r->batch->left_out };
	const struct json_doc *summary;

	if (json_doc_parse_members(r->batch->arena, text, &how, &summary) ||
	    !json_doc_is(summary, JSON_KIND_OBJECT))
		batch_add_unread(r->batch, UNREAD_OTHER, text);
	else
		r->body->summary = summary;
}

static const struct {
	const char *name;
	void (*take)(struct reading *r, const struct file *file);
	int16_t stream;
	bool is_numbered; /* lines are nothing without their numbers */
} files[] = {
	{ "wandb-history.jsonl", take_history, STREAM_HISTORY, true },
	{ "wandb-events.jsonl", take_events, STREAM_EVENTS, true },
	{ "output.log", take_console, UNREAD_OTHER, true },
	{ "wandb-summary.json", take_summary, UNREAD_OTHER, false },
};
enum { FILES = sizeof(files) / sizeof(files[0]) };

static void take_file(struct reading *r, unsigned which)
{
	struct file file;

	read_file(r, &file);
	if (!file.content.count)
		return;
	if (file.has_offset || !files[which].is_numbered) {
		files[which].take(r, &file);
		return;
	}
	for (size_t i = 0; i < file.content.count; i++)
		batch_add_unread(r->batch, files[which].stream, file.content.lines[i]);
}

static void read_files(struct reading *r)
{
	struct json_scan *s = &r->scan;
	struct str key;

	if (json_scan_kind(s) != JSON_KIND_OBJECT) {
		json_scan_raw(s);
		return;
	}
	json_scan_object(s);
	while (json_scan_key(s, &key)) {
		unsigned which = 0;

		while (which < FILES && !str_is(key, files[which].name))
			which++;
		if (which == FILES)
			json_scan_raw(s);
		else if (r->seen & 1u << which)
			add_unread(r, files[which].stream, json_scan_raw(s));
		else
			take_file(r, which);
		if (which < FILES)
			r->seen |= 1u << which;
	}
}

static bool read_truth(struct json_scan *s)
{
	if (json_scan_kind(s) == JSON_KIND_BOOL)
		return json_scan_bool(s);
	json_scan_raw(s);
	return false;
}

static int32_t read_exit_code(struct json_scan *s)
{
	struct str text = json_scan_raw(s);
	const struct json_doc *doc;
	int64_t code;

	if (s->error || json_doc_parse(s->arena, text, &doc) || !json_doc_int64(doc, &code))
		return 0;
	return code < -255 || code > 255 ? 255 : (int32_t)code;
}

static void read_members(struct reading *r)
{
	struct json_scan *s = &r->scan;
	struct str key;

	json_scan_object(s);
	while (json_scan_key(s, &key)) {
		if (str_is(key, "files"))
			read_files(r);
		else if (str_is(key, "complete"))
			r->body->is_complete = read_truth(s);
		else if (str_is(key, "preempting"))
			r->body->is_preempting = read_truth(s);
		else if (str_is(key, "exitcode"))
			r->body->exit_code = read_exit_code(s);
		else
			json_scan_raw(s);
		if (!s->error)
			r->rest = s->at;
	}
}

/* Out of the body, whose memory ends sooner. */
static void keep_label(struct reading *r)
{
	struct str label = r->body->label;

	r->body->label = (struct str){ str_copy(r->batch->arena, label), label.len };
}

/* A text that is not UTF-8 is stored as received, and read with "?" for the invalid bytes. */
static struct str mended(struct reading *r, struct arena *a, struct str text)
{
	char *copy = arena_alloc(a, text.len + JSON_SCAN_PADDING);

	batch_add_unread(r->batch, UNREAD_OTHER, text);
	batch_make_storable(copy, text);
	memset(copy + text.len, 0, JSON_SCAN_PADDING);
	return (struct str){ copy, text.len };
}

err_t wandb_body_read(const struct wandb_body_ask *ask, struct str text,
		      struct wandb_body *ret_body)
{
	struct reading r = { .batch = ask->batch, .body = ret_body, .client = ask->client };
	bool is_mended;
	struct str rest;
	err_t e;

	*ret_body = (struct wandb_body){ .summary = NULL };
	json_scan_begin(&r.scan, ask->arena, text);
	is_mended = r.scan.error != NULL;
	if (is_mended) {
		text = mended(&r, ask->arena, text);
		json_scan_begin(&r.scan, ask->arena, text);
	}
	r.rest = text.at;
	read_members(&r);
	e = json_scan_end(&r.scan);
	if (e && e->kind == ERR_BUSY)
		return e;
	rest = (struct str){ r.rest, (size_t)(text.at + text.len - r.rest) };
	if (e && !is_mended)
		batch_add_unread(ask->batch, UNREAD_OTHER, rest);
	keep_label(&r);
	return NULL;
}
