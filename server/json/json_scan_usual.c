/*
 * The straight line through a body of metrics, which is where the time of a busy server goes: about a
 * hundred and fifty instructions a number. Everything that can be otherwise is left to json_scan_rows.c,
 * so nothing here branches but to give up.
 */
#include "json_scan_usual.h"

#include <math.h>
#include <string.h>

#include "json_number_plain.h"
#include "json_rows.h"
#include "json_rows_index.h"
#include "json_scan_lex.h"

enum { BEFORE_NUMBER = 16 }; /* bytes that json_plain_read() wants to be there */

/* The column of the key that begins at `p`, in which no escape may be; the end is behind its quote. */
static inline uint32_t find_key(const struct json_rows *rows, const char *p, const char **ret_end)
{
	const struct json_rows_slot *slot;
	const char *stop;
	size_t len;

	if (json_rows_is_expected(rows->cells, p, ret_end))
		return json_rows_expected(rows->cells);
	stop = json_bytes_string_stop(p);
	if (*stop != '"')
		return JSON_COLUMN_NONE;
	len = (size_t)(stop - p);
	slot = json_rows_slot(rows->index, p, len, json_rows_hash(&rows->index->key, p, len));
	*ret_end = stop + 1;
	return slot->hash ? slot->column : JSON_COLUMN_NONE;
}

static inline const char *after_colon(const char *p)
{
	if (*p != ':')
		p = json_lex_blank(p);
	return *p == ':' ? json_lex_blank(p + 1) : NULL;
}

static inline bool set_step(struct json_rows *rows, double value)
{
	if (signbit(value) || rows->cells->row_has_step)
		return false;
	rows->cells->row_has_step = true;
	json_rows_set_step(rows, (int64_t)value);
	return true;
}

static inline bool add_number(struct json_rows *rows, uint32_t column, double value)
{
	struct json_rows_cells *cells = rows->cells;
	struct json_column_state *state = &cells->states[column];

	if (state->seen_row == rows->row_count || cells->row_cells == JSON_ROW_MAX_KEYS ||
	    cells->number_count == cells->number_size ||
	    cells->number_count + cells->text_count >= JSON_ROWS_MAX_CELLS)
		return false;
	state->seen_row = rows->row_count;
	state->numbers++;
	cells->row_cells++;
	cells->numbers[cells->number_count++] = (struct json_number_cell){
		.value = value, .column = column, .row = rows->row_count - 1
	};
	json_rows_came(cells, column);
	return true;
}

/* One member; NULL: it is not usual. */
static inline const char *take_member(struct json_rows *rows, const char *p)
{
	static const char step[] = "\"_step\"";
	bool is_step = memcmp(p, step, sizeof(step) - 1) == 0;
	uint32_t column = JSON_COLUMN_NONE;
	double value;
	bool integer;

	if (is_step)
		p += sizeof(step) - 1;
	else if (*p == '"')
		column = find_key(rows, p + 1, &p);
	if (!is_step && column == JSON_COLUMN_NONE)
		return NULL;
	p = after_colon(p);
	if (p)
		p = json_plain_read(p, &value, &integer);
	if (!p)
		return NULL;
	if (is_step)
		return integer && set_step(rows, value) ? p : NULL;
	return add_number(rows, column, value) ? p : NULL;
}

const char *json_scan_usual(struct json_rows *rows, const char *body, const char *p,
			    bool *ret_behind)
{
	*ret_behind = false;
	if (p - body < BEFORE_NUMBER)
		return p;
	for (;;) {
		const char *end = take_member(rows, p);

		if (!end)
			return p;
		p = json_lex_blank(end);
		if (*p != ',')
			break;
		p = json_lex_blank(p + 1);
	}
	*ret_behind = true;
	return p;
}
