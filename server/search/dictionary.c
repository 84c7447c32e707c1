#include "dictionary.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_TABLE = 16 };

void dictionary_deinit(struct dictionary *d)
{
	free(d->texts);
	free(d->table);
}

static size_t place_of(const struct dictionary *d, struct str text)
{
	uint64_t hash = str_hash(STR_HASH_START, text);
	size_t place = (hash ^ hash >> 29) & (d->table_size - 1);

	while (d->table[place] && !str_equal(d->texts[d->table[place] - 1], text))
		place = (place + 1) & (d->table_size - 1);
	return place;
}

uint32_t dictionary_find(const struct dictionary *d, struct str text)
{
	size_t place;

	if (!d->count)
		return DICTIONARY_NONE;
	place = place_of(d, text);
	return d->table[place] ? d->table[place] - 1 : DICTIONARY_NONE;
}

/* At most half full. */
static void grow_table(struct dictionary *d, struct space *s)
{
	size_t size = d->table_size ? d->table_size * 2 : FIRST_TABLE;

	if (d->table_size > 2 * d->count)
		return;
	free(d->table);
	d->table = calloc(size, sizeof(d->table[0]));
	if (!d->table)
		abort();
	s->bytes += (size - d->table_size) * sizeof(d->table[0]);
	d->table_size = size;
	for (size_t i = 0; i < d->count; i++)
		d->table[place_of(d, d->texts[i])] = (uint32_t)i + 1;
}

static size_t common_of(struct str a, struct str b, size_t most)
{
	size_t i = 0;

	while (i < most && i < a.len && i < b.len && a.at[i] == b.at[i])
		i++;
	return i;
}

uint32_t dictionary_add(struct dictionary *d, struct space *s, struct str text)
{
	size_t place;
	char *copy;

	grow_table(d, s);
	place = place_of(d, text);
	if (d->table[place])
		return d->table[place] - 1;
	copy = space_alloc(s, text.len);
	memcpy(copy, text.at, text.len);
	d->texts = space_grow(s, d->texts, d->count, &d->room, sizeof(d->texts[0]));
	d->texts[d->count] = (struct str){ copy, text.len };
	d->common = common_of(text, d->texts[0], d->count ? d->common : DICTIONARY_COMMON_MAX);
	d->table[place] = (uint32_t)++d->count;
	return (uint32_t)d->count - 1;
}
