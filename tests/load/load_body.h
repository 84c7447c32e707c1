#ifndef LOAD_BODY_H
#define LOAD_BODY_H

#include <stddef.h>
#include <stdint.h>

/*
 * The body of a batch. Names and values are text already when the load begins (load_values.h) and are
 * only copied: the load must not take the processor from what it measures. Values differ from batch
 * to batch, and so does the length by a little.
 */
struct load_shape {
	int rows;
	int metrics;
};

struct load_body {
	char *bytes;
	size_t len;
	size_t head_len; /* what all batches begin with */
	char *names;     /* a row's, of NAME_WIDTH bytes each */
	uint8_t *name_lens;
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
