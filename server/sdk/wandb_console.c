/*
 * Console lines of a run. Lines of one writer are ordered by number. Lines of several writers are ordered by time,
 * since their numbers are unrelated; a line's number is then its position among all lines, so numbers ascend. A
 * cursor holds the position of the last line in either order and the number it was given.
 */
#include "wandb_console.h"

#include <inttypes.h>

#include "arena.h"
#include "console_lines.h"
#include "console_times.h"
#include "json_doc.h"
#include "labels.h"
#include "sdk_role.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_run.h"

enum { LINES_AT_ONCE = 1000, LINES_MOST = 10000, LINES_BYTES = 8 << 20 };

#define CURSOR_KIND "LogLineCursor"

struct log_line {
	struct str cursor;
	struct line line;
	int64_t number;
	struct str label;
};

/* ---- a line --------------------------------------------------------------------------------------- */

static err_t line_number(struct gql_call *call)
{
	json_out_int(call->out, ((const struct log_line *)call->parent)->number);
	return NULL;
}

static err_t line_time(struct gql_call *call)
{
	const struct log_line *l = call->parent;

	json_out_time(call->out, (timestamp_us){ l->line.time_us });
	return NULL;
}

static err_t line_level(struct gql_call *call)
{
	const struct log_line *l = call->parent;

	json_out_text(call->out, l->line.stream == LINE_STDERR ? STR("error") : STR(""));
	return NULL;
}

static err_t line_text(struct gql_call *call)
{
	json_out_text(call->out, ((const struct log_line *)call->parent)->line.text);
	return NULL;
}

static const struct gql_field line_fields[] = {
	GQL_VALUE_FIELD("number", NULL, line_number),
	GQL_VALUE_FIELD("timestamp", NULL, line_time),
	GQL_VALUE_FIELD("level", NULL, line_level),
	GQL_MEMBER("label", GQL_TEXT_MEMBER, struct log_line, label),
	GQL_VALUE_FIELD("line", NULL, line_text),
};
static const struct gql_type line_type = GQL_TYPE("LogLine", line_fields);
WANDB_LIST_FIELDS(line, "LogLine", line_type);
const struct gql_type wandb_lines_type = GQL_TYPE("LogLineConnection", line_list_fields);

/* ---- which ---------------------------------------------------------------------------------------- */

struct asked {
	int64_t run_id;
	struct labels labels;
	int64_t count;
	bool is_tail;
	bool has_after;
	struct line_cursor after;
	int64_t next; /* the number of the next line, of several writers */
	struct log_line *lines;
	size_t found;
	bool has_more;
};

static err_t read_cursor(struct gql_call *call, struct asked *asked)
{
	struct str text = gql_arg_text(call, "after");
	struct str rest, time, writer, line;
	int64_t number;

	if (!text.len)
		return NULL;
	if (!wandb_id_read(call->arena, text, CURSOR_KIND, &rest))
		rest = STR("");
	time = str_cut(&rest, ' ');
	writer = str_cut(&rest, ' ');
	line = str_cut(&rest, ' ');
	if (!str_to_int64(time, INT64_MIN, INT64_MAX, &asked->after.position) ||
	    !str_to_int64(writer, 0, INT32_MAX, &number) ||
	    !str_to_int64(line, 0, INT64_MAX - 1, &asked->after.number) ||
	    !str_to_int64(rest, 0, INT64_MAX - 1, &asked->next))
		return err_field(call->arena, ERR_INVALID, "after",
				 "invalid cursor: use \"endCursor\" of the same query");
	asked->after.writer = (int32_t)number;
	asked->next++;
	asked->has_after = true;
	return NULL;
}

static err_t read_asked(struct gql_call *call, struct asked *asked)
{
	asked->is_tail = json_doc_is(json_doc_get_named(call->args, "last"), JSON_KIND_NUMBER);
	if (asked->is_tail)
		return gql_arg_int(call, "last", 0, INT32_MAX, LINES_AT_ONCE, &asked->count);
	return gql_arg_int(call, "first", 0, INT32_MAX, LINES_AT_ONCE, &asked->count);
}

/* True for the plain client of an abandoned branch, too. */
static bool is_plain(struct str client)
{
	return str_is(str_cut(&client, '@'), SDK_PLAIN_CLIENT);
}

/* Processes that are told apart by nothing have none. */
static struct str label_of(const struct labels *labels, int32_t writer)
{
	for (size_t i = 0; i < labels->count; i++) {
		if (labels->writers[i].writer == writer && is_plain(labels->writers[i].client))
			return STR("");
	}
	return labels_of(labels, writer);
}

