/* Lists of runs, by the SQL of the store and by columns: filter, total order, pages, who sees what. */
#include <string.h>

#include "filter.h"
#include "scene.h"
#include "search_ways.h"

struct searched {
	int64_t run_id;
	int16_t visibility; /* 0 as the project, 1 private, 2 public */
	const char *document;
};

static const struct searched documents[] = {
	{ 11, 0, "{\"state\":\"running\",\"summary\":{\"loss\":0.5},\"config\":{\"lr\":1}}" },
	{ 12, 0, "{\"state\":\"crashed\",\"summary\":{\"loss\":0.25},\"config\":{\"lr\":2}}" },
	{ 13, 0, "{\"state\":\"crashed\",\"summary\":{},\"config\":{\"lr\":3}}" },
	{ 14, 1, "{\"state\":\"finished\",\"summary\":{\"loss\":0.5},\"config\":{\"lr\":4}}" },
	{ 15, 2, "{\"state\":\"finished\",\"summary\":{\"loss\":-3},\"config\":{\"lr\":5}}" },
	{ 16, 0, "{\"state\":\"finished\",\"summary\":{\"loss\":\"NaN\"},\"config\":{\"lr\":6}}" },
	{ 17, 0, "{\"state\":\"failed\",\"summary\":{\"loss\":null},\"config\":{\"lr\":7}}" },
	{ 18, 0, "{\"state\":\"failed\",\"summary\":{\"loss\":true},\"config\":{\"lr\":8}}" },
	{ 19, 0, "{\"state\":\"running\",\"config\":{\"lr\":9}}" },
	{ 20, 0, "{\"state\":\"running\",\"summary\":{\"loss\":0.50},\"config\":{\"lr\":10}}" },
};
enum { DOCUMENTS = sizeof(documents) / sizeof(documents[0]) };

static void save(struct scene *s, const struct searched *d, int64_t seq)
{
	const struct search_document doc = { s->project_id, d->run_id, seq, d->visibility,
					     str_of(d->document) };

	ok(search_store_save(s->db, &doc));
}

/* No document is written of a run that is not there. */
static void make_runs(struct scene *s, int first, int last)
{
	scene_sql(s,
		  "insert into run_hot (run_id, project_id, next_row, next_event, next_seq, "
		  "last_step, compact_seq, tail_rows, tail_bytes, heard_at, look_at, state, "
		  "attempt, fallback_state, end_pending, next_writer, next_state, document_seq, "
		  "started_at) select i, %lld, 0, 0, 0, -1, -1, 0, 0, now(), now(), 2, 1, 0, "
		  "false, 0, 2, 0, now() from generate_series(%d, %d) i on conflict do nothing",
		  (long long)s->project_id, first, last);
}

static int setup(void **state)
{
	struct scene *s = *state;

	scene_setup(state);
	scene_sql(s, "truncate run_document, document_count");
	make_runs(s, 1, 100);
	for (int i = 0; i < DOCUMENTS; i++)
		save(s, &documents[i], 1);
	return 0;
}

WAYS_SETUP(setup)

static struct search_page by_loss(void)
{
	static struct str path[] = { { "summary", 7 }, { "loss", 4 } };

	return (struct search_page){ .order = { path, 2 }, .limit = 100, .counts = true };
}

static struct search_question question(struct scene *s, const char *filter)
{
	struct search_question q = { .project_id = s->project_id, .sees_private = true };

	ok(filter_parse(s->a, str_of(filter), &q.filter));
	return q;
}

/* "12 11 14": the runs of one page. */
static const char *list(struct scene *s, const struct search_question *q,
			const struct search_page *ask)
{
	struct buf *out = buf_new(s->a);
	struct search_page_found found;

	ok(search_page(ways_now(), s->db, q, ask, &found));
	assert_true(found.count <= (size_t)ask->limit);
	for (size_t i = 0; i < found.count; i++)
		buf_printf(out, "%s%lld", i ? " " : "", (long long)found.runs[i].run_id);
	assert_true(ask->has_cursor || found.all >= (int64_t)found.count);
	assert_true(found.count == (size_t)ask->limit || ask->has_cursor ||
		    found.all == (int64_t)found.count);
	buf_add_byte(out, '\0');
	return out->at;
}

