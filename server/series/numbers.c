/*
 * Header: one byte, the mode and above it the power of ten; CONST has the bits of its number next,
 * the others a column of integers. Choosing by size on a sample matters: numbers with few bits, such as
 * bfloat16, are short decimals too, of 24 bits where 10 would do.
 */
#include "numbers.h"

#include <math.h>
#include <string.h>

#include "codec_parts.h"
#include "int_column.h"

enum mode { MODE_CONST, MODE_DECIMAL, MODE_FLOAT, MODE_DOUBLE, MODES };

enum { MAX_POWER = 9, POWER_SHIFT = 4 };

static const double powers[MAX_POWER + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };

/* 2^52: below it a half can be added without rounding, which is how to_decimal() rounds. */
static const double whole_limit = 4503599627370496.0;

struct way {
	enum mode mode;
	unsigned power; /* of ten, of MODE_DECIMAL */
};

static uint64_t bits_of(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static double from_bits(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* i if v is i / 10^power to the bit. Never true for a value that is not finite, nor for -0. */
static inline bool to_decimal(double v, double power, int64_t *ret_whole)
{
	double scaled = v * power;

	if (!(fabs(scaled) < whole_limit))
		return false;
	*ret_whole = (int64_t)(scaled + copysign(0.5, scaled));
	return bits_of((double)*ret_whole / power) == bits_of(v);
}

static inline bool to_float(double v, int64_t *ret_word)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	*ret_word = bits;
	return bits_of((double)f) == bits_of(v);
}

/* Words of all numbers; false when one cannot be written this way. */
static bool map(const struct way *way, const double *numbers, uint32_t count, int64_t *ints)
{
	switch (way->mode) {
	case MODE_DECIMAL:
		for (uint32_t i = 0; i < count; i++) {
			if (!to_decimal(numbers[i], powers[way->power], &ints[i]))
				return false;
		}
		return true;
	case MODE_FLOAT:
		for (uint32_t i = 0; i < count; i++) {
			if (!to_float(numbers[i], &ints[i]))
				return false;
		}
		return true;
	default:
		for (uint32_t i = 0; i < count; i++)
			ints[i] = (int64_t)bits_of(numbers[i]);
		return true;
	}
}

/*
 * The least power of ten that makes every sample whole. If none up to 9 does, 10^9 itself does not
 * (i / 10^e is i 10^(9-e) / 10^9, exactly), so noise is recognized by one division.
 */
static bool find_power(const double *sample, uint32_t count, unsigned *ret_power)
{
	unsigned power = 0;
	int64_t whole;

	for (uint32_t i = 0; i < count; i++) {
		if (fabs(sample[i]) * 1e9 < whole_limit && !to_decimal(sample[i], 1e9, &whole))
			return false;
		while (!to_decimal(sample[i], powers[power], &whole)) {
			if (++power > MAX_POWER)
				return false;
		}
	}
	*ret_power = power;
	return true;
}

/* Both fit the sample: is FLOAT shorter? Numbers of few bits are short decimals of many. */
static bool float_is_shorter(const struct way *decimal, const double *sample, uint32_t count)
{
	static const struct way as_float = { MODE_FLOAT, 0 };
	int64_t ints[INT_COLUMN_SAMPLE];
	uint32_t cost;

	if (!map(&as_float, sample, count, ints))
		return false;
	cost = int_column_cost(ints, count);
	return !map(decimal, sample, count, ints) || cost < int_column_cost(ints, count);
}

/*
 * The ways in the order to try. DOUBLE always fits and is never shorter than another that does: a
 * float's bits are among its double's, and a decimal's double looks like noise.
 */
static void rank(const double *numbers, uint32_t count, struct way ways[static MODES])
{
	uint32_t at[INT_COLUMN_SAMPLE];
	double sample[INT_COLUMN_SAMPLE];
	uint32_t n = int_column_sample(count, at);
	struct way decimal = { MODE_DECIMAL, 0 };
	struct way *next = ways;

	for (uint32_t i = 0; i < n; i++)
		sample[i] = numbers[at[i]];
	if (!find_power(sample, n, &decimal.power)) {
		*next++ = (struct way){ MODE_FLOAT, 0 };
	} else if (float_is_shorter(&decimal, sample, n)) {
		*next++ = (struct way){ MODE_FLOAT, 0 };
		*next++ = decimal;
	} else {
		*next++ = decimal;
		*next++ = (struct way){ MODE_FLOAT, 0 };
	}
	*next = (struct way){ MODE_DOUBLE, 0 };
}

static bool all_same(const double *numbers, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		if (bits_of(numbers[i]) != bits_of(numbers[0]))
			return false;
	}
	return true;
}

void numbers_write(struct codec *c, const double *numbers, uint32_t count)
{
	struct way ways[MODES];
	const struct way *way = ways;
	int64_t *ints;

	if (count == 0)
		return;
	if (all_same(numbers, count)) {
		sections_add_byte(&c->sections, MODE_CONST);
		sections_add_u64(&c->sections, bits_of(numbers[0]));
		return;
	}
	ints = codec_ints(&c->mapped, count);
	rank(numbers, count, ways);
	while (!map(way, numbers, count, ints))
		way++;
	sections_add_byte(&c->sections, (unsigned char)(way->mode | way->power << POWER_SHIFT));
	int_column_write(c, ints, count);
}

static bool read_head(struct sections_reader *r, struct way *way)
{
	unsigned char head = sections_byte(r);

	way->mode = head & ((1u << POWER_SHIFT) - 1);
	way->power = head >> POWER_SHIFT;
	if (way->mode >= MODES || way->power > MAX_POWER)
		r->failed = true;
	return !r->failed;
}

static void unmap(const struct way *way, const int64_t *ints, uint32_t count, double *ret_numbers)
{
	switch (way->mode) {
	case MODE_DECIMAL:
		for (uint32_t i = 0; i < count; i++)
			ret_numbers[i] = (double)ints[i] / powers[way->power];
		break;
	case MODE_FLOAT:
		for (uint32_t i = 0; i < count; i++) {
			uint32_t bits = (uint32_t)ints[i];
			float f;

			memcpy(&f, &bits, sizeof(f));
			ret_numbers[i] = (double)f;
		}
		break;
	default:
		for (uint32_t i = 0; i < count; i++)
			ret_numbers[i] = from_bits((uint64_t)ints[i]);
	}
}

bool numbers_read(struct codec *c, struct sections_reader *r, uint32_t count, double *ret_numbers)
{
	struct way way;
	int64_t *ints;

	if (count == 0)
		return !r->failed;
	if (!read_head(r, &way))
		return false;
	if (way.mode == MODE_CONST) {
		double v = from_bits(sections_u64(r));

		for (uint32_t i = 0; i < count; i++)
			ret_numbers[i] = v;
		return !r->failed;
	}
	ints = codec_ints(&c->mapped, count);
	if (!int_column_read(r, count, ints))
		return false;
	unmap(&way, ints, count, ret_numbers);
	return true;
}

void numbers_skip(struct sections_reader *r, uint32_t count)
{
	struct way way;

	if (count == 0 || !read_head(r, &way))
		return;
	if (way.mode == MODE_CONST)
		sections_u64(r);
	else
		int_column_skip(r, count);
}
