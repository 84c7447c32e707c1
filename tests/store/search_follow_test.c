/* The job that follows documents: which projects it loads as columns, keeps up to date, drops and puts off. */
#include <string.h>

#include "clock.h"
#include "filter.h"
#include "scene.h"
#include "search_parts.h"
#include "search_ways.h"

enum {
	PROJECTS = 3,
	RUNS = 5, /* of each */
	MEMORY = 64 << 20,
	SECOND_US = 1000 * 1000,
};

static int64_t run_of(int project, int run)
{
	return 1000 * (project + 1) + run;
}

static int64_t project_of(const struct scene *s, int project)
{
	return s->project_id + project;
}

static void save(struct scene *s, int project, int run, int64_t seq, const char *text)
{
	const struct search_document doc = { project_of(s, project), run_of(project, run), seq, 0,
					     str_of(text) };

	ok(search_store_save(s->db, &doc));
}

static int setup(void **state)
{
	struct scene *s;

	scene_setup(state);
	s = *state;
	scene_sql(s, "truncate run_document, document_count");
	for (int project = 0; project < PROJECTS; project++) {
		scene_sql(
			s,
			"insert into run_hot (run_id, project_id, next_row, next_event, next_seq, "
			"last_step, compact_seq, tail_rows, tail_bytes, heard_at, look_at, state, "
			"attempt, fallback_state, end_pending, next_writer, next_state, document_seq, "
			"started_at) select i, %lld, 0, 0, 0, -1, -1, 0, 0, now(), now(), 2, 1, 0, "
			"false, 0, 2, 0, now() from generate_series(%lld, %lld) i on conflict do nothing",
			(long long)project_of(s, project), (long long)run_of(project, 0),
			(long long)run_of(project, RUNS - 1));
		for (int run = 0; run < RUNS; run++)
			save(s, project, run, 1, "{\"state\":\"running\"}");
	}
	return 0;
}

/* Returns how many runs of the project have that state. */
static int64_t count(struct scene *s, struct search *search, int project, const char *state)
{
	static struct str path[] = { { "id", 2 } };
	const struct search_page ask = { .order = { path, 1 }, .limit = 10, .counts = true };
	struct search_question q = { .project_id = project_of(s, project), .sees_private = true };
	struct search_page_found found;

	ok(filter_parse(s->a, str_of(arena_printf(s->a, "state:%s", state)), &q.filter));
	ok(search_page(search, s->db, &q, &ask, &found));
	return found.all;
}

static void want(struct scene *s, struct search *search, int project)
{
	assert_int_equal(count(s, search, project, "running"), RUNS);
}

/* Returns how many projects were loaded. */
static uint64_t follow(struct scene *s, struct search *search)
{
	uint64_t loaded;

	ok(search_follow(search, s->db, &s->stop, &loaded));
	return loaded;
}

/* The state of a project in the search, without a change of it. */
static struct search_project *look_at(struct scene *s, struct search *search, int project)
{
	struct search_project *p = search->projects;

	while (p && p->project_id != project_of(s, project))
		p = p->next;
	return p;
}

static bool has_columns(struct scene *s, struct search *search, int project)
{
	const struct search_project *p = look_at(s, search, project);

	if (!p)
		return false;
	assert_int_equal(p->columns != NULL, p->bytes != 0);
	return p->columns != NULL;
}

static void all_projects_that_are_wanted_are_loaded_at_once(void **state)
{
	struct scene *s = *state;
	struct search *search = search_new(MEMORY);

	assert_int_equal(follow(s, search), 0);
	for (int project = 0; project < PROJECTS; project++)
		want(s, search, project);
	assert_int_equal(ways_metric(search, "cairn_search_by_sql_total"), PROJECTS);
	assert_int_equal(follow(s, search), PROJECTS);
	assert_int_equal(ways_metric(search, "cairn_search_column_projects"), PROJECTS);
	for (int project = 0; project < PROJECTS; project++)
		assert_int_equal(count(s, search, project, "running"), RUNS);
	assert_int_equal(ways_metric(search, "cairn_search_by_columns_total"), PROJECTS);
	assert_int_equal(follow(s, search), 0);
	search_free(search);
}

static void changes_of_each_project_are_put_in(void **state)
{
	struct scene *s = *state;
	struct search *search = search_new(MEMORY);

	for (int project = 0; project < PROJECTS; project++)
		want(s, search, project);
	follow(s, search);
	for (int project = 0; project < PROJECTS; project++) {
		assert_int_equal(look_at(s, search, project)->change, RUNS);
		for (int run = 0; run <= project; run++)
			save(s, project, run, 2, "{\"state\":\"failed\"}");
	}
	assert_int_equal(follow(s, search), 0);
	for (int project = 0; project < PROJECTS; project++) {
		assert_int_equal(look_at(s, search, project)->change, RUNS + 1 + project);
		assert_int_equal(count(s, search, project, "failed"), 1 + project);
	}
	search_free(search);
}

