#include "sweep_scalar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

enum { SIXTY = 60 };

static bool is_word(struct str s, const char *const words[])
{
	for (; *words; words++)
		if (str_is(s, *words))
			return true;
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* The bytes from `at` on that are in the set. */
static size_t span(struct str s, size_t at, const char *set)
{
	size_t end = at;

	while (end < s.len && is_of(s.at[end], set))
		end++;
	return end - at;
}

static struct str without_sign(struct str s, bool *ret_negative)
{
	*ret_negative = s.len && s.at[0] == '-';
	if (s.len && is_of(s.at[0], "+-"))
		return (struct str){ s.at + 1, s.len - 1 };
	return s;
}

/* (?::[0-5]?[0-9])*; returns where it ends. */
static size_t skip_sixties(struct str s, size_t at)
{
	while (at + 1 < s.len && s.at[at] == ':' && is_digit(s.at[at + 1])) {
		at += 2;
		if (at < s.len && is_digit(s.at[at]) && s.at[at - 1] < '6')
			at++;
	}
	return at;
}

/* ---- integers ------------------------------------------------------------------------------------------- */

/* The base of an unsigned integer, 0: it is not one; *ret_digits: what follows the prefix. */
static int integer_base(struct str s, struct str *ret_digits)
{
	static const struct {
		const char *prefix, *digits;
		int base;
	} kinds[] = { { "0b", "01_", 2 },
		      { "0x", "0123456789abcdefABCDEF_", 16 },
		      { "0", "01234567_", 8 } };

	if (str_is(s, "0")) {
		*ret_digits = s;
		return 10;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t prefix = strlen(kinds[i].prefix);

		if (!str_starts(s, kinds[i].prefix))
			continue;
		*ret_digits = (struct str){ s.at + prefix, s.len - prefix };
		if (ret_digits->len && span(s, prefix, kinds[i].digits) == ret_digits->len)
			return kinds[i].base;
	}
	*ret_digits = s;
	if (!s.len || s.at[0] < '1' || s.at[0] > '9')
		return 0;
	if (span(s, 0, "0123456789_") == s.len)
		return 10;
	return skip_sixties(s, span(s, 0, "0123456789_")) == s.len ? SIXTY : 0;
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	return (c | 0x20) - 'a' + 10;
}

/* False: beyond 64 bits. */
static bool add_digit(uint64_t *value, unsigned base, unsigned digit)
{
	return !__builtin_mul_overflow(*value, base, value) &&
	       !__builtin_add_overflow(*value, digit, value);
}

static bool read_digits(struct str digits, int base, uint64_t *ret_value)
{
	uint64_t total = 0; /* of the parts before ":" */
	uint64_t part = 0;
	unsigned ten = base == SIXTY ? 10 : (unsigned)base;

	for (size_t i = 0; i < digits.len; i++) {
		char c = digits.at[i];

		if (c == '_')
			continue;
		if (c == ':') {
			if (__builtin_add_overflow(total, part, &total) ||
			    __builtin_mul_overflow(total, SIXTY, &total))
				return false;
			part = 0;
		} else if (!add_digit(&part, ten, (unsigned)digit_value(c))) {
			return false;
		}
	}
	return !__builtin_add_overflow(total, part, ret_value);
}

static enum sweep_scalar_fault read_integer(struct str digits, int base, bool is_negative,
					    int64_t *ret_whole)
{
	uint64_t value;

	if (base != 8 && span(digits, 0, "_") == digits.len)
		return SWEEP_SCALAR_NO_DIGITS;
	if (!read_digits(digits, base, &value) || value > (uint64_t)INT64_MAX + is_negative)
		return SWEEP_SCALAR_TOO_BIG;
	*ret_whole = is_negative ? (int64_t)-value : (int64_t)value;
	return SWEEP_SCALAR_GOOD;
}

/* ---- floats --------------------------------------------------------------------------------------------- */

/* (?:[eE][-+][0-9]+)?$ */
static bool is_exponent(struct str s, size_t at)
{
	if (at == s.len)
		return true;
	return at + 2 < s.len && is_of(s.at[at], "eE") && is_of(s.at[at + 1], "+-") &&
	       at + 2 + span(s, at + 2, "0123456789") == s.len;
}

/* The sign is cut off. */
static bool is_float(struct str s, bool has_sign)
{
	size_t at;

	if (!s.len)
		return false;
	if (s.at[0] == '.')
		return !has_sign && s.len > 1 && is_digit(s.at[1]) &&
		       is_exponent(s, 1 + span(s, 1, "0123456789_"));
	if (!is_digit(s.at[0]))
		return false;
	at = span(s, 0, "0123456789_");
	if (at < s.len && s.at[at] == '.')
		return is_exponent(s, at + 1 + span(s, at + 1, "0123456789_"));
	if (at == s.len || s.at[at] != ':')
		return false;
	at = skip_sixties(s, at);
	return at < s.len && s.at[at] == '.' && at + 1 + span(s, at + 1, "0123456789_") == s.len;
}

/* Parts of 60, the last with a fraction, as float() reads each. */
static double read_float(struct arena *a, struct str s)
{
	char *text = arena_alloc(a, s.len + 1);
	char *part = text;
	size_t len = 0;
	double value = 0;

	for (size_t i = 0; i < s.len; i++)
		if (s.at[i] != '_')
			text[len++] = s.at[i];
	text[len] = 0;
	while (*part) {
		char *end;

		value = value * SIXTY + strtod(part, &end);
		part = *end == ':' ? end + 1 : end + strlen(end);
	}
	return value;
}

static bool resolve_float(struct arena *a, struct str plain, struct sweep_value *v)
{
	static const char *const infinities[] = { ".inf", ".Inf", ".INF", NULL };
	static const char *const nans[] = { ".nan", ".NaN", ".NAN", NULL };
	bool is_negative;
	struct str s = without_sign(plain, &is_negative);

	if (is_word(s, infinities))
		v->real = INFINITY;
	else if (is_word(plain, nans))
		v->real = NAN;
	else if (is_float(s, s.len != plain.len))
		v->real = read_float(a, s);
	else
		return false;
	v->kind = SWEEP_REAL;
	if (is_negative)
		v->real = -v->real;
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

enum sweep_scalar_fault sweep_scalar_resolve(struct arena *a, struct str plain,
					     struct sweep_value *v)
{
	static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
	static const char *const yes[] = { "yes",  "Yes", "YES", "true", "True",
					   "TRUE", "on",  "On",  "ON",   NULL };
	static const char *const no[] = { "no",    "No",  "NO",  "false", "False",
					  "FALSE", "off", "Off", "OFF",   NULL };
	bool is_negative;
	struct str digits;
	int base;

	if (is_word(plain, nulls)) {
		v->kind = SWEEP_NULL;
		return SWEEP_SCALAR_GOOD;
	}
	if (is_word(plain, yes) || is_word(plain, no)) {
		v->kind = SWEEP_BOOL;
		v->truth = is_word(plain, yes);
		return SWEEP_SCALAR_GOOD;
	}
	if (resolve_float(a, plain, v))
		return SWEEP_SCALAR_GOOD;
	base = integer_base(without_sign(plain, &is_negative), &digits);
	if (base) {
		v->kind = SWEEP_INT;
		return read_integer(digits, base, is_negative, &v->whole);
	}
	v->kind = SWEEP_TEXT;
	v->text = plain;
	return SWEEP_SCALAR_GOOD;
}

bool sweep_scalar_is_misread(struct str plain)
{
	bool is_negative;
	struct str s = without_sign(plain, &is_negative);
	size_t at = span(s, 0, "0123456789.");

	if (!at || !is_digit(s.at[at - 1] == '.' && at > 1 ? s.at[at - 2] : s.at[at - 1]) ||
	    at + 1 >= s.len || !is_of(s.at[at], "eE"))
		return false;
	at += 1 + span(s, at + 1, "+-");
	return at < s.len && at + span(s, at, "0123456789") == s.len;
}
