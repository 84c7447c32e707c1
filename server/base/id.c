#include "id.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "clock.h"

#define ID_EPOCH_MS INT64_C(1704067200000) /* 2024-01-01T00:00:00Z */

void id_random(void *bytes, size_t len)
{
	unsigned char *p = bytes;

	while (len) {
		ssize_t got = getrandom(p, len, 0);

		if (got < 0 && errno != EINTR)
			abort();
		if (got > 0) {
			p += got;
			len -= (size_t)got;
		}
	}
}

void id_text(char *text, size_t len)
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";

	unsigned char bytes[32];
	size_t used = sizeof(bytes);

	for (size_t i = 0; i < len;) {
		if (used == sizeof(bytes)) {
			id_random(bytes, sizeof(bytes));
			used = 0;
		}
		if (bytes[used++] < 252) /* 7 * 36: no character is likelier than another */
			text[i++] = alphabet[bytes[used - 1] % 36];
	}
	text[len] = '\0';
}

int64_t id_snowflake(void)
{
	uint32_t random;
	int64_t ms = clock_wall_us().us / 1000 - ID_EPOCH_MS;

	id_random(&random, sizeof(random));
	return (int64_t)((uint64_t)ms << 22 | (random & 0x3fffff));
}
