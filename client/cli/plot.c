/* A curve in braille characters: each holds two columns and four rows of dots. */
#include "plot.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

#define AXIS_COLUMNS 11

struct canvas {
	unsigned char *cells; /* dots of each character, as in U+2800 */
	int columns, rows;
	double x_min, x_max, y_min, y_max;
};

static void set_dot(struct canvas *canvas, int x, int y)
{
	static const unsigned char dots[4][2] = {
		{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
	};

	if (x < 0 || y < 0 || x >= canvas->columns * 2 || y >= canvas->rows * 4)
		return;
	canvas->cells[y / 4 * canvas->columns + x / 2] |= dots[y % 4][x % 2];
}

static int dot_x(const struct canvas *canvas, double x)
{
	double range = canvas->x_max - canvas->x_min;

	return (int)lround((x - canvas->x_min) / range * (canvas->columns * 2 - 1));
}

static int dot_y(const struct canvas *canvas, double y)
{
	double range = canvas->y_max - canvas->y_min;

	return (int)lround((canvas->y_max - y) / range * (canvas->rows * 4 - 1));
}

static void draw_line(struct canvas *canvas, int x0, int y0, int x1, int y1)
{
	int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);

	for (int i = 0; i <= steps; i++) {
		double t = steps ? (double)i / steps : 0;

		set_dot(canvas, x0 + (int)lround(t * (x1 - x0)), y0 + (int)lround(t * (y1 - y0)));
	}
}

static void draw_points(struct canvas *canvas, const struct plot_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int x = dot_x(canvas, points[i].x), y = dot_y(canvas, points[i].mean);

		draw_line(canvas, x, dot_y(canvas, points[i].low), x,
			  dot_y(canvas, points[i].high));
		if (i > 0)
			draw_line(canvas, dot_x(canvas, points[i - 1].x),
				  dot_y(canvas, points[i - 1].mean), x, y);
	}
}

static void widen(double *low, double *high)
{
	double margin = *high > *low ? 0 : fabs(*low) * 0.05 + (*low == 0);

	*low -= margin;
	*high += margin;
}

static void find_ranges(struct canvas *canvas, const struct plot_point *points, size_t count)
{
	canvas->x_min = points[0].x;
	canvas->x_max = points[count - 1].x;
	canvas->y_min = INFINITY;
	canvas->y_max = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		canvas->y_min = fmin(canvas->y_min, points[i].low);
		canvas->y_max = fmax(canvas->y_max, points[i].high);
	}
	widen(&canvas->y_min, &canvas->y_max);
	if (canvas->x_max <= canvas->x_min)
		canvas->x_max = canvas->x_min + 1;
}

static void print_cells(const struct canvas *canvas, int row)
{
	const unsigned char *cells = canvas->cells + row * canvas->columns;
	int used = canvas->columns;

	while (used > 0 && !cells[used - 1])
		used--;
	for (int column = 0; column < used; column++) {
		unsigned char dots = cells[column];

		if (dots)
			printf("\xe2%c%c", 0xa0 | dots >> 6, 0x80 | (dots & 0x3f));
		else
			putchar(' ');
	}
}

static void print_canvas(const struct canvas *canvas)
{
	char right[32];

	for (int row = 0; row < canvas->rows; row++) {
		double y = canvas->y_max -
			   (canvas->y_max - canvas->y_min) * row / (canvas->rows - 1);
		bool has_label = row % 3 == 0 || row == canvas->rows - 1;

		if (has_label)
			printf("%*.4g ┤", AXIS_COLUMNS - 2, y);
		else
			printf("%*s │", AXIS_COLUMNS - 2, "");
		print_cells(canvas, row);
		putchar('\n');
	}
	printf("%*s └", AXIS_COLUMNS - 2, "");
	for (int i = 0; i < canvas->columns; i++)
		fputs("─", stdout);
	snprintf(right, sizeof right, "%.10g", canvas->x_max);
	printf("\n%*s%-*.10g%s\n", AXIS_COLUMNS, "", canvas->columns - (int)strlen(right),
	       canvas->x_min, right);
}

void plot_draw(const char *title, const struct plot_point *points, size_t count, int width,
	       int height)
{
	struct canvas canvas = { .columns = width - AXIS_COLUMNS - 1, .rows = height };

	if (count == 0 || canvas.columns < 4 || height < 2)
		return;
	canvas.cells = calloc((size_t)canvas.columns, (size_t)height);
	if (!canvas.cells)
		return;
	find_ranges(&canvas, points, count);
	draw_points(&canvas, points, count);
	printf("%*s", AXIS_COLUMNS, "");
	terminal_print(title, (size_t)(width - AXIS_COLUMNS));
	putchar('\n');
	print_canvas(&canvas);
	free(canvas.cells);
}
