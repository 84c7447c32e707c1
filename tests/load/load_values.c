#include "load_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 10, VALUES = 1 << 11, FIRST_DOUBLE = 5, RATE, ACCURACY, COUNTER, NORM };

/* Printing a double takes longer than the server takes to store it: they are printed before. */
static struct value_text {
	char text[LOAD_VALUE_MAX];
	uint8_t len;
} texts[KINDS][VALUES];

static double noise(uint64_t i)
{
	i = (i + 1) * 0x9e3779b97f4a7c15U;
	i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9U;
	i = (i ^ i >> 27) * 0x94d049bb133111ebU;
	return (double)((i ^ i >> 31) >> 11) * 0x1p-53;
}

static double to_bfloat(double value)
{
	float f = (float)value;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	bits &= 0xffff0000;
	memcpy(&f, &bits, sizeof(f));
	return (double)f;
}

static double value_of(int kind, int i)
{
	double random = noise((uint64_t)kind * VALUES + (uint64_t)i);

	switch (kind) {
	case FIRST_DOUBLE:
		return random;
	case RATE:
		return 3e-4 * 0.5 * (1 + cos(3.14159265358979 * i / VALUES));
	case ACCURACY:
		return floor(random * 1e4) / 1e4;
	case COUNTER:
		return 4096.0 * i;
	case NORM:
		return to_bfloat(1 + random);
	default:
		return (double)(float)(0.5 + 0.3 * random + kind);
	}
}

static void print_shortest(struct value_text *text, double value)
{
	char digits[64];
	int len = 0;

	for (int precision = 1; precision <= 17; precision++) {
		len = snprintf(digits, sizeof(digits), "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	memcpy(text->text, digits, (size_t)len);
	text->len = (uint8_t)len;
}

void load_values_init(void)
{
	for (int kind = 0; kind < KINDS; kind++) {
		for (int i = 0; i < VALUES; i++)
			print_shortest(&texts[kind][i], value_of(kind, i));
	}
}

char *load_value_put(char *at, int metric, int64_t step, uint64_t random)
{
	int kind = metric % KINDS;
	uint64_t which = kind == RATE || kind == COUNTER ? (uint64_t)step : random >> 5 * kind;
	const struct value_text *text = &texts[kind][which % VALUES];

	memcpy(at, text->text, LOAD_VALUE_MAX);
	return at + text->len;
}
