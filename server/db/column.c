#include "column.h"

#include <string.h>

#include "arena.h"

const void *column_gather(struct arena *a, const void *rows, size_t count, size_t row_size,
			  size_t offset, size_t size)
{
	char *column = arena_alloc(a, count * size);

	for (size_t i = 0; i < count; i++)
		memcpy(column + i * size, (const char *)rows + i * row_size + offset, size);
	return column;
}
