#ifndef LOAD_VALUES_H
#define LOAD_VALUES_H

#include <stdint.h>

/*
 * Numbers as trainings make them, as text of fixed width (right-aligned; the blanks in front are JSON's
 * own). Of ten metrics five are noisy losses computed in float, one a double, one a learning rate
 * along a cosine, one an accuracy rounded to four digits, one a counter, one a norm in bfloat16; metric
 * i of more is of the kind of metric i % 10.
 */
enum { LOAD_VALUE_WIDTH = 24 };

/* Before the first value. */
void load_values_init(void);
/* The value of the metric at this step; one random number serves a row. */
void load_value_put(char *at, int metric, int64_t step, uint64_t random);

#endif
