/*
 * A window far down an order: rows are parted around its two ends (quickselect), and only the rows
 * between them are sorted. A heap of all rows before it would take several times as long. If two
 * rows have the same short key they are compared in full, so no two are equal, and a pivot by
 * chance keeps any input from being the worst one.
 */
#include <stdlib.h>

#include "ordering.h"

struct keyed_row {
	struct value_key key;
	uint32_t row;
};

struct window {
	const struct ordering *ordering;
	struct keyed_row *at;
	uint64_t chance;
};

/* If there are few different values, most rows are decided by this. */
static bool has_same_cell(const struct ordering *o, uint32_t a, uint32_t b)
{
	return o->by_key && !o->ask->more_count &&
	       column_cell(o->key.column, a) == column_cell(o->key.column, b);
}

static bool is_run_before(const struct ordering *o, uint32_t a, uint32_t b)
{
	const int64_t *ids = o->columns->run_ids;

	return ordering_compare_ids(o->descending, ids[a], ids[b]) < 0;
}

static bool is_before(const struct window *w, const struct keyed_row *a, const struct keyed_row *b)
{
	if (value_key_less(a->key, b->key))
		return true;
	if (value_key_less(b->key, a->key))
		return false;
	if (has_same_cell(w->ordering, a->row, b->row))
		return is_run_before(w->ordering, a->row, b->row);
	return ordering_compare(w->ordering, a->row, b->row) < 0;
}

static struct keyed_row pivot_of(struct window *w, size_t from, size_t to)
{
	w->chance = w->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return w->at[from + (size_t)((w->chance >> 33) % (to - from))];
}

/*
 * Between `from` and `to`: moves the rows before the one at `nth` in
 * front of it, the others after it.
 */
static void part_at(struct window *w, size_t from, size_t to, size_t nth)
{
	while (to - from > 1 && nth < to) {
		const struct keyed_row pivot = pivot_of(w, from, to);
		size_t low = from;
		size_t high = to - 1;
		size_t cut;

		for (;;) {
			struct keyed_row swapped;

			while (is_before(w, &w->at[low], &pivot))
				low++;
			while (is_before(w, &pivot, &w->at[high]))
				high--;
			if (low >= high)
				break;
			swapped = w->at[low];
			w->at[low++] = w->at[high];
			w->at[high--] = swapped;
		}
		cut = low + (low == high); /* the pivot is at the position where they met */
		cut -= cut == to;
		if (nth < cut)
			to = cut;
		else
			from = cut;
	}
}

static size_t gather(struct window *w, struct bits rows)
{
	const struct ordering *o = w->ordering;
	size_t count = 0;

	for (size_t row = bits_next(rows, 0); row < rows.rows; row = bits_next(rows, row + 1)) {
		struct keyed_row *keyed = &w->at[count++];

		keyed->row = (uint32_t)row;
		keyed->key = o->by_key ? ordering_key(o, keyed->row) : (struct value_key){ 0, 0 };
	}
	return count;
}

void ordering_window(struct arena *a, const struct ordering *o, struct bits rows, struct top *top)
{
	struct window w = { .ordering = o,
			    .at = arena_new_array(a, struct keyed_row, bits_count(rows) + 1) };
	const size_t count = gather(&w, rows);
	const size_t from = (size_t)o->ask->offset;

	if (from >= count)
		return;
	part_at(&w, 0, count, from);
	part_at(&w, from, count, from + top->limit);
	for (size_t i = from; i < count && i < from + top->limit; i++)
		top_add(top, w.at[i].row);
}
