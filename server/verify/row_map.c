#include "row_map.h"

#include <assert.h>

void row_map_init(struct arena *a, struct row_map *m, int64_t first, int64_t count)
{
	assert(count >= 0 && count <= ROW_MAP_ROWS);
	m->first = first;
	m->count = count;
	m->seen = arena_new_array(a, uint32_t, (size_t)count);
}

/* Never 0. Two of four thousand million are equal. */
static uint32_t hash_of(int32_t writer, int64_t step)
{
	uint64_t mixed = ((uint64_t)step + 1) * UINT64_C(0x9e3779b185ebca87);

	mixed ^= mixed >> 29;
	mixed = (mixed + (uint64_t)(uint32_t)writer + 1) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return (uint32_t)(mixed >> 32) | 1;
}

enum row_state row_map_note(struct row_map *m, int64_t row, int32_t writer, int64_t step)
{
	uint32_t hash = hash_of(writer, step);
	uint32_t *at;

	if (row < m->first || row - m->first >= m->count)
		return ROW_OUTSIDE;
	at = &m->seen[row - m->first];
	if (*at)
		return *at == hash ? ROW_KNOWN : ROW_OTHER;
	*at = hash;
	return ROW_NEW;
}

struct row_gap row_map_gap(const struct row_map *m)
{
	struct row_gap gap = { .missing = 0 };

	for (int64_t i = 0; i < m->count; i++) {
		if (m->seen[i])
			continue;
		if (!gap.missing++)
			gap.first = gap.last = m->first + i;
		else if (gap.last == m->first + i - 1)
			gap.last++;
	}
	return gap;
}
