/* The frame of the screen: a line of facts, the panes with their titles, a line of keys or of what is wrong. */
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gauge.h"
#include "layout.h"
#include "run_text.h"

#define ALERT_SHOWN_S 60

static const struct pane_kind {
	const char *name, *short_name;
	void (*draw)(const struct drawing *d, struct box box);
} kinds[PANES] = {
	[PANE_RUNS] = { "Runs", "Runs", draw_runs },
	[PANE_CHARTS] = { "Metrics", "Metr", draw_charts },
	[PANE_DEVICES] = { "Devices", "Dev", draw_devices },
	[PANE_WRITERS] = { "Writers", "Writ", draw_writers },
	[PANE_CONSOLE] = { "Console", "Cons", draw_console },
};

void draw_follow(struct pane_view *pane, size_t count, size_t rows)
{
	rows = rows ? rows : 1;
	pane->count = count;
	pane->page = rows;
	if (pane->selected >= count)
		pane->selected = count ? count - 1 : 0;
	if (pane->selected < pane->first)
		pane->first = pane->selected;
	if (pane->selected >= pane->first + rows)
		pane->first = pane->selected - rows + 1;
	if (pane->first + rows > count)
		pane->first = count > rows ? count - rows : 0;
}

enum style draw_state_style(const char *state)
{
	static const struct {
		const char *state;
		enum style style;
	} styles[] = {
		{ "running", STYLE_GOOD },    { "alive", STYLE_GOOD },
		{ "finished", STYLE_INFO },   { "failed", STYLE_BAD },
		{ "crashed", STYLE_BAD },     { "killed", STYLE_BAD },
		{ "lost", STYLE_BAD },        { "pending", STYLE_WARN },
		{ "preempting", STYLE_WARN }, { "preempted", STYLE_WARN },
	};

	for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
		if (strcmp(styles[i].state, state) == 0)
			return styles[i].style;
	}
	return STYLE_DIM;
}

void draw_since(const struct model *model, double time_s, char text[static DRAW_SPAN_SIZE])
{
	if (time_s > 0)
		run_text_span(model_now(model) - time_s, text, DRAW_SPAN_SIZE);
	else
		snprintf(text, DRAW_SPAN_SIZE, "-");
}

void draw_took(const struct model *model, const struct model_run *run,
	       char text[static DRAW_SPAN_SIZE])
{
	if (run->started_s > 0 && run->ended_s > 0)
		run_text_span(run->ended_s - run->started_s, text, DRAW_SPAN_SIZE);
	else
		draw_since(model, run->started_s, text);
}

/* ---- the line of facts --------------------------------------------------------------------------- */

static int put(const struct drawing *d, int x, const char *text, enum style style)
{
	return x + cells_text(d->cells, x, 0, d->cells->width - x, text, style) + 2;
}

static void draw_run_facts(const struct drawing *d, int x, const struct model_run *run)
{
	char text[64], span[DRAW_SPAN_SIZE];

	if (strcmp(run->name, run->id) != 0 && run->name[0])
		x = put(d, x, run->name, STYLE_PLAIN);
	x = put(d, x, run->state, draw_state_style(run->state));
	draw_took(d->model, run, span);
	x = put(d, x, span, STYLE_PLAIN);
	if (!isnan(run->last_step)) {
		snprintf(text, sizeof text, "step %.0f", run->last_step);
		x = put(d, x, text, STYLE_PLAIN);
	}
	snprintf(text, sizeof text, "%.0f row%s", run->rows, run->rows == 1 ? "" : "s");
	put(d, x, text, STYLE_DIM);
}

static void draw_project_facts(const struct drawing *d, int x)
{
	const struct model *model = d->model;
	size_t running = 0;
	char text[80];

	for (size_t i = 0; i < model->run_count; i++)
		running += strcmp(model->runs[i].state, "running") == 0;
	snprintf(text, sizeof text, "%zu%s run%s, %zu running", model->run_count,
		 model->has_more_runs ? "+" : "", model->run_count == 1 ? "" : "s", running);
	put(d, x, text, STYLE_PLAIN);
}

