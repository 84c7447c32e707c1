#include "md5.h"

#include <stdio.h>
#include <string.h>

static const uint32_t sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
	0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
	0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
	0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
	0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
	0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
	0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
	0xeb86d391,
};
static const unsigned char shifts[4][4] = {
	{ 7, 12, 17, 22 },
	{ 5, 9, 14, 20 },
	{ 4, 11, 16, 23 },
	{ 6, 10, 15, 21 },
};

void md5_init(struct md5 *md5)
{
	*md5 = (struct md5){ .state = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 } };
}

static uint32_t rotated(uint32_t value, unsigned count)
{
	return value << count | value >> (32 - count);
}

static void add_block(uint32_t state[4], const unsigned char *block)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3], words[16];

	for (int i = 0; i < 16; i++)
		words[i] = (uint32_t)block[4 * i] | (uint32_t)block[4 * i + 1] << 8 |
			   (uint32_t)block[4 * i + 2] << 16 | (uint32_t)block[4 * i + 3] << 24;
	for (unsigned i = 0; i < 64; i++) {
		uint32_t f, before = d;
		unsigned word;

		if (i < 16) {
			f = (b & c) | (~b & d);
			word = i;
		} else if (i < 32) {
			f = (d & b) | (~d & c);
			word = (5 * i + 1) % 16;
		} else if (i < 48) {
			f = b ^ c ^ d;
			word = (3 * i + 5) % 16;
		} else {
			f = c ^ (b | ~d);
			word = 7 * i % 16;
		}
		d = c;
		c = b;
		b += rotated(a + f + sines[i] + words[word], shifts[i / 16][i % 4]);
		a = before;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void md5_add(struct md5 *md5, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	size_t used = md5->length % sizeof md5->block;

	if (!count)
		return;
	md5->length += count;
	if (used) {
		size_t part = sizeof md5->block - used < count ? sizeof md5->block - used : count;

		memcpy(md5->block + used, at, part);
		at += part;
		count -= part;
		if (used + part < sizeof md5->block)
			return;
		add_block(md5->state, md5->block);
	}
	for (; count >= sizeof md5->block; count -= sizeof md5->block, at += sizeof md5->block)
		add_block(md5->state, at);
	memcpy(md5->block, at, count);
}

void md5_end(struct md5 *md5, unsigned char sum[MD5_BYTES])
{
	static const unsigned char padding[64] = { 0x80 };
	unsigned char length[8];
	size_t used = md5->length % sizeof md5->block;

	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char)(md5->length * 8 >> 8 * i);
	md5_add(md5, padding, used < 56 ? 56 - used : 120 - used);
	md5_add(md5, length, sizeof length);
	for (int i = 0; i < MD5_BYTES; i++)
		sum[i] = (unsigned char)(md5->state[i / 4] >> 8 * (i % 4));
}

void md5_hex(const unsigned char sum[MD5_BYTES], char text[MD5_HEX_SIZE])
{
	for (size_t i = 0; i < MD5_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", sum[i]);
}

void md5_base64(const unsigned char sum[MD5_BYTES], char text[MD5_BASE64_SIZE])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t to = 0;

	for (size_t i = 0; i < MD5_BYTES; i += 3) {
		uint32_t bits = (uint32_t)sum[i] << 16;

		bits |= i + 1 < MD5_BYTES ? (uint32_t)sum[i + 1] << 8 : 0;
		bits |= i + 2 < MD5_BYTES ? sum[i + 2] : 0;
		for (int shift = 18; shift >= 0; shift -= 6)
			text[to++] = digits[bits >> shift & 63];
	}
	text[to - 1] = '=';
	text[to - 2] = '=';
	text[to] = '\0';
}
