#ifndef INCOMING_H
#define INCOMING_H

#include <stdint.h>

/*
 * The number of batches that workers are reading and will submit any
 * moment. A flusher that is about to begin waits for them a little: one
 * transaction more costs as much as a dozen small batches in it.
 */
struct incoming;

struct incoming *incoming_new(void);
void incoming_free(struct incoming *incoming);

void incoming_begin(struct incoming *incoming);
/* The batch was submitted, or refused. */
void incoming_end(struct incoming *incoming);

/* Waits until no batch is coming, or the time has come. */
void incoming_wait(struct incoming *incoming, int64_t until_mono_us);

#endif
