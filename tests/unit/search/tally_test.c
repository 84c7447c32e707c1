/* What is counted over columns: all that there is room for, until the time is over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "buf.h"
#include "columns_filter.h"
#include "fields_tally.h"
#include "values_tally.h"

enum { LONG_LIST = 20000, LONG_AGO = 1 };

struct fixture {
	struct arena *a;
	struct columns *c;
	int64_t change;
};

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){ arena_new(4096), columns_new(256 << 20), 0 };
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	columns_free(f->c);
	arena_free(f->a);
	return 0;
}

static void put(struct fixture *f, struct str text)
{
	const int64_t change = ++f->change;
	const struct columns_document doc = { change, change, 0, false, text };

	assert_true(columns_put(f->c, &doc));
}

/* {"config": {"list": [first, ...]}} */
static void put_list(struct fixture *f, int first, int count)
{
	struct buf *text = buf_new(f->a);

	buf_add_text(text, "{\"config\": {\"list\": [");
	for (int i = 0; i < count; i++)
		buf_printf(text, "%s%d", i ? ", " : "", first + i);
	buf_add_text(text, "]}}");
	put(f, buf_str(text));
}

static struct values_tally *values_of_list(struct fixture *f, int64_t deadline_us)
{
	struct search_field_values *ask = arena_new_of(f->a, struct search_field_values);

	ask->limit = 10;
	assert_null(filter_path_parse(f->a, STR("config.list"), NULL, &ask->field));
	assert_null(text_match_new(f->a, "match", STR(""), 0, &ask->match));
	return values_tally_new(f->a, ask, deadline_us);
}

static bool count(struct fixture *f, struct tally *tally)
{
	return tally->add(tally, f->c, columns_shown(f->a, f->c, true, true));
}

static void values_are_counted_until_the_time_is_over(void **state)
{
	struct fixture *f = *state;
	struct search_field_values_found found;
	struct values_tally *t;

	put_list(f, 0, LONG_LIST);
	t = values_of_list(f, LONG_AGO);
	assert_false(count(f, &t->tally));
	assert_true(t->values.count < LONG_LIST);
	t = values_of_list(f, 0);
	assert_true(count(f, &t->tally));
	assert_null(values_tally_end(t, &found));
	assert_int_equal(found.all, LONG_LIST);
}

static void as_many_values_as_there_is_room_for(void **state)
{
	struct fixture *f = *state;
	struct search_field_values_found found;
	struct values_tally *t = values_of_list(f, 0);

	assert_int_equal(t->values.limit, VALUES_MAX);
	t->values.limit = LONG_LIST;
	put_list(f, 0, LONG_LIST);
	put_list(f, 0, 2);
	assert_true(count(f, &t->tally));
	assert_null(values_tally_end(t, &found));
	assert_int_equal(found.all, LONG_LIST);
	assert_int_equal(found.runs, 2);
	put_list(f, LONG_LIST, 1);
	t = values_of_list(f, 0);
	t->values.limit = LONG_LIST;
	assert_true(count(f, &t->tally));
	assert_int_equal(values_tally_end(t, &found)->kind, ERR_UNPROCESSABLE);
}

static void put_fields(struct fixture *f)
{
	put(f, STR("{\"tags\": [\"a\", \"b\", \"a\"], \"config\": {\"x\": 1, \"a.b\": 5}}"));
	put(f, STR("{\"tags\": [], \"config\": {\"x\": \"t\", \"a\": {\"b\": 7}}}"));
	put(f, STR("{\"tags\": [\"b\"], \"notes\": \"\", \"config\": {\"x\": {\"y\": 1}}}"));
	put(f, STR("{\"tags\": [\"c\"], \"config\": {\"x\": [2, 1], \"empty\": []}}"));
	put(f, STR("{\"notes\": \"n\", \"config\": {\"empty\": \"\"}}"));
}

