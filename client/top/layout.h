#ifndef LAYOUT_H
#define LAYOUT_H

#include "view.h"

/* Places the panes in the body of the screen; one without room has no height. In a small terminal, or when zoomed, there is
 * only the pane that takes the keys, below a line of names. Returns whether it is so. */
bool layout_panes(const struct view *view, const struct model *model, struct box body,
		  struct box boxes[static PANES]) __attribute__((nonnull));

/* The grid of charts in a pane's box, without its title. */
struct layout_grid {
	int columns, rows, width, height; /* width and height are those of a chart */
};
struct layout_grid layout_grid(struct box box, const struct view *view, size_t count)
	__attribute__((nonnull));

/* The item of a pane at a position of the screen, by what was drawn last; -1: none. */
long layout_item_at(const struct view *view, enum pane pane, int x, int y) __attribute__((nonnull));

#endif
