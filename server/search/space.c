#include "space.h"

#include <stdalign.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 256 << 10, FIRST_ROOM = 16 };

struct space_block {
	struct space_block *next;
	alignas(max_align_t) unsigned char bytes[];
};

void space_free(struct space *s)
{
	while (s->blocks) {
		struct space_block *next = s->blocks->next;

		free(s->blocks);
		s->blocks = next;
	}
}

bool space_is_over(const struct space *s)
{
	return s->bytes > s->limit;
}

static struct space_block *new_block(struct space *s, size_t size)
{
	struct space_block *block = malloc(sizeof(*block) + size);

	if (!block)
		abort();
	s->bytes += sizeof(*block) + size;
	return block;
}

void *space_alloc(struct space *s, size_t size)
{
	size_t need = (size + 7) & ~(size_t)7;
	void *p;

	if (need > BLOCK_BYTES / 4) { /* in a block of its own, after the one being filled */
		struct space_block *own = new_block(s, need);

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
		struct space_block *block = new_block(s, BLOCK_BYTES);

		block->next = s->blocks;
		s->blocks = block;
		s->used = 0;
	}
	p = s->blocks->bytes + s->used;
	s->used += need;
	return p;
}

void *space_grow(struct space *s, void *array, size_t count, size_t *room, size_t element)
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
