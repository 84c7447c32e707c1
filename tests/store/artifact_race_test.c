/* Versions of artifacts: what make and commit decide, and two servers that meet in one collection. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "artifact_delete.h"
#include "artifact_digest.h"
#include "artifact_draft.h"
#include "artifact_link_to.h"
#include "artifact_scene.h"
#include "artifact_store.h"
#include "artifact_turn.h"
#include "blob_store.h"
#include "entry_store.h"
#include "file_store.h"
#include "server_store.h"

#define HELLO "XUFAKrxLKna5cZ2REBfFkg=="
#define EMPTY "1B2M2Y8AsgTpgAmY7PhCfg=="
static const struct file hello = { "a.txt", HELLO, 5, 1 };
static const struct file empty = { "b/c.txt", EMPTY, 0, 2 };

/* ---- one server --------------------------------------------------------------------------------- */

static void test_versions(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct artifact_asked asked = asked_for("net", "1", "first");
	struct artifact_made made, again;
	struct artifact v;

	c->target.run_id = s->run_id;
	made = make(c, &asked);
	assert_int_equal(made.artifact->state, ARTIFACT_PENDING);
	assert_null(made.newest);
	again = make(c, &asked);
	assert_true(again.artifact->artifact_id == made.artifact->artifact_id);

	upload(c, made.artifact, &hello);
	v = commit(c, made.artifact);
	assert_int_equal(v.version, 0);
	assert_str(v.digest, "541f289bb3c6ae786d51e7288e523543");
	assert_int_equal(v.size_bytes, 5);
	assert_int_equal(v.file_count, 1);
	assert_str(v.aliases, "[\"latest\"]");
	assert_true(v.run_id == s->run_id);
	assert_int_equal(commit(c, made.artifact).version, 0);
	assert_int_equal(scene_number(s,
				      "select count(*) as number from run_artifact where run_id = "
				      "%lld and way = 2",
				      (long long)s->run_id),
			 1);

	/* the same content, by another draft */
	asked.digest = v.digest;
	asked.client = STR("second");
	made = make(c, &asked);
	assert_true(made.artifact->artifact_id == v.artifact_id);
	assert_int_equal(made.artifact->state, ARTIFACT_COMMITTED);

	/* added to the base */
	asked.digest = STR("2");
	asked.client = STR("third");
	asked.base_id = v.artifact_id;
	made = make(c, &asked);
	assert_true(made.newest->artifact_id == v.artifact_id);
	upload(c, made.artifact, &empty);
	v = commit(c, made.artifact);
	assert_int_equal(v.version, 1);
	assert_str(v.digest, "a3b8383b04f2d48acf21bb4b4ff94e9a");
	assert_int_equal(member(c, &v, "latest").version, 1);

	/* A, B, A is three versions for a client, and an old one for whoever never uploads */
	asked.digest = STR("541f289bb3c6ae786d51e7288e523543");
	asked.client = STR("fourth");
	assert_int_equal(make(c, &asked).artifact->state, ARTIFACT_PENDING);
	asked.client = STR("");
	assert_int_equal(make(c, &asked).artifact->version, 0);
	assert_int_equal(member(c, &v, "latest").version, 0);

	/* other content under a known id */
	asked.client = STR("fourth");
	asked.digest = STR("3");
	assert_error(artifact_make(&c->q, &asked, &made), ERR_INVALID, NULL);
}

static void assert_missing(struct caller *c, const struct artifact *draft, const char *words)
{
	const struct artifact_target target = { .artifact =
							arena_copy(c->a, draft, sizeof(*draft)) };
	struct artifact *version;
	err_t e = artifact_commit(&c->q, &target, &version);

	assert_error(e, ERR_UNPROCESSABLE, NULL);
	if (!strstr(e->message, words))
		fail_msg("\"%s\" does not say \"%s\"", e->message, words);
}

static struct artifact add_to(struct caller *c, const struct artifact *base, const char *client,
			      const struct file *file)
{
	struct artifact_asked asked = asked_for("based", client, client);
	struct artifact draft;

	asked.base_id = base->artifact_id;
	draft = *make(c, &asked).artifact;
	upload(c, &draft, file);
	return draft;
}