static void a_project_that_nothing_holds_is_forgotten(void **state)
{
	struct scene *s = *state;
	struct search *search = search_new(MEMORY);
	struct search_project *held = search_take(search, project_of(s, 0));

	search_give(search, search_take(search, project_of(s, 1)));
	want(s, search, 2);
	follow(s, search);
	assert_non_null(look_at(s, search, 0));
	assert_null(look_at(s, search, 1));
	assert_true(has_columns(s, search, 2));
	search_give(search, held);
	held->not_before_us = INT64_MAX;
	follow(s, search);
	assert_non_null(look_at(s, search, 0));
	held->not_before_us = 0;
	follow(s, search);
	assert_null(look_at(s, search, 0));
	assert_int_equal(look_at(s, search, 2)->holders, 0);
	search_free(search);
}

/* A search with memory for the columns of so many halves of a project. */
static struct search *search_for_halves(struct scene *s, size_t halves)
{
	struct search *large = search_new(MEMORY);
	size_t bytes;

	want(s, large, 0);
	follow(s, large);
	bytes = look_at(s, large, 0)->bytes;
	search_free(large);
	return search_new(halves * bytes / 2 * 32 / 31);
}

static void assert_put_off(const struct search_project *p, int64_t seconds)
{
	int64_t left_us = p->not_before_us - clock_mono_us();

	assert_false(p->wanted);
	assert_true(left_us <= seconds * SECOND_US);
	assert_true(left_us > seconds * SECOND_US / 2);
}

static void a_project_that_was_queried_lately_is_not_dropped_for_another(void **state)
{
	struct scene *s = *state;
	struct search *search = search_for_halves(s, 3);

	want(s, search, 0);
	assert_int_equal(follow(s, search), 1);
	want(s, search, 1);
	assert_int_equal(follow(s, search), 0);
	assert_true(has_columns(s, search, 0));
	assert_false(has_columns(s, search, 1));
	assert_put_off(look_at(s, search, 1), 60);
	want(s, search, 1);
	assert_false(look_at(s, search, 1)->wanted);
	search_free(search);
}

static void the_project_that_was_queried_longest_ago_makes_room(void **state)
{
	struct scene *s = *state;
	struct search *search = search_for_halves(s, 5);

	want(s, search, 0);
	want(s, search, 1);
	assert_int_equal(follow(s, search), 2);
	look_at(s, search, 0)->used_us -= 70 * SECOND_US;
	look_at(s, search, 1)->used_us -= 80 * SECOND_US;
	want(s, search, 2);
	assert_int_equal(follow(s, search), 1);
	assert_true(has_columns(s, search, 0));
	assert_false(has_columns(s, search, 1));
	assert_true(has_columns(s, search, 2));
	assert_int_equal(look_at(s, search, 0)->holders, 0);
	search_free(search);
}

static void two_projects_fit_if_there_is_room_for_both(void **state)
{
	struct scene *s = *state;
	struct search *search = search_for_halves(s, 4);

	search->memory += 1;
	want(s, search, 0);
	want(s, search, 1);
	assert_int_equal(follow(s, search), 2);
	search_free(search);
}

static void a_project_that_is_larger_than_the_memory_is_put_off_for_longer(void **state)
{
	struct scene *s = *state;
	struct search *search = search_for_halves(s, 1);

	want(s, search, 0);
	assert_int_equal(follow(s, search), 0);
	assert_false(has_columns(s, search, 0));
	assert_put_off(look_at(s, search, 0), 600);
	assert_int_equal(count(s, search, 0, "running"), RUNS);
	search_free(search);
}

static void a_project_that_grows_beyond_the_room_is_dropped(void **state)
{
	struct scene *s = *state;
	struct search *search = search_for_halves(s, 5);
	const char *large = arena_printf(s->a, "{\"state\":\"%0*d\"}", 300 << 10, 0);

	want(s, search, 0);
	want(s, search, 1);
	assert_int_equal(follow(s, search), 2);
	save(s, 1, 0, 2, large);
	assert_int_equal(follow(s, search), 0);
	assert_true(has_columns(s, search, 0));
	assert_false(has_columns(s, search, 1));
	assert_put_off(look_at(s, search, 1), 60);
	assert_int_equal(count(s, search, 1, "running"), RUNS - 1);
	search_free(search);
}

