#ifndef CLOCK_H
#define CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "str.h"

/*
 * The machine's clocks. Decisions about runs and writers use the database's clock (store_now());
 * these are for deadlines, logs and measurements only.
 */

/* Microseconds since 1970, UTC; a type of its own so that it is not mixed up with a duration. */
typedef struct {
	int64_t us;
} timestamp_us;

int64_t clock_mono_us(void); /* never goes back; since boot */
int64_t clock_boot_us(void); /* the same, with the time that the machine slept */
timestamp_us clock_wall_us(void);
void clock_sleep_us(int64_t us); /* for threads that wait to try again; returns early on a signal */
void clock_cond_init(pthread_cond_t *cond); /* waits by clock_mono_us() */
struct timespec clock_timespec(int64_t us); /* a moment, or how long */

enum { CLOCK_TEXT_SIZE = 40 };
/* RFC 3339 in UTC with microseconds: 2026-11-21T10:00:00.123456Z */
void clock_format(timestamp_us t, char text[static CLOCK_TEXT_SIZE]);
/* RFC 3339, any offset, up to nine fractional digits (cut to six). */
bool clock_parse(struct str text, timestamp_us *ret_time);

#endif
