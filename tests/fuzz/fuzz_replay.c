/*
 * Runs a target on its seeds and on mutations of them from a fixed random sequence. With arguments,
 * runs the files named instead: what libFuzzer found can be looked at in a debugger.
 */
#include <string.h>

#include "fuzz.h"

enum { ROUNDS = 20000, MAX_SEEDS = 256, MAX_CHANGES = 6 };

struct input {
	uint8_t bytes[FUZZ_MAX_BYTES];
	size_t len;
};

static uint64_t state = 20261121;

static uint64_t next_random(void)
{
	uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static size_t below(size_t limit)
{
	return limit ? (size_t)(next_random() % limit) : 0;
}

static void delete_some(struct input *in)
{
	size_t at = below(in->len);
	size_t len = 1 + below(in->len - at < 8 ? in->len - at : 8);

	if (at + len > in->len)
		return;
	memmove(in->bytes + at, in->bytes + at + len, in->len - at - len);
	in->len -= len;
}

static void insert(struct input *in, const uint8_t *bytes, size_t len)
{
	size_t at = below(in->len + 1);

	if (in->len + len > sizeof(in->bytes))
		return;
	memmove(in->bytes + at + len, in->bytes + at, in->len - at);
	memcpy(in->bytes + at, bytes, len);
	in->len += len;
}

/* A piece of another input goes in. */
static void splice(struct input *in, const struct input *other)
{
	uint8_t piece[64];
	size_t from = below(other->len);
	size_t len = below(other->len - from < sizeof(piece) ? other->len - from : sizeof(piece));

	memcpy(piece, other->bytes + from, len);
	insert(in, piece, len);
}

static void change(struct input *in, const struct input *other)
{
	static const char edges[] = "{}[]\",:\\-+.eE0919NI \n\t\x01\x7f\x80\xff";
	uint8_t byte = (uint8_t)next_random();

	switch (below(7)) {
	case 0:
		if (in->len)
			in->bytes[below(in->len)] = byte;
		break;
	case 1:
		if (in->len)
			in->bytes[below(in->len)] ^= (uint8_t)(1u << byte % 8);
		break;
	case 2:
		if (in->len)
			in->bytes[below(in->len)] = (uint8_t)edges[below(sizeof(edges) - 1)];
		break;
	case 3:
		insert(in, (const uint8_t *)&edges[below(sizeof(edges) - 1)], 1);
		break;
	case 4:
		delete_some(in);
		break;
	case 5:
		splice(in, other);
		break;
	default:
		splice(in, in);
	}
}

/* A copy of exactly the size, so that the sanitizer sees any read beyond it. */
static void run(const struct input *in)
{
	uint8_t *exact = malloc(in->len ? in->len : 1);

	FUZZ_CHECK(exact);
	memcpy(exact, in->bytes, in->len);
	LLVMFuzzerTestOneInput(exact, in->len);
	free(exact);
}

static int replay_file(const char *path)
{
	static struct input in;
	FILE *f = fopen(path, "rb");

	if (!f) {
		perror(path);
		return 1;
	}
	in.len = fread(in.bytes, 1, sizeof(in.bytes), f);
	fclose(f);
	run(&in);
	return 0;
}

int main(int argc, char **argv)
{
	static struct input seeds[MAX_SEEDS];
	static struct input in;
	unsigned count = 0;
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= replay_file(argv[i]);
	if (argc > 1)
		return failed;
	while (count < MAX_SEEDS) {
		seeds[count].len = fuzz_seed(count, seeds[count].bytes, sizeof(seeds[count].bytes));
		if (!seeds[count].len)
			break;
		run(&seeds[count++]);
	}
	FUZZ_CHECK(count > 0);
	for (int round = 0; round < ROUNDS; round++) {
		in = seeds[below(count)];
		for (size_t n = 1 + below(MAX_CHANGES); n > 0; n--)
			change(&in, &seeds[below(count)]);
		run(&in);
	}
	printf("%u seeds, %d mutations\n", count, ROUNDS);
	return 0;
}
