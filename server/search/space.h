#ifndef SPACE_H
#define SPACE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Memory that is counted against a limit, so that its user stops in time; it is freed as a whole.
 */
struct space {
	size_t bytes;
	size_t limit;
	struct space_block *blocks;
	size_t used; /* of the first block */
};

void space_free(struct space *s);
bool space_is_over(const struct space *s);

/* Not freed by itself; aligned for any type, not zeroed. */
void *space_alloc(struct space *s, size_t size) __attribute__((malloc, nonnull, returns_nonnull));

/*
 * Room for one more element: an array on the heap that doubles, and is freed by its owner with free().
 * *room is the number it has room for.
 */
void *space_grow(struct space *s, void *array, size_t count, size_t *room, size_t element)
	__attribute__((nonnull(1, 4), returns_nonnull));

#endif
