#ifndef SERIES_CSV_H
#define SERIES_CSV_H

#include "arena.h"
#include "buf.h"
#include "row_json.h"

/*
 * Exact rows as CSV (RFC 4180). The columns are the keys that were asked for, in that order, whether the
 * run has them or not, so that answers of different times and runs fit together; else all that it has.
 */
struct csv_columns {
	const struct str *names;
	size_t count;
	uint32_t *column_of_key; /* of each key that is read */
	size_t key_count;
	const struct row_value **cells; /* of the row at hand */
};

/* `asked` may hold a name twice; _timestamp stands first unless it is asked for. None: those of `known`. */
void csv_columns_make(struct arena *a, const struct str *asked, size_t asked_count,
		      const struct row_names *known, struct csv_columns *ret_columns);

/* A text that is quoted where it must be; behind a quote ' where a spreadsheet would take it for a formula. */
void csv_put_text(struct buf *page, struct str text);
/* What stands behind the columns that all rows have: ",name,name" and the line's end. */
void csv_put_names(const struct csv_columns *columns, struct buf *page);
void csv_put_values(struct csv_columns *columns, const struct row_names *known,
		    const struct exact_row *row, const struct row_form *form, struct buf *page);

#endif
