/* Names of metrics and their numbers: one number per name, whoever asks first, until no run has it. */
#include <pthread.h>
#include <string.h>

#include "metric_cache.h"
#include "metric_store.h"
#include "project_store.h"
#include "scene.h"
#include "server_store.h"

static int64_t new_project(struct scene *s, const char *name)
{
	struct project project = project_default(s->user_id, str_of(name));
	bool made;

	ok(project_store_make(s->db, &project, s->clock.now, &made));
	assert_true(made);
	return scene_number(s, "select project_id as number from project where name = '%s'", name);
}

static int64_t count_keys(struct scene *s, int64_t project_id)
{
	return scene_number(s, "select count(*) as number from project_key where project_id = %lld",
			    (long long)project_id);
}

static void check_numbers(struct scene *s, struct metric_cache *cache, int64_t project_id,
			  const struct str *names, size_t count)
{
	uint32_t *ids = arena_new_array(s->a, uint32_t, count);
	int32_t *found = arena_new_array(s->a, int32_t, count);
	struct str *back = arena_new_array(s->a, struct str, count);

	ok(metric_cache_numbers(cache, s->db, project_id, names, count, ids));
	ok(metric_cache_find(cache, s->db, project_id, names, count, found));
	assert_memory_equal(ids, found, count * sizeof(ids[0]));
	ok(metric_cache_names(cache, s->db, project_id, found, count, back));
	for (size_t i = 0; i < count; i++)
		assert_true(str_equal(back[i], names[i]));
}

static void test_names_and_numbers(void **state)
{
	static const struct str names[] = {
		{ "loss", 4 }, { "val/loss", 8 }, { "loss", 4 }, { "L\xc3\xb6ss", 5 }, { "Loss", 4 }
	};
	struct scene *s = *state;
	int64_t project_id = new_project(s, "names");
	struct metric_cache *cache = metric_cache_new(METRIC_CACHE_NAMES);
	struct metric_cache *other = metric_cache_new(METRIC_CACHE_NAMES);
	uint32_t ids[5];

	ok(metric_cache_numbers(cache, s->db, project_id, names, 5, ids));
	assert_int_equal(ids[0], ids[2]);
	assert_int_not_equal(ids[0], ids[4]);
	assert_int_equal(count_keys(s, project_id), 4);
	check_numbers(s, cache, project_id, names, 5);
	check_numbers(s, other, project_id, names, 5);
	assert_int_equal(count_keys(s, project_id), 4);
	metric_cache_free(cache);
	metric_cache_free(other);
}

/* Asking for what is not there makes nothing. */
static void test_unknown(void **state)
{
	static const struct str names[] = { { "never", 5 } };
	struct scene *s = *state;
	int64_t project_id = new_project(s, "unknown");
	struct metric_cache *cache = metric_cache_new(METRIC_CACHE_NAMES);
	const int32_t ids[] = { 7, -1, INT32_MAX };
	struct str back[3];
	int32_t found;

	ok(metric_cache_find(cache, s->db, project_id, names, 1, &found));
	assert_int_equal(found, INT32_MAX);
	ok(metric_cache_names(cache, s->db, project_id, ids, 3, back));
	for (int i = 0; i < 3; i++)
		assert_int_equal(back[i].len, 0);
	assert_int_equal(count_keys(s, project_id), 0);
	metric_cache_free(cache);
}

static void test_a_projects_numbers_are_its_own(void **state)
{
	static const struct str names[] = { { "a", 1 }, { "b", 1 } };
	struct scene *s = *state;
	int64_t one = new_project(s, "one"), two = new_project(s, "two");
	struct metric_cache *cache = metric_cache_new(METRIC_CACHE_NAMES);
	uint32_t first[2], second[1];

	ok(metric_cache_numbers(cache, s->db, one, names, 2, first));
	ok(metric_cache_numbers(cache, s->db, two, names + 1, 1, second));
	assert_int_equal(second[0], first[0]);
	metric_cache_free(cache);
}

