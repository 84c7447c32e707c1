#include "wandb_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "json_number.h"
#include "metric_cache.h"
#include "sdk_key.h"
#include "wandb_labels.h"

enum { PARTS_MAX = 32 };

/* ---- names ---------------------------------------------------------------------------------------- */

/* As bytes, but a dot is before all others: what an object holds stands together. */
static int compare_names(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len;

	for (size_t i = 0; i < n; i++) {
		int x = a.at[i] == '.' ? -1 : (unsigned char)a.at[i];
		int y = b.at[i] == '.' ? -1 : (unsigned char)b.at[i];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return (a.len > b.len) - (a.len < b.len);
}

static int by_name(const void *a, const void *b)
{
	return compare_names(((const struct wandb_column *)a)->name,
			     ((const struct wandb_column *)b)->name);
}

static int by_top(const void *a, const void *b)
{
	int order = compare_names(((const struct wandb_column *)a)->top,
				  ((const struct wandb_column *)b)->top);

	return order ? order : by_name(a, b);
}

static bool is_part_of(struct str name, struct str object)
{
	return name.len > object.len + 1 && memcmp(name.at, object.at, object.len) == 0 &&
	       name.at[object.len] == '.';
}

static void put_in(struct wandb_column *column, struct str object)
{
	size_t skip = object.len + 1;

	column->top = object;
	column->rest = (struct str){ column->name.at + skip, column->name.len - skip };
}

static bool is_there(const struct wandb_column *columns, size_t count, struct str name)
{
	const struct wandb_column wanted = { .name = name };

	return bsearch(&wanted, columns, count, sizeof(wanted), by_name) != NULL;
}

/* The outermost object with a type that the key is part of, if any. */
static void find_object(const struct wandb_column *columns, size_t count,
			struct wandb_column *column)
{
	char room[SDK_KEY_TYPE_SIZE];

	for (size_t i = 1; i < column->name.len; i++) {
		struct str object = { column->name.at, i };

		if (column->name.at[i] == '.' &&
		    is_there(columns, count, sdk_key_of_type(room, object))) {
			put_in(column, object);
			return;
		}
	}
}

/* ---- which there are ------------------------------------------------------------------------------ */

static err_t read_named(const struct run_reader *reader, const struct run *run,
			const struct key_stats *stats, struct wandb_column *columns)
{
	struct arena *a = db_arena(reader->db);
	int32_t *ids = arena_new_array(a, int32_t, stats->count + 1);
	struct str *names = arena_new_array(a, struct str, stats->count + 1);
	err_t e;

	for (uint32_t i = 0; i < stats->count; i++)
		ids[i] = (int32_t)stats->items[i].key_id;
	e = metric_cache_names(reader->metrics, reader->db, run->project_id, ids, stats->count,
			       names);
	for (uint32_t i = 0; i < stats->count && !e; i++)
		columns[i] = (struct wandb_column){ .key_id = ids[i],
						    .name = names[i],
						    .top = names[i] };
	return e;
}

err_t wandb_keys_read(const struct run_reader *reader, const struct run *run,
		      const struct key_stats *stats, struct wandb_keys *ret_keys)
{
	struct arena *a = db_arena(reader->db);
	struct wandb_keys keys = {
		.items = arena_new_array(a, struct wandb_column, stats->count + 1),
		.stats = arena_new_array(a, const struct key_stat *, stats->count + 1),
		.count = stats->count,
	};
	err_t e = read_named(reader, run, stats, keys.items);

	if (e)
		return e;
	if (keys.count)
		qsort(keys.items, keys.count, sizeof(keys.items[0]), by_name);
	for (size_t i = 0; i < keys.count; i++) {
		find_object(keys.items, keys.count, &keys.items[i]);
		keys.stats[i] = key_stats_find(stats, (uint32_t)keys.items[i].key_id);
	}
	*ret_keys = keys;
	return NULL;
}

/* ---- which are asked for -------------------------------------------------------------------------- */

/* The key itself, or what it holds. */
static bool take_key(struct arena *a, const struct wandb_keys *keys, struct str name,
		     struct wandb_columns *columns)
{
	size_t before = columns->count;

	for (size_t i = 0; i < keys->count; i++) {
		struct wandb_column column = keys->items[i];
		bool is_part = is_part_of(column.name, name);

		if (!is_part && !str_equal(column.name, name))
			continue;
		column.top = column.name;
		column.rest = STR("");
		if (is_part)
			put_in(&column, name);
		column.asked = columns->asked;
		if (columns->count == columns->size)
			columns->items =
				arena_grow(a, columns->items, &columns->size, sizeof(column));
		columns->items[columns->count++] = column;
	}
	return columns->count > before;
}

static bool is_repeated(const struct str *keys, size_t at)
{
	size_t i = 0;

	while (i < at && !str_equal(keys[i], keys[at]))
		i++;
	return i < at;
}

static void take_keys(struct arena *a, const struct wandb_keys *keys,
		      const struct wandb_columns_ask *ask, struct wandb_columns *columns)
{
	for (size_t i = 0; i < ask->key_count; i++) {
		if (str_is(ask->keys[i], "_step") && ask->stream == STREAM_HISTORY)
			continue; /* every row's own */
		if (is_repeated(ask->keys, i))
			continue;
		if (!take_key(a, keys, ask->keys[i], columns))
			columns->is_empty = true;
		columns->asked++;
	}
}

static void find_time(const struct wandb_keys *keys, struct wandb_columns *columns)
{
	columns->time_id = INT32_MAX;
	for (size_t i = 0; i < keys->count; i++) {
		if (str_is(keys->items[i].name, "_timestamp"))
			columns->time_id = keys->items[i].key_id;
	}
}

struct keyed_item {
	int32_t key_id;
	uint32_t at;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed_item *x = a;
	const struct keyed_item *y = b;

	return (x->key_id > y->key_id) - (x->key_id < y->key_id);
}

static void number_keys(struct arena *a, struct wandb_columns *columns)
{
	struct keyed_item *keyed = arena_new_array(a, struct keyed_item, columns->count + 1);
	size_t count = 0;

	for (size_t i = 0; i < columns->count; i++)
		keyed[i] = (struct keyed_item){ columns->items[i].key_id, (uint32_t)i };
	keyed[columns->count] = (struct keyed_item){ columns->time_id, UINT32_MAX };
	qsort(keyed, columns->count + 1, sizeof(keyed[0]), by_key);
	columns->key_ids = arena_new_array(a, int32_t, columns->count + 1);
	columns->item_of = arena_new_array(a, uint32_t, columns->count + 1);
	for (size_t i = 0; i <= columns->count; i++) {
		bool is_new = !count || columns->key_ids[count - 1] != keyed[i].key_id;

		if (is_new) {
			columns->key_ids[count] = keyed[i].key_id;
			columns->item_of[count++] = UINT32_MAX;
		}
		if (keyed[i].at == UINT32_MAX)
			continue;
		columns->items[keyed[i].at].same = columns->item_of[count - 1];
		columns->item_of[count - 1] = keyed[i].at;
	}
	columns->key_count = count;
	columns->slots = arena_new_array(a, const struct row_value *, columns->count + 1);
	columns->seen = arena_new_array(a, uint64_t, columns->asked + 1);
}

err_t wandb_columns_read(const struct run_reader *reader, const struct wandb_columns_ask *ask,
			 struct wandb_columns *ret_columns)
{
	struct wandb_columns columns = { .count = 0 };
	struct arena *a = db_arena(reader->db);
	struct key_stats stats;
	struct wandb_keys keys;
	err_t e = run_documents_keys(reader, ask->run->project_id, ask->run->run_id, ask->stream,
				     &stats);

	if (!e)
		e = wandb_keys_read(reader, ask->run, &stats, &keys);
	if (e)
		return e;
	find_time(&keys, &columns);
	if (ask->key_count) {
		take_keys(a, &keys, ask, &columns);
		if (columns.count)
			qsort(columns.items, columns.count, sizeof(columns.items[0]), by_top);
	} else {
		columns.items = keys.items;
		columns.count = keys.count;
	}
	number_keys(a, &columns);
	*ret_columns = columns;
	return NULL;
}

/* ---- a row ---------------------------------------------------------------------------------------- */

static uint32_t item_of(const struct wandb_columns *columns, int32_t key_id)
{
	size_t low = 0;
	size_t high = columns->key_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (columns->key_ids[middle] == key_id)
			return columns->item_of[middle];
		if (columns->key_ids[middle] < key_id)
			low = middle + 1;
		else
			high = middle;
	}
	return UINT32_MAX;
}

