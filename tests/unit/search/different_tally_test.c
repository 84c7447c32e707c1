/* The different values of groups: as many as may be noted over all keys together, and not one more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(values_of_all_keys_together, setup, teardown),
		cmocka_unit_test_setup_teardown(bytes_of_all_texts_together, setup, teardown),
		cmocka_unit_test_setup_teardown(values_of_runs_together, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_noted_beyond, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
