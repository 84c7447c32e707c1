/* Which metric counts a key's steps, by what define_metric() put into the config. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "step_metric.h"

#define SDK(list) "{\"lr\": 1, \"_wandb\": {\"m\": " list "}}"
#define WIRE(list) "{\"_wandb\": {\"value\": {\"m\": " list "}}}"

static void a_key_has_the_step_metric_it_was_given(void **state)
{
	static const struct {
		const char *config;
		const char *key;
		const char *step; /* "": none */
	} cases[] = {
		{ "{}", "loss", "" },
		{ "{\"_wandb\": 1}", "loss", "" },
		{ SDK("[]"), "loss", "" },
		{ SDK("{\"1\": \"loss\", \"4\": \"epoch\"}"), "loss", "" },
		{ SDK("[1, null, [], {\"1\": 2, \"4\": \"epoch\"}]"), "loss", "" },
		{ SDK("[{\"1\": \"loss\", \"4\": \"epoch\"}]"), "loss", "epoch" },
		{ SDK("[{\"1\": \"loss\", \"4\": \"epoch\"}]"), "los", "" },
		{ SDK("[{\"1\": \"loss\", \"4\": \"epoch\"}]"), "", "" },
		{ WIRE("[{\"1\": \"loss\", \"4\": \"epoch\"}]"), "loss", "epoch" },
		/* by number, before or behind; one that is not there is none */
		{ SDK("[{\"1\": \"acc\", \"5\": 2}, {\"1\": \"epoch\"}]"), "acc", "epoch" },
		{ SDK("[{\"1\": \"epoch\"}, {\"1\": \"acc\", \"5\": 1}]"), "acc", "epoch" },
		{ SDK("[{\"1\": \"acc\", \"5\": 3}, {\"1\": \"epoch\"}]"), "acc", "" },
		{ SDK("[{\"1\": \"acc\", \"5\": 0}, {\"1\": \"epoch\"}]"), "acc", "" },
		{ SDK("[{\"1\": \"acc\", \"5\": \"2\"}, {\"1\": \"epoch\"}]"), "acc", "" },
		/* patterns */
		{ SDK("[{\"2\": \"val/*\", \"4\": \"val/step\"}]"), "val/loss", "val/step" },
		{ SDK("[{\"2\": \"val/*\", \"4\": \"val/step\"}]"), "val", "" },
		{ SDK("[{\"2\": \"val/*\", \"4\": \"val/step\"}]"), "train/loss", "" },
		{ SDK("[{\"2\": \"*\", \"4\": \"n\"}]"), "loss", "n" },
		{ SDK("[{\"2\": \"loss\", \"4\": \"n\"}]"), "loss", "" },
		/* the name, then the longer, then the later */
		{ SDK("[{\"1\": \"v/a\", \"4\": \"x\"}, {\"2\": \"v/*\", \"4\": \"y\"}]"), "v/a",
		  "x" },
		{ SDK("[{\"2\": \"v/*\", \"4\": \"y\"}, {\"2\": \"*\", \"4\": \"x\"}]"), "v/a",
		  "y" },
		{ SDK("[{\"1\": \"a\", \"4\": \"y\"}, {\"1\": \"a\", \"4\": \"x\"}]"), "a", "x" },
		/* a definition without a step metric says nothing of it */
		{ SDK("[{\"2\": \"*\", \"4\": \"n\"}, {\"1\": \"a\", \"6\": [3]}]"), "a", "n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct json_doc *config;
		struct str step;

		assert_null(json_doc_parse(a, str_of(cases[i].config), &config));
		step = step_metric_of(config, str_of(cases[i].key));
		if (!str_is(step, cases[i].step))
			fail_msg("case %zu: \"%.*s\"", i, STR_ARG(step));
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_has_the_step_metric_it_was_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
