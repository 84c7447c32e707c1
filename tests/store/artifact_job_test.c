/* The upkeep of artifacts: what is given up, expires or was deleted goes, and its bytes; all else stays. */
#include "artifact_delete.h"
#include "artifact_edit.h"
#include "artifact_link_to.h"
#include "artifact_scene.h"
#include "artifact_store.h"
#include "blob_store.h"
#include "entity_store.h"
#include "job.h"
#include "project_store.h"
#include "server_store.h"

enum { MINUTE = 60, DAY = 86400 };

#define HELLO "XUFAKrxLKna5cZ2REBfFkg=="
#define EMPTY "1B2M2Y8AsgTpgAmY7PhCfg=="
static const struct file hello = { "a.txt", HELLO, 5, 1001 };
static const struct file other = { "b.txt", EMPTY, 7, 1002 };

static void pass(struct scene *s)
{
	int64_t again_us = 0;

	while (!again_us)
		ok(artifact_pass(&s->job, &again_us));
}

static int64_t count(struct scene *s, const char *table)
{
	return scene_number(s, "select count(*) as number from %s where project_id = %lld", table,
			    (long long)s->project_id);
}

static int64_t used(struct scene *s)
{
	return scene_number(s,
			    "select coalesce(max(artifact_bytes), 0) as number from project_usage "
			    "where project_id = %lld",
			    (long long)s->project_id);
}

static struct artifact version_of(struct caller *c, const char *collection, const char *client,
				  const struct file *file)
{
	const struct artifact_asked asked = asked_for(collection, client, client);
	struct artifact draft = *make(c, &asked).artifact;

	if (file)
		upload(c, &draft, file);
	return commit(c, &draft);
}

static void begin(struct caller *c)
{
	ok(server_store_begin_now(c->db, 20000, &c->q.now));
}

static struct artifact again(struct caller *c, const struct artifact *v)
{
	struct artifact *now;

	ok(artifact_store_find(c->db, v->project_id, v->artifact_id, &now));
	assert_non_null(now);
	return *now;
}

static void delete_version(struct caller *c, const struct artifact *v)
{
	const struct artifact_target target = { .artifact = arena_copy(c->a, v, sizeof(*v)) };
	struct artifact_freed freed;

	begin(c);
	ok(artifact_delete(&c->q, &target, ARTIFACT_DELETE_ALIASED, ARTIFACT_DELETE_DO, &freed));
	ok(db_commit(c->db));
}

/* Two versions share a file: it goes with the second. */
static void test_bytes_come_back(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct artifact first = version_of(c, "shared", "s1", &hello);
	const struct artifact_asked asked = asked_for("shared", "s2", "s2");
	struct artifact second = *make(c, &asked).artifact;
	struct artifact_target target = { .artifact = &first };
	struct artifact_freed freed;

	upload(c, &second, &hello);
	upload(c, &second, &other);
	second = commit(c, &second);
	pass(s);
	assert_int_equal(count(s, "artifact_upload"), 0);
	assert_int_equal(used(s), 12);
	begin(c);
	ok(artifact_delete(&c->q, &target, ARTIFACT_DELETE_ALIASED, ARTIFACT_DELETE_ASK, &freed));
	assert_int_equal(freed.only_here, 0);
	assert_int_equal(freed.shared, 5);
	target.artifact = &second;
	ok(artifact_delete(&c->q, &target, ARTIFACT_DELETE_ALIASED, ARTIFACT_DELETE_ASK, &freed));
	assert_int_equal(freed.only_here, 7);
	assert_int_equal(freed.files, 2);
	ok(db_commit(c->db));

	delete_version(c, &first);
	pass(s);
	target.artifact = &first;
	begin(c);
	ok(artifact_restore(&c->q, &target));
	ok(db_commit(c->db));
	assert_int_equal(again(c, &first).state, ARTIFACT_COMMITTED);

	delete_version(c, &first);
	delete_version(c, &second);
	scene_shift_clock(s, 11 * MINUTE);
	pass(s);
	assert_int_equal(count(s, "artifact_entry"), 0);
	assert_int_equal(count(s, "artifact_manifest"), 0);
	assert_int_equal(count(s, "artifact_member"), 0);
	assert_int_equal(used(s), 12);
	target.artifact = &first;
	begin(c);
	assert_error(artifact_restore(&c->q, &target), ERR_GONE, NULL);
	db_rollback(c->db);
	scene_shift_clock(s, 6 * MINUTE);
	pass(s);
	assert_int_equal(count(s, "artifact_blob"), 0);
	assert_int_equal(used(s), 0);
	assert_int_equal(again(c, &first).state, ARTIFACT_DELETED);
	assert_int_equal(again(c, &first).version, 0);
}

