/* The different values of groups: as many as may be noted over all keys together, and not one more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "buf.h"
#include "columns_filter.h"
#include "different_tally.h"

enum {
	KEYS = SEARCH_DIFFERENT_KEYS_MAX,
	TEXT = SEARCH_VALUE_CHARS * 4, /* bytes that as many characters may have */
};

struct fixture {
	struct arena *a;
	struct columns *c;
	int64_t change;
	struct search_group none;
	struct search_different ask;
};

static int setup(void **state)
{
	static struct fixture f;
	struct filter_path *keys;

	f = (struct fixture){ .a = arena_new(4096), .c = columns_new(256 << 20) };
	keys = arena_new_array(f.a, struct filter_path, KEYS);
	for (size_t i = 0; i < KEYS; i++)
		assert_null(filter_path_parse(f.a, STR("config.key"), NULL, &keys[i]));
	assert_null(filter_path_parse(f.a, STR("job_type"), NULL, &f.ask.by));
	f.none.value = (struct search_value){ .rank = SEARCH_RANK_NONE, .number = STR("0") };
	f.ask.groups = &f.none;
	f.ask.group_count = 1;
	f.ask.keys = keys;
	f.ask.key_count = KEYS;
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	columns_free(f->c);
	arena_free(f->a);
	return 0;
}

/* A run of which all keys have another value than those of the runs before; with `width` a text of as many bytes. */
static void put(struct fixture *f, int width)
{
	const int64_t change = ++f->change;
	char number[16];
	char text[TEXT + 64];
	struct columns_document doc = { change, change, 0, false, { text, 0 } };

	snprintf(number, sizeof(number), "%08d", (int)change);
	if (width) {
		size_t at = (size_t)snprintf(text, sizeof(text), "{\"config\": {\"key\": \"");

		for (int i = 0; i < width / 4; i++, at += 4)
			memcpy(text + at, "\xF0\x9F\x8C\x80", 4);
		for (int i = 0; i < 8; i++) /* the last byte of a sign is one of 64 */
			text[at - 4 * (size_t)i - 1] = (char)(0x80 + number[i] - '0');
		doc.text.len = at + (size_t)snprintf(text + at, sizeof(text) - at, "\"}}");
	} else {
		doc.text.len = (size_t)snprintf(text, sizeof(text), "{\"config\": {\"key\": %d}}",
						(int)change);
	}
	assert_true(columns_put(f->c, &doc));
}

static struct different_tally *tally_of(struct fixture *f)
{
	return different_tally_new(f->a, &f->ask, 0);
}

static err_t count(struct fixture *f, struct different_tally *t,
		   struct search_different_found **ret_found)
{
	assert_true(t->tally.add(&t->tally, f->c, columns_shown(f->a, f->c, true, true)));
	return different_tally_end(t, ret_found);
}

static void check_all_are_counted(struct fixture *f, struct different_tally *t)
{
	struct search_different_found *found;

	assert_null(count(f, t, &found));
	for (size_t i = 0; i < KEYS; i++) {
		assert_int_equal(found[i].count, f->change);
		assert_int_equal(found[i].runs, f->change);
	}
}

static void check_refused(struct fixture *f, struct different_tally *t)
{
	struct search_different_found *found;

	assert_int_equal(count(f, t, &found)->kind, ERR_UNPROCESSABLE);
}

static void values_of_all_keys_together(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < SEARCH_DIFFERENT_MAX / KEYS; i++)
		put(f, 0);
	check_all_are_counted(f, tally_of(f));
	put(f, 0);
	check_refused(f, tally_of(f));
}

static void bytes_of_all_texts_together(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < SEARCH_DIFFERENT_TEXTS_MAX / KEYS / TEXT; i++)
		put(f, TEXT);
	check_all_are_counted(f, tally_of(f));
	put(f, 4 * 8);
	check_refused(f, tally_of(f));
}

/* What is noted of runs takes memory where all have the same value, too. */
static void values_of_runs_together(void **state)
{
	struct fixture *f = *state;
	struct different_tally *t = tally_of(f);

	for (int i = 0; i < 100; i++)
		put(f, 0);
	t->notes = SEARCH_DIFFERENT_NOTES_MAX - 100 * KEYS;
	check_all_are_counted(f, t);
	t = tally_of(f);
	t->notes = SEARCH_DIFFERENT_NOTES_MAX - 100 * KEYS + 1;
	check_refused(f, t);
}

