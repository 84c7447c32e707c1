#ifndef NUMBER_POWERS_H
#define NUMBER_POWERS_H

#include <stdint.h>

/*
 * The upper 128 bits of 10^q, rounded down, for reading and writing numbers:
 * 10^q = (high 2^64 + low + part) 2^s with 0 <= part < 1 and the highest bit of `high` set.
 * part is 0, that is, the entry is exact, from q = 0 to NUMBER_POWER_EXACT_MAX.
 */
enum { NUMBER_POWER_MIN = -342, NUMBER_POWER_MAX = 324, NUMBER_POWER_EXACT_MAX = 55 };

struct number_power {
	uint64_t high;
	uint64_t low;
};

extern const struct number_power number_powers[NUMBER_POWER_MAX - NUMBER_POWER_MIN + 1];

#endif
