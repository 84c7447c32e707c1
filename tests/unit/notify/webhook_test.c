/* Where webhooks may lead to, what their addresses may be, and the secret they are signed with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <string.h>

#include "arena.h"
#include "webhook.h"
#include "webhook_hosts.h"

static const struct key_secret secret = { { 1, 2, 3 } };
static const struct key_secret other = { { 1, 2, 4 } };

static bool may_reach(const char *rules, const char *address)
{
	struct arena *a = arena_new(1024);
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
	const struct webhook_hosts *hosts;
	bool may;

	assert_null(webhook_hosts_parse(a, rules, &hosts));
	if (inet_pton(AF_INET, address, &v4.sin_addr) == 1) {
		may = webhook_hosts_has_address(hosts, (const struct sockaddr *)&v4);
	} else {
		assert_int_equal(inet_pton(AF_INET6, address, &v6.sin6_addr), 1);
		may = webhook_hosts_has_address(hosts, (const struct sockaddr *)&v6);
	}
	arena_free(a);
	return may;
}

static void addresses(void **state)
{
	static const char *const kept_out[] = {
		"127.0.0.1",
		"127.255.0.1",
		"0.0.0.0",
		"10.1.2.3",
		"172.16.0.1",
		"172.31.255.255",
		"192.168.0.1",
		"169.254.169.254",
		"100.64.0.1",
		"224.0.0.1",
		"255.255.255.255",
		"::1",
		"::",
		"fe80::1",
		"fd00::1",
		"ff02::1",
		"::ffff:127.0.0.1",
		"::ffff:10.0.0.1",
		"64:ff9b::7f00:1",
		"2002:7f00:1::",
	};
	static const char *const let_through[] = { "9.9.9.9",         "172.15.255.255",
						   "172.32.0.1",      "128.0.0.1",
						   "223.255.255.255", "2620:fe::fe",
						   "::ffff:9.9.9.9" };

	(void)state;
	for (size_t i = 0; i < sizeof(kept_out) / sizeof(kept_out[0]); i++) {
		assert_false(may_reach("external", kept_out[i]));
		assert_true(may_reach("*", kept_out[i]));
		assert_false(may_reach("", kept_out[i]));
	}
	for (size_t i = 0; i < sizeof(let_through) / sizeof(let_through[0]); i++) {
		assert_true(may_reach("external", let_through[i]));
		assert_false(may_reach("chat.example.org", let_through[i]));
	}
	assert_true(may_reach("10.1.0.0/16,::1", "10.1.255.255"));
	assert_true(may_reach("10.1.0.0/16,::1", "::ffff:10.1.0.1"));
	assert_true(may_reach("10.1.0.0/16, ::1", "::1"));
	assert_false(may_reach("10.1.0.0/16,::1", "10.2.0.1"));
	assert_false(may_reach("10.1.0.0/16,::1", "9.9.9.9"));
}

static void names(void **state)
{
	static const struct {
		const char *rules, *name;
		bool has;
	} cases[] = {
		{ "chat.example.org", "chat.example.org", true },
		{ "chat.example.org", "CHAT.example.ORG", true },
		{ "chat.example.org", "chat.example.orga", false },
		{ "chat.example.org", "x.chat.example.org", false },
		{ "*.example.org", "a.b.example.org", true },
		{ "*.example.org", "example.org", false },
		{ "*.example.org", "evilexample.org", false },
		{ "external", "chat.example.org", false },
		{ "*", "chat.example.org", true },
		{ "", "chat.example.org", false },
	};
	struct arena *a = arena_new(1024);
	const struct webhook_hosts *hosts;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_null(webhook_hosts_parse(a, cases[i].rules, &hosts));
		assert_int_equal(webhook_hosts_has_name(hosts, str_of(cases[i].name)),
				 cases[i].has);
	}
	assert_non_null(webhook_hosts_parse(a, "10.0.0.0/33", &hosts));
	assert_non_null(webhook_hosts_parse(a, "chat.example.org/path", &hosts));
	assert_non_null(webhook_hosts_parse(a, "*.", &hosts));
	arena_free(a);
}

static void hosts_of_addresses(void **state)
{
	static const char *const cases[][2] = {
		{ "http://chat.example.org", "chat.example.org" },
		{ "https://chat.example.org:8443/a:b", "chat.example.org" },
		{ "http://chat.example.org?x=http://b/", "chat.example.org" },
		{ "http://[::1]:80/", "::1" },
		{ "https://10.0.0.1/", "10.0.0.1" },
	};
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_null(webhook_check_url(a, str_of(cases[i][0])));
		assert_true(str_is(webhook_host(str_of(cases[i][0])), cases[i][1]));
	}
	arena_free(a);
}

static void addresses_that_two_parsers_may_read_differently_are_refused(void **state)
{
	static const char *const cases[][2] = {
		{ "HTTP://a/", "must begin with" },    { "ftp://a/", "must begin with" },
		{ "http:/a/", "must begin with" },     { "http://a b/", "must contain only" },
		{ "http://a/\x7f", "must contain" },   { "http://a/\\b", "must contain only" },
		{ "http://a/#b", "must contain" },     { "http://a/\xc3\xa4", "must contain only" },
		{ "http://a@b/", "must not contain" }, { "http://a@b", "must not contain" },
		{ "http://[]/", "has no host" },       { "http://:80/", "has no host" },
		{ "https://", "has no host" },         { "https:///a", "has no host" },
	};
	static const char *const good[] = { "http://a/b@c", "http://a?b@c", "http://~",
					    "https://!" };
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		err_t e = webhook_check_url(a, str_of(cases[i][0]));

		assert_non_null(e);
		assert_int_equal(e->kind, ERR_INVALID);
		assert_string_equal(e->field, "url");
		assert_true(str_starts(str_of(e->message), cases[i][1]));
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_null(webhook_check_url(a, str_of(good[i])));
	arena_free(a);
}

static void addresses_have_a_longest_length(void **state)
{
	struct arena *a = arena_new(1024);
	const char *url = arena_printf(a, "http://a/%0*d", WEBHOOK_URL_MAX, 0);

	(void)state;
	assert_null(webhook_check_url(a, (struct str){ url, WEBHOOK_URL_MAX }));
	assert_int_equal(webhook_check_url(a, (struct str){ url, WEBHOOK_URL_MAX + 1 })->kind,
			 ERR_INVALID);
	arena_free(a);
}

static void secrets(void **state)
{
	struct arena *a = arena_new(1024);
	struct str plain = STR("what only it knows");
	struct str sealed = webhook_seal(a, &secret, plain);
	struct str again = webhook_seal(a, &secret, plain);
	struct str opened;

	(void)state;
	assert_true(webhook_open(a, &secret, sealed, &opened) && str_equal(opened, plain));
	assert_false(str_equal(sealed, again));
	assert_false(webhook_open(a, &other, sealed, &opened));
	for (size_t len = 0; len < sealed.len; len++)
		assert_false(webhook_open(a, &secret, (struct str){ sealed.at, len }, &opened));
	arena_free(a);
}

/* RFC 4231, case 2. */
static void signature(void **state)
{
	char text[WEBHOOK_SIGNATURE_SIZE + 1];

	(void)state;
	webhook_sign(STR("Jefe"), STR("what do ya want for nothing?"), text);
	assert_string_equal(text, "5bdcc146bf60754e6a042426089575c7"
				  "5a003f089d2739839dec58b964ec3843");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(names),
		cmocka_unit_test(hosts_of_addresses),
		cmocka_unit_test(secrets),
		cmocka_unit_test(signature),
		cmocka_unit_test(addresses_have_a_longest_length),
		cmocka_unit_test(addresses_that_two_parsers_may_read_differently_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
