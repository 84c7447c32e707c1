/* Runs, writers, console and help: panes that are lists of lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "text.h"

#define STATE_WIDTH 11
#define STEP_WIDTH 9
#define TOOK_WIDTH 8
#define VALUE_WIDTH 12
#define NAME_LEAST 16
#define RUN_ID_LEAST 6 /* columns for an id next to the name */

static void say(const struct drawing *d, struct box box, const char *text)
{
	cells_text(d->cells, box.x + 1, box.y, box.width - 1, text, STYLE_DIM);
}

/* A line of a list that takes the keys. */
static void mark(const struct drawing *d, enum pane pane, struct box box, int row)
{
	cells_style(d->cells, (struct box){ box.x, box.y + row, box.width, 1 },
		    d->view->focus == pane ? STYLE_SELECTED : STYLE_TITLE);
}

/* ---- runs ---------------------------------------------------------------------------------------- */

struct run_columns {
	int name, step, took, value, values; /* widths, 0: left out; how many values */
};

static struct run_columns run_columns(const struct model *model, int width)
{
	struct run_columns columns = { .value = VALUE_WIDTH };
	int left = width - STATE_WIDTH - NAME_LEAST;

	if (left >= STEP_WIDTH)
		columns.step = STEP_WIDTH;
	left -= columns.step;
	while (columns.values < MODEL_COLUMNS_MAX && model->columns[columns.values] &&
	       left >= VALUE_WIDTH) {
		columns.values++;
		left -= VALUE_WIDTH;
	}
	if (left >= TOOK_WIDTH)
		columns.took = TOOK_WIDTH;
	left -= columns.took;
	columns.name = NAME_LEAST + (left > 0 ? left : 0);
	if (columns.name > width - STATE_WIDTH)
		columns.name = width > STATE_WIDTH ? width - STATE_WIDTH : width;
	return columns;
}

static void draw_run_head(const struct drawing *d, struct box box,
			  const struct run_columns *columns)
{
	int x = box.x + columns->name;

	cells_text(d->cells, box.x, box.y, columns->name, " RUN", STYLE_DIM);
	cells_text(d->cells, x, box.y, STATE_WIDTH - 1, "STATE", STYLE_DIM);
	x += STATE_WIDTH;
	if (columns->step)
		cells_text_right(d->cells, x, box.y, columns->step, "STEP", STYLE_DIM);
	x += columns->step;
	if (columns->took)
		cells_text_right(d->cells, x, box.y, columns->took, "TOOK", STYLE_DIM);
	x += columns->took;
	for (int i = 0; i < columns->values; i++, x += columns->value)
		cells_text_right(d->cells, x + 1, box.y, columns->value - 1, d->model->columns[i],
				 STYLE_DIM);
}

/* The name, and the id if there is room for it, because several runs may have the same name. */
static void draw_run_name(const struct drawing *d, struct box line, int width,
			  const struct model_run *run)
{
	bool has_name = run->name[0] && strcmp(run->name, run->id) != 0;
	int used = cells_text(d->cells, line.x + 1, line.y, width, has_name ? run->name : run->id,
			      STYLE_PLAIN);

	if (has_name && width - used > RUN_ID_LEAST)
		cells_text(d->cells, line.x + 2 + used, line.y, width - used - 1, run->id,
			   STYLE_DIM);
}

static void draw_run(const struct drawing *d, struct box line, const struct run_columns *columns,
		     const struct model_run *run)
{
	char text[DRAW_SPAN_SIZE];
	int x = line.x + columns->name;

	draw_run_name(d, line, columns->name - 2, run);
	cells_text(d->cells, x, line.y, STATE_WIDTH - 1, run->state, draw_state_style(run->state));
	x += STATE_WIDTH;
	if (columns->step && !isnan(run->last_step)) {
		snprintf(text, sizeof text, "%.0f", run->last_step);
		cells_text_right(d->cells, x + 1, line.y, columns->step - 1, text, STYLE_PLAIN);
	}
	x += columns->step;
	draw_took(d->model, run, text);
	if (columns->took)
		cells_text_right(d->cells, x + 1, line.y, columns->took - 1, text, STYLE_PLAIN);
	x += columns->took;
	for (int i = 0; i < columns->values; i++, x += columns->value)
		cells_text_right(d->cells, x + 1, line.y, columns->value - 1, run->values[i],
				 STYLE_PLAIN);
}

