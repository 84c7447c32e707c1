#ifndef DRAW_H
#define DRAW_H

#include "view.h"

/* Draws the screen, and notes in the view where things are and which data they need. */
void draw_screen(struct cells *cells, struct view *view, const struct model *model)
	__attribute__((nonnull));

/* ---- parts, for draw.c alone ---- */

struct drawing {
	struct cells *cells;
	struct view *view;
	const struct model *model;
};

/* One pane in its box, without its title. */
void draw_runs(const struct drawing *d, struct box box) __attribute__((nonnull));
void draw_charts(const struct drawing *d, struct box box) __attribute__((nonnull));
void draw_devices(const struct drawing *d, struct box box) __attribute__((nonnull));
void draw_writers(const struct drawing *d, struct box box) __attribute__((nonnull));
void draw_console(const struct drawing *d, struct box box) __attribute__((nonnull));
void draw_help(const struct drawing *d, struct box box) __attribute__((nonnull));

/* Clamps the selection of a list of which `rows` are seen, scrolls to it, and notes both. */
void draw_follow(struct pane_view *pane, size_t count, size_t rows) __attribute__((nonnull));

enum style draw_state_style(const char *state) __attribute__((nonnull));

/* "1h02m": how long ago that was by the server's clock; "-" for never. */
enum { DRAW_SPAN_SIZE = 24 };
void draw_since(const struct model *model, double time_s, char text[static DRAW_SPAN_SIZE])
	__attribute__((nonnull));
/* How long the run took up to its end or now. */
void draw_took(const struct model *model, const struct model_run *run,
	       char text[static DRAW_SPAN_SIZE]) __attribute__((nonnull));

#endif
