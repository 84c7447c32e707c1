#include "manifest_stage.h"

#include <string.h>

#include "app.h"
#include "artifact_digest.h"
#include "artifact_draft.h"
#include "artifact_path.h"
#include "artifact_turn.h"
#include "blob_store.h"
#include "content.h"
#include "content_put.h"
#include "entry_store.h"
#include "json_members.h"
#include "manifest_entry.h"
#include "replica.h"
#include "server_store.h"

enum {
	WINDOW = 256 << 10,
	BATCH = 5000,
	BATCH_BYTES = 4 << 20,
	BATCH_TIME_MS = 30000,
	LOCK_TIMEOUT_MS = 5000,
	PURGE_PORTION = 10000,
	LARGE_BYTES = 1 << 20, /* of a manifest that takes a worker for long */
};
/* Content that is found is held for ARTIFACT_BLOB_HELD_US. */
#define STAGING_MAX_US (ARTIFACT_BLOB_HELD_US / 2)

struct staging {
	struct request *q;
	struct entry_place place;
	struct artifact_manifest *manifest;
	timestamp_us now;
	int64_t began_us; /* monotonic */

	struct arena *batch; /* of `entries` */
	struct artifact_entry *entries;
	size_t count;
	size_t size;
	size_t bytes;

	int64_t total;
	int64_t size_bytes;
	bool is_sorted; /* so far: then `digest` has all, and no path can be there twice */
	struct artifact_digest *digest;
	char last[ARTIFACT_PATH_MAX];
	size_t last_len;

	bool has_version;
	bool has_contents;
	struct str config; /* .at == NULL: none */
};

/* ---- the body ----------------------------------------------------------------------------------------- */

err_t manifest_stage_begin(struct request *q, const struct manifest_destination *destination)
{
	struct manifest_destination *kept = arena_new_of(q->arena, struct manifest_destination);
	struct artifact_manifest *manifest;
	struct artifact *draft;
	err_t e = entry_store_find_manifest(q->db, destination->scope.project_id,
					    destination->manifest_id, &manifest);

	if (!e && !manifest)
		return err_new(q->arena, ERR_GONE, "the draft of this manifest was deleted");
	if (!e)
		e = artifact_draft_find(q, manifest->project_id, manifest->artifact_id, &draft);
	if (e)
		return e;
	*kept = *destination;
	return content_put_begin(q, &kept->scope, kept);
}

struct body {
	struct content_reader *reader;
	int64_t offset;
};

static err_t read_body(void *source, char *bytes, size_t size, size_t *ret_count)
{
	struct body *b = source;
	err_t e = content_read(b->reader, b->offset, bytes, size, ret_count);

	if (!e)
		b->offset += (int64_t)*ret_count;
	return e;
}

/* ---- batches of entries ----------------------------------------------------------------------------------- */

static err_t refuse_twice(struct staging *s, struct str path)
{
	return err_field(s->q->arena, ERR_INVALID, "contents", "duplicate path \"%.*s\"",
			 STR_ARG(path));
}

/* Each batch may take as long as a request; all of them no longer than what they found is held. */
static err_t renew(struct staging *s)
{
	int64_t now_us = clock_mono_us();

	if (now_us - s->began_us > STAGING_MAX_US)
		return err_new(s->q->arena, ERR_BUSY, "the manifest takes too long to store");
	s->q->deadline_us = now_us + BATCH_TIME_MS * INT64_C(1000);
	db_set_deadline(s->q->db, s->q->deadline_us);
	return NULL;
}

static err_t hold_content(struct staging *s)
{
	struct str *md5s = arena_new_array(s->batch, struct str, s->count + 1);
	const timestamp_us until = { s->now.us + ARTIFACT_BLOB_HELD_US };
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (s->entries[i].md5.len)
			md5s[count++] = s->entries[i].md5;
	}
	return count ? blob_store_hold(s->q->db, s->place.project_id, md5s, count, until) : NULL;
}

