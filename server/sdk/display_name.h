#ifndef DISPLAY_NAME_H
#define DISPLAY_NAME_H

#include <stdint.h>

#include "str.h"

struct arena;

/*
 * A name for a run that was given none: two words and a number, "misty-lake-12". The words come from
 * the seed, the same ones from the same seed; the number is which run of its project it is, so names
 * of one project differ.
 */
struct str display_name_invent(struct arena *a, uint64_t seed, int64_t number)
	__attribute__((nonnull));

#endif