/* The base that was asked for is kept, unless it was the newest and another process committed since. */
static void test_bases(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	static const struct file other = { "z", HELLO, 5, 1 };
	struct artifact_asked asked = asked_for("based", "1", "based1");
	struct artifact first = *make(c, &asked).artifact, one, two, old;
	struct artifact_target target = { .artifact = &two };
	struct artifact_freed freed;
	const struct artifact none = { .artifact_id = 1 };

	upload(c, &first, &hello);
	first = commit(c, &first);
	one = add_to(c, &first, "based2", &empty);
	two = add_to(c, &first, "based3", &other);
	assert_int_equal(commit(c, &one).file_count, 2);
	two = commit(c, &two);
	assert_int_equal(two.file_count, 3);

	old = add_to(c, &first, "based4", &other);
	assert_int_equal(commit(c, &old).file_count, 2);

	old = add_to(c, &two, "based5", &other);
	ok(server_store_begin_now(s->db, 20000, &c->q.now));
	ok(artifact_delete(&c->q, &target, ARTIFACT_DELETE_ALIASED, ARTIFACT_DELETE_DO, &freed));
	ok(db_commit(s->db));
	assert_missing(c, &old, "was deleted");
	old = add_to(c, &none, "based6", &other);
	assert_missing(c, &old, "was deleted");
}

static struct artifact_manifest new_manifest(struct caller *c, const struct artifact *draft,
					     enum artifact_manifest_kind kind, const char *md5)
{
	const struct artifact_manifest_asked asked = { .kind = kind, .md5 = str_of(md5) };
	struct artifact_manifest *manifest;

	ok(artifact_make_manifest(&c->q, draft, &asked, &manifest));
	return *manifest;
}

static void test_manifests(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	const struct file files[] = { { "x", HELLO, 5, 1 },
				      { "y", "rL0Y20zC+Fzt72VPzMSk2A==", 3, 9 } };
	const struct file longer = { "y", "rL0Y20zC+Fzt72VPzMSk2A==", 4, 10 };
	struct artifact_asked asked = asked_for("whole", "1", "whole1");
	struct artifact draft = *make(c, &asked).artifact;
	struct artifact_manifest manifest;

	new_manifest(c, &draft, ARTIFACT_MANIFEST_WHOLE, "");
	upload(c, &draft, &files[0]);
	assert_missing(c, &draft, "has not been uploaded");
	manifest = new_manifest(c, &draft, ARTIFACT_MANIFEST_WHOLE, "0123456789abcdef");
	assert_true(
		new_manifest(c, &draft, ARTIFACT_MANIFEST_WHOLE, "0123456789abcdef").manifest_id ==
		manifest.manifest_id);
	stage(c, &draft, manifest.manifest_id, files, 2);
	assert_missing(c, &draft, "1 files of the manifest is missing: \"y\"");
	upload(c, &draft, &longer);
	assert_missing(c, &draft, "the manifest has 3 bytes, the upload 4");
	upload(c, &draft, &files[1]);
	draft = commit(c, &draft);
	assert_int_equal(draft.file_count, 2);
	assert_int_equal(draft.size_bytes, 8);
	assert_error(artifact_make_manifest(
			     &c->q, &draft,
			     &(struct artifact_manifest_asked){ .kind = ARTIFACT_MANIFEST_WHOLE,
								.md5 = STR("another789abcdef") },
			     &(struct artifact_manifest *){ NULL }),
		     ERR_CONFLICT, NULL);
}