/* In a manifest that is not sorted. */
static err_t check_not_there(struct staging *s)
{
	struct str *paths = arena_new_array(s->batch, struct str, s->count + 1);
	struct artifact_entry *there;
	size_t count;
	err_t e;

	for (size_t i = 0; i < s->count; i++)
		paths[i] = s->entries[i].path;
	e = entry_store_find_named(s->q->db, s->place.project_id, s->place.manifest_id, paths,
				   s->count, &there, &count);
	if (!e && count)
		return refuse_twice(s, there[0].path);
	return e;
}

/* The path that is in the batch twice. */
static err_t refuse_repeated(struct staging *s)
{
	for (size_t i = 1; i < s->count; i++) {
		for (size_t k = 0; k < i; k++) {
			if (str_equal(s->entries[i].path, s->entries[k].path))
				return refuse_twice(s, s->entries[i].path);
		}
	}
	return refuse_twice(s, s->entries[0].path);
}

static err_t write_batch(struct staging *s)
{
	int64_t inserted;
	err_t e = s->count ? renew(s) : NULL;

	if (e || !s->count)
		return e;
	if (!s->is_sorted)
		e = check_not_there(s);
	if (!e)
		e = hold_content(s);
	if (!e)
		e = entry_store_stage(s->q->db, &s->place, s->entries, s->count, &inserted);
	if (!e && inserted < (int64_t)s->count)
		e = refuse_repeated(s);
	if (e)
		return e;
	s->count = 0;
	s->bytes = 0;
	arena_reset(s->batch);
	return NULL;
}

/* ---- members ------------------------------------------------------------------------------------------------ */

static void count_entry(struct staging *s, const struct artifact_entry *entry)
{
	const struct str last = { s->last, s->last_len };

	s->is_sorted = s->is_sorted && (!s->total || str_compare(last, entry->path) < 0);
	if (s->is_sorted)
		artifact_digest_add(s->digest, entry->path, entry->digest);
	memcpy(s->last, entry->path.at, entry->path.len);
	s->last_len = entry->path.len;
	s->total++;
	s->size_bytes += entry->has_size ? entry->size_bytes : 0;
}

static err_t add_entry(struct staging *s, struct str path, struct str value)
{
	struct artifact_entry entry;
	err_t e = manifest_entry_read(s->batch, path, value, &entry);

	if (e)
		return e;
	if (s->total && str_equal((struct str){ s->last, s->last_len }, path))
		return refuse_twice(s, entry.path);
	count_entry(s, &entry);
	e = artifact_amount_check(s->q->arena, "contents",
				  &(struct artifact_amount){ s->total, s->size_bytes });
	if (e)
		return e;
	if (s->count == s->size)
		s->entries = arena_grow(s->q->arena, s->entries, &s->size, sizeof(entry));
	s->entries[s->count++] = entry;
	s->bytes += path.len + value.len;
	return s->count == BATCH || s->bytes >= BATCH_BYTES ? write_batch(s) : NULL;
}

static err_t read_contents(struct staging *s, struct json_members *m)
{
	err_t e = json_members_enter(m);

	if (s->has_contents)
		return err_field(s->q->arena, ERR_INVALID, "contents", "duplicate \"contents\"");
	s->has_contents = true;
	while (!e) {
		struct str path;
		struct str value;
		bool is_end;

		e = json_members_next(m, &path, &is_end);
		if (!e && is_end)
			return write_batch(s);
		if (!e)
			e = json_members_value(m, &value);
		if (!e)
			e = add_entry(s, path, value);
	}
	return e;
}

static err_t read_version(struct staging *s, struct str value)
{
	s->has_version = str_is(value, "1");
	if (s->has_version)
		return NULL;
	return err_field(s->q->arena, ERR_INVALID, "version",
			 "unknown version %.*s of the manifest, expected 1",
			 STR_ARG(str_head(value, 32)));
}

