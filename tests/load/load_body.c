#include "load_body.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "load_report.h"
#include "load_values.h"

enum {
	NAME_WIDTH = 40, /* with comma, quotes and colon; copied whole */
	ROW_SIZE = 128,
	HEAD_SIZE = 512,
	MICROSECONDS = 1000000,
};

static const char *const names[] = {
	"train/cross_entropy_loss",   "train/auxiliary_loss_value", "train/gradient_norm_l2",
	"train/learning_rate_now",    "train/tokens_per_second",    "train/step_time_seconds",
	"train/data_loading_seconds", "train/parameter_norm_l2",    "train/activation_mean",
	"train/activation_variance",
};

static uint64_t next_random(struct load_body *b)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return b->random;
}

static char *put_text(char *at, const char *text)
{
	size_t len = strlen(text);

	memcpy(at, text, len);
	return at + len;
}

/* Printf takes ten times as long. */
static char *put_integer(char *at, int64_t number)
{
	char digits[20];
	int first = sizeof(digits);

	do {
		digits[--first] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	memcpy(at, digits + first, sizeof(digits) - (size_t)first);
	return at + sizeof(digits) - first;
}

static char *put_micros(char *at, uint32_t micros)
{
	for (int i = 5; i >= 0; i--) {
		at[i] = (char)('0' + micros % 10);
		micros /= 10;
	}
	return at + 6;
}

static void init_names(struct load_body *b)
{
	b->names = load_alloc((size_t)b->metrics * NAME_WIDTH);
	b->name_lens = load_alloc((size_t)b->metrics);
	for (int i = 0; i < b->metrics; i++) {
		char *at = b->names + (size_t)i * NAME_WIDTH;
		bool known = i < (int)(sizeof(names) / sizeof(names[0]));
		int len = known ? snprintf(at, NAME_WIDTH, ",\"%s\":", names[i])
				: snprintf(at, NAME_WIDTH, ",\"layer/%d/gradient_norm\":", i);

		b->name_lens[i] = (uint8_t)len;
	}
}

void load_body_init(struct load_body *b, const struct load_shape *shape, const char *client,
		    int session, uint64_t seed)
{
	size_t rows = (size_t)shape->rows;
	size_t row_size = ROW_SIZE + (size_t)shape->metrics * (NAME_WIDTH + LOAD_VALUE_MAX);

	*b = (struct load_body){ .rows = shape->rows,
				 .metrics = shape->metrics,
				 .random = seed * 0x9e3779b97f4a7c15U + 1 };
	b->bytes = load_alloc(HEAD_SIZE + rows * row_size);
	b->head_len = (size_t)snprintf(b->bytes, HEAD_SIZE,
				       "{\"writer\":\"%s\",\"session\":%d,\"batch\":", client,
				       session);
	init_names(b);
}

void load_body_free(struct load_body *b)
{
	free(b->bytes);
	free(b->names);
	free(b->name_lens);
}

static char *put_row(struct load_body *b, char *at, int64_t now)
{
	uint64_t random = next_random(b);

	at = put_integer(put_text(at, "{\"_step\":"), b->step);
	at = put_integer(put_text(at, ",\"_timestamp\":"), now);
	*at++ = '.';
	at = put_micros(at, (uint32_t)(random >> 32) % MICROSECONDS);
	for (int i = 0; i < b->metrics; i++) {
		memcpy(at, b->names + (size_t)i * NAME_WIDTH, NAME_WIDTH);
		at = load_value_put(at + b->name_lens[i], i, b->step, random);
	}
	b->step++;
	*at++ = '}';
	return at;
}

void load_body_next(struct load_body *b)
{
	int64_t now = (int64_t)time(NULL);
	char *at = b->bytes + b->head_len;

	at = put_text(put_integer(at, ++b->batch), ",\"history\":[");
	for (int row = 0; row < b->rows; row++) {
		at = put_row(b, at, now);
		*at++ = ',';
	}
	at = put_text(at - 1, "]}");
	b->len = (size_t)(at - b->bytes);
}
