#include "sweep_draw.h"

enum { ROUNDS = 10 };

static void philox_round(uint32_t c[static 4], const uint32_t key[static 2])
{
	uint64_t x = UINT64_C(0xd2511f53) * c[0];
	uint64_t y = UINT64_C(0xcd9e8d57) * c[2];

	c[0] = (uint32_t)(y >> 32) ^ c[1] ^ key[0];
	c[1] = (uint32_t)y;
	c[2] = (uint32_t)(x >> 32) ^ c[3] ^ key[1];
	c[3] = (uint32_t)x;
}

void sweep_philox(const uint32_t counter[static 4], const uint32_t key[static 2],
		  uint32_t out[static 4])
{
	uint32_t k[2] = { key[0], key[1] };

	for (int i = 0; i < 4; i++)
		out[i] = counter[i];
	for (int i = 0; i < ROUNDS; i++) {
		philox_round(out, k);
		k[0] += UINT32_C(0x9e3779b9);
		k[1] += UINT32_C(0xbb67ae85);
	}
}

struct sweep_draw sweep_draw_begin(int64_t seed, int64_t trial)
{
	return (struct sweep_draw){ .seed = (uint64_t)seed, .trial = (uint64_t)trial };
}

uint64_t sweep_draw_bits(struct sweep_draw *d)
{
	uint64_t block = d->drawn / 2;
	const uint32_t counter[4] = { (uint32_t)block, (uint32_t)(block >> 32), (uint32_t)d->trial,
				      (uint32_t)(d->trial >> 32) };
	const uint32_t key[2] = { (uint32_t)d->seed, (uint32_t)(d->seed >> 32) };
	uint32_t out[4];
	unsigned half = (unsigned)(d->drawn++ % 2) * 2;

	sweep_philox(counter, key, out);
	return (uint64_t)out[half + 1] << 32 | out[half];
}

double sweep_draw_unit(struct sweep_draw *d)
{
	return ((double)(sweep_draw_bits(d) >> 12) + 0.5) * 0x1p-52;
}

uint64_t sweep_draw_below(struct sweep_draw *d, uint64_t count)
{
	uint64_t rest =
		-count %
		count; /* 2^64 modulo count: so many numbers would make the first ones more frequent */
	uint64_t bits;

	do {
		bits = sweep_draw_bits(d);
	} while (bits < rest);
	return bits % count;
}
