/*
 * What is stored of a writer's lines. The first byte chooses: the rest is bytes as they are stored, which
 * must come back as they were when they are accepted; or pairs of numbers that are added, of which none
 * may be said to be new, and none that was not added to be stored.
 */
#include <stdbool.h>
#include <string.h>

#include "buf.h"
#include "fuzz.h"
#include "line_ranges.h"

enum { NUMBERS = 1024 };

static void check_ranges(const struct line_ranges *ranges)
{
	int64_t end = -1;

	FUZZ_CHECK(ranges->border >= 0 && ranges->count <= LINE_RANGES_MAX);
	for (unsigned i = 0; i < ranges->count; i++) {
		FUZZ_CHECK(ranges->at[i].from > end && ranges->at[i].from >= ranges->border);
		FUZZ_CHECK(ranges->at[i].from < ranges->at[i].to);
		end = ranges->at[i].to;
	}
}

static void check_bytes(struct str bytes)
{
	struct line_files files;
	struct line_files again;
	struct buf written = { .at = NULL };

	if (!line_files_decode(bytes, &files))
		return;
	for (unsigned i = 0; i < LINE_FILES; i++)
		check_ranges(&files.of[i]);
	line_files_encode(&written, &files);
	FUZZ_CHECK(written.len <= LINE_RANGES_MAX_BYTES);
	FUZZ_CHECK(line_files_decode(buf_str(&written), &again));
	FUZZ_CHECK(memcmp(&files, &again, sizeof(files)) == 0);
	buf_free(&written);
}

static void check_missing(const struct line_ranges *ranges, const bool *added)
{
	struct line_part parts[LINE_PARTS_MAX];
	unsigned count = line_ranges_missing(ranges, 0, NUMBERS, parts);
	int64_t n = 0;

	FUZZ_CHECK(count <= LINE_PARTS_MAX);
	for (unsigned i = 0; i < count; i++) {
		for (; n < parts[i].from; n++)
			FUZZ_CHECK(added[n]);
		for (; n < parts[i].to; n++)
			FUZZ_CHECK(parts[i].kind == LINE_PART_UNKNOWN || !added[n]);
	}
	for (; n < NUMBERS; n++)
		FUZZ_CHECK(added[n]);
}

static void check_added(const uint8_t *data, size_t size)
{
	struct line_ranges ranges = { .border = 0 };
	bool added[NUMBERS] = { false };

	for (size_t i = 0; i + 1 < size; i += 2) {
		int64_t from = 4 * data[i];
		int64_t to = from + data[i + 1] % 16;

		line_ranges_add(&ranges, from, to < NUMBERS ? to : NUMBERS);
		for (int64_t n = from; n < to && n < NUMBERS; n++)
			added[n] = true;
	}
	check_ranges(&ranges);
	check_missing(&ranges, added);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (*data & 1)
		check_added(data + 1, size - 1);
	else
		check_bytes((struct str){ (const char *)data + 1, size - 1 });
	return 0;
}

/* ---- seeds -------------------------------------------------------------------------------------- */

/* Stored ranges, few and as many as there may be. */
static size_t stored_seed(unsigned ranges, uint8_t *bytes, size_t size)
{
	struct line_files files = { .of = { { .border = 0 } } };
	struct buf written = { .at = NULL };
	size_t len;

	for (unsigned i = 0; i < ranges; i++)
		line_ranges_add(&files.of[i % LINE_FILES], 300 * i, 300 * i + 1 + i);
	line_files_encode(&written, &files);
	len = written.len + 1;
	FUZZ_CHECK(len <= size);
	bytes[0] = 0;
	memcpy(bytes + 1, buf_str(&written).at, written.len);
	buf_free(&written);
	return len;
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const unsigned ranges[] = { 1, 2, 9, 3 * LINE_RANGES_MAX };

	if (i < sizeof(ranges) / sizeof(ranges[0]))
		return stored_seed(ranges[i], bytes, size);
	if (i > 4)
		return 0;
	FUZZ_CHECK(size > 400);
	bytes[0] = 1;
	for (unsigned n = 1; n <= 400; n++)
		bytes[n] = (uint8_t)(n % 2 ? 37 * n : n);
	return 401;
}
