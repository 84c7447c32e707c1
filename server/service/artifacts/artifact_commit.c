#include "artifact_commit.h"

#include "artifact_store.h"
#include "artifact_texts.h"
#include "artifact_turn.h"
#include "blob_store.h"
#include "buf.h"
#include "entry_store.h"
#include "id.h"
#include "server_store.h"

enum {
	MANIFESTS_MAX = 10000,
	NAMED_MAX = 5, /* paths in an error */
	STEP_TIME_MS = 30000,
	PORTION = 20000, /* entries in a statement */
	LARGE = 5000,    /* entries that take a worker for long */
};

struct commit {
	struct artifact *artifact;
	struct artifact *base; /* that its entries are added to; NULL: none */
	struct artifact_manifest *manifests;
	size_t manifest_count;
	struct artifact_manifest *manifest; /* that becomes the current one */
	int64_t held_us; /* monotonic: since then content that was found is held; 0: none was */
};

/* Millions of entries take minutes: not all of it in the time of one request. The lock is held. */
static void renew(struct request *q)
{
	q->deadline_us = clock_mono_us() + STEP_TIME_MS * INT64_C(1000);
	db_set_deadline(q->db, q->deadline_us);
}

/* A piece of the work on the manifest that is made: on the entries of `from`, or those that it has itself. */
typedef err_t portion_fn(struct request *q, const struct commit *c, int64_t from_id,
			 struct entry_portion *portion);

static err_t in_portions(struct request *q, const struct commit *c, portion_fn *work,
			 int64_t from_id)
{
	struct entry_portion portion = { .after = STR(""), .limit = PORTION, .more = true };
	err_t e = NULL;

	while (!e && portion.more) {
		renew(q);
		e = work(q, c, from_id, &portion);
	}
	return e;
}

/* ---- what its entries are ------------------------------------------------------------------------ */

/* The newest that was stored, of one of two kinds. */
static struct artifact_manifest *newest_of(struct commit *c, enum artifact_manifest_kind one,
					   enum artifact_manifest_kind other)
{
	for (size_t i = c->manifest_count; i-- > 0;) {
		struct artifact_manifest *m = &c->manifests[i];

		if (m->stored_at.us && (m->kind == (int16_t)one || m->kind == (int16_t)other))
			return m;
	}
	return NULL;
}

/* Whether the client sends manifests, so that the uploads alone are not the version. */
static bool has_of_client(const struct commit *c)
{
	for (size_t i = 0; i < c->manifest_count; i++) {
		if (c->manifests[i].kind == ARTIFACT_MANIFEST_WHOLE ||
		    c->manifests[i].kind == ARTIFACT_MANIFEST_ADDED)
			return true;
	}
	return false;
}

/*
 * If the base was the newest version when the draft was made, the one that is the newest now is the base: it has the entries of
 * what other processes committed since. Another base is taken as it is.
 */
static err_t replace_base(struct request *q, const struct commit *c, struct artifact **base)
{
	const struct artifact *v = c->artifact;
	struct artifact *newest;
	bool had_newer;
	err_t e;

	if (!*base || (*base)->collection_id != v->collection_id || !(*base)->has_version)
		return NULL;
	e = artifact_store_had_newer(q->db, *base, v->created_at, &had_newer);
	if (e || had_newer)
		return e;
	e = artifact_store_find_newest(q->db, v->project_id, v->collection_id,
				       ARTIFACT_SEES_PRIVATE, &newest);
	if (!e && newest && newest->version > (*base)->version)
		*base = newest;
	return e;
}

static err_t find_base(struct request *q, struct commit *c, int64_t base_id)
{
	const struct artifact *v = c->artifact;
	struct artifact *base;
	err_t e;

	if (!base_id)
		return artifact_store_find_newest(q->db, v->project_id, v->collection_id,
						  ARTIFACT_SEES_PRIVATE, &c->base);
	e = artifact_store_find(q->db, v->project_id, base_id, &base);
	if (!e)
		e = replace_base(q, c, &base);
	if (e)
		return e;
	if (!base || base->state != ARTIFACT_COMMITTED)
		return err_new(q->arena, ERR_UNPROCESSABLE,
			       "the version that the artifact was made from was deleted");
	c->base = base;
	return NULL;
}

