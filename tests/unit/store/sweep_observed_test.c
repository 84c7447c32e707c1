/* The state of a trial, by that of its run: every pair of states, then what else decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sweep_observe.h"

#define NOW ((timestamp_us){ INT64_C(1000000) * 1000000 })

enum {
	H = SWEEP_TRIAL_HANDED_OUT,
	R = SWEEP_TRIAL_RUNNING,
	F = SWEEP_TRIAL_FINISHED,
	X = SWEEP_TRIAL_FAILED,
	C = SWEEP_TRIAL_CRASHED,
	K = SWEEP_TRIAL_KILLED,
	L = SWEEP_TRIAL_LOST,
	D = SWEEP_TRIAL_DELETED,
	P = SWEEP_TRIAL_PREEMPTED,
};

/* No run; then a run that is running, finished, failed, crashed, killed, pending, preempting, preempted. */
static const int expected[][9] = {
	[H] = { H, R, F, X, C, K, H, R, P }, [R] = { R, R, F, X, C, K, R, R, P },
	[F] = { F, R, F, X, C, K, F, R, P }, [X] = { X, R, F, X, C, K, X, R, P },
	[C] = { C, R, F, X, C, K, C, R, P }, [K] = { K, R, F, X, C, K, K, R, P },
	[L] = { L, R, F, X, C, K, L, R, P }, [D] = { D, R, F, X, C, K, D, R, P },
	[P] = { P, R, F, X, C, K, P, R, P },
};

static void test_each_pair(void **state)
{
	(void)state;
	for (int before = H; before <= P; before++) {
		struct sweep_trial t = { .state = (int16_t)before };

		assert_int_equal(sweep_observed_state(&t, NULL, NOW), expected[before][0]);
		for (int of_run = RUN_RUNNING; of_run <= RUN_PREEMPTED; of_run++) {
			const struct run run = { .state = (int16_t)of_run, .ended_at = { 5 } };

			assert_int_equal(sweep_observed_state(&t, &run, NOW),
					 expected[before][of_run]);
		}
	}
}

/* A run that was seen and is not there any more, or is deleted. */
static void test_runs_that_are_gone(void **state)
{
	const struct run run = { .state = RUN_RUNNING };

	(void)state;
	for (int before = H; before <= P; before++) {
		struct sweep_trial seen = { .state = (int16_t)before, .run_id = 1 };
		struct sweep_trial deleted = { .state = (int16_t)before, .is_deleted = true };

		assert_int_equal(sweep_observed_state(&seen, NULL, NOW), D);
		assert_int_equal(sweep_observed_state(&deleted, &run, NOW), D);
	}
}

/* However it ended: it counts as killed. */
static void test_runs_that_were_asked_to_stop(void **state)
{
	static const int16_t ends[] = { RUN_FINISHED, RUN_FAILED, RUN_CRASHED, RUN_KILLED,
					RUN_PREEMPTED };

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		const struct run asked = { .state = ends[i], .stop_asked_at = { 3 } };
		const struct run run = { .state = ends[i] };
		struct sweep_trial t = { .state = R };

		assert_int_equal(sweep_observed_state(&t, &asked, NOW), K);
		t.stop_at.us = 3;
		assert_int_equal(sweep_observed_state(&t, &run, NOW), K);
	}
}

static void test_agents_that_are_gone(void **state)
{
	static const int open[] = { H, R };
	const struct run pending = { .state = RUN_PENDING }, running = { .state = RUN_RUNNING };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sweep_trial t = { .state = (int16_t)open[i], .agent_id = 7 };

		t.agent_state = SWEEP_AGENT_RUNNING;
		assert_int_equal(sweep_observed_state(&t, NULL, NOW), open[i]);
		t.agent_state = SWEEP_AGENT_LOST;
		assert_int_equal(sweep_observed_state(&t, NULL, NOW), L);
		assert_int_equal(sweep_observed_state(&t, &pending, NOW), L);
		assert_int_equal(sweep_observed_state(&t, &running, NOW), R);
		t.agent_state = SWEEP_AGENT_FINISHED;
		assert_int_equal(sweep_observed_state(&t, NULL, NOW), open[i] == H ? P : L);
		assert_int_equal(sweep_observed_state(&t, &pending, NOW), P);
		assert_int_equal(sweep_observed_state(&t, &running, NOW), R);
		t.stop_at.us = 3;
		assert_int_equal(sweep_observed_state(&t, NULL, NOW), L);
	}
}

/* A trial that was given by hand waits for a day; one that no agent has yet waits for ever. */
static void test_trials_by_hand(void **state)
{
	struct sweep_trial t = { .state = H,
				 .sent_count = 1,
				 .sent_at = { NOW.us - SWEEP_HAND_KEPT_US } };

	(void)state;
	assert_int_equal(sweep_observed_state(&t, NULL, NOW), H);
	t.sent_at.us--;
	assert_int_equal(sweep_observed_state(&t, NULL, NOW), L);
	t.sent_count = 0;
	assert_int_equal(sweep_observed_state(&t, NULL, NOW), H);
}

/* The run is still as it was when the trial was given to another agent. */
static void test_a_run_that_is_resumed(void **state)
{
	struct run run = { .state = RUN_PREEMPTED, .ended_at = { 5 } };
	struct sweep_trial t = { .state = H, .run_id = 1, .ended_at = { 5 } };

	(void)state;
	assert_int_equal(sweep_observed_state(&t, &run, NOW), H);
	t.state = R;
	assert_int_equal(sweep_observed_state(&t, &run, NOW), R);
	run.ended_at.us = 6; /* it was preempted again */
	assert_int_equal(sweep_observed_state(&t, &run, NOW), P);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_pair),
		cmocka_unit_test(test_runs_that_are_gone),
		cmocka_unit_test(test_runs_that_were_asked_to_stop),
		cmocka_unit_test(test_agents_that_are_gone),
		cmocka_unit_test(test_trials_by_hand),
		cmocka_unit_test(test_a_run_that_is_resumed),
	};

	return cmocka_run_group_tests_name("sweep_observed", tests, NULL, NULL);
}