/* Of a draft; one that was made before is found all the same. */
static void test_manifests_have_a_limit(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct artifact_asked asked = asked_for("limit", "1", "limit1");
	struct artifact draft = *make(c, &asked).artifact;
	struct artifact_manifest_asked more = { .kind = ARTIFACT_MANIFEST_PART,
						.md5 = STR("0123456789abcdef") };
	struct artifact_manifest first =
		new_manifest(c, &draft, ARTIFACT_MANIFEST_WHOLE, "0123456789abcdef");
	struct artifact_manifest *manifest;

	scene_sql(
		s,
		"insert into artifact_manifest select project_id, manifest_id + n, artifact_id, 3, "
		"created_at from artifact_manifest, generate_series(1, 9998) n "
		"where manifest_id = %lld",
		(long long)first.manifest_id);
	ok(artifact_make_manifest(&c->q, &draft, &more, &manifest));
	more.md5 = STR("another789abcdef");
	assert_error(artifact_make_manifest(&c->q, &draft, &more, &manifest), ERR_UNPROCESSABLE,
		     NULL);
	assert_true(
		new_manifest(c, &draft, ARTIFACT_MANIFEST_WHOLE, "0123456789abcdef").manifest_id ==
		first.manifest_id);
}

/* The parts of many processes are one version; one that ends without any is empty. */
static void test_parts(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	const struct file files[] = { hello, empty };
	struct artifact_asked asked = asked_for("parts", "", "");
	struct artifact first, second;

	asked.distributed = STR("group");
	asked.client = STR("rank0");
	asked.digest = STR(ARTIFACT_DIGEST_EMPTY);
	first = *make(c, &asked).artifact;
	asked.client = STR("rank1");
	second = *make(c, &asked).artifact;
	assert_true(first.artifact_id == second.artifact_id);
	for (int i = 0; i < 2; i++) {
		upload(c, &first, &files[i]);
		stage(c, &first,
		      new_manifest(c, &first, ARTIFACT_MANIFEST_PART, i ? "m1" : "m0").manifest_id,
		      &files[i], 1);
	}
	first = commit(c, &first);
	assert_str(first.digest, "a3b8383b04f2d48acf21bb4b4ff94e9a");
	asked.client = STR("rank2");
	second = *make(c, &asked).artifact;
	assert_true(first.artifact_id != second.artifact_id);
	assert_str(commit(c, &second).digest, ARTIFACT_DIGEST_EMPTY);
}

static struct artifact draft_of_references(struct caller *c, const char *client, int64_t size_bytes)
{
	struct artifact_asked asked = asked_for("sizes", client, client);
	struct artifact draft = *make(c, &asked).artifact;

	for (int i = 0; i < 2; i++) {
		const struct artifact_entry reference = {
			.path = i ? STR("a") : STR("b"),
			.ref = STR("s3://bucket/a"),
			.digest = STR("etag"),
			.has_size = true,
			.size_bytes = size_bytes,
		};

		ok(artifact_add_references(&c->q, &draft, &reference, 1));
	}
	return draft;
}

enum { MANY = 7 };

static void merge_all(struct caller *c, const struct entry_place *from, int64_t into_id,
		      int64_t limit, int expected)
{
	struct entry_portion portion = { .after = STR(""), .limit = limit, .more = true };
	int portions = 0;

	for (; portion.more; portions++) {
		if (from->manifest_id)
			ok(entry_store_merge(c->db, from->project_id, from->manifest_id, into_id,
					     &portion));
		else
			ok(entry_store_merge_uploads(c->db, from->project_id, from->artifact_id,
						     into_id, &portion));
	}
	assert_int_equal(portions, expected);
}

