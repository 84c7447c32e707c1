#include "top_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The linker puts it in place of model_now(): time stands still. */
double __wrap_model_now(const struct model *model);

double __wrap_model_now(const struct model *model)
{
	return TOP_SCENE_NOW_S + model->clock_ahead_s;
}

static void add_runs(struct model *model)
{
	static const struct {
		const char *id, *name, *state;
		double step, took, value;
	} rows[] = {
		{ "night-3", "third try", "running", 1200, 0, 0.25 },
		{ "night-2", "", "finished", 5000, 3725, 0.125 },
		{ "night-1", "first try", "crashed", NAN, 59, NAN },
	};
	struct model_run *runs = calloc(3, sizeof *runs);

	assert_non_null(runs);
	for (size_t i = 0; i < 3; i++) {
		runs[i] = (struct model_run){ .id = strdup(rows[i].id),
					      .name = strdup(rows[i].name),
					      .state = strdup(rows[i].state),
					      .rows = 1200,
					      .last_step = rows[i].step,
					      .started_s = TOP_SCENE_NOW_S - 4000,
					      .heard_s = TOP_SCENE_NOW_S - 2 };
		if (rows[i].took > 0)
			runs[i].ended_s = runs[i].started_s + rows[i].took;
		if (!isnan(rows[i].value))
			chart_number(rows[i].value, runs[i].values[0]);
	}
	model->columns[0] = strdup("loss");
	model_take_runs(model, runs, 3);
	model_show(model, "night-3", false);
}

static void add_metrics(struct model *model)
{
	static const char *const keys[] = { "accuracy", "lr", "train/loss" };
	struct model_metric *metrics = calloc(3, sizeof *metrics);

	assert_non_null(metrics);
	for (size_t i = 0; i < 3; i++) {
		metrics[i] =
			(struct model_metric){ .key = strdup(keys[i]),
					       .points = calloc(100, sizeof(struct chart_point)),
					       .point_count = 100 };
		for (int k = 0; k < 100; k++) {
			double y = i == 2 ? 2.0 / (1 + k * 0.1) : i == 0 ? k / 100.0 : 0.001;

			metrics[i].points[k] = (struct chart_point){ k * 12, y, y, y };
		}
		chart_number(metrics[i].points[99].mean, metrics[i].value);
	}
	model_take_metrics(model, metrics, 3);
}

static void add_devices(struct model *model)
{
	struct model_device *devices = calloc(3, sizeof *devices);

	assert_non_null(devices);
	for (size_t i = 0; i < 3; i++) {
		devices[i] = (struct model_device){ .host = strdup("node7"),
						    .busy = 0.25 + 0.35 * (double)i,
						    .memory = 0.5,
						    .temperature_c = i ? 60 + (double)i : NAN,
						    .power_w = i ? 310 : NAN,
						    .power_limit_w = i == 1 ? 700 : NAN };
		snprintf(devices[i].name, sizeof devices[i].name, i ? "gpu %zu" : "cpu", i - 1);
	}
	model_take_devices(model, devices, 3);
}

static void add_writers(struct model *model)
{
	struct model_writer *writers = calloc(2, sizeof *writers);

	assert_non_null(writers);
	writers[0] = (struct model_writer){
		strdup("rank0"),    strdup("primary"), strdup("alive"), strdup("node7"), 1200, 0,
		TOP_SCENE_NOW_S - 2
	};
	writers[1] = (struct model_writer){
		strdup("rank1"),      strdup("worker"), strdup("lost"), strdup("node8"), 0, 17,
		TOP_SCENE_NOW_S - 400
	};
	model_take_writers(model, writers, 2);
}

void top_scene_add_lines(struct model *model, size_t from)
{
	struct model_line *lines = calloc(20, sizeof *lines);
	char text[40];

	assert_non_null(lines);
	for (size_t i = 0; i < 20; i++) {
		snprintf(text, sizeof text, "epoch %zu", i + from);
		lines[i] = (struct model_line){ .label = strdup(i % 2 ? "rank1" : "rank0"),
						.text = strdup(text),
						.number = (double)(i + from),
						.is_error = i == 19 };
	}
	model_take_lines(model, lines, 20);
}

void top_scene_init(struct top_scene *scene, enum model_kind kind, int width, int height)
{
	*scene = (struct top_scene){ .cells = { .is_utf8 = true } };
	scene->model.kind = kind;
	scene->model.link = LINK_LIVE;
	scene->model.title = strdup("lab/digits");
	assert_true(cells_resize(&scene->cells, width, height));
	add_runs(&scene->model);
	add_metrics(&scene->model);
	add_devices(&scene->model);
	add_writers(&scene->model);
	top_scene_add_lines(&scene->model, 0);
}

void top_scene_deinit(struct top_scene *scene)
{
	model_deinit(&scene->model);
	view_deinit(&scene->view);
	cells_deinit(&scene->cells);
}

void top_scene_keys(struct top_scene *scene, const char *keys)
{
	for (; *keys; keys++) {
		draw_screen(&scene->cells, &scene->view, &scene->model);
		view_key(&scene->view, &scene->model, (unsigned char)*keys);
	}
}

char *top_scene_draw(struct top_scene *scene)
{
	char *text;

	draw_screen(&scene->cells, &scene->view, &scene->model);
	text = cells_dump(&scene->cells);
	assert_non_null(text);
	return text;
}

void top_scene_check(struct top_scene *scene, const char *expected)
{
	char *text = top_scene_draw(scene);

	if (strcmp(text, expected) != 0)
		print_error("drawn:\n%s\nexpected:\n%s\n", text, expected);
	assert_string_equal(text, expected);
	free(text);
}
