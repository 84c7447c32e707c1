#include "layout.h"

#define SINGLE_WIDTH 50 /* narrower or lower than this, one pane at a time is shown */
#define SINGLE_HEIGHT 14
#define WIDE_WIDTH 110 /* from here on there are two columns */
#define CHARTS_HEIGHT_LEAST 7
#define CHART_WIDTH 36
#define CHART_HEIGHT 7

struct column {
	enum pane panes[PANES];
	int heights[PANES];
	int count, rest; /* rest: the index of the pane that takes the rest */
};

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

/* The height that a pane with a list would like to have, with its title. */
static int wish(const struct model *model, enum pane pane, int height)
{
	switch (pane) {
	case PANE_RUNS: /* and a line of names of columns */
		return least(2 + most(1, (int)model->run_count), most(4, height / 3));
	case PANE_DEVICES:
		return least(1 + most(1, (int)model->device_count), most(3, height / 4));
	case PANE_WRITERS:
		return least(1 + most(1, (int)model->writer_count), most(3, height / 5));
	case PANE_CONSOLE:
		return most(4, height / 4);
	default:
		return CHARTS_HEIGHT_LEAST;
	}
}

static void add_pane(struct column *column, const struct model *model, enum pane pane, int height)
{
	if (!view_has_pane(model, pane))
		return;
	column->panes[column->count] = pane;
	column->heights[column->count++] = wish(model, pane, height);
}

static int sum_of(const struct column *column)
{
	int sum = 0;

	for (int i = 0; i < column->count; i++)
		sum += column->heights[i];
	return sum;
}

static void remove_pane(struct column *column, int index)
{
	column->count--;
	for (int i = index; i < column->count; i++) {
		column->panes[i] = column->panes[i + 1];
		column->heights[i] = column->heights[i + 1];
	}
}

/* Leaves out panes until the others have room, never the one that takes the keys. */
static void make_room(struct column *column, const struct view *view, int height)
{
	static const enum pane dispensable[] = { PANE_WRITERS, PANE_CONSOLE, PANE_DEVICES,
						 PANE_RUNS, PANE_CHARTS };

	for (size_t k = 0; k < sizeof dispensable / sizeof dispensable[0]; k++) {
		for (int i = 0; i < column->count && sum_of(column) > height; i++) {
			if (column->panes[i] == dispensable[k] && dispensable[k] != view->focus)
				remove_pane(column, i);
		}
	}
}

/* Charts take the rest, else the console, else the last pane. */
static int find_rest(const struct column *column)
{
	static const enum pane order[] = { PANE_CHARTS, PANE_CONSOLE };

	for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
		for (int i = 0; i < column->count; i++) {
			if (column->panes[i] == order[k])
				return i;
		}
	}
	return column->count - 1;
}

static void place(struct column *column, const struct view *view, struct box area,
		  struct box boxes[static PANES])
{
	int y = area.y, rest;

	make_room(column, view, area.height);
	if (column->count == 0)
		return;
	rest = find_rest(column);
	column->heights[rest] += area.height - sum_of(column);
	for (int i = 0; i < column->count; i++) {
		boxes[column->panes[i]] = (struct box){ area.x, y, area.width, column->heights[i] };
		y += column->heights[i];
	}
}

static void place_columns(const struct view *view, const struct model *model, struct box body,
			  struct box boxes[static PANES])
{
	struct column left = { 0 }, right = { 0 };
	struct column *second = body.width >= WIDE_WIDTH ? &right : &left;
	struct box area = body;

	add_pane(&left, model, PANE_RUNS, body.height);
	add_pane(&left, model, PANE_CHARTS, body.height);
	for (enum pane pane = PANE_DEVICES; pane < PANES; pane++)
		add_pane(second, model, pane, body.height);
	if (right.count)
		area.width = body.width * 3 / 5;
	place(&left, view, area, boxes);
	area = (struct box){ body.x + area.width + 1, body.y, body.width - area.width - 1,
			     body.height };
	place(&right, view, area, boxes);
}

bool layout_panes(const struct view *view, const struct model *model, struct box body,
		  struct box boxes[static PANES])
{
	bool is_single = view->is_zoomed || body.width < SINGLE_WIDTH ||
			 body.height < SINGLE_HEIGHT;

	for (int i = 0; i < PANES; i++)
		boxes[i] = (struct box){ 0 };
	if (is_single)
		boxes[view->focus] = body;
	else
		place_columns(view, model, body, boxes);
	return is_single;
}

struct layout_grid layout_grid(struct box box, const struct view *view, size_t count)
{
	struct layout_grid grid;
	int width = view->is_one ? box.width : most(16, CHART_WIDTH + 10 * view->size);
	int height = view->is_one ? box.height : most(3, CHART_HEIGHT + 2 * view->size);

	grid.columns = most(1, box.width / most(1, width));
	grid.rows = most(1, box.height / most(1, height));
	if (count && (size_t)grid.columns > count)
		grid.columns = (int)count;
	if (count && grid.columns * (grid.rows - 1) >= (int)count)
		grid.rows = ((int)count + grid.columns - 1) / grid.columns;
	grid.width = box.width / grid.columns;
	grid.height = box.height / grid.rows;
	return grid;
}

long layout_item_at(const struct view *view, enum pane pane, int x, int y)
{
	const struct box *box = &view->boxes[pane];
	int row = y - box->y - (pane == PANE_RUNS ? 2 : 1);

	if (row < 0)
		return -1;
	if (pane == PANE_CHARTS) {
		struct box inner = { box->x, box->y + 1, box->width, box->height - 1 };
		struct layout_grid grid = layout_grid(inner, view, view->panes[pane].count);
		int column = (x - box->x) / (grid.width ? grid.width : 1);

		return (long)view->panes[pane].first +
		       row / (grid.height ? grid.height : 1) * grid.columns + column;
	}
	return (long)view->panes[pane].first + row;
}