/* "a*2 b*1 of 3 in 4 runs, 1 to 2" */
static const char *values_in_words(struct fixture *f, const struct search_field_values *ask)
{
	struct values_tally *t = values_tally_new(f->a, ask, 0);
	struct search_field_values_found found;
	struct buf *out = buf_new(f->a);

	assert_true(count(f, &t->tally));
	assert_null(values_tally_end(t, &found));
	for (size_t i = 0; i < found.count; i++) {
		const struct search_value *v = &found.values[i].value;

		buf_add_str(out, v->rank == SEARCH_RANK_NUMBER ? v->number : v->text);
		buf_printf(out, "*%lld ", (long long)found.values[i].runs);
	}
	buf_printf(out, "of %lld in %lld runs", (long long)found.all, (long long)found.runs);
	if (found.has_numbers)
		buf_printf(out, ", %.*s to %.*s", STR_ARG(found.least), STR_ARG(found.greatest));
	buf_add_byte(out, '\0');
	return out->at;
}

/* Each item of a list counts once for a run, none of an object; empty values are none of config. */
static void values_of_fields_are_counted_by_runs(void **state)
{
	static const struct {
		const char *field;
		const char *match;
		int64_t limit;
		const char *words;
	} cases[] = {
		{ "tags", "", 10, "b*2 a*1 c*1 of 3 in 3 runs" },
		{ "tags", "", 1, "b*2 of 3 in 3 runs" },
		{ "tags", "/[bc]/", 10, "b*2 c*1 of 2 in 3 runs" },
		{ "config.x", "", 10, "1*2 t*1 2*1 of 3 in 4 runs, 1 to 2" },
		{ "config.x", "t", 10, "t*1 of 1 in 4 runs, 1 to 2" },
		{ "config.x", "2", 10, "2*1 of 1 in 4 runs, 1 to 2" },
		{ "config.a.b", "", 10, "5*1 7*1 of 2 in 2 runs, 5 to 7" },
		{ "config.empty", "", 10, "*1 of 1 in 2 runs" },
		{ "notes", "", 10, "n*1 of 1 in 1 runs" },
		{ "config.none", "", 10, "of 0 in 0 runs" },
	};
	struct fixture *f = *state;

	put_fields(f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct search_field_values ask = { .limit = cases[i].limit };

		assert_null(filter_path_parse(f->a, str_of(cases[i].field), NULL, &ask.field));
		assert_null(text_match_new(f->a, "match", str_of(cases[i].match), 0, &ask.match));
		assert_string_equal(values_in_words(f, &ask), cases[i].words);
	}
}

static struct fields_tally *fields_that_match(struct fixture *f, const char *within,
					      const char *match, int64_t deadline_us)
{
	struct search_fields *ask = arena_new_of(f->a, struct search_fields);

	ask->within = str_of(within);
	assert_null(text_match_new(f->a, "match", str_of(match), 0, &ask->match));
	return fields_tally_new(f->a, ask, deadline_us);
}

static void only_fields_that_match_are_counted(void **state)
{
	struct fixture *f = *state;
	struct search_fields_found found;
	struct fields_tally *t;

	put(f, STR("{\"summary\": {\"loss\": 1, \"train\": {\"loss\": 2}, \"sum\": 3}}"));
	t = fields_that_match(f, "summary", "/^(sum|train)/", 0);
	assert_true(count(f, &t->tally));
	assert_true(count(f, &t->tally));
	fields_tally_end(t, &found);
	assert_int_equal(found.count, 3);
	assert_true(str_is(found.fields[0].name, "sum"));
	assert_true(str_is(found.fields[1].name, "train"));
	assert_true(str_is(found.fields[2].name, "train.loss"));
	for (size_t i = 0; i < found.count; i++)
		assert_int_equal(found.fields[i].runs, 2);
}

