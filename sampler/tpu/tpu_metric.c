/* tpu_metric.c - see tpu_metric.h. */
#include "tpu_metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protobuf.h"

enum { REQUEST_NAME = 1 };
enum { RESPONSE_METRIC = 1 };
enum { TPU_METRIC_METRICS = 3 };
enum { METRIC_ATTRIBUTE = 1, METRIC_GAUGE = 3, METRIC_DISTRIBUTION = 5 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2 };
enum { VALUE_STRING = 1, VALUE_INT = 3, VALUE_LIST = 6 };
enum { LIST_ATTRIBUTES = 1 };
enum { GAUGE_DOUBLE = 1, GAUGE_INT = 2 };
enum {
	DISTRIBUTION_COUNT = 1,
	DISTRIBUTION_MEAN = 2,
	DISTRIBUTION_OPTIONS = 6,
	DISTRIBUTION_BUCKETS = 7
};
enum { OPTIONS_EXPONENTIAL = 2 };
enum { EXPONENTIAL_GROWTH = 2, EXPONENTIAL_SCALE = 3 };

static void add_to_label(struct tpu_value *value, const char *text, size_t length)
{
	size_t used = strlen(value->label);

	if (used > 0 && used + 1 < sizeof value->label)
		value->label[used++] = '-';
	if (length > sizeof value->label - 1 - used)
		length = sizeof value->label - 1 - used;
	memcpy(value->label + used, text, length);
	value->label[used + length] = '\0';
}

/* A label is a text, or several attributes, whose values are joined: device 0 and core type "tensor" are "0-tensor". */
static void read_label_attribute(struct protobuf attribute, struct tpu_value *value)
{
	struct protobuf_field field, inner;
	char number[24];

	while (protobuf_next(&attribute, &field)) {
		if (field.number != ATTRIBUTE_VALUE || field.wire != 2)
			continue;
		while (protobuf_next(&field.bytes, &inner)) {
			if (inner.number == VALUE_STRING && inner.wire == 2) {
				add_to_label(value, (const char *)inner.bytes.at,
					     (size_t)(inner.bytes.end - inner.bytes.at));
			} else if (inner.number == VALUE_INT && inner.wire == 0) {
				snprintf(number, sizeof number, "%lld", (long long)inner.value);
				add_to_label(value, number, strlen(number));
			}
		}
	}
}

static void read_attribute_value(struct protobuf message, struct tpu_value *value)
{
	struct protobuf_field field, inner;

	while (protobuf_next(&message, &field)) {
		if (field.number == VALUE_INT && field.wire == 0) {
			value->has_device = true;
			value->device = (int64_t)field.value;
		} else if (field.number == VALUE_STRING && field.wire == 2) {
			add_to_label(value, (const char *)field.bytes.at,
				     (size_t)(field.bytes.end - field.bytes.at));
		} else if (field.number == VALUE_LIST && field.wire == 2) {
			while (protobuf_next(&field.bytes, &inner)) {
				if (inner.number == LIST_ATTRIBUTES && inner.wire == 2)
					read_label_attribute(inner.bytes, value);
			}
		}
	}
}

static void read_attribute(struct protobuf message, struct tpu_value *value)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == ATTRIBUTE_VALUE && field.wire == 2)
			read_attribute_value(field.bytes, value);
	}
}

static void read_gauge(struct protobuf message, struct tpu_value *value)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == GAUGE_DOUBLE && field.wire == 1)
			value->gauge = protobuf_double(field.value);
		else if (field.number == GAUGE_INT && field.wire == 0)
			value->gauge = (double)(int64_t)field.value;
	}
}

static void read_exponential(struct protobuf message, struct tpu_distribution *distribution)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == EXPONENTIAL_GROWTH && field.wire == 1)
			distribution->growth = protobuf_double(field.value);
		else if (field.number == EXPONENTIAL_SCALE && field.wire == 1)
			distribution->scale = protobuf_double(field.value);
	}
}

static void add_bucket(struct tpu_distribution *distribution, uint64_t count)
{
	if (distribution->bucket_count < TPU_BUCKETS_MAX)
		distribution->buckets[distribution->bucket_count++] = (double)count;
}

/* Counts are packed, or each a field. */
static void read_buckets(struct protobuf_field *field, struct tpu_distribution *distribution)
{
	uint64_t count;

	if (field->wire == 0)
		add_bucket(distribution, field->value);
	while (field->wire == 2 && protobuf_varint(&field->bytes, &count))
		add_bucket(distribution, count);
}

static void read_options(struct protobuf message, struct tpu_distribution *distribution)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == OPTIONS_EXPONENTIAL && field.wire == 2)
			read_exponential(field.bytes, distribution);
	}
}

static void read_distribution(struct protobuf message, struct tpu_value *value)
{
	struct tpu_distribution *distribution = &value->distribution;
	struct protobuf_field field;

	value->is_distribution = true;
	while (protobuf_next(&message, &field)) {
		if (field.number == DISTRIBUTION_COUNT && field.wire == 0)
			distribution->count = (double)field.value;
		else if (field.number == DISTRIBUTION_MEAN && field.wire == 1)
			distribution->mean = protobuf_double(field.value);
		else if (field.number == DISTRIBUTION_OPTIONS && field.wire == 2)
			read_options(field.bytes, distribution);
		else if (field.number == DISTRIBUTION_BUCKETS)
			read_buckets(&field, distribution);
	}
}

static void read_metric(struct protobuf message, struct tpu_value *ret_value)
{
	struct protobuf_field field;

	*ret_value = (struct tpu_value){ .gauge = NAN };
	while (protobuf_next(&message, &field)) {
		if (field.wire != 2)
			continue;
		if (field.number == METRIC_ATTRIBUTE)
			read_attribute(field.bytes, ret_value);
		else if (field.number == METRIC_GAUGE)
			read_gauge(field.bytes, ret_value);
		else if (field.number == METRIC_DISTRIBUTION)
			read_distribution(field.bytes, ret_value);
	}
}

void tpu_metric_read(const uint8_t *message, size_t size,
		     void (*found)(void *context, const struct tpu_value *value), void *context)
{
	struct protobuf response = { .at = message, .end = message + size };
	struct protobuf_field field, metric;
	struct tpu_value value;

	while (protobuf_next(&response, &field)) {
		if (field.number != RESPONSE_METRIC || field.wire != 2)
			continue;
		while (protobuf_next(&field.bytes, &metric)) {
			if (metric.number != TPU_METRIC_METRICS || metric.wire != 2)
				continue;
			read_metric(metric.bytes, &value);
			found(context, &value);
		}
	}
}

double tpu_percentile(const struct tpu_distribution *d, double fraction)
{
	double wanted = fraction * d->count, above = d->count;

	if (!(d->count > 0) || !(d->growth > 1) || !(d->scale > 0))
		return NAN;
	for (size_t i = d->bucket_count; i-- > 1;) {
		above -= d->buckets[i];
		if (above > wanted || d->buckets[i] <= 0)
			continue;
		double begin = d->scale * pow(d->growth, (double)i - 1);
		return begin * (1 + (wanted - above) / d->buckets[i] * (d->growth - 1));
	}
	return d->scale;
}

size_t tpu_request(const char *metric, uint8_t *ret_message, size_t size)
{
	size_t length = strlen(metric);

	if (length > 0x7f || length + 2 > size)
		return 0;
	ret_message[0] = REQUEST_NAME << 3 | 2;
	ret_message[1] = (uint8_t)length;
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, not a string */
	memcpy(ret_message + 2, metric, length);
	return length + 2;
}
