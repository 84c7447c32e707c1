/* Fields that nobody knows are counted by name, so many names; the others together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "log.h"
#include "wandb_unknown_fields.h"

static const char *metrics(struct arena *a)
{
	struct buf *text = buf_new(a);

	wandb_unknown_fields_metrics(text);
	return str_copy(a, buf_str(text));
}

static void names_are_bounded(void **state)
{
	struct arena *a = arena_new(1 << 16);

	(void)state;
	log_set(LOG_ERROR, LOG_FORMAT_TEXT);
	for (int i = 0; i < WANDB_UNKNOWN_FIELDS_MAX; i++)
		wandb_unknown_fields_add(NULL, "Run", str_of(arena_printf(a, "f%d", i)));
	assert_non_null(strstr(metrics(a), "{field=\"Run.f499\"} 1\n"));
	assert_null(strstr(metrics(a), "{field=\"other\"}"));
	for (int i = 0; i < 3; i++)
		wandb_unknown_fields_add(NULL, "Run", str_of(arena_printf(a, "more%d", i)));
	wandb_unknown_fields_add(NULL, "Run", STR("f0"));
	assert_non_null(strstr(metrics(a), "{field=\"other\"} 3\n"));
	assert_non_null(strstr(metrics(a), "{field=\"Run.f0\"} 2\n"));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
