#include "ordering.h"

struct ordering ordering_of(struct arena *a, const struct columns *c, const struct search_page *ask)
{
	struct ordering o = { .columns = c,
			      .key = value_columns_of(a, c, &ask->order),
			      .descending = ask->descending,
			      .ask = ask };

	for (size_t i = 0; i < ask->more_count; i++)
		o.more[i] = value_columns_of(a, c, &ask->more[i].path);
	o.by_key = o.key.column && !o.key.flat;
	return o;
}

int ordering_compare_ids(bool descending, int64_t a, int64_t b)
{
	int order = (a > b) - (a < b);

	return descending ? -order : order;
}

struct value_key ordering_key(const struct ordering *o, uint32_t row)
{
	return value_key(&o->key, column_cell(o->key.column, row), row, o->descending);
}

/* 0: to be compared in full. */
static int compare_by_key(const struct ordering *o, uint32_t a, uint32_t b)
{
	struct value_key x;
	struct value_key y;

	if (!o->by_key)
		return 0;
	x = ordering_key(o, a);
	y = ordering_key(o, b);
	return value_key_less(y, x) - value_key_less(x, y);
}

/* By the other keys, where the first is equal. */
static int compare_more(const struct ordering *o, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < o->ask->more_count; i++) {
		struct value x = value_at(&o->more[i], a);
		struct value y = value_at(&o->more[i], b);
		int order = value_order(o->ask->more[i].descending, &x, &y);

		if (order)
			return order;
	}
	return 0;
}

int ordering_compare(const void *context, uint32_t a, uint32_t b)
{
	const struct ordering *o = context;
	int order = compare_by_key(o, a, b);
	struct value x;
	struct value y;

	if (order)
		return order;
	x = value_at(&o->key, a);
	y = value_at(&o->key, b);
	order = value_order(o->descending, &x, &y);
	if (!order)
		order = compare_more(o, a, b);
	return order ? order
		     : ordering_compare_ids(o->descending, o->columns->run_ids[a],
					    o->columns->run_ids[b]);
}
