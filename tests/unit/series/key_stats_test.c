/* What is known of keys. */
#include "series_data.h"

#include <math.h>

#include "block.h"
#include "key_stats.h"

static const int64_t rows[] = { 10, 11, 12 };
static const int64_t steps[] = { 0, 5, 6 };
static const double numbers[] = { 1, (double)NAN, 3 };
static const uint32_t late[] = { 1, 2 };
static const uint32_t early[] = { 0, 1 };
static const struct str texts[] = { { "true", 4 }, { "\"x\"", 3 } };
static const struct str digits[] = { { "9007199254740993", 16 }, { "9007199254740995", 16 } };

static const struct block_column columns[] = {
	{ .key_id = 9, .number_count = 3, .numbers = numbers },
	{ .key_id = 2,
	  .number_count = 2,
	  .number_rows = early,
	  .numbers = numbers,
	  .text_count = 2,
	  .text_rows = late,
	  .texts = texts },
	{ .key_id = 5,
	  .number_count = 2,
	  .number_rows = late,
	  .numbers = numbers + 1,
	  .text_count = 2,
	  .text_rows = late,
	  .texts = digits },
	{ .key_id = 7 },
};

static const struct block block = {
	.row_count = 3, .column_count = 4, .rows = rows, .steps = steps, .columns = columns
};

static void assert_stats_equal(const struct key_stats *x, const struct key_stats *y)
{
	assert_int_equal(x->count, y->count);
	for (uint32_t i = 0; i < x->count; i++) {
		const struct key_stat *a = &x->items[i];
		const struct key_stat *b = &y->items[i];

		assert_int_equal(a->key_id, b->key_id);
		assert_int_equal(a->kinds, b->kinds);
		assert_int_equal(a->row_count, b->row_count);
		assert_int_equal(a->number_count, b->number_count);
		assert_int_equal(a->text_count, b->text_count);
		assert_int_equal(a->row_last, b->row_last);
		assert_int_equal(a->step_last, b->step_last);
		assert_int_equal(a->is_text, b->is_text);
		assert_int_equal(a->row_first, b->row_first);
		assert_true(series_same(&a->first, &b->first, 1));
		assert_true(series_same(&a->min, &b->min, 1));
		assert_true(series_same(&a->max, &b->max, 1));
		assert_true(series_same(&a->sum, &b->sum, 1));
		if (a->is_text)
			assert_true(str_equal(a->text, b->text));
		else
			assert_true(series_same(&a->number, &b->number, 1));
	}
}

static void a_block_is_summed_up(void **state)
{
	struct arena *a = arena_new(4096);
	struct key_stats stats;

	(void)state;
	key_stats_of_block(a, &block, &stats);
	assert_int_equal(stats.count, 3);
	assert_int_equal(stats.items[0].key_id, 2);
	assert_int_equal(stats.items[0].kinds,
			 KEY_KIND_NUMBER | KEY_KIND_NONFINITE | KEY_KIND_BOOL | KEY_KIND_STRING);
	assert_true(stats.items[0].is_text && str_is(stats.items[0].text, "\"x\""));
	assert_int_equal(stats.items[0].row_count, 3); /* a number and a text share row 1 */
	assert_int_equal(stats.items[1].key_id, 5);
	assert_int_equal(stats.items[1].row_count, 2);
	assert_true(stats.items[1].is_text && str_is(stats.items[1].text, "9007199254740995"));
	assert_true(stats.items[1].kinds & KEY_KIND_INTEGER);
	assert_int_equal(stats.items[2].key_id, 9);
	assert_int_equal(stats.items[2].row_count, 3);
	assert_false(stats.items[2].is_text);
	assert_true(series_same(&stats.items[2].number, &numbers[2], 1));
	assert_int_equal(stats.items[2].row_last, 12);
	assert_int_equal(stats.items[2].step_last, 6);
	assert_null(key_stats_find(&stats, 7));
	assert_ptr_equal(key_stats_find(&stats, 9), &stats.items[2]);
	arena_free(a);
}

