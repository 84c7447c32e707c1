/*
 * Runs a target on its seeds, on what libFuzzer found worth keeping (tests/fuzz/corpus), and on
 * mutations of these from a fixed random sequence. With arguments, runs the files named instead: what
 * libFuzzer found can be looked at in a debugger. `--seeds DIR` writes the seeds as files, for libFuzzer.
 */
#include <dirent.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

enum { ROUNDS = 20000, MAX_SEEDS = 1024, MAX_CHANGES = 6 };

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

/* ---- inputs -------------------------------------------------------------------------------------- */

static bool read_input(const char *path, struct input *ret_input)
{
	FILE *f = fopen(path, "rb");

	if (!f) {
		perror(path);
		return false;
	}
	ret_input->len = fread(ret_input->bytes, 1, sizeof(ret_input->bytes), f);
	fclose(f);
	return true;
}

static unsigned read_seeds(struct input *seeds)
{
	unsigned count = 0;

	while (count < MAX_SEEDS) {
		struct input *in = &seeds[count];

		in->len = fuzz_seed(count, in->bytes, sizeof(in->bytes));
		if (!in->len)
			break;
		count++;
	}
	FUZZ_CHECK(count > 0);
	return count;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* By name, so that every run is the same. */
static unsigned read_corpus(const char *dir, struct input *seeds, unsigned count)
{
	struct dirent **entries;
	int found = scandir(dir, &entries, is_visible, alphasort);

	for (int i = 0; i < found; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		FUZZ_CHECK(count < MAX_SEEDS && read_input(path, &seeds[count]));
		count++;
		free(entries[i]);
	}
	if (found >= 0)
		free(entries);
	return count;
}

static void write_seeds(const char *dir, const struct input *seeds, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/seed-%03u", dir, i);
		f = fopen(path, "wb");
		FUZZ_CHECK(f && fwrite(seeds[i].bytes, 1, seeds[i].len, f) == seeds[i].len);
		FUZZ_CHECK(fclose(f) == 0);
	}
}

/* ---- runs ---------------------------------------------------------------------------------------- */

static int replay_files(char *const *paths, int count)
{
	static struct input in;
	int failed = 0;

	for (int i = 0; i < count; i++) {
		if (read_input(paths[i], &in))
			run(&in);
		else
			failed = 1;
	}
	return failed;
}

int main(int argc, char **argv)
{
	static struct input seeds[MAX_SEEDS];
	static struct input in;
	unsigned count;

	if (argc > 1 && strcmp(argv[1], "--seeds") != 0)
		return replay_files(argv + 1, argc - 1);
	count = read_seeds(seeds);
	if (argc == 3) {
		write_seeds(argv[2], seeds, count);
		return 0;
	}
	count = read_corpus(FUZZ_CORPUS, seeds, count);
	for (unsigned i = 0; i < count; i++)
		run(&seeds[i]);
	for (int round = 0; round < ROUNDS; round++) {
		in = seeds[below(count)];
		for (size_t n = 1 + below(MAX_CHANGES); n > 0; n--)
			change(&in, &seeds[below(count)]);
		run(&in);
	}
	printf("%u seeds, %d mutations\n", count, ROUNDS);
	return 0;
}
