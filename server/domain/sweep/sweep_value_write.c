/* Values as JSON, in the form of Python's json.dumps(). */
#include <math.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "json_out.h"
#include "number_write.h"
#include "sweep_value.h"

enum {
	PLAIN_FROM = -3,
	PLAIN_TO = 16
}; /* of the place of the point, where Python's repr() has no exponent */

/* The digits that matter, and the place of the point among them: 0.0012 is 12 and -2. */
static size_t take_digits(const char *text, size_t len, char *digits, int *ret_point)
{
	size_t count = 0;
	int point = 0;
	int exponent = 0;
	bool after_point = false;
	size_t i;

	for (i = 0; i < len && text[i] != 'e'; i++) {
		if (text[i] == '.') {
			after_point = true;
			continue;
		}
		if (count || text[i] != '0')
			digits[count++] = text[i];
		if (!after_point)
			point += count > 0;
		else if (!count)
			point--;
	}
	if (i < len) {
		bool is_negative = text[++i] == '-';

		for (i += text[i] == '-' || text[i] == '+'; i < len; i++)
			exponent = exponent * 10 + (text[i] - '0');
		point += is_negative ? -exponent : exponent;
	}
	while (count > 1 && digits[count - 1] == '0')
		count--;
	*ret_point = point;
	return count;
}

static void write_plain(struct buf *b, const char *digits, size_t count, int point)
{
	size_t whole = point > 0 ? (size_t)point : 0;

	if (!whole)
		buf_add_byte(b, '0');
	for (size_t i = 0; i < whole; i++)
		buf_add_byte(b, i < count ? digits[i] : '0');
	buf_add_byte(b, '.');
	for (int i = point; i < 0; i++)
		buf_add_byte(b, '0');
	if (whole < count)
		buf_add(b, digits + whole, count - whole);
	else
		buf_add_byte(b, '0');
}

static void write_scientific(struct buf *b, const char *digits, size_t count, int point)
{
	int exponent = point - 1;

	buf_add_byte(b, digits[0]);
	if (count > 1) {
		buf_add_byte(b, '.');
		buf_add(b, digits + 1, count - 1);
	}
	buf_printf(b, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
}

static void write_real(struct buf *b, double real)
{
	char text[NUMBER_TEXT_MAX];
	char digits[NUMBER_TEXT_MAX];
	size_t len = number_write(fabs(real), PLAIN_TO, text);
	size_t count;
	int point;

	if (signbit(real) && !isnan(real))
		buf_add_byte(b, '-');
	if (!isfinite(real)) {
		buf_add(b, text, len);
		return;
	}
	if (real == 0) {
		buf_add_text(b, "0.0");
		return;
	}
	count = take_digits(text, len, digits, &point);
	if (point < PLAIN_FROM || point > PLAIN_TO)
		write_scientific(b, digits, count, point);
	else
		write_plain(b, digits, count, point);
}

static void write_text(struct buf *b, struct str text)
{
	struct json_out out = json_out_begin(b);

	json_out_text(&out, text);
}

static void write_list(struct buf *b, const struct sweep_value *v)
{
	buf_add_byte(b, '[');
	for (size_t i = 0; i < v->list.count; i++) {
		if (i)
			buf_add_byte(b, ',');
		sweep_value_write(b, &v->list.items[i]);
	}
	buf_add_byte(b, ']');
}

static void write_object(struct buf *b, const struct sweep_value *v)
{
	buf_add_byte(b, '{');
	for (size_t i = 0; i < v->object.count; i++) {
		if (i)
			buf_add_byte(b, ',');
		write_text(b, v->object.members[i].name);
		buf_add_byte(b, ':');
		sweep_value_write(b, &v->object.members[i].value);
	}
	buf_add_byte(b, '}');
}

void sweep_value_write(struct buf *b, const struct sweep_value *v)
{
	char text[NUMBER_TEXT_MAX];

	switch (v->kind) {
	case SWEEP_ABSENT:
	case SWEEP_NULL:
		buf_add_text(b, "null");
		return;
	case SWEEP_BOOL:
		buf_add_text(b, v->truth ? "true" : "false");
		return;
	case SWEEP_INT:
		buf_add(b, text, number_write_int(v->whole, text));
		return;
	case SWEEP_REAL:
		write_real(b, v->real);
		return;
	case SWEEP_TEXT:
		write_text(b, v->text);
		return;
	case SWEEP_LIST:
		write_list(b, v);
		return;
	case SWEEP_OBJECT:
		write_object(b, v);
		return;
	}
}

struct str sweep_value_dump(struct arena *a, const struct sweep_value *v)
{
	struct buf *b = buf_new(a);

	sweep_value_write(b, v);
	return buf_str(b);
}
