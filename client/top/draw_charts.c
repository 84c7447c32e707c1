/* The pane of charts, and the pane of devices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "gauge.h"
#include "layout.h"

static void draw_one_chart(const struct drawing *d, struct box box,
			   const struct model_metric *metric, size_t at)
{
	bool is_selected = d->view->focus == PANE_CHARTS &&
			   d->view->panes[PANE_CHARTS].selected == at;
	bool is_time = d->view->is_relative || d->view->is_system || d->model->kind == MODEL_HOST;
	struct chart chart = { .points = metric->points,
			       .count = metric->point_count,
			       .is_time = is_time,
			       .is_log = d->view->is_log,
			       .style = (enum style)(STYLE_LINE_FIRST + at % STYLE_LINES) };
	int value = cells_columns(d->cells, metric->value);

	if (value > box.width / 2)
		value = box.width / 2;
	if (view_is_pinned(d->view, metric->key))
		cells_put(d->cells, box.x, box.y, 0x2022, '*', STYLE_WARN);
	cells_text(d->cells, box.x + 1, box.y, box.width - value - 2, metric->key, STYLE_TITLE);
	cells_text_right(d->cells, box.x + box.width - value, box.y, value, metric->value,
			 STYLE_TITLE);
	if (is_selected)
		cells_style(d->cells, (struct box){ box.x, box.y, box.width, 1 }, STYLE_SELECTED);
	box.y++;
	box.height--;
	if (metric->points)
		chart_draw(d->cells, box, &chart);
}

/* Scrolls by rows of the grid. */
static void follow(struct pane_view *pane, size_t count, const struct layout_grid *grid)
{
	size_t columns = (size_t)grid->columns, page = columns * (size_t)grid->rows;

	pane->count = count;
	pane->page = page;
	if (pane->selected >= count)
		pane->selected = count ? count - 1 : 0;
	if (pane->selected < pane->first)
		pane->first = pane->selected / columns * columns;
	if (pane->selected >= pane->first + page)
		pane->first = (pane->selected / columns + 1) * columns - page;
	pane->first = pane->first / columns * columns;
	if (pane->first >= count)
		pane->first = 0;
}

void draw_charts(const struct drawing *d, struct box box)
{
	struct pane_view *pane = &d->view->panes[PANE_CHARTS];
	size_t count, *list = view_list(d->view, d->model, PANE_CHARTS, &count);
	struct layout_grid grid = layout_grid(box, d->view, count);

	follow(pane, count, &grid);
	d->view->chart_columns = grid.columns;
	d->view->wants.points = grid.width > 4 ? (grid.width - 1) * 2 : 8;
	if (count == 0 && d->model->has_metrics)
		cells_text(d->cells, box.x + 1, box.y, box.width - 1,
			   pane->filter[0] ? "No metric matches the filter." : "No metrics.",
			   STYLE_DIM);
	for (size_t i = 0; i < pane->page && pane->first + i < count; i++) {
		const struct model_metric *metric = &d->model->metrics[list[pane->first + i]];
		int column = (int)i % grid.columns, row = (int)i / grid.columns;
		struct box one = { box.x + column * grid.width, box.y + row * grid.height,
				   grid.width - (grid.columns > 1), grid.height };

		draw_one_chart(d, one, metric, pane->first + i);
		wants_add_key(&d->view->wants, metric->key);
	}
	free(list);
}

/* ---- devices --------------------------------------------------------------------------------------- */

#define HOST_WIDTH_MOST 16
#define NAME_WIDTH 8
#define FIGURES_WIDTH 16 /* temperature and power */

