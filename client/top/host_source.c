/*
 * Samples of this host, once a second. The sampler's values of the process tree are those of cairn top itself unless another
 * tree is named, so they are left out; how busy the host is comes from the values of its CPUs.
 */
#include "host_source.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devices.h"
#include "sampler.h"
#include "say.h"
#include "transport.h"

#define POINTS_MAX 600
#define SAMPLED_MAX 1024

struct sampled {
	char *key;
	double last;  /* as the sampler gave it */
	double at_s;  /* when */
	double value; /* that is shown */
	struct chart_point points[POINTS_MAX];
	size_t count;
};

struct host_source {
	struct top_source source;
	struct host_options options;
	struct sampler *sampler;
	struct sampler_row row;
	char name[256];
	double start_s;
	int64_t due_us;
	struct sampled *series[SAMPLED_MAX];
	size_t count;
};

static int open_host(struct top_source *source, struct feed *feed)
{
	struct host_source *host = (struct host_source *)source;
	const struct sampler_options options = { .pid = host->options.pid,
						 .interval_ms = host->options.interval_ms,
						 .flags = SAMPLER_PER_CORE };

	host->sampler = sampler_new(&options);
	if (!host->sampler) {
		say("cannot sample this host: %s", strerror(errno));
		return 1;
	}
	if (gethostname(host->name, sizeof host->name - 1))
		snprintf(host->name, sizeof host->name, "this host");
	feed->model.kind = MODEL_HOST;
	feed->model.link = LINK_LOCAL;
	feed->model.title = model_text(host->name);
	host->due_us = transport_clock_us() + 200000; /* the first one is of some length */
	return 0;
}

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), more = strlen(end);

	return length >= more && strcmp(text + length - more, end) == 0;
}

/* Counters since the start are shown by second. */
static bool is_counter(const char *key)
{
	static const char *const ends[] = { ".sent", ".recv", ".in", ".out", ".read", ".written" };

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		if (ends_in(key, ends[i]))
			return true;
	}
	return false;
}

static bool is_core(const char *key)
{
	return strncmp(key, "cpu.", 4) == 0 && ends_in(key, ".cpu_percent");
}

/* Values of the process tree, which is our own if none was named. */
static bool is_of_tree(const char *key)
{
	return strcmp(key, "cpu") == 0 || strncmp(key, "proc.", 5) == 0 ||
	       strncmp(key, "gpu.process.", 12) == 0;
}

static struct sampled *find_sampled(struct host_source *host, const char *key, size_t *hint)
{
	struct sampled *series;

	for (size_t i = 0; i < host->count; i++) {
		size_t at = (*hint + i) % host->count;

		if (strcmp(host->series[at]->key, key) == 0) {
			*hint = at + 1;
			return host->series[at];
		}
	}
	if (host->count == SAMPLED_MAX)
		return NULL;
	series = calloc(1, sizeof *series);
	if (!series)
		return NULL;
	series->key = strdup(key);
	if (!series->key) {
		free(series);
		return NULL;
	}
	series->at_s = NAN;
	host->series[host->count++] = series;
	return series;
}

static void add_point(struct host_source *host, struct sampled *series, double value)
{
	double at_s = host->row.timestamp_s, shown = value;

	if (is_counter(series->key))
		shown = isnan(series->at_s) || at_s <= series->at_s
				? NAN
				: (value - series->last) / (at_s - series->at_s);
	series->last = value;
	series->at_s = at_s;
	series->value = shown;
	if (isnan(shown))
		return;
	if (series->count == POINTS_MAX) {
		series->count--;
		memmove(series->points, series->points + 1,
			series->count * sizeof series->points[0]);
	}
	series->points[series->count++] =
		(struct chart_point){ at_s - host->start_s, shown, shown, shown };
}

/* Adds how busy the CPUs of the host are together. */
static double mean_of_cores(const struct sampler_row *row)
{
	double sum = 0;
	int cores = 0;

	for (size_t i = 0; i < row->count; i++) {
		if (!is_core(row->values[i].name))
			continue;
		sum += row->values[i].value;
		cores++;
	}
	return cores ? sum / cores : NAN;
}

static void take_row(struct host_source *host, struct devices *devices)
{
	const struct sampler_row *row = &host->row;
	double busy = mean_of_cores(row);
	size_t hint = 0;

	if (host->start_s == 0)
		host->start_s = row->timestamp_s;
	if (!isnan(busy)) {
		struct sampled *all = find_sampled(host, "cpu.all", &hint);

		if (all)
			add_point(host, all, busy);
		devices_add(devices, host->name, "cpu", busy);
	}
	for (size_t i = 0; i < row->count; i++) {
		const char *key = row->values[i].name;
		struct sampled *series;

		if (is_core(key) || (!host->options.pid && is_of_tree(key)))
			continue;
		if (strcmp(key, "cpu") != 0)
			devices_add(devices, host->name, key, row->values[i].value);
		series = find_sampled(host, key, &hint);
		if (series)
			add_point(host, series, row->values[i].value);
	}
}

static bool fill(struct model_metric *metric, const struct sampled *series)
{
	char number[CHART_NUMBER_SIZE];
	bool is_rate = is_counter(series->key);

	if (isnan(series->value))
		number[0] = '\0';
	else
		chart_number(series->value, number);
	snprintf(metric->value, sizeof metric->value, "%s%s", number,
		 is_rate && number[0] ? "/s" : "");
	metric->key = strdup(series->key);
	metric->points = calloc(series->count ? series->count : 1, sizeof metric->points[0]);
	if (metric->points)
		memcpy(metric->points, series->points, series->count * sizeof series->points[0]);
	metric->point_count = metric->points ? series->count : 0;
	return metric->key != NULL;
}

static struct model_metric *make_metrics(const struct host_source *host, size_t *ret_count)
{
	struct model_metric *metrics = calloc(host->count ? host->count : 1, sizeof *metrics);

	*ret_count = 0;
	for (size_t i = 0; metrics && i < host->count; i++) {
		if (fill(&metrics[*ret_count], host->series[i]))
			++*ret_count;
	}
	return metrics;
}

static void next_sample(struct top_source *source, struct feed *feed)
{
	struct host_source *host = (struct host_source *)source;
	int64_t left_us = host->due_us - transport_clock_us();
	struct devices devices = { 0 };
	struct model_metric *metrics;
	struct model *model;
	size_t count;

	if (left_us > 0) {
		feed_wait(feed, left_us);
		return;
	}
	host->due_us += host->options.interval_ms * 1000LL *
			(1 + -left_us / (host->options.interval_ms * 1000LL));
	if (sampler_sample(host->sampler, &host->row))
		return;
	take_row(host, &devices);
	metrics = make_metrics(host, &count);
	model = feed_begin(feed);
	devices_take(&devices, model);
	model->is_whole |= model->has_metrics; /* rates need two samples */
	if (metrics)
		model_take_metrics(model, metrics, count);
	feed_end(feed);
}

static void interrupt_host(struct top_source *source)
{
	(void)source; /* feed_wait() ends by itself */
}

static void close_host(struct top_source *source)
{
	struct host_source *host = (struct host_source *)source;

	sampler_free(host->sampler);
	for (size_t i = 0; i < host->count; i++) {
		free(host->series[i]->key);
		free(host->series[i]);
	}
	free(host);
}

struct top_source *host_source_new(const struct host_options *options)
{
	struct host_source *host = calloc(1, sizeof *host);

	if (!host)
		return NULL;
	host->source = (struct top_source){ open_host, next_sample, interrupt_host, close_host };
	host->options = *options;
	return &host->source;
}
