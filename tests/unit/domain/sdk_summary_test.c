/* What of a whole summary was set, what history says, what is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "sdk_summary.h"

struct summary_case {
	const char *what;
	const char *sent;
	const char *before; /* NULL: not known, as of `last` and `now` */
	const char *last;
	const char *now;
	bool derived;
	const char *set; /* NULL: {}, as of the next two */
	const char *gone;
	const char *logged;
};

static const struct summary_case cases[] = {
	{ "nothing", .sent = "{}" },
	{ "no object", .sent = "[1]", .before = "{}" },
	/* history */
	{ "what was logged with it is not set", .sent = "{\"a\":1,\"_step\":3}",
	  .last = "{\"a\":1,\"_timestamp\":5}", .logged = "{\"a\":1}" },
	{ "by value, not by how it is written", .sent = "{\"a\":1.0,\"b\":NaN}",
	  .last = "{\"a\":1,\"b\":\"NaN\"}", .logged = "{\"a\":1.0,\"b\":\"NaN\"}" },
	{ "nested values have dots in history", .sent = "{\"d\":{\"x\":1,\"y\":{\"z\":2}}}",
	  .last = "{\"d.x\":1,\"d.y.z\":2}", .logged = "{\"d\":{\"x\":1,\"y\":{\"z\":2}}}" },
	{ "or have them in their names", .sent = "{\"d.x\":1}", .last = "{\"d.x\":1}",
	  .logged = "{\"d.x\":1}" },
	{ "a value that is no number", .sent = "{\"t\":\"x\",\"l\":[1,2],\"o\":{}}",
	  .last = "{\"t\":\"x\",\"l\":[1,2],\"o\":{}}",
	  .logged = "{\"l\":[1,2],\"o\":{},\"t\":\"x\"}" },
	{ "logged earlier", .sent = "{\"a\":1,\"b\":2}", .before = "{\"a\":1}", .last = "{\"b\":2}",
	  .logged = "{\"b\":2}" },
	{ "steps and times follow from history, whatever is said",
	  .sent = "{\"_step\":9,\"_timestamp\":1.5,\"d\":{\"_step\":1}}",
	  .before = "{\"_step\":8,\"_timestamp\":1.0,\"d\":{\"_step\":1}}" },
	/* set */
	{ "set and never logged", .sent = "{\"best\":5}", .set = "{\"best\":5}" },
	{ "set to another value than was logged", .sent = "{\"a\":0.5}", .last = "{\"a\":0.7}",
	  .set = "{\"a\":0.5}" },
	{ "the same again", .sent = "{\"best\":5,\"a\":1}", .before = "{\"best\":5.0,\"a\":1}" },
	{ "the same again, while it is logged", .sent = "{\"a\":0.5}", .before = "{\"a\":0.5}",
	  .last = "{\"a\":0.7}" },
	{ "another one", .sent = "{\"best\":6,\"a\":1}", .before = "{\"best\":5,\"a\":1}",
	  .set = "{\"best\":6}" },
	{ "one of several in an object", .sent = "{\"acc\":{\"max\":3,\"min\":1}}",
	  .before = "{\"acc\":{\"max\":2,\"min\":1}}", .last = "{\"acc\":3}",
	  .set = "{\"acc\":{\"max\":3}}" },
	{ "an empty object", .sent = "{\"o\":{}}", .set = "{\"o\":{}}" },
	{ "null", .sent = "{\"n\":null}", .before = "{\"n\":1}", .set = "{\"n\":null}" },
	/* logged after it was set: the next one says what history says, and the copy goes */
	{ "overtaken by history", .sent = "{\"a\":0.6}", .before = "{\"a\":0.5}",
	  .last = "{\"a\":0.6}", .now = "{\"a\":0.5}", .logged = "{\"a\":0.6}" },
	{ "of an unknown past what history says is not set", .sent = "{\"a\":1,\"b\":2,\"c\":3}",
	  .last = "{\"a\":1,\"b\":7}", .now = "{\"c\":3}", .set = "{\"b\":2,\"c\":3}",
	  .logged = "{\"a\":1}" },
	/* gone */
	{ "not sent any more", .sent = "{\"a\":1}", .before = "{\"a\":1,\"b\":2,\"c\":{\"d\":1}}",
	  .gone = "{\"b\":2,\"c\":{\"d\":1}}" },
	{ "one of an object", .sent = "{\"c\":{\"e\":1}}", .before = "{\"c\":{\"d\":1,\"e\":1}}",
	  .gone = "{\"c\":{\"d\":1}}" },
	{ "an object in the place of a value", .sent = "{\"a\":{\"max\":1}}", .before = "{\"a\":1}",
	  .set = "{\"a\":{\"max\":1}}", .gone = "{\"a\":1}" },
	{ "a value in the place of an object", .sent = "{\"a\":1}", .before = "{\"a\":{\"max\":1}}",
	  .set = "{\"a\":1}", .gone = "{\"a\":{\"max\":1}}" },
	{ "all of it", .sent = "{}", .before = "{\"a\":1}", .gone = "{\"a\":1}" },
	/* runtimes */
	{ "the first runtime", .sent = "{\"_runtime\":3.5,\"_wandb\":{\"runtime\":3}}",
	  .last = "{\"_runtime\":3.5}", .set = "{\"_runtime\":3.5,\"_wandb\":{\"runtime\":3}}" },
	{ "greater ones", .sent = "{\"_runtime\":9,\"_wandb\":{\"runtime\":9}}",
	  .before = "{\"_runtime\":3,\"_wandb\":{\"runtime\":3}}",
	  .now = "{\"_runtime\":7,\"_wandb\":{\"runtime\":7}}",
	  .set = "{\"_runtime\":9,\"_wandb\":{\"runtime\":9}}" },
	{ "smaller than another writer's", .sent = "{\"_runtime\":9,\"_wandb\":{\"runtime\":9}}",
	  .before = "{\"_runtime\":3,\"_wandb\":{\"runtime\":3}}",
	  .now = "{\"_runtime\":9.5,\"_wandb\":{\"runtime\":10}}" },
	{ "other names in _wandb", .sent = "{\"_wandb\":{\"runtime\":1,\"x\":1},\"runtime\":1}",
	  .now = "{\"_wandb\":{\"runtime\":2}}", .set = "{\"_wandb\":{\"x\":1},\"runtime\":1}" },
	/* the server derives */
	{ "set before, logged now", .sent = "{\"a\":0.5,\"b\":1}", .before = "{\"a\":0.5}",
	  .last = "{\"a\":0.7}", .now = "{\"a\":0.5}", .derived = true, .set = "{\"b\":1}",
	  .logged = "{\"a\":0.5}" },
	{ "set now, logged now", .sent = "{\"a\":0.6}", .before = "{\"a\":0.5}",
	  .last = "{\"a\":0.7}", .derived = true, .set = "{\"a\":0.6}" },
	{ "set before, not logged", .sent = "{\"a\":0.5}", .before = "{\"a\":0.5}",
	  .last = "{\"b\":0.7}", .derived = true },
};

static const struct json_doc *read_doc(struct arena *a, const char *text)
{
	const struct json_doc *doc = NULL;

	if (text)
		assert_null(json_doc_parse(a, str_of(text), &doc));
	return doc;
}

static void expect(struct arena *a, const char *what, const char *part, const struct json_doc *is,
		   const char *wanted)
{
	if (!str_is(json_doc_dump(a, is), wanted ? wanted : "{}"))
		fail_msg("%s: %s is %s", what, part, json_doc_dump(a, is).at);
}

static void a_summary_is_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct summary_case *c = &cases[i];
		struct arena *a = arena_new(4096);
		const struct sdk_summary_ask ask = {
			.sent = read_doc(a, c->sent),
			.before = read_doc(a, c->before),
			.last = read_doc(a, c->last),
			.explicit_now = read_doc(a, c->now),
			.derived = c->derived,
		};
		struct sdk_summary_change change;

		sdk_summary_judge(a, &ask, &change);
		expect(a, c->what, "what is set", change.set, c->set);
		expect(a, c->what, "what is gone", change.gone, c->gone);
		expect(a, c->what, "what was logged", change.logged, c->logged);
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_summary_is_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
