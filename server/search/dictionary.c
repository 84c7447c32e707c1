#include "dictionary.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TABLE = 16 };

void dictionary_deinit(struct dictionary *d)
{
	free(d->texts);
	free(d->keys);
	free(d->table);
}

static size_t slot_of(const struct dictionary *d, struct str text)
{
	uint64_t hash = str_hash(STR_HASH_START, text);
	size_t slot = (hash ^ hash >> 29) & (d->table_size - 1);

	while (d->table[slot] && !str_equal(d->texts[d->table[slot] - 1], text))
		slot = (slot + 1) & (d->table_size - 1);
	return slot;
}

uint32_t dictionary_find(const struct dictionary *d, struct str text)
{
	size_t slot;

	if (!d->count)
		return DICTIONARY_NONE;
	slot = slot_of(d, text);
	return d->table[slot] ? d->table[slot] - 1 : DICTIONARY_NONE;
}

/* At most half full. */
static void grow_table(struct dictionary *d, struct bounded_arena *s)
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
		d->table[slot_of(d, d->texts[i])] = (uint32_t)i + 1;
}

static size_t common_of(struct str a, struct str b, size_t most)
{
	size_t i = 0;

	while (i < most && i < a.len && i < b.len && a.at[i] == b.at[i])
		i++;
	return i;
}

uint64_t dictionary_key(const struct dictionary *d, struct str text)
{
	uint64_t key = 0;

	if (text.len >= d->common + sizeof(key)) {
		memcpy(&key, text.at + d->common, sizeof(key));
		return be64toh(key);
	}
	for (size_t i = d->common; i < d->common + sizeof(key); i++)
		key = key << 8 | (i < text.len ? (unsigned char)text.at[i] : 0);
	return key;
}

/* If the common prefix got shorter, which it does a few times at most, all keys change. */
static void note_key(struct dictionary *d, struct bounded_arena *s, struct str text)
{
	size_t common = common_of(text, d->texts[0], d->count ? d->common : DICTIONARY_COMMON_MAX);
	size_t first = common == d->common ? d->count : 0;

	d->common = common;
	d->keys = bounded_arena_grow(s, d->keys, d->count, &d->key_room, sizeof(d->keys[0]));
	for (size_t i = first; i <= d->count; i++)
		d->keys[i] = dictionary_key(d, d->texts[i]);
}

uint32_t dictionary_add(struct dictionary *d, struct bounded_arena *s, struct str text)
{
	size_t slot;
	char *copy;

	grow_table(d, s);
	slot = slot_of(d, text);
	if (d->table[slot])
		return d->table[slot] - 1;
	copy = bounded_arena_alloc(s, text.len);
	memcpy(copy, text.at, text.len);
	d->texts = bounded_arena_grow(s, d->texts, d->count, &d->room, sizeof(d->texts[0]));
	d->texts[d->count] = (struct str){ copy, text.len };
	note_key(d, s, text);
	d->table[slot] = (uint32_t)++d->count;
	if (!text.len)
		d->empty = (uint32_t)d->count;
	else if (str_is(text, "Infinity"))
		d->infinities[0] = (uint32_t)d->count;
	else if (str_is(text, "-Infinity"))
		d->infinities[1] = (uint32_t)d->count;
	return (uint32_t)d->count - 1;
}
