/* Columns: rows come, change and go; what is no document, and what is too much, is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "buf.h"
#include "columns_filter.h"

struct fixture {
	struct arena *a;
	struct columns *c;
	int64_t change;
};

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){ arena_new(4096), columns_new(64 << 20), 0 };
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

static bool put(struct fixture *f, int64_t run_id, const char *text)
{
	const struct columns_document doc = { run_id, ++f->change, 0, !text,
					      str_of(text ? text : "{}") };

	return columns_put(f->c, &doc);
}

/* "1 3": the runs that the filter finds, in order of their rows. */
static const char *found(struct fixture *f, const char *filter)
{
	const struct filter_node *node;
	struct buf *out = buf_new(f->a);
	struct patterns *patterns;
	struct bits rows;

	assert_null(filter_parse(f->a, str_of(filter), &node));
	assert_null(patterns_new(f->a, node, 0, &patterns));
	rows = columns_filter(f->a, f->c, node, patterns);
	bits_and(rows, columns_shown(f->a, f->c, true, false));
	for (size_t row = bits_next(rows, 0); row < rows.rows; row = bits_next(rows, row + 1))
		buf_printf(out, "%s%lld", out->len ? " " : "", (long long)f->c->run_ids[row]);
	buf_add_byte(out, '\0');
	return out->at;
}

static void rows_change_and_go(void **state)
{
	struct fixture *f = *state;

	assert_true(put(f, 1, "{\"state\": \"a\", \"config\": {\"x\": 1}}"));
	assert_true(put(f, 2, "{\"state\": \"b\", \"config\": {\"x\": [1, \"y\"]}}"));
	assert_true(put(f, 3, "{\"state\": \"a\"}"));
	assert_string_equal(found(f, "config.x=1"), "1 2");
	assert_string_equal(found(f, "not has:config.x"), "3");
	assert_true(put(f, 1, "{\"state\": \"b\"}"));
	assert_string_equal(found(f, "config.x=1"), "2");
	assert_string_equal(found(f, "state:b"), "1 2");
	assert_true(put(f, 2, NULL));
	assert_string_equal(found(f, ""), "1 3");
	assert_true(put(f, 2, "{\"state\": \"c\"}"));
	assert_string_equal(found(f, "state:c"), "2");
}

/* Whoever follows may bring what is older than what is there. */
static void what_is_older_changes_nothing(void **state)
{
	struct fixture *f = *state;
	const struct columns_document old = { 1, 1, 0, true, STR("{}") };

	assert_true(put(f, 1, "{\"state\": \"a\"}"));
	assert_true(put(f, 1, "{\"state\": \"b\"}"));
	assert_true(columns_put(f->c, &old));
	assert_string_equal(found(f, "state:b"), "1");
}

static void many_rows_and_chunks(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 3 * COLUMNS_CHUNK + 5; i++)
		assert_true(put(f, i,
				arena_printf(f->a, "{\"id\": \"r%d\", \"config\": {\"x\": %d}}", i,
					     i % 500)));
	assert_string_equal(found(f, "config.x:499"), "499");
	assert_string_equal(found(f, "config.x>=498"), "498 499");
	assert_string_equal(found(f, "id:/^r77[0-2]$/"), "770 771 772");
	assert_string_equal(found(f, "not config.x<499"), "499");
}

static void what_is_no_document_is_told(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{",
		"{\"state\"",
		"{\"state\": ",
		"{\"state\": \"",
		"{\"state\": \"a\"",
		"{\"config\": {\"x\": [1, 2}}",
		"{\"config\": {\"x\": [[1}}",
		"{\"config\": {\"x\" 1}}",
		"{\"tags\": [\"a\" \"b\"]}",
		"{\"config\": {\"x\": }}",
		"{\"config\": {\"x\": \"\\u00",
		"{\"config\": {\"a\": [{\"b\": 1, \"c\"]}}",
		"{\"state\": \"a\",",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (put(f, 1, bad[i]))
			fail_msg("\"%s\" was taken", bad[i]);
	}
}

static void memory_is_limited(void **state)
{
	struct fixture *f = *state;
	int64_t i = 0;

	columns_free(f->c);
	f->c = columns_new(4 << 20);
	while (put(f, i,
		   arena_printf(f->a, "{\"config\": {\"x%lld\": \"%01000lld\"}}", (long long)i,
				(long long)i)))
		i++;
	assert_in_range(i, 200, 4000);
	assert_in_range(f->c->space.bytes, 4 << 20, 8 << 20);
}

/* A list of many objects, each with a name of its own and one that all have. */
static void a_list_of_objects_is_read_once(void **state)
{
	struct fixture *f = *state;
	struct buf *text = buf_new(f->a);

	buf_add_text(text, "{\"config\": {\"a\": [");
	for (int i = 0; i < 20000; i++)
		buf_printf(text, "%s{\"b\": %d}", i ? ", " : "", i);
	buf_add_text(text, "]}}");
	buf_add_byte(text, '\0');
	assert_true(put(f, 1, text->at));
	assert_string_equal(found(f, "config.a.b:19999"), "1");
	assert_string_equal(found(f, "config.a.b:20000"), "");
	assert_true(f->c->space.bytes < 4 << 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_change_and_go),   TEST(what_is_older_changes_nothing),
		TEST(many_rows_and_chunks), TEST(what_is_no_document_is_told),
		TEST(memory_is_limited),    TEST(a_list_of_objects_is_read_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