/* Each entry is in one portion, whether the last one is full or not. */
static void test_portions(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct artifact_asked asked = asked_for("portions", "1", "portions1");
	struct artifact draft = *make(c, &asked).artifact;
	struct entry_place place = { .project_id = s->project_id,
				     .artifact_id = draft.artifact_id };
	struct entry_portion portion = { .after = STR(""), .limit = 3, .more = true };
	struct file files[MANY];
	int64_t open, into[3];
	int portions = 0;

	for (int i = 0; i < MANY; i++)
		files[i] = (struct file){ arena_printf(c->a, "p/%d", i),
					  "BBBBBBBBBBBBBBBBBBBBBA==", 5, 90 };
	for (int i = 0; i < 3; i++)
		into[i] = new_manifest(c, &draft, ARTIFACT_MANIFEST_PART,
				       i ? i == 1 ? "1" : "2" : "0")
				  .manifest_id;
	place.manifest_id =
		new_manifest(c, &draft, ARTIFACT_MANIFEST_WHOLE, "0123456789abcdef").manifest_id;
	stage(c, &draft, place.manifest_id, files, MANY);
	ok(entry_store_count_open(c->db, s->project_id, place.manifest_id, &open));
	assert_int_equal(open, MANY);
	for (int i = 0; i < MANY; i++)
		upload(c, &draft, &files[i]);

	for (; portion.more; portions++)
		ok(entry_store_resolve(c->db, &place, c->q.now, &portion));
	assert_int_equal(portions, 3);
	ok(entry_store_count_open(c->db, s->project_id, place.manifest_id, &open));
	assert_int_equal(open, 0);

	merge_all(c, &place, into[0], 3, 3);
	merge_all(c, &place, into[1], MANY, 2);
	place.manifest_id = 0;
	merge_all(c, &place, into[2], 2, 4);
	for (int i = 0; i < 3; i++)
		assert_int_equal(scene_number(s,
					      "select count(blob_id) as number from artifact_entry "
					      "where manifest_id = %lld",
					      (long long)into[i]),
				 MANY);
}

/* The sizes of references are said, not measured: their sum has a limit, and sums of it do not fail. */
static void test_sizes(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct artifact draft = draft_of_references(c, "sizes1", ARTIFACT_SIZE_MAX / 2);
	struct artifact_type *type;

	assert_true(commit(c, &draft).size_bytes == ARTIFACT_SIZE_MAX);
	draft = draft_of_references(c, "sizes2", ARTIFACT_SIZE_MAX / 2 + 1);
	assert_missing(c, &draft, "have more than 9007199254740992 bytes");
	scene_sql(s, "update artifact set size_bytes = 9223372036854775807");
	ok(artifact_store_find_type(s->db,
				    &(struct artifact_types_ask){ .project_id = s->project_id,
								  .sees = ARTIFACT_SEES_PRIVATE },
				    STR("model"), &type));
	assert_true(type->size_bytes == INT64_MAX);
}

/* ---- two servers ------------------------------------------------------------------------------------ */

enum { SERVERS = 2, VERSIONS = 20 };

struct server {
	struct scene *scene;
	struct caller *caller;
	int number;
	struct artifact draft;
	int64_t versions[VERSIONS];
	err_t failed;
	pthread_t thread;
	pthread_barrier_t *together;
};

static struct server new_server(struct scene *s, int number)
{
	struct arena *a = arena_new(1 << 16);

	return (struct server){ .scene = s,
				.caller = new_caller(s, a, fixture_connect(a)),
				.number = number };
}

static void free_server(struct server *server)
{
	db_close(server->caller->db);
	arena_free(server->caller->a);
}

static void *commit_many(void *p)
{
	struct server *server = p;
	struct caller *c = server->caller;

	for (int i = 0; i < VERSIONS && !server->failed; i++) {
		char *name = arena_printf(c->a, "client%d-%d", server->number, i);
		struct artifact_asked asked = asked_for("race", name, name);
		struct artifact_made made;
		struct artifact *version;

		server->failed = artifact_make(&c->q, &asked, &made);
		if (!server->failed)
			server->failed = artifact_commit(
				&c->q, &(struct artifact_target){ .artifact = made.artifact },
				&version);
		if (!server->failed)
			server->versions[i] = version->version;
	}
	return NULL;
}

/* Each version has a number of its own, none is left out, and "latest" is the last of them. */
static void test_commits_meet(void **state)
{
	struct scene *s = *state;
	struct server servers[SERVERS];
	bool seen[SERVERS * VERSIONS] = { false };
	struct artifact_collection *collection;

	for (int i = 0; i < SERVERS; i++)
		servers[i] = new_server(s, i);
	for (int i = 0; i < SERVERS; i++)
		pthread_create(&servers[i].thread, NULL, commit_many, &servers[i]);
	for (int i = 0; i < SERVERS; i++)
		pthread_join(servers[i].thread, NULL);
	for (int i = 0; i < SERVERS; i++) {
		ok(servers[i].failed);
		for (int k = 0; k < VERSIONS; k++) {
			int64_t version = servers[i].versions[k];

			assert_true(version >= 0 && version < SERVERS * VERSIONS && !seen[version]);
			assert_true(!k || version > servers[i].versions[k - 1]);
			seen[version] = true;
		}
		free_server(&servers[i]);
	}
	ok(artifact_store_find_collection(s->db, s->project_id, STR("race"), &collection));
	assert_int_equal(collection->next_version, SERVERS * VERSIONS);
	assert_int_equal(scene_number(s,
				      "select version::int8 as number from artifact_alias where "
				      "collection_id = %lld and alias = 'latest'",
				      (long long)collection->collection_id),
			 SERVERS * VERSIONS - 1);
}

