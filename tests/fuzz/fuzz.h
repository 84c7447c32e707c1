#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a fuzz target gives: the function libFuzzer calls, and seeds for fuzz_replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The i-th seed into `bytes`; its length, 0 when there is none left. */
size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size);

enum { FUZZ_MAX_BYTES = 1 << 14 };

#define FUZZ_CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #truth); \
			abort(); \
		} \
	} while (0)

/* The i-th of a NULL-ended list of texts, as fuzz_seed() gives it. */
static inline size_t fuzz_seed_text(const char *const *seeds, unsigned i, uint8_t *bytes,
				    size_t size)
{
	size_t len;

	while (i && *seeds) {
		seeds++;
		i--;
	}
	len = *seeds ? strlen(*seeds) : 0;
	FUZZ_CHECK(len <= size);
	memcpy(bytes, *seeds ? *seeds : "", len);
	return len;
}

#endif
