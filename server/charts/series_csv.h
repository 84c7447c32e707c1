#ifndef SERIES_CSV_H
#define SERIES_CSV_H

#include "arena.h"
#include "buf.h"
#include "row_json.h"

/*
 * Exact rows as CSV (RFC 4180). The columns are the keys that were asked for, in that order, even if the run lacks them,
 * so that answers for different times and runs fit together. Without keys the columns are all keys of the run.
 */
struct csv_columns {
	const struct str *names;
	size_t count;
	uint32_t *column_of_key; /* of each key that is read */
	size_t key_count;
	const struct row_value **cells; /* of the row at hand */
};

/* `asked` may have a name twice. _timestamp comes first unless it is asked for. Without names: those of `known`. */
void csv_columns_make(struct arena *a, const struct str *asked, size_t asked_count,
		      const struct row_names *known, struct csv_columns *ret_columns);

/* Writes a text, quoted if needed. A text that a spreadsheet would take for a formula gets a ' in front. */
void csv_put_text(struct buf *slice, struct str text);
/* Writes the header after the columns of all rows: ",name,name" and the end of the line. */
void csv_put_names(const struct csv_columns *columns, struct buf *slice);
void csv_put_values(struct csv_columns *columns, const struct row_names *known,
		    const struct exact_row *row, const struct row_form *form, struct buf *slice);

#endif