static err_t read_config(struct staging *s, struct str value)
{
	if (str_is(value, "null"))
		return NULL;
	if (value.at[0] != '{' || value.len > ARTIFACT_CONFIG_MAX)
		return err_field(s->q->arena, value.at[0] == '{' ? ERR_UNPROCESSABLE : ERR_INVALID,
				 "storagePolicyConfig", "expected an object of at most %d bytes",
				 ARTIFACT_CONFIG_MAX);
	s->config = (struct str){ str_copy(s->q->arena, value), value.len };
	return NULL;
}

static err_t read_member(struct staging *s, struct json_members *m, struct str name)
{
	bool is_version = str_is(name, "version");
	bool is_config = str_is(name, "storagePolicyConfig");
	struct str value;
	err_t e;

	if (str_is(name, "contents"))
		return read_contents(s, m);
	e = json_members_value(m, &value);
	if (!e && is_version)
		e = read_version(s, value);
	if (!e && is_config)
		e = read_config(s, value);
	return e;
}

static err_t read_members(struct staging *s, struct json_members *m)
{
	for (;;) {
		struct str name;
		bool is_end;
		err_t e = json_members_next(m, &name, &is_end);

		if (!e && !is_end)
			e = read_member(s, m, name);
		if (e)
			return e;
		if (is_end)
			break;
	}
	if (!s->has_version)
		return err_field(s->q->arena, ERR_INVALID, "version",
				 "the manifest has no \"version\"");
	if (!s->has_contents)
		return err_field(s->q->arena, ERR_INVALID, "contents",
				 "the manifest has no \"contents\"");
	return NULL;
}

/* Its JSON is named where nothing else is. */
static err_t read_all(struct staging *s, struct content_reader *reader)
{
	struct body body = { reader, 0 };
	struct json_members *m;
	err_t e = json_members_open(s->q->arena, read_body, &body, WINDOW, &m);

	if (!e)
		e = read_members(s, m);
	if (!e || e->field || e->kind == ERR_BUSY || e->kind == ERR_INTERNAL)
		return e;
	return err_field(s->q->arena, e->kind, "manifest", "%s", e->message);
}

/* ---- the transaction ---------------------------------------------------------------------------------------- */

/* Entries of another body that came for the manifest before. */
static err_t purge_former(struct staging *s)
{
	const timestamp_us look_at = { s->now.us + ARTIFACT_BLOB_HELD_US };
	bool more = true;
	err_t e = NULL;

	while (!e && more) {
		e = renew(s);
		if (!e)
			e = entry_store_purge(s->q->db, s->place.project_id, s->place.manifest_id,
					      PURGE_PORTION, look_at, &more);
		if (!e)
			arena_reset(s->batch);
	}
	return e;
}

static err_t end_manifest(struct staging *s, struct str md5)
{
	char text[ARTIFACT_DIGEST_TEXT_SIZE + 1];
	struct artifact_manifest ended = *s->manifest;
	struct entry_digest all = { .digest = { text, ARTIFACT_DIGEST_TEXT_SIZE },
				    .folder = artifact_digest_folder(s->digest) };
	struct artifact *draft;
	err_t e = renew(s);

	artifact_digest_end(s->digest, text);
	ended.stored_at = s->now;
	ended.entry_count = s->total;
	ended.size_bytes = s->size_bytes;
	ended.config = s->config;
	if (!e && !s->is_sorted)
		e = entry_store_digest(s->q->db, s->place.project_id, s->place.manifest_id, &all);
	if (!e && all.folder.at)
		e = err_field(s->q->arena, ERR_INVALID, "contents",
			      "\"%.*s\" is a file and also the folder of other files: rename one",
			      STR_ARG(str_head(all.folder, 200)));
	ended.digest = all.digest;
	if (!e)
		e = artifact_draft_hold(s->q, s->place.project_id, s->place.artifact_id, &draft);
	if (!e && !ended.md5.len) {
		ended.md5 = md5;
		e = entry_store_ask_manifest(s->q->db, &ended);
	}
	return e ? e : entry_store_end_manifest(s->q->db, &ended);
}

