/*
 * open_metrics.c - "openmetrics.{endpoint}.{metric}.{n}" from endpoints of metrics, such as NVIDIA's DCGM
 * exporter, Prometheus's node exporter, or a program's own.
 *
 * {n} counts the sets of labels of a metric in the order in which they are first seen, as the wandb SDK
 * does. A series is known by a hash of 64 bits of its endpoint, name and labels, so that filters and
 * numbers are settled once and a row allocates nothing. What the labels of a number are is part of the
 * metadata.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_source.h"
#include "endpoints.h"
#include "info_text.h"
#include "metrics_filter.h"
#include "metrics_text.h"
#include "monotonic.h"
#include "scrape.h"

#define SERIES_MAX 8192 /* that are known, wanted or not */
#define SLOT_COUNT (2 * SERIES_MAX)
#define LABELS_TEXT_MAX 160 /* bytes of the labels in the metadata */
#define DESCRIBED_MAX 128   /* series in the metadata */
#define FAILURES_MAX 5      /* the pause is doubled so often */
#define PAUSE_FIRST_NS NS_PER_S
#define FNV_OFFSET UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

/* DCGM's marks for "no value": 2^63 less a few, and 2^47 and a few for decimals. */
#define DCGM_PREFIX "DCGM_FI_"
#define DCGM_BLANK_INTEGER 9.2233720368547e18
#define DCGM_BLANK_DECIMAL 140737488355328.0
#define DCGM_BLANK_COUNT 32

struct series {
	uint64_t hash; /* 0: free */
	bool is_wanted;
	unsigned count; /* of a metric: its wanted series */
	size_t place;   /* of a wanted series: its name among the readings */
};

struct described {
	char name[READING_NAME_MAX];
	char labels[LABELS_TEXT_MAX];
};

struct endpoint_state {
	unsigned failures;
	uint64_t next_ns;
	size_t series_count; /* wanted ones in the last answer */
	char fault[96];      /* of the last request; "": none */
};

struct open_metrics {
	size_t count;
	struct endpoint endpoints[ENDPOINTS_MAX];
	struct endpoint_state states[ENDPOINTS_MAX];
	struct metrics_filters filters;
	struct scraper scraper;
	size_t series_count;
	struct series series[SLOT_COUNT];
	size_t described_count;
	struct described described[DESCRIBED_MAX];
};

/* One answer that is read. */
struct answer {
	struct open_metrics *metrics;
	size_t endpoint;
	struct readings *readings;
};

static bool open_metrics_find(const struct settings *settings, struct source_reason *ret_reason)
{
	struct endpoint endpoints[ENDPOINTS_MAX];
	size_t count;

	if (!endpoints_parse(settings->open_metrics, endpoints, &count) || count == 0) {
		source_reason_set(ret_reason, "no endpoint is set");
		return false;
	}
	source_reason_set(ret_reason, "%zu endpoint%s", count, count == 1 ? "" : "s");
	return true;
}

static bool prepare(struct open_metrics *metrics, const struct settings *settings)
{
	if (!metrics_filters_init(&metrics->filters, settings->open_metrics_filters))
		return false;
	if (scraper_init(&metrics->scraper, metrics->endpoints, metrics->count,
			 settings->open_metrics_headers, settings->ca_file))
		return true;
	metrics_filters_deinit(&metrics->filters);
	return false;
}

static void *open_metrics_open(const struct settings *settings, struct source_reason *ret_reason)
{
	struct open_metrics *metrics = calloc(1, sizeof *metrics);

	if (!metrics)
		return NULL;
	if (!curl_library_load(&metrics->scraper.curl)) {
		ret_reason->is_found = false;
		source_reason_set(ret_reason,
				  "endpoints are set, but libcurl.so.4 cannot be loaded");
		free(metrics);
		return NULL;
	}
	if (endpoints_parse(settings->open_metrics, metrics->endpoints, &metrics->count) &&
	    prepare(metrics, settings))
		return metrics;
	free(metrics);
	return NULL;
}

