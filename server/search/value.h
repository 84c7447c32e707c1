#ifndef VALUE_H
#define VALUE_H

#include "columns.h"
#include "decimal.h"
#include "filter.h"
#include "search_store.h"

/*
 * The value that runs are ordered and grouped by: the value at a path, by
 * rank (enum search_rank), then number, then the first SEARCH_VALUE_CHARS
 * characters of the text in byte order. The same as in search.sql.
 */
struct value {
	int16_t rank;
	bool is_plain; /* of a number: the double is all of it */
	double number;
	struct str text; /* of a number that is not plain: its digits */
};

/* At most the first so many characters of it. */
struct str text_beginning(struct str text, size_t chars);

int value_compare(const struct value *a, const struct value *b) __attribute__((nonnull));
/* The order of a list of groups: missing values last, whatever the direction. */
int value_order_groups(bool descending, const struct value *a, const struct value *b)
	__attribute__((nonnull));
/*
 * The order of a list of runs: numbers first, whatever the direction, then other values, and
 * missing ones last. "Infinity" and "-Infinity", as which documents have the infinities, are
 * numbers here: the ends.
 */
int value_order(bool descending, const struct value *a, const struct value *b)
	__attribute__((nonnull));
/* The value as it is ordered: for an infinity the number. */
struct value value_ordered(const struct value *v) __attribute__((nonnull));

/* A path's columns: of config.a.b also that of "a.b", for runs that have no value at the first. */
struct value_columns {
	const struct column *column; /* NULL: no run has a value there */
	const struct column *flat;
	bool outside; /* of config and summary: an empty value is missing */
};
struct value_columns value_columns_of(struct arena *a, const struct columns *c,
				      const struct filter_path *path);
struct value value_of_cell(const struct column *column, cell c) __attribute__((nonnull));
struct value value_at(const struct value_columns *p, size_t row) __attribute__((nonnull));

/* In the store's form, and back; the text of a number is any decimal. */
struct search_value value_write(struct arena *a, const struct value *value);
struct value value_read(const struct search_value *value);

#endif
