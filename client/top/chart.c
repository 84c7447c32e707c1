/* A curve in braille characters; where only ASCII is drawn, in points of half a line. */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_text.h"

#define BRAILLE 0x2800
#define GUTTER_MOST 10  /* columns of the figures at the left, and of the axis */
#define GUTTER_LEAST 24 /* the box has them from this width on */
#define FOOT_LEAST 4    /* and a line of figures below from this height on */

struct canvas {
	unsigned char *dots; /* of each character, as in U+2800 */
	int columns, rows;
	double x_min, x_max, y_min, y_max;
	bool is_log;
};

void chart_number(double number, char text[static CHART_NUMBER_SIZE])
{
	static const char units[] = "kMGTPE";
	double size = fabs(number);
	int unit = -1;

	if (isnan(number) || isinf(number) || size < 100000) {
		snprintf(text, CHART_NUMBER_SIZE,
			 size >= 10000              ? "%.5g"
			 : size > 0 && size < 0.001 ? "%.2e"
						    : "%.4g",
			 number);
		return;
	}
	for (; size >= 1000 && unit + 1 < (int)sizeof units - 1; unit++) {
		size /= 1000;
		number /= 1000;
	}
	if (size >= 1000)
		snprintf(text, CHART_NUMBER_SIZE, "%.3g", number * 1e18);
	else
		snprintf(text, CHART_NUMBER_SIZE, "%.3g%c", number, units[unit]);
}

static void set_dot(struct canvas *canvas, int x, int y)
{
	static const unsigned char dots[4][2] = {
		{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
	};

	if (x < 0 || y < 0 || x >= canvas->columns * 2 || y >= canvas->rows * 4)
		return;
	canvas->dots[y / 4 * canvas->columns + x / 2] |= dots[y % 4][x % 2];
}

static int dot_x(const struct canvas *canvas, double x)
{
	double share = (x - canvas->x_min) / (canvas->x_max - canvas->x_min);

	return (int)lround(share * (canvas->columns * 2 - 1));
}

/* The height of a number: itself or its logarithm; NaN: it is not drawn. */
static double height_of(const struct canvas *canvas, double y)
{
	if (isinf(y) || (canvas->is_log && y <= 0))
		return NAN;
	return canvas->is_log ? log10(y) : y;
}

static int dot_y(const struct canvas *canvas, double y)
{
	double share = (canvas->y_max - height_of(canvas, y)) / (canvas->y_max - canvas->y_min);

	return (int)lround(fmin(fmax(share, 0), 1) * (canvas->rows * 4 - 1));
}

static void draw_line(struct canvas *canvas, int x0, int y0, int x1, int y1)
{
	int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);

	for (int i = 0; i <= steps; i++) {
		double t = steps ? (double)i / steps : 0;

		set_dot(canvas, x0 + (int)lround(t * (x1 - x0)), y0 + (int)lround(t * (y1 - y0)));
	}
}

static bool is_drawn(const struct canvas *canvas, const struct chart_point *point)
{
	return !isnan(height_of(canvas, point->mean)) && isfinite(point->x);
}

static void draw_points(struct canvas *canvas, const struct chart *chart)
{
	const struct chart_point *before = NULL;

	for (size_t i = 0; i < chart->count; i++) {
		const struct chart_point *point = &chart->points[i];
		int x, y;

		if (!is_drawn(canvas, point)) {
			before = NULL;
			continue;
		}
		x = dot_x(canvas, point->x);
		y = dot_y(canvas, point->mean);
		if (!isnan(height_of(canvas, point->low)) && !isnan(height_of(canvas, point->high)))
			draw_line(canvas, x, dot_y(canvas, point->low), x,
				  dot_y(canvas, point->high));
		if (before)
			draw_line(canvas, dot_x(canvas, before->x), dot_y(canvas, before->mean), x,
				  y);
		set_dot(canvas, x, y);
		before = point;
	}
}

static void take_height(struct canvas *canvas, double y)
{
	double height = height_of(canvas, y);

	if (isnan(height))
		return;
	canvas->y_min = fmin(canvas->y_min, height);
	canvas->y_max = fmax(canvas->y_max, height);
}

