/* Names of the audit log's actions, and what is said of a change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "audit.h"
#include "quota.h"

static void every_action_has_a_name_and_a_kind(void **state)
{
	(void)state;
	for (int i = 0; i < AUDIT_ACTIONS; i++) {
		struct str name = audit_action_name((enum audit_action)i);
		struct str rest = name;
		struct str kind = str_cut(&rest, '.');

		assert_true(kind.len && rest.len);
		assert_true(audit_is_action(name) && audit_is_action(kind));
		for (int j = 0; j < i; j++)
			assert_false(str_equal(name, audit_action_name((enum audit_action)j)));
	}
}

static void what_is_no_action(void **state)
{
	static const char *const none[] = { "",         "projec",          "projects",
					    "project.", "project.del",     ".delete",
					    "delete",   "project.delete.", "PROJECT" };

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(audit_is_action(str_of(none[i])));
}

static void a_change_in_words(void **state)
{
	static const struct {
		struct project_change change;
		const char *words;
	} cases[] = {
		{ { .visibility = VISIBILITY_PUBLIC }, "" },
		{ { .has_visibility = true, .visibility = VISIBILITY_PUBLIC },
		  "visibility public" },
		{ { .has_description = true, .description = { "secret", 6 } }, "description" },
		{ { .has_quota = true, .quota_bytes = INT64_C(7) << 40 },
		  "quota_bytes 7696581394432" },
		{ { .has_quota = true, .quota_bytes = QUOTA_NONE }, "quota_bytes none" },
		{ { .has_crash_after = true, .crash_after_s = 60, .has_keep_killed = true },
		  "crash_after_s 60, keep_killed_days 0" },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(str_is(audit_project_words(a, &cases[i].change), cases[i].words));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_action_has_a_name_and_a_kind),
		cmocka_unit_test(what_is_no_action),
		cmocka_unit_test(a_change_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
