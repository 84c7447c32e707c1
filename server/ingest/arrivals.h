#ifndef ARRIVALS_H
#define ARRIVALS_H

#include <stdint.h>

/*
 * The number of batches that workers are reading and will submit any
 * moment. A flusher that is about to begin waits for them a little: one
 * transaction more costs as much as a dozen small batches in it.
 */
struct arrivals;

struct arrivals *arrivals_new(void);
void arrivals_free(struct arrivals *arrivals);

void arrivals_begin(struct arrivals *arrivals);
/* The batch was submitted, or refused. */
void arrivals_end(struct arrivals *arrivals);

/* Waits until no batch is coming, or the time has come. */
void arrivals_wait(struct arrivals *arrivals, int64_t until_mono_us);

#endif
