/* The states of a sweep, the answers to heartbeats, and early termination. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "sweep_hyperband.h"
#include "sweep_state.h"

static struct arena *arena;

static int begin(void **state)
{
	(void)state;
	arena = arena_new(4096);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

/* ---- states ---------------------------------------------------------------------------------------------------------------- */

static void states_follow_the_truth_table(void **state)
{
	enum {
		P = SWEEP_STATE_PENDING,
		R = SWEEP_STATE_RUNNING,
		Z = SWEEP_STATE_PAUSED,
		F = SWEEP_STATE_FINISHED,
		C = SWEEP_STATE_CANCELED
	};
	static const int table[][8] = {
		/* state, beat, pause, resume, stop, cancel, ended; 0: refused */
		{ P, R, 0, R, F, C, F }, { R, R, Z, R, F, C, F }, { Z, Z, Z, R, F, C, F },
		{ F, F, 0, R, F, C, F }, { C, C, 0, R, 0, C, C },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		for (int event = SWEEP_EVENT_BEAT; event <= SWEEP_EVENT_ENDED; event++) {
			enum sweep_state next = 0;
			err_t e = sweep_state_change(arena, (enum sweep_state)table[i][0],
						     (enum sweep_event)event, &next);

			assert_int_equal(next, table[i][event]);
			assert_int_equal(e != NULL, table[i][event] == 0);
			assert_true(!e || e->kind == ERR_CONFLICT);
		}
	}
}

static void refusals_say_what_cannot_be(void **state)
{
	enum sweep_state next;

	(void)state;
	assert_string_equal(
		sweep_state_change(arena, SWEEP_STATE_PENDING, SWEEP_EVENT_PAUSE, &next)->message,
		"a pending sweep cannot be paused");
	assert_string_equal(
		sweep_state_change(arena, SWEEP_STATE_CANCELED, SWEEP_EVENT_STOP, &next)->message,
		"a canceled sweep cannot be stopped");
}

static void states_are_read_in_either_case(void **state)
{
	enum sweep_event event;
	err_t e;

	(void)state;
	assert_null(sweep_event_read(arena, STR("PAUSED"), &event));
	assert_int_equal(event, SWEEP_EVENT_PAUSE);
	assert_null(sweep_event_read(arena, STR("running"), &event));
	assert_int_equal(event, SWEEP_EVENT_RESUME);
	assert_null(sweep_event_read(arena, STR("Finished"), &event));
	assert_int_equal(event, SWEEP_EVENT_STOP);
	assert_null(sweep_event_read(arena, STR("CANCELED"), &event));
	assert_int_equal(event, SWEEP_EVENT_CANCEL);
	e = sweep_event_read(arena, STR("PENDING"), &event);
	assert_int_equal(e->kind, ERR_INVALID);
	assert_non_null(sweep_event_read(arena, STR(""), &event));
	assert_non_null(sweep_event_read(arena, STR("RUNNINGX"), &event));
	assert_string_equal(sweep_state_name(SWEEP_STATE_CANCELED), "CANCELED");
}

/* ---- heartbeats --------------------------------------------------------------------------------------------------------------- */

