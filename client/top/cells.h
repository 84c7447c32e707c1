#ifndef CELLS_H
#define CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A screen as characters in memory: everything is drawn here, and screen.c copies it to the terminal. So drawing needs no
 * terminal, and tests compare whole screens as text. Positions outside of the screen are ignored, so that a small terminal
 * needs no special case.
 */
enum style {
	STYLE_PLAIN,
	STYLE_DIM,
	STYLE_TITLE,
	STYLE_FOCUS,    /* the title of the pane that takes the keys */
	STYLE_SELECTED, /* a line of a list */
	STYLE_GOOD,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_INFO,
	STYLE_LINE_FIRST, /* colours of curves */
	STYLE_LINE_LAST = STYLE_LINE_FIRST + 5,
	STYLES
};

enum { STYLE_LINES = STYLE_LINE_LAST - STYLE_LINE_FIRST + 1 };

struct cell {
	uint32_t code; /* 0: the right half of a wide character */
	unsigned char style;
};

struct cells {
	struct cell *at; /* row by row */
	int width, height;
	bool is_utf8; /* else only ASCII is drawn */
};

struct box {
	int x, y, width, height;
};

/* Largest screen; what a terminal has beyond it stays empty. */
enum { CELLS_WIDTH_MAX = 1000, CELLS_HEIGHT_MAX = 500 };

/* Sets the size and clears it. False without memory; it then keeps the old size. */
bool cells_resize(struct cells *cells, int width, int height) __attribute__((nonnull));
void cells_clear(struct cells *cells) __attribute__((nonnull));
void cells_deinit(struct cells *cells) __attribute__((nonnull));

/* A character of ours: `code`, or `ascii` where only ASCII is drawn. */
void cells_put(struct cells *cells, int x, int y, uint32_t code, char ascii, enum style style)
	__attribute__((nonnull));

/* Draws a text of anybody's in at most `width` columns; a longer one is cut and ends with an ellipsis. Sequences for
 * terminals are left out, control characters become spaces. Returns the columns used. */
int cells_text(struct cells *cells, int x, int y, int width, const char *text, enum style style)
	__attribute__((nonnull));

/* The same, at the right end of the `width` columns. */
void cells_text_right(struct cells *cells, int x, int y, int width, const char *text,
		      enum style style) __attribute__((nonnull));

/* Columns that a text takes. */
int cells_columns(const struct cells *cells, const char *text) __attribute__((nonnull));

/* Gives the cells of the box another style. */
void cells_style(struct cells *cells, struct box box, enum style style) __attribute__((nonnull));

/* The screen as lines of UTF-8 without spaces at their ends; freed by the caller. NULL without memory. */
char *cells_dump(const struct cells *cells) __attribute__((nonnull));

#endif