static err_t stage(struct staging *s, struct str md5)
{
	struct content_reader *reader;
	err_t e = purge_former(s);

	if (!e)
		e = content_open(s->q->app->content, s->q->arena,
				 (struct str){ (const char *)content_put_sums(s->q)->hash,
					       CONTENT_HASH_SIZE },
				 &reader);
	if (!e)
		e = read_all(s, reader);
	return e ? e : end_manifest(s, md5);
}

static err_t check_draft(struct request *q, const struct artifact_manifest *manifest)
{
	struct artifact *draft;
	err_t e = artifact_store_find(q->db, manifest->project_id, manifest->artifact_id, &draft);

	if (!e && (!draft || draft->state == ARTIFACT_DELETED))
		return err_new(q->arena, ERR_GONE, "the draft of this manifest was deleted");
	if (!e && draft->state != ARTIFACT_PENDING)
		e = artifact_draft_is_committed(q, draft);
	return e;
}

static err_t check_md5(struct request *q, const struct artifact_manifest *manifest, struct str md5)
{
	if (!manifest->md5.len || str_equal(manifest->md5, md5))
		return NULL;
	return err_field(q->arena, ERR_INVALID, "digest",
			 "the manifest has the MD5 %.*s, expected %.*s",
			 STR_ARG(artifact_md5_write(q->arena, md5)),
			 STR_ARG(artifact_md5_write(q->arena, manifest->md5)));
}

static err_t stage_locked(struct request *q, const struct manifest_destination *destination,
			  struct staging *s)
{
	const struct str md5 = { (const char *)content_put_sums(q)->md5, CONTENT_MD5_SIZE };
	err_t e = entry_store_lock_manifest(q->db, destination->scope.project_id,
					    destination->manifest_id, &s->manifest);

	if (!e && !s->manifest)
		return err_new(q->arena, ERR_GONE, "the draft of this manifest was deleted");
	if (!e)
		e = check_md5(q, s->manifest, md5);
	if (e || (s->manifest->stored_at.us && str_equal(s->manifest->md5, md5)))
		return e;
	s->place = (struct entry_place){ s->manifest->project_id, s->manifest->manifest_id,
					 s->manifest->artifact_id };
	e = check_draft(q, s->manifest);
	if (!e)
		e = server_store_now(q->db, &s->now);
	if (e)
		return e;
	db_set_arena(q->db, s->batch);
	e = stage(s, md5);
	db_set_arena(q->db, q->arena);
	return e;
}

static void free_arena(void *p)
{
	arena_free(p);
}

static err_t store(struct request *q)
{
	const struct manifest_destination *destination = content_put_what(q);
	struct staging *s = arena_new_of(q->arena, struct staging);
	err_t e;

	s->q = q;
	s->began_us = clock_mono_us();
	s->batch = arena_new_beside(q->arena, 64 << 10);
	arena_defer(q->arena, free_arena, s->batch);
	s->is_sorted = true;
	s->digest = artifact_digest_begin(q->arena);
	e = db_begin(q->db, BATCH_TIME_MS, LOCK_TIMEOUT_MS);
	if (!e)
		e = stage_locked(q, destination, s);
	if (!e)
		return db_commit(q->db);
	db_rollback(q->db);
	return e;
}

/* Other requests find a worker, whatever manifests come. */
static err_t store_in_turn(struct request *q)
{
	err_t e;

	if (content_put_sums(q)->size_bytes < LARGE_BYTES)
		return store(q);
	if (!artifact_turn_begin(q->app, ARTIFACT_STORES))
		return err_new(q->arena, ERR_BUSY, "too many large manifests are being stored");
	e = store(q);
	artifact_turn_end(q->app, ARTIFACT_STORES);
	return e;
}

err_t manifest_stage_end(struct request *q)
{
	err_t e = content_put_end(q);

	if (!e)
		e = store_in_turn(q);
	content_put_release(q);
	if (!e)
		replica_tell_written(q, db_written(q->db));
	return e;
}
