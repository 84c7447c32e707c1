/*
 * metrics_text.h - the text of a metrics endpoint, as Prometheus and OpenMetrics define it.
 *
 * Only gauges and counters are given: a histogram or summary is many series of which none says much by
 * itself. Timestamps and exemplars are skipped, and so is a line that is not valid: what comes after it
 * counts.
 */
#ifndef CAIRN_SAMPLER_METRICS_TEXT_H
#define CAIRN_SAMPLER_METRICS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define METRICS_LABELS_MAX 32

struct metrics_label {
	const char *name;
	const char *value;
};

struct metrics_sample {
	const char *name;
	size_t label_count;
	struct metrics_label labels[METRICS_LABELS_MAX]; /* by name */
	double value;                                    /* may be NaN or infinite */
};

typedef void metrics_text_callback(void *context, const struct metrics_sample *sample);

/* Calls back for each sample, valid during the call. The text is changed: names and values are ended
 * and unescaped in place. `text[length]` is NUL. */
void metrics_text_read(char *text, size_t length, metrics_text_callback *callback, void *context);

#endif
