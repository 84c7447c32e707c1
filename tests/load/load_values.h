#ifndef LOAD_VALUES_H
#define LOAD_VALUES_H

#include <stdint.h>

/*
 * Numbers as trainings make them, printed as Python, Go and JavaScript print them: the shortest text
 * that reads back the same. Of ten metrics five are noisy losses computed in float, one a double, one a
 * learning rate along a cosine, one an accuracy rounded to four digits, one a counter, one a norm in
 * bfloat16; metric i of more is of the kind of metric i % 10.
 */
enum { LOAD_VALUE_MAX = 24 };

/* Before the first value. */
void load_values_init(void);

/*
 * The value of the metric at this step, written at `at`, where LOAD_VALUE_MAX bytes are free; where its
 * text ends. One random number serves a row.
 */
char *load_value_put(char *at, int metric, int64_t step, uint64_t random);

#endif
