#include "chunk_layout.h"

#include "chunk.h"
#include "rollup.h"

enum { PIECE_VALUES = 2 * CELL_VALUES, LEVELS = 2 };

/* Largest first. */
static const int64_t units[LEVELS] = { CHUNK_VALUES, PIECE_VALUES };

static int64_t floor_to(int64_t index, int64_t unit)
{
	return index - index % unit;
}

int64_t chunk_layout_from(int64_t next, int64_t count)
{
	int64_t rest = floor_to(next, PIECE_VALUES);

	for (int i = 0; i < LEVELS; i++) {
		if (floor_to(next + count, units[i]) > rest)
			return floor_to(rest, units[i]);
	}
	return rest;
}

int64_t chunk_layout_length(int64_t from, int64_t end)
{
	int64_t left = end - from;

	for (int i = 0; i < LEVELS; i++) {
		int64_t above = i ? units[i - 1] : CHUNK_VALUES;
		int64_t room = above - from % above;
		int64_t whole = floor_to(left, units[i]);

		if (from % units[i] == 0 && whole)
			return whole < room ? whole : room;
	}
	return left;
}