void draw_runs(const struct drawing *d, struct box box)
{
	struct pane_view *pane = &d->view->panes[PANE_RUNS];
	struct run_columns columns = run_columns(d->model, box.width);
	int rows = box.height - 1;
	size_t count, *list = view_list(d->view, d->model, PANE_RUNS, &count);

	draw_follow(pane, count, rows > 0 ? (size_t)rows : 1);
	draw_run_head(d, box, &columns);
	box.y++;
	if (count == 0 && d->model->has_runs)
		say(d, box, pane->filter[0] ? "No run matches the filter." : "No runs.");
	for (int row = 0; row < rows && pane->first + (size_t)row < count; row++) {
		size_t at = pane->first + (size_t)row;
		struct box line = { box.x, box.y + row, box.width, 1 };

		draw_run(d, line, &columns, &d->model->runs[list[at]]);
		if (at == pane->selected)
			mark(d, PANE_RUNS, box, row);
	}
	free(list);
}

/* ---- writers --------------------------------------------------------------------------------------- */

static void draw_writer(const struct drawing *d, struct box line, const struct model_writer *writer)
{
	char text[64], span[DRAW_SPAN_SIZE];
	int name = line.width >= 60 ? line.width / 4 : line.width / 3, x = line.x + 1;

	cells_text(d->cells, x, line.y, name - 1, writer->label, STYLE_PLAIN);
	x += name;
	x += cells_text(d->cells, x, line.y, 9, writer->state, draw_state_style(writer->state)) + 1;
	draw_since(d->model, writer->heard_s, span);
	snprintf(text, sizeof text, "%s%s", span, writer->heard_s > 0 ? " ago" : "");
	cells_text(d->cells, x, line.y, line.x + line.width - x, text, STYLE_PLAIN);
	x = line.x + name + 22;
	if (line.width < 60)
		return;
	cells_text(d->cells, x, line.y, 8, writer->role, STYLE_DIM);
	x += 9;
	snprintf(text, sizeof text, "%.0f rows", writer->rows);
	cells_text(d->cells, x, line.y, line.x + line.width - x, text, STYLE_PLAIN);
	x += 13;
	if (writer->dropped > 0) {
		snprintf(text, sizeof text, "%.0f dropped", writer->dropped);
		x += cells_text(d->cells, x, line.y, line.x + line.width - x, text, STYLE_BAD) + 1;
	}
	cells_text(d->cells, x, line.y, line.x + line.width - x, writer->host, STYLE_DIM);
}

void draw_writers(const struct drawing *d, struct box box)
{
	struct pane_view *pane = &d->view->panes[PANE_WRITERS];
	size_t count, *list = view_list(d->view, d->model, PANE_WRITERS, &count);

	draw_follow(pane, count, (size_t)box.height);
	if (count == 0)
		say(d, box, pane->filter[0] ? "No writer matches the filter." : "No writers.");
	for (int row = 0; row < box.height && pane->first + (size_t)row < count; row++) {
		size_t at = pane->first + (size_t)row;

		draw_writer(d, (struct box){ box.x, box.y + row, box.width, 1 },
			    &d->model->writers[list[at]]);
		if (at == pane->selected && d->view->focus == PANE_WRITERS)
			mark(d, PANE_WRITERS, box, row);
	}
	free(list);
}

/* ---- console --------------------------------------------------------------------------------------- */

static bool has_labels(const struct model *model)
{
	for (size_t i = 1; i < model->line_count; i++) {
		if (strcmp(model->lines[i].label, model->lines[0].label) != 0)
			return true;
	}
	return false;
}