static void put_share(const struct drawing *d, int *x, struct box line, const char *name,
		      double share, int bar)
{
	char text[16];

	if (name[0])
		*x += cells_text(d->cells, *x, line.y, line.x + line.width - *x, name, STYLE_DIM) +
		      1;
	if (bar > 0) {
		gauge_bar(d->cells, *x, line.y, bar, share, gauge_load(share));
		*x += bar;
	}
	if (isnan(share))
		snprintf(text, sizeof text, "   -");
	else
		snprintf(text, sizeof text, "%3.0f%%", share * 100);
	*x += cells_text(d->cells, *x, line.y, line.x + line.width - *x, text, STYLE_PLAIN) + 1;
}

static void put_figures(const struct drawing *d, int x, struct box line,
			const struct model_device *device)
{
	char text[48] = "", power[24] = "";

	if (!isnan(device->temperature_c))
		snprintf(text, sizeof text, "%.0f%s", device->temperature_c,
			 d->cells->is_utf8 ? "\u00b0C" : "C");
	cells_text_right(d->cells, x, line.y, 5, text, STYLE_PLAIN);
	if (!isnan(device->power_w) && device->power_limit_w > 0)
		snprintf(power, sizeof power, "%.0f/%.0f W", device->power_w,
			 device->power_limit_w);
	else if (!isnan(device->power_w))
		snprintf(power, sizeof power, "%.0f W", device->power_w);
	cells_text(d->cells, x + 6, line.y, line.x + line.width - x - 6, power,
		   device->power_w > 0.95 * device->power_limit_w ? STYLE_WARN : STYLE_PLAIN);
}

static int host_width(const struct drawing *d, int width)
{
	int host = 0;

	for (size_t i = 0; i < d->model->device_count && d->model->kind != MODEL_HOST; i++) {
		int columns = cells_columns(d->cells, d->model->devices[i].host);

		host = columns > host ? columns : host;
	}
	if (host > width / 4)
		host = width / 4;
	return host < HOST_WIDTH_MOST ? host : HOST_WIDTH_MOST;
}

static void draw_device(const struct drawing *d, struct box line, const struct model_device *device,
			int host)
{
	int x = line.x + 1, left, bar, spark = 0;

	if (host) {
		cells_text(d->cells, x, line.y, host, device->host, STYLE_DIM);
		x += host + 1;
	}
	cells_text(d->cells, x, line.y, NAME_WIDTH, device->name, STYLE_PLAIN);
	x += NAME_WIDTH + 1;
	left = line.x + line.width - x - FIGURES_WIDTH - 14; /* the two shares, and "mem" */
	if (left > 36)
		spark = left / 3;
	bar = (left - spark) / 2;
	put_share(d, &x, line, "", device->busy, bar > 3 ? bar : left > 3 ? left : 0);
	put_share(d, &x, line, "mem", device->memory, bar > 3 ? bar : 0);
	if (line.x + line.width - x < 6)
		return;
	put_figures(d, x, line, device);
	if (spark > 4)
		gauge_spark(d->cells, (struct box){ line.x + line.width - spark, line.y, spark, 1 },
			    device->history, device->history_count, 0, 1);
}

void draw_devices(const struct drawing *d, struct box box)
{
	struct pane_view *pane = &d->view->panes[PANE_DEVICES];
	size_t count, *list = view_list(d->view, d->model, PANE_DEVICES, &count);
	int host = host_width(d, box.width);

	draw_follow(pane, count, (size_t)box.height);
	if (count == 0)
		cells_text(d->cells, box.x + 1, box.y, box.width - 1,
			   pane->filter[0] ? "No device matches the filter." : "No devices.",
			   STYLE_DIM);
	for (int row = 0; row < box.height && pane->first + (size_t)row < count; row++) {
		size_t at = pane->first + (size_t)row;

		draw_device(d, (struct box){ box.x, box.y + row, box.width, 1 },
			    &d->model->devices[list[at]], host);
		if (at == pane->selected && d->view->focus == PANE_DEVICES)
			cells_style(d->cells, (struct box){ box.x, box.y + row, box.width, 1 },
				    STYLE_SELECTED);
	}
	free(list);
}
