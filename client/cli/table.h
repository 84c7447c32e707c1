#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Cells collected row by row, printed in columns as wide as their widest cell. */
#define TABLE_COLUMNS_MAX 12

struct table {
	const char *titles[TABLE_COLUMNS_MAX];
	bool is_right[TABLE_COLUMNS_MAX]; /* numbers */
	size_t columns;
	char **cells;
	size_t count, capacity;
};

/* Appends a cell; text is copied. What does not fit into memory is left out. */
void table_add(struct table *table, const char *text) __attribute__((nonnull));

/* Prints it, indented; on a terminal the last column is cut at its width. */
void table_print(const struct table *table, int indent) __attribute__((nonnull));

void table_deinit(struct table *table) __attribute__((nonnull));

#endif