/* All or none of what comes beyond the limit; what is known stays known. */
static void test_limit(void **state)
{
	static const struct str names[] = { { "k1", 2 }, { "k2", 2 } };
	struct scene *s = *state;
	int64_t project_id = new_project(s, "limit");
	struct metric_cache *cache = metric_cache_new(METRIC_CACHE_NAMES);
	uint32_t ids[2];
	err_t e;

	scene_sql(s, "update project set next_key = 7, key_count = %d where project_id = %lld",
		  METRICS_PER_PROJECT - 1, (long long)project_id);
	e = metric_cache_numbers(cache, s->db, project_id, names, 2, ids);
	assert_non_null(e);
	assert_int_equal(e->kind, ERR_UNPROCESSABLE);
	assert_int_equal(count_keys(s, project_id), 0);
	assert_false(db_in_transaction(s->db));
	ok(metric_cache_numbers(cache, s->db, project_id, names, 1, ids));
	assert_int_equal(ids[0], 7);
	assert_non_null(metric_cache_numbers(cache, s->db, project_id, names, 2, ids));
	ok(metric_cache_numbers(cache, s->db, project_id, names, 1, ids));
	metric_cache_free(cache);
}

/* A run brings as many new names as it may in an hour, the first of them; names that are there do not count. */
static void test_limit_of_a_run(void **state)
{
	static const struct str names[] = { { "z", 1 }, { "y", 1 }, { "z", 1 }, { "x", 1 } };
	struct scene *s = *state;
	int64_t project_id = new_project(s, "of-a-run");
	struct new_metrics news = { project_id, 77, names, 3, 2 };
	enum metric_room room;

	ok(metric_store_add(s->db, &news, &room));
	assert_int_equal(room, METRIC_ROOM);
	news.count = 4;
	ok(metric_store_add(s->db, &news, &room));
	assert_int_equal(room, METRIC_RUN_FULL);
	assert_int_equal(count_keys(s, project_id), 2);
	news.new_per_hour = 0;
	ok(metric_store_add(s->db, &news, &room));
	assert_int_equal(room, METRIC_ROOM);
	assert_int_equal(count_keys(s, project_id), 3);

	scene_sql(s, "delete from project_key where project_id = %lld", (long long)project_id);
	news.new_per_hour = 2;
	ok(metric_store_add(s->db, &news, &room));
	assert_int_equal(room, METRIC_RUN_FULL);
	assert_int_equal(scene_number(s,
				      "select count(*) as number from project_key "
				      "where project_id = %lld and name in ('z', 'y')",
				      (long long)project_id),
			 2);
	scene_sql(
		s,
		"update project_key set made_at = made_at - interval '1 hour' where project_id = %lld",
		(long long)project_id);
	ok(metric_store_add(s->db, &news, &room));
	assert_int_equal(room, METRIC_ROOM);
}

/* ---- names that no run has -------------------------------------------------------------------------- */

#define A_MINUTE_US (INT64_C(60) * 1000000)

static int64_t delete_unused(struct scene *s, int64_t project_id, const int32_t *used, size_t count,
			     int64_t later_us)
{
	struct metric_use use = { .project_id = project_id, .key_ids = used, .count = count };
	int64_t deleted;

	ok(server_store_now(s->db, &use.since));
	use.since.us += later_us;
	use.until = use.since;
	ok(metric_store_judge(s->db, &use, &deleted));
	return deleted;
}

/* Who finds numbers for rows does not find a marked name; who reads does, until it is deleted. */
static void check_found(struct scene *s, int64_t project_id, struct str name, bool is_known,
			bool is_used)
{
	struct metric_cache *fresh = metric_cache_new(METRIC_CACHE_NAMES);
	timestamp_us as_of;
	int32_t known, used;

	ok(metric_cache_find_used(fresh, s->db, project_id, &name, 1, &used, &as_of));
	ok(metric_cache_find(fresh, s->db, project_id, &name, 1, &known));
	assert_int_equal(known != INT32_MAX, is_known);
	assert_int_equal(used != INT32_MAX, is_used);
	assert_true(as_of.us > 0);
	metric_cache_free(fresh);
}

