/* Servers that hand out the points of one grid at once, to agents that lose answers and die. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "id.h"
#include "run_store.h"
#include "sweep_scene.h"

enum { SERVERS = 4, POINTS = 60, GIVEN_MAX = 4 * POINTS };
#define GRID \
	"{method: grid, metric: {name: loss}, parameters: {a: {distribution: int_uniform, min: 1, max: 60}}}"

struct server {
	struct scene *scene;
	struct caller *caller;
	struct sweep_target agent;
	int number;
	size_t given;     /* trials that the agent was given */
	bool dies;        /* with its first trial */
	bool got_another; /* for a lost answer */
	err_t failed;
	pthread_t thread;
};

static struct server new_server(struct scene *s, struct sweep *sweep, int number)
{
	struct arena *a = arena_new(1 << 16);
	struct server server = { .scene = s, .number = number };

	server.caller = sweep_caller(s, a, fixture_connect(a));
	server.agent = new_agent(server.caller, sweep, arena_printf(a, "host%d", number));
	return server;
}

static void free_server(struct server *server)
{
	db_close(server->caller->db);
	arena_free(server->caller->a);
}

/* The process of the trial: makes its run, and ends. */
static err_t run_trial(struct server *server, struct str name)
{
	struct scene *s = server->scene;
	struct db *db = server->caller->db;
	struct run_info info = {
		.name = name,
		.display_name = name,
		.job_type = STR(""),
		.group_name = STR(""),
		.sweep = server->agent.sweep->name,
		.notes = STR(""),
		.tags = STR("[]"),
	};
	const struct run_hand hand = { .finish = { .state = RUN_FINISHED }, .user_id = s->user_id };
	struct run_changes changes = { .count = 0 };
	struct run *run;
	int64_t run_id;
	err_t e = db_begin(db, 20000, 0);

	if (!e)
		e = run_store_make(db, s->project_id, &info, s->user_id, s->clock, &run_id);
	if (!e)
		e = run_store_lock(db, run_id, &run);
	if (e)
		return e;
	run_finish_by_hand(run, &hand, s->clock, &changes);
	e = run_store_save(db, run);
	if (!e)
		e = run_store_save_changes(db, run, s->clock.now, &changes);
	return e ? e : db_commit(db);
}

static err_t ask(struct server *server, const struct str *run, struct sweep_commands *ret)
{
	struct caller *c = server->caller;
	const struct sweep *sweep = server->agent.sweep;
	const struct sweep_beat_asked asked = { .run_names = run,
						.count = run ? 1 : 0,
						.capacity = 1 };
	err_t e = sweep_store_get(c->db, sweep->project_id, sweep->sweep_id, &server->agent.sweep);

	return e ? e : sweep_agent_beat(&c->q, &server->agent, &asked, ret);
}

/* Every third answer is lost: the same one comes again. */
static void *work(void *p)
{
	struct server *server = p;
	bool is_over = false;

	while (!is_over && !server->failed && server->given < GIVEN_MAX) {
		struct sweep_commands commands, again;
		struct str name;

		server->failed = ask(server, NULL, &commands);
		if (server->failed || !commands.count)
			continue;
		is_over = commands.at[0].kind == SWEEP_COMMAND_EXIT;
		if (is_over)
			continue;
		name = commands.at[0].run_name;
		if (server->given++ % 3 == 2) {
			do {
				server->failed = ask(server, NULL, &again);
			} while (!server->failed && !again.count);
			server->got_another |= !server->failed &&
					       !str_equal(again.at[0].run_name, name);
		}
		if (server->dies)
			return NULL;
		if (!server->failed)
			server->failed = run_trial(server, name);
	}
	return NULL;
}

static void work_all(struct server *servers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pthread_create(&servers[i].thread, NULL, work, &servers[i]);
	for (size_t i = 0; i < count; i++)
		pthread_join(servers[i].thread, NULL);
	for (size_t i = 0; i < count; i++) {
		ok(servers[i].failed);
		assert_false(servers[i].got_another);
	}
}

static int64_t count_trials(struct scene *s, const struct sweep *sweep, const char *what)
{
	return scene_number(s, "select %s as number from sweep_trial where sweep_id = %lld", what,
			    (long long)sweep->sweep_id);
}

/* None is left out, and none is given twice, but for that of the agent that died. */
static void test_a_grid_over_servers(void **state)
{
	struct scene *s = *state;
	struct caller *c = sweep_caller(s, s->a, s->db);
	struct sweep *sweep = make_sweep(c, GRID);
	struct server servers[SERVERS], late;

	for (int i = 0; i < SERVERS; i++)
		servers[i] = new_server(s, sweep, i);
	servers[0].dies = true;
	pthread_create(&servers[0].thread, NULL, work, &servers[0]);
	pthread_join(servers[0].thread, NULL);
	assert_int_equal(servers[0].given, 1);

	scene_shift_clock(s, 290);
	for (int i = 1; i < SERVERS; i++)
		ok(ask(&servers[i], NULL, &(struct sweep_commands){ NULL })); /* they are heard */
	scene_shift_clock(s, 20);
	sweep_job_pass(s);
	assert_int_equal(count_trials(s, sweep, "count(*) filter (where state = 7)"), 1);
	work_all(servers + 1, SERVERS - 1);

	assert_int_equal(sweep_now(c, sweep)->state, SWEEP_STATE_FINISHED);
	assert_int_equal(count_trials(s, sweep, "count(distinct point) filter (where state = 3)"),
			 POINTS);
	assert_int_equal(count_trials(s, sweep, "count(*) filter (where state = 3)"), POINTS);
	assert_int_equal(count_trials(s, sweep, "count(*)"), POINTS + 1);
	assert_int_equal(count_trials(s, sweep, "count(*) filter (where retry_of is not null)"), 1);

	late = new_server(s, sweep, SERVERS);
	work_all(&late, 1);
	assert_int_equal(late.given, 0);
	for (int i = 0; i < SERVERS; i++)
		free_server(&servers[i]);
	free_server(&late);
}

static void *make_one(void *p)
{
	struct server *server = p;
	const struct sweep_make_asked asked = { .config = STR(GRID " # same") };
	struct sweep_made made;

	server->failed = sweep_make(&server->caller->q, &asked, &made);
	if (!server->failed)
		server->agent.sweep = made.sweep;
	return NULL;
}

static void test_equal_requests(void **state)
{
	struct scene *s = *state;
	struct server servers[SERVERS];

	for (int i = 0; i < SERVERS; i++) {
		struct arena *a = arena_new(1 << 16);

		servers[i] = (struct server){ .scene = s, .number = i };
		servers[i].caller = sweep_caller(s, a, fixture_connect(a));
	}
	for (int i = 0; i < SERVERS; i++)
		pthread_create(&servers[i].thread, NULL, make_one, &servers[i]);
	for (int i = 0; i < SERVERS; i++)
		pthread_join(servers[i].thread, NULL);
	for (int i = 0; i < SERVERS; i++) {
		ok(servers[i].failed);
		assert_true(servers[i].agent.sweep->sweep_id == servers[0].agent.sweep->sweep_id);
	}
	for (int i = 0; i < SERVERS; i++)
		free_server(&servers[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_a_grid_over_servers),
		SCENE_TEST(test_equal_requests),
	};

	return cmocka_run_group_tests_name("sweep_race", tests, scene_group_setup,
					   sweep_group_teardown);
}