static err_t merge(struct request *q, const struct commit *c, int64_t from_id,
		   struct entry_portion *portion)
{
	return entry_store_merge(q->db, c->artifact->project_id, from_id, c->manifest->manifest_id,
				 portion);
}

static err_t merge_files(struct request *q, const struct commit *c, int64_t from_id,
			 struct entry_portion *portion)
{
	return entry_store_merge_uploads(q->db, c->artifact->project_id, from_id,
					 c->manifest->manifest_id, portion);
}

static err_t make_merged(struct request *q, struct commit *c)
{
	struct artifact_manifest merged = {
		.project_id = c->artifact->project_id,
		.manifest_id = id_snowflake(),
		.artifact_id = c->artifact->artifact_id,
		.kind = ARTIFACT_MANIFEST_MERGED,
		.created_at = q->now,
		.base_id = c->base ? c->base->artifact_id : 0,
	};
	err_t e = entry_store_make_manifest(q->db, &merged);

	c->manifest = arena_copy(q->arena, &merged, sizeof(merged));
	if (!e && c->base && c->base->manifest_id)
		e = in_portions(q, c, merge, c->base->manifest_id);
	return e;
}

/* The config is the last that a client sent, so that readers find what writers wrote. */
static err_t add(struct request *q, struct commit *c, const struct artifact_manifest *from)
{
	if (from->config.at)
		c->manifest->config = from->config;
	return in_portions(q, c, merge, from->manifest_id);
}

static err_t merge_parts(struct request *q, struct commit *c)
{
	err_t e = make_merged(q, c);

	for (size_t i = 0; i < c->manifest_count && !e; i++) {
		if (c->manifests[i].kind == ARTIFACT_MANIFEST_PART && c->manifests[i].stored_at.us)
			e = add(q, c, &c->manifests[i]);
	}
	return e;
}

static err_t merge_added(struct request *q, struct commit *c, const struct artifact_manifest *added)
{
	int64_t base_id = added->base_id ? added->base_id : c->artifact->base_id;
	err_t e = find_base(q, c, base_id);

	if (!e)
		e = make_merged(q, c);
	return e ? e : add(q, c, added);
}

/* No manifest was sent: the files that were uploaded and the references that were added. */
static err_t merge_uploads(struct request *q, struct commit *c)
{
	const struct artifact *v = c->artifact;
	int64_t files = 0;
	err_t e = v->base_id ? find_base(q, c, v->base_id) : NULL;

	if (!e)
		e = blob_store_count_uploads(q->db, v->project_id, v->artifact_id,
					     ARTIFACT_ENTRIES_MAX + 1, &files);
	if (!e && files > ARTIFACT_ENTRIES_MAX)
		return err_new(q->arena, ERR_UNPROCESSABLE,
			       "the draft has more than %d files, which is the most of a version",
			       ARTIFACT_ENTRIES_MAX);
	if (!e)
		e = make_merged(q, c);
	if (!e)
		e = in_portions(q, c, merge_files, v->artifact_id);
	for (size_t i = 0; i < c->manifest_count && !e; i++) {
		if (c->manifests[i].kind == ARTIFACT_MANIFEST_LISTED)
			e = add(q, c, &c->manifests[i]);
	}
	return e;
}

static err_t choose(struct request *q, struct commit *c)
{
	struct artifact_manifest *newest;

	if (c->artifact->distributed.len)
		return merge_parts(q, c);
	newest = newest_of(c, ARTIFACT_MANIFEST_WHOLE, ARTIFACT_MANIFEST_ADDED);
	if (newest && newest->kind == ARTIFACT_MANIFEST_ADDED)
		return merge_added(q, c, newest);
	if (newest) {
		c->manifest = newest;
		return NULL;
	}
	if (has_of_client(c))
		return err_new(q->arena, ERR_UNPROCESSABLE,
			       "the manifest of the artifact has not been uploaded");
	return merge_uploads(q, c);
}