/* False if there is nothing to draw. */
static bool find_ranges(struct canvas *canvas, const struct chart *chart)
{
	double margin;

	canvas->x_min = canvas->y_min = INFINITY;
	canvas->x_max = canvas->y_max = -INFINITY;
	for (size_t i = 0; i < chart->count; i++) {
		const struct chart_point *point = &chart->points[i];

		if (!is_drawn(canvas, point))
			continue;
		canvas->x_min = fmin(canvas->x_min, point->x);
		canvas->x_max = fmax(canvas->x_max, point->x);
		take_height(canvas, point->low);
		take_height(canvas, point->high);
		take_height(canvas, point->mean);
	}
	if (canvas->x_min > canvas->x_max)
		return false;
	if (canvas->x_max <= canvas->x_min)
		canvas->x_max = canvas->x_min + 1;
	margin = canvas->y_max > canvas->y_min ? 0
					       : fabs(canvas->y_min) * 0.05 + (canvas->y_min == 0);
	canvas->y_min -= margin;
	canvas->y_max += margin;
	return canvas->y_max > canvas->y_min && isfinite(canvas->y_max - canvas->y_min);
}

/* One character for the dots of two rows of four. */
static char ascii_of(unsigned char dots)
{
	bool is_up = dots & 0x1b, is_down = dots & 0xe4;

	return is_up && is_down ? ':' : is_up ? '\'' : '.';
}

static void put_dots(struct cells *cells, struct box box, const struct canvas *canvas,
		     enum style style)
{
	for (int y = 0; y < canvas->rows; y++) {
		for (int x = 0; x < canvas->columns; x++) {
			unsigned char dots = canvas->dots[y * canvas->columns + x];

			if (dots)
				cells_put(cells, box.x + x, box.y + y, BRAILLE | dots,
					  ascii_of(dots), style);
		}
	}
}

/* The figures at the ends of the axis of y. */
struct figures {
	char top[CHART_NUMBER_SIZE], bottom[CHART_NUMBER_SIZE];
	int width; /* with the axis */
};

static struct figures figures_of(const struct canvas *canvas)
{
	struct figures figures;
	size_t top, bottom;

	chart_number(canvas->is_log ? pow(10, canvas->y_max) : canvas->y_max, figures.top);
	chart_number(canvas->is_log ? pow(10, canvas->y_min) : canvas->y_min, figures.bottom);
	top = strlen(figures.top);
	bottom = strlen(figures.bottom);
	figures.width = (int)(top > bottom ? top : bottom) + 1;
	if (figures.width > GUTTER_MOST)
		figures.width = GUTTER_MOST;
	return figures;
}

static void put_figures(struct cells *cells, struct box box, const struct canvas *canvas,
			const struct figures *figures)
{
	int width = figures->width - 1;

	for (int y = 0; y < canvas->rows; y++)
		cells_put(cells, box.x + width, box.y + y, 0x2502, '|', STYLE_DIM);
	cells_text_right(cells, box.x, box.y, width, figures->top, STYLE_DIM);
	if (canvas->rows > 1)
		cells_text_right(cells, box.x, box.y + canvas->rows - 1, width, figures->bottom,
				 STYLE_DIM);
}

static void write_x(double x, bool is_time, char text[static CHART_NUMBER_SIZE])
{
	if (is_time && x >= 0 && x < 1e10)
		run_text_span(x, text, CHART_NUMBER_SIZE);
	else
		chart_number(x, text);
}

static void put_foot(struct cells *cells, struct box box, const struct canvas *canvas, bool is_time)
{
	char text[CHART_NUMBER_SIZE];

	write_x(canvas->x_min, is_time, text);
	cells_text(cells, box.x, box.y + canvas->rows, box.width, text, STYLE_DIM);
	write_x(canvas->x_max, is_time, text);
	cells_text_right(cells, box.x, box.y + canvas->rows, box.width, text, STYLE_DIM);
}

void chart_draw(struct cells *cells, struct box box, const struct chart *chart)
{
	bool has_gutter = box.width >= GUTTER_LEAST, has_foot = box.height >= FOOT_LEAST;
	struct canvas canvas = { .columns = box.width,
				 .rows = box.height - has_foot,
				 .is_log = chart->is_log };
	struct figures figures = { 0 };
	struct box inner = box;

	if (canvas.columns < 1 || canvas.rows < 1)
		return;
	if (!find_ranges(&canvas, chart)) {
		cells_text(cells, box.x + 1, box.y, box.width - 1, "no values", STYLE_DIM);
		return;
	}
	if (has_gutter)
		figures = figures_of(&canvas);
	inner.x += figures.width;
	inner.width -= figures.width;
	canvas.columns = inner.width;
	canvas.dots = calloc((size_t)canvas.columns, (size_t)canvas.rows);
	if (!canvas.dots)
		return;
	draw_points(&canvas, chart);
	put_dots(cells, inner, &canvas, chart->style);
	if (has_gutter)
		put_figures(cells, box, &canvas, &figures);
	if (has_foot)
		put_foot(cells, inner, &canvas, chart->is_time);
	free(canvas.dots);
}
