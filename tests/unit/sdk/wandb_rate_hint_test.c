/* What a process of the SDK makes of what it is told, answer by answer: its way of counting stands here again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wandb_rate_hint.h"

#define SDK_MOST 65536.0
#define SDK_LEAST 0.1
#define SDK_SMOOTHING 0.2

enum { SDK_LOOKS_EVERY = 5 };

struct sdk {
	double requests_a_unit;
	double units_a_second;
	double remaining;
	double ends_s;
	double now_s;
	unsigned requests;
};

static const struct sdk fresh = { .requests_a_unit = 1, .units_a_second = SDK_MOST, .now_s = 100 };

static double rate(const struct sdk *s)
{
	double asked = s->requests_a_unit * s->units_a_second;

	return asked < SDK_LEAST ? SDK_LEAST : asked > SDK_MOST ? SDK_MOST : asked;
}

static void look(struct sdk *s, const struct wandb_rate_hint *told)
{
	double used = s->remaining - (double)told->remaining;
	bool is_over = s->now_s > s->ends_s;
	double cost;

	s->requests++;
	assert_true(told->remaining > 0 && told->reset_s > 1);
	if (!is_over && s->requests < SDK_LOOKS_EVERY)
		return;
	s->units_a_second = (double)told->remaining / (double)told->reset_s;
	cost = used < 1 || is_over ? SDK_MOST / s->units_a_second : s->requests / used;
	s->requests_a_unit = s->requests_a_unit * SDK_SMOOTHING + cost * (1 - SDK_SMOOTHING);
	s->remaining = (double)told->remaining;
	s->ends_s = s->now_s + (double)told->reset_s;
	s->requests = 0;
}

/* Sends every so often, or as seldom as it was told. */
static void send(struct sdk *s, double every_s, double for_s, bool is_slow)
{
	double until_s = s->now_s + for_s;

	while (s->now_s < until_s) {
		const timestamp_us now = { (int64_t)(s->now_s * 1e6) };
		const struct wandb_rate_hint told = is_slow ? wandb_rate_hint_slow(now)
							    : wandb_rate_hint_full();
		double least_s = 1 / rate(s);

		look(s, &told);
		s->now_s += every_s > least_s ? every_s : least_s;
	}
}

static void test_nothing_is_slowed(void **state)
{
	struct sdk s = fresh;

	(void)state;
	send(&s, 0.01, 30, false);
	assert_true(rate(&s) > 10000);
}

static void test_it_slows_and_comes_back(void **state)
{
	static const double every_s[] = { 0.02, 0.5, 1, 5 };

	(void)state;
	for (size_t i = 0; i < sizeof(every_s) / sizeof(every_s[0]); i++) {
		struct sdk s = fresh;

		send(&s, every_s[i], 30, false);
		send(&s, every_s[i], 60, true);
		assert_true(rate(&s) < 0.25);
		send(&s, every_s[i], 600, true);
		assert_true(rate(&s) <= SDK_LEAST);
		send(&s, every_s[i], 65, false);
		assert_true(rate(&s) > 10000);
	}
}

/* It knows nothing from before, so it takes longer. */
static void test_one_that_begins_now_slows_too(void **state)
{
	struct sdk s = fresh;

	(void)state;
	send(&s, 1, 90, true);
	assert_true(rate(&s) < 0.25);
}

static void test_the_period_ends(void **state)
{
	struct sdk s = fresh;

	(void)state;
	s.now_s = 3500;
	send(&s, 1, 30, false);
	send(&s, 1, 600, true);
	assert_true(rate(&s) < 0.25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_slowed),
		cmocka_unit_test(test_it_slows_and_comes_back),
		cmocka_unit_test(test_one_that_begins_now_slows_too),
		cmocka_unit_test(test_the_period_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
