#include "console_ask.h"

#include "row_json.h"

enum { LINES_LIMIT = 1000, LINES_LIMIT_MAX = 10000 };
#define LINE_LARGEST INT64_C(2147483647)
#define ARRIVAL_LARGEST INT64_C(9007199254740991)

/* ---- what goes with what ---------------------------------------------------------------------------- */

/* Parameters that mean something in some ways of asking only. In the others a default is accepted: clients that are
 * generated from the contract send every default. */
static const struct {
	const char *name;
	unsigned modes;
	const char *goes_with;
	const char *usual; /* the default of the contract; NULL without one */
} parts[] = {
	{ "from", 1 << CONSOLE_BY_LINE | 1 << CONSOLE_SEARCH, "order=line or search", "0" },
	{ "tail", 1 << CONSOLE_BY_LINE, "order=line", NULL },
	{ "time_from", 1 << CONSOLE_BY_TIME, "order=time or order=-time", NULL },
	{ "time_to", 1 << CONSOLE_BY_TIME, "order=time or order=-time", NULL },
	{ "arrival_from", 1 << CONSOLE_BY_ARRIVAL, "order=arrival or order=-arrival", NULL },
	{ "arrival_to", 1 << CONSOLE_BY_ARRIVAL, "order=arrival or order=-arrival", NULL },
	{ "case", 1 << CONSOLE_SEARCH, "search", "match" },
	{ "syntax", 1 << CONSOLE_SEARCH, "search", "text" },
	{ "context", 1 << CONSOLE_SEARCH, "search", "0" },
};

static err_t check_parts(struct request *q, enum console_mode mode)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct str value = request_query(q, parts[i].name);

		if (parts[i].modes & 1u << mode || !value.at)
			continue;
		if (!parts[i].usual || !str_is(value, parts[i].usual))
			return err_field(q->arena, ERR_INVALID, parts[i].name, "\"%s\" requires %s",
					 parts[i].name, parts[i].goes_with);
	}
	return NULL;
}

