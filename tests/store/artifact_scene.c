#include "artifact_scene.h"

#include <string.h>

#include "artifact_digest.h"
#include "artifact_store.h"
#include "blob_store.h"
#include "entry_store.h"
#include "file_store.h"
#include "server_store.h"

struct caller *new_caller(struct scene *s, struct arena *a, struct db *db)
{
	struct caller *c = arena_new_of(a, struct caller);

	c->a = a;
	c->db = db;
	c->config.workers = 4;
	c->app.config = &c->config;
	c->identity = (struct identity){ .user_id = s->user_id, .name = STR("ann") };
	c->target = (struct target){
		.entity_id = s->user_id,
		.entity = STR("ann"),
		.entity_kind = ENTITY_USER,
		.project_id = s->project_id,
		.project = STR("digits"),
	};
	c->q = (struct request){
		.arena = a,
		.db = db,
		.app = &c->app,
		.identity = &c->identity,
		.target = &c->target,
		.exchange = &c->exchange,
		.deadline_us = clock_mono_us() + INT64_C(600) * 1000000,
	};
	return c;
}

struct caller *caller_of(struct scene *s)
{
	return new_caller(s, s->a, s->db);
}

struct artifact_asked asked_for(const char *collection, const char *digest, const char *client)
{
	static const struct str latest[] = { { ARTIFACT_LATEST, 6 } };

	return (struct artifact_asked){
		.type = STR("model"),
		.collection = str_of(collection),
		.digest = str_of(digest),
		.aliases = latest,
		.alias_count = 1,
		.ttl_s = ARTIFACT_TTL_INHERIT,
		.dedupes = true,
		.client = str_of(client),
	};
}

struct artifact_made make(struct caller *c, const struct artifact_asked *asked)
{
	struct artifact_made made;

	ok(artifact_make(&c->q, asked, &made));
	return made;
}

int64_t upload(struct caller *c, const struct artifact *draft, const struct file *file)
{
	char content[FILE_HASH_SIZE] = { 0 };
	unsigned char md5[ARTIFACT_MD5_SIZE];
	struct artifact_blob blob = {
		.content = { content, sizeof(content) },
		.md5 = { (const char *)md5, sizeof(md5) },
		.size_bytes = file->size_bytes,
		.birth_id = draft->artifact_id,
	};
	struct artifact_upload row = { .path = str_of(file->path) };

	memcpy(content, &file->number, sizeof(file->number));
	assert_true(artifact_md5_read(str_of(file->md5), md5));
	ok(server_store_begin_now(c->db, 20000, &blob.came_at));
	ok(blob_store_put(c->db, draft->project_id, &blob, &row.blob_id));
	ok(blob_store_save_uploads(c->db, draft->project_id, draft->artifact_id, &row, 1,
				   blob.came_at));
	ok(db_commit(c->db));
	return row.blob_id;
}

struct artifact commit(struct caller *c, const struct artifact *draft)
{
	const struct artifact_target target = { .artifact =
							arena_copy(c->a, draft, sizeof(*draft)) };
	struct artifact *version;

	ok(artifact_commit(&c->q, &target, &version));
	assert_int_equal(version->state, ARTIFACT_COMMITTED);
	return *version;
}

struct artifact_member member(struct caller *c, const struct artifact *v, const char *alias)
{
	struct artifact_member *m;

	ok(artifact_store_resolve(
		c->db,
		&(struct artifact_collection){ .project_id = v->project_id,
					       .collection_id = v->collection_id },
		str_of(alias), ARTIFACT_SEES_PRIVATE, &m));
	assert_non_null(m);
	return *m;
}

void stage(struct caller *c, const struct artifact *draft, int64_t manifest_id,
	   const struct file *files, size_t count)
{
	const struct entry_place place = { draft->project_id, manifest_id, draft->artifact_id };
	struct artifact_entry *entries = arena_new_array(c->a, struct artifact_entry, count);
	struct artifact_manifest manifest = { .project_id = draft->project_id,
					      .manifest_id = manifest_id,
					      .entry_count = (int64_t)count };
	unsigned char *md5s = arena_alloc(c->a, count * ARTIFACT_MD5_SIZE);
	struct entry_digest all;
	int64_t inserted;

	for (size_t i = 0; i < count; i++) {
		unsigned char *md5 = md5s + i * ARTIFACT_MD5_SIZE;

		assert_true(artifact_md5_read(str_of(files[i].md5), md5));
		entries[i] = (struct artifact_entry){
			.path = str_of(files[i].path),
			.digest = str_of(files[i].md5),
			.has_size = true,
			.size_bytes = files[i].size_bytes,
			.md5 = { (const char *)md5, ARTIFACT_MD5_SIZE },
		};
		manifest.size_bytes += files[i].size_bytes;
	}
	ok(entry_store_stage(c->db, &place, entries, count, &inserted));
	assert_int_equal(inserted, count);
	ok(entry_store_digest(c->db, draft->project_id, manifest_id, &all));
	manifest.digest = all.digest;
	manifest.stored_at = c->q.now;
	ok(entry_store_end_manifest(c->db, &manifest));
}
