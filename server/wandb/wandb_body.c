#include "wandb_body.h"

#include <string.h>

#include "arena.h"
#include "clock.h"
#include "sdk_console.h"
#include "sdk_role.h"
#include "unread_store.h"

enum { CONSOLE_LINE_MAX_BYTES = 64 << 10 };
#define OFFSET_MAX (INT64_C(1) << 53)

struct reading {
	struct arena *arena;
	struct ingest_batch *batch;
	struct wandb_body *body;
	struct str client;
};

struct file {
	int64_t offset;
	const struct json_doc *content; /* an array of texts */
};

/* A file is left out when it has no lines or is none; what is no text among its lines, too. */
static bool read_file(struct reading *r, const struct json_doc *files, const char *name,
		      struct file *ret_file)
{
	const struct json_doc *file = json_doc_get_named(files, name);
	const struct json_doc *content = json_doc_get_named(file, "content");

	*ret_file = (struct file){ 0, content };
	if (!json_doc_is(content, JSON_KIND_ARRAY)) {
		if (file)
			batch_add_unread(r->batch, UNREAD_OTHER, json_doc_dump(r->arena, file));
		return false;
	}
	if (!json_doc_int64(json_doc_get_named(file, "offset"), &ret_file->offset) ||
	    ret_file->offset < 0 || ret_file->offset > OFFSET_MAX)
		ret_file->offset = 0;
	return content->count;
}

static struct str text_of(const struct json_doc *line)
{
	return json_doc_is(line, JSON_KIND_STRING) ? line->text : STR("");
}

/* ---- rows ----------------------------------------------------------------------------------------- */

static void read_rows(struct reading *r, const struct file *file, struct batch_rows *rows,
		      struct line_range *range)
{
	rows->lines = arena_new_array(r->arena, struct str, file->content->count);
	for (size_t i = 0; i < file->content->count; i++)
		rows->lines[rows->count++] = text_of(file->content->items[i]);
	*range = (struct line_range){ file->offset, file->offset + (int64_t)rows->count };
}

/* ---- events: a process with a label adds it to each key, "system.cpu/l:rank0" -------------------- */

static const char label_sign[] = "/l:";

/* The line without labels in its keys; what is no object stays as it is. */
static struct str without_labels(struct reading *r, struct str line)
{
	struct json_member *members;
	const struct json_doc *row;

	if (!memmem(line.at, line.len, label_sign, strlen(label_sign)) ||
	    json_doc_parse(r->arena, line, &row) || !json_doc_is(row, JSON_KIND_OBJECT))
		return line;
	members = arena_new_array(r->arena, struct json_member, row->count);
	for (size_t i = 0; i < row->count; i++) {
		struct str label;

		members[i] = row->members[i];
		members[i].name = sdk_role_event_key(members[i].name, &label);
		if (label.len)
			r->body->label = label;
	}
	return json_doc_dump(r->arena, json_doc_object(r->arena, members, row->count));
}

static void read_events(struct reading *r, const struct file *file)
{
	struct batch_rows *rows = &r->body->parts.events;

	read_rows(r, file, rows, &r->body->lines[LINE_FILE_EVENTS]);
	for (size_t i = 0; i < rows->count; i++)
		rows->lines[i] = without_labels(r, rows->lines[i]);
}

/* ---- console -------------------------------------------------------------------------------------- */

/* Not in the middle of a character. */
static struct str cut(struct str text)
{
	size_t len = CONSOLE_LINE_MAX_BYTES;

	if (text.len <= CONSOLE_LINE_MAX_BYTES)
		return text;
	while (len && ((unsigned char)text.at[len] & 0xc0) == 0x80)
		len--;
	return (struct str){ text.at, len };
}

