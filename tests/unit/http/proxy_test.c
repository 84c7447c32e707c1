#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "proxy.h"

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

static void knows_its_networks(void **state)
{
	static const struct {
		const char *list;
		const char *address;
		bool is_in;
	} cases[] = {
		{ "", "127.0.0.1", false },
		{ "127.0.0.1", "127.0.0.1", true },
		{ "127.0.0.1", "127.0.0.2", false },
		{ "127.0.0.1", "::ffff:127.0.0.1", true },
		{ "10.0.0.0/8, 192.168.1.0/24", "10.200.3.4", true },
		{ "10.0.0.0/8, 192.168.1.0/24", "192.168.1.255", true },
		{ "10.0.0.0/8, 192.168.1.0/24", "192.168.2.0", false },
		{ "10.0.0.0/9", "10.127.0.1", true },
		{ "10.0.0.0/9", "10.128.0.1", false },
		{ "0.0.0.0/0", "8.8.8.8", true },
		{ "0.0.0.0/0", "2001:db8::1", false },
		{ "::/0", "8.8.8.8", true },
		{ "2001:db8::/33", "2001:db8:7fff::1", true },
		{ "2001:db8::/33", "2001:db8:8000::1", false },
		{ "::1", "::1", true },
		{ "127.0.0.1", "nonsense", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct proxy_list *list;

		assert_null(proxy_list_parse(*state, cases[i].list, &list));
		if (proxy_list_has(list, str_of(cases[i].address)) != cases[i].is_in)
			fail_msg("\"%s\" in \"%s\"", cases[i].address, cases[i].list);
	}
}

static void refuses_what_is_no_network(void **state)
{
	static const char *const lists[] = { "x",        "10.0.0.0/33", "10.0.0.0/-1",
					     "10.0.0/8", "::/129",      "1.2.3.4,x" };
	const struct proxy_list *list;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		assert_non_null(proxy_list_parse(*state, lists[i], &list));
}

static void finds_the_client_behind_proxies(void **state)
{
	static const struct {
		const char *peer;
		const char *forwarded;
		const char *client;
	} cases[] = {
		{ "10.0.0.1", "", "10.0.0.1" },
		{ "10.0.0.1", "1.2.3.4", "1.2.3.4" },
		{ "10.0.0.1", "9.9.9.9, 1.2.3.4", "1.2.3.4" },
		{ "10.0.0.1", "9.9.9.9, 1.2.3.4, 10.0.0.2", "1.2.3.4" },
		{ "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3" },
		{ "8.8.8.8", "1.2.3.4", "8.8.8.8" },
		{ "10.0.0.1", "nonsense", "10.0.0.1" },
		{ "10.0.0.1", "1.2.3.4, nonsense", "10.0.0.1" },
		{ "10.0.0.1", "1.2.3.4:5678", "1.2.3.4" },
		{ "10.0.0.1", "[2001:db8::1]:80", "2001:db8::1" },
		{ "10.0.0.1", "2001:db8::1", "2001:db8::1" },
		{ "10.0.0.1", ",,1.2.3.4", "1.2.3.4" },
	};
	const struct proxy_list *list;

	assert_null(proxy_list_parse(*state, "10.0.0.0/8", &list));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str client = proxy_client(*state, list, str_of(cases[i].peer),
						 str_of(cases[i].forwarded));

		if (!str_is(client, cases[i].client))
			fail_msg("case %zu: %.*s", i, STR_ARG(client));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(knows_its_networks, begin, end),
		cmocka_unit_test_setup_teardown(refuses_what_is_no_network, begin, end),
		cmocka_unit_test_setup_teardown(finds_the_client_behind_proxies, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
