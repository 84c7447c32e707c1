/* A document that is too large loses its largest members, as few as need be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "document_fit.h"

static void the_excess_is_what_is_beyond_the_limits(void **state)
{
	const struct leaves_size most = { JSON_DOC_MAX_VALUES - 1, DOCUMENT_MAX_BYTES,
					  LEAVES_MAX_PATH_BYTES };
	const struct leaves_size more = { JSON_DOC_MAX_VALUES + 4, DOCUMENT_MAX_BYTES + 7,
					  LEAVES_MAX_PATH_BYTES - 3 };
	struct leaves_size excess = leaves_excess(&most);

	(void)state;
	assert_int_equal(excess.values, 0);
	assert_int_equal(excess.bytes, 0);
	assert_int_equal(excess.paths, 0);
	excess = leaves_excess(&more);
	assert_int_equal(excess.values, 5);
	assert_int_equal(excess.bytes, 7);
	assert_int_equal(excess.paths, -3);
}

struct fit {
	const char *doc;
	struct leaves_size excess;
	const char *kept; /* NULL: nothing */
	const char *left_out;
};

static void check(const struct fit *fit)
{
	struct arena *a = arena_new(4096);
	struct left_out_list list = { 0 };
	struct buf *names = buf_new(a);
	const struct json_doc *doc;
	const struct json_doc *kept;

	assert_null(json_doc_parse(a, str_of(fit->doc), &doc));
	kept = document_fit(a, doc, &fit->excess, LEFT_OUT_CONFIG, &list);
	assert_int_equal(kept != NULL, fit->kept != NULL);
	if (kept)
		assert_string_equal(str_copy(a, json_doc_dump(a, kept)), fit->kept);
	for (size_t i = 0; i < list.count; i++) {
		assert_int_equal(list.items[i].kind, LEFT_OUT_CONFIG);
		assert_int_equal(list.items[i].reason, LEFT_OUT_DOCUMENT_FULL);
		buf_printf(names, "%.*s ", STR_ARG(list.items[i].name));
	}
	buf_add_byte(names, '\0');
	assert_string_equal(names->at, fit->left_out);
	arena_free(a);
}

/* Values: 1, 4, 2 and 3 (an object and its two). Bytes with names: 12, 8, 5 and 9. */
#define FOUR "{\"a\":\"123456789\",\"b\":[1,2,3],\"c\":[77],\"d\":{\"long\":5,\"er\":6}}"

static void the_largest_members_are_left_out(void **state)
{
	static const struct fit fits[] = {
		{ FOUR,
		  { 0, 1, 0 },
		  "{\"b\":[1,2,3],\"c\":[77],\"d\":{\"er\":6,\"long\":5}}",
		  "a " },
		{ FOUR,
		  { 0, 12, 0 },
		  "{\"b\":[1,2,3],\"c\":[77],\"d\":{\"er\":6,\"long\":5}}",
		  "a " },
		{ FOUR, { 0, 13, 0 }, "{\"b\":[1,2,3],\"c\":[77]}", "a d " },
		{ FOUR, { 0, 21, 0 }, "{\"b\":[1,2,3],\"c\":[77]}", "a d " },
		{ FOUR, { 0, 22, 0 }, "{\"c\":[77]}", "a b d " },
		{ FOUR,
		  { 4, 0, 0 },
		  "{\"a\":\"123456789\",\"c\":[77],\"d\":{\"er\":6,\"long\":5}}",
		  "b " },
		{ FOUR, { 5, 0, 0 }, "{\"a\":\"123456789\",\"c\":[77]}", "b d " },
		/* names with those around them: a, b and c have one byte, d has 1 + 6 + 4 */
		{ FOUR, { 0, 0, 11 }, "{\"a\":\"123456789\",\"b\":[1,2,3],\"c\":[77]}", "d " },
		{ FOUR, { 0, 0, 12 }, "{\"b\":[1,2,3],\"c\":[77]}", "a d " },
		{ FOUR, { 0, 34, 0 }, NULL, "a b c d " },
		{ FOUR, { 100, 0, 0 }, NULL, "a b c d " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fits) / sizeof(fits[0]); i++)
		check(&fits[i]);
}

static void without_a_known_excess_one_member_is_left_out(void **state)
{
	static const struct fit fits[] = {
		{ "{\"a\":1,\"b\":[1,2,3,4,5,6,7,8,9],\"c\":2}",
		  { 0, 0, 0 },
		  "{\"a\":1,\"c\":2}",
		  "b " },
		{ "{\"a\":1,\"b\":1}", { -5, -5, -5 }, "{\"b\":1}", "a " },
		{ "{\"a\":1}", { 0, 0, 0 }, NULL, "a " },
		{ "{}", { 0, 1, 0 }, NULL, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fits) / sizeof(fits[0]); i++)
		check(&fits[i]);
}

/* The members' own excess over the limits counts, if it is more than the named one. */
static void the_excess_of_its_own_counts(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct buf *b = buf_new(a);

	(void)state;
	buf_printf(b, "{\"a\":\"%0*d\",\"b\":\"%0*d\",\"c\":1}", 3 * (DOCUMENT_MAX_BYTES / 4), 0,
		   2 * (DOCUMENT_MAX_BYTES / 3), 0);
	buf_add_byte(b, '\0');
	check(&(struct fit){
		b->at,
		{ 0, 1, 0 },
		arena_printf(a, "{\"b\":\"%0*d\",\"c\":1}", 2 * (DOCUMENT_MAX_BYTES / 3), 0),
		"a " });
	buf_clear(b);
	for (int c = 'a'; c <= 'e'; c++)
		buf_printf(b, "%s\"%c\":\"%0*d\"", c == 'a' ? "{" : ",", c, DOCUMENT_MAX_BYTES / 2,
			   0);
	buf_add_text(b, ",\"f\":1}");
	buf_add_byte(b, '\0');
	check(&(struct fit){ b->at,
			     { 0, 1, 0 },
			     arena_printf(a, "{\"e\":\"%0*d\",\"f\":1}", DOCUMENT_MAX_BYTES / 2, 0),
			     "a b c d " });
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_excess_is_what_is_beyond_the_limits),
		cmocka_unit_test(the_largest_members_are_left_out),
		cmocka_unit_test(without_a_known_excess_one_member_is_left_out),
		cmocka_unit_test(the_excess_of_its_own_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
