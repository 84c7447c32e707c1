/*
 * Header: one byte, width 0 to 8 and INT_COLUMN_DELTA; the smallest; with INT_COLUMN_DELTA the first integer too.
 * Then `width` planes of `count` bytes. Arithmetic wraps, so any 64 bits may come, also the bits of
 * doubles. Rejected: widths in bits (packing costs more than the compressor saves; it finds the
 * empty bits by itself), and second differences (they helped nothing measured).
 */
#include "int_column.h"

#include <string.h>

#include "codec_parts.h"

enum { INT_COLUMN_DELTA = 0x10, WIDTH_MASK = 0x0f, RUN = 16 };

/* How one column is written: u[i] = integer (or difference) - least. */
struct plan {
	bool delta;
	int64_t first;
	int64_t least;
	uint64_t all; /* bits set in any u */
};

static int64_t difference(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static void take_offset(const int64_t *ints, uint32_t count, uint64_t *u, struct plan *plan)
{
	int64_t least = ints[0];
	uint64_t all = 0;

	for (uint32_t i = 1; i < count; i++)
		least = ints[i] < least ? ints[i] : least;
	for (uint32_t i = 0; i < count; i++) {
		u[i] = (uint64_t)difference(ints[i], least);
		all |= u[i];
	}
	*plan = (struct plan){ .least = least, .all = all };
}

static void take_delta(const int64_t *ints, uint32_t count, uint64_t *u, struct plan *plan)
{
	int64_t least = count > 1 ? difference(ints[1], ints[0]) : 0;
	uint64_t all = 0;

	for (uint32_t i = 2; i < count; i++) {
		int64_t d = difference(ints[i], ints[i - 1]);

		least = d < least ? d : least;
	}
	u[0] = 0;
	for (uint32_t i = 1; i < count; i++) {
		u[i] = (uint64_t)difference(difference(ints[i], ints[i - 1]), least);
		all |= u[i];
	}
	*plan = (struct plan){ .delta = true, .first = ints[0], .least = least, .all = all };
}

static uint32_t bits(uint64_t u)
{
	return u ? 64 - (uint32_t)__builtin_clzll(u) : 0;
}

/* Mean length of u, times 16, without the low bits that are zero in all. */
static uint32_t cost_of(const uint64_t *u, uint32_t count, uint64_t all)
{
	uint32_t zeros;
	uint32_t sum = 0;

	if (!all)
		return 0;
	zeros = (uint32_t)__builtin_ctzll(all);
	for (uint32_t i = 0; i < count; i++)
		sum += bits(u[i] >> zeros);
	return sum * 16 / count + 1;
}

struct costs {
	uint32_t offset;
	uint32_t delta;
};

static struct costs costs_of(const int64_t *ints, uint32_t count)
{
	uint64_t u[INT_COLUMN_SAMPLE];
	struct plan plan;
	struct costs costs;

	take_offset(ints, count, u, &plan);
	costs.offset = cost_of(u, count, plan.all);
	if (costs.offset == 0)
		return (struct costs){ 0, 0 };
	take_delta(ints, count, u, &plan);
	costs.delta = cost_of(u, count, plan.all);
	return costs;
}

uint32_t int_column_cost(const int64_t *ints, uint32_t count)
{
	struct costs costs = costs_of(ints, count);

	return costs.offset < costs.delta ? costs.offset : costs.delta;
}

/* Runs of adjacent ints, so that differences can be judged too. */
uint32_t int_column_sample(uint32_t count, uint32_t ret_at[static INT_COLUMN_SAMPLE])
{
	const uint32_t runs = INT_COLUMN_SAMPLE / RUN;

	if (count <= INT_COLUMN_SAMPLE) {
		for (uint32_t i = 0; i < count; i++)
			ret_at[i] = i;
		return count;
	}
	for (uint32_t i = 0; i < INT_COLUMN_SAMPLE; i++)
		ret_at[i] = (count - RUN) / (runs - 1) * (i / RUN) + i % RUN;
	return INT_COLUMN_SAMPLE;
}

static bool delta_is_shorter(const int64_t *ints, uint32_t count)
{
	uint32_t at[INT_COLUMN_SAMPLE];
	int64_t sample[INT_COLUMN_SAMPLE];
	struct costs costs;

	if (count <= INT_COLUMN_SAMPLE) {
		costs = costs_of(ints, count);
	} else {
		int_column_sample(count, at);
		for (uint32_t i = 0; i < INT_COLUMN_SAMPLE; i++)
			sample[i] = ints[at[i]];
		costs = costs_of(sample, INT_COLUMN_SAMPLE);
	}
	return costs.delta < costs.offset;
}

static void put_planes(struct sections *l, const uint64_t *u, uint32_t count, uint32_t width)
{
	for (uint32_t b = 0; b < width; b++) {
		struct buf *section = &l->section[SECTION_PLANE + b];
		unsigned char *to = (unsigned char *)buf_reserve(section, count);

		for (uint32_t i = 0; i < count; i++)
			to[i] = (unsigned char)(u[i] >> (8 * b));
		section->len += count;
	}
}

void int_column_write(struct codec *c, const int64_t *ints, uint32_t count)
{
	uint64_t *u = (uint64_t *)codec_ints(&c->ints, count);
	struct plan plan;
	uint32_t width;

	if (count == 0)
		return;
	if (delta_is_shorter(ints, count))
		take_delta(ints, count, u, &plan);
	else
		take_offset(ints, count, u, &plan);
	width = (bits(plan.all) + 7) / 8;
	sections_add_byte(&c->sections,
			  (unsigned char)(width | (plan.delta ? INT_COLUMN_DELTA : 0)));
	sections_add_signed(&c->sections, plan.least);
	if (plan.delta)
		sections_add_signed(&c->sections, plan.first);
	put_planes(&c->sections, u, count, width);
}

static uint32_t read_head(struct sections_reader *r, struct plan *plan)
{
	unsigned char head = sections_byte(r);
	uint32_t width = head & WIDTH_MASK;

	*plan = (struct plan){ .delta = head & INT_COLUMN_DELTA };
	plan->least = sections_signed(r);
	if (plan->delta)
		plan->first = sections_signed(r);
	if (width > 8 || (head & ~(WIDTH_MASK | INT_COLUMN_DELTA)))
		r->failed = true;
	return width;
}

/* Up to four planes at once, from the lowest. */
static void take_planes(const unsigned char *const plane[static 4], uint32_t width, int64_t least,
			uint32_t count, int64_t *ret_ints)
{
	const unsigned char *a = plane[0], *b = plane[1], *c = plane[2], *d = plane[3];
	uint64_t base = (uint64_t)least;

	switch (width) {
	case 0:
		for (uint32_t i = 0; i < count; i++)
			ret_ints[i] = least;
		break;
	case 1:
		for (uint32_t i = 0; i < count; i++)
			ret_ints[i] = (int64_t)(base + a[i]);
		break;
	case 2:
		for (uint32_t i = 0; i < count; i++)
			ret_ints[i] = (int64_t)(base + (a[i] | (uint32_t)b[i] << 8));
		break;
	case 3:
		for (uint32_t i = 0; i < count; i++)
			ret_ints[i] = (int64_t)(base + (a[i] | (uint32_t)b[i] << 8 |
							(uint32_t)c[i] << 16));
		break;
	default:
		for (uint32_t i = 0; i < count; i++)
			ret_ints[i] =
				(int64_t)(base + (a[i] | (uint32_t)b[i] << 8 |
						  (uint32_t)c[i] << 16 | (uint32_t)d[i] << 24));
	}
}

static void add_plane(int64_t *ints, const unsigned char *plane, uint32_t count, uint32_t shift)
{
	for (uint32_t i = 0; i < count; i++)
		ints[i] = (int64_t)((uint64_t)ints[i] + ((uint64_t)plane[i] << shift));
}

static void sum_up(int64_t *ints, uint32_t count, int64_t first)
{
	ints[0] = first;
	for (uint32_t i = 1; i < count; i++)
		ints[i] = (int64_t)((uint64_t)ints[i] + (uint64_t)ints[i - 1]);
}

bool int_column_read(struct sections_reader *r, uint32_t count, int64_t *ret_ints)
{
	const unsigned char *planes[8] = { NULL };
	struct plan plan;
	uint32_t width;

	if (count == 0)
		return !r->failed;
	width = read_head(r, &plan);
	for (uint32_t b = 0; b < width && !r->failed; b++)
		planes[b] = sections_bytes(r, SECTION_PLANE + b, count);
	if (r->failed)
		return false;
	take_planes(planes, width, plan.least, count, ret_ints);
	for (uint32_t b = 4; b < width; b++)
		add_plane(ret_ints, planes[b], count, 8 * b);
	if (plan.delta)
		sum_up(ret_ints, count, plan.first);
	return true;
}

void int_column_skip(struct sections_reader *r, uint32_t count)
{
	struct plan plan;
	uint32_t width;

	if (count == 0)
		return;
	width = read_head(r, &plan);
	for (uint32_t b = 0; b < width && !r->failed; b++)
		sections_bytes(r, SECTION_PLANE + b, count);
}