/* The collection is deleted by one server while another commits: the version is in it, or the commit is refused. */
static void test_commit_and_delete(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct server other = new_server(s, 1);
	struct artifact_asked asked = asked_for("going", "1", "going1");
	struct artifact draft = *make(c, &asked).artifact;
	struct artifact_target target = { .artifact = NULL };
	struct artifact *version;
	struct artifact_freed freed;

	ok(artifact_store_find_collection(s->db, s->project_id, STR("going"), &target.collection));
	ok(server_store_begin_now(s->db, 20000, &c->q.now));
	ok(artifact_delete_collection(&c->q, &target, ARTIFACT_DELETE_DO, &freed));
	other.caller->q.deadline_us = clock_mono_us() + 300000;
	assert_error(artifact_commit(&other.caller->q,
				     &(struct artifact_target){ .artifact = &draft }, &version),
		     ERR_TIMEOUT, DB_QUERY_CANCELED);
	ok(db_commit(s->db));
	assert_error(artifact_commit(&c->q, &(struct artifact_target){ .artifact = &draft },
				     &version),
		     ERR_GONE, NULL);
	ok(server_store_begin_now(s->db, 20000, &c->q.now));
	ok(artifact_restore_collection(&c->q, &target));
	ok(db_commit(s->db));
	assert_int_equal(commit(c, &draft).version, 0);
	free_server(&other);
}

static void *commit_one(void *p)
{
	struct server *server = p;
	struct artifact *version;

	server->failed = artifact_commit(&server->caller->q,
					 &(struct artifact_target){ .artifact = &server->draft },
					 &version);
	if (!server->failed)
		server->versions[0] = version->file_count;
	return NULL;
}

/* An upload that is being recorded when the commit comes is in the version: the commit waits for it before it reads. */
static void test_commit_waits_for_uploads(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct server other = new_server(s, 1);
	struct artifact_asked asked = asked_for("waits", "1", "waits1");
	struct artifact draft = *make(c, &asked).artifact;
	struct artifact_upload row = { .path = STR("late.txt") };
	struct artifact *held;

	row.blob_id = upload(c, &draft, &hello);
	other.draft = draft;
	ok(server_store_begin_now(s->db, 60000, &c->q.now));
	ok(artifact_draft_hold(&c->q, draft.project_id, draft.artifact_id, &held));
	pthread_create(&other.thread, NULL, commit_one, &other);
	while (!scene_number(s, "select count(*) as number from pg_locks where not granted"))
		sched_yield();
	ok(blob_store_save_uploads(s->db, draft.project_id, draft.artifact_id, &row, 1, c->q.now));
	ok(db_commit(s->db));
	pthread_join(other.thread, NULL);
	ok(other.failed);
	assert_int_equal(other.versions[0], 2);
	free_server(&other);
}