/* ---- each ------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum console_mode mode;
	enum top_lines_order order;
} orders[] = {
	{ "line", CONSOLE_BY_LINE, TOP_EARLIEST },
	{ "time", CONSOLE_BY_TIME, TOP_EARLIEST },
	{ "-time", CONSOLE_BY_TIME, TOP_LATEST },
	{ "arrival", CONSOLE_BY_ARRIVAL, TOP_EARLIEST },
	{ "-arrival", CONSOLE_BY_ARRIVAL, TOP_LATEST },
};

static err_t read_order(struct request *q, struct console_ask *ask)
{
	struct str order = request_query(q, "order");

	if (!order.at)
		return NULL;
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (!str_is(order, orders[i].name))
			continue;
		ask->mode = orders[i].mode;
		ask->order = orders[i].order;
		return NULL;
	}
	return err_field(q->arena, ERR_INVALID, "order",
			 "must be line, time, -time, arrival or -arrival");
}

static err_t read_search(struct request *q, struct console_ask *ask)
{
	ask->search = request_query(q, "search");
	if (!ask->search.at)
		return NULL;
	if (!ask->search.len || ask->search.len > CONSOLE_SEARCH_MAX)
		return err_field(q->arena, ERR_INVALID, "search", "must have 1 to %d bytes",
				 CONSOLE_SEARCH_MAX);
	if (ask->mode != CONSOLE_BY_LINE)
		return err_field(q->arena, ERR_INVALID, "order",
				 "search results are ordered by writer and line: omit \"order\"");
	ask->mode = CONSOLE_SEARCH;
	return NULL;
}

static err_t read_syntax(struct request *q, struct console_ask *ask)
{
	struct str syntax = request_query(q, "syntax");

	if (syntax.at && !str_is(syntax, "text") && !str_is(syntax, "regex"))
		return err_field(q->arena, ERR_INVALID, "syntax", "must be text or regex");
	ask->is_regex = str_is(syntax, "regex");
	return NULL;
}

static err_t read_case(struct request *q, struct console_ask *ask)
{
	struct str letters = request_query(q, "case");

	if (letters.at && !str_is(letters, "match") && !str_is(letters, "ignore"))
		return err_field(q->arena, ERR_INVALID, "case", "must be match or ignore");
	ask->letters = str_is(letters, "ignore") ? LINE_MATCH_EITHER_CASE : LINE_MATCH_EXACT;
	return NULL;
}

static err_t read_format(struct request *q, struct console_ask *ask)
{
	struct str format = request_query(q, "format");

	if (format.at && !str_is(format, "json") && !str_is(format, "text") &&
	    !str_is(format, "ndjson"))
		return err_field(q->arena, ERR_INVALID, "format", "must be json, text or ndjson");
	if (str_is(format, "text"))
		ask->format = CONSOLE_TEXT;
	else if (str_is(format, "ndjson"))
		ask->format = CONSOLE_NDJSON;
	if (ask->format != CONSOLE_ITEMS && ask->mode != CONSOLE_BY_LINE)
		return err_field(q->arena, ERR_INVALID, "format",
				 "format=text and ndjson require order=line");
	if (ask->format == CONSOLE_TEXT && ask->with_arrivals)
		return err_field(q->arena, ERR_INVALID, "arrivals",
				 "\"arrivals\" requires format=json or ndjson");
	return NULL;
}

static err_t read_positions(struct request *q, struct console_ask *ask)
{
	err_t e;

	if (ask->mode == CONSOLE_BY_ARRIVAL) {
		e = request_query_int(q, "arrival_from", 0, ARRIVAL_LARGEST, 0,
				      &ask->position_from);
		return e ? e
			 : request_query_int(q, "arrival_to", 0, ARRIVAL_LARGEST, INT64_MAX,
					     &ask->position_to);
	}
	e = request_query_seconds(q, "time_from", INT64_MIN, &ask->position_from);
	return e ? e : request_query_seconds(q, "time_to", INT64_MAX, &ask->position_to);
}

static err_t read_arrivals(struct request *q, struct console_ask *ask)
{
	err_t e = request_query_bool(q, "arrivals", &ask->with_arrivals);

	ask->with_arrivals = ask->with_arrivals || ask->mode == CONSOLE_BY_ARRIVAL;
	return e;
}

static err_t read_numbers(struct request *q, struct console_ask *ask)
{
	err_t e;

	e = request_query_int(q, "from", 0, LINE_LARGEST, 0, &ask->from);
	if (!e)
		e = request_query_int(q, "tail", 1, LINES_LIMIT_MAX, 0, &ask->tail);
	if (!e)
		e = request_query_int(q, "context", 0, CONSOLE_CONTEXT_MAX, 0, &ask->context);
	return e ? e : read_positions(q, ask);
}

err_t console_ask_read_streams(struct request *q, bool *ret_streams)
{
	struct str stream = request_query(q, "stream");

	if (stream.at && !str_is(stream, "stdout") && !str_is(stream, "stderr"))
		return err_field(q->arena, ERR_INVALID, "stream", "must be stdout or stderr");
	ret_streams[LINE_STDOUT] = !str_is(stream, "stderr");
	ret_streams[LINE_STDERR] = !str_is(stream, "stdout");
	return NULL;
}

static err_t read_who(struct request *q, struct console_ask *ask)
{
	err_t e = labels_asked(q, &ask->label);

	if (!e)
		e = writer_ranges_read(q, &ask->writers);
	if (!e && ask->label.at && ask->writers.count)
		e = err_field(q->arena, ERR_INVALID, "writers",
			      "\"label\" and \"writers\" exclude each other");
	return e ? e : console_ask_read_streams(q, ask->streams);
}

void console_ask_put_line(const struct console_ask *ask, struct json_out *o,
			  const struct line *line, const struct writer *w)
{
	row_json_put_line(o, line, w->writer, w->label);
	if (ask->with_arrivals)
		json_out_put_int(o, "arrival", line->arrival);
}

err_t console_ask_read(struct request *q, struct console_ask *ask)
{
	err_t e;

	*ask = (struct console_ask){ .mode = CONSOLE_BY_LINE };
	e = read_who(q, ask);
	if (!e)
		e = read_order(q, ask);
	if (!e)
		e = read_search(q, ask);
	if (!e)
		e = read_syntax(q, ask);
	if (!e)
		e = read_case(q, ask);
	if (!e)
		e = read_numbers(q, ask);
	if (!e)
		e = read_arrivals(q, ask);
	if (!e)
		e = page_read_limited(q, LINES_LIMIT, LINES_LIMIT_MAX, &ask->page);
	if (!e)
		e = read_format(q, ask);
	return e ? e : check_parts(q, ask->mode);
}
