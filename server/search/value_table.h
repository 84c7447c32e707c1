#ifndef VALUE_TABLE_H
#define VALUE_TABLE_H

#include "value.h"

/* Different values, numbered from 0 as they come; values are equal by value_compare(). */
struct value_table {
	struct arena *arena;
	size_t limit; /* of values; 0: none */
	struct value *values;
	size_t count;
	size_t room;
	uint32_t *table; /* number + 1; 0: free */
	size_t table_size;
	uint64_t steps; /* of all lookups */
};

/*
 * The number of the value; a new one is the last, and its text stays the
 * caller's. DICTIONARY_NONE: there is no room.
 */
uint32_t value_table_add(struct value_table *t, const struct value *v) __attribute__((nonnull));

#endif