struct given {
	double number;
	const char *text; /* NULL: only a number; the digits of an integer have both */
};

static const struct given given[] = {
	{ 1, NULL },
	{ 0, "\"x\"" },
	{ -2.5, NULL },
	{ 0, "true" },
	{ 9007199254740992, "9007199254740993" },
	{ 7, NULL },
	{ 0, "[1]" },
	{ 0, "null" },
	{ 0, "{}" },
	{ -9007199254740992, "-9007199254740993" },
	{ (double)INFINITY, NULL },
	{ 0, "false" },
	{ (double)NAN, NULL },
	{ 3, NULL },
};
enum { GIVEN = sizeof(given) / sizeof(given[0]) };

static bool is_integer(const struct given *g)
{
	return g->text && g->number != 0;
}

/* Some of the values as a block of one key. */
static void stats_of_given(struct arena *a, size_t from, size_t count, struct key_stats *ret_stats)
{
	static int64_t given_rows[GIVEN], given_steps[GIVEN];
	uint32_t number_rows[GIVEN], text_rows[GIVEN];
	double given_numbers[GIVEN];
	struct str given_texts[GIVEN];
	struct block_column column = { .key_id = 3,
				       .number_rows = number_rows,
				       .numbers = given_numbers,
				       .text_rows = text_rows,
				       .texts = given_texts };
	const struct block one = { .row_count = (uint32_t)count,
				   .column_count = 1,
				   .rows = given_rows,
				   .steps = given_steps,
				   .columns = &column };

	for (uint32_t i = 0; i < count; i++) {
		const struct given *g = &given[from + i];

		given_rows[i] = 100 + (int64_t)(from + i);
		given_steps[i] = 7 * (int64_t)(from + i);
		if (!g->text || is_integer(g)) {
			number_rows[column.number_count] = i;
			given_numbers[column.number_count++] = g->number;
		}
		if (g->text) {
			text_rows[column.text_count] = i;
			given_texts[column.text_count++] = str_of(g->text);
		}
	}
	key_stats_of_block(a, &one, ret_stats);
}

static void values_one_by_one_have_the_statistics_of_their_block(void **state)
{
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t from = 0; from < GIVEN; from++) {
		struct key_stat stat = { .key_id = 3 };

		for (size_t i = from; i < GIVEN; i++) {
			const struct key_value value = { 100 + (int64_t)i, 7 * (int64_t)i,
							 given[i].text != NULL, given[i].number,
							 given[i].text ? str_of(given[i].text)
								       : STR("") };
			const struct key_stats added = { 1, &stat };
			struct key_stats of_block;

			key_stat_add(a, &stat, &value);
			stats_of_given(a, from, i + 1 - from, &of_block);
			assert_stats_equal(&added, &of_block);
		}
	}
	arena_free(a);
}

static void an_integer_without_its_number_is_read(void **state)
{
	static const struct {
		const char *text;
		double number;
	} cases[] = { { "9007199254740993", 9007199254740992 },
		      { "-9007199254740993", -9007199254740992 },
		      { "12345678901234567890", 12345678901234567890.0 } };
	struct arena *a = arena_new(1 << 16);
	char *huge = arena_printf(a, "-9%0400d", 0);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct key_stat stat = { 0 };

		key_stat_add(a, &stat,
			     &(struct key_value){ .is_text = true, .text = str_of(cases[i].text) });
		assert_true(stat.sum == cases[i].number);
	}
	for (int sign = 0; sign < 2; sign++) {
		struct key_stat stat = { 0 };

		key_stat_add(a, &stat,
			     &(struct key_value){ .is_text = true,
						  .text = str_of(huge + 1 - sign) });
		assert_true(stat.sum == (sign ? -(double)INFINITY : (double)INFINITY));
		assert_int_equal(stat.kinds, KEY_KIND_NONFINITE | KEY_KIND_INTEGER);
	}
	arena_free(a);
}