static void read_console(struct reading *r, const struct file *file)
{
	const struct sdk_console_ask ask = { r->client.len ? SDK_CONSOLE_ANY_LABEL
							   : SDK_CONSOLE_NO_LABEL,
					     { NULL, 0 } };
	struct lines *lines = &r->body->parts.console;
	int64_t now_us = clock_wall_us().us;

	lines->items = arena_new_array(r->arena, struct line, file->content->count);
	for (size_t i = 0; i < file->content->count && i < LINES_MAX; i++) {
		struct sdk_console_line line =
			sdk_console_read(r->arena, text_of(file->content->items[i]), &ask);

		if (line.label.len)
			r->body->label = line.label;
		if (file->offset + (int64_t)i > INT32_MAX)
			break;
		lines->items[lines->count++] = (struct line){
			.number = file->offset + (int64_t)i,
			.time_us = line.has_time ? line.time_us : now_us,
			.stream = line.is_stderr ? LINE_STDERR : LINE_STDOUT,
			.text = cut(line.text),
		};
	}
}

/* ---- the rest ------------------------------------------------------------------------------------- */

/* Always whole, so the last line counts, wherever it stands. */
static void read_summary(struct reading *r, const struct file *file)
{
	struct str text = text_of(file->content->items[file->content->count - 1]);
	const struct json_doc *summary;

	if (json_doc_parse(r->batch->arena, text, &summary) ||
	    !json_doc_is(summary, JSON_KIND_OBJECT))
		batch_add_unread(r->batch, UNREAD_OTHER, text);
	else
		r->body->summary = summary;
}

static bool is_true(const struct json_doc *body, const char *name)
{
	const struct json_doc *value = json_doc_get_named(body, name);

	return json_doc_is(value, JSON_KIND_BOOL) && value->truth;
}

static void read_end(const struct json_doc *doc, struct wandb_body *body)
{
	int64_t exit_code = 0;

	body->is_complete = is_true(doc, "complete");
	body->is_preempting = is_true(doc, "preempting");
	if (json_doc_int64(json_doc_get_named(doc, "exitcode"), &exit_code) &&
	    (exit_code < -255 || exit_code > 255))
		exit_code = 255;
	body->exit_code = (int32_t)exit_code;
}

/* What is no UTF-8 cannot be kept as text: what is readable of it is. */
static struct str readable(struct arena *a, struct str bytes)
{
	struct str head = { bytes.at,
			    bytes.len < RUN_UNREAD_MAX_BYTES ? bytes.len : RUN_UNREAD_MAX_BYTES };
	char *text = arena_alloc(a, head.len + 1);
	size_t len = 0;

	for (size_t i = 0; i < head.len;) {
		size_t size = str_utf8_sequence(head.at + i, head.len - i);

		if (size && head.at[i])
			memcpy(text + len, head.at + i, size);
		else
			text[len] = '?';
		len += size && head.at[i] ? size : 1;
		i += size ? size : 1;
	}
	return (struct str){ text, len };
}

/* Out of the body, whose memory ends sooner. */
static void keep_label(struct reading *r)
{
	struct str label = r->body->label;

	r->body->label = (struct str){ str_copy(r->batch->arena, label), label.len };
}

err_t wandb_body_read(const struct wandb_body_ask *ask, struct str text,
		      struct wandb_body *ret_body)
{
	struct reading r = { ask->arena, ask->batch, ret_body, ask->client };
	const struct json_doc *doc, *files;
	struct file file;
	err_t e = json_doc_parse(ask->arena, text, &doc);

	*ret_body = (struct wandb_body){ .summary = NULL };
	if (e && e->kind == ERR_BUSY)
		return e;
	if (e || !json_doc_is(doc, JSON_KIND_OBJECT)) {
		batch_add_unread(ask->batch, UNREAD_OTHER, readable(ask->arena, text));
		return NULL;
	}
	files = json_doc_get_named(doc, "files");
	if (read_file(&r, files, "wandb-history.jsonl", &file))
		read_rows(&r, &file, &ret_body->parts.history, &ret_body->lines[LINE_FILE_HISTORY]);
	if (read_file(&r, files, "wandb-events.jsonl", &file))
		read_events(&r, &file);
	if (read_file(&r, files, "output.log", &file))
		read_console(&r, &file);
	if (read_file(&r, files, "wandb-summary.json", &file))
		read_summary(&r, &file);
	read_end(doc, ret_body);
	keep_label(&r);
	return NULL;
}