/* Content is held from the moment at which it lost its last name, also by a pass that takes longer than that. */
static void test_a_long_pass(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct artifact first = version_of(c, "long", "l1", &other);
	struct artifact second = version_of(c, "long", "l2", &hello);

	pass(s);
	delete_version(c, &first);
	delete_version(c, &second);
	scene_shift_clock(s, 11 * MINUTE);
	scene_sql(s,
		  "create function take_long() returns trigger language plpgsql as $$ begin "
		  "update server_clock set shift_us = shift_us + 360000000; return null; end $$");
	scene_sql(s,
		  "create trigger take_long after delete on artifact_manifest for each row "
		  "when (old.manifest_id = %lld) execute function take_long()",
		  (long long)first.manifest_id);
	pass(s);
	scene_sql(s, "drop function take_long cascade");
	assert_int_equal(count(s, "artifact_manifest"), 0);
	assert_int_equal(
		scene_number(s, "select count(*) as number from artifact_blob, server_clock "
				"where size_bytes = 5 and look_at > clock_timestamp() + shift_us * "
				"interval '1 microsecond' + interval '4 minutes'"),
		1);
}

/* A portfolio is locked as the version is to be taken out of it: its files stay until that is done. */
static void test_a_member_that_is_locked(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct db *other_db = fixture_connect(s->a);
	struct artifact v = version_of(c, "busy", "b1", &hello);
	const struct artifact_link_asked to_busy = { .artifact = &v, .portfolio = STR("used") };
	const struct artifact_link_asked to_gone = { .artifact = &v, .portfolio = STR("gone") };
	struct artifact_collection *locked;
	struct artifact_target busy, gone;
	struct artifact_freed freed;

	begin(c);
	ok(artifact_link_to(&c->q, &to_busy, &busy));
	ok(artifact_link_to(&c->q, &to_gone, &gone));
	ok(db_commit(c->db));
	delete_version(c, &v);
	scene_shift_clock(s, 11 * MINUTE);
	begin(c);
	ok(artifact_delete_collection(&c->q, &gone, ARTIFACT_DELETE_DO, &freed));
	ok(db_commit(c->db));

	ok(db_begin(other_db, 60000, 0));
	ok(artifact_store_lock_collection(other_db, s->project_id, busy.member->collection_id,
					  &locked));
	pass(s);
	ok(db_commit(other_db));
	db_close(other_db);
	assert_int_equal(count(s, "artifact_member"), 3);
	assert_int_equal(count(s, "artifact_entry"), 1);

	scene_shift_clock(s, MINUTE);
	pass(s);
	assert_int_equal(count(s, "artifact_member"), 0);
	assert_int_equal(count(s, "artifact_entry"), 0);
}

static void test_drafts_are_given_up(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	const struct artifact_asked asked = asked_for("given up", "1", "given1");
	struct artifact draft = *make(c, &asked).artifact;
	struct artifact *gone;

	upload(c, &draft, &hello);
	scene_shift_clock(s, 6 * DAY);
	ok(server_store_now(c->db, &c->q.now));
	ok(artifact_heard(&c->q, &draft));
	scene_shift_clock(s, 6 * DAY);
	pass(s);
	assert_int_equal(again(c, &draft).state, ARTIFACT_PENDING);
	scene_shift_clock(s, 2 * DAY);
	pass(s);
	ok(artifact_store_find(c->db, draft.project_id, draft.artifact_id, &gone));
	assert_null(gone);
	assert_int_equal(count(s, "artifact_upload"), 0);
	scene_shift_clock(s, 6 * MINUTE);
	pass(s);
	assert_int_equal(count(s, "artifact_blob"), 0);

	/* the client that comes back gets another draft, which its id names from then on */
	draft = *make(c, &asked).artifact;
	assert_int_equal(draft.state, ARTIFACT_PENDING);
	assert_int_equal(
		scene_number(
			s,
			"select target_id as number from artifact_client where client = 'given1'"),
		draft.artifact_id);
}

