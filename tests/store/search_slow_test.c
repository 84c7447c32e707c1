/* A question whose expression takes seconds, and changes of the project that are put in meanwhile. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "filter.h"
#include "scene.h"
#include "search_ways.h"

/* Among so many, on a busy machine, CHANGES come beside one question. */
enum { CHANGES = 4, TRIES = 2 * CHANGES, TEXT = 1 << 20 };

static struct search *search;

static void save(struct scene *s, int64_t seq, const char *text)
{
	const struct search_document doc = { s->project_id, s->run_id, seq, 0, str_of(text) };

	ok(search_store_save(s->db, &doc));
}

/* Slow at every place of it, beyond a limit at none. */
static const char *long_text(struct scene *s)
{
	char *text = arena_printf(s->a, "{\"config\":{\"long\":\"%0*d\"}}", TEXT, 0);

	for (char *at = text; *at; at++)
		*at = *at == '0' ? 'a' : *at;
	return text;
}

static err_t ask(struct scene *s, struct db *db, const char *filter, size_t *ret_count)
{
	static struct str path[] = { { "id", 2 } };
	const struct search_page page = { .order = { path, 1 }, .limit = 10 };
	struct search_question q = { .project_id = s->project_id, .sees_private = true };
	struct search_page_found found;
	err_t e = filter_parse(db_arena(db), str_of(filter), &q.filter);

	if (!e)
		e = search_page(search, db, &q, &page, &found);
	if (!e)
		*ret_count = found.count;
	return e;
}

struct slow {
	struct scene *scene;
	struct arena *a;
	struct db *db;
	pthread_t thread;
	_Atomic int begun;
	_Atomic int ended;
	_Atomic bool stop;
	bool failed;
};

/* One after the other, each as long as it may take. */
static void *ask_slowly(void *p)
{
	struct slow *slow = p;

	while (!atomic_load(&slow->stop) && !slow->failed) {
		size_t count;
		err_t e;

		atomic_fetch_add(&slow->begun, 1);
		e = ask(slow->scene, slow->db, "config.long:/a[^x]{0,9000}[xy]/", &count);
		slow->failed = !e || e->kind != ERR_UNPROCESSABLE;
		atomic_fetch_add(&slow->ended, 1);
	}
	return NULL;
}

/* A change that waited for the question which is asked while it comes would find it ended. */
static void test_changes_do_not_wait(void **state)
{
	struct scene *s = *state;
	struct slow slow = { .scene = s, .a = arena_new(1 << 16) };
	int beside = 0;
	int ended;

	save(s, 1, long_text(s));
	search = ways_loaded(s, 64 << 20);
	slow.db = fixture_connect(slow.a);
	pthread_create(&slow.thread, NULL, ask_slowly, &slow);
	s->run_id = scene_new_run(s);
	for (int i = 1; i <= TRIES && beside < CHANGES; i++) {
		size_t count = 0;

		while (atomic_load(&slow.begun) == (ended = atomic_load(&slow.ended)))
			sched_yield();
		save(s, i, arena_printf(s->a, "{\"config\":{\"short\":%d}}", i));
		ok(ask(s, s->db, arena_printf(s->a, "config.short:%d", i), &count));
		assert_int_equal(count, 1);
		beside += atomic_load(&slow.ended) == ended;
	}
	assert_int_equal(beside, CHANGES);
	atomic_store(&slow.stop, true);
	pthread_join(slow.thread, NULL);
	assert_false(slow.failed);
	assert_int_equal(ways_metric(search, "cairn_search_by_sql_total"), 1);
	db_close(slow.db);
	arena_free(slow.a);
	search_free(search);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_changes_do_not_wait),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
