#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

char *model_text(const char *text)
{
	return strdup(text ? text : "");
}

double model_now(const struct model *model)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9 + model->clock_ahead_s;
}

static void free_runs(struct model_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(runs[i].id);
		free(runs[i].name);
		free(runs[i].state);
	}
	free(runs);
}

void model_free_metrics(struct model_metric *metrics, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(metrics[i].key);
		free(metrics[i].points);
	}
	free(metrics);
}

static void free_devices(struct model_device *devices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(devices[i].host);
	free(devices);
}

static void free_writers(struct model_writer *writers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(writers[i].label);
		free(writers[i].role);
		free(writers[i].state);
		free(writers[i].host);
	}
	free(writers);
}

void model_free_lines(struct model_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(lines[i].label);
		free(lines[i].text);
	}
	free(lines);
}

static void forget_run(struct model *model)
{
	model_free_metrics(model->metrics, model->metric_count);
	model->metrics = NULL;
	model->metric_count = 0;
	model->has_metrics = false;
	model->alert[0] = '\0';
	model_take_devices(model, NULL, 0);
	model_take_writers(model, NULL, 0);
	model_take_lines(model, NULL, 0);
}

void model_deinit(struct model *model)
{
	forget_run(model);
	free_runs(model->runs, model->run_count);
	for (int i = 0; i < MODEL_COLUMNS_MAX; i++)
		free(model->columns[i]);
	free(model->shown);
	free(model->title);
	*model = (struct model){ 0 };
}

static bool is_shown(const struct model *model, const char *run)
{
	if (!run || !model->shown)
		return !run && !model->shown;
	return strcmp(model->shown, run) == 0;
}

void model_show(struct model *model, const char *run, bool is_system)
{
	bool is_same = is_shown(model, run);

	if (is_same && model->is_system == is_system)
		return;
	if (!is_same) {
		forget_run(model);
		free(model->shown);
		model->shown = run ? strdup(run) : NULL;
	}
	model->is_system = is_system;
	model_free_metrics(model->metrics, model->metric_count);
	model->metrics = NULL;
	model->metric_count = 0;
	model->has_metrics = false;
}

void model_take_runs(struct model *model, struct model_run *runs, size_t count)
{
	free_runs(model->runs, model->run_count);
	model->runs = runs;
	model->run_count = count;
	model->has_runs = true;
}

void model_take_writers(struct model *model, struct model_writer *writers, size_t count)
{
	free_writers(model->writers, model->writer_count);
	model->writers = writers;
	model->writer_count = count;
}

void model_take_lines(struct model *model, struct model_line *lines, size_t count)
{
	model_free_lines(model->lines, model->line_count);
	model->lines = lines;
	model->line_count = count;
}

/* Lists come in the same order again: the search begins behind what was found last. */
static struct model_metric *find_metric(struct model *model, const char *key, size_t *hint)
{
	for (size_t i = 0; i < model->metric_count; i++) {
		size_t at = (*hint + i) % model->metric_count;

		if (strcmp(model->metrics[at].key, key) == 0) {
			*hint = at + 1;
			return &model->metrics[at];
		}
	}
	return NULL;
}

void model_take_metrics(struct model *model, struct model_metric *metrics, size_t count)
{
	size_t hint = 0;

	for (size_t i = 0; i < count; i++) {
		struct model_metric *old = find_metric(model, metrics[i].key, &hint);

		if (!old || metrics[i].points)
			continue;
		metrics[i].points = old->points;
		metrics[i].point_count = old->point_count;
		old->points = NULL;
	}
	model_free_metrics(model->metrics, model->metric_count);
	model->metrics = metrics;
	model->metric_count = count;
	model->has_metrics = true;
}

void model_take_points(struct model *model, const char *key, struct chart_point *points,
		       size_t count)
{
	size_t hint = 0;
	struct model_metric *metric = find_metric(model, key, &hint);

	if (!metric) {
		free(points);
		return;
	}
	free(metric->points);
	metric->points = points;
	metric->point_count = count;
}

static const struct model_device *find_device(const struct model *model,
					      const struct model_device *like)
{
	for (size_t i = 0; i < model->device_count; i++) {
		const struct model_device *device = &model->devices[i];

		if (strcmp(device->name, like->name) == 0 && strcmp(device->host, like->host) == 0)
			return device;
	}
	return NULL;
}

static void remember(struct model_device *device, const struct model_device *old)
{
	size_t kept = old ? old->history_count : 0;

	if (kept == MODEL_HISTORY)
		kept--;
	if (kept)
		memcpy(device->history, old->history + old->history_count - kept,
		       kept * sizeof device->history[0]);
	device->history[kept] = (float)device->busy;
	device->history_count = kept + 1;
}

void model_take_devices(struct model *model, struct model_device *devices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		remember(&devices[i], find_device(model, &devices[i]));
	free_devices(model->devices, model->device_count);
	model->devices = devices;
	model->device_count = count;
}

const struct model_run *model_shown_run(const struct model *model)
{
	for (size_t i = 0; model->shown && i < model->run_count; i++) {
		if (strcmp(model->runs[i].id, model->shown) == 0)
			return &model->runs[i];
	}
	return NULL;
}
