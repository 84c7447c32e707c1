#ifndef LOAD_BODY_H
#define LOAD_BODY_H

#include <stddef.h>
#include <stdint.h>

/*
 * The body of a batch with its numbers in places of fixed width, so that a new batch is made by
 * writing digits: the load must not take the processor from what it measures. Their numbers
 * differ from batch to batch (load_values.h).
 */
struct load_shape {
	int rows;
	int metrics;
};

struct load_body {
	char *bytes;
	size_t len;
	char *batch_at;
	char **step_at;
	char **time_at;
	char **value_at;
	int rows;
	int metrics;
	int64_t batch;
	int64_t step;
	uint64_t random;
};

/* load_values_init() comes before. */
void load_body_init(struct load_body *b, const struct load_shape *shape, const char *client,
		    int session, uint64_t seed);
void load_body_free(struct load_body *b);

/* Makes the next batch. */
void load_body_next(struct load_body *b);

#endif
