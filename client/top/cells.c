#include "cells.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "seen.h"
#include "text.h"

#define ELLIPSIS 0x2026

static int clamp(int value, int least, int most)
{
	return value < least ? least : value > most ? most : value;
}

bool cells_resize(struct cells *cells, int width, int height)
{
	struct cell *at;

	width = clamp(width, 1, CELLS_WIDTH_MAX);
	height = clamp(height, 1, CELLS_HEIGHT_MAX);
	at = calloc((size_t)width * (size_t)height, sizeof *at);
	if (!at)
		return false;
	free(cells->at);
	cells->at = at;
	cells->width = width;
	cells->height = height;
	cells_clear(cells);
	return true;
}

void cells_clear(struct cells *cells)
{
	for (int i = 0; i < cells->width * cells->height; i++)
		cells->at[i] = (struct cell){ ' ', STYLE_PLAIN };
}

void cells_deinit(struct cells *cells)
{
	free(cells->at);
	*cells = (struct cells){ 0 };
}

static struct cell *cell_at(struct cells *cells, int x, int y)
{
	if (x < 0 || y < 0 || x >= cells->width || y >= cells->height)
		return NULL;
	return &cells->at[y * cells->width + x];
}

static void set(struct cells *cells, int x, int y, uint32_t code, enum style style)
{
	struct cell *cell = cell_at(cells, x, y);

	if (cell)
		*cell = (struct cell){ code, (unsigned char)style };
}

void cells_put(struct cells *cells, int x, int y, uint32_t code, char ascii, enum style style)
{
	set(cells, x, y, cells->is_utf8 ? code : (uint32_t)(unsigned char)ascii, style);
}

/* The code of a well-formed character of UTF-8. */
static uint32_t decode(const char *bytes, size_t length)
{
	const unsigned char *p = (const unsigned char *)bytes;
	uint32_t code = length == 1 ? p[0] : p[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++)
		code = code << 6 | (p[i] & 0x3fu);
	return code;
}

/* The next character to draw and its columns. Characters without a width of their own are left out: they would move
 * everything behind them on terminals that do not combine them. */
static bool next_character(const struct cells *cells, struct seen *seen, uint32_t *ret_code,
			   int *ret_columns)
{
	while (seen_next(seen)) {
		uint32_t code = seen->at ? decode(seen->at, seen->length) : ' ';
		int columns = code < 0x80 ? 1 : wcwidth((wchar_t)code);

		if (columns == 0)
			continue;
		if (columns < 0 || (code >= 0x80 && !cells->is_utf8)) {
			code = '?';
			columns = 1;
		}
		*ret_code = code;
		*ret_columns = columns;
		return true;
	}
	return false;
}

int cells_columns(const struct cells *cells, const char *text)
{
	struct seen seen = seen_begin(text);
	int all = 0, columns;
	uint32_t code;

	while (next_character(cells, &seen, &code, &columns))
		all += columns;
	return all;
}

int cells_text(struct cells *cells, int x, int y, int width, const char *text, enum style style)
{
	struct seen seen = seen_begin(text);
	bool is_cut = cells_columns(cells, text) > width;
	int used = 0, columns;
	uint32_t code;

	if (width <= 0)
		return 0;
	while (next_character(cells, &seen, &code, &columns) && used + columns <= width - is_cut) {
		set(cells, x + used, y, code, style);
		if (columns == 2)
			set(cells, x + used + 1, y, 0, style);
		used += columns;
	}
	if (is_cut)
		cells_put(cells, x + used++, y, ELLIPSIS, '~', style);
	return used;
}

void cells_text_right(struct cells *cells, int x, int y, int width, const char *text,
		      enum style style)
{
	int columns = cells_columns(cells, text);

	cells_text(cells, columns < width ? x + width - columns : x, y, width, text, style);
}

void cells_style(struct cells *cells, struct box box, enum style style)
{
	for (int y = box.y; y < box.y + box.height; y++) {
		for (int x = box.x; x < box.x + box.width; x++) {
			struct cell *cell = cell_at(cells, x, y);

			if (cell)
				cell->style = (unsigned char)style;
		}
	}
}

static void add_code(struct text *text, uint32_t code)
{
	char bytes[4];

	if (code < 0x80) {
		bytes[0] = (char)code;
		text_add(text, bytes, 1);
	} else if (code < 0x800) {
		bytes[0] = (char)(0xc0 | code >> 6);
		bytes[1] = (char)(0x80 | (code & 0x3f));
		text_add(text, bytes, 2);
	} else if (code < 0x10000) {
		bytes[0] = (char)(0xe0 | code >> 12);
		bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (code & 0x3f));
		text_add(text, bytes, 3);
	} else {
		bytes[0] = (char)(0xf0 | code >> 18);
		bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
		bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[3] = (char)(0x80 | (code & 0x3f));
		text_add(text, bytes, 4);
	}
}

char *cells_dump(const struct cells *cells)
{
	struct text text = { 0 };

	for (int y = 0; y < cells->height; y++) {
		const struct cell *row = cells->at + y * cells->width;
		int used = cells->width;

		while (used > 0 && row[used - 1].code == ' ')
			used--;
		for (int x = 0; x < used; x++) {
			if (row[x].code)
				add_code(&text, row[x].code);
		}
		text_str(&text, "\n");
	}
	return text_take(&text);
}
