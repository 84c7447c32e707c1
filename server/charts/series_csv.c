#include "series_csv.h"

#include <string.h>

#include "json_out.h"
#include "json_scan.h"

static const struct str time_name = { "_timestamp", sizeof("_timestamp") - 1 };

/* Returns the column of this name, or `count`. */
static size_t column_of(const struct str *names, size_t count, struct str name)
{
	size_t i = 0;

	while (i < count && !str_equal(names[i], name))
		i++;
	return i;
}

static void name_columns(struct arena *a, const struct str *asked, size_t count,
			 struct csv_columns *c)
{
	struct str *names = arena_new_array(a, struct str, count + 1);

	if (column_of(asked, count, time_name) == count)
		names[c->count++] = time_name;
	for (size_t i = 0; i < count; i++) {
		if (column_of(names, c->count, asked[i]) == c->count)
			names[c->count++] = asked[i];
	}
	c->names = names;
}

void csv_columns_make(struct arena *a, const struct str *asked, size_t asked_count,
		      const struct row_names *known, struct csv_columns *ret_columns)
{
	struct csv_columns c = { .names = known->names, .key_count = known->count };

	if (asked_count)
		name_columns(a, asked, asked_count, &c);
	else
		c.count = known->count;
	c.cells = arena_new_array(a, const struct row_value *, c.count + 1);
	c.column_of_key = arena_new_array(a, uint32_t, known->count + 1);
	for (size_t i = 0; i < known->count; i++)
		c.column_of_key[i] =
			asked_count ? (uint32_t)column_of(c.names, c.count, known->names[i])
				    : (uint32_t)i;
	*ret_columns = c;
}

/* A number, or a text behind its guard. */
static void put_cell(struct buf *slice, struct str text)
{
	bool quote = false;

	for (size_t i = 0; i < text.len && !quote; i++)
		quote = text.at[i] == ',' || text.at[i] == '"' || text.at[i] == '\n' ||
			text.at[i] == '\r';
	if (!quote) {
		buf_add_str(slice, text);
		return;
	}
	buf_add_byte(slice, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '"')
			buf_add_byte(slice, '"');
		buf_add_byte(slice, text.at[i]);
	}
	buf_add_byte(slice, '"');
}

/* As web-static/js/list/model/csv.js has it. */
static bool is_like_a_formula(struct str text)
{
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, not a string */
	return text.len && memchr("=+-@\t\r", text.at[0], 6);
}

void csv_put_text(struct buf *slice, struct str text)
{
	struct buf guarded = { 0 };

	if (!is_like_a_formula(text)) {
		put_cell(slice, text);
		return;
	}
	buf_add_byte(&guarded, '\'');
	buf_add_str(&guarded, text);
	put_cell(slice, buf_str(&guarded));
	buf_free(&guarded);
}

static void put_short(struct buf *slice, const struct row_value *value, int64_t row,
		      struct str name, const struct row_form *form)
{
	struct buf text = { 0 };
	struct json_out out = json_out_begin(&text);

	row_json_write_short(&out, value, row, name, form);
	put_cell(slice, buf_str(&text));
	buf_free(&text);
}

static void put_value(struct buf *slice, const struct row_value *value)
{
	struct arena *a = arena_new(256);
	struct buf *text = buf_new(a);
	struct json_out out = json_out_begin(text);
	bool is_text = false;
	struct str shown;

	row_json_write_value(&out, value);
	shown = buf_str(text);
	if (shown.len && shown.at[0] == '"') { /* a text, or NaN and Infinity */
		shown = json_scan_unquote(a, shown);
		is_text = value->is_text;
	}
	if (is_text)
		csv_put_text(slice, shown);
	else
		put_cell(slice, shown);
	arena_free(a);
}

void csv_put_names(const struct csv_columns *columns, struct buf *slice)
{
	for (size_t i = 0; i < columns->count; i++) {
		buf_add_byte(slice, ',');
		csv_put_text(slice, columns->names[i]);
	}
	buf_add_text(slice, "\r\n");
}

void csv_put_values(struct csv_columns *columns, const struct row_names *known,
		    const struct exact_row *row, const struct row_form *form, struct buf *slice)
{
	uint32_t at = 0;

	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	memset(columns->cells, 0, columns->count * sizeof(*columns->cells));
	for (size_t i = 0; i < columns->key_count; i++) {
		while (at < row->value_count && row->values[at].key_id < known->key_ids[i])
			at++;
		if (at < row->value_count && row->values[at].key_id == known->key_ids[i])
			columns->cells[columns->column_of_key[i]] = &row->values[at];
	}
	for (size_t i = 0; i < columns->count; i++) {
		const struct row_value *value = columns->cells[i];

		buf_add_byte(slice, ',');
		if (value && row_json_is_short(form, value))
			put_short(slice, value, row->row, columns->names[i], form);
		else if (value)
			put_value(slice, value);
	}
	buf_add_text(slice, "\r\n");
}
