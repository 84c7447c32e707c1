#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

/*
 * The progress of a command, on one line of a terminal that is updated
 * again and again. Elsewhere a line is logged now and then if `log` is
 * set, and else nothing. Other lines are printed after progress_clear().
 */
struct starting;
struct progress {
	const char *log;                 /* its message; set before progress_begin() */
	const struct starting *starting; /* gets the same; may be NULL; set before, too */
	bool shown;                      /* there is a terminal */
	bool there;                      /* the line is on it now */
	int64_t began_us;
	int64_t last_us;
	int64_t said_us; /* to `starting` */
};

void progress_begin(struct progress *p);

struct progress_state {
	double part;      /* 0 to 1; less than 0: not known */
	int64_t bytes;    /* for the rate; less than 0: there is none */
	const char *what; /* "12 of 280 runs" */
};
/* Updates some times a second at most, however often it is called. */
void progress_show(struct progress *p, const struct progress_state *state);
void progress_clear(struct progress *p);

/* The rows of a table are counted, after `done` of `count` tables; `progress` is a struct progress. */
void progress_count(void *progress, struct str table, size_t done, size_t count);

/* The line: a bar, the part, what, the rate and the remaining time. */
void progress_line(char *line, size_t size, const struct progress_state *state, int64_t elapsed_us);

/* "1.2 GiB" */
enum { PROGRESS_BYTES_SIZE = 32 };
void progress_bytes(char text[PROGRESS_BYTES_SIZE], double bytes);

#endif