/* ---- whether its content is there -------------------------------------------------------------------- */

static void describe(struct buf *b, const struct artifact_entry *entry,
		     const struct artifact_upload *uploads, size_t count)
{
	buf_printf(b, "%s\"%.*s\"", b->len ? ", " : "", STR_ARG(str_head(entry->path, 200)));
	for (size_t i = 0; i < count; i++) {
		if (!str_equal(uploads[i].path, entry->path))
			continue;
		if (entry->has_size && uploads[i].size_bytes != entry->size_bytes)
			buf_printf(b, " (the manifest has %lld bytes, the upload %lld)",
				   (long long)entry->size_bytes, (long long)uploads[i].size_bytes);
		else
			buf_add_text(b, " (the upload has another MD5 than the manifest)");
	}
}

static err_t missing(struct request *q, const struct commit *c, int64_t open)
{
	const struct artifact *v = c->artifact;
	struct buf *b = buf_new(q->arena);
	struct str paths[NAMED_MAX];
	struct artifact_entry *entries;
	struct artifact_upload *uploads;
	size_t count, upload_count;
	err_t e = entry_store_list_open(q->db, v->project_id, c->manifest->manifest_id, NAMED_MAX,
					&entries, &count);

	for (size_t i = 0; i < count && !e; i++)
		paths[i] = entries[i].path;
	if (!e)
		e = blob_store_find_uploads(q->db, v->project_id, v->artifact_id, paths, count,
					    &uploads, &upload_count);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++)
		describe(b, &entries[i], uploads, upload_count);
	return err_new(q->arena, ERR_UNPROCESSABLE,
		       "the content of %lld files of the manifest is missing: %.*s%s",
		       (long long)open, STR_ARG(buf_str(b)), open > NAMED_MAX ? ", …" : "");
}

static err_t resolve_some(struct request *q, const struct commit *c, int64_t from_id,
			  struct entry_portion *portion)
{
	const struct entry_place place = {
		.project_id = c->artifact->project_id,
		.manifest_id = c->manifest->manifest_id,
		.artifact_id = from_id,
	};
	timestamp_us until = { 0 };
	err_t e = server_store_now(q->db, &until);

	until.us += ARTIFACT_BLOB_HELD_US;
	return e ? e : entry_store_resolve(q->db, &place, until, portion);
}

static err_t resolve(struct request *q, struct commit *c)
{
	const struct artifact *v = c->artifact;
	int64_t open;
	err_t e;

	renew(q);
	e = entry_store_count_open(q->db, v->project_id, c->manifest->manifest_id, &open);
	if (e || !open)
		return e;
	c->held_us = clock_mono_us();
	e = in_portions(q, c, resolve_some, v->artifact_id);
	if (!e)
		e = entry_store_count_open(q->db, v->project_id, c->manifest->manifest_id, &open);
	return e || !open ? e : missing(q, c, open);
}

/* Content that was found is held for ARTIFACT_BLOB_HELD_US. */
static err_t check_held(struct request *q, const struct commit *c)
{
	if (!c->held_us || clock_mono_us() - c->held_us < ARTIFACT_BLOB_HELD_US / 2)
		return NULL;
	return err_new(q->arena, ERR_BUSY, "the commit takes too long");
}

static err_t measure(struct request *q, struct commit *c)
{
	struct artifact_manifest *m = c->manifest;
	struct entry_digest all;
	struct entry_sum *sum;
	err_t e;

	if (m->stored_at.us)
		return NULL;
	renew(q);
	e = entry_store_sum(q->db, m->project_id, m->manifest_id, &sum);
	if (!e)
		e = entry_store_digest(q->db, m->project_id, m->manifest_id, &all);
	if (e)
		return e;
	e = artifact_amount_check(q->arena, NULL,
				  &(struct artifact_amount){ sum->entry_count, sum->size_bytes });
	if (e)
		return e;
	if (all.folder.at)
		return err_new(q->arena, ERR_UNPROCESSABLE,
			       "\"%.*s\" is a file and also the folder of other files: rename one",
			       STR_ARG(str_head(all.folder, 200)));
	m->digest = all.digest;
	m->entry_count = sum->entry_count;
	m->size_bytes = sum->size_bytes;
	m->stored_at = q->now;
	return entry_store_end_manifest(q->db, m);
}

