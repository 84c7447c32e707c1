/* Saved views: who may make, change and delete them, and what becomes of one that is changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "json_doc.h"
#include "view.h"

enum { OWNER = 7, OTHER = 8 };
static const struct view_person people[] = {
	{ 0, ACCESS_RIGHT_READ, KEY_SCOPE_READ },
	{ OTHER, ACCESS_RIGHT_WRITE, KEY_SCOPE_READ },
	{ OTHER, ACCESS_RIGHT_READ, KEY_SCOPE_ADMIN },
	{ OWNER, ACCESS_RIGHT_READ, KEY_SCOPE_ADMIN },
	{ OTHER, ACCESS_RIGHT_WRITE, KEY_SCOPE_ADMIN },
	{ OTHER, ACCESS_RIGHT_ADMIN, KEY_SCOPE_ADMIN },
};
enum { PEOPLE = sizeof(people) / sizeof(people[0]) };

/* '+' may, '-' may not, '?' must sign in; in the order of people. */
static char answer(err_t e)
{
	if (!e)
		return '+';
	return e->kind == ERR_UNAUTHORIZED ? '?' : '-';
}

static void who_may(void **state)
{
	static const struct {
		enum view_kind kind;
		const char *make, *change, *delete;
	} cases[] = {
		{ VIEW_GIVEN, NULL, "------", "------" },
		{ VIEW_MINE, "?-++++", "---+--", "---+--" },
		{ VIEW_PROJECT, "?---++", "?---++", "?---++" },
		{ VIEW_DEFAULT, "?----+", "?----+", "?----+" },
		{ VIEW_DRAFT, "?+++++", "------", "?--+-+" },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct view view = { .kind = (int16_t)cases[i].kind, .owner_id = OWNER };

		for (size_t p = 0; p < PEOPLE; p++) {
			if (cases[i].make)
				assert_int_equal(
					cases[i].make[p],
					answer(view_check_make(a, cases[i].kind, people[p])));
			assert_int_equal(cases[i].change[p],
					 answer(view_check_change(a, &view, people[p])));
			assert_int_equal(cases[i].delete[p],
					 answer(view_check_delete(a, &view, people[p])));
		}
	}
	arena_free(a);
}

/* Closed to readers who do not see private runs: what somebody saved who does, where there are any. */
static void who_is_shown_what_was_saved(void **state)
{
	static const struct {
		enum view_kind kind;
		enum access_right right;
		bool is_closed;
	} cases[] = {
		{ VIEW_MINE, ACCESS_RIGHT_WRITE, false },
		{ VIEW_DRAFT, ACCESS_RIGHT_READ, true },
		{ VIEW_DRAFT, ACCESS_RIGHT_ADMIN, true },
		{ VIEW_PROJECT, ACCESS_RIGHT_WRITE, true },
		{ VIEW_PROJECT, ACCESS_RIGHT_ADMIN, false },
		{ VIEW_DEFAULT, ACCESS_RIGHT_ADMIN, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct view view = { .kind = (int16_t)cases[i].kind };

		assert_int_equal(view_is_closed(&view, cases[i].right, true, true),
				 cases[i].is_closed);
		assert_false(view_is_closed(&view, cases[i].right, false, true));
		assert_false(view_is_closed(&view, cases[i].right, true, false));
	}
}

static void kinds_that_become_each_other(void **state)
{
	struct arena *a = arena_new(4096);

	(void)state;
	for (int from = VIEW_MINE; from <= VIEW_DRAFT; from++) {
		for (int to = VIEW_MINE; to <= VIEW_DRAFT; to++) {
			struct view view = { .kind = (int16_t)from };
			struct view_change change = { .has_kind = true,
						      .kind = (enum view_kind)to };
			bool may = from == to || (from <= VIEW_PROJECT && to <= VIEW_PROJECT);

			assert_int_equal(view_apply(a, &view, &change) == NULL, may);
			assert_int_equal(view.kind, may ? to : from);
		}
	}
	arena_free(a);
}

static void a_state_is_replaced_or_merged(void **state)
{
	struct arena *a = arena_new(4096);
	struct view view = { .kind = VIEW_MINE, .state = STR("{\"a\":{\"b\":1},\"c\":2}") };
	struct view_change change = { .merges = true };

	(void)state;
	assert_null(json_doc_parse(a, STR("{\"a\":{\"d\":3},\"c\":null}"), &change.state));
	assert_null(view_apply(a, &view, &change));
	assert_true(str_is(view.state, "{\"a\":{\"b\":1,\"d\":3}}"));
	change.merges = false;
	assert_null(view_apply(a, &view, &change));
	assert_true(str_is(view.state, "{\"a\":{\"d\":3},\"c\":null}"));
	arena_free(a);
}

static void what_is_given_is_well_formed(void **state)
{
	struct arena *a = arena_new(4096);
	const struct json_doc *doc;

	(void)state;
	for (size_t i = 0; i < views_given_count; i++) {
		const struct view *view = &views_given[i];

		assert_int_equal(strlen(view->id.at), view->id.len);
		assert_int_equal(strlen(view->name.at), view->name.len);
		assert_int_equal(strlen(view->state.at), view->state.len);
		assert_null(json_doc_parse(a, view->state, &doc));
		assert_ptr_equal(view_given(view->id), view);
	}
	assert_null(view_given(STR("other")));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_may),
		cmocka_unit_test(who_is_shown_what_was_saved),
		cmocka_unit_test(kinds_that_become_each_other),
		cmocka_unit_test(a_state_is_replaced_or_merged),
		cmocka_unit_test(what_is_given_is_well_formed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
