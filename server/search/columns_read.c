/*
 * A document's text into cells. The text is the database's own writing of
 * jsonb, so it is JSON, and a value of it is written as `value::text` is
 * there; text that is not JSON all the same ends the reading.
 *
 * A leaf of a filter sees under config.a.b the same as SQL/JSON path in its lax mode: the member of
 * each object in a list, and lists opened twice. Orders use its strict mode: one value, and only if
 * every name on the way is a member of an object.
 */
#include <string.h>

#include "buf.h"
#include "columns.h"
#include "decimal.h"
#include "json_scan.h"
#include "search_store.h"
#include "value.h"

enum { NAMES_DEPTH_MAX = 40, SHARED_LIST_MAX = 1024 };

struct reader {
	struct columns *columns;
	size_t row;
	const char *at;
	const char *end;
	struct buf path;
	struct buf text; /* of one string without its escapes */
	unsigned depth;
	bool failed;
};

static void read_value(struct reader *r, bool is_strict);

static bool fail(struct reader *r)
{
	r->failed = true;
	r->at = r->end;
	return false;
}

static char peek(const struct reader *r)
{
	return r->at < r->end ? *r->at : '\0';
}

/* The database puts one blank after commas and colons. */
static void skip_blanks(struct reader *r)
{
	while (peek(r) == ' ')
		r->at++;
}

static bool take(struct reader *r, char c)
{
	if (peek(r) != c)
		return false;
	r->at++;
	skip_blanks(r);
	return true;
}

static unsigned hex_at(const char *at)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++)
		value = value * 16 + (unsigned)(at[i] & 15) + (at[i] > '9' ? 9 : 0);
	return value;
}

/* The database escapes quotes, backslashes and control characters, and nothing else. */
static void read_escape(struct reader *r)
{
	static const char names[] = "bfnrt";
	static const char meant[] = "\b\f\n\r\t";
	const char *name;

	r->at++;
	if (r->end - r->at >= 5 && *r->at == 'u') {
		buf_add_byte(&r->text, (char)hex_at(r->at + 1));
		r->at += 5;
		return;
	}
	name = peek(r) ? strchr(names, *r->at) : NULL;
	buf_add_byte(&r->text, name ? meant[name - names] : peek(r));
	r->at++;
}

static const char *plain_end(const struct reader *r)
{
	const char *at = r->at;

	while (at < r->end && *at != '"' && *at != '\\')
		at++;
	return at;
}

/* Points into the document, or into r->text, which the next string overwrites. */
static struct str read_string(struct reader *r)
{
	const char *end;

	if (peek(r) != '"') {
		fail(r);
		return STR("");
	}
	r->at++;
	end = plain_end(r);
	if (end < r->end && *end == '"') {
		struct str text = { r->at, (size_t)(end - r->at) };

		r->at = end + 1;
		return text;
	}
	buf_clear(&r->text);
	while (r->at < r->end && *r->at != '"') {
		end = plain_end(r);
		buf_add(&r->text, r->at, (size_t)(end - r->at));
		r->at = end;
		if (peek(r) == '\\')
			read_escape(r);
	}
	if (r->at >= r->end)
		fail(r);
	else
		r->at++;
	return buf_str(&r->text);
}

static struct str read_word(struct reader *r)
{
	const char *start = r->at;

	while (r->at < r->end && !strchr(",]} ", *r->at))
		r->at++;
	if (r->at == start)
		fail(r);
	return (struct str){ start, (size_t)(r->at - start) };
}

/* ---- single values ------------------------------------------------------------------------------- */

static struct column *column_here(struct reader *r)
{
	return columns_at(r->columns, buf_str(&r->path));
}

static cell text_cell(struct reader *r, struct column *column, enum cell_tag tag, struct str text)
{
	return cell_of(tag, dictionary_add(&column->texts, &r->columns->arena, text));
}

static cell number_cell(struct reader *r, struct column *column, struct str text)
{
	struct decimal d = decimal_read(text);

	return d.is_plain ? cell_of_double(d.nearest) : text_cell(r, column, CELL_DECIMAL, text);
}

static cell read_scalar(struct reader *r, struct column *column)
{
	struct str word;

	if (peek(r) == '"')
		return text_cell(r, column, CELL_TEXT, read_string(r));
	word = read_word(r);
	if (str_is(word, "true"))
		return cell_of(CELL_TRUE, 0);
	if (str_is(word, "false"))
		return cell_of(CELL_FALSE, 0);
	if (str_is(word, "null"))
		return cell_of(CELL_NULL, 0);
	return r->failed ? cell_of(CELL_NULL, 0) : number_cell(r, column, word);
}

