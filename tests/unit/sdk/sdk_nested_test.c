/* Summaries as the SDK has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "sdk_nested.h"

static void dotted_names_give_way_to_objects(void **state)
{
	static const struct {
		const char *ours;
		const char *theirs;
		const char *shape; /* NULL: {} */
	} cases[] = {
		{ "{}", "{}" },
		{ "{\"a\":1,\"b\":{\"c\":2}}", "{\"a\":1,\"b\":{\"c\":2}}" },
		{ "{\"d\":{\"x\":1},\"d.x\":2}", "{\"d\":{\"x\":1}}" },
		{ "{\"d\":{\"x\":1},\"d.y\":2}", "{\"d\":{\"x\":1},\"d.y\":2}" },
		{ "{\"d.x\":2}", "{\"d.x\":2}" },
		{ "{\"d.x\":2,\"d.y\":3}", "{\"d\":{\"x\":2,\"y\":3}}",
		  "{\"d\":{\"x\":1,\"y\":0}}" },
		{ "{\"d.x\":2}", "{\"d.x\":2}", "{\"d.x\":1}" },
		{ "{\"i._type\":\"image-file\",\"i.path\":\"a.png\",\"i.size.w\":3,\"ip\":1}",
		  "{\"i\":{\"_type\":\"image-file\",\"path\":\"a.png\",\"size\":{\"w\":3}},\"ip\":1}" },
		{ "{\"m.i._type\":\"t\",\"m.i.p\":1,\"m.x\":2}",
		  "{\"m.i\":{\"_type\":\"t\",\"p\":1},\"m.x\":2}" },
		{ "{\"i\":{\"_type\":\"t\",\"p\":1},\"i._type\":\"t\",\"i.p\":1}",
		  "{\"i\":{\"_type\":\"t\",\"p\":1}}" },
		{ "{\"d.x\":{\"y\":1,\"z\":2},\"d.x.y\":3,\"d.w\":4}",
		  "{\"d\":{\"w\":4,\"x\":{\"y\":3,\"z\":2}}}",
		  "{\"d\":{\"w\":0,\"x\":{\"y\":0}}}" },
		{ "{\"d.x\":5,\"d.x.y\":3}", "{\"d\":{\"x\":{\"y\":3}}}",
		  "{\"d\":{\"x\":{\"y\":0}}}" },
		{ "{\"i._type\":1,\"i.p\":1}", "{\"i._type\":1,\"i.p\":1}" },
		{ "{\".\":1,\"a.\":2,\".b\":3}", "{\".\":1,\".b\":3,\"a.\":2}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct json_doc *ours, *shape = json_doc_empty();

		assert_null(json_doc_parse(a, str_of(cases[i].ours), &ours));
		if (cases[i].shape)
			assert_null(json_doc_parse(a, str_of(cases[i].shape), &shape));
		assert_string_equal(json_doc_dump(a, sdk_nested(a, ours, shape)).at,
				    cases[i].theirs);
		arena_free(a);
	}
}

