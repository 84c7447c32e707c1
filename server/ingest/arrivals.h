#ifndef ARRIVALS_H
#define ARRIVALS_H

#include <stdint.h>

/*
 * How many batches workers are reading that will be submitted any moment. A flusher that is about to begin
 * waits for them a little: one transaction more costs as much as a dozen small batches in it.
 */
struct arrivals;

struct arrivals *arrivals_new(void);
void arrivals_free(struct arrivals *arrivals);

void arrivals_begin(struct arrivals *arrivals);
/* It was submitted, or refused. */
void arrivals_end(struct arrivals *arrivals);

/* Until none is on the way, or the moment has come. */
void arrivals_wait(struct arrivals *arrivals, int64_t until_mono_us);

#endif
