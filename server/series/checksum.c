#include "checksum.h"

#include <string.h>
#include <xxhash.h>

uint64_t checksum64(const void *bytes, size_t len)
{
	return XXH64(bytes, len, 0);
}

void checksum128(const void *bytes, size_t len, unsigned char ret_sum[static CHECKSUM128_LEN])
{
	XXH128_canonical_t sum;

	_Static_assert(sizeof(sum) == CHECKSUM128_LEN, "size of a checksum");
	XXH128_canonicalFromHash(&sum, XXH3_128bits(bytes, len));
	memcpy(ret_sum, &sum, sizeof(sum));
}
