#include "value_table.h"

static uint64_t hash_of(const struct value *v)
{
	struct str number = { (const char *)&v->number, sizeof(v->number) };
	uint64_t hash = str_hash(STR_HASH_START + (uint64_t)v->rank, number);

	if (v->rank != SEARCH_RANK_NUMBER)
		hash = str_hash(hash, text_beginning(v->text, SEARCH_VALUE_CHARS));
	else if (!v->is_plain) /* many may be near one double */
		hash += decimal_hash_text(v->text);
	return hash ^ hash >> 29;
}

static void grow_table(struct value_table *t)
{
	size_t size = t->table_size ? t->table_size * 4 : 256;

	if (t->table_size > 2 * t->count)
		return;
	t->table = arena_new_array(t->arena, uint32_t, size);
	t->table_size = size;
	for (size_t i = 0; i < t->count; i++) {
		size_t slot = hash_of(&t->values[i]) & (size - 1);

		while (t->table[slot])
			slot = (slot + 1) & (size - 1);
		t->table[slot] = (uint32_t)i + 1;
	}
}

uint32_t value_table_add(struct value_table *t, const struct value *v)
{
	size_t slot;

	grow_table(t);
	slot = hash_of(v) & (t->table_size - 1);
	t->steps++;
	while (t->table[slot]) {
		t->steps++;
		if (!value_compare(&t->values[t->table[slot] - 1], v))
			return t->table[slot] - 1;
		slot = (slot + 1) & (t->table_size - 1);
	}
	if (t->limit && t->count == t->limit)
		return DICTIONARY_NONE;
	if (t->count == t->room)
		t->values = arena_grow(t->arena, t->values, &t->room, sizeof(t->values[0]));
	t->values[t->count] = *v;
	t->table[slot] = (uint32_t)++t->count;
	return (uint32_t)t->count - 1;
}
