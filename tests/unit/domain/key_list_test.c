/* Lists of keys: which keys a text is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "key_list.h"

enum { MOST = 4 };

static const struct {
	const char *text;
	const char *keys[MOST];
} cases[] = {
	{ "", { "" } },
	{ "a", { "a" } },
	{ "a,b", { "a", "b" } },
	{ " a , b", { " a ", " b" } },
	{ "loss\\, total", { "loss, total" } },
	{ "a\\,b,c", { "a,b", "c" } },
	{ "\\,", { "," } },
	{ "a,", { "a", "" } },
	{ ",,", { "", "", "" } },
	{ "back\\slash", { "back\\slash" } },
	{ "back\\\\slash", { "back\\slash" } },
	{ "a\\\\,b", { "a\\", "b" } },
	{ "a\\\\\\,b", { "a\\,b" } },
	{ "end\\", { "end\\" } },
	{ "\"a,b\"", { "\"a", "b\"" } },
};

static void commas_part_keys_and_a_backslash_keeps_them(void **state)
{
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str rest = str_of(cases[i].text);
		size_t count = 0;

		while (rest.at) {
			struct str key = key_list_next(a, &rest);

			if (count == MOST || !cases[i].keys[count] ||
			    !str_is(key, cases[i].keys[count]))
				fail_msg("\"%s\": key %zu is \"%s\"", cases[i].text, count, key.at);
			count++;
		}
		if (count < MOST && cases[i].keys[count])
			fail_msg("\"%s\": %zu keys", cases[i].text, count);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_part_keys_and_a_backslash_keeps_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