/* Counts that were removed cannot be followed: the columns are loaded again when they are wanted. */
static void columns_that_cannot_follow_are_dropped(void **state)
{
	struct scene *s = *state;
	struct search *search = search_new(MEMORY);

	for (int forgotten = 0; forgotten < 2; forgotten++) {
		want(s, search, 0);
		assert_int_equal(follow(s, search), 1 - forgotten);
		save(s, 0, 0, 1, "{\"state\":\"running\"}");
		scene_sql(s, "update document_count set forgotten = change - %d", 1 - forgotten);
		assert_int_equal(follow(s, search), 0);
		assert_int_equal(has_columns(s, search, 0), !forgotten);
	}
	want(s, search, 0);
	assert_int_equal(follow(s, search), 1);
	search_free(search);
}

/* Values that were replaced stay in memory until then. */
static void a_project_with_much_garbage_is_loaded_again(void **state)
{
	enum { GARBAGE = 16 << 20 };
	struct scene *s = *state;
	struct search *search = search_new(MEMORY);
	struct search_project *p;

	want(s, search, 0);
	assert_int_equal(follow(s, search), 1);
	p = look_at(s, search, 0);
	atomic_store(&p->bytes, 2 * p->loaded_bytes + GARBAGE);
	assert_int_equal(follow(s, search), 0);
	atomic_store(&p->bytes, 2 * p->loaded_bytes + GARBAGE + 1);
	assert_int_equal(follow(s, search), 1);
	assert_int_equal(p->bytes, p->loaded_bytes);
	assert_int_equal(p->columns->id, 2);
	search_free(search);
}

/* ---- at the start -------------------------------------------------------------------------------- */

static uint64_t load_recent(struct scene *s, struct search *search)
{
	uint64_t loaded;

	ok(search_load_recent(search, s->db, &s->stop, &loaded));
	return loaded;
}

static void at_the_start_projects_are_loaded_without_a_query(void **state)
{
	struct scene *s = *state;
	struct search *search = search_new(MEMORY);

	assert_int_equal(load_recent(s, search), 1);
	assert_true(has_columns(s, search, 0));
	assert_int_equal(look_at(s, search, 0)->holders, 0);
	assert_int_equal(look_at(s, search, 0)->used_us, 0); /* the first to make room */
	assert_false(look_at(s, search, 0)->wanted);
	assert_int_equal(count(s, search, 0, "running"), RUNS);
	assert_int_equal(ways_metric(search, "cairn_search_by_columns_total"), 1);
	assert_int_equal(load_recent(s, search), 0);
	search_free(search);
}

static void a_query_goes_before_the_loading_at_the_start(void **state)
{
	struct scene *s = *state;
	struct search *search = search_new(MEMORY);

	want(s, search, 1);
	assert_int_equal(load_recent(s, search), 0);
	assert_false(has_columns(s, search, 0));
	search_free(search);
}

static void without_memory_nothing_is_loaded(void **state)
{
	struct scene *s = *state;
	struct search *search = search_new(0);

	assert_int_equal(load_recent(s, search), 0);
	want(s, search, 0);
	assert_int_equal(follow(s, search), 0);
	assert_false(has_columns(s, search, 0));
	search_free(search);
}

/* It can be loaded as soon as a query wants it. */
static void no_room_at_the_start_is_not_a_reason_to_wait(void **state)
{
	struct scene *s = *state;
	struct search *search = search_for_halves(s, 1);

	assert_int_equal(load_recent(s, search), 0);
	assert_int_equal(look_at(s, search, 0)->not_before_us, 0);
	want(s, search, 0);
	assert_true(look_at(s, search, 0)->wanted);
	search_free(search);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_projects_that_are_wanted_are_loaded_at_once),
		TEST(changes_of_each_project_are_put_in),
		TEST(a_project_that_nothing_holds_is_forgotten),
		TEST(a_project_that_was_queried_lately_is_not_dropped_for_another),
		TEST(the_project_that_was_queried_longest_ago_makes_room),
		TEST(two_projects_fit_if_there_is_room_for_both),
		TEST(a_project_that_is_larger_than_the_memory_is_put_off_for_longer),
		TEST(a_project_that_grows_beyond_the_room_is_dropped),
		TEST(columns_that_cannot_follow_are_dropped),
		TEST(a_project_with_much_garbage_is_loaded_again),
		TEST(at_the_start_projects_are_loaded_without_a_query),
		TEST(a_query_goes_before_the_loading_at_the_start),
		TEST(without_memory_nothing_is_loaded),
		TEST(no_room_at_the_start_is_not_a_reason_to_wait),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