static void draw_head(const struct drawing *d)
{
	const struct model_run *run = model_shown_run(d->model);
	int x = put(d, 0, "cairn top", STYLE_DIM);

	x = put(d, x, d->model->title ? d->model->title : "", STYLE_TITLE);
	if (d->model->kind == MODEL_RUN && run)
		draw_run_facts(d, x, run);
	else if (d->model->kind == MODEL_PROJECT || d->model->kind == MODEL_SPOOL)
		draw_project_facts(d, x);
}

/* ---- panes ---------------------------------------------------------------------------------------- */

static void describe(const struct drawing *d, enum pane pane, char *text, size_t size)
{
	const struct pane_view *list = &d->view->panes[pane];
	const char *name = pane == PANE_CHARTS && d->view->is_system ? "System metrics"
								     : kinds[pane].name;

	if (list->filter[0])
		snprintf(text, size, "%s /%s", name, list->filter);
	else
		snprintf(text, size, "%s", name);
}

/* Which part of a list is seen. */
static void draw_part(const struct drawing *d, enum pane pane, struct box box)
{
	const struct pane_view *list = &d->view->panes[pane];
	size_t first = pane == PANE_CONSOLE ? 0 : list->first;
	char text[64];

	if (list->count <= list->page && !(pane == PANE_CONSOLE && list->first))
		return;
	if (pane == PANE_CONSOLE && list->first)
		snprintf(text, sizeof text, " %zu more below ", list->first);
	else if (pane == PANE_CONSOLE)
		snprintf(text, sizeof text, " following ");
	else
		snprintf(text, sizeof text, " %zu-%zu of %zu ", first + 1,
			 first + list->page < list->count ? first + list->page : list->count,
			 list->count);
	cells_text_right(d->cells, box.x, box.y, box.width - 1, text, STYLE_DIM);
}

static void draw_title(const struct drawing *d, enum pane pane, struct box box)
{
	enum style style = pane == d->view->focus ? STYLE_FOCUS : STYLE_TITLE;
	char text[VIEW_FILTER_SIZE + 32];
	int used;

	describe(d, pane, text, sizeof text);
	gauge_rule(d->cells, box.x, box.y, box.width,
		   pane == d->view->focus ? STYLE_FOCUS : STYLE_DIM);
	used = cells_text(d->cells, box.x + 1, box.y, box.width - 2, " ", style);
	used += cells_text(d->cells, box.x + 1 + used, box.y, box.width - 3, text, style);
	cells_text(d->cells, box.x + 1 + used, box.y, 1, " ", style);
	draw_part(d, pane, box);
}

/* The names of all panes, instead of a title, where one is shown at a time. */
static void draw_tabs(const struct drawing *d, struct box box)
{
	bool is_short = box.width < 60;
	int x = box.x;

	for (int pane = 0; pane < PANES; pane++) {
		bool is_focus = pane == (int)d->view->focus;
		char text[VIEW_FILTER_SIZE + 32];

		if (!view_has_pane(d->model, (enum pane)pane))
			continue;
		describe(d, (enum pane)pane, text, sizeof text);
		if (is_short && !is_focus)
			snprintf(text, sizeof text, "%s", kinds[pane].short_name);
		cells_text(d->cells, x++, box.y, 1, is_focus ? "[" : " ", STYLE_FOCUS);
		x += cells_text(d->cells, x, box.y, box.x + box.width - x - 1, text,
				is_focus ? STYLE_FOCUS : STYLE_DIM);
		cells_text(d->cells, x++, box.y, 1, is_focus ? "]" : " ", STYLE_FOCUS);
	}
}

static void draw_panes(const struct drawing *d, struct box body)
{
	struct view *view = d->view;
	bool is_single = layout_panes(view, d->model, body, view->boxes);

	for (int pane = 0; pane < PANES; pane++) {
		struct box box = view->boxes[pane];

		if (box.height < 1)
			continue;
		if (is_single && pane == PANE_CONSOLE)
			view->panes[pane].page = (size_t)box.height;
		if (box.height > 1)
			kinds[pane].draw(d, (struct box){ box.x, box.y + 1, box.width,
							  box.height - 1 });
		if (is_single)
			draw_tabs(d, box);
		else
			draw_title(d, (enum pane)pane, box);
	}
}

/* ---- the last line ---------------------------------------------------------------------------------- */

