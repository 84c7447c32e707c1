/* Which rows a branch of a run has: rewound, forked, one after the other; and what a summary keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "branch.h"
#include "json_doc.h"
#include "rewound_summary.h"

enum { RUN = 7, FORK = 8, FORK_OF_FORK = 9 };

static int setup(void **state)
{
	*state = arena_new(1024);
	return 0;
}

static int teardown(void **state)
{
	arena_free(*state);
	return 0;
}

static struct branch_view from(struct arena *a, const struct branch_view *view, int64_t step,
			       int64_t row_end, int32_t writer_end, int64_t run_id)
{
	const struct branch_point at = { step, row_end, writer_end };
	struct branch_view made;

	assert_null(branch_from(a, view, &at, run_id, &made));
	return made;
}

struct row_case {
	struct branch_row row;
	bool is_in;
};

static void check(const struct branch_view *view, const struct row_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (branch_has(view, &cases[i].row) != cases[i].is_in)
			fail_msg("case %zu", i);
	}
}
#define CHECK(view, cases) check((view), (cases), sizeof(cases) / sizeof((cases)[0]))

static void a_run_has_all_of_its_own(void **state)
{
	struct branch_view view = branch_of_run(*state, RUN);
	const struct row_case cases[] = {
		{ { RUN, 0, 0, 0 }, true },
		{ { RUN, 16384, INT64_C(1) << 40, INT64_C(1) << 53 }, true },
		{ { FORK, 0, 0, 0 }, false },
	};

	CHECK(&view, cases);
}

static void a_rewound_run_keeps_what_is_up_to_the_step(void **state)
{
	struct branch_view first = branch_of_run(*state, RUN);
	struct branch_view view = from(*state, &first, 40, 100, 2, RUN);
	struct branch_view left = branch_left(*state, &first, 2);
	const struct row_case now[] = {
		{ { RUN, 0, 40, 40 }, true },   { { RUN, 1, 99, 40 }, true },
		{ { RUN, 0, 41, 41 }, false },  { { RUN, 0, 100, 3 }, false }, /* came late */
		{ { RUN, 1, 200, 50 }, false }, { { RUN, 2, 100, 41 }, true },
		{ { RUN, 3, 200, 5 }, true }, /* a new writer may send any step */
	};
	const struct row_case old[] = {
		{ { RUN, 0, 40, 40 }, true },
		{ { RUN, 1, 99, 99 }, true },
		{ { RUN, 1, 200, 500 }, true },
		{ { RUN, 2, 100, 41 }, false },
	};

	CHECK(&view, now);
	CHECK(&left, old);
}

static void rewound_again_the_lesser_step_counts(void **state)
{
	struct branch_view first = branch_of_run(*state, RUN);
	struct branch_view second = from(*state, &first, 40, 100, 1, RUN);
	struct branch_view below = from(*state, &second, 20, 150, 2, RUN);
	struct branch_view above = from(*state, &second, 60, 150, 2, RUN);
	const struct row_case below_cases[] = {
		{ { RUN, 0, 20, 20 }, true },
		{ { RUN, 0, 21, 21 }, false },
		{ { RUN, 1, 110, 50 }, false },
		{ { RUN, 2, 160, 21 }, true },
	};
	const struct row_case above_cases[] = {
		{ { RUN, 0, 40, 40 }, true },   { { RUN, 0, 41, 41 }, false },
		{ { RUN, 1, 110, 60 }, true },  { { RUN, 1, 120, 61 }, false },
		{ { RUN, 1, 150, 10 }, false }, { { RUN, 2, 160, 61 }, true },
	};

	CHECK(&below, below_cases);
	CHECK(&above, above_cases);
}

static void a_fork_keeps_what_it_forked(void **state)
{
	struct branch_view parent = branch_of_run(*state, RUN);
	struct branch_view fork = from(*state, &parent, 10, 50, 3, FORK);
	struct branch_view nested = from(*state, &fork, 15, 70, 4, FORK_OF_FORK);
	const struct row_case cases[] = {
		{ { RUN, 2, 49, 10 }, true },   { { RUN, 2, 49, 11 }, false },
		{ { RUN, 2, 50, 1 }, false },   { { RUN, 3, 49, 1 }, false },
		{ { FORK, 3, 69, 15 }, true },  { { FORK, 3, 69, 16 }, false },
		{ { FORK, 4, 69, 15 }, false }, { { FORK_OF_FORK, 4, 70, 16 }, true },
	};
	int64_t runs[4];

	CHECK(&nested, cases);
	assert_int_equal(branch_runs(&nested, runs), 3);
	assert_int_equal(runs[0], RUN);
	assert_int_equal(runs[1], FORK);
	assert_int_equal(runs[2], FORK_OF_FORK);
}