/* What stands beside is asked first, and a run counts once. */
static void fields_of_two_documents_are_counted_as_one(void **state)
{
	struct fixture *f = *state;
	struct search_fields_found found;
	struct fields_tally *t = fields_that_match(f, "summary", "", 0);

	((struct search_fields *)(uintptr_t)t->ask)->beside = str_of("logged");
	put(f,
	    STR("{\"summary\": {\"loss\": {\"min\": 1}}, \"logged\": {\"loss\": 2, \"a.b\": \"x\"}}"));
	put(f, STR("{\"summary\": {\"loss\": 3, \"a\": {\"b\": \"y\"}}, \"config\": {\"lr\": 1}}"));
	assert_true(count(f, &t->tally));
	fields_tally_end(t, &found);
	assert_int_equal(found.count, 4);
	assert_true(str_is(found.fields[0].name, "a"));
	assert_true(str_is(found.fields[1].name, "a.b"));
	assert_int_equal(found.fields[1].runs, 2);
	assert_true(str_is(found.fields[2].name, "loss"));
	assert_int_equal(found.fields[2].runs, 2);
	assert_int_equal(found.fields[2].kinds, 1u << SEARCH_RANK_NUMBER);
	assert_true(str_is(found.fields[3].name, "loss.min"));
}

static unsigned kinds_of(const struct search_fields_found *found, const char *name)
{
	for (size_t i = 0; i < found->count; i++) {
		if (str_is(found->fields[i].name, name))
			return found->fields[i].kinds;
	}
	return 0;
}

/* In a summary NaN and the infinities are numbers; outside of documents empty values are none. */
static void a_field_has_the_kinds_of_its_values(void **state)
{
	struct fixture *f = *state;
	struct search_fields_found found;
	struct fields_tally *t;

	put(f, STR("{\"tags\": [\"a\"], \"notes\": \"\", \"config\": {\"x\": 1, \"y\": \"NaN\"}}"));
	put(f, STR("{\"tags\": [], \"notes\": \"\", \"config\": {\"x\": \"t\", \"y\": true}}"));
	put(f, STR("{\"config\": {\"x\": null, \"y\": [1]}, \"summary\": {\"z\": \"NaN\"}}"));
	put(f, STR("{\"config\": {\"x\": {\"a\": 1}, \"y\": \"\"}, \"summary\": {\"z\": 1}}"));
	put(f,
	    STR("{\"config\": {\"x\": 0.10000000000000000001}, \"summary\": {\"z\": \"-Infinity\"}}"));
	t = fields_that_match(f, "", "", 0);
	assert_true(count(f, &t->tally));
	fields_tally_end(t, &found);
	assert_int_equal(kinds_of(&found, "tags"), 1u << SEARCH_RANK_LIST);
	assert_int_equal(kinds_of(&found, "notes"), 0);
	assert_int_equal(kinds_of(&found, "config.x"),
			 1u << SEARCH_RANK_NUMBER | 1u << SEARCH_RANK_TEXT |
				 1u << SEARCH_RANK_NULL | 1u << SEARCH_RANK_OBJECT);
	assert_int_equal(kinds_of(&found, "config.y"),
			 1u << SEARCH_RANK_TEXT | 1u << SEARCH_RANK_BOOL | 1u << SEARCH_RANK_LIST);
	t = fields_that_match(f, "summary", "", 0);
	assert_true(count(f, &t->tally));
	fields_tally_end(t, &found);
	assert_int_equal(kinds_of(&found, "z"), 1u << SEARCH_RANK_NUMBER);
}

static void fields_are_counted_until_the_time_is_over(void **state)
{
	struct fixture *f = *state;
	struct search_fields_found found;
	struct fields_tally *t;

	put(f, STR("{\"config\": {\"lr\": 1}, \"tags\": []}"));
	t = fields_that_match(f, "", "", LONG_AGO);
	assert_false(count(f, &t->tally));
	t = fields_that_match(f, "", "", 0);
	assert_true(count(f, &t->tally));
	fields_tally_end(t, &found);
	assert_true(found.count > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(values_of_fields_are_counted_by_runs, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_field_has_the_kinds_of_its_values, setup,
						teardown),
		cmocka_unit_test_setup_teardown(values_are_counted_until_the_time_is_over, setup,
						teardown),
		cmocka_unit_test_setup_teardown(as_many_values_as_there_is_room_for, setup,
						teardown),
		cmocka_unit_test_setup_teardown(only_fields_that_match_are_counted, setup,
						teardown),
		cmocka_unit_test_setup_teardown(fields_of_two_documents_are_counted_as_one, setup,
						teardown),
		cmocka_unit_test_setup_teardown(fields_are_counted_until_the_time_is_over, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