/* The same by pages, with a call of `between` after each. */
static const char *list_by_pages(struct scene *s, const struct search_question *q,
				 struct search_page ask, int64_t limit,
				 void (*between)(struct scene *s))
{
	struct buf *out = buf_new(s->a);
	struct search_page_found found;

	ask.limit = limit;
	do {
		ok(search_page(ways_now(), s->db, q, &ask, &found));
		for (size_t i = 0; i < found.count; i++)
			buf_printf(out, "%s%lld", out->len ? " " : "",
				   (long long)found.runs[i].run_id);
		if (found.count) {
			ask.has_cursor = true;
			ask.cursor_run_id = found.runs[found.count - 1].run_id;
			ask.cursor = found.runs[found.count - 1].value;
		}
		if (between)
			between(s);
	} while (found.count);
	buf_add_byte(out, '\0');
	return out->at;
}

/* In order: numbers, then null, texts, booleans; what is no number comes after them and what is missing last, either way. */
#define ASCENDING "15 12 11 14 20 17 16 18 13 19"
#define DESCENDING "20 14 11 12 15 18 16 17 19 13"

static void test_order(void **state)
{
	struct scene *s = *state;
	struct search_question q = question(s, "");
	struct search_page ask = by_loss();

	assert_string_equal(list(s, &q, &ask), ASCENDING);
	ask.descending = true;
	assert_string_equal(list(s, &q, &ask), DESCENDING);
}

static void test_pages(void **state)
{
	struct scene *s = *state;
	struct search_question q = question(s, "");
	struct search_page ask = by_loss();

	for (int64_t limit = 1; limit <= DOCUMENTS + 1; limit++) {
		ask.descending = false;
		assert_string_equal(list_by_pages(s, &q, ask, limit, NULL), ASCENDING);
		ask.descending = true;
		assert_string_equal(list_by_pages(s, &q, ask, limit, NULL), DESCENDING);
	}
}

/* Runs that come while pages are read: those before the cursor are not shown, none is shown twice. */
static void add_in_front(struct scene *s)
{
	static const struct searched come[] = { { 1, 0, "{\"summary\":{\"loss\":\"-Infinity\"}}" },
						{ 2, 0, "{\"summary\":{\"loss\":-1e300}}" } };

	save(s, &come[0], 1);
	save(s, &come[1], 1);
}

static void test_pages_while_runs_come(void **state)
{
	struct scene *s = *state;
	struct search_question q = question(s, "");
	struct search_page ask = by_loss();

	assert_string_equal(list_by_pages(s, &q, ask, 3, add_in_front), ASCENDING);
}

static void test_filter(void **state)
{
	static const struct {
		const char *filter;
		const char *found;
	} cases[] = {
		{ "", ASCENDING },
		{ "state:crashed", "12 13" },
		{ "state:crashed config.lr<3", "12" },
		{ "config.lr>=9", "20 19" },
		{ "summary.loss=0.5", "11 14 20" },
		{ "{\"summary.loss\":{\"$lt\":0.5}}", "15 12" },
		{ "{\"$or\":[{\"config.lr\":1},{\"config.lr\":7}]}", "11 17" },
		{ "config.nothing=1", "" },
		{ "config.lr:text", "" },
	};
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct search_question q = question(s, cases[i].filter);
		struct search_page ask = by_loss();

		if (strcmp(list(s, &q, &ask), cases[i].found) != 0)
			fail_msg("%s: %s is not %s", cases[i].filter, list(s, &q, &ask),
				 cases[i].found);
		assert_string_equal(list_by_pages(s, &q, ask, 1, NULL), cases[i].found);
	}
}

static void test_who_sees_what(void **state)
{
	static const struct {
		bool sees_private;
		bool project_public;
		const char *found;
	} cases[] = {
		{ true, false, ASCENDING },
		{ true, true, ASCENDING },
		{ false, false, "15" },
		{ false, true, "15 12 11 20 17 16 18 13 19" },
	};
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct search_question q = question(s, "");
		struct search_page ask = by_loss();

		q.sees_private = cases[i].sees_private;
		q.project_public = cases[i].project_public;
		assert_string_equal(list(s, &q, &ask), cases[i].found);
	}
}

