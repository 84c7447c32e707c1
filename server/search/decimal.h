#ifndef DECIMAL_H
#define DECIMAL_H

#include <stdbool.h>

#include "buf.h"
#include "str.h"

/*
 * Numbers of documents, which the database compares as decimals. A double represents a number if it
 * is the nearest and no other number of this many digits is near it: then the shortest text of the
 * double is the number. Others, such as 12345678901234567890, keep their text as well.
 */
struct decimal {
	double nearest;  /* never -0; of a number beyond the range of double an infinity */
	bool is_plain;   /* the double is exactly the number */
	struct str text; /* JSON's grammar, as it was read */
};

/* The text is a JSON number, and need not be followed by anything. */
struct decimal decimal_read(struct str text);
struct decimal decimal_of_double(double value, char text[static 32]);

/* By value; texts are read only if the doubles are equal. */
int decimal_compare(const struct decimal *a, const struct decimal *b);
/* The same for texts: 1, 1.0 and 10e-1 are equal. */
int decimal_compare_texts(struct str a, struct str b);
/* The same hash for equal numbers. */
uint64_t decimal_hash_text(struct str text);

/* One text for each number: the shortest of the double, else the digits without needless zeros. */
void decimal_write(struct buf *b, const struct decimal *d);

#endif