static void add_line(struct gql_call *call, struct asked *asked, const struct line *line,
		     int32_t writer)
{
	int64_t number = asked->labels.count > 1 ? asked->next++ : line->number;
	struct str cursor = str_of(arena_printf(call->arena, "%" PRId64 " %d %" PRId64 " %" PRId64,
						line->time_us, writer, line->number, number));

	asked->lines[asked->found++] = (struct log_line){
		.cursor = wandb_id(call->arena, CURSOR_KIND, cursor),
		.line = *line,
		.number = number,
		.label = label_of(&asked->labels, writer),
	};
}

/* ---- of one writer -------------------------------------------------------------------------------- */

static err_t find_first(struct gql_call *call, const struct asked *asked, struct console_scan *scan)
{
	const struct run_reader *reader = wandb_reader(wandb_of(call));

	if (asked->is_tail)
		return console_lines_last(reader->db, reader->codec, scan, asked->count,
					  &scan->from);
	scan->from = asked->has_after ? asked->after.number + 1 : 0;
	return NULL;
}

static err_t read_by_number(struct gql_call *call, struct asked *asked)
{
	const struct run_reader *reader = wandb_reader(wandb_of(call));
	struct console_scan scan = { .run_id = asked->run_id,
				     .writer = asked->labels.writers[0].writer,
				     .windows = CONSOLE_SMALL_WINDOWS };
	size_t bytes = 0;
	err_t e = find_first(call, asked, &scan);

	while (!e && scan.from != INT64_MAX && !asked->has_more) {
		struct lines lines;
		int64_t next = INT64_MAX;

		e = console_lines_read(reader->db, reader->codec, &scan, &lines, &next);
		for (uint32_t i = 0; !e && i < lines.count; i++) {
			asked->has_more = (int64_t)asked->found == asked->count ||
					  bytes > LINES_BYTES;
			if (asked->has_more)
				break;
			bytes += lines.items[i].text.len;
			add_line(call, asked, &lines.items[i], scan.writer);
		}
		scan.from = next;
	}
	return e;
}

/* ---- of several ----------------------------------------------------------------------------------- */

/* Returns the number of the first of the last `count` lines, from the number of lines of each writer. */
static int64_t first_of_tail(const struct labels *labels, size_t count)
{
	int64_t first = -(int64_t)count;

	for (size_t i = 0; i < labels->count; i++)
		first += labels->writers[i].console_lines;
	return first > 0 ? first : 0;
}

static err_t read_by_time(struct gql_call *call, struct asked *asked)
{
	const struct run_reader *reader = wandb_reader(wandb_of(call));
	const struct console_times times = {
		.run_id = asked->run_id,
		.streams = { true, true },
		.by = LINES_BY_TIME,
		.from = INT64_MIN,
		.to = INT64_MAX,
		.order = asked->is_tail ? TOP_LATEST : TOP_EARLIEST,
		.after = asked->has_after ? &asked->after : NULL,
		.limit = (size_t)asked->count,
		.bytes = LINES_BYTES,
	};
	const struct top_lines *found;
	err_t e = console_times_read(reader->db, reader->codec, &times, &found, &asked->has_more);

	if (e)
		return e;
	if (asked->is_tail)
		asked->next = first_of_tail(&asked->labels, found->count);
	for (size_t i = 0; i < found->count; i++) {
		size_t at = asked->is_tail ? found->count - 1 - i : i;

		add_line(call, asked, &found->items[at].line, found->items[at].writer);
	}
	return NULL;
}

err_t wandb_run_lines(struct gql_call *call)
{
	const struct wandb_run *run = call->parent;
	struct asked asked = { .run_id = run->run->run_id };
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	err_t e = read_asked(call, &asked);

	if (!e)
		e = read_cursor(call, &asked);
	if (!e)
		e = labels_read_of(wandb_of(call)->q, asked.run_id, &asked.labels);
	if (e)
		return e;
	if (asked.count > LINES_MOST)
		asked.count = LINES_MOST;
	asked.lines = arena_new_array(call->arena, struct log_line, (size_t)asked.count + 1);
	if (asked.count && asked.labels.count == 1)
		e = read_by_number(call, &asked);
	else if (asked.count && asked.labels.count)
		e = read_by_time(call, &asked);
	if (e)
		return e;
	*list = (struct wandb_list){ asked.lines, asked.found, sizeof(asked.lines[0]),
				     asked.has_more && !asked.is_tail, -1 };
	gql_give(call, list);
	return NULL;
}