/* What an older look at the run says comes too late. */
static void test_older_documents_come_too_late(void **state)
{
	struct scene *s = *state;
	struct search_question killed = question(s, "state:killed");
	struct search_question running = question(s, "state:running");
	struct search_page ask = by_loss();

	save(s, &(struct searched){ 11, 0, "{\"state\":\"killed\"}" }, 5);
	save(s, &(struct searched){ 11, 0, "{\"state\":\"running\"}" }, 4);
	assert_string_equal(list(s, &killed, &ask), "11");
	save(s, &(struct searched){ 11, 0, "{\"state\":\"killed\",\"x\":1}" }, 5);
	assert_string_equal(list(s, &running, &ask), "20 19");
}

static void save_rows(struct scene *s, int64_t next_row, const char *text)
{
	const struct search_document doc = {
		s->project_id, 11, 1, 0, str_of(text), next_row, { 0 }
	};

	ok(search_store_save(s->db, &doc));
}

/* Rows alone do not count as another state of the run: two servers that write at once may have seen more and fewer. */
static void test_documents_of_fewer_rows_come_too_late(void **state)
{
	struct scene *s = *state;
	struct search_question q = question(s, "summary.loss:7");
	struct search_page ask = by_loss();

	save_rows(s, 5, "{\"summary\":{\"loss\":7}}");
	save_rows(s, 4, "{\"summary\":{\"loss\":6}}");
	assert_string_equal(list(s, &q, &ask), "11");
	save_rows(s, 5, "{\"summary\":{\"loss\":8}}");
	assert_string_equal(list(s, &q, &ask), "");
}

static struct search_document doc_of(struct scene *s, int64_t run_id)
{
	return (struct search_document){ .project_id = s->project_id,
					 .run_id = run_id,
					 .seq = 2,
					 .document = str_of("{\"summary\":{\"loss\":70}}") };
}

/* Each with a count of its own, so that who follows in portions misses none; not of runs that are deleted or elsewhere. */
static void test_several_documents_at_once(void **state)
{
	struct scene *s = *state;
	struct search_question q = question(s, "summary.loss:70");
	struct search_page ask = by_loss();
	struct search_document docs[] = { doc_of(s, 13), doc_of(s, 14), doc_of(s, 15),
					  doc_of(s, 16) };
	struct search_document_row *rows;
	size_t saved;
	size_t count;

	scene_sql(s, "update run_hot set deleted_at = now() where run_id = 14");
	scene_sql(s, "update run_hot set project_id = project_id + 1 where run_id = 16");
	ok(db_begin(s->db, 10000, 1000));
	ok(search_store_save_free(s->db, docs, 4, &saved));
	ok(db_commit(s->db));
	scene_sql(s, "update run_hot set project_id = project_id - 1 where run_id = 16");
	scene_sql(s, "update run_hot set deleted_at = null where run_id = 14");
	assert_int_equal(saved, 2);
	assert_int_equal(docs[0].run_id, 13);
	assert_int_equal(docs[1].run_id, 15);
	assert_string_equal(list(s, &q, &ask), "13 15");
	ok(search_store_changed(s->db, s->project_id, DOCUMENTS, 10, &rows, &count));
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].change, DOCUMENTS + 1);
	assert_int_equal(rows[1].change, DOCUMENTS + 2);
}

/* With the next question, whoever changed it. */
static void test_changes_are_seen_at_once(void **state)
{
	struct scene *s = *state;
	struct search_question all = question(s, "");
	struct search_page ask = by_loss();

	all.project_public = true;
	all.sees_private = false;
	ok(search_store_show(s->db, s->project_id, 16, 1));
	assert_string_equal(list(s, &all, &ask), "15 12 11 20 17 18 13 19");
	ok(search_store_drop(s->db, s->project_id, 12));
	assert_string_equal(list(s, &all, &ask), "15 11 20 17 18 13 19");
	save(s, &(struct searched){ 12, 0, "{\"state\":\"running\",\"summary\":{\"loss\":9}}" }, 9);
	assert_string_equal(list(s, &all, &ask), "15 11 20 12 17 18 13 19");
	all.sees_private = true;
	assert_string_equal(list(s, &all, &ask), "15 11 14 20 12 17 16 18 13 19");
}

/* ---- several keys --------------------------------------------------------------------------------- */

static struct filter_path path_of(struct scene *s, const char *name)
{
	struct filter_path path;

	ok(filter_path_parse(s->a, str_of(name), NULL, &path));
	return path;
}