static void draw_lost(const struct drawing *d, int y)
{
	const struct model *model = d->model;
	double left_s = model->retry_s - model_now(model);
	char text[sizeof model->notice + 80];

	if (left_s > 0.5)
		snprintf(text, sizeof text, "not connected, next try in %.0f s: %s", left_s,
			 model->notice);
	else
		snprintf(text, sizeof text, "not connected, trying again: %s", model->notice);
	cells_text(d->cells, 0, y, d->cells->width, text, STYLE_BAD);
}

static const char *link_text(enum model_link link)
{
	switch (link) {
	case LINK_CONNECTING:
		return "connecting";
	case LINK_LIVE:
		return "live";
	case LINK_POLLING:
		return "every 5 s";
	default:
		return "";
	}
}

/* An alert takes the place of the keys for a while. */
static int draw_hint(const struct drawing *d, int y, int width)
{
	const struct model *model = d->model;
	char text[MODEL_ALERT_SIZE + 16];

	if (!model->alert[0] || model_now(model) - model->alert_s > ALERT_SHOWN_S)
		return cells_text(d->cells, 0, y, width,
				  "q quit  ? help  Tab pane  / filter  Enter zoom", STYLE_DIM);
	snprintf(text, sizeof text, "alert: %s", model->alert);
	return cells_text(d->cells, 0, y, width, text, STYLE_BAD);
}

static void draw_foot(const struct drawing *d)
{
	const struct view *view = d->view;
	int y = d->cells->height - 1, width = d->cells->width;
	char text[VIEW_FILTER_SIZE + 8];

	if (y < 1)
		return;
	if (view->is_editing) {
		snprintf(text, sizeof text, "/%s_", view->panes[view->focus].filter);
		cells_text(d->cells, 0, y, width, text, STYLE_TITLE);
	} else if (d->model->link == LINK_LOST) {
		draw_lost(d, y);
	} else {
		int used = draw_hint(d, y, width);

		if (d->model->link == LINK_LOCAL)
			cells_text_right(d->cells, used + 1, y, width - used - 1, d->model->notice,
					 STYLE_WARN);
		else if (width - used > 10)
			cells_text_right(d->cells, used, y, width - used, link_text(d->model->link),
					 d->model->link == LINK_LIVE ? STYLE_GOOD : STYLE_WARN);
	}
}

/* ---- what is needed ---------------------------------------------------------------------------------- */

/* The selected run keeps its selection when the list changes. */
static void follow_run(struct view *view, const struct model *model)
{
	size_t count, *list = view_list(view, model, PANE_RUNS, &count), at = 0;

	while (at < count && strcmp(model->runs[list[at]].id, view->run) != 0)
		at++;
	if (at < count)
		view->panes[PANE_RUNS].selected = at;
	else if (view->panes[PANE_RUNS].selected < count)
		snprintf(view->run, sizeof view->run, "%s",
			 model->runs[list[view->panes[PANE_RUNS].selected]].id);
	else if (count)
		snprintf(view->run, sizeof view->run, "%s", model->runs[list[0]].id);
	free(list);
}

static void note_wants(struct view *view, const struct model *model)
{
	struct wants *wants = &view->wants;
	size_t count, *list;

	snprintf(wants->run, sizeof wants->run, "%s", view->run);
	wants->is_system = view->is_system;
	wants->is_relative = view->is_relative;
	if (view->is_system) /* columns are those of metrics: the former stay */
		return;
	for (size_t i = 0; i < view->pin_count; i++)
		wants_add_column(wants, view->pins[i]);
	list = view_list(view, model, PANE_CHARTS, &count);
	for (size_t i = 0; i < count && !view->panes[PANE_CHARTS].filter[0]; i++) {
		if (!view_is_pinned(view, model->metrics[list[i]].key))
			wants_add_column(wants, model->metrics[list[i]].key);
	}
	free(list);
}

void draw_screen(struct cells *cells, struct view *view, const struct model *model)
{
	struct drawing d = { cells, view, model };
	struct box body = { 0, 1, cells->width, cells->height - 2 };

	cells_clear(cells);
	wants_clear(&view->wants);
	if (!view_has_pane(model, view->focus))
		view->focus = PANE_CHARTS;
	follow_run(view, model);
	draw_head(&d);
	if (view->has_help)
		draw_help(&d, body);
	else if (body.height > 0)
		draw_panes(&d, body);
	draw_foot(&d);
	note_wants(view, model);
}
