#ifndef BOUNDED_ARENA_H
#define BOUNDED_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Memory that is counted against a limit, so that its user stops in time; it is freed as a whole.
 */
struct bounded_arena {
	size_t bytes;
	size_t limit;
	struct bounded_arena_block *blocks;
	size_t used; /* of the first block */
};

void bounded_arena_free(struct bounded_arena *s);
bool bounded_arena_is_over(const struct bounded_arena *s);

/* Not freed by itself; aligned for any type, not zeroed. */
void *bounded_arena_alloc(struct bounded_arena *s, size_t size)
	__attribute__((malloc, nonnull, returns_nonnull));

/*
 * Room for one more element: an array on the heap that doubles, and is freed by its owner with free().
 * *room is the number it has room for.
 */
void *bounded_arena_grow(struct bounded_arena *s, void *array, size_t count, size_t *room,
			 size_t element) __attribute__((nonnull(1, 4), returns_nonnull));

#endif