static struct search_page by_state_and_rate(struct scene *s)
{
	return (struct search_page){
		.order = path_of(s, "state"),
		.more = { { path_of(s, "config.nothing"), false },
			  { path_of(s, "config.lr"), true } },
		.more_count = 2,
		.limit = 100,
		.counts = true,
	};
}

static void test_order_by_several_keys(void **state)
{
	struct scene *s = *state;
	struct search_question q = question(s, "");
	struct search_page ask = by_state_and_rate(s);

	assert_string_equal(list(s, &q, &ask), "13 12 18 17 16 15 14 20 19 11");
	ask.descending = true;
	assert_string_equal(list(s, &q, &ask), "20 19 11 16 15 14 18 17 13 12");
	ask.more[1].descending = false;
	assert_string_equal(list(s, &q, &ask), "11 19 20 14 15 16 17 18 12 13");
	ask.offset = 4;
	ask.limit = 3;
	assert_string_equal(list(s, &q, &ask), "15 16 17");
}

static void test_pages_by_several_keys(void **state)
{
	struct scene *s = *state;
	struct search_question q = question(s, "config.lr<9");
	struct search_page_found found;
	struct buf *out = buf_new(s->a);
	struct search_page ask = by_state_and_rate(s);

	ask.limit = 3;
	do {
		ok(search_page(ways_now(), s->db, &q, &ask, &found));
		assert_int_equal(found.all, 8);
		for (size_t i = 0; i < found.count; i++)
			buf_printf(out, "%lld ", (long long)found.runs[i].run_id);
		if (!found.count)
			break;
		ask.has_cursor = true;
		ask.cursor_run_id = found.runs[found.count - 1].run_id;
		ask.cursor = found.runs[found.count - 1].value;
		memcpy(ask.cursor_more, found.runs[found.count - 1].more, sizeof(ask.cursor_more));
	} while (found.count);
	buf_add_byte(out, '\0');
	assert_string_equal(out->at, "13 12 18 17 16 15 14 11 ");
}

/* ---- fields and their values --------------------------------------------------------------------- */

static struct text_match *any_text(struct scene *s)
{
	struct text_match *match;

	ok(text_match_new(s->a, "match", STR(""), 0, &match));
	return match;
}

static const char *fields(struct scene *s, const struct search_question *q, const char *within)
{
	const struct search_fields ask = { .within = str_of(within), .match = any_text(s) };
	struct search_fields_found found;
	struct buf *out = buf_new(s->a);

	ok(search_fields(ways_now(), s->db, q, &ask, &found));
	for (size_t i = 0; i < found.count; i++)
		buf_printf(out, "%s%.*s*%lld", i ? " " : "", STR_ARG(found.fields[i].name),
			   (long long)found.fields[i].runs);
	buf_add_byte(out, '\0');
	return out->at;
}

static void test_fields_are_those_of_the_runs_found(void **state)
{
	struct scene *s = *state;
	struct search_question q = question(s, "");

	assert_string_equal(fields(s, &q, "summary"), "loss*8");
	assert_string_equal(fields(s, &q, "config"), "lr*10");
	q = question(s, "state:crashed");
	assert_string_equal(fields(s, &q, "summary"), "loss*1");
	q = question(s, "");
	q.sees_private = false;
	assert_string_equal(fields(s, &q, "config"), "lr*1");
	q.sees_private = true;
	q.group_key = path_of(s, "state");
	q.group = (struct search_value){ SEARCH_RANK_TEXT, STR("0"), STR("running") };
	assert_string_equal(fields(s, &q, "config"), "lr*3");
}

static void test_values_of_a_field(void **state)
{
	struct scene *s = *state;
	struct search_question q = question(s, "");
	const struct search_field_values ask = { path_of(s, "state"), any_text(s), 3 };
	struct search_field_values_found found;

	ok(search_field_values(ways_now(), s->db, &q, &ask, &found));
	assert_int_equal(found.count, 3);
	assert_int_equal(found.all, 4);
	assert_int_equal(found.runs, DOCUMENTS);
	assert_true(str_is(found.values[0].value.text, "finished"));
	assert_int_equal(found.values[0].runs, 3);
	assert_true(str_is(found.values[1].value.text, "running"));
	assert_int_equal(found.values[1].runs, 3);
	assert_int_equal(found.values[2].runs, 2);
}

