/* Console lines. */
#include "series_data.h"

#include "lines.h"

static struct line first[] = {
	{ 0, 1000, 0, LINE_STDOUT, { "start", 5 } },
	{ 2, 2000, 0, LINE_STDERR, { "10%", 3 } },
	{ 2, 2500, 0, LINE_STDERR, { "20%", 3 } },
	{ 7, 3000, 0, LINE_STDOUT, { "", 0 } },
};
static struct line second[] = {
	{ 9007199254740992, 9000, 0, LINE_STDOUT, { "far away", 8 } },
	{ 2, 4000, 0, LINE_STDERR, { "100%", 4 } },
	{ 1, -5, 0, LINE_STDOUT, { "gr\xc3\xbc\xc3\x9f", 6 } },
};

static void the_later_line_holds(void **state)
{
	static const struct {
		int64_t number;
		int64_t time_us;
		int64_t arrival;
		enum line_stream stream;
		const char *text;
	} expect[] = {
		{ 0, 1000, 3, LINE_STDOUT, "start" },
		{ 1, -5, 8, LINE_STDOUT, "gr\xc3\xbc\xc3\x9f" },
		{ 2, 4000, 8, LINE_STDERR, "100%" },
		{ 7, 3000, 3, LINE_STDOUT, "" },
		{ 9007199254740992, 9000, 8, LINE_STDOUT, "far away" },
	};
	struct lines blocks[] = { { 4, first }, { 3, second } };
	struct arena *a = arena_new(4096);
	struct codec *c = codec_new();
	struct lines merged, back;
	struct buf bytes = { 0 };

	(void)state;
	lines_arrive(&blocks[0], 3);
	lines_arrive(&blocks[1], 8);
	lines_merge(a, blocks, 2, &merged);
	lines_encode(c, &merged, &bytes);
	assert_null(lines_decode(c, a, buf_str(&bytes), &back));
	assert_int_equal(back.count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(back.items[i].number, expect[i].number);
		assert_int_equal(back.items[i].time_us, expect[i].time_us);
		assert_int_equal(back.items[i].arrival, expect[i].arrival);
		assert_int_equal(back.items[i].stream, expect[i].stream);
		assert_true(str_is(back.items[i].text, expect[i].text));
	}
	buf_free(&bytes);
	codec_free(c);
	arena_free(a);
}

/* Whether they come in order or not, and where one block ends with the number that the next begins with. */
static void blocks_join(void **state)
{
	static struct line upper[] = { { 3, 0, 0, LINE_STDOUT, { "three", 5 } },
				       { 4, 0, 0, LINE_STDOUT, { "four", 4 } } };
	static struct line lower[] = { { 1, 0, 0, LINE_STDOUT, { "one", 3 } },
				       { 3, 0, 0, LINE_STDOUT, { "3", 1 } } };
	static struct line last[] = { { 5, 0, 0, LINE_STDOUT, { "five", 4 } } };
	const struct {
		struct lines blocks[3];
		const char *third;
	} cases[] = {
		{ { { 1, lower }, { 2, upper }, { 1, last } }, "four" },
		{ { { 2, lower }, { 2, upper }, { 1, last } }, "four" },
		{ { { 2, upper }, { 2, lower }, { 1, last } }, "four" },
		{ { { 1, last }, { 0, NULL }, { 2, upper } }, "five" },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lines merged;

		lines_merge(a, cases[i].blocks, 3, &merged);
		assert_int_equal(merged.count, i == 3 ? 3 : 4);
		assert_true(str_is(merged.items[1].text, i == 2 ? "3" : i == 3 ? "four" : "three"));
		assert_true(str_is(merged.items[2].text, cases[i].third));
	}
	arena_free(a);
}

static void no_lines_are_lines_too(void **state)
{
	struct arena *a = arena_new(4096);
	struct codec *c = codec_new();
	struct lines merged, back;
	struct buf bytes = { 0 };

	(void)state;
	lines_merge(a, NULL, 0, &merged);
	lines_encode(c, &merged, &bytes);
	assert_null(lines_decode(c, a, buf_str(&bytes), &back));
	assert_int_equal(back.count, 0);
	buf_free(&bytes);
	codec_free(c);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_later_line_holds),
		cmocka_unit_test(blocks_join),
		cmocka_unit_test(no_lines_are_lines_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