/* A quarter of the workers commits large versions, and a quarter waits for locks that are held for long. */
static void test_turns(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct server other = new_server(s, 1);
	struct artifact_asked asked = asked_for("turns", "1", "turns1");
	struct artifact small = *make(c, &asked).artifact, large, *version;
	struct artifact_target target = { .artifact = &large };
	struct artifact_collection *locked;

	asked.client = STR("turns2");
	asked.digest = STR("2");
	large = *make(c, &asked).artifact;
	new_manifest(c, &large, ARTIFACT_MANIFEST_LISTED, "");
	scene_sql(s, "update artifact_manifest set entry_count = 5001 where artifact_id = %lld",
		  (long long)large.artifact_id);
	c->app.artifact_work[ARTIFACT_STORES] = 1;
	assert_error(artifact_commit(&c->q, &target, &version), ERR_BUSY, NULL);
	assert_int_equal(commit(c, &small).version, 0);
	c->app.artifact_work[ARTIFACT_STORES] = 0;
	assert_int_equal(commit(c, &large).version, 1);

	asked.client = STR("turns3");
	asked.digest = STR("3");
	small = *make(c, &asked).artifact;
	target.artifact = &small;
	ok(db_begin(other.caller->db, 60000, 0));
	ok(artifact_store_lock_collection(other.caller->db, small.project_id, small.collection_id,
					  &locked));
	c->app.artifact_work[ARTIFACT_WAITS] = 1;
	assert_error(artifact_commit(&c->q, &target, &version), ERR_BUSY, NULL);
	c->app.artifact_work[ARTIFACT_WAITS] = 0;
	ok(db_commit(other.caller->db));
	assert_int_equal(commit(c, &small).version, 2);
	assert_int_equal(c->app.artifact_work[ARTIFACT_WAITS], 0);
	assert_int_equal(c->app.artifact_work[ARTIFACT_STORES], 0);
	free_server(&other);
}

/* Requests that read the draft before it was committed. */
static void test_changes_after_a_commit(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct artifact_asked asked = asked_for("after", "1", "after1");
	struct artifact draft = *make(c, &asked).artifact;
	struct artifact_manifest whole =
		new_manifest(c, &draft, ARTIFACT_MANIFEST_WHOLE, "0123456789abcdef");
	const struct artifact_manifest_asked same = { .kind = ARTIFACT_MANIFEST_WHOLE,
						      .md5 = STR("0123456789abcdef") };
	const struct artifact_manifest_asked other = { .kind = ARTIFACT_MANIFEST_WHOLE,
						       .md5 = STR("another789abcdef") };
	const struct artifact_entry reference = { .path = STR("r"),
						  .ref = STR("s3://b/r"),
						  .digest = STR("e") };
	struct artifact_manifest *manifest;

	upload(c, &draft, &hello);
	stage(c, &draft, whole.manifest_id, &hello, 1);
	commit(c, &draft);
	assert_int_equal(draft.state, ARTIFACT_PENDING);
	assert_error(artifact_add_references(&c->q, &draft, &reference, 1), ERR_CONFLICT, NULL);
	assert_error(artifact_make_manifest(&c->q, &draft, &other, &manifest), ERR_CONFLICT, NULL);
	assert_error(artifact_ask_manifest(&c->q, &draft, whole.manifest_id, &other, &manifest),
		     ERR_CONFLICT, NULL);
	ok(artifact_make_manifest(&c->q, &draft, &same, &manifest));
	assert_true(manifest->manifest_id == whole.manifest_id);
}

/* ---- content ---------------------------------------------------------------------------------------- */

/* A blob that nothing names is removed, unless a draft took it up before. */
static void test_content_is_forgotten(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct server other = new_server(s, 1);
	const struct file file = { "f", "AAAAAAAAAAAAAAAAAAAAAA==", 7, 77 };
	struct artifact_asked asked = asked_for("content", "1", "content1");
	struct artifact draft = *make(c, &asked).artifact;
	struct blob_due due = { s->project_id, upload(c, &draft, &file) };
	struct artifact_blob *blob;
	bool more;

	ok(db_begin(s->db, 20000, 0));
	ok(blob_store_purge_uploads(s->db, s->project_id, draft.artifact_id, 10, s->clock.now,
				    &more));
	ok(db_commit(s->db));
	assert_false(more);

	/* the other server is giving it a name: it is passed over, and then it has one */
	ok(db_begin(other.caller->db, 20000, 0));
	ok(blob_store_save_uploads(other.caller->db, s->project_id, draft.artifact_id,
				   &(struct artifact_upload){ .path = STR("f"),
							      .blob_id = due.blob_id },
				   1, s->clock.now));
	ok(db_commit(other.caller->db));
	scene_shift_clock(s, 600);
	ok(db_begin(s->db, 20000, 0));
	ok(blob_store_look(s->db, s->project_id, &due.blob_id, 1, s->clock.now));
	ok(db_commit(s->db));
	ok(blob_store_find(s->db, s->project_id, due.blob_id, &blob));
	assert_non_null(blob);

	ok(db_begin(s->db, 20000, 0));
	ok(blob_store_purge_uploads(s->db, s->project_id, draft.artifact_id, 10, s->clock.now,
				    &more));
	ok(blob_store_look(s->db, s->project_id, &due.blob_id, 1, s->clock.now));
	ok(db_commit(s->db));
	ok(blob_store_find(s->db, s->project_id, due.blob_id, &blob));
	assert_null(blob);
	/* its number is by its content: those of many files never meet */
	assert_true(upload(c, &draft, &file) == due.blob_id);
	free_server(&other);
}

