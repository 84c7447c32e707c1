/*
 * Each run that has a value under a key is noted as a pair, its group and the number of its value;
 * sorted, equal ones are adjacent. A table for each group and key would be larger than all pairs if
 * groups are many and small.
 */
#include "different_tally.h"

#include <stdlib.h>

struct different_key {
	struct value_table values;
	uint64_t *pairs; /* the group's index, and in the lower half the number of the value */
	size_t count;
	size_t room;
};

enum { CELLS_PER_LOOK = 4096 }; /* between two checks of the clock */

static bool add(struct tally *tally, const struct columns *c, struct bits rows);

struct different_tally *different_tally_new(struct arena *a, const struct search_different *ask,
					    int64_t deadline_us)
{
	struct different_tally *t = arena_new_of(a, struct different_tally);

	*t = (struct different_tally){
		.tally = { add, deadline_us },
		.arena = a,
		.ask = ask,
		.groups = { .arena = a, .limit = ask->group_count },
		.keys = arena_new_array(a, struct different_key, ask->key_count + 1),
	};
	for (size_t i = 0; i < ask->group_count; i++) {
		const struct value group = value_read(&ask->groups[i].value);

		value_table_add(&t->groups, &group);
	}
	for (size_t i = 0; i < ask->key_count; i++)
		t->keys[i].values.arena = a;
	return t;
}

/* ---- counting ------------------------------------------------------------------------------------ */

static bool is_over(struct different_tally *t)
{
	if (++t->cells >= t->look_at) {
		t->look_at = t->cells + CELLS_PER_LOOK;
		t->is_late = t->is_late || tally_is_late(&t->tally);
	}
	return t->is_late || t->is_full;
}

/* The index of each row's group; DICTIONARY_NONE: it is not one of those asked for. */
static const uint32_t *groups_of_rows(struct different_tally *t, const struct columns *c,
				      struct bits rows)
{
	const struct value_columns by = value_columns_of(t->arena, c, &t->ask->by);
	uint32_t *groups = arena_new_array(t->arena, uint32_t, rows.rows + 1);

	for (size_t row = bits_next(rows, 0); row < rows.rows && !is_over(t);
	     row = bits_next(rows, row + 1)) {
		const struct value group = value_at(&by, row);

		groups[row] = t->groups.limit ? value_table_add(&t->groups, &group)
					      : DICTIONARY_NONE;
	}
	return groups;
}

/* A new value gets a copy of its text: columns may be freed before all is counted. */
static uint32_t number_of(struct different_tally *t, struct different_key *key, struct value v)
{
	const size_t known = key->values.count;
	uint32_t number;

	if (v.rank != SEARCH_RANK_NUMBER)
		v.text = text_beginning(v.text, SEARCH_VALUE_CHARS);
	number = value_table_add(&key->values, &v);
	if (number < known)
		return number;
	t->values++;
	t->texts += v.text.len;
	t->is_full = t->values > SEARCH_DIFFERENT_MAX || t->texts > SEARCH_DIFFERENT_TEXTS_MAX;
	if (v.text.len)
		key->values.values[number].text.at = arena_copy(t->arena, v.text.at, v.text.len);
	return number;
}

static void note_value(struct different_tally *t, struct different_key *key, uint32_t group,
		       struct value v)
{
	const uint32_t number = number_of(t, key, v);

	if (key->count == key->room)
		key->pairs = arena_grow(t->arena, key->pairs, &key->room, sizeof(key->pairs[0]));
	key->pairs[key->count++] = (uint64_t)group << 32 | number;
	t->notes++;
	t->is_full = t->is_full || t->notes > SEARCH_DIFFERENT_NOTES_MAX;
}

static void add_key(struct different_tally *t, const struct columns *c, struct bits rows,
		    const uint32_t *groups, size_t at)
{
	const struct value_columns of = value_columns_of(t->arena, c, &t->ask->keys[at]);

	for (size_t row = bits_next(rows, 0); row < rows.rows && !is_over(t);
	     row = bits_next(rows, row + 1)) {
		const struct value v = value_at(&of, row);

		if (groups[row] != DICTIONARY_NONE && v.rank != SEARCH_RANK_NONE)
			note_value(t, &t->keys[at], groups[row], v);
	}
}

