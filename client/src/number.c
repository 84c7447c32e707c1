/*
 * A double as decimal digits: Grisu2 (F. Loitsch, "Printing floating-point numbers quickly and
 * accurately with integers", 2010). What comes out always reads back as the same double and is the
 * shortest such text for 99.9 % of all. Rejected: printf with 17 digits (long, slow, and a comma
 * where the host process says so), trying 15, 16 and 17 digits (three times as slow again).
 */
#include "number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number f * 2^e without sign. */
struct wide {
	uint64_t f;
	int e;
};

#define POWER_FIRST (-348) /* decimal exponent of powers[0] */
#define POWER_STEP 8

/* 10^(POWER_FIRST + POWER_STEP * i), normalised to 64 bits and rounded. */
static const struct wide powers[] = {
	{ 0xfa8fd5a0081c0288, -1220 }, { 0xbaaee17fa23ebf76, -1193 }, { 0x8b16fb203055ac76, -1166 },
	{ 0xcf42894a5dce35ea, -1140 }, { 0x9a6bb0aa55653b2d, -1113 }, { 0xe61acf033d1a45df, -1087 },
	{ 0xab70fe17c79ac6ca, -1060 }, { 0xff77b1fcbebcdc4f, -1034 }, { 0xbe5691ef416bd60c, -1007 },
	{ 0x8dd01fad907ffc3c, -980 },  { 0xd3515c2831559a83, -954 },  { 0x9d71ac8fada6c9b5, -927 },
	{ 0xea9c227723ee8bcb, -901 },  { 0xaecc49914078536d, -874 },  { 0x823c12795db6ce57, -847 },
	{ 0xc21094364dfb5637, -821 },  { 0x9096ea6f3848984f, -794 },  { 0xd77485cb25823ac7, -768 },
	{ 0xa086cfcd97bf97f4, -741 },  { 0xef340a98172aace5, -715 },  { 0xb23867fb2a35b28e, -688 },
	{ 0x84c8d4dfd2c63f3b, -661 },  { 0xc5dd44271ad3cdba, -635 },  { 0x936b9fcebb25c996, -608 },
	{ 0xdbac6c247d62a584, -582 },  { 0xa3ab66580d5fdaf6, -555 },  { 0xf3e2f893dec3f126, -529 },
	{ 0xb5b5ada8aaff80b8, -502 },  { 0x87625f056c7c4a8b, -475 },  { 0xc9bcff6034c13053, -449 },
	{ 0x964e858c91ba2655, -422 },  { 0xdff9772470297ebd, -396 },  { 0xa6dfbd9fb8e5b88f, -369 },
	{ 0xf8a95fcf88747d94, -343 },  { 0xb94470938fa89bcf, -316 },  { 0x8a08f0f8bf0f156b, -289 },
	{ 0xcdb02555653131b6, -263 },  { 0x993fe2c6d07b7fac, -236 },  { 0xe45c10c42a2b3b06, -210 },
	{ 0xaa242499697392d3, -183 },  { 0xfd87b5f28300ca0e, -157 },  { 0xbce5086492111aeb, -130 },
	{ 0x8cbccc096f5088cc, -103 },  { 0xd1b71758e219652c, -77 },   { 0x9c40000000000000, -50 },
	{ 0xe8d4a51000000000, -24 },   { 0xad78ebc5ac620000, 3 },     { 0x813f3978f8940984, 30 },
	{ 0xc097ce7bc90715b3, 56 },    { 0x8f7e32ce7bea5c70, 83 },    { 0xd5d238a4abe98068, 109 },
	{ 0x9f4f2726179a2245, 136 },   { 0xed63a231d4c4fb27, 162 },   { 0xb0de65388cc8ada8, 189 },
	{ 0x83c7088e1aab65db, 216 },   { 0xc45d1df942711d9a, 242 },   { 0x924d692ca61be758, 269 },
	{ 0xda01ee641a708dea, 295 },   { 0xa26da3999aef774a, 322 },   { 0xf209787bb47d6b85, 348 },
	{ 0xb454e4a179dd1877, 375 },   { 0x865b86925b9bc5c2, 402 },   { 0xc83553c5c8965d3d, 428 },
	{ 0x952ab45cfa97a0b3, 455 },   { 0xde469fbd99a05fe3, 481 },   { 0xa59bc234db398c25, 508 },
	{ 0xf6c69a72a3989f5c, 534 },   { 0xb7dcbf5354e9bece, 561 },   { 0x88fcf317f22241e2, 588 },
	{ 0xcc20ce9bd35c78a5, 614 },   { 0x98165af37b2153df, 641 },   { 0xe2a0b5dc971f303a, 667 },
	{ 0xa8d9d1535ce3b396, 694 },   { 0xfb9b7cd9a4a7443c, 720 },   { 0xbb764c4ca7a44410, 747 },
	{ 0x8bab8eefb6409c1a, 774 },   { 0xd01fef10a657842c, 800 },   { 0x9b10a4e5e9913129, 827 },
	{ 0xe7109bfba19c0c9d, 853 },   { 0xac2820d9623bf429, 880 },   { 0x80444b5e7aa7cf85, 907 },
	{ 0xbf21e44003acdd2d, 933 },   { 0x8e679c2f5e44ff8f, 960 },   { 0xd433179d9c8cb841, 986 },
	{ 0x9e19db92b4e31ba9, 1013 },  { 0xeb96bf6ebadf77d9, 1039 },  { 0xaf87023b9bf0ee6b, 1066 },
};