static void test_unused_names_are_deleted(void **state)
{
	static const struct str names[] = { { "kept", 4 }, { "unused", 6 }, { "again", 5 } };
	struct scene *s = *state;
	int64_t project_id = new_project(s, "unused");
	struct metric_cache *cache = metric_cache_new(METRIC_CACHE_NAMES);
	struct metric_cache *other = metric_cache_new(METRIC_CACHE_NAMES);
	uint32_t ids[3], again[3];
	int32_t known;
	bool used;

	ok(metric_cache_numbers(cache, s->db, project_id, names, 3, ids));
	assert_int_equal(delete_unused(s, project_id, (const int32_t *)ids, 1, 1), 0);
	check_found(s, project_id, names[0], true, true);
	check_found(s, project_id, names[1], true, false);
	ok(metric_store_are_used(s->db, project_id, (const int32_t *)ids, 2, &used));
	assert_false(used);

	/* one that comes again meanwhile keeps its number, and its mark goes */
	ok(metric_cache_numbers(other, s->db, project_id, names + 2, 1, again));
	assert_int_equal(again[0], ids[2]);
	check_found(s, project_id, names[2], true, true);
	assert_int_equal(delete_unused(s, project_id, (const int32_t *)ids, 1,
				       METRIC_UNUSED_US - A_MINUTE_US),
			 0);
	assert_int_equal(
		delete_unused(s, project_id, (const int32_t *)ids, 1, METRIC_UNUSED_US + 2), 1);
	check_found(s, project_id, names[1], false, false);
	check_found(s, project_id, names[2], true, false);

	/* a number that rows were stored with after all */
	assert_int_equal(delete_unused(s, project_id,
				       (const int32_t[]){ (int32_t)ids[0], (int32_t)ids[2] }, 2,
				       METRIC_UNUSED_US + 3),
			 0);
	check_found(s, project_id, names[2], true, true);

	/* what is deleted comes back with another number, which memory has when it forgot the old one */
	ok(metric_cache_numbers(other, s->db, project_id, names + 1, 1, again));
	assert_true(again[0] > ids[2]);
	ok(metric_cache_find(cache, s->db, project_id, names + 1, 1, &known));
	assert_int_equal(known, ids[1]);
	metric_cache_forget(cache, project_id);
	check_numbers(s, cache, project_id, names, 3);
	ok(metric_cache_find(cache, s->db, project_id, names + 1, 1, &known));
	assert_int_equal(known, again[0]);
	assert_int_equal(
		scene_number(
			s, "select key_count::int8 as number from project where project_id = %lld",
			(long long)project_id),
		3);
	metric_cache_free(cache);
	metric_cache_free(other);
}

/* More projects than are kept: all are forgotten, and learned again. */
static void test_many_projects(void **state)
{
	static const struct str names[] = { { "x", 1 } };
	struct scene *s = *state;
	struct metric_cache *cache = metric_cache_new(METRIC_CACHE_NAMES);
	int64_t first = new_project(s, "p0");
	uint32_t id;

	ok(metric_cache_numbers(cache, s->db, first, names, 1, &id));
	for (int i = 1; i <= METRIC_CACHE_PROJECTS + 3; i++)
		ok(metric_cache_numbers(cache, s->db, new_project(s, arena_printf(s->a, "p%d", i)),
					names, 1, &id));
	check_numbers(s, cache, first, names, 1);
	assert_int_equal(count_keys(s, first), 1);
	metric_cache_free(cache);
}

