/* fixture.h - a private copy of a recorded /proc and /sys that a test may change. */
#ifndef CAIRN_TESTS_SAMPLER_FIXTURE_H
#define CAIRN_TESTS_SAMPLER_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler.h"

struct fixture {
	char root[256];
	char proc[300];
	char sys[300];
	char dev[300];
};

struct fixture_process {
	int pid;
	int parent;
	const char *name; /* NULL: "train" */
	char state;       /* 0: 'S' */
	uint64_t self_ticks;
	uint64_t children_ticks;
	uint64_t threads;
	uint64_t start_ticks;
	uint64_t rss_pages;
};

/* A copy of fixtures/<name>; "" is an empty machine. Failures end the test. */
void fixture_begin(struct fixture *fixture, const char *name);
void fixture_end(struct fixture *fixture);

__attribute__((format(printf, 3, 4))) void fixture_write(const struct fixture *fixture,
							 const char *path, const char *format, ...);
void fixture_remove(const struct fixture *fixture, const char *path);
void fixture_process(const struct fixture *fixture, const struct fixture_process *process);
void fixture_process_remove(const struct fixture *fixture, int pid);

/* Options that look at the fixture. */
struct sampler_options fixture_options(const struct fixture *fixture, int pid);

/* NaN when the row has no such value. */
double row_value(const struct sampler_row *row, const char *name);
bool row_has(const struct sampler_row *row, const char *name);

/* Seconds on the monotonic clock. */
double now_s(void);

#endif