static void heartbeats_are_answered_in_the_order_of_precedence(void **state)
{
	static const struct {
		struct sweep_beat beat;
		enum sweep_answer answer;
	} rows[] = {
		{ { .is_known = false, .state = SWEEP_STATE_CANCELED }, SWEEP_ANSWER_NOT_FOUND },
		{ { .is_known = true,
		    .state = SWEEP_STATE_CANCELED,
		    .run_count = 1,
		    .stop_count = 1,
		    .capacity = 1 },
		  SWEEP_ANSWER_EXIT },
		{ { .is_known = true,
		    .state = SWEEP_STATE_RUNNING,
		    .run_count = 1,
		    .stop_count = 1,
		    .capacity = 1 },
		  SWEEP_ANSWER_STOP },
		{ { .is_known = true,
		    .state = SWEEP_STATE_FINISHED,
		    .run_count = 1,
		    .stop_count = 1,
		    .capacity = 1 },
		  SWEEP_ANSWER_STOP },
		{ { .is_known = true,
		    .state = SWEEP_STATE_PAUSED,
		    .run_count = 1,
		    .stop_count = 1,
		    .capacity = 1 },
		  SWEEP_ANSWER_STOP },
		{ { .is_known = true,
		    .state = SWEEP_STATE_FINISHED,
		    .run_count = 1,
		    .capacity = 1 },
		  SWEEP_ANSWER_NOTHING },
		{ { .is_known = true,
		    .state = SWEEP_STATE_FINISHED,
		    .capacity = 1,
		    .has_unstarted = true,
		    .has_preempted = true },
		  SWEEP_ANSWER_EXIT },
		{ { .is_known = true,
		    .state = SWEEP_STATE_PAUSED,
		    .capacity = 1,
		    .has_unstarted = true },
		  SWEEP_ANSWER_NOTHING },
		{ { .is_known = true,
		    .state = SWEEP_STATE_RUNNING,
		    .run_count = 1,
		    .capacity = 1,
		    .has_unstarted = true },
		  SWEEP_ANSWER_NOTHING },
		{ { .is_known = true, .state = SWEEP_STATE_RUNNING, .run_count = 1, .capacity = 2 },
		  SWEEP_ANSWER_SUGGEST },
		{ { .is_known = true,
		    .state = SWEEP_STATE_RUNNING,
		    .capacity = 1,
		    .has_unstarted = true,
		    .is_set_aside = true,
		    .has_preempted = true },
		  SWEEP_ANSWER_AGAIN },
		{ { .is_known = true,
		    .state = SWEEP_STATE_RUNNING,
		    .capacity = 1,
		    .is_set_aside = true,
		    .has_preempted = true },
		  SWEEP_ANSWER_NOTHING },
		{ { .is_known = true,
		    .state = SWEEP_STATE_RUNNING,
		    .capacity = 1,
		    .has_preempted = true },
		  SWEEP_ANSWER_RESUME },
		{ { .is_known = true, .state = SWEEP_STATE_RUNNING, .capacity = 1 },
		  SWEEP_ANSWER_SUGGEST },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(sweep_beat_answer(&rows[i].beat), rows[i].answer);
}

/* Conditions that exclude each other; '-' is any. Stops, runs, room for another run, unstarted, set aside, preempted. */
static const struct {
	const char *states; /* pending, running, paused, finished, canceled */
	const char *facts;
	enum sweep_answer answer;
} answers[] = {
	{ "C", "------", SWEEP_ANSWER_EXIT },     { "PRZF", "1-----", SWEEP_ANSWER_STOP },
	{ "F", "00----", SWEEP_ANSWER_EXIT },     { "F", "01----", SWEEP_ANSWER_NOTHING },
	{ "PZ", "0-----", SWEEP_ANSWER_NOTHING }, { "R", "0-0---", SWEEP_ANSWER_NOTHING },
	{ "R", "0-11--", SWEEP_ANSWER_AGAIN },    { "R", "0-101-", SWEEP_ANSWER_NOTHING },
	{ "R", "0-1001", SWEEP_ANSWER_RESUME },   { "R", "0-1000", SWEEP_ANSWER_SUGGEST },
};

static bool fits(const char *wanted, const struct sweep_beat *b)
{
	const bool facts[] = { b->stop_count > 0, b->run_count > 0, b->run_count < b->capacity,
			       b->has_unstarted,  b->is_set_aside,  b->has_preempted };

	for (size_t i = 0; wanted[i]; i++) {
		if (wanted[i] != '-' && (wanted[i] == '1') != facts[i])
			return false;
	}
	return true;
}

static void each_heartbeat_has_one_answer(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 5 * 3 * 3 * 2 * 8; bits++) {
		const struct sweep_beat beat = {
			.is_known = true,
			.state = (enum sweep_state)(1 + bits / 8 % 5),
			.run_count = bits / 40 % 3,
			.stop_count = bits / 120 % 3,
			.capacity = 1 + bits / 360,
			.has_unstarted = bits & 1,
			.is_set_aside = bits & 2,
			.has_preempted = bits & 4,
		};
		struct sweep_beat unknown = beat;
		unsigned found = 0;

		for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
			if (!strchr(answers[i].states, "-PRZFC"[beat.state]) ||
			    !fits(answers[i].facts, &beat))
				continue;
			found++;
			assert_int_equal(sweep_beat_answer(&beat), answers[i].answer);
		}
		assert_int_equal(found, 1);
		unknown.is_known = false;
		assert_int_equal(sweep_beat_answer(&unknown), SWEEP_ANSWER_NOT_FOUND);
	}
}