static bool add(struct tally *tally, const struct columns *c, struct bits rows)
{
	struct different_tally *t = (struct different_tally *)tally;
	const uint32_t *groups = groups_of_rows(t, c, rows);

	for (size_t i = 0; i < t->ask->key_count && !is_over(t); i++)
		add_key(t, c, rows, groups, i);
	return !t->is_late;
}

/* ---- the answer ---------------------------------------------------------------------------------- */

static int compare_pairs(const void *x, const void *y)
{
	const uint64_t *a = x;
	const uint64_t *b = y;

	return (*a > *b) - (*a < *b);
}

struct counted {
	uint32_t number;
	int64_t runs;
};

/* The most frequent first, then the least. */
static bool is_before(const struct different_key *key, struct counted a, struct counted b)
{
	const struct value *values = key->values.values;

	if (a.runs != b.runs)
		return a.runs > b.runs;
	return value_compare(&values[a.number], &values[b.number]) < 0;
}

/* Inserts it into the shown ones, in their order, if it is one of them. */
static void show(const struct different_key *key, struct counted *shown, size_t *count,
		 struct counted one)
{
	size_t at = *count;

	while (at && is_before(key, one, shown[at - 1]))
		at--;
	if (at == SEARCH_DIFFERENT_SHOWN)
		return;
	if (*count < SEARCH_DIFFERENT_SHOWN)
		(*count)++;
	for (size_t i = *count - 1; i > at; i--)
		shown[i] = shown[i - 1];
	shown[at] = one;
}

/* The result for the pairs of one group, which are sorted. */
static struct search_different_found found_of(struct arena *a, const struct different_key *key,
					      const uint64_t *pairs, size_t count)
{
	struct search_different_found found = { .runs = (int64_t)count };
	struct counted shown[SEARCH_DIFFERENT_SHOWN];
	size_t next;

	for (size_t i = 0; i < count; i = next) {
		for (next = i + 1; next < count && pairs[next] == pairs[i];)
			next++;
		found.count++;
		show(key, shown, &found.shown,
		     (struct counted){ (uint32_t)pairs[i], (int64_t)(next - i) });
	}
	for (size_t i = 0; i < found.shown; i++)
		found.values[i] = (struct search_value_runs){
			value_write(a, &key->values.values[shown[i].number]), shown[i].runs
		};
	return found;
}

static void end_key(const struct different_tally *t, size_t at, struct search_different_found *all)
{
	const struct different_key *key = &t->keys[at];
	size_t next;

	if (key->count)
		qsort(key->pairs, key->count, sizeof(key->pairs[0]), compare_pairs);
	for (size_t i = 0; i < key->count; i = next) {
		const uint64_t group = key->pairs[i] >> 32;

		for (next = i + 1; next < key->count && key->pairs[next] >> 32 == group;)
			next++;
		all[group * t->ask->key_count + at] =
			found_of(t->arena, key, &key->pairs[i], next - i);
	}
}

err_t different_tally_end(struct different_tally *t, struct search_different_found **ret_found)
{
	struct search_different_found *all =
		arena_new_array(t->arena, struct search_different_found,
				t->ask->group_count * t->ask->key_count + 1);

	if (t->is_full)
		return err_field(t->arena, ERR_UNPROCESSABLE, "different",
				 "the keys together have more than %d different values, %d bytes "
				 "of text or %d values of runs",
				 SEARCH_DIFFERENT_MAX, SEARCH_DIFFERENT_TEXTS_MAX,
				 SEARCH_DIFFERENT_NOTES_MAX);
	for (size_t i = 0; i < t->ask->key_count; i++)
		end_key(t, i, all);
	*ret_found = all;
	return NULL;
}