static struct wide multiply(struct wide a, struct wide b)
{
	unsigned __int128 product = (unsigned __int128)a.f * b.f;
	uint64_t high = (uint64_t)(product >> 64);

	if ((uint64_t)product & (UINT64_C(1) << 63))
		high++;
	return (struct wide){ high, a.e + b.e + 64 };
}

static struct wide normalise(struct wide a)
{
	int shift = __builtin_clzll(a.f);

	return (struct wide){ a.f << shift, a.e - shift };
}

static struct wide of_double(double number)
{
	uint64_t bits, fraction;
	int exponent;

	memcpy(&bits, &number, sizeof bits);
	fraction = bits & ((UINT64_C(1) << 52) - 1);
	exponent = (int)(bits >> 52 & 0x7ff);
	if (exponent == 0)
		return (struct wide){ fraction, -1074 };
	return (struct wide){ fraction | UINT64_C(1) << 52, exponent - 1075 };
}

/* The middles between the number and its neighbours, both with the upper one's exponent. */
static void boundaries(struct wide v, struct wide *ret_low, struct wide *ret_high)
{
	struct wide high = normalise((struct wide){ (v.f << 1) + 1, v.e - 1 });
	bool is_power_of_two = v.f == UINT64_C(1) << 52;
	struct wide low = is_power_of_two ? (struct wide){ (v.f << 2) - 1, v.e - 2 }
					  : (struct wide){ (v.f << 1) - 1, v.e - 1 };

	low.f <<= low.e - high.e;
	low.e = high.e;
	*ret_low = low;
	*ret_high = high;
}

/* The power of ten that brings an exponent of two into -60 to -32. */
static struct wide power_for(int exponent, int *ret_decimal)
{
	int decimal = (int)ceil((-61 - exponent) * 0.30102999566398114);
	int index = (decimal - POWER_FIRST - 1) / POWER_STEP + 1;

	*ret_decimal = -(POWER_FIRST + index * POWER_STEP);
	return powers[index];
}

/* Moves the last digit down while that brings the text nearer to the number itself. */
static void round_last(char *last, uint64_t delta, uint64_t rest, uint64_t unit, uint64_t distance)
{
	while (rest < distance && delta - rest >= unit &&
	       (rest + unit < distance || distance - rest > rest + unit - distance)) {
		(*last)--;
		rest += unit;
	}
}

static int count_digits(uint32_t number)
{
	int count = 1;

	while (number >= 10) {
		number /= 10;
		count++;
	}
	return count;
}

static const uint32_t tens[] = { 1,      10,      100,      1000,      10000,
				 100000, 1000000, 10000000, 100000000, 1000000000 };