static void test_ttl(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct artifact short_lived = version_of(c, "ttl", "t1", NULL);
	struct artifact tagged = version_of(c, "ttl", "t2", NULL);
	struct artifact linked = version_of(c, "ttl", "t3", NULL);
	struct artifact forever = version_of(c, "ttl", "t4", NULL);
	struct artifact newest = version_of(c, "ttl", "t5", NULL);
	struct artifact_target target = { .member = NULL };
	const struct str best[] = { STR("best") };
	const struct artifact_link_asked link = { .artifact = &linked, .portfolio = STR("kept") };

	begin(c);
	ok(artifact_target_here(&c->q, STR("ttl"), STR(""), &target));
	ok(artifact_edit_collection(&c->q, &target,
				    &(struct artifact_collection_change){ .has_ttl = true,
									  .ttl_s = 3 * DAY }));
	ok(artifact_target_here(&c->q, STR("ttl"), STR("v1"), &target));
	ok(artifact_edit_aliases(&c->q, &target,
				 &(struct artifact_alias_change){ .added = best,
								  .added_count = 1 }));
	ok(artifact_link_to(&c->q, &link, &target));
	ok(artifact_target_here(&c->q, STR("ttl"), STR("v3"), &target));
	ok(artifact_edit(&c->q, &target,
			 &(struct artifact_change){ .has_ttl = true, .ttl_s = ARTIFACT_TTL_NONE }));
	ok(db_commit(c->db));
	pass(s);
	assert_int_equal(again(c, &short_lived).state, ARTIFACT_COMMITTED);
	scene_shift_clock(s, 4 * DAY);
	pass(s);
	assert_int_equal(again(c, &short_lived).state, ARTIFACT_DELETED);
	assert_int_equal(again(c, &tagged).state, ARTIFACT_COMMITTED);
	assert_int_equal(again(c, &linked).state, ARTIFACT_COMMITTED);
	assert_int_equal(again(c, &forever).state, ARTIFACT_COMMITTED);
	assert_int_equal(again(c, &newest).state, ARTIFACT_COMMITTED);
}

/* Another user's project. */
static void go_to_other(struct caller *c, struct scene *s)
{
	struct project project;
	bool made;

	begin(c);
	ok(entity_store_add_user(c->db, &(struct account_new){ .name = STR("bob") }, c->q.now,
				 &c->target.entity_id));
	ok(db_commit(c->db));
	project = project_default(c->target.entity_id, STR("shelves"));
	ok(project_store_make(c->db, &project, c->q.now, &made));
	c->target.entity = STR("bob");
	c->target.project = STR("shelves");
	c->target.project_id =
		scene_number(s, "select project_id as number from project where name = 'shelves'");
}

/* They keep no version, and no type: their user cannot prevent what the owner wants. */
static void test_links_of_others(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s), *other_user = caller_of(s);
	struct artifact v = version_of(c, "wanted", "o1", NULL);
	const struct artifact_link_asked link = { .artifact = &v, .portfolio = STR("theirs") };
	struct artifact_collection_change change = { .has_ttl = true, .ttl_s = 3 * DAY };
	struct artifact_target target, own;
	struct artifact_member *m;

	version_of(c, "wanted", "o2", NULL);
	go_to_other(other_user, s);
	begin(other_user);
	ok(artifact_link_to(&other_user->q, &link, &target));
	ok(db_commit(other_user->db));

	begin(c);
	ok(artifact_target_here(&c->q, STR("wanted"), STR(""), &own));
	ok(artifact_edit_collection(&c->q, &own, &change));
	change = (struct artifact_collection_change){ .has_type = true, .type = STR("weights") };
	ok(artifact_edit_collection(&c->q, &own, &change));
	ok(db_commit(c->db));
	scene_shift_clock(s, 4 * DAY);
	pass(s);
	assert_int_equal(again(c, &v).state, ARTIFACT_DELETED);
	scene_shift_clock(s, 11 * MINUTE);
	pass(s);
	ok(artifact_store_find_member(c->db, target.member->project_id,
				      target.member->collection_id, 0, &m));
	assert_null(m);
}

static void test_keep_last(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	static const char *const names[] = { "k0", "k1", "k2", "k3", "k4" };
	struct artifact versions[5];
	struct artifact_target target;

	for (int i = 0; i < 4; i++)
		versions[i] = version_of(c, "keep", names[i], NULL);
	begin(c);
	ok(artifact_target_here(&c->q, STR("keep"), STR(""), &target));
	ok(artifact_edit_collection(&c->q, &target,
				    &(struct artifact_collection_change){ .has_keep_last = true,
									  .keep_last = 2 }));
	ok(db_commit(c->db));
	pass(s);
	for (int i = 0; i < 4; i++)
		assert_int_equal(again(c, &versions[i]).state,
				 i < 2 ? ARTIFACT_DELETED : ARTIFACT_COMMITTED);
	versions[4] = version_of(c, "keep", names[4], NULL);
	pass(s);
	assert_int_equal(again(c, &versions[2]).state, ARTIFACT_DELETED);
	assert_int_equal(again(c, &versions[3]).state, ARTIFACT_COMMITTED);
}