static int label_width(const struct drawing *d)
{
	int width = 0;

	for (size_t i = 0; i < d->model->line_count; i++) {
		int columns = cells_columns(d->cells, d->model->lines[i].label);

		width = columns > width ? columns : width;
	}
	return width < 12 ? width : 12;
}

static void draw_line(const struct drawing *d, struct box box, int label,
		      const struct model_line *line)
{
	int x = box.x;

	if (label) {
		cells_text(d->cells, x, box.y, label, line->label, STYLE_DIM);
		x += label + 1;
	}
	cells_text(d->cells, x, box.y, box.x + box.width - x, line->text,
		   line->is_error ? STYLE_BAD : STYLE_PLAIN);
}

static bool is_anchor(const struct view *view, const struct model_line *line)
{
	return line->number == view->anchor_number && text_hash(line->label) == view->anchor_label;
}

/* Returns how many lines are below the one to which the console was scrolled; more may have come since. */
static size_t lines_below(const struct drawing *d, const size_t *list, size_t count)
{
	size_t first = d->view->panes[PANE_CONSOLE].first;

	for (size_t i = count; first && d->view->has_anchor && i > 0; i--) {
		if (is_anchor(d->view, &d->model->lines[list[i - 1]]))
			return count - i;
	}
	return first;
}

static void note_anchor(struct view *view, const struct model_line *line)
{
	view->has_anchor = true;
	view->anchor_label = text_hash(line->label);
	view->anchor_number = line->number;
}

/* The last lines; `first` of them are left out when a user has scrolled up. */
void draw_console(const struct drawing *d, struct box box)
{
	struct pane_view *pane = &d->view->panes[PANE_CONSOLE];
	size_t count, *list = view_list(d->view, d->model, PANE_CONSOLE, &count), rows;
	int label = has_labels(d->model) && box.width >= 40 ? label_width(d) : 0;

	rows = count < (size_t)box.height ? count : (size_t)box.height;
	pane->count = count;
	pane->page = (size_t)box.height;
	pane->first = lines_below(d, list, count);
	if (pane->first > count - rows)
		pane->first = count - rows;
	if (rows)
		note_anchor(d->view, &d->model->lines[list[count - 1 - pane->first]]);
	if (count == 0)
		say(d, box, pane->filter[0] ? "No line matches the filter." : "No output.");
	for (size_t i = 0; i < rows; i++) {
		struct box line = { box.x, box.y + (int)i, box.width, 1 };

		draw_line(d, line, label, &d->model->lines[list[count - rows - pane->first + i]]);
	}
	free(list);
}

/* ---- help ------------------------------------------------------------------------------------------- */

static const struct {
	const char *keys, *what;
} help[] = {
	{ "Tab, Shift-Tab, 1-5", "next, previous pane, a pane" },
	{ "arrows, h j k l", "move" },
	{ "PgUp PgDn, b f", "move by a page" },
	{ "Home End, g G", "first, last; follow the console" },
	{ "Enter", "open a run; the pane, the chart alone" },
	{ "z", "the pane alone, and back" },
	{ "/", "filter the pane by a text" },
	{ "Esc", "back; remove the filter" },
	{ "Space", "pin the metric to the top" },
	{ "+ -", "larger, smaller charts" },
	{ "y", "logarithmic charts" },
	{ "x", "charts by time or by step" },
	{ "s", "metrics or system metrics" },
	{ "mouse", "click: choose, twice: alone; wheel" },
	{ "q, Ctrl-C", "quit" },
};

void draw_help(const struct drawing *d, struct box box)
{
	int width = box.width >= 60 ? 24 : box.width / 2;

	for (size_t i = 0; i < sizeof help / sizeof help[0]; i++) {
		int y = box.y + (int)i;

		if ((int)i >= box.height)
			return;
		cells_text(d->cells, box.x + 1, y, width - 1, help[i].keys, STYLE_TITLE);
		cells_text(d->cells, box.x + 1 + width, y, box.width - width - 1, help[i].what,
			   STYLE_PLAIN);
	}
}
