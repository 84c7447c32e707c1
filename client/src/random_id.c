#include "random_id.h"

#include <stdint.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* A fallback if the kernel gives no random numbers: unlikely to repeat, but not a secret. */
static uint64_t weak_seed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000007) ^ (uint64_t)now.tv_nsec << 20 ^
	       (uint64_t)getpid() << 40;
}

void random_id(char *text, size_t length)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

	for (size_t i = 0; i < length; i++) {
		uint64_t bits;

		if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits)
			bits = weak_seed() * (i + 1) >> 7;
		text[i] = letters[bits % (sizeof letters - 1)];
	}
	text[length] = '\0';
}
