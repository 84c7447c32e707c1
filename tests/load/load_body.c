#include "load_body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "load_report.h"
#include "load_values.h"

enum {
	INTEGER_WIDTH = 12,
	MICROSECONDS_WIDTH = 6,
	ROW_SIZE = 128,
	CELL_SIZE = 64,
	HEAD_SIZE = 512
};

static const char *const names[] = {
	"train/cross_entropy_loss",   "train/auxiliary_loss_value", "train/gradient_norm_l2",
	"train/learning_rate_now",    "train/tokens_per_second",    "train/step_time_seconds",
	"train/data_loading_seconds", "train/parameter_norm_l2",    "train/activation_mean",
	"train/activation_variance",
};

/* Right-aligned; the blanks in front are JSON's own. */
static void put_integer(char *at, int64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%*lld", INTEGER_WIDTH, (long long)number);
	memcpy(at, digits, INTEGER_WIDTH);
}

/* Two digits at a time. */
static void put_pairs(char *at, uint64_t bits, int width)
{
	static char pairs[100][2];

	if (!pairs[0][0]) {
		for (int i = 0; i < 100; i++) {
			pairs[i][0] = (char)('0' + i / 10);
			pairs[i][1] = (char)('0' + i % 10);
		}
	}
	for (int i = 0; i < width; i += 2) {
		memcpy(at + i, pairs[(bits & 0xffff) * 100 >> 16], 2);
		bits = bits >> 7 | bits << 57;
	}
}

static uint64_t next_random(struct load_body *b)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return b->random;
}

static char *add_text(struct load_body *b, const char *text)
{
	char *at = b->bytes + b->len;
	size_t len = strlen(text);

	memcpy(at, text, len);
	b->len += len;
	return at;
}

static char *add_hole(struct load_body *b, int width)
{
	char *at = b->bytes + b->len;

	memset(at, ' ', (size_t)width);
	b->len += (size_t)width;
	return at;
}

static void add_name(struct load_body *b, int metric)
{
	char name[CELL_SIZE - LOAD_VALUE_WIDTH];

	if (metric < (int)(sizeof(names) / sizeof(names[0])))
		snprintf(name, sizeof(name), ",\"%s\":", names[metric]);
	else
		snprintf(name, sizeof(name), ",\"layer/%d/gradient_norm\":", metric);
	add_text(b, name);
}

static void add_row(struct load_body *b, int row)
{
	add_text(b, row ? ",{\"_step\":" : "{\"_step\":");
	b->step_at[row] = add_hole(b, INTEGER_WIDTH);
	add_text(b, ",\"_timestamp\":");
	b->time_at[row] = add_hole(b, INTEGER_WIDTH);
	add_text(b, ".");
	memcpy(add_hole(b, MICROSECONDS_WIDTH), "000000", MICROSECONDS_WIDTH);
	for (int i = 0; i < b->metrics; i++) {
		add_name(b, i);
		b->value_at[row * b->metrics + i] = add_hole(b, LOAD_VALUE_WIDTH);
	}
	add_text(b, "}");
}

void load_body_init(struct load_body *b, const struct load_shape *shape, const char *client,
		    int session, uint64_t seed)
{
	size_t rows = (size_t)shape->rows;
	size_t cells = rows * (size_t)shape->metrics;
	char head[HEAD_SIZE];

	*b = (struct load_body){ .rows = shape->rows,
				 .metrics = shape->metrics,
				 .random = seed * 0x9e3779b97f4a7c15U + 1 };
	b->bytes = load_alloc(HEAD_SIZE + rows * ROW_SIZE + cells * CELL_SIZE);
	b->step_at = load_alloc(rows * sizeof(char *));
	b->time_at = load_alloc(rows * sizeof(char *));
	b->value_at = load_alloc(cells * sizeof(char *));
	snprintf(head, sizeof(head), "{\"writer\":\"%s\",\"session\":%d,\"batch\":", client,
		 session);
	add_text(b, head);
	b->batch_at = add_hole(b, INTEGER_WIDTH);
	add_text(b, ",\"history\":[");
	for (int row = 0; row < shape->rows; row++)
		add_row(b, row);
	add_text(b, "]}");
}

void load_body_free(struct load_body *b)
{
	free(b->bytes);
	free(b->step_at);
	free(b->time_at);
	free(b->value_at);
}

void load_body_next(struct load_body *b)
{
	int64_t now = (int64_t)time(NULL);

	put_integer(b->batch_at, ++b->batch);
	for (int row = 0; row < b->rows; row++) {
		uint64_t random = next_random(b);

		for (int i = 0; i < b->metrics; i++)
			load_value_put(b->value_at[row * b->metrics + i], i, b->step, random);
		put_integer(b->step_at[row], b->step++);
		put_integer(b->time_at[row], now);
		put_pairs(b->time_at[row] + INTEGER_WIDTH + 1, next_random(b), MICROSECONDS_WIDTH);
	}
}
