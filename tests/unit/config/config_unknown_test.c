/* Variables of the environment that look like settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "config_unknown.h"

static void those_that_are_no_settings_are_told(void **state)
{
	static const struct {
		const char *line;
		const char *variable; /* NULL: it is let pass */
		const char *nearest;
	} cases[] = {
		{ "CAIRN_LOGLEVEL=debug", "CAIRN_LOGLEVEL", "CAIRN_LOG_LEVEL" },
		{ "CAIRN_MAX_BODYS=1M", "CAIRN_MAX_BODYS", "CAIRN_MAX_BODY" },
		{ "CAIRN_DATABASE=postgresql://x", "CAIRN_DATABASE", "CAIRN_DATABASE_URL" },
		{ "CAIRN_LISTEN_FILE=/x", "CAIRN_LISTEN_FILE", "CAIRN_LISTEN" },
		{ "CAIRN_log_level=debug", "CAIRN_log_level", "CAIRN_LOG_LEVEL" },
		{ "CAIRN_ZZZZ=1", "CAIRN_ZZZZ", NULL },
		{ "CAIRN_=1", "CAIRN_", NULL },
		{ "CAIRN_LOG_LEVEL=debug", NULL, NULL },
		{ "CAIRN_DATABASE_URL_FILE=/x", NULL, NULL },
		{ "CAIRN_LOGLEVEL=", NULL, NULL },
		{ "CAIRN_LOGLEVEL", NULL, NULL },
		{ "CAIRNS_LOGLEVEL=1", NULL, NULL },
		{ "CAIRN_URL=http://cairn", NULL, NULL },
		{ "CAIRN_SERVICE_HOST=10.0.0.1", NULL, NULL },
		{ "CAIRN_PORT_8080_TCP_ADDR=10.0.0.1", NULL, NULL },
		{ "CAIRN_PORT=tcp://10.0.0.1:8080", NULL, NULL },
		{ "CAIRN_PORT=8080", "CAIRN_PORT", "CAIRN_PORT_FILE" },
		{ "CAIRN_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=1",
		  "CAIRN_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		  NULL },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const environment[] = { "HOME=/root", cases[i].line, NULL };
		struct config_unknown *list;
		size_t count = config_list_unknown(a, environment, &list);

		if (count != (cases[i].variable != NULL))
			fail_msg("%s", cases[i].line);
		if (!count)
			continue;
		assert_string_equal(list[0].variable, cases[i].variable);
		if (cases[i].nearest)
			assert_string_equal(list[0].nearest, cases[i].nearest);
		else
			assert_null(list[0].nearest);
	}
	arena_free(a);
}

static void all_of_them_are_told(void **state)
{
	const char *environment[101] = { NULL };
	struct arena *a = arena_new(4096);
	struct config_unknown *list;

	(void)state;
	for (int i = 0; i < 100; i++)
		environment[i] = arena_printf(a, "CAIRN_NO_SUCH_%d=1", i);
	assert_int_equal(config_list_unknown(a, environment, &list), 100);
	assert_string_equal(list[99].variable, "CAIRN_NO_SUCH_99");
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_are_no_settings_are_told),
		cmocka_unit_test(all_of_them_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
