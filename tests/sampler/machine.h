/* machine.h - a machine of a test: a fixture with two processes, a folder of tools, and a sampler. */
#ifndef CAIRN_TESTS_SAMPLER_MACHINE_H
#define CAIRN_TESTS_SAMPLER_MACHINE_H

#include <stddef.h>

#include "fixture.h"

#define PATIENCE_S 120

struct machine {
	struct fixture fixture;
	char tools[300]; /* where vendors' tools are looked for */
	struct sampler_options options;
	struct sampler *sampler;
};

/* The row that was taken last. */
extern struct sampler_row row;

/* For cmocka: a recorded machine on which process 100 is the parent of 101. */
int machine_setup(void **state);
int machine_teardown(void **state);
#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, machine_setup, machine_teardown)

void machine_start(struct machine *machine);
/* Takes a row. */
void machine_sample(struct machine *machine);
/* Takes rows until one has the value, or has it no longer. */
void machine_sample_until(struct machine *machine, const char *name);
void machine_sample_until_value(struct machine *machine, const char *name, double value);
void machine_sample_until_gone(struct machine *machine, const char *name);

/* Replaces a file at once: a thread that reads it never sees half of it. */
void machine_rewrite(struct machine *machine, const char *path, const char *text);

/* A shell script in the folder of tools; one that is there is replaced at once. */
void machine_tool(struct machine *machine, const char *name, const char *script);

/* The line of a source in the explanation, without its newline. */
void machine_explain(struct machine *machine, const char *name, char *ret_line, size_t size);

struct expected {
	const char *name;
	double value; /* NaN: absent */
};

void expect_values(const struct expected *values, size_t count);

#define EXPECT(...) \
	do { \
		const struct expected expected_[] = { __VA_ARGS__ }; \
		expect_values(expected_, sizeof expected_ / sizeof expected_[0]); \
	} while (0)

#endif