static void open_metrics_close(void *devices)
{
	struct open_metrics *metrics = devices;

	scraper_deinit(&metrics->scraper);
	metrics_filters_deinit(&metrics->filters);
	free(metrics);
}

/* With its NUL, so that "a" and "b" are not "ab" and "". */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * FNV_PRIME;
	while (*text++);
	return hash;
}

static uint64_t hash_metric(size_t endpoint, const char *name)
{
	return hash_text((FNV_OFFSET ^ (endpoint + 1)) * FNV_PRIME, name) | 1;
}

/* A sample without labels is another thing than its metric: its hash is even. */
static uint64_t hash_series(size_t endpoint, const struct metrics_sample *sample)
{
	uint64_t hash = hash_metric(endpoint, sample->name);

	for (size_t i = 0; i < sample->label_count; i++)
		hash = hash_text(hash_text(hash, sample->labels[i].name), sample->labels[i].value);
	hash = hash_text(hash, "") & ~UINT64_C(1);
	return hash ? hash : 2;
}

/* The series or metric of the hash; a new one has is_new set. NULL when there is no room. */
static struct series *find_series(struct open_metrics *metrics, uint64_t hash, bool *ret_is_new)
{
	size_t at = (hash >> 1) % SLOT_COUNT;

	*ret_is_new = false;
	while (metrics->series[at].hash && metrics->series[at].hash != hash)
		at = (at + 1) % SLOT_COUNT;
	struct series *series = &metrics->series[at];
	if (series->hash == hash)
		return series;
	if (metrics->series_count == SERIES_MAX)
		return NULL;
	metrics->series_count++;
	series->hash = hash;
	*ret_is_new = true;
	return series;
}

static void write_labels(const struct metrics_sample *sample, char *ret_text, size_t size)
{
	size_t length = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; i < sample->label_count && length < size - 1; i++) {
		int written = snprintf(ret_text + length, size - length, "%s%s=%s", i ? "," : "",
				       sample->labels[i].name, sample->labels[i].value);
		length += written > 0 ? (size_t)written : 0;
	}
}

static void describe_series(struct open_metrics *metrics, const char *endpoint, unsigned number,
			    const struct metrics_sample *sample)
{
	char name[READING_NAME_MAX];

	if (metrics->described_count == DESCRIBED_MAX || sample->label_count == 0)
		return;
	snprintf(name, sizeof name, "%s.%s.%u", endpoint, sample->name, number);
	struct described *described = &metrics->described[metrics->described_count++];
	memcpy(described->name, name, sizeof name);
	write_labels(sample, described->labels, sizeof described->labels);
}

/* Settles what a new series is: whether it is wanted, and its number. */
static bool settle(struct answer *answer, struct series *series,
		   const struct metrics_sample *sample)
{
	struct open_metrics *metrics = answer->metrics;
	const char *endpoint = metrics->endpoints[answer->endpoint].name;
	bool is_new;

	if (!metrics_filters_match(&metrics->filters, endpoint, sample))
		return true;
	struct series *metric =
		find_series(metrics, hash_metric(answer->endpoint, sample->name), &is_new);
	if (!metric)
		return false;
	unsigned number = metric->count++;
	series->is_wanted = true;
	series->place = readings_place(answer->readings, "openmetrics.%s.%s.%u", endpoint,
				       sample->name, number);
	describe_series(metrics, endpoint, number, sample);
	return true;
}

static bool is_blank(const struct metrics_sample *sample)
{
	double past = sample->value - DCGM_BLANK_DECIMAL;

	return strncmp(sample->name, DCGM_PREFIX, strlen(DCGM_PREFIX)) == 0 &&
	       (sample->value >= DCGM_BLANK_INTEGER || (past >= 0 && past < DCGM_BLANK_COUNT));
}