static void a_copy_has_texts_of_its_own(void **state)
{
	struct arena *a = arena_new(4096);
	struct key_stats stats;
	struct key_stats copy;

	(void)state;
	key_stats_of_block(a, &block, &stats);
	key_stats_copy(a, &stats, &copy);
	assert_stats_equal(&copy, &stats);
	assert_true(copy.items[0].text.at != stats.items[0].text.at);
	key_stats_copy(a, &copy, &copy);
	assert_stats_equal(&copy, &stats);
	arena_free(a);
}

/* Of a last value too long to be kept. */
static struct str kept_of(struct arena *a, struct str text)
{
	const struct block_column column = {
		.key_id = 1, .text_count = 1, .text_rows = early, .texts = &text
	};
	const struct block one = {
		.row_count = 3, .column_count = 1, .rows = rows, .steps = steps, .columns = &column
	};
	struct key_stats stats;

	key_stats_of_block(a, &one, &stats);
	return stats.items[0].text;
}

static void long_texts_are_cut_between_characters(void **state)
{
	static const char *const characters[] = { "x",
						  "\xc3\xa4",
						  "\\n",
						  "\\u0041",
						  "\xf0\x9f\x98\x80",
						  "\\ud83d\\ude00",
						  "\\uDBff\\uDC00",
						  "\\u0a41",
						  "\\udc00" };
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++) {
		struct buf text = { 0 };
		size_t width = strlen(characters[i]);
		struct str kept;

		buf_add_text(&text, "\"");
		while (text.len + width < KEY_STAT_TEXT_MAX)
			buf_add_text(&text, characters[i]);
		buf_add_text(&text, "\"");
		assert_true(str_equal(kept_of(a, buf_str(&text)), buf_str(&text)));
		text.len--;
		buf_add_text(&text, characters[i]);
		buf_add_text(&text, "123456\"");
		kept = kept_of(a, buf_str(&text));
		assert_in_range(kept.len, KEY_STAT_TEXT_MAX - 16, KEY_STAT_TEXT_MAX);
		assert_memory_equal(kept.at + kept.len - 4, "...\"", 4);
		assert_int_equal((kept.len - 5) % width, 0);
		assert_true(kept.len + width > KEY_STAT_TEXT_MAX);
		assert_true(str_is_utf8(kept));
		buf_free(&text);
	}
	arena_free(a);
}

static void other_long_values_are_told_by_length(void **state)
{
	struct arena *a = arena_new(4096);
	struct buf text = { 0 };

	(void)state;
	buf_add_text(&text, "[");
	while (text.len < KEY_STAT_TEXT_MAX)
		buf_add_text(&text, "1,");
	buf_add_text(&text, "1]");
	assert_true(
		str_is(kept_of(a, buf_str(&text)), arena_printf(a, "\"(%zu bytes)\"", text.len)));
	buf_free(&text);
	arena_free(a);
}

static void stats_survive_bytes(void **state)
{
	struct arena *a = arena_new(4096);
	struct codec *c = codec_new();
	struct buf bytes = { 0 };
	struct key_stats stats, back, none = { 0 };

	(void)state;
	key_stats_of_block(a, &block, &stats);
	key_stats_encode(c, &stats, &bytes);
	assert_null(key_stats_decode(c, a, buf_str(&bytes), &back));
	assert_stats_equal(&stats, &back);
	buf_clear(&bytes);
	key_stats_encode(c, &none, &bytes);
	assert_null(key_stats_decode(c, a, buf_str(&bytes), &back));
	assert_int_equal(back.count, 0);
	assert_null(key_stats_find(&back, 1));
	buf_free(&bytes);
	codec_free(c);
	arena_free(a);
}

