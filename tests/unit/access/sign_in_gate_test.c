/* Who may try a password: so many at a time, and not too many wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "password.h"
#include "sign_in_gate.h"

#define SECOND INT64_C(1000000)
#define NOW (1000 * SECOND)

struct scene {
	struct arena *a;
	struct memory memory;
	struct sign_in_gate *gate;
	int64_t wait_s;
};

static void begin(struct scene *s, const struct sign_in_limits *limits, size_t memory)
{
	*s = (struct scene){ .a = arena_new(1024) };
	memory_init(&s->memory, memory);
	s->gate = sign_in_gate_new(limits, &s->memory);
}

static void end(struct scene *s)
{
	assert_int_equal(s->memory.used, 0);
	sign_in_gate_free(s->gate);
	arena_free(s->a);
}

static err_t enter(struct scene *s, const char *name, const char *address, int64_t now)
{
	struct sign_in_try t = { str_of(name), str_of(address) };

	return sign_in_gate_enter(s->gate, s->a, &t, now, &s->wait_s);
}

static void leave(struct scene *s, const char *name, const char *address,
		  enum sign_in_result result)
{
	struct sign_in_try t = { str_of(name), str_of(address) };

	sign_in_gate_leave(s->gate, &t, result);
}

static void wrongly(struct scene *s, const char *name, const char *address, int times)
{
	for (int i = 0; i < times; i++) {
		assert_null(enter(s, name, address, NOW));
		leave(s, name, address, SIGN_IN_WRONG);
	}
}

static void is_limited(struct scene *s, const char *name, const char *address, int64_t now)
{
	err_t e = enter(s, name, address, now);

	assert_non_null(e);
	assert_int_equal(e->kind, ERR_RATE_LIMIT);
	assert_true(s->wait_s >= 1 && s->wait_s <= 15 * 60 + 1);
}

static const struct sign_in_limits few = { 8, 3, 6 };

static void test_of_a_name(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, &few, 1 << 30);
	wrongly(&s, "ann", "10.0.0.1", 3);
	is_limited(&s, "ann", "10.0.0.1", NOW);
	is_limited(&s, "ann", "10.9.9.9", NOW);
	wrongly(&s, "bob", "10.0.0.1", 1);
	is_limited(&s, "ann", "10.0.0.1", NOW + 299 * SECOND);
	assert_null(enter(&s, "ann", "10.0.0.1", NOW + 300 * SECOND));
	leave(&s, "ann", "10.0.0.1", SIGN_IN_RIGHT);
	end(&s);
}

/* Others by the name, and the browser, are counted apart; those from its address are not. */
static void test_of_a_known_browser(void **state)
{
	const struct sign_in_try known = { STR("ann"), STR("10.0.0.2"), STR("device") };
	const struct sign_in_try near = { STR("ann"), STR("10.0.0.1"), STR("device") };
	struct scene s;

	(void)state;
	begin(&s, &few, 1 << 30);
	wrongly(&s, "ann", "10.0.0.1", 3);
	is_limited(&s, "ann", "10.0.0.2", NOW);
	for (int i = 0; i < 3; i++) {
		assert_null(sign_in_gate_enter(s.gate, s.a, &known, NOW, &s.wait_s));
		sign_in_gate_leave(s.gate, &known, SIGN_IN_WRONG);
	}
	assert_non_null(sign_in_gate_enter(s.gate, s.a, &known, NOW, &s.wait_s));
	end(&s);
	begin(&s, &few, 1 << 30);
	wrongly(&s, "bob", "10.0.0.1", 3);
	wrongly(&s, "eve", "10.0.0.1", 3);
	assert_non_null(sign_in_gate_enter(s.gate, s.a, &near, NOW, &s.wait_s));
	end(&s);
}

static void test_from_an_address(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, &few, 1 << 30);
	wrongly(&s, "a", "10.0.0.1", 3);
	wrongly(&s, "b", "10.0.0.1", 3);
	is_limited(&s, "c", "10.0.0.1", NOW);
	wrongly(&s, "c", "10.0.0.2", 1);
	end(&s);
}

static void test_a_network_of_ipv6_is_one(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, &few, 1 << 30);
	wrongly(&s, "a", "2001:db8:1:2::1", 3);
	wrongly(&s, "b", "2001:db8:1:2:ffff::2", 3);
	is_limited(&s, "c", "2001:db8:1:2:3:4:5:6", NOW);
	wrongly(&s, "c", "2001:db8:1:3::1", 1);
	end(&s);
}

static void test_right_ones_do_not_count(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, &few, 1 << 30);
	for (int i = 0; i < 50; i++) {
		assert_null(enter(&s, "ann", "10.0.0.1", NOW));
		leave(&s, "ann", "10.0.0.1", SIGN_IN_RIGHT);
	}
	wrongly(&s, "ann", "10.0.0.1", 3);
	end(&s);
}

/* Else many tries at the same moment would be more than the limit. */
static void test_those_under_way_count(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, &few, 1 << 30);
	for (int i = 0; i < 3; i++)
		assert_null(enter(&s, "ann", "10.0.0.1", NOW));
	is_limited(&s, "ann", "10.0.0.1", NOW);
	for (int i = 0; i < 3; i++)
		leave(&s, "ann", "10.0.0.1", SIGN_IN_RIGHT);
	end(&s);
}

static void is_busy(struct scene *s, const char *name)
{
	err_t e = enter(s, name, "10.0.0.1", NOW);

	assert_non_null(e);
	assert_int_equal(e->kind, ERR_BUSY);
	assert_int_equal(s->wait_s, 1);
}

static void test_so_many_at_a_time(void **state)
{
	static const struct sign_in_limits two = { 2, 100, 100 };
	struct scene s;

	(void)state;
	begin(&s, &two, 1 << 30);
	assert_null(enter(&s, "a", "10.0.0.1", NOW));
	assert_null(enter(&s, "b", "10.0.0.1", NOW));
	is_busy(&s, "c");
	leave(&s, "a", "10.0.0.1", SIGN_IN_WRONG);
	assert_null(enter(&s, "c", "10.0.0.1", NOW));
	leave(&s, "b", "10.0.0.1", SIGN_IN_WRONG);
	leave(&s, "c", "10.0.0.1", SIGN_IN_WRONG);
	end(&s);
}

static void test_as_many_as_there_is_memory_for(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, &few, PASSWORD_MEMORY / 2);
	assert_null(enter(&s, "a", "10.0.0.1", NOW));
	assert_int_equal(s.memory.used, PASSWORD_MEMORY);
	is_busy(&s, "b");
	leave(&s, "a", "10.0.0.1", SIGN_IN_RIGHT);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_a_name),
		cmocka_unit_test(test_of_a_known_browser),
		cmocka_unit_test(test_from_an_address),
		cmocka_unit_test(test_a_network_of_ipv6_is_one),
		cmocka_unit_test(test_right_ones_do_not_count),
		cmocka_unit_test(test_those_under_way_count),
		cmocka_unit_test(test_so_many_at_a_time),
		cmocka_unit_test(test_as_many_as_there_is_memory_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