/* However the question is answered: it is not answered by half. */
static void test_a_count_ends_at_its_deadline(void **state)
{
	struct scene *s = *state;
	struct search_question q = question(s, "");
	const struct search_fields ask = { .within = STR("config"), .match = any_text(s) };
	struct search_fields_found found;
	err_t e;

	q.deadline_us = 1;
	e = search_fields(ways_now(), s->db, &q, &ask, &found);
	assert_true(e && e->kind == ERR_TIMEOUT);
}

static void test_values_of_runs(void **state)
{
	static const int64_t run_ids[] = { 15, 999, 11, 19, 17 };
	static const char *const expected[] = {
		"-3 5", "none none", "0.5 1", "none 9", "null 7",
	};
	struct scene *s = *state;
	struct filter_path keys[] = { path_of(s, "summary.loss"), path_of(s, "config.lr") };
	const struct search_values ask = { s->project_id, run_ids, 5, keys, 2 };
	struct search_value *values;

	ok(search_values(s->db, &ask, &values));
	for (size_t i = 0; i < 5; i++) {
		struct buf *out = buf_new(s->a);

		for (size_t k = 0; k < 2; k++) {
			const struct search_value *v = &values[i * 2 + k];

			buf_printf(out, "%s%.*s", k ? " " : "",
				   STR_ARG(v->rank == SEARCH_RANK_NONE   ? STR("none")
					   : v->rank == SEARCH_RANK_NULL ? STR("null")
									 : v->number));
		}
		buf_add_byte(out, '\0');
		assert_string_equal(out->at, expected[i]);
	}
}

static void test_a_bad_regular_expression(void **state)
{
	struct scene *s = *state;
	struct search_question q = question(s, "{\"state\":{\"$regex\":\"(\"}}");
	struct search_page ask = by_loss();
	struct search_page_found found;
	err_t e = search_page(ways_now(), s->db, &q, &ask, &found);

	assert_true(e && e->kind == ERR_INVALID);
	assert_string_equal(e->field, "filter.state.$regex");
}

/* What would take for ever ends soon, and says so. */
static void test_an_expression_that_goes_astray(void **state)
{
	static const char *const astray[] = { "config.x:/^(a+)+$/", "config.x:/(a|aa)*[bc]/",
					      "config.x:/(.*)(.*)(.*)(.*)[yz]/" };
	struct scene *s = *state;
	char *text = arena_printf(s->a, "{\"config\":{\"x\":\"%0*d\"}}", 3000, 0);

	for (char *at = text; *at; at++)
		*at = *at == '0' ? 'a' : *at;
	text[strlen(text) - 5] = '!';
	save(s, &(struct searched){ 11, 0, text }, 3);
	for (size_t i = 0; i < sizeof(astray) / sizeof(astray[0]); i++) {
		struct search_question q = question(s, astray[i]);
		struct search_page ask = by_loss();
		struct search_page_found found;
		err_t e = search_page(ways_now(), s->db, &q, &ask, &found);

		if (!e)
			fail_msg("%s found an answer", astray[i]);
		assert_int_equal(e->kind, ERR_UNPROCESSABLE);
		assert_string_equal(e->field, "filter");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WAYS_TEST(test_order, setup),
		WAYS_TEST(test_pages, setup),
		WAYS_TEST(test_pages_while_runs_come, setup),
		WAYS_TEST(test_filter, setup),
		WAYS_TEST(test_who_sees_what, setup),
		WAYS_TEST(test_older_documents_come_too_late, setup),
		WAYS_TEST(test_documents_of_fewer_rows_come_too_late, setup),
		WAYS_TEST(test_several_documents_at_once, setup),
		WAYS_TEST(test_changes_are_seen_at_once, setup),
		WAYS_TEST(test_order_by_several_keys, setup),
		WAYS_TEST(test_pages_by_several_keys, setup),
		WAYS_TEST(test_fields_are_those_of_the_runs_found, setup),
		WAYS_TEST(test_values_of_a_field, setup),
		WAYS_TEST(test_a_count_ends_at_its_deadline, setup),
		WAYS_TEST(test_values_of_runs, setup),
		WAYS_TEST(test_an_expression_that_goes_astray, setup),
		WAYS_TEST(test_a_bad_regular_expression, setup),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