static void rows_together_are_in_it_or_not(void **state)
{
	struct branch_view first = branch_of_run(*state, RUN);
	struct branch_view view = from(*state, &first, 40, 100, 2, RUN);
	static const struct {
		struct branch_rows rows;
		enum branch_share share;
	} cases[] = {
		{ { RUN, 0, 0, 39, 0, 39 }, BRANCH_ALL },
		{ { RUN, 0, 30, 50, 30, 50 }, BRANCH_SOME },
		{ { RUN, 0, 41, 50, 41, 50 }, BRANCH_NONE },
		{ { RUN, 0, 90, 110, 0, 40 }, BRANCH_SOME },
		{ { RUN, 0, 100, 110, 0, 40 }, BRANCH_NONE },
		{ { RUN, 2, 100, 110, 0, 4000 }, BRANCH_ALL },
		{ { FORK, 0, 0, 1, 0, 1 }, BRANCH_NONE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (branch_share(&view, &cases[i].rows) != cases[i].share)
			fail_msg("case %zu", i);
	}
}

static void it_is_stored_as_text(void **state)
{
	struct branch_view first = branch_of_run(*state, RUN);
	struct branch_view view = from(*state, &first, 40, 100, 2, FORK);
	struct str text = branch_write(*state, &view);
	struct branch_view read;

	assert_string_equal(text.at, "7 0 2 100 40,8 2 2147483647 9223372036854775807 "
				     "9223372036854775807");
	assert_null(branch_read(*state, text, &read));
	assert_int_equal(read.count, 2);
	assert_true(str_equal(branch_write(*state, &read), text));
	assert_non_null(branch_read(*state, STR("7 0 2 100"), &read));
	assert_non_null(branch_read(*state, STR("7 0 2 100 40 1"), &read));
	assert_non_null(branch_read(*state, STR("7 0 2 100 40,"), &read));
}

static void it_goes_back_only_so_often(void **state)
{
	struct branch_view view = branch_of_run(*state, RUN);
	struct branch_point at = { 5, 10, 0 };
	err_t e = NULL;
	int made = 0;

	for (; !e; made++) {
		at.writer_end++;
		e = branch_from(*state, &view, &at, RUN, &view);
	}
	assert_int_equal(made, BRANCH_PARTS_MAX);
	assert_int_equal(e->kind, ERR_UNPROCESSABLE);
}

static void a_rewound_summary_keeps_what_is_of_no_metric(void **state)
{
	struct str names[] = { STR("loss"), STR("nest.x"), STR("acc") };
	const struct json_doc *doc;
	struct leaves leaves;

	assert_null(
		json_doc_parse(*state,
			       STR("{\"loss\": 3, \"best\": 1, \"acc\": {\"max\": 2}, \"nest\": "
				   "{\"x\": 1, \"y\": 2}, \"lossless\": true}"),
			       &doc));
	leaves_split(*state, doc, LEAVES_ALONE, &leaves);
	doc = rewound_summary(*state, &leaves, names, 3);
	assert_string_equal(json_doc_dump(*state, doc).at,
			    "{\"best\":1,\"lossless\":true,\"nest\":{\"y\":2}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_run_has_all_of_its_own, setup, teardown),
		cmocka_unit_test_setup_teardown(a_rewound_run_keeps_what_is_up_to_the_step, setup,
						teardown),
		cmocka_unit_test_setup_teardown(rewound_again_the_lesser_step_counts, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_fork_keeps_what_it_forked, setup, teardown),
		cmocka_unit_test_setup_teardown(rows_together_are_in_it_or_not, setup, teardown),
		cmocka_unit_test_setup_teardown(it_is_stored_as_text, setup, teardown),
		cmocka_unit_test_setup_teardown(it_goes_back_only_so_often, setup, teardown),
		cmocka_unit_test_setup_teardown(a_rewound_summary_keeps_what_is_of_no_metric, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