static void take_sample(void *context, const struct metrics_sample *sample)
{
	struct answer *answer = context;
	struct open_metrics *metrics = answer->metrics;
	bool is_new;

	struct series *series =
		find_series(metrics, hash_series(answer->endpoint, sample), &is_new);
	if (!series || (is_new && !settle(answer, series, sample))) {
		answer->readings->dropped++;
		return;
	}
	if (!series->is_wanted)
		return;
	metrics->states[answer->endpoint].series_count++;
	if (!is_blank(sample))
		readings_add_at(answer->readings, sample->value, series->place);
}

/* An endpoint that fails is asked again after 1, 2, 4 … at most 32 s. */
static void note(struct endpoint_state *state, uint64_t now_ns, bool is_good)
{
	if (is_good) {
		state->failures = 0;
		state->next_ns = 0;
		return;
	}
	state->next_ns = now_ns + (PAUSE_FIRST_NS << state->failures);
	if (state->failures < FAILURES_MAX)
		state->failures++;
}

static void take_answer(struct open_metrics *metrics, size_t i, struct readings *readings)
{
	struct endpoint_state *state = &metrics->states[i];
	struct scrape *scrape = &metrics->scraper.scrapes[i];
	struct answer answer = { .metrics = metrics, .endpoint = i, .readings = readings };
	bool is_good = scrape_is_good(scrape);

	note(state, monotonic_ns(), is_good);
	state->series_count = 0;
	state->fault[0] = '\0';
	if (!is_good)
		scrape_explain(&metrics->scraper, scrape, state->fault, sizeof state->fault);
	else if (scrape->length > 0)
		metrics_text_read(scrape->body, scrape->length, take_sample, &answer);
}

static void open_metrics_read(void *devices, const struct device_input *input,
			      struct readings *readings)
{
	struct open_metrics *metrics = devices;
	struct scrape *scrapes = metrics->scraper.scrapes;

	for (size_t i = 0; i < metrics->count; i++)
		scrapes[i].is_wanted = input->now_ns >= metrics->states[i].next_ns;
	scraper_run(&metrics->scraper, input->stop);
	for (size_t i = 0; i < metrics->count; i++) {
		if (scrapes[i].is_wanted)
			take_answer(metrics, i, readings);
	}
}

static void open_metrics_describe(const void *devices, struct info_text *text)
{
	const struct open_metrics *metrics = devices;

	if (metrics->described_count == 0)
		return;
	info_object_begin(text, "openmetrics");
	for (size_t i = 0; i < metrics->described_count; i++) {
		struct info_point point = info_point(text);
		info_string(text, metrics->described[i].name, metrics->described[i].labels);
		info_settle(text, point);
	}
	info_object_end(text);
}

/* "node: 214 series, dcgm: status 503" */
static void open_metrics_explain(const void *devices, struct source_reason *ret_reason)
{
	const struct open_metrics *metrics = devices;
	char text[sizeof ret_reason->text];
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < metrics->count && length < sizeof text - 1; i++) {
		const struct endpoint_state *state = &metrics->states[i];
		char *at = text + length;
		size_t room = sizeof text - length;
		const char *name = metrics->endpoints[i].name;
		int written = state->fault[0] ? snprintf(at, room, "%s%s: %s", i ? ", " : "", name,
							 state->fault)
					      : snprintf(at, room, "%s%s: %zu series",
							 i ? ", " : "", name, state->series_count);
		length += written > 0 ? (size_t)written : 0;
	}
	source_reason_set(ret_reason, "%s", text);
}

static const struct device_kind open_metrics_kind = {
	.find = open_metrics_find,
	.open = open_metrics_open,
	.read = open_metrics_read,
	.describe = open_metrics_describe,
	.explain = open_metrics_explain,
	.close = open_metrics_close,
};

DEVICE_SOURCE(source_open_metrics, "open_metrics", open_metrics_kind);