/* ---- several values ------------------------------------------------------------------------------ */

static cell add_special(struct reader *r, struct column *column, struct special special)
{
	column->specials = bounded_arena_grow(&r->columns->arena, column->specials,
					      column->special_count, &column->special_room,
					      sizeof(special));
	column->specials[column->special_count] = special;
	return cell_of(CELL_SPECIAL, (uint32_t)column->special_count++);
}

static void add_item(struct reader *r, struct column *column, cell item)
{
	column->items = bounded_arena_grow(&r->columns->arena, column->items, column->item_count,
					   &column->item_room, sizeof(item));
	column->items[column->item_count++] = item;
}

/*
 * The row's cell for several values: created empty at the first. Its items are the column's last.
 */
static void open_special(struct reader *r, struct column *column)
{
	struct special none = { .rank = SEARCH_RANK_NONE,
				.text = DICTIONARY_NONE,
				.first = (uint32_t)column->item_count };

	if (cell_tag(column_cell(column, r->row)) == CELL_MISSING)
		column_set(r->columns, column, r->row, add_special(r, column, none));
}

static void close_special(struct reader *r, struct column *column)
{
	struct special *s = &column->specials[cell_number(column_cell(column, r->row))];

	s->count = (uint32_t)column->item_count - s->first;
}

/*
 * Reads a list that may be in a list; objects are for read_members_of_list(). r->at ends after it.
 */
static void read_items(struct reader *r, struct column *column, unsigned opened);

static void skip_value(struct reader *r)
{
	if (peek(r) == '"') {
		(void)read_string(r);
	} else if (peek(r) == '{' || peek(r) == '[') {
		unsigned depth = 0;

		do {
			if (peek(r) == '"') {
				(void)read_string(r);
				continue;
			}
			depth += peek(r) == '{' || peek(r) == '[';
			depth -= peek(r) == '}' || peek(r) == ']';
			r->at++;
		} while (depth && r->at < r->end);
		if (depth)
			fail(r);
	} else {
		(void)read_word(r);
	}
}

static void read_item(struct reader *r, struct column *column, unsigned opened)
{
	if (peek(r) == '[' && opened < 2)
		read_items(r, column, opened + 1);
	else if (peek(r) == '[' || peek(r) == '{')
		skip_value(r);
	else
		add_item(r, column, read_scalar(r, column));
}

static void read_items(struct reader *r, struct column *column, unsigned opened)
{
	r->at++;
	while (!r->failed && peek(r) != ']') {
		read_item(r, column, opened);
		if (!take(r, ',') && peek(r) != ']')
			fail(r);
	}
	r->at += r->at < r->end;
}

/* The beginning of a list or an object. */
static uint32_t text_of(struct reader *r, struct column *column, struct str json)
{
	return dictionary_add(&column->texts, &r->columns->arena,
			      text_beginning(json, SEARCH_VALUE_CHARS));
}

/* If the list is known already, its special is used, and the items just read are dropped. */
static cell share_list(struct reader *r, struct column *column, struct special special,
		       struct str json)
{
	uint32_t number;
	cell made;

	if (json.len > SHARED_LIST_MAX)
		return add_special(r, column, special);
	number = dictionary_find(&column->lists, json);
	if (number != DICTIONARY_NONE) {
		column->item_count = special.first;
		return cell_of(CELL_SPECIAL, column->list_specials[number]);
	}
	made = add_special(r, column, special);
	column->list_specials = bounded_arena_grow(&r->columns->arena, column->list_specials,
						   column->lists.count, &column->list_room,
						   sizeof(column->list_specials[0]));
	number = dictionary_add(&column->lists, &r->columns->arena, json);
	column->list_specials[number] = cell_number(made);
	return made;
}

static void read_list_here(struct reader *r, struct column *column, bool is_strict)
{
	const char *start = r->at;
	struct special special = { .rank = SEARCH_RANK_LIST,
				   .first = (uint32_t)column->item_count };
	struct str json;

	if (!is_strict) {
		open_special(r, column);
		read_items(r, column, 1);
		close_special(r, column);
		return;
	}
	read_items(r, column, 1);
	json = (struct str){ start, (size_t)(r->at - start) };
	special.count = (uint32_t)column->item_count - special.first;
	special.text = text_of(r, column, json);
	column_set(r->columns, column, r->row, share_list(r, column, special, json));
}

