/*
 * How fast the columns are: series_bench [numbers to check]
 *
 * Prints, for bodies of several shapes, what reading rows, making blocks and reading them back cost
 * on one core, beside a plain JSON parser; the same for chunks, rollups and samples; and checks
 * numbers both ways against the C library by the million. Build with the release preset.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arena.h"
#include "block.h"
#include "buf.h"
#include "chunk.h"
#include "codec.h"
#include "json_number.h"
#include "json_rows.h"
#include "json_scan.h"
#include "json_scan_slow.h"
#include "rollup.h"
#include "sample.h"

enum { KINDS = 10, SAMPLE_POINTS = 1 << 20 };

static const double total_s = 0.3;  /* for each figure, */
static const double slice_s = 0.01; /* in slices of so much */

struct bench {
	struct arena *arena;
	struct codec *codec;
	struct buf body; /* rows as JSON, padded */
	size_t body_len;
	struct buf bytes;
	struct json_rows rows; /* scanned once, in an arena of their own */
	uint32_t *ids;
	const struct cell *cells;
	struct cell_values values;
	uint64_t points;
};

static uint64_t random_state = 42;

static double uniform(void)
{
	uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Ten metrics of a training: five float losses, a double, a schedule, a rate, a counter, bfloat16. */
static double metric(int kind, double i, double count)
{
	double noise = 1 + 0.1 * (uniform() + uniform() - 1);
	float f;
	uint32_t bits;

	switch (kind % KINDS) {
	case 5:
		return (2.5 * exp(-6 * i / count) + 0.3) * noise;
	case 6:
		return 1.5e-4 * (1 + cos(3.14159265358979 * i / count));
	case 7:
		return round((1 - exp(-5 * i / count)) * noise * 1e4) / 1e4;
	case 8:
		return 4096 * i;
	case 9:
		f = (float)((1.5 + 2 * exp(-4 * i / count)) * noise);
		memcpy(&bits, &f, sizeof(bits));
		bits &= 0xffff0000;
		memcpy(&f, &bits, sizeof(f));
		return (double)f;
	default:
		return (double)(float)((2.5 * exp(-6 * i / count) + 0.3) * noise);
	}
}

static void add_number(struct buf *out, double value)
{
	char text[JSON_NUMBER_TEXT_SIZE];

	buf_add(out, text, json_number_write(value, text));
}

/* Keys in another order in each row, as clients that walk a hash table send them. */
static void make_body(struct bench *b, int metrics, int rows)
{
	buf_clear(&b->body);
	for (int row = 0; row < rows; row++) {
		int start = (int)(uniform() * metrics);

		buf_printf(&b->body, "%c{\"_step\":%d", row ? ',' : '[', row);
		for (int i = 0; i < metrics; i++) {
			int m = (i * 7 + start) % metrics; /* 7 divides no count used here */

			buf_printf(&b->body, ",\"train/layer_%d/metric_%d\":", m / 10, m % 10);
			add_number(&b->body, metric(m, row, rows));
		}
		buf_printf(&b->body, ",\"_timestamp\":%.6f}", 1763725574 + row * 0.35);
	}
	buf_add_byte(&b->body, ']');
	b->body_len = b->body.len;
	memset(buf_reserve(&b->body, JSON_SCAN_PADDING), 0, JSON_SCAN_PADDING);
}

static void scan(struct bench *b)
{
	struct json_scan s;
	struct json_rows rows;

	arena_reset(b->arena);
	json_rows_init(&rows, b->arena, b->body_len);
	json_scan_begin(&s, b->arena, (struct str){ b->body.at, b->body_len });
	json_scan_rows_body(&s, &rows);
	if (json_scan_end(&s))
		abort();
	b->points = rows.cell_count;
}

static void scan_slow(struct bench *b)
{
	struct json_rows rows;

	arena_reset(b->arena);
	json_rows_init(&rows, b->arena, b->body_len);
	if (json_scan_slow_rows(b->arena, (struct str){ b->body.at, b->body_len }, &rows))
		abort();
}

static void scan_jansson(struct bench *b)
{
	json_decref(json_loadb(b->body.at, b->body_len, 0, NULL));
}

static void encode(struct bench *b)
{
	struct block_facts facts;

	buf_clear(&b->bytes);
	block_encode_rows(b->codec, &b->rows, b->ids, &b->bytes, &facts);
}

static void decode(struct bench *b)
{
	struct block_ask ask = { .last_step = -1 };
	struct block block;

	arena_reset(b->arena);
	if (block_decode(b->codec, b->arena, buf_str(&b->bytes), &ask, &block))
		abort();
}

/* Of the processor, not of the wall: other programs are not our cost. */
static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The best of several timings, each long enough to mean something. */
static double seconds(struct bench *b, void (*work)(struct bench *b))
{
	double best = HUGE_VAL;

	for (double end = cpu_seconds() + total_s; cpu_seconds() < end;) {
		double start = cpu_seconds();
		double each;
		int rounds = 0;

		do {
			work(b);
			rounds++;
		} while (cpu_seconds() - start < slice_s);
		each = (cpu_seconds() - start) / rounds;
		best = each < best ? each : best;
	}
	return best;
}

static void print(const char *what, const struct bench *b, double s, size_t bytes)
{
	printf("  %-28s %8.1f M points/s", what, (double)b->points / s / 1e6);
	if (bytes)
		printf("  %7.0f MB/s  %5.2f bytes/point", (double)bytes / s / 1e6,
		       (double)bytes / (double)b->points);
	putchar('\n');
}

static void bench_body(struct bench *b, int metrics, int rows)
{
	struct arena *keep = arena_new(1 << 20);
	struct json_scan s;

	make_body(b, metrics, rows);
	printf("%d keys, %d rows, %zu KB\n", metrics, rows, b->body_len >> 10);
	print("scan", b, seconds(b, scan), b->body_len);
	print("scan, plain parser", b, seconds(b, scan_slow), b->body_len);
	print("jansson, to a tree only", b, seconds(b, scan_jansson), b->body_len);

	json_rows_init(&b->rows, keep, b->body_len);
	json_scan_begin(&s, keep, (struct str){ b->body.at, b->body_len });
	json_scan_rows_body(&s, &b->rows);
	b->ids = arena_new_array(keep, uint32_t, b->rows.column_count);
	for (uint32_t i = 0; i < b->rows.column_count; i++)
		b->ids[i] = i;
	encode(b);
	print("block encode", b, seconds(b, encode), b->bytes.len);
	print("block decode", b, seconds(b, decode), b->bytes.len);
	arena_free(keep);
}

static struct chunk chunk;

static void encode_chunk(struct bench *b)
{
	buf_clear(&b->bytes);
	chunk_encode(b->codec, &chunk, &b->bytes);
}

static void decode_chunk(struct bench *b)
{
	struct chunk back;

	arena_reset(b->arena);
	if (chunk_decode(b->codec, b->arena, buf_str(&b->bytes), &back))
		abort();
}

static void roll_up(struct bench *b)
{
	struct cell cells[CELLS_PER_CHUNK + 1] = { 0 };

	rollup_add(cells, 0, &b->values);
}

static void bench_chunks(struct bench *b)
{
	static const char *const names[KINDS] = {
		[0] = "float loss", [5] = "double loss", [6] = "schedule",
		[7] = "rounded",    [8] = "counter",     [9] = "bfloat16",
	};
	static int64_t rows[CHUNK_VALUES];
	static double numbers[CHUNK_VALUES];

	chunk = (struct chunk){ CHUNK_VALUES, rows, rows, numbers, NULL };
	b->points = CHUNK_VALUES;
	b->values = (struct cell_values){ CHUNK_VALUES, rows, rows, numbers };
	puts("chunks of 4096");
	for (int kind = 0; kind < KINDS; kind++) {
		if (!names[kind])
			continue;
		for (int i = 0; i < CHUNK_VALUES; i++) {
			rows[i] = i;
			numbers[i] = metric(kind, i, CHUNK_VALUES);
		}
		printf(" %s\n", names[kind]);
		encode_chunk(b);
		print("encode", b, seconds(b, encode_chunk), b->bytes.len);
		print("decode", b, seconds(b, decode_chunk), b->bytes.len);
	}
	print("roll up", b, seconds(b, roll_up), 0);
}

static void sample_points(struct bench *b)
{
	struct sample *s;
	struct bucket *buckets;

	arena_reset(b->arena);
	s = sample_new(b->arena, &(struct sample_shape){ 0, SAMPLE_POINTS - 1, 1000, SAMPLE_POINTS,
							 SAMPLE_WHOLE });
	sample_add_points(s, &b->values);
	sample_finish(s, &buckets);
}

static void sample_cells(struct bench *b)
{
	struct sample *s;
	struct bucket *buckets;

	arena_reset(b->arena);
	s = sample_new(b->arena, &(struct sample_shape){ 0, SAMPLE_POINTS - 1, 1000, SAMPLE_POINTS,
							 SAMPLE_WHOLE });
	sample_add_cells(s, b->cells, SAMPLE_POINTS / CELL_VALUES);
	sample_finish(s, &buckets);
}

static void bench_samples(struct bench *b)
{
	struct arena *keep = arena_new(1 << 20);
	int64_t *rows = arena_new_array(keep, int64_t, SAMPLE_POINTS);
	double *numbers = arena_new_array(keep, double, SAMPLE_POINTS);
	struct cell *cells = arena_new_array(keep, struct cell, SAMPLE_POINTS / CELL_VALUES + 1);

	for (int i = 0; i < SAMPLE_POINTS; i++) {
		rows[i] = i;
		numbers[i] = metric(0, i, SAMPLE_POINTS);
	}
	b->values = (struct cell_values){ SAMPLE_POINTS, rows, rows, numbers };
	rollup_add(cells, 0, &b->values);
	b->cells = cells;
	b->points = SAMPLE_POINTS;
	puts("1000 buckets of 1 M points");
	print("from points", b, seconds(b, sample_points), 0);
	print("from cells", b, seconds(b, sample_cells), 0);
	arena_free(keep);
}

static void check_number(long i)
{
	char text[64] = "";
	char back[JSON_NUMBER_TEXT_SIZE] = "";
	double value = uniform() * 2 - 1;
	uint64_t bits = (uint64_t)(uniform() * 0x1p53) << 11 ^ (uint64_t)(uniform() * 0x1p53);
	struct json_number number;

	if (i % 4 == 1)
		memcpy(&value, &bits, sizeof(value));
	if (i % 4 == 2)
		value = (double)(float)value;
	if (!isfinite(value))
		return;
	if (i % 4 == 3)
		snprintf(text, sizeof(text), "%llue%d", (unsigned long long)(bits >> bits % 60),
			 (int)(bits % 680) - 350);
	else
		snprintf(text, sizeof(text), "%.*g", 1 + (int)(i % 20), value);
	value = strtod(text, NULL);
	if (!json_number_read(text, &number) || memcmp(&number.value, &value, sizeof(value)) != 0) {
		printf("read wrongly: %s\n", text);
		exit(1);
	}
	if (!isfinite(value))
		return;
	json_number_write(value, back);
	number.value = strtod(back, NULL);
	if (memcmp(&number.value, &value, sizeof(value)) != 0) {
		printf("written wrongly: %s as %s\n", text, back);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct bench b = { .arena = arena_new(1 << 20), .codec = codec_new() };
	long numbers = argc > 1 ? atol(argv[1]) : 2000000;

	bench_body(&b, 10, 100);
	bench_body(&b, 1000, 10);
	bench_body(&b, 10, 5000);
	bench_chunks(&b);
	bench_samples(&b);
	for (long i = 0; i < numbers; i++)
		check_number(i);
	printf("%ld numbers read as strtod reads them, and written so that they read back\n",
	       numbers);
	buf_free(&b.body);
	buf_free(&b.bytes);
	codec_free(b.codec);
	arena_free(b.arena);
	return 0;
}
