#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Both detect damage and mistakes, not manipulation. */

/* XXH64, seed 0. */
uint64_t checksum64(const void *bytes, size_t len) __attribute__((nonnull));

/* XXH3 of 128 bits, seed 0, in its canonical (big-endian) form. */
enum { CHECKSUM128_LEN = 16 };
void checksum128(const void *bytes, size_t len, unsigned char ret_sum[static CHECKSUM128_LEN])
	__attribute__((nonnull));

#endif