/* More names than are kept, of however few projects. */
static void test_many_names(void **state)
{
	enum { KEPT = 8, ROUNDS_OF_NAMES = 40 };
	struct scene *s = *state;
	struct metric_cache *cache = metric_cache_new(KEPT);
	int64_t projects[2] = { new_project(s, "many-0"), new_project(s, "many-1") };
	struct str names[3];

	for (int i = 0; i < ROUNDS_OF_NAMES; i++) {
		for (int k = 0; k < 3; k++)
			names[k] = str_of(arena_printf(s->a, "n%d", i + k));
		check_numbers(s, cache, projects[i % 2], names, 3);
		assert_true(metric_cache_count(cache) <= KEPT);
	}
	metric_cache_free(cache);
}

/* ---- two servers -------------------------------------------------------------------------------------- */

enum { SERVERS = 2, ROUNDS = 25, NAMES = 60, SHIFT = 20 };

struct server {
	struct arena *a;
	struct db *db;
	struct metric_cache *cache;
	pthread_barrier_t *barrier;
	int64_t project_id;
	int number;
	struct str names[ROUNDS][NAMES];
	uint32_t ids[ROUNDS][NAMES];
	err_t failed;
	pthread_t thread;
};

static void *ask(void *p)
{
	struct server *server = p;

	for (int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(server->barrier);
		if (!server->failed)
			server->failed = metric_cache_numbers(server->cache, server->db,
							      server->project_id,
							      server->names[round], NAMES,
							      server->ids[round]);
	}
	return NULL;
}

static void server_begin(struct scene *s, struct server *server)
{
	server->db = fixture_connect(s->a);
	server->a = arena_new(1 << 16);
	db_set_arena(server->db, server->a);
	server->cache = metric_cache_new(METRIC_CACHE_NAMES);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < NAMES; i++) {
			int at = server->number ? NAMES - 1 - i + SHIFT : i;

			server->names[round][i] = str_of(
				arena_printf(s->a, "r%d/%d", round, at * 7919 % (NAMES + SHIFT)));
		}
	}
}

/* Two servers meet the same new names at the same instant, in another order. */
static void test_two_servers(void **state)
{
	struct scene *s = *state;
	struct server *servers = arena_new_array(s->a, struct server, SERVERS);
	int64_t project_id = new_project(s, "both");
	struct metric_cache *truth = metric_cache_new(METRIC_CACHE_NAMES);
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, SERVERS);
	for (int i = 0; i < SERVERS; i++) {
		servers[i].number = i;
		servers[i].project_id = project_id;
		servers[i].barrier = &barrier;
		server_begin(s, &servers[i]);
	}
	for (int i = 0; i < SERVERS; i++)
		pthread_create(&servers[i].thread, NULL, ask, &servers[i]);
	for (int i = 0; i < SERVERS; i++)
		pthread_join(servers[i].thread, NULL);
	for (int i = 0; i < SERVERS; i++) {
		ok(servers[i].failed);
		for (int round = 0; round < ROUNDS; round++) {
			uint32_t ids[NAMES];

			ok(metric_cache_numbers(truth, s->db, project_id, servers[i].names[round],
						NAMES, ids));
			assert_memory_equal(ids, servers[i].ids[round], sizeof(ids));
		}
		metric_cache_free(servers[i].cache);
		db_close(servers[i].db);
		arena_free(servers[i].a);
	}
	assert_int_equal(count_keys(s, project_id), ROUNDS * (NAMES + SHIFT));
	assert_int_equal(scene_number(s,
				      "select (next_key - (select max(key_id) from project_key k "
				      "where k.project_id = p.project_id))::int8 as number "
				      "from project p where project_id = %lld",
				      (long long)project_id),
			 1);
	metric_cache_free(truth);
	pthread_barrier_destroy(&barrier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_names_and_numbers),
		SCENE_TEST(test_unknown),
		SCENE_TEST(test_a_projects_numbers_are_its_own),
		SCENE_TEST(test_limit),
		SCENE_TEST(test_limit_of_a_run),
		SCENE_TEST(test_unused_names_are_deleted),
		SCENE_TEST(test_many_names),
		SCENE_TEST(test_many_projects),
		SCENE_TEST(test_two_servers),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
