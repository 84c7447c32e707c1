/* Which addresses are the web page's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "page_path.h"

static void test_of_the_page(void **state)
{
	static const char *const paths[] = { "/",           "/ann",
					     "/ann/digits", "/ann/digits/runs/r1",
					     "/apis",       "/static-things/x",
					     "/größe/a b",  "/ann/api" };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_true(page_path_is_free(str_of(paths[i])));
}

static void test_of_the_server(void **state)
{
	static const char *const paths[] = { "",
					     "ann",
					     "/api",
					     "/api/v1/none",
					     "/sdk/x",
					     "/graphql",
					     "/files/a/b",
					     "/static",
					     "/static/x/y",
					     "/metrics/x",
					     "/favicon.ico",
					     "/artifacts/ann/0f",
					     "/storage/parts/1/2/3" };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_false(page_path_is_free(str_of(paths[i])));
}

static void test_who_asks(void **state)
{
	(void)state;
	assert_true(page_path_is_asked_for(STR("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")));
	assert_false(page_path_is_asked_for(STR("*/*")));
	assert_false(page_path_is_asked_for(STR("application/json")));
	assert_false(page_path_is_asked_for((struct str){ NULL, 0 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_the_page),
		cmocka_unit_test(test_of_the_server),
		cmocka_unit_test(test_who_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