/* Once it is too much nothing more is noted, whatever windows of documents follow. */
static void nothing_is_noted_beyond(void **state)
{
	struct fixture *f = *state;
	struct different_tally *t = tally_of(f);

	for (int i = 0; i < 100; i++)
		put(f, TEXT);
	t->values = SEARCH_DIFFERENT_MAX;
	for (int i = 0; i < 3; i++)
		check_refused(f, t);
	assert_int_equal(t->values, SEARCH_DIFFERENT_MAX + 1);
	assert_int_equal(t->texts, TEXT);
	assert_int_equal(t->notes, 1);
}

/* "3: adam*2 sgd*1": how many runs have a value, and the values with their runs. */
static const char *words(struct arena *a, const struct search_different_found *found)
{
	struct buf *out = buf_new(a);

	buf_printf(out, "%lld of %lld:", (long long)found->count, (long long)found->runs);
	for (size_t i = 0; i < found->shown; i++)
		buf_printf(out, " %.*s*%lld",
			   STR_ARG(found->values[i].value.rank == SEARCH_RANK_NUMBER
					   ? found->values[i].value.number
					   : found->values[i].value.text),
			   (long long)found->values[i].runs);
	buf_add_byte(out, '\0');
	return out->at;
}

static void put_run(struct fixture *f, const char *job_type, const char *config)
{
	const char *text =
		arena_printf(f->a, "{\"job_type\": \"%s\", \"config\": {%s}}", job_type, config);
	const struct columns_document doc = { ++f->change, f->change, 0, false, str_of(text) };

	assert_true(columns_put(f->c, &doc));
}

static void put_runs(struct fixture *f)
{
	put_run(f, "train", "\"opt\": \"sgd\", \"lr\": 1");
	put_run(f, "train", "\"opt\": \"adam\", \"lr\": 2");
	put_run(f, "eval", "\"opt\": \"lion\"");
	put_run(f, "train", "\"opt\": \"adam\", \"lr\": 1");
	put_run(f, "other", "\"opt\": \"zero\", \"lr\": 9");
	put_run(f, "train", "\"opt\": \"lars\"");
	for (int i = 0; i < 7; i++)
		put_run(f, "eval", arena_printf(f->a, "\"lr\": %d", 20 - i));
	put_run(f, "eval", "\"lr\": 14, \"opt\": null");
}

/* The most frequent come first, of equal ones the least, and no more of them than are shown. */
static void each_group_has_its_own_values(void **state)
{
	static const char *const expected[] = {
		"3 of 4: adam*2 lars*1 sgd*1",      "2 of 3: 1*2 2*1", "2 of 2: *1 lion*1",
		"7 of 8: 14*2 15*1 16*1 17*1 18*1", "0 of 0:",         "0 of 0:",
	};
	struct fixture *f = *state;
	struct search_group groups[3] = { 0 };
	struct search_different_found *found;
	struct filter_path keys[2];
	static const char *const names[] = { "train", "eval", "none" };

	for (size_t i = 0; i < 3; i++)
		groups[i].value =
			(struct search_value){ SEARCH_RANK_TEXT, STR("0"), str_of(names[i]) };
	assert_null(filter_path_parse(f->a, STR("config.opt"), NULL, &keys[0]));
	assert_null(filter_path_parse(f->a, STR("config.lr"), NULL, &keys[1]));
	f->ask.groups = groups;
	f->ask.group_count = 3;
	f->ask.keys = keys;
	f->ask.key_count = 2;
	put_runs(f);
	assert_null(count(f, tally_of(f), &found));
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(words(f->a, &found[i]), expected[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(values_of_all_keys_together, setup, teardown),
		cmocka_unit_test_setup_teardown(bytes_of_all_texts_together, setup, teardown),
		cmocka_unit_test_setup_teardown(values_of_runs_together, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_noted_beyond, setup, teardown),
		cmocka_unit_test_setup_teardown(each_group_has_its_own_values, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