static void keep_one(struct caller *c, const char *collection)
{
	struct artifact_target target;

	begin(c);
	ok(artifact_target_here(&c->q, str_of(collection), STR(""), &target));
	ok(artifact_edit_collection(&c->q, &target,
				    &(struct artifact_collection_change){ .has_keep_last = true,
									  .keep_last = 1 }));
	ok(db_commit(c->db));
}

/* Many versions are deleted in portions; a collection that fails does not keep the job from the others. */
static void test_keep_last_of_many(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct artifact failing = version_of(c, "failing", "f0", NULL);
	struct artifact old = version_of(c, "many", "m0", NULL);

	version_of(c, "failing", "f1", NULL);
	scene_sql(s,
		  "insert into artifact select (jsonb_populate_record(a, jsonb_build_object("
		  "'artifact_id', artifact_id + n, 'version', n, 'manifest_id', null))).* "
		  "from artifact a, generate_series(1, 250) n where artifact_id = %lld",
		  (long long)old.artifact_id);
	scene_sql(s, "create function fail() returns trigger language plpgsql as $$ begin "
		     "raise exception 'it fails'; end $$");
	scene_sql(s,
		  "create trigger fail before update on artifact for each row "
		  "when (old.artifact_id = %lld and new.state = 3) execute function fail()",
		  (long long)failing.artifact_id);
	keep_one(c, "failing");
	keep_one(c, "many");
	pass(s);
	/* the newest, and that with an alias */
	assert_int_equal(scene_number(s,
				      "select count(*) as number from artifact "
				      "where collection_id = %lld and state = 2",
				      (long long)old.collection_id),
			 2);
	assert_int_equal(again(c, &failing).state, ARTIFACT_COMMITTED);

	scene_sql(s, "drop function fail cascade");
	scene_shift_clock(s, 11 * MINUTE);
	pass(s);
	assert_int_equal(again(c, &failing).state, ARTIFACT_DELETED);
}

/* Nothing of a deleted collection is removed while it can be restored, then all of it, links and aliases, too. */
static void test_collection(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct artifact v = version_of(c, "whole", "w1", &hello);
	const struct artifact_link_asked link = { .artifact = &v, .portfolio = STR("shelf") };
	struct artifact_target target, linked;
	struct artifact_freed freed;
	struct artifact_member *m;

	begin(c);
	ok(artifact_link_to(&c->q, &link, &linked));
	ok(artifact_target_here(&c->q, STR("whole"), STR(""), &target));
	ok(artifact_delete_collection(&c->q, &target, ARTIFACT_DELETE_ASK, &freed));
	assert_int_equal(freed.only_here, 5);
	ok(artifact_delete_collection(&c->q, &target, ARTIFACT_DELETE_DO, &freed));
	assert_int_equal(freed.only_here, 0); /* not counted under the lock */
	assert_int_equal(freed.held_count, 2);
	ok(db_commit(c->db));
	pass(s);
	scene_shift_clock(s, 9 * MINUTE);
	pass(s);
	begin(c);
	ok(artifact_restore_collection(&c->q, &target));
	ok(db_commit(c->db));
	assert_int_equal(member(c, &v, "latest").version, 0);
	assert_int_equal(again(c, &v).file_count, 1);
	assert_int_equal(count(s, "artifact_entry"), 1);

	begin(c);
	ok(artifact_delete_collection(&c->q, &target, ARTIFACT_DELETE_DO, &freed));
	ok(db_commit(c->db));
	scene_shift_clock(s, 11 * MINUTE);
	pass(s);
	scene_shift_clock(s, 6 * MINUTE);
	pass(s);
	assert_int_equal(count(s, "artifact_entry"), 0);
	assert_int_equal(count(s, "artifact_blob"), 0);
	ok(artifact_store_find_member(c->db, linked.member->project_id,
				      linked.member->collection_id, 0, &m));
	assert_null(m);
	begin(c);
	assert_error(artifact_restore_collection(&c->q, &target), ERR_GONE, NULL);
	db_rollback(c->db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_bytes_come_back),
		SCENE_TEST(test_a_long_pass),
		SCENE_TEST(test_a_member_that_is_locked),
		SCENE_TEST(test_drafts_are_given_up),
		SCENE_TEST(test_ttl),
		SCENE_TEST(test_links_of_others),
		SCENE_TEST(test_keep_last),
		SCENE_TEST(test_keep_last_of_many),
		SCENE_TEST(test_collection),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