/* Digits of the shortest number between the boundaries; *decimal is moved by what was left out. */
static int generate(struct wide value, struct wide high, uint64_t delta, char *digits, int *decimal)
{
	int shift = -high.e;
	uint64_t mask = (UINT64_C(1) << shift) - 1, distance = high.f - value.f;
	uint32_t whole = (uint32_t)(high.f >> shift);
	uint64_t part = high.f & mask, unit = 1;
	int kappa = count_digits(whole), length = 0;

	while (kappa > 0) {
		uint32_t digit = whole / tens[kappa - 1];
		uint64_t rest;

		whole %= tens[--kappa];
		if (digit || length)
			digits[length++] = (char)('0' + digit);
		rest = ((uint64_t)whole << shift) + part;
		if (rest <= delta) {
			*decimal += kappa;
			round_last(&digits[length - 1], delta, rest, (uint64_t)tens[kappa] << shift,
				   distance);
			return length;
		}
	}
	for (;;) {
		char digit;

		part *= 10;
		delta *= 10;
		unit *= 10;
		digit = (char)(part >> shift);
		if (digit || length)
			digits[length++] = (char)('0' + digit);
		part &= mask;
		(*decimal)--;
		if (part < delta) {
			round_last(&digits[length - 1], delta, part, UINT64_C(1) << shift,
				   distance * unit);
			return length;
		}
	}
}

static int shortest(double number, char *digits, int *ret_decimal)
{
	struct wide v = of_double(number), low, high, power, value;

	boundaries(v, &low, &high);
	power = power_for(high.e, ret_decimal);
	value = multiply(normalise(v), power);
	low = multiply(low, power);
	high = multiply(high, power);
	low.f++;
	high.f--;
	return generate(value, high, high.f - low.f, digits, ret_decimal);
}

static size_t put(char *text, const char *bytes, size_t count)
{
	memcpy(text, bytes, count);
	return count;
}

/* A longer whole number would be read as an integer that a double cannot hold. */
#define PLAIN_DIGITS 15

/* digits * 10^decimal as JSON: plain where that is short, else with an exponent. */
static size_t layout(const char *digits, int length, int decimal, char *text)
{
	int point = length + decimal; /* digits before the point */
	char exponent[NUMBER_TEXT_MAX];
	size_t n = 0;

	if (decimal >= 0 && point <= PLAIN_DIGITS) {
		n = put(text, digits, (size_t)length);
		memset(text + n, '0', (size_t)decimal);
		return n + (size_t)decimal;
	}
	if (decimal < 0 && point > 0) {
		n = put(text, digits, (size_t)point);
		text[n++] = '.';
		return n + put(text + n, digits + point, (size_t)(length - point));
	}
	if (point > -5 && point <= 0) {
		n = put(text, "0.00000", (size_t)(2 - point));
		return n + put(text + n, digits, (size_t)length);
	}
	text[n++] = digits[0];
	if (length > 1) {
		text[n++] = '.';
		n += put(text + n, digits + 1, (size_t)(length - 1));
	}
	text[n++] = 'e';
	return n + put(text + n, exponent, number_format_int(point - 1, exponent));
}

size_t number_format_int(int64_t number, char text[static NUMBER_TEXT_MAX])
{
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char digits[20];
	size_t n = 0, at = sizeof digits;

	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (number < 0)
		text[n++] = '-';
	return n + put(text + n, digits + at, sizeof digits - at);
}

size_t number_format(double number, char text[static NUMBER_TEXT_MAX])
{
	char digits[24];
	int decimal = 0, length;
	size_t n = 0;

	if (isnan(number))
		return put(text, "NaN", 3);
	if (signbit(number)) {
		text[n++] = '-';
		number = -number;
	}
	if (isinf(number))
		return n + put(text + n, "Infinity", 8);
	if (number == 0)
		return n + (n ? put(text + n, "0.0", 3) : put(text, "0", 1));
	length = shortest(number, digits, &decimal);
	return n + layout(digits, length, decimal, text + n);
}

/* strtod with a dot, whatever the host process has set. */
static double parse_digits(const char *text, char **ret_end)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double number;

	if (!plain) {
		*ret_end = NULL;
		return 0;
	}
	number = strtod_l(text, ret_end, plain);
	freelocale(plain);
	return number;
}

bool number_parse(const char *text, size_t length, double *ret_number)
{
	char copy[512], *end;
	double number;

	if (length == 0 || length >= sizeof copy || memchr(text, 'x', length) ||
	    memchr(text, 'X', length) || !strchr("-0123456789NI", text[0]))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	number = parse_digits(copy, &end);
	if (end != copy + length)
		return false;
	*ret_number = number;
	return true;
}
