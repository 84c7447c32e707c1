#include "decimal.h"

#include <math.h>
#include <string.h>

#include "json_number.h"

enum {
	SURE_DIGITS = 15,    /* that every double keeps */
	LONG_TEXT = 1000,    /* longer than any number of a document as the database writes it */
	PADDING = 32,        /* the reader looks beyond the end */
	SURE_EXPONENT = 290, /* far from where doubles lose digits */
	EXPONENT_MAX = 100000,
};

/* sign, digits without zeros at either end, and the place of the point: 0.DIGITS * 10^point. */
struct parts {
	bool negative;
	struct str digits; /* with at most one point between them; empty: zero */
	size_t count;      /* of the digits */
	long point;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static long read_exponent(struct str text)
{
	bool negative = text.len && text.at[0] == '-';
	long value = 0;

	for (size_t i = text.len && !is_digit(text.at[0]); i < text.len; i++) {
		if (value < EXPONENT_MAX)
			value = value * 10 + (text.at[i] - '0');
	}
	return negative ? -value : value;
}

static bool counts(char c)
{
	return c >= '1' && c <= '9';
}

/* Finds the first and the last significant digit in the digits [0, end). */
static void trim_digits(struct parts *p, const char *at, size_t end, size_t point)
{
	size_t first = 0;

	while (first < end && !counts(at[first]))
		first++;
	while (end > first && !counts(at[end - 1]))
		end--;
	p->digits = (struct str){ at + first, end - first };
	if (first == end)
		return;
	p->count = end - first - (first < point && point < end);
	p->point += first < point ? (long)(point - first) : -(long)(first - point - 1);
}

static struct parts parts_of(struct str text)
{
	struct parts p = { .negative = text.len && text.at[0] == '-' };
	const char *at = text.at + p.negative;
	size_t len = text.len - p.negative;
	size_t end = 0;
	size_t point;

	while (end < len && (is_digit(at[end]) || at[end] == '.'))
		end++;
	if (end < len)
		p.point = read_exponent((struct str){ at + end + 1, len - end - 1 });
	for (point = 0; point < end && at[point] != '.';)
		point++;
	trim_digits(&p, at, end, point);
	return p;
}

static int compare_digits(struct str a, struct str b)
{
	size_t i = 0;
	size_t k = 0;

	for (;; i++, k++) {
		i += i < a.len && a.at[i] == '.';
		k += k < b.len && b.at[k] == '.';
		if (i >= a.len || k >= b.len)
			return (i < a.len) - (k < b.len);
		if (a.at[i] != b.at[k])
			return a.at[i] < b.at[k] ? -1 : 1;
	}
}

int decimal_compare_texts(struct str a, struct str b)
{
	struct parts x = parts_of(a);
	struct parts y = parts_of(b);
	int sign_x = x.count ? (x.negative ? -1 : 1) : 0;
	int sign_y = y.count ? (y.negative ? -1 : 1) : 0;
	int order;

	if (sign_x != sign_y)
		return sign_x < sign_y ? -1 : 1;
	if (!sign_x)
		return 0;
	order = x.point != y.point ? (x.point < y.point ? -1 : 1)
				   : compare_digits(x.digits, y.digits);
	return sign_x * order;
}

uint64_t decimal_hash_text(struct str text)
{
	const struct parts p = parts_of(text);
	uint64_t hash = STR_HASH_START + (uint64_t)p.point * 2 + p.negative;
	const char *point;

	if (!p.count)
		return STR_HASH_START;
	point = memchr(p.digits.at, '.', p.digits.len);
	if (point) {
		const size_t before = (size_t)(point - p.digits.at);

		hash = str_hash(hash, (struct str){ p.digits.at, before });
		return str_hash(hash, (struct str){ point + 1, p.digits.len - before - 1 });
	}
	return str_hash(hash, p.digits);
}

static double nearest_of(struct str text)
{
	char copy[LONG_TEXT + PADDING];
	struct json_number number = { 0 };
	size_t len = text.len < LONG_TEXT ? text.len : LONG_TEXT;

	memcpy(copy, text.at, len);
	memset(copy + len, 0, PADDING);
	return json_number_read(copy, &number) ? number.value : 0;
}

struct decimal decimal_read(struct str text)
{
	struct decimal d = { .nearest = nearest_of(text), .text = text };
	struct parts p = parts_of(text);
	char shortest[JSON_NUMBER_TEXT_SIZE];

	if (d.nearest == 0)
		d.nearest = 0; /* not -0 */
	d.is_plain = !p.count || (p.count <= SURE_DIGITS && p.point < SURE_EXPONENT &&
				  p.point > -SURE_EXPONENT);
	if (!d.is_plain && isfinite(d.nearest)) {
		size_t len = json_number_write(d.nearest, shortest);

		d.is_plain = !decimal_compare_texts(text, (struct str){ shortest, len });
	}
	return d;
}

struct decimal decimal_of_double(double value, char text[static 32])
{
	size_t len = json_number_write(value, text);

	return (struct decimal){ value, true, { text, len } };
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
	if (a->nearest != b->nearest)
		return a->nearest < b->nearest ? -1 : 1;
	return a->is_plain && b->is_plain ? 0 : decimal_compare_texts(a->text, b->text);
}

/* 1.50 is 1.5, 2.0 is 2. A number with an exponent stays: no document has one. */
static struct str without_zeros(struct str text)
{
	if (!memchr(text.at, '.', text.len) || memchr(text.at, 'e', text.len) ||
	    memchr(text.at, 'E', text.len))
		return text;
	while (text.at[text.len - 1] == '0')
		text.len--;
	text.len -= text.at[text.len - 1] == '.';
	return text;
}

void decimal_write(struct buf *b, const struct decimal *d)
{
	char shortest[JSON_NUMBER_TEXT_SIZE];
	struct str text = d->text;

	if (d->is_plain)
		text = (struct str){ shortest, json_number_write(d->nearest, shortest) };
	else
		text = without_zeros(text);
	buf_add_str(b, text);
}
