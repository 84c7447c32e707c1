/*
 * tpu_metric.h - answers of libtpu's RuntimeMetricService, read.
 *
 * The messages are those of tpu_metric_service.proto of cloud-accelerator-diagnostics, with the field numbers that tpu_metric.c
 * names.
 */
#ifndef CAIRN_SAMPLER_TPU_METRIC_H
#define CAIRN_SAMPLER_TPU_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TPU_LABEL_MAX 48
#define TPU_BUCKETS_MAX 512

struct tpu_distribution {
	double count, mean;
	double growth,
		scale; /* of exponential buckets: bucket i begins at scale * growth^(i - 1) */
	size_t bucket_count;
	double buckets[TPU_BUCKETS_MAX];
};

/* One device's, or one label's, value of a metric. */
struct tpu_value {
	bool has_device;
	int64_t device;
	char label[TPU_LABEL_MAX]; /* "": none */
	bool is_distribution;
	double gauge; /* NaN: none */
	struct tpu_distribution distribution;
};

/* Calls back for each value of a MetricResponse. Fields that are not known are skipped; a message that is cut gives
 * what came before the cut. */
void tpu_metric_read(const uint8_t *message, size_t size,
		     void (*found)(void *context, const struct tpu_value *value), void *context);

/* The value below which `fraction` of the distribution lies, as Google's tpu-info computes it: within a bucket it grows
 * evenly. NaN without values or exponential buckets. */
double tpu_percentile(const struct tpu_distribution *distribution, double fraction);

/* A MetricRequest for one metric; the size, 0 when the name is too long. */
size_t tpu_request(const char *metric, uint8_t *ret_message, size_t size);

#endif