static void the_higher_row_has_the_last_word(void **state)
{
	static struct key_stat old[] = {
		{ .key_id = 1,
		  .kinds = KEY_KIND_NUMBER,
		  .row_count = 5,
		  .number_count = 5,
		  .row_last = 9,
		  .number = 1 },
		{ .key_id = 3,
		  .kinds = KEY_KIND_NULL,
		  .text_count = 1,
		  .row_last = 4,
		  .is_text = true,
		  .text = { "null", 4 } },
	};
	static struct key_stat new[] = {
		{ .key_id = 1,
		  .kinds = KEY_KIND_BOOL,
		  .row_count = 2,
		  .text_count = 2,
		  .row_last = 20,
		  .step_last = 7,
		  .is_text = true,
		  .text = { "true", 4 } },
		{ .key_id = 2,
		  .kinds = KEY_KIND_NUMBER,
		  .number_count = 1,
		  .row_last = 21,
		  .number = 2 },
	};
	struct key_stats one = { 2, old }, other = { 2, new }, forth, back;
	struct arena *a = arena_new(4096);

	(void)state;
	key_stats_merge(a, &one, &other, &forth);
	key_stats_merge(a, &other, &one, &back);
	assert_stats_equal(&forth, &back);
	assert_int_equal(forth.count, 3);
	assert_int_equal(forth.items[0].kinds, KEY_KIND_NUMBER | KEY_KIND_BOOL);
	assert_int_equal(forth.items[0].row_count, 7);
	assert_int_equal(forth.items[0].number_count, 5);
	assert_int_equal(forth.items[0].text_count, 2);
	assert_true(forth.items[0].is_text);
	assert_int_equal(forth.items[0].step_last, 7);
	arena_free(a);
}

/* Two blocks of one key in either order; a key without numbers has none of what is known of them. */
static void numbers_are_summed_up(void **state)
{
	static const double one[] = { 2, 5 };
	static const double other[] = { -1, (double)INFINITY };
	static const int64_t later[] = { 20, 21, 22 };
	static const struct block_column first_columns[] = {
		{ .key_id = 1, .number_count = 2, .numbers = one },
		{ .key_id = 2, .text_count = 2, .texts = texts },
	};
	static const struct block_column last_columns[] = {
		{ .key_id = 1, .number_count = 2, .numbers = other },
		{ .key_id = 2, .number_count = 2, .numbers = one },
	};
	const struct block first = { .row_count = 2,
				     .column_count = 2,
				     .rows = rows,
				     .steps = steps,
				     .columns = first_columns };
	const struct block last = { .row_count = 2,
				    .column_count = 2,
				    .rows = later,
				    .steps = steps,
				    .columns = last_columns };
	struct arena *a = arena_new(4096);
	struct key_stats x, y, sum;

	(void)state;
	key_stats_of_block(a, &first, &x);
	key_stats_of_block(a, &last, &y);
	for (int turned = 0; turned < 2; turned++) {
		key_stats_merge(a, turned ? &y : &x, turned ? &x : &y, &sum);
		assert_int_equal(sum.items[0].row_first, 10);
		assert_true(sum.items[0].first == 2 && sum.items[0].min == -1);
		assert_true(isinf(sum.items[0].max) && isinf(sum.items[0].sum));
		assert_int_equal(sum.items[1].row_first, 20);
		assert_true(sum.items[1].first == 2 && sum.items[1].min == 2);
		assert_true(sum.items[1].max == 5 && sum.items[1].sum == 7);
	}
	key_stats_of_block(a, &block, &x);
	assert_int_equal(x.items[2].key_id, 9);
	assert_true(x.items[2].first == 1 && isnan(x.items[2].min) && isnan(x.items[2].max));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_one_by_one_have_the_statistics_of_their_block),
		cmocka_unit_test(an_integer_without_its_number_is_read),
		cmocka_unit_test(a_copy_has_texts_of_its_own),
		cmocka_unit_test(numbers_are_summed_up),
		cmocka_unit_test(a_block_is_summed_up),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(other_long_values_are_told_by_length),
		cmocka_unit_test(stats_survive_bytes),
		cmocka_unit_test(the_higher_row_has_the_last_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