/* ---- values with names --------------------------------------------------------------------------- */

static void read_members(struct reader *r, bool is_strict)
{
	size_t len = r->path.len;

	r->at++;
	while (!r->failed && peek(r) != '}') {
		buf_add_byte(&r->path, '\0');
		buf_add_str(&r->path, read_string(r));
		if (!take(r, ':'))
			fail(r);
		if (!r->failed)
			read_value(r, is_strict);
		r->path.len = len;
		if (!take(r, ',') && peek(r) != '}')
			fail(r);
	}
	r->at += r->at < r->end;
}

/* The objects directly in the list: config.a.b of [{"b": 1}, {"b": 2}] is 1 and 2. */
static void read_members_of_list(struct reader *r)
{
	r->at++;
	while (!r->failed && peek(r) != ']') {
		if (peek(r) == '{')
			read_members(r, false);
		else
			skip_value(r);
		if (!take(r, ',') && peek(r) != ']')
			fail(r);
	}
	r->at += r->at < r->end;
}

static void read_list(struct reader *r, bool is_strict)
{
	const char *start = r->at;
	bool has_objects;

	read_list_here(r, column_here(r), is_strict);
	has_objects = !r->failed && memchr(start, '{', (size_t)(r->at - start));
	if (!has_objects)
		return;
	r->at = start;
	read_members_of_list(r);
}

static void read_object(struct reader *r, bool is_strict)
{
	struct column *column = column_here(r);
	const char *start = r->at;
	struct special special = { .rank = SEARCH_RANK_OBJECT,
				   .first = (uint32_t)column->item_count };

	if (!is_strict)
		open_special(r, column);
	read_members(r, is_strict);
	if (!is_strict || r->failed)
		return;
	column = column_here(r); /* columns may have moved */
	special.text = text_of(r, column, (struct str){ start, (size_t)(r->at - start) });
	column_set(r->columns, column, r->row,
		   share_list(r, column, special, dictionary_text(&column->texts, special.text)));
}

static void read_single(struct reader *r, bool is_strict)
{
	struct column *column = column_here(r);

	if (is_strict) {
		column_set(r->columns, column, r->row, read_scalar(r, column));
		return;
	}
	open_special(r, column);
	add_item(r, column, read_scalar(r, column));
	close_special(r, column);
}

static void read_value(struct reader *r, bool is_strict)
{
	if (++r->depth > NAMES_DEPTH_MAX || bounded_arena_is_over(&r->columns->arena))
		fail(r);
	else if (peek(r) == '{')
		read_object(r, is_strict);
	else if (peek(r) == '[')
		read_list(r, is_strict);
	else
		read_single(r, is_strict);
	r->depth--;
}

/* ---- the document -------------------------------------------------------------------------------- */

static bool is_searched(struct str name)
{
	static const char *const names[] = {
		"id",      "display_name", "state",    "job_type",   "group",        "sweep",
		"tags",    "notes",        "user",     "created_at", "heard_at",     "rows",
		"writers", "ended_at",     "duration", "host",       "writers_lost", NULL
	};

	for (size_t i = 0; names[i]; i++) {
		if (str_is(name, names[i]))
			return true;
	}
	return false;
}

static void read_top(struct reader *r, struct str name)
{
	bool is_document = str_is(name, "config") || str_is(name, "summary") ||
			   str_is(name, "logged");

	if (!is_document && !is_searched(name)) {
		skip_value(r);
		return;
	}
	buf_clear(&r->path);
	buf_add_str(&r->path, name);
	if (is_document && peek(r) == '{')
		read_members(r, true);
	else
		read_value(r, true);
}

bool columns_read(struct columns *c, size_t row, struct str text)
{
	struct reader r = { .columns = c, .row = row, .at = text.at, .end = text.at + text.len };

	if (!take(&r, '{'))
		fail(&r);
	while (!r.failed && peek(&r) != '}') {
		struct str name = read_string(&r);

		if (!take(&r, ':'))
			fail(&r);
		else
			read_top(&r, name);
		if (!take(&r, ',') && peek(&r) != '}')
			fail(&r);
	}
	buf_free(&r.path);
	buf_free(&r.text);
	return !r.failed;
}
