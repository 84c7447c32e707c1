#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

#define CELL_MAX_COLUMNS 48

void table_add(struct table *table, const char *text)
{
	if (table->count == table->capacity) {
		size_t capacity = table->capacity ? table->capacity * 2 : 64;
		char **cells = realloc(table->cells, capacity * sizeof *cells);

		if (!cells)
			return;
		table->cells = cells;
		table->capacity = capacity;
	}
	table->cells[table->count] = strdup(text);
	if (table->cells[table->count])
		table->count++;
}

void table_deinit(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
}

static size_t column_width(const struct table *table, size_t column)
{
	size_t width = terminal_columns(table->titles[column]);

	for (size_t i = column; i < table->count; i += table->columns) {
		size_t columns = terminal_columns(table->cells[i]);

		width = columns > width ? columns : width;
	}
	return width < CELL_MAX_COLUMNS ? width : CELL_MAX_COLUMNS;
}

/* Cells of a row but for those at its end that are empty: no line ends in blanks. */
static size_t cells_shown(const struct table *table, const char *const *cells)
{
	size_t count = table->columns;

	while (count > 1 && !cells[count - 1][0])
		count--;
	return count;
}

static void print_row(const struct table *table, const char *const *cells, const size_t *widths,
		      int indent)
{
	size_t left = (size_t)(terminal_width() - indent), count = cells_shown(table, cells);

	printf("%*s", indent, "");
	for (size_t i = 0; i < count; i++) {
		size_t columns = terminal_columns(cells[i]);
		size_t pad = columns < widths[i] ? widths[i] - columns : 0;
		bool is_last = i + 1 == count;

		if (table->is_right[i])
			printf("%*s", (int)pad, "");
		terminal_print(cells[i], is_last ? left : widths[i]);
		if (!table->is_right[i] && !is_last)
			printf("%*s", (int)pad, "");
		printf("%s", is_last ? "\n" : "  ");
		left -= left > widths[i] + 2 ? widths[i] + 2 : left;
	}
}

void table_print(const struct table *table, int indent)
{
	size_t widths[TABLE_COLUMNS_MAX];

	for (size_t i = 0; i < table->columns; i++)
		widths[i] = column_width(table, i);
	print_row(table, table->titles, widths, indent);
	for (size_t i = 0; i + table->columns <= table->count; i += table->columns)
		print_row(table, (const char *const *)table->cells + i, widths, indent);
}