/* The job looks at a blob that a commit has found and that is not committed yet. */
static void test_found_content_is_held(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	struct server other = new_server(s, 1);
	const struct file files[] = { { "f", "AQAAAAAAAAAAAAAAAAAAAA==", 7, 78 } };
	struct artifact_asked asked = asked_for("held", "1", "held1");
	struct artifact draft = *make(c, &asked).artifact;
	struct artifact_manifest manifest =
		new_manifest(c, &draft, ARTIFACT_MANIFEST_WHOLE, "0123456789abcdef");
	const struct entry_place place = { s->project_id, manifest.manifest_id, draft.artifact_id };
	struct artifact_blob *blob;
	timestamp_us now;
	struct entry_portion portion = { .after = STR(""), .limit = 10 };
	int64_t blob_id, open;
	bool more;

	stage(c, &draft, manifest.manifest_id, files, 1);
	blob_id = upload(c, &draft, &files[0]);
	ok(server_store_now(s->db, &now));
	ok(blob_store_purge_uploads(s->db, s->project_id, draft.artifact_id, 10, now, &more));

	ok(db_begin(other.caller->db, 60000, 0));
	ok(entry_store_resolve(other.caller->db, &place,
			       (timestamp_us){ now.us + ARTIFACT_BLOB_HELD_US }, &portion));
	ok(entry_store_count_open(other.caller->db, s->project_id, manifest.manifest_id, &open));
	assert_int_equal(open, 0);
	ok(db_begin(s->db, 20000, 0));
	ok(blob_store_look(s->db, s->project_id, &blob_id, 1, now));
	ok(db_commit(s->db));
	ok(db_commit(other.caller->db));
	ok(blob_store_find(s->db, s->project_id, blob_id, &blob));
	assert_non_null(blob);
	free_server(&other);
}

enum { SAME = 400 };

static void *put_same(void *p)
{
	struct server *server = p;
	struct caller *c = server->caller;

	for (int64_t i = 0; i < SAME; i++) {
		char content[FILE_HASH_SIZE] = { 0 };
		struct artifact_blob blob = {
			.content = { content, sizeof(content) },
			.md5 = { content, ARTIFACT_MD5_SIZE },
			.birth_id = 4711,
		};
		int64_t number = (1000 + i) << 8, blob_id;

		memcpy(content, &number, sizeof(number));
		pthread_barrier_wait(server->together);
		if (!server->failed)
			server->failed = server_store_begin_now(c->db, 20000, &blob.came_at);
		if (!server->failed)
			server->failed =
				blob_store_put(c->db, server->scene->project_id, &blob, &blob_id);
		if (!server->failed)
			server->failed = db_commit(c->db);
	}
	return NULL;
}

/* Many clients send the same new content at once: all of them are answered with its one number. */
static void test_equal_content_at_once(void **state)
{
	struct scene *s = *state;
	struct server servers[SERVERS];
	pthread_barrier_t together;

	pthread_barrier_init(&together, NULL, SERVERS);
	for (int i = 0; i < SERVERS; i++) {
		servers[i] = new_server(s, i);
		servers[i].together = &together;
	}
	for (int i = 0; i < SERVERS; i++)
		pthread_create(&servers[i].thread, NULL, put_same, &servers[i]);
	for (int i = 0; i < SERVERS; i++)
		pthread_join(servers[i].thread, NULL);
	for (int i = 0; i < SERVERS; i++) {
		ok(servers[i].failed);
		free_server(&servers[i]);
	}
	pthread_barrier_destroy(&together);
	assert_int_equal(
		scene_number(s,
			     "select count(*) as number from artifact_blob where birth_id = 4711"),
		SAME);
}

