#include "bounded_arena.h"

#include <stdalign.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 256 << 10, FIRST_ROOM = 16 };

struct bounded_arena_block {
	struct bounded_arena_block *next;
	alignas(max_align_t) unsigned char bytes[];
};

void bounded_arena_free(struct bounded_arena *s)
{
	while (s->blocks) {
		struct bounded_arena_block *next = s->blocks->next;

		free(s->blocks);
		s->blocks = next;
	}
}

bool bounded_arena_is_over(const struct bounded_arena *s)
{
	return s->bytes > s->limit;
}

static struct bounded_arena_block *new_block(struct bounded_arena *s, size_t size)
{
	struct bounded_arena_block *block = malloc(sizeof(*block) + size);

	if (!block)
		abort();
	s->bytes += sizeof(*block) + size;
	return block;
}

void *bounded_arena_alloc(struct bounded_arena *s, size_t size)
{
	size_t need = (size + 7) & ~(size_t)7;
	void *p;

	if (need > BLOCK_BYTES / 4) { /* in a block of its own, after the one being filled */
		struct bounded_arena_block *own = new_block(s, need);

		if (!s->blocks) {
			s->blocks = new_block(s, BLOCK_BYTES);
			s->blocks->next = NULL;
			s->used = 0;
		}
		own->next = s->blocks->next;
		s->blocks->next = own;
		return own->bytes;
	}
	if (!s->blocks || BLOCK_BYTES - s->used < need) {
		struct bounded_arena_block *block = new_block(s, BLOCK_BYTES);

		block->next = s->blocks;
		s->blocks = block;
		s->used = 0;
	}
	p = s->blocks->bytes + s->used;
	s->used += need;
	return p;
}

void *bounded_arena_grow(struct bounded_arena *s, void *array, size_t count, size_t *room,
			 size_t element)
{
	size_t more = *room ? *room * 2 : FIRST_ROOM;
	void *grown;

	if (array && count < *room)
		return array;
	grown = realloc(array, more * element);
	if (!grown)
		abort();
	s->bytes += (more - *room) * element;
	*room = more;
	return grown;
}
