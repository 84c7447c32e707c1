/*
 * The usual table of 256 entries, about 500 MB/s. It is linear: entry i is the exclusive or of the entries of the bits of
 * i. Rejected: the libraries that Debian ships, which are written in C++, and the instruction of SSE 4.2, which not every
 * machine has.
 */
#include "crc32c.h"

#define BIT(i, bit, entry) ((i) & (bit) ? (entry) : 0)
#define ENTRY(i) \
	(BIT(i, 1, 0xf26b8303u) ^ BIT(i, 2, 0xe13b70f7u) ^ BIT(i, 4, 0xc79a971fu) ^ \
	 BIT(i, 8, 0x8ad958cfu) ^ BIT(i, 16, 0x105ec76fu) ^ BIT(i, 32, 0x20bd8edeu) ^ \
	 BIT(i, 64, 0x417b1dbcu) ^ BIT(i, 128, 0x82f63b78u))
#define ENTRIES_4(i) ENTRY(i), ENTRY((i) + 1), ENTRY((i) + 2), ENTRY((i) + 3)
#define ENTRIES_16(i) ENTRIES_4(i), ENTRIES_4((i) + 4), ENTRIES_4((i) + 8), ENTRIES_4((i) + 12)
#define ENTRIES_64(i) \
	ENTRIES_16(i), ENTRIES_16((i) + 16), ENTRIES_16((i) + 32), ENTRIES_16((i) + 48)

static const uint32_t table[256] = { ENTRIES_64(0), ENTRIES_64(64), ENTRIES_64(128),
				     ENTRIES_64(192) };

uint32_t crc32c(uint32_t sum, const void *bytes, size_t count)
{
	const unsigned char *byte = bytes;

	sum = ~sum;
	while (count-- > 0)
		sum = table[(sum ^ *byte++) & 0xff] ^ sum >> 8;
	return ~sum;
}
