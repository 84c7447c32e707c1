/* Who reads an answer, told by the User-Agent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sdk_numbers.h"

static const struct {
	const char *user_agent;
	bool is_page;
	enum sdk_numbers numbers;
} cases[] = {
	{ "W&B Public Client 0.19.9", false, SDK_NUMBERS_BARE },
	{ "W&B Public Client 0.19.9", true, SDK_NUMBERS_BARE },
	{ "W&B Public Client 0.27.2rc1", false, SDK_NUMBERS_BARE },
	{ "W&B Public Client 0.28.0", false, SDK_NUMBERS_LARGE },
	{ "W&B Public Client 0.28.0", true, SDK_NUMBERS_QUOTED },
	{ "W&B Public Client 0.31.0", false, SDK_NUMBERS_LARGE },
	{ "W&B Public Client 1.2.0", false, SDK_NUMBERS_LARGE },
	{ "W&B Public Client ", true, SDK_NUMBERS_QUOTED },
	{ "W&B Internal Client 0.19.9", false, SDK_NUMBERS_QUOTED },
	{ "wandb-core", false, SDK_NUMBERS_QUOTED },
	{ "", false, SDK_NUMBERS_QUOTED },
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (sdk_numbers_of(str_of(cases[i].user_agent), cases[i].is_page) !=
		    cases[i].numbers)
			fail_msg("\"%s\"", cases[i].user_agent);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
