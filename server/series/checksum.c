/* The published algorithm of xxHash's 64-bit variant (Yann Collet), written down for two uses of
 * ours: four lanes over 32 bytes at a time, then what is left, then a final mixing. */
#include "checksum.h"

#include <endian.h>
#include <string.h>

static const uint64_t p1 = UINT64_C(0x9e3779b185ebca87);
static const uint64_t p2 = UINT64_C(0xc2b2ae3d27d4eb4f);
static const uint64_t p3 = UINT64_C(0x165667b19e3779f9);
static const uint64_t p4 = UINT64_C(0x85ebca77c2b2ae63);
static const uint64_t p5 = UINT64_C(0x27d4eb2f165667c5);

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static uint64_t word64(const unsigned char *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof(x));
	return le64toh(x);
}

static uint64_t word32(const unsigned char *p)
{
	uint32_t x;

	memcpy(&x, p, sizeof(x));
	return le32toh(x);
}

static uint64_t round64(uint64_t lane, uint64_t input)
{
	return rotate(lane + input * p2, 31) * p1;
}

static uint64_t merge(uint64_t hash, uint64_t lane)
{
	return (hash ^ round64(0, lane)) * p1 + p4;
}

static uint64_t blocks(const unsigned char *p, const unsigned char *end)
{
	uint64_t lanes[4] = { p1 + p2, p2, 0, 0 - p1 };
	uint64_t hash;

	for (; end - p >= 32; p += 32) {
		for (int i = 0; i < 4; i++)
			lanes[i] = round64(lanes[i], word64(p + 8 * i));
	}
	hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) +
	       rotate(lanes[3], 18);
	for (int i = 0; i < 4; i++)
		hash = merge(hash, lanes[i]);
	return hash;
}

uint64_t checksum64(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	const unsigned char *end = p + len;
	uint64_t hash = (len >= 32 ? blocks(p, end) : p5) + len;

	for (p += len / 32 * 32; end - p >= 8; p += 8)
		hash = rotate(hash ^ round64(0, word64(p)), 27) * p1 + p4;
	if (end - p >= 4) {
		hash = rotate(hash ^ (word32(p) * p1), 23) * p2 + p3;
		p += 4;
	}
	for (; p < end; p++)
		hash = rotate(hash ^ (*p * p5), 11) * p1;
	hash = (hash ^ hash >> 33) * p2;
	hash = (hash ^ hash >> 29) * p3;
	return hash ^ hash >> 32;
}
