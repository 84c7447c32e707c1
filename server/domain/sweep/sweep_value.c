#include "sweep_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"

const struct sweep_value *sweep_value_get(const struct sweep_value *v, struct str name)
{
	if (!v || v->kind != SWEEP_OBJECT)
		return NULL;
	for (size_t i = 0; i < v->object.count; i++)
		if (str_equal(v->object.members[i].name, name))
			return &v->object.members[i].value;
	return NULL;
}

const struct sweep_value *sweep_value_get_named(const struct sweep_value *v, const char *name)
{
	return sweep_value_get(v, str_of(name));
}

const char *sweep_kind_name(enum sweep_kind kind)
{
	static const char *const names[] = {
		[SWEEP_ABSENT] = "nothing", [SWEEP_NULL] = "null",
		[SWEEP_BOOL] = "a boolean", [SWEEP_INT] = "an integer",
		[SWEEP_REAL] = "a float",   [SWEEP_TEXT] = "a string",
		[SWEEP_LIST] = "a list",    [SWEEP_OBJECT] = "an object",
	};

	return names[kind];
}

bool sweep_value_number(const struct sweep_value *v, double *ret_number)
{
	if (!v || (v->kind != SWEEP_INT && v->kind != SWEEP_REAL))
		return false;
	*ret_number = v->kind == SWEEP_INT ? (double)v->whole : v->real;
	return true;
}

/* The integer that a float is equal to, in 64 bits. */
static bool is_integral(double x, int64_t *ret_whole)
{
	if (!(fabs(x) < 0x1p63) || x != rint(x))
		return false;
	*ret_whole = (int64_t)x;
	return true;
}

/* A member for sorting. */
struct named {
	struct str name;
	const struct sweep_value *value;
};

static int by_name(const void *x, const void *y)
{
	return str_compare(((const struct named *)x)->name, ((const struct named *)y)->name);
}

static void add_key(struct buf *b, const struct sweep_value *v);

static void add_text(struct buf *b, struct str text)
{
	uint64_t length = text.len;

	buf_add(b, &length, sizeof(length));
	buf_add_str(b, text);
}

static void add_object(struct buf *b, const struct sweep_value *v)
{
	struct named *sorted = malloc((v->object.count + 1) * sizeof(*sorted));

	if (!sorted)
		abort();
	for (size_t i = 0; i < v->object.count; i++)
		sorted[i] =
			(struct named){ v->object.members[i].name, &v->object.members[i].value };
	qsort(sorted, v->object.count, sizeof(*sorted), by_name);
	buf_add_byte(b, '{');
	for (size_t i = 0; i < v->object.count; i++) {
		buf_add_byte(b, ',');
		add_text(b, sorted[i].name);
		add_key(b, sorted[i].value);
	}
	buf_add_byte(b, '}');
	free(sorted);
}

static void add_real(struct buf *b, double real)
{
	if (isnan(real))
		real = NAN;
	buf_add_byte(b, 'r');
	buf_add(b, &real, sizeof(real));
}

static void add_whole(struct buf *b, int64_t whole)
{
	buf_add_byte(b, 'i');
	buf_add(b, &whole, sizeof(whole));
}

static void add_key(struct buf *b, const struct sweep_value *v)
{
	switch (v->kind) {
	case SWEEP_ABSENT:
		buf_add_byte(b, '-');
		return;
	case SWEEP_NULL:
		buf_add_byte(b, 'n');
		return;
	case SWEEP_BOOL:
		buf_add_byte(b, v->truth ? 't' : 'f');
		return;
	case SWEEP_INT:
		add_whole(b, v->whole);
		return;
	case SWEEP_REAL:
		add_real(b, v->real);
		return;
	case SWEEP_TEXT:
		buf_add_byte(b, 's');
		add_text(b, v->text);
		return;
	case SWEEP_LIST:
		buf_add_byte(b, '[');
		for (size_t i = 0; i < v->list.count; i++)
			add_key(b, &v->list.items[i]);
		buf_add_byte(b, ']');
		return;
	case SWEEP_OBJECT:
		add_object(b, v);
		return;
	}
}

static void add_outer_key(struct buf *b, const struct sweep_value *v)
{
	int64_t whole;

	if (v->kind == SWEEP_REAL && is_integral(v->real, &whole))
		add_whole(b, whole);
	else
		add_key(b, v);
}

struct str sweep_value_key(struct arena *a, const struct sweep_value *v)
{
	struct buf b = { 0 };
	struct str key;

	add_outer_key(&b, v);
	key = (struct str){ arena_copy(a, b.at, b.len), b.len };
	buf_free(&b);
	return key;
}

bool sweep_value_equal(const struct sweep_value *x, const struct sweep_value *y)
{
	struct buf a = { 0 };
	struct buf b = { 0 };
	bool is_equal;

	add_outer_key(&a, x);
	add_outer_key(&b, y);
	is_equal = str_equal(buf_str(&a), buf_str(&b));
	buf_free(&a);
	buf_free(&b);
	return is_equal;
}
