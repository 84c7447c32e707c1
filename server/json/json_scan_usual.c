/*
 * The fast path through a body of metrics, where a busy server spends its
 * time: about a hundred and fifty instructions a number. Every other case
 * is left to json_scan_rows.c, so the only branches here give up.
 */
#include "json_scan_usual.h"

#include <math.h>
#include <string.h>

#include "json_number_plain.h"
#include "json_rows.h"
#include "json_rows_index.h"
#include "json_scan_lex.h"

enum { BEFORE_NUMBER = 16 }; /* bytes that must exist before json_plain_read() */

struct found {
	uint32_t column; /* JSON_COLUMN_NONE: the name is new */
	struct str name; /* a new one */
};

/*
 * Takes the key that begins at `p`, which must have no escape; returns the position after its quote.
 */
static inline const char *find_key(const struct json_rows *rows, const char *p, struct found *ret)
{
	const struct json_rows_slot *slot;
	const char *stop;
	size_t len;

	if (json_rows_is_expected(rows->cells, p, &stop)) {
		ret->column = json_rows_expected(rows->cells);
		return stop;
	}
	stop = json_bytes_string_stop(p);
	if (*stop != '"')
		return NULL;
	len = (size_t)(stop - p);
	slot = json_rows_slot(rows->index, p, len, json_rows_hash(&rows->index->key, p, len));
	*ret = (struct found){ slot->hash ? slot->column : JSON_COLUMN_NONE, { p, len } };
	return stop + 1;
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

static inline bool add_number(struct json_rows *rows, struct found key, double value)
{
	struct json_rows_cells *cells = rows->cells;
	struct json_column_state *state;
	uint32_t column = key.column;

	/* not before its value is known to be a number, for an object would give it no column */
	if (column == JSON_COLUMN_NONE &&
	    json_rows_column(rows, key.name, JSON_NAME_QUOTED, &column))
		return false;
	state = &cells->states[column];
	if (state->seen_row == rows->row_count || cells->row_cells >= JSON_ROW_MAX_KEYS ||
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

/* Takes one member; NULL if it is not usual. */
static inline const char *take_member(struct json_rows *rows, const char *p)
{
	static const char step[] = "\"_step\"";
	bool is_step = memcmp(p, step, sizeof(step) - 1) == 0;
	struct found key = { .column = JSON_COLUMN_NONE };
	double value;
	bool integer;

	if (is_step)
		p += sizeof(step) - 1;
	else
		p = *p == '"' ? find_key(rows, p + 1, &key) : NULL;
	if (p)
		p = after_colon(p);
	if (p)
		p = json_plain_read(p, &value, &integer);
	if (!p)
		return NULL;
	if (is_step)
		return integer && set_step(rows, value) ? p : NULL;
	return add_number(rows, key, value) ? p : NULL;
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