bool wandb_columns_take(struct wandb_columns *columns, const struct exact_row *row)
{
	size_t found = 0;

	if (!row->value_count)
		return false;
	columns->row++;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	memset(columns->slots, 0, columns->count * sizeof(columns->slots[0]));
	for (uint32_t i = 0; i < row->value_count; i++) {
		uint32_t at = item_of(columns, row->values[i].key_id);

		for (; at != UINT32_MAX; at = columns->items[at].same) {
			size_t asked = columns->items[at].asked;

			found += columns->seen[asked] != columns->row;
			columns->seen[asked] = columns->row;
			columns->slots[at] = &row->values[i];
		}
	}
	return !columns->asked || found == columns->asked;
}

static void put_large(struct json_out *out, double number)
{
	if (isnan(number))
		json_out_null(out);
	else
		json_out_raw(out, number > 0 ? STR("1e999") : STR("-1e999"));
}

void wandb_columns_value(struct json_out *out, enum sdk_numbers numbers,
			 const struct row_value *value)
{
	char number[JSON_NUMBER_TEXT_SIZE];

	if (value->is_text && numbers == SDK_NUMBERS_BARE)
		json_out_raw(out, value->text);
	else if (value->is_text)
		json_out_sent(out, value->text);
	else if (numbers == SDK_NUMBERS_BARE)
		json_out_raw(out, (struct str){ number, json_number_write(value->number, number) });
	else if (numbers == SDK_NUMBERS_LARGE && !isfinite(value->number))
		put_large(out, value->number);
	else
		json_out_real(out, value->number);
}

