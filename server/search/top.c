#include "top.h"

struct top top_new(struct arena *a, size_t limit,
		   int (*compare)(const void *context, uint32_t a, uint32_t b), const void *context)
{
	return (struct top){ compare, context, arena_new_array(a, uint32_t, limit + 1), 0, limit };
}

static bool is_before(const struct top *t, uint32_t a, uint32_t b)
{
	return t->compare(t->context, a, b) < 0;
}

static void sink(const struct top *t, size_t i, size_t count)
{
	for (;;) {
		size_t child = 2 * i + 1;
		uint32_t thing = t->at[i];

		if (child >= count)
			return;
		child += child + 1 < count && is_before(t, t->at[child], t->at[child + 1]);
		if (!is_before(t, thing, t->at[child]))
			return;
		t->at[i] = t->at[child];
		t->at[child] = thing;
		i = child;
	}
}

static void rise(const struct top *t, size_t i)
{
	while (i && is_before(t, t->at[(i - 1) / 2], t->at[i])) {
		uint32_t thing = t->at[i];

		t->at[i] = t->at[(i - 1) / 2];
		t->at[(i - 1) / 2] = thing;
		i = (i - 1) / 2;
	}
}

void top_add(struct top *t, uint32_t thing)
{
	if (t->count < t->limit) {
		t->at[t->count] = thing;
		rise(t, t->count++);
	} else if (t->limit && is_before(t, thing, t->at[0])) {
		t->at[0] = thing;
		sink(t, 0, t->count);
	}
}

void top_sort(struct top *t)
{
	for (size_t left = t->count; left > 1; left--) {
		uint32_t last = t->at[0];

		t->at[0] = t->at[left - 1];
		t->at[left - 1] = last;
		sink(t, 0, left - 1);
	}
}
