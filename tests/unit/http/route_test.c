#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "path.h"
#include "route.h"

static const struct route routes[] = {
	{ GET, "/", NULL, ACCESS_OPEN, 0, 0, "" },
	{ GET, "/runs/latest", NULL, ACCESS_OPEN, 0, 0, "" },
	{ GET, "/runs/{run}", NULL, ACCESS_OPEN, 0, 0, "" },
	{ PUT, "/runs/{run}", NULL, ACCESS_OPEN, 0, 0, "" },
	{ POST, "/p/{entity}/{project}/runs/{run}/finish", NULL, ACCESS_OPEN, 0, 0, "" },
	{ GET, "/f/{name...}", NULL, ACCESS_OPEN, 0, 0, "" },
};
enum { ROUTES = sizeof(routes) / sizeof(routes[0]) };

static int begin(void **state)
{
	*state = arena_new(4096);
	return 0;
}

static int end(void **state)
{
	arena_free(*state);
	return 0;
}

static void finds_by_raw_path(void **state)
{
	static const struct {
		enum method method;
		const char *path;
		int row; /* -1: none */
		unsigned allowed;
		const char *param; /* value of the first parameter */
	} cases[] = {
		{ GET, "/", 0, 1 << GET, NULL },
		{ GET, "/runs/latest", 1, 1 << GET | 1 << PUT, NULL },
		{ GET, "/runs/abc", 2, 1 << GET | 1 << PUT, "abc" },
		{ PUT, "/runs/latest", 3, 1 << GET | 1 << PUT, "latest" },
		{ DELETE, "/runs/abc", -1, 1 << GET | 1 << PUT, NULL },
		{ GET, "/runs/a%2Fb", 2, 1 << GET | 1 << PUT, "a/b" },
		{ GET, "/runs/a%252Fb", 2, 1 << GET | 1 << PUT, "a%2Fb" },
		{ GET, "/runs/%2e", 2, 1 << GET | 1 << PUT, "." },
		{ GET, "/runs/a+b", 2, 1 << GET | 1 << PUT, "a+b" },
		{ GET, "/ru%6Es/latest", 1, 1 << GET | 1 << PUT, NULL },
		{ GET, "/runs%2Flatest", -1, 0, NULL },
		{ GET, "/runs/", -1, 0, NULL },
		{ GET, "/runs", -1, 0, NULL },
		{ GET, "/runs/a/", -1, 0, NULL },
		{ GET, "//runs/a", -1, 0, NULL },
		{ GET, "/runs/a%00", -1, 1 << GET | 1 << PUT, NULL },
		{ GET, "/runs/a%zz", -1, 1 << GET | 1 << PUT, NULL },
		{ GET, "", -1, 0, NULL },
		{ POST, "/p/e/q/runs/%C3%A9/finish", 4, 1 << POST, "e" },
		{ POST, "/p/e/q/runs//finish", -1, 0, NULL },
		{ POST, "/p/e%2Fq/runs/r/finish", -1, 0, NULL },
		{ GET, "/f/a", 5, 1 << GET, "a" },
		{ GET, "/f/a/b%2fc/%64", 5, 1 << GET, "a/b/c/d" },
		{ GET, "/f/./a/../b//", 5, 1 << GET, "./a/../b//" },
		{ GET, "/f/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r", 5, 1 << GET,
		  "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r" },
		{ GET, "/f/a/%00", -1, 1 << GET, NULL },
		{ GET, "/f/", -1, 0, NULL },
		{ GET, "/f", -1, 0, NULL },
		{ GET, "/f//a", -1, 0, NULL },
		{ GET, "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q", -1, 0, NULL },
	};

	const struct route_table *table = route_table_new(*state, routes, ROUTES);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct params params = { .count = 0 };
		struct route_options options;
		const struct route *r = route_find(table, cases[i].method, str_of(cases[i].path),
						   *state, &params, &options);

		if (r != (cases[i].row < 0 ? NULL : &routes[cases[i].row]))
			fail_msg("case %zu: %s", i, cases[i].path);
		assert_int_equal(options.methods, cases[i].allowed);
		if (cases[i].param)
			assert_string_equal(params.at[0].value.at, cases[i].param);
	}
}

static void names_all_parameters(void **state)
{
	const struct route_table *table = route_table_new(*state, routes, ROUTES);
	struct params params;
	struct route_options options;

	assert_non_null(route_find(table, POST, STR("/p/e/a%20b/runs/r/finish"), *state, &params,
				   &options));
	assert_int_equal(params.count, 3);
	assert_true(str_is(params.at[1].name, "project"));
	assert_true(str_is(params.at[1].value, "a b"));
	assert_true(str_is(params.at[2].name, "run"));
}

static void faults_of_paths(void **state)
{
	static const struct {
		struct str target;
		bool fine;
	} cases[] = {
		{ STR("/"), true },         { STR("/a%2Fb?x=%41+y"), true },
		{ STR("/%C3%A9"), true },   { STR("/a..b/...x"), true },
		{ STR(""), false },         { STR("a"), false },
		{ STR("/%"), false },       { STR("/%4"), false },
		{ STR("/%g0"), false },     { STR("/%00"), false },
		{ STR("/a%C3"), false },    { STR("/\xff"), false },
		{ STR("/a b"), false },     { STR("/a\x01"), false },
		{ STR("/a/../b"), false },  { STR("/a/%2e%2e/b"), false },
		{ STR("/./b"), true },      { STR("/a?x=%zz"), false },
		{ STR("/a?x=%00"), false }, { STR("/a?x=%ff"), false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!path_fault(*state, cases[i].target) != cases[i].fine)
			fail_msg("case %zu: %s", i, cases[i].target.at);
	}
}

static void finds_dots(void **state)
{
	assert_true(path_has_dot(*state, STR("/a/./b")));
	assert_true(path_has_dot(*state, STR("/a/%2e")));
	assert_true(path_has_dot(*state, STR("/%2E/a")));
	assert_false(path_has_dot(*state, STR("/a/.b/c./...")));
}

static void long_paths_are_refused(void **state)
{
	static char path[PATH_MAX_BYTES + 2];

	for (size_t i = 0; i < sizeof(path); i++)
		path[i] = '/';
	assert_null(path_fault(*state, (struct str){ path, PATH_MAX_BYTES }));
	assert_non_null(path_fault(*state, (struct str){ path, PATH_MAX_BYTES + 1 }));
}

static void finds_in_queries(void **state)
{
	struct str query = STR("a=1&b=x%26y+z&a=2&empty=&c&%64=e");

	assert_string_equal(path_query_find(*state, query, STR("a")).at, "1");
	assert_string_equal(path_query_find(*state, query, STR("b")).at, "x&y z");
	assert_string_equal(path_query_find(*state, query, STR("empty")).at, "");
	assert_string_equal(path_query_find(*state, query, STR("c")).at, "");
	assert_string_equal(path_query_find(*state, query, STR("d")).at, "e");
	assert_null(path_query_find(*state, query, STR("x")).at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_by_raw_path, begin, end),
		cmocka_unit_test_setup_teardown(names_all_parameters, begin, end),
		cmocka_unit_test_setup_teardown(faults_of_paths, begin, end),
		cmocka_unit_test_setup_teardown(finds_dots, begin, end),
		cmocka_unit_test_setup_teardown(long_paths_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(finds_in_queries, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
