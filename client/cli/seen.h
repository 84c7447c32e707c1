#ifndef SEEN_H
#define SEEN_H

#include <stdbool.h>
#include <stddef.h>

/* The characters of a text that are seen, one after the other. Nothing in it steers a terminal: colours, titles and links are
 * skipped, other control characters are seen as something that cannot be printed. */
struct seen {
	const char *at; /* NULL: nothing that can be printed */
	size_t length, left;
	const char *next;
};

struct seen seen_begin(const char *text) __attribute__((nonnull));

/* False at the end. */
bool seen_next(struct seen *seen) __attribute__((nonnull));

#endif