/* The objects that are open while the parts of one are written. */
struct nest {
	struct json_out *out;
	struct str open[PARTS_MAX];
	size_t depth;
};

static void close_to(struct nest *nest, size_t depth)
{
	while (nest->depth > depth) {
		json_out_object_end(nest->out);
		nest->depth--;
	}
}

/* Opens what `rest` goes through; the last name of it is left. */
static struct str walk_to(struct nest *nest, struct str rest)
{
	size_t depth = 0;

	while (depth < PARTS_MAX && rest.len && memchr(rest.at, '.', rest.len)) {
		struct str part = str_cut(&rest, '.');

		if (depth < nest->depth && str_equal(nest->open[depth], part)) {
			depth++;
			continue;
		}
		close_to(nest, depth);
		json_out_key_str(nest->out, part);
		json_out_object(nest->out);
		nest->open[depth++] = part;
		nest->depth = depth;
	}
	close_to(nest, depth);
	return rest;
}

/* The parts of one object from `at` on; returns where the next member begins. */
static size_t put_object(const struct wandb_columns *columns, size_t at, struct json_out *out,
			 enum sdk_numbers numbers)
{
	struct nest nest = { .out = out };
	struct str top = columns->items[at].top;

	json_out_key_str(out, top);
	json_out_object(out);
	for (; at < columns->count && columns->items[at].rest.len &&
	       str_equal(columns->items[at].top, top);
	     at++) {
		if (!columns->slots[at])
			continue;
		json_out_key_str(out, walk_to(&nest, columns->items[at].rest));
		wandb_columns_value(out, numbers, columns->slots[at]);
	}
	close_to(&nest, 0);
	json_out_object_end(out);
	return at;
}

static void put_name(const struct wandb_columns *columns, struct json_out *out, struct str name)
{
	struct str suffix = wandb_labels_of_key(columns->suffix, name);
	char room[JSON_KEY_MAX_BYTES + WANDB_LABEL_SUFFIX_MAX];

	if (!suffix.len || name.len + suffix.len > sizeof(room)) {
		json_out_key_str(out, name);
		return;
	}
	memcpy(room, name.at, name.len);
	memcpy(room + name.len, suffix.at, suffix.len);
	json_out_key_str(out, (struct str){ room, name.len + suffix.len });
}

void wandb_columns_put(const struct wandb_columns *columns, struct json_out *out,
		       enum sdk_numbers numbers)
{
	for (size_t i = 0; i < columns->count;) {
		const struct wandb_column *column = &columns->items[i];

		if (!columns->slots[i]) {
			i++;
		} else if (column->rest.len) {
			i = put_object(columns, i, out, numbers);
		} else {
			put_name(columns, out, column->name);
			wandb_columns_value(out, numbers, columns->slots[i++]);
		}
	}
}
