#ifndef VIEW_H
#define VIEW_H

#include "model.h"
#include "wants.h"

/*
 * How the user looks at the model: the pane that takes the keys, selections, filters, the charts' size. Keys and the mouse
 * change it, drawing reads it, and notes where panes are, for the mouse, and which charts are seen, for the source.
 */
enum pane { PANE_RUNS, PANE_CHARTS, PANE_DEVICES, PANE_WRITERS, PANE_CONSOLE, PANES };

/* Characters are their codes; these are above all of them. */
enum view_key {
	VIEW_KEY_UP = 0x110000,
	VIEW_KEY_DOWN,
	VIEW_KEY_LEFT,
	VIEW_KEY_RIGHT,
	VIEW_KEY_PAGE_UP,
	VIEW_KEY_PAGE_DOWN,
	VIEW_KEY_HOME,
	VIEW_KEY_END,
	VIEW_KEY_BACK_TAB,
	VIEW_KEY_BACKSPACE
};

enum { VIEW_FILTER_SIZE = 64, VIEW_PINS_MAX = 12, VIEW_SIZE_MOST = 3 };

struct pane_view {
	size_t selected;
	size_t first; /* that is drawn; of the console the number of lines below the last one that is drawn */
	size_t count; /* of what passes the filter, when it was drawn last */
	size_t page;  /* how much of it was drawn */
	char filter[VIEW_FILTER_SIZE];
};

struct view {
	enum pane focus;
	bool came_from_runs; /* when a pane was zoomed: back leads there */
	bool is_one;         /* the selected chart fills its pane */
	bool is_zoomed, has_help, is_editing, is_log, is_relative, is_system, is_done;
	int size; /* of the charts, from -VIEW_SIZE_MOST on */
	struct pane_view panes[PANES];
	char run[WANTS_RUN_SIZE]; /* that is selected; "": the first */
	char *pins[VIEW_PINS_MAX];
	size_t pin_count;
	struct box boxes[PANES]; /* when it was drawn last; without a height: not seen */
	int chart_columns;       /* of the grid */
	bool has_anchor; /* the console was scrolled up to this line, and stays there when further ones come */
	uint64_t anchor_label;
	double anchor_number;
	struct wants wants; /* what the source is to read for what is seen */
};

void view_deinit(struct view *view) __attribute__((nonnull));

/* Whether there is such a pane for what the model shows. */
bool view_has_pane(const struct model *model, enum pane pane) __attribute__((nonnull));

/* The indices of what passes the pane's filter, in the order in which it is shown; freed by the caller. NULL if there is
 * none, or without memory. */
size_t *view_list(const struct view *view, const struct model *model, enum pane pane,
		  size_t *ret_count) __attribute__((nonnull));

bool view_is_pinned(const struct view *view, const char *key) __attribute__((nonnull));

/* A key that was pressed. */
void view_key(struct view *view, const struct model *model, uint32_t key) __attribute__((nonnull));

enum view_click { VIEW_CLICK, VIEW_CLICK_TWICE, VIEW_WHEEL_UP, VIEW_WHEEL_DOWN };
void view_mouse(struct view *view, const struct model *model, int x, int y, enum view_click click)
	__attribute__((nonnull));

#endif
