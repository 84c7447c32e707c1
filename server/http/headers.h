#ifndef HEADERS_H
#define HEADERS_H

#include <stdbool.h>

#include "str.h"

struct arena;

/* The header lines of a request, as they came. Names are compared without regard to case. */
enum { HEADERS_MAX = 128 };

struct headers {
	struct header {
		struct str name;
		struct str value;
	} * at;
	size_t count;
	const char *fault; /* why this head is ambiguous; NULL: it is not */
	bool too_many;     /* the lines after HEADERS_MAX are lost */
};

/* Copies the line. A line that others may read differently is a fault. */
void headers_add(struct headers *h, struct arena *a, struct str name, struct str value);

size_t headers_count(const struct headers *h, const char *name);
/* The first; .at is NULL when there is none. */
struct str headers_find(const struct headers *h, const char *name);
/* All lines of a header that is a list, as one (RFC 9110, 5.3); empty when there is none. */
struct str headers_list(const struct headers *h, struct arena *a, const char *name);

/* "gzip;q=0.5": an item of such a list. A weight that cannot be read is 0. */
struct header_item {
	struct str name;
	double weight;
};
/* Cuts the first item off; false when the list has ended. */
bool headers_next_item(struct str *list, struct header_item *ret_item);

#endif
