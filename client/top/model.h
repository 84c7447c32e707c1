#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chart.h"

/*
 * Everything that is shown: runs, and of the shown run its metrics, devices, writers and console. A source fills it, the view
 * draws it, each while it holds the lock of feed.h. All texts are as they came: cells_text() makes them harmless.
 */
enum {
	MODEL_RUNS_MAX = 200,
	MODEL_METRICS_MAX = 10000,
	MODEL_LINES_MAX = 500,
	MODEL_COLUMNS_MAX = 3,
	MODEL_VALUE_SIZE = 24,
	MODEL_ALERT_SIZE = 260,
	MODEL_DEVICES_MAX = 1024,
	MODEL_DEVICE_NAME_SIZE = 40,
	MODEL_HISTORY = 120 /* past values of a device */
};

enum model_kind { MODEL_RUN, MODEL_PROJECT, MODEL_HOST, MODEL_SPOOL };

enum model_link {
	LINK_CONNECTING,
	LINK_LIVE,    /* changes come by themselves */
	LINK_POLLING, /* there are no live events, so the server is asked now and then */
	LINK_LOST,
	LINK_LOCAL /* no server is needed */
};

struct model_run {
	char *id, *name, *state;
	double rows, last_step;                           /* NaN: none */
	double started_s, ended_s, heard_s;               /* Unix time; 0: none */
	char values[MODEL_COLUMNS_MAX][MODEL_VALUE_SIZE]; /* under the model's columns */
};

struct model_metric {
	char *key;
	char value[MODEL_VALUE_SIZE]; /* the last one */
	struct chart_point *points;
	size_t point_count;
};

struct model_device {
	char *host;
	char name[MODEL_DEVICE_NAME_SIZE]; /* "gpu 0" */
	double busy, memory;               /* shares; NaN: unknown, as are the others */
	double temperature_c, power_w, power_limit_w;
	float history[MODEL_HISTORY]; /* of busy, the latest last */
	size_t history_count;
};

struct model_writer {
	char *label, *role, *state, *host;
	double rows, dropped;
	double heard_s;
};

struct model_line {
	char *label, *text;
	double number; /* of its writer's lines */
	bool is_error;
};

struct model {
	enum model_kind kind;
	char *title;
	enum model_link link;
	char notice[400]; /* why the connection was lost */
	double retry_s;   /* by model_now(), when it is tried again; 0: now */
	char alert
		[MODEL_ALERT_SIZE]; /* title of the last one that came while the run was shown; "": none */
	double alert_s;             /* when */
	double clock_ahead_s; /* of the server's clock */
	char *columns[MODEL_COLUMNS_MAX];
	struct model_run *runs;
	size_t run_count;
	bool is_whole;                /* everything was read once */
	bool has_more_runs, has_runs; /* has_runs: they were read, even if there are none */

	/* of the shown run */
	char *shown; /* its id; NULL: none */
	bool has_metrics;
	bool is_system; /* the metrics are system metrics */
	struct model_metric *metrics;
	size_t metric_count;
	struct model_device *devices;
	size_t device_count;
	struct model_writer *writers;
	size_t writer_count;
	struct model_line *lines; /* the oldest first */
	size_t line_count;
};

void model_deinit(struct model *model) __attribute__((nonnull));

/* Unix time by the server's clock. */
double model_now(const struct model *model) __attribute__((nonnull));

/* Forgets the data of the run that was shown, unless it is this one. */
void model_show(struct model *model, const char *run, bool is_system) __attribute__((nonnull(1)));

/* Replace what the model has; the arrays and their texts are the model's from then on. */
void model_take_runs(struct model *model, struct model_run *runs, size_t count)
	__attribute__((nonnull(1)));
void model_take_writers(struct model *model, struct model_writer *writers, size_t count)
	__attribute__((nonnull(1)));
void model_take_lines(struct model *model, struct model_line *lines, size_t count)
	__attribute__((nonnull(1)));
/* Metrics keep their points, devices their past. */
void model_take_metrics(struct model *model, struct model_metric *metrics, size_t count)
	__attribute__((nonnull(1)));
void model_take_devices(struct model *model, struct model_device *devices, size_t count)
	__attribute__((nonnull(1)));

/* The points of a metric; those of one that does not exist are freed. */
void model_take_points(struct model *model, const char *key, struct chart_point *points,
		       size_t count) __attribute__((nonnull(1, 2)));

/* The shown run; NULL when it is not in the list. */
const struct model_run *model_shown_run(const struct model *model) __attribute__((nonnull));

/* Text of the model's own; "" without memory. */
char *model_text(const char *text);

void model_free_lines(struct model_line *lines, size_t count);
void model_free_metrics(struct model_metric *metrics, size_t count);

#endif