static void names_as_another_summary_has_them(void **state)
{
	static const struct {
		const char *sent;
		const char *flat;
		const char *result;
	} cases[] = {
		{ "{}", "{\"d.x\":1}", "{}" },
		{ "{\"d\":{\"x\":1}}", "{}", "{\"d\":{\"x\":1}}" },
		{ "{\"d\":{\"x\":1,\"y\":2}}", "{\"d.x\":0}", "{\"d\":{\"y\":2},\"d.x\":1}" },
		{ "{\"d\":{\"x\":{\"z\":1}}}", "{\"d.x.z\":0}", "{\"d.x.z\":1}" },
		{ "{\"d\":{\"x\":{\"z\":1}}}", "{\"d.x\":0}", "{\"d.x\":{\"z\":1}}" },
		{ "{\"d.x\":1,\"e\":{}}", "{\"d.x\":0}", "{\"d.x\":1,\"e\":{}}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct json_doc *sent, *flat;

		assert_null(json_doc_parse(a, str_of(cases[i].sent), &sent));
		assert_null(json_doc_parse(a, str_of(cases[i].flat), &flat));
		assert_string_equal(json_doc_dump(a, sdk_nested_flat(a, sent, flat)).at,
				    cases[i].result);
		arena_free(a);
	}
}

/* {"x._type":"t","<before>a.a.…":1}, with so many dots in the long name. */
static const struct json_doc *with_dots(struct arena *a, const char *before, size_t dots)
{
	struct buf *b = buf_new(a);
	const struct json_doc *doc;

	buf_printf(b, "{\"x._type\":\"t\",\"%sa", before);
	for (size_t i = 0; i < dots; i++)
		buf_add_text(b, ".a");
	buf_add_text(b, "\":1}");
	assert_null(json_doc_parse(a, buf_str(b), &doc));
	return doc;
}

static void names_that_no_row_has_stay(void **state)
{
	static const struct {
		const char *before;
		size_t dots;
		bool stays;
	} cases[] = {
		{ "x.", 30, false }, /* 32 parts */
		{ "x.", 31, true },
		{ "x.", 200000, true },
		{ "y.", 20000, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct json_doc *ours = with_dots(a, cases[i].before, cases[i].dots);
		size_t size = arena_size(a);
		const struct json_doc *theirs = sdk_nested(a, ours, json_doc_empty());

		assert_int_equal(json_doc_get(theirs, ours->members[1].name) != NULL,
				 cases[i].stays);
		assert_true(arena_size(a) < size + (4 << 20));
		assert_true(json_doc_equal(sdk_nested_flat(a, theirs, ours), ours));
		assert_true(arena_size(a) < size + (8 << 20));
		arena_free(a);
	}
}

/* {"<"n" so often>":{"k0":1,…}} */
static void long_names_are_not_joined(void **state)
{
	struct arena *a = arena_new(4096);
	struct buf *b = buf_new(a);
	const struct json_doc *sent, *flat;
	size_t size;

	(void)state;
	buf_printf(b, "{\"%0100000d\":{\"k\":0", 0);
	for (int i = 0; i < 1000; i++)
		buf_printf(b, ",\"k%d\":1", i);
	buf_add_text(b, "}}");
	assert_null(json_doc_parse(a, buf_str(b), &sent));
	assert_null(json_doc_parse(a, STR("{\"d.x\":1}"), &flat));
	size = arena_size(a);
	assert_true(json_doc_equal(sdk_nested_flat(a, sent, flat), sent));
	assert_true(arena_size(a) < size + (4 << 20));
	arena_free(a);
}

static void many_values_of_one_object_are_put_together_at_once(void **state)
{
	enum { VALUES = 10000 };
	struct arena *a = arena_new(4096);
	struct buf *flat = buf_new(a);
	struct buf *nested = buf_new(a);
	const struct json_doc *ours, *shape, *theirs;
	size_t size;

	(void)state;
	for (int i = 0; i < VALUES; i++) {
		buf_printf(flat, "%s\"d.k%d\":1", i ? "," : "{", i);
		buf_printf(nested, "%s\"k%d\":1", i ? "," : "{\"d\":{", i);
	}
	buf_add_text(flat, "}");
	buf_add_text(nested, "}}");
	assert_null(json_doc_parse(a, buf_str(flat), &ours));
	assert_null(json_doc_parse(a, buf_str(nested), &shape));
	size = arena_size(a);
	theirs = sdk_nested(a, ours, shape);
	assert_true(arena_size(a) < size + (16 << 20));
	assert_true(json_doc_equal(theirs, shape));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dotted_names_give_way_to_objects),
		cmocka_unit_test(names_as_another_summary_has_them),
		cmocka_unit_test(names_that_no_row_has_stay),
		cmocka_unit_test(long_names_are_not_joined),
		cmocka_unit_test(many_values_of_one_object_are_put_together_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
