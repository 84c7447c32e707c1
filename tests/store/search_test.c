/* Lists of runs by the SQL of the store: filter, total order, pages, who sees what. */
#include <string.h>

#include "document_store.h"
#include "filter.h"
#include "scene.h"

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

	ok(document_store_save_searched(s->db, &doc));
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
	scene_sql(s, "delete from run_document");
	make_runs(s, 1, 100);
	for (int i = 0; i < DOCUMENTS; i++)
		save(s, &documents[i], 1);
	return 0;
}

static struct search_ask by_loss(struct scene *s)
{
	static const struct str path[] = { { "summary", 7 }, { "loss", 4 } };

	return (struct search_ask){
		.project_id = s->project_id,
		.sees_private = true,
		.path = path,
		.path_count = 2,
		.limit = 100,
	};
}

static struct str filter(struct scene *s, const char *text)
{
	const struct filter_node *node;
	struct str path;

	ok(filter_parse(s->a, str_of(text), &node));
	ok(filter_to_jsonpath(s->a, node, &path));
	return path;
}

/* "12 11 14": the runs of one page. */
static const char *list(struct scene *s, const struct search_ask *ask)
{
	struct buf *out = buf_new(s->a);
	struct search_row *rows;
	size_t count;

	ok(document_store_search(s->db, ask, &rows, &count));
	assert_true(count <= (size_t)ask->limit);
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s%lld", i ? " " : "", (long long)rows[i].run_id);
	buf_add_byte(out, '\0');
	return out->at;
}

/* The same by pages, with a call of `between` after each. */
static const char *list_by_pages(struct scene *s, struct search_ask ask, int64_t limit,
				 void (*between)(struct scene *s))
{
	struct buf *out = buf_new(s->a);
	struct search_row *rows;
	size_t count;

	ask.limit = limit;
	do {
		ok(document_store_search(s->db, &ask, &rows, &count));
		for (size_t i = 0; i < count; i++)
			buf_printf(out, "%s%lld", out->len ? " " : "", (long long)rows[i].run_id);
		if (count) {
			ask.has_cursor = true;
			ask.cursor_run_id = rows[count - 1].run_id;
			ask.cursor_value = rows[count - 1].order_value;
		}
		if (between)
			between(s);
	} while (count);
	buf_add_byte(out, '\0');
	return out->at;
}

/* jsonb's order: null, texts, numbers, booleans; what is missing comes last, either way. */
#define ASCENDING "17 16 15 12 11 14 20 18 13 19"
#define DESCENDING "18 20 14 11 12 15 16 17 19 13"

static void test_order(void **state)
{
	struct scene *s = *state;
	struct search_ask ask = by_loss(s);

	assert_string_equal(list(s, &ask), ASCENDING);
	ask.descending = true;
	assert_string_equal(list(s, &ask), DESCENDING);
}

static void test_pages(void **state)
{
	struct scene *s = *state;
	struct search_ask ask = by_loss(s);

	for (int64_t limit = 1; limit <= DOCUMENTS + 1; limit++) {
		ask.descending = false;
		assert_string_equal(list_by_pages(s, ask, limit, NULL), ASCENDING);
		ask.descending = true;
		assert_string_equal(list_by_pages(s, ask, limit, NULL), DESCENDING);
	}
}

/* Runs that come while pages are read: those before the cursor are not shown, none is shown twice. */
static void add_in_front(struct scene *s)
{
	static const struct searched come[] = { { 1, 0, "{\"summary\":{\"loss\":\"A\"}}" },
						{ 2, 0, "{\"summary\":{\"loss\":null}}" } };

	save(s, &come[0], 1);
	save(s, &come[1], 1);
}

static void test_pages_while_runs_come(void **state)
{
	struct scene *s = *state;
	struct search_ask ask = by_loss(s);

	assert_string_equal(list_by_pages(s, ask, 3, add_in_front), ASCENDING);
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
		{ "{\"$or\":[{\"config.lr\":1},{\"config.lr\":7}]}", "17 11" },
		{ "config.nothing=1", "" },
		{ "config.lr:text", "" },
	};
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct search_ask ask = by_loss(s);

		if (*cases[i].filter)
			ask.filter = filter(s, cases[i].filter);
		if (strcmp(list(s, &ask), cases[i].found) != 0)
			fail_msg("%s: %s is not %s", cases[i].filter, list(s, &ask),
				 cases[i].found);
		assert_string_equal(list_by_pages(s, ask, 1, NULL), cases[i].found);
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
		{ false, true, "17 16 15 12 11 20 18 13 19" },
	};
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct search_ask ask = by_loss(s);

		ask.sees_private = cases[i].sees_private;
		ask.project_public = cases[i].project_public;
		assert_string_equal(list(s, &ask), cases[i].found);
	}
}

/* What an older look at the run says comes too late. */
static void test_older_documents_come_too_late(void **state)
{
	struct scene *s = *state;
	struct search_ask ask = by_loss(s);

	save(s, &(struct searched){ 11, 0, "{\"state\":\"killed\"}" }, 5);
	save(s, &(struct searched){ 11, 0, "{\"state\":\"running\"}" }, 4);
	ask.filter = filter(s, "state:killed");
	assert_string_equal(list(s, &ask), "11");
	save(s, &(struct searched){ 11, 0, "{\"state\":\"killed\",\"x\":1}" }, 5);
	ask.filter = filter(s, "state:running");
	assert_string_equal(list(s, &ask), "20 19");
}

static void test_a_bad_regular_expression(void **state)
{
	struct scene *s = *state;
	struct search_ask ask = by_loss(s);
	struct search_row *rows;
	size_t count;
	err_t e;

	ask.filter = filter(s, "{\"state\":{\"$regex\":\"(\"}}");
	e = document_store_search(s->db, &ask, &rows, &count);
	assert_true(e && db_err_is(e, "2201B"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_order, setup),
		cmocka_unit_test_setup(test_pages, setup),
		cmocka_unit_test_setup(test_pages_while_runs_come, setup),
		cmocka_unit_test_setup(test_filter, setup),
		cmocka_unit_test_setup(test_who_sees_what, setup),
		cmocka_unit_test_setup(test_older_documents_come_too_late, setup),
		cmocka_unit_test_setup(test_a_bad_regular_expression, setup),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