/* ---- the version --------------------------------------------------------------------------------------- */

static err_t set_aliases(struct request *q, const struct artifact *v)
{
	const struct artifact_texts asked = artifact_texts_read(q->arena, v->asked);
	const struct artifact_aliases aliases = {
		.project_id = v->project_id,
		.collection_id = v->collection_id,
		.version = v->version,
		.aliases = asked.at,
		.count = asked.count,
		.user_id = v->user_id,
		.now = q->now,
	};

	return artifact_store_set_aliases(q->db, &aliases);
}

/* The job has uploads and other manifests to remove, and looks at what the collection keeps. */
static err_t give_number(struct request *q, struct commit *c,
			 const struct artifact_collection *collection)
{
	struct artifact *v = c->artifact;
	err_t e;

	v->version = collection->next_version;
	v->digest = c->manifest->digest;
	v->manifest_id = c->manifest->manifest_id;
	v->size_bytes = c->manifest->size_bytes;
	v->file_count = c->manifest->entry_count;
	v->committed_at = q->now;
	e = artifact_store_commit(q->db, v, q->now);
	if (!e)
		e = set_aliases(q, v);
	if (!e && collection->keep_last)
		e = artifact_store_look_collection(q->db, collection, q->now);
	return e;
}

/*
 * The lock of the draft waits for uploads that are being recorded: they are in the version, and later ones are refused. The time
 * is read under the lock, as it is for a draft, so that both times are in the order of the versions.
 */
static err_t commit_locked(struct request *q, struct commit *c)
{
	const struct artifact *v = c->artifact;
	struct artifact_collection *collection;
	err_t e =
		artifact_store_lock_collection(q->db, v->project_id, v->collection_id, &collection);

	c->held_us = 0;
	if (!e)
		e = artifact_store_lock(q->db, v->project_id, v->artifact_id, &c->artifact);
	if (!e && (!collection || !c->artifact || c->artifact->state == ARTIFACT_DELETED))
		return err_new(q->arena, ERR_GONE, "the artifact was deleted");
	if (e || c->artifact->state == ARTIFACT_COMMITTED)
		return e;
	e = server_store_now(q->db, &q->now);
	if (!e)
		e = entry_store_list_manifests(q->db, v->project_id, v->artifact_id, MANIFESTS_MAX,
					       &c->manifests, &c->manifest_count);
	if (!e)
		e = choose(q, c);
	if (!e)
		e = resolve(q, c);
	if (!e)
		e = measure(q, c);
	if (!e)
		e = check_held(q, c);
	return e ? e : give_number(q, c, collection);
}

static err_t commit(struct request *q, const void *arg)
{
	return commit_locked(q, *(struct commit *const *)arg);
}

static err_t commit_draft(struct request *q, struct artifact *draft)
{
	struct commit state = { .artifact = draft };
	struct commit *c = &state;

	return artifact_in_transaction(q, commit, &c);
}

/* Other requests find a worker, whatever is committed. */
static err_t commit_in_turn(struct request *q, struct artifact *draft)
{
	int64_t size = 0;
	err_t e = NULL;

	if (draft->state == ARTIFACT_PENDING)
		e = entry_store_commit_size(q->db, draft, LARGE + 1, &size);
	if (e)
		return e;
	if (size <= LARGE)
		return commit_draft(q, draft);
	if (!artifact_turn_begin(q->app, ARTIFACT_STORES))
		return err_new(q->arena, ERR_BUSY, "too many large artifacts are being committed");
	e = commit_draft(q, draft);
	artifact_turn_end(q->app, ARTIFACT_STORES);
	return e;
}

err_t artifact_commit(struct request *q, const struct artifact_target *target,
		      struct artifact **ret_artifact)
{
	err_t e = commit_in_turn(q, target->artifact);

	if (e)
		return e;
	return artifact_store_find(q->db, target->artifact->project_id,
				   target->artifact->artifact_id, ret_artifact);
}
