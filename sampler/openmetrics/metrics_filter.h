/*
 * metrics_filter.h - which series of the endpoints are wanted, as wandb's x_stats_open_metrics_filters.
 *
 * A filter is a regular expression that is looked for anywhere in "ENDPOINT.METRIC", with expressions for
 * the values of labels that must be there. A series is wanted if one filter fits; without filters all are.
 * Expressions are POSIX extended ones, in which \d and (?: of other dialects are understood, too.
 */
#ifndef CAIRN_SAMPLER_METRICS_FILTER_H
#define CAIRN_SAMPLER_METRICS_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "metrics_text.h"

#define METRICS_FILTERS_MAX 32
#define METRICS_FILTER_LABELS_MAX 8
#define METRICS_EXPRESSION_MAX 256 /* bytes with the NUL */

struct metrics_label_filter {
	char name[64];
	regex_t value;
};

struct metrics_filter {
	regex_t metric;
	size_t label_count;
	struct metrics_label_filter labels[METRICS_FILTER_LABELS_MAX];
};

struct metrics_filters {
	size_t count;
	struct metrics_filter filters[METRICS_FILTERS_MAX];
};

/* `text` is a JSON array of expressions, a JSON object {expression: {label: expression}}, or one
 * expression; "" has none. False when it is none of these, or beyond the limits; then there is nothing
 * to end. */
bool metrics_filters_init(struct metrics_filters *filters, const char *text);
void metrics_filters_deinit(struct metrics_filters *filters);

bool metrics_filters_match(const struct metrics_filters *filters, const char *endpoint,
			   const struct metrics_sample *sample);

#endif
