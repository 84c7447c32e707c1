/* Summaries as the SDK has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dotted_names_give_way_to_objects),
		cmocka_unit_test(names_as_another_summary_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
