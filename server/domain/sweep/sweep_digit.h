#ifndef SWEEP_DIGIT_H
#define SWEEP_DIGIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep_config.h"
#include "sweep_value.h"

/*
 * A parameter of a finite space as a digit: its different values are numbered from 0. A constant has one. Values of a list that are
 * equal are one: its number is that of the first, the value delivered the last.
 */
struct sweep_digit_key {
	struct str key;
	int64_t digit;
};

/* A condition: the digits of another parameter that it allows. */
struct sweep_test {
	size_t parameter;
	const int64_t *allowed; /* ascending */
	size_t count;
};

struct sweep_digit {
	const struct sweep_parameter *parameter;
	bool is_grid;
	int64_t count; /* 0: the parameter is continuous, or has no bounds */
	int64_t low;   /* of quantised values: the steps of digit 0 */
	/* values of a list: */
	const struct sweep_value *const *values; /* by digit */
	const struct sweep_digit_key *keys;      /* ascending */
	/* Names of members that any value of the list has, ascending: others are ignored in values, as wandb does. */
	const struct str *names;
	size_t name_count;
	bool is_controller; /* conditions depend on it */
	struct sweep_test *conditions;
	struct arena *arena;
};

void sweep_digit_make(struct arena *a, const struct sweep_parameter *p, bool is_grid,
		      struct sweep_digit *ret_digit) __attribute__((nonnull));
void sweep_digit_value(const struct sweep_digit *d, int64_t digit, struct sweep_value *ret_value)
	__attribute__((nonnull));
/* -1: it does not have the value, or it is absent. */
int64_t sweep_digit_of(const struct sweep_digit *d, const struct sweep_value *v)
	__attribute__((nonnull));

/* The digits of `d` that a condition allows. */
void sweep_digit_allow(struct arena *a, const struct sweep_digit *d,
		       const struct sweep_condition *c, struct sweep_test *ret_test)
	__attribute__((nonnull));
bool sweep_digit_passes(const struct sweep_test *t, int64_t digit) __attribute__((nonnull));

#endif