/* Other content with the same beginning is refused, and what is there stays. */
static void test_content_that_begins_alike(void **state)
{
	struct scene *s = *state;
	char content[FILE_HASH_SIZE] = { 1 };
	struct artifact_blob blob = {
		.content = { content, sizeof(content) },
		.md5 = { content, ARTIFACT_MD5_SIZE },
		.birth_id = 1,
		.came_at = s->clock.now,
	};
	struct artifact_blob *there;
	int64_t first, again;

	ok(blob_store_put(s->db, s->project_id, &blob, &first));
	ok(blob_store_put(s->db, s->project_id, &blob, &again));
	assert_true(first == again);
	content[FILE_HASH_SIZE - 1] = 2;
	assert_error(blob_store_put(s->db, s->project_id, &blob, &again), ERR_CONFLICT, NULL);
	content[FILE_HASH_SIZE - 1] = 0;
	ok(blob_store_find(s->db, s->project_id, first, &there));
	assert_memory_equal(there->content.at, content, sizeof(content));
}

/* ---- links ------------------------------------------------------------------------------------------ */

static void test_links(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller_of(s);
	static const struct str best[] = { { "best", 4 } };
	struct artifact_asked asked = asked_for("linked", "1", "linked1");
	struct artifact v = commit(c, make(c, &asked).artifact);
	const struct artifact_link_asked link = {
		.artifact = &v, .portfolio = STR("shelf"), .aliases = best, .alias_count = 1
	};
	struct artifact_target linked, again, target = { .artifact = &v };
	struct artifact_freed freed;

	ok(server_store_begin_now(s->db, 20000, &c->q.now));
	ok(artifact_link_to(&c->q, &link, &linked));
	ok(artifact_link_to(&c->q, &link, &again));
	assert_int_equal(again.member->version, 0);
	assert_str(again.member->aliases, "[\"latest\", \"best\"]");
	ok(artifact_delete(&c->q, &target, ARTIFACT_KEEP_ALIASED, ARTIFACT_DELETE_ASK, &freed));
	assert_int_equal(freed.held_count, 2);
	assert_string_equal(freed.held[1].kind, "link");
	assert_str(freed.held[1].name, "ann/digits/shelf:v0");
	assert_error(artifact_delete(&c->q, &target, ARTIFACT_KEEP_ALIASED, ARTIFACT_DELETE_DO,
				     &freed),
		     ERR_CONFLICT, NULL);
	ok(artifact_delete(&c->q, &target, ARTIFACT_DELETE_ALIASED, ARTIFACT_DELETE_DO, &freed));
	assert_error(artifact_link_to(&c->q, &link, &again), ERR_GONE, NULL);
	ok(artifact_restore(&c->q, &target));
	assert_str(target.artifact->aliases, "[\"latest\"]");
	ok(artifact_unlink(&c->q, &linked));
	ok(db_commit(s->db));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_versions),
		SCENE_TEST(test_bases),
		SCENE_TEST(test_manifests),
		SCENE_TEST(test_manifests_have_a_limit),
		SCENE_TEST(test_parts),
		SCENE_TEST(test_portions),
		SCENE_TEST(test_sizes),
		SCENE_TEST(test_commits_meet),
		SCENE_TEST(test_commit_and_delete),
		SCENE_TEST(test_commit_waits_for_uploads),
		SCENE_TEST(test_turns),
		SCENE_TEST(test_changes_after_a_commit),
		SCENE_TEST(test_content_is_forgotten),
		SCENE_TEST(test_found_content_is_held),
		SCENE_TEST(test_equal_content_at_once),
		SCENE_TEST(test_content_that_begins_alike),
		SCENE_TEST(test_links),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
