#include "tail_packs.h"

#include <string.h>

#include "arena.h"

struct opened {
	struct pack_block *blocks;
	uint32_t count;
};

/* opened[i] is the content of the pack in row i. */
static err_t open_all(struct codec *c, struct arena *a, const struct pack_shape *shape,
		      const char *rows, size_t count, struct opened *opened)
{
	for (size_t i = 0; i < count; i++) {
		struct str pack = shape->find(rows + i * shape->size);
		err_t e;

		if (!pack.len)
			continue;
		e = pack_decode(c, a, pack, &opened[i].blocks, &opened[i].count);
		if (e)
			return e;
	}
	return NULL;
}

static size_t rows_needed(const struct opened *opened, size_t count)
{
	size_t need = 0;

	for (size_t i = 0; i < count; i++)
		need += opened[i].blocks ? opened[i].count : 1;
	return need;
}

static bool has_packs(const struct opened *opened, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (opened[i].blocks)
			return true;
	}
	return false;
}

static size_t spread(const struct pack_shape *shape, const void *ask, const char *row,
		     const struct opened *opened, char *to)
{
	size_t made = 0;

	if (!opened->blocks) {
		memcpy(to, row, shape->size);
		return 1;
	}
	for (uint32_t i = 0; i < opened->count; i++) {
		memcpy(to + made * shape->size, row, shape->size);
		made += shape->make(ask, row, &opened->blocks[i], to + made * shape->size);
	}
	return made;
}

err_t tail_unpack(struct codec *c, struct arena *a, const struct pack_shape *shape, const void *ask,
		  void **rows, size_t *count)
{
	struct opened *opened = arena_new_array(a, struct opened, *count);
	const char *from = *rows;
	size_t made = 0;
	char *to;
	err_t e;

	e = open_all(c, a, shape, from, *count, opened);
	if (e || !has_packs(opened, *count))
		return e;
	to = arena_alloc(a, rows_needed(opened, *count) * shape->size);
	for (size_t i = 0; i < *count; i++)
		made += spread(shape, ask, from + i * shape->size, &opened[i],
			       to + made * shape->size);
	*rows = to;
	*count = made;
	return NULL;
}