/* ---- bands -------------------------------------------------------------------------------------------------------------------- */

static void bands_are_those_of_wandb(void **state)
{
	static const struct {
		struct sweep_hyperband h;
		size_t count;
		int64_t first[6];
	} rows[] = {
		{ { .max_iter = 81, .eta = 3, .s = 3 }, 3, { 3, 9, 27 } },
		{ { .max_iter = 27, .eta = 3, .s = 2 }, 2, { 3, 9 } },
		{ { .max_iter = 18, .eta = 3, .s = 2 }, 2, { 2, 6 } },
		{ { .max_iter = 100, .eta = 3, .s = 5 }, 4, { 1, 3, 11, 33 } },
		{ { .max_iter = 10, .eta = 3, .s = 4 }, 2, { 1, 3 } },
		{ { .max_iter = 5, .eta = 2, .s = 2 }, 2, { 1, 2 } },
		{ { .min_iter = 3, .eta = 1.5 }, 88, { 3, 4, 6, 10, 15, 22 } },
		{ { .min_iter = 2, .eta = 2 }, 53, { 2, 4, 8, 16, 32, 64 } },
		{ { .max_iter = 2, .eta = 3, .s = 1 }, 0, { 0 } },
		/* equal bands are one */
		{ { .min_iter = 1, .eta = 1.1 }, 84, { 1, 2, 3, 4, 5, 6 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sweep_bands bands;

		sweep_hyperband_bands(&rows[i].h, &bands);
		assert_int_equal(bands.count, rows[i].count);
		for (size_t k = 0; k < bands.count && k < 6; k++)
			assert_int_equal(bands.at[k], rows[i].first[k]);
	}
}

/* ---- early termination ---------------------------------------------------------------------------------------------------------- */

enum { TRIALS = 6, VALUES = 3 };

struct scene {
	struct sweep_hyperband h;
	enum sweep_goal goal;
	size_t trials;
	const char *ended; /* "1" for each trial that does not run */
	double histories[TRIALS][VALUES + 1];
	size_t lengths[TRIALS];
	double thresholds[2];
	const char *stops;
};

static void check_scene(const struct scene *s)
{
	struct sweep_progress progress[TRIALS];
	struct sweep_bands bands;
	double thresholds[SWEEP_BANDS_MAX];
	bool stops[TRIALS];

	sweep_hyperband_bands(&s->h, &bands);
	for (size_t i = 0; i < s->trials; i++) {
		sweep_progress_of(&bands, s->goal, s->histories[i], s->lengths[i], &progress[i]);
		progress[i].is_running = s->ended[i] == '0';
	}
	sweep_hyperband_judge(arena, &s->h, &bands, progress, s->trials, stops, thresholds);
	for (size_t i = 0; i < 2; i++)
		if (!isnan(s->thresholds[i]))
			assert_true(thresholds[i] == s->thresholds[i]);
	for (size_t i = 0; i < s->trials; i++)
		assert_int_equal(stops[i], s->stops[i] == '1');
}

static void trials_are_stopped_as_wandb_does(void **state)
{
	const struct sweep_hyperband five = { .max_iter = 5, .eta = 2, .s = 2, .is_strict = true };
	const struct sweep_hyperband nine = { .max_iter = 9, .eta = 3, .s = 2, .is_strict = true };
	const struct sweep_hyperband min2 = { .min_iter = 2, .eta = 2, .is_strict = true };
	const struct sweep_hyperband min2_lenient = { .min_iter = 2, .eta = 2 };
	const struct sweep_hyperband min1 = { .min_iter = 1, .eta = 2, .is_strict = true };
	const struct sweep_hyperband min1_3 = { .min_iter = 1, .eta = 3, .is_strict = true };
	const struct scene scenes[] = {
		{ five,
		  SWEEP_MINIMIZE,
		  5,
		  "10001",
		  { { 10, 9 }, { 10, 10 }, { 10, 8, 8 }, { 10, 7, 7 }, { 10, 6, 6 } },
		  { 2, 2, 3, 3, 3 },
		  { 10, 8 },
		  "01000" },
		{ nine,
		  SWEEP_MINIMIZE,
		  5,
		  "10000",
		  { { 9, 8 }, { 11, 11 }, { 10, 8, 3 }, { 10, 7, 4 }, { 10, 6, 6 } },
		  { 2, 2, 3, 3, 3 },
		  { 10, 4 },
		  "01001" },
		{ five,
		  SWEEP_MINIMIZE,
		  5,
		  "10001",
		  { { 10 }, { 11 }, { 10, 8, 8 }, { 10, 7, 7 }, { 10, 6, 6 } },
		  { 1, 1, 3, 3, 3 },
		  { 10, 7 },
		  "01100" },
		{ min2,
		  SWEEP_MINIMIZE,
		  3,
		  "000",
		  { { 1 }, { 2, 2 }, { 3, 3, 3 } },
		  { 1, 2, 3 },
		  { 3, INFINITY },
		  "000" },
		{ min1,
		  SWEEP_MINIMIZE,
		  4,
		  "0000",
		  { { 1 }, { 2 }, { 3 }, { 4 } },
		  { 1, 1, 1, 1 },
		  { 3, INFINITY },
		  "0001" },
		{ min1,
		  SWEEP_MAXIMIZE,
		  4,
		  "0000",
		  { { 1 }, { 2 }, { 3 }, { 4 } },
		  { 1, 1, 1, 1 },
		  { -2, INFINITY },
		  "1000" },
		{ min2,
		  SWEEP_MINIMIZE,
		  4,
		  "0000",
		  { { 5, 1, 6 }, { 4, 4, 4 }, { 3, 3, 5 }, { 2, 9, 9 } },
		  { 3, 3, 3, 3 },
		  { 4, INFINITY },
		  "0001" },
		{ min2_lenient,
		  SWEEP_MINIMIZE,
		  4,
		  "0000",
		  { { 5, 1, 6 }, { 4, 4, 4 }, { 3, 3, 5 }, { 2, 9, 9 } },
		  { 3, 3, 3, 3 },
		  { 4, INFINITY },
		  "0000" },
		{ min2,
		  SWEEP_MINIMIZE,
		  3,
		  "000",
		  { { 5, NAN, 4 }, { 1, 1 }, { 3, 2 } },
		  { 3, 2, 2 },
		  { 2, INFINITY },
		  "100" },
		{ min1_3,
		  SWEEP_MINIMIZE,
		  6,
		  "000000",
		  { { 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { 6 } },
		  { 1, 1, 1, 1, 1, 1 },
		  { 3, INFINITY },
		  "000111" },
		{ min1, SWEEP_MINIMIZE, 0, "", { { 0 } }, { 0 }, { INFINITY, INFINITY }, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		check_scene(&scenes[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_follow_the_truth_table),
		cmocka_unit_test(refusals_say_what_cannot_be),
		cmocka_unit_test(states_are_read_in_either_case),
		cmocka_unit_test(heartbeats_are_answered_in_the_order_of_precedence),
		cmocka_unit_test(each_heartbeat_has_one_answer),
		cmocka_unit_test(bands_are_those_of_wandb),
		cmocka_unit_test(trials_are_stopped_as_wandb_does),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
