/*
 * A draft is made in three transactions, so that no two locks are held at once: project, type and collection; the draft, under
 * the lock of its collection; the output of the run, under the run's lock. Each may be repeated, and a client that repeats its
 * request gets to the same draft by its id.
 */
#include "artifact_make.h"

#include "artifact_digest.h"
#include "artifact_path.h"
#include "artifact_store.h"
#include "artifact_target.h"
#include "artifact_texts.h"
#include "auth.h"
#include "entry_store.h"
#include "id.h"
#include "lineage_store.h"
#include "run_store.h"
#include "run_target.h"
#include "server_store.h"

enum { MANIFESTS_MAX = 10000 /* of a draft */ };

struct making {
	const struct artifact_asked *asked;
	int64_t user_id;
	struct artifact_collection *collection;
	struct artifact_made made;
};

/* ---- the request -------------------------------------------------------------------------------- */

/* "latest" comes on top of those that a user names. */
static size_t most_aliases(const struct artifact_asked *asked)
{
	for (size_t i = 0; i < asked->alias_count; i++) {
		if (str_is(asked->aliases[i], ARTIFACT_LATEST))
			return ARTIFACT_ALIASES_MAX + 1;
	}
	return ARTIFACT_ALIASES_MAX;
}

static err_t check_texts(struct arena *a, const struct artifact_asked *asked)
{
	const struct artifact_texts tags = { asked->tags, asked->tag_count };
	const struct artifact_texts aliases = { asked->aliases, asked->alias_count };
	err_t e = artifact_texts_check(a, "tags", &tags, ARTIFACT_TAGS_MAX, artifact_tag_check);

	if (!e)
		e = artifact_texts_check(a, "aliases", &aliases, most_aliases(asked),
					 artifact_alias_check);
	return e ? e : artifact_description_check(a, "description", asked->description);
}

static err_t check_digest(struct arena *a, struct str digest)
{
	if (digest.len <= ARTIFACT_DIGEST_MAX && str_is_utf8(digest) && !str_has_control(digest))
		return NULL;
	return err_field(a, ERR_INVALID, "digest", "invalid digest of a manifest");
}

static err_t check_names(struct arena *a, const struct artifact_asked *asked)
{
	err_t e = artifact_name_check(a, "name", asked->collection);

	if (!e)
		e = artifact_type_check(a, "type", asked->type);
	if (!e && asked->client.len)
		e = artifact_client_check(a, "clientID", asked->client);
	if (!e && asked->client_sequence.len)
		e = artifact_client_check(a, "sequenceClientID", asked->client_sequence);
	if (!e && asked->distributed.len)
		e = artifact_distributed_check(a, "distributedID", asked->distributed);
	return e;
}

static err_t check(struct arena *a, const struct artifact_asked *asked)
{
	err_t e = check_names(a, asked);

	if (!e)
		e = check_texts(a, asked);
	if (!e)
		e = check_digest(a, asked->digest);
	if (!e)
		e = artifact_region_check(a, asked->region);
	return e ? e : artifact_ttl_check(a, "ttl_s", asked->ttl_s);
}

/* ---- the collection ------------------------------------------------------------------------------- */

static err_t check_collection(struct request *q, const struct artifact_collection *c,
			      const struct artifact_collection_asked *asked)
{
	if (c->kind != (int16_t)asked->kind)
		return err_new(q->arena, ERR_CONFLICT,
			       "\"%.*s\" is %s of this project, choose another name",
			       STR_ARG(c->name),
			       c->kind == ARTIFACT_PORTFOLIO ? "a portfolio" : "an artifact");
	if (str_equal(c->type, asked->type))
		return NULL;
	return err_new(q->arena, ERR_CONFLICT,
		       "the artifact \"%.*s\" has the type \"%.*s\", not \"%.*s\"",
		       STR_ARG(c->name), STR_ARG(c->type), STR_ARG(asked->type));
}

err_t artifact_make_type(struct request *q, struct str name, struct str description)
{
	const struct artifact_type type = {
		.name = name,
		.description = description.at ? description : STR(""),
		.created_at = q->now,
	};
	err_t e = artifact_type_check(q->arena, "type", name);

	if (!e)
		e = artifact_description_check(q->arena, "description", type.description);
	return e ? e : artifact_store_make_type(q->db, q->target->project_id, &type);
}

err_t artifact_make_collection(struct request *q, const struct artifact_collection_asked *asked,
			       struct artifact_collection **ret_collection)
{
	struct artifact_collection made = {
		.project_id = q->target->project_id,
		.collection_id = id_snowflake(),
		.kind = (int16_t)asked->kind,
		.name = asked->name,
		.type = asked->type,
		.description = asked->description,
		.tags = STR("[]"),
		.created_at = q->now,
	};
	bool was_made;
	err_t e = artifact_name_check(q->arena, "name", asked->name);

	if (!e)
		e = artifact_make_type(q, asked->type, STR(""));
	if (!e)
		e = auth_attributed_user(q, &made.created_by);
	if (!e)
		e = artifact_store_make_collection(q->db, &made, &was_made);
	if (!e)
		e = artifact_store_find_collection(q->db, made.project_id, asked->name,
						   ret_collection);
	if (!e && !*ret_collection)
		return err_new(q->arena, ERR_BUSY, "the artifact \"%.*s\" was deleted just now",
			       STR_ARG(asked->name));
	return e ? e : check_collection(q, *ret_collection, asked);
}

static struct artifact_collection_asked sequence_of(const struct artifact_asked *asked)
{
	return (struct artifact_collection_asked){
		.kind = ARTIFACT_SEQUENCE,
		.name = asked->collection,
		.type = asked->type,
	};
}

static err_t make_sequence(struct request *q, const void *arg)
{
	struct making *m = *(struct making *const *)arg;
	const struct artifact_collection_asked asked = sequence_of(m->asked);
	bool made_project;
	err_t e = run_target_make_project(q, &made_project);

	return e ? e : artifact_make_collection(q, &asked, &m->collection);
}

/* Most versions are of collections that exist. */
static err_t find_sequence(struct request *q, struct making *m)
{
	const struct artifact_collection_asked asked = sequence_of(m->asked);
	err_t e = NULL;

	if (q->target->project_id)
		e = artifact_store_find_collection(q->db, q->target->project_id, asked.name,
						   &m->collection);
	if (!e && m->collection)
		return check_collection(q, m->collection, &asked);
	return e ? e : artifact_in_transaction(q, make_sequence, &m);
}

/* ---- aliases -------------------------------------------------------------------------------------------- */

static err_t too_many_aliases(struct request *q, int64_t count)
{
	return err_hint(q->arena,
			err_field(q->arena, ERR_UNPROCESSABLE, "aliases",
				  "a version has at most %d aliases, not %lld",
				  ARTIFACT_BOUND_ALIASES_MAX, (long long)count),
			"remove aliases that are not used, or use tags");
}

err_t artifact_set_aliases(struct request *q, const struct artifact_aliases *aliases)
{
	int64_t count = 0;
	err_t e = artifact_store_set_aliases(q->db, aliases);

	if (!e && aliases->count)
		e = artifact_store_count_aliases(q->db, aliases, &count);
	return !e && count > ARTIFACT_BOUND_ALIASES_MAX ? too_many_aliases(q, count) : e;
}

/* ---- the draft --------------------------------------------------------------------------------------- */

struct found {
	struct artifact_known known;
	struct artifact_client *client;
	struct artifact *of_client;
	struct artifact *draft;
	struct artifact *same;
	struct artifact *newest;
};

/* The digest of a merged version is not the one that its client had. */
static err_t has_digest(struct request *q, const struct artifact *v, struct str digest,
			bool *ret_same)
{
	struct artifact_manifest *manifest = NULL;
	err_t e = NULL;

	if (v->manifest_id)
		e = entry_store_find_manifest(q->db, v->project_id, v->manifest_id, &manifest);
	if (!e)
		*ret_same = str_equal(v->digest, digest) || !digest.len ||
			    v->state == ARTIFACT_DELETED ||
			    (manifest && manifest->kind == ARTIFACT_MANIFEST_MERGED);
	return e;
}

/* An id that names an artifact of another project is not this one's. */
static err_t find_client(struct request *q, const struct making *m, struct found *f)
{
	const struct artifact_collection *c = m->collection;
	err_t e;

	if (!m->asked->client.len)
		return NULL;
	e = artifact_store_find_client(q->db, ARTIFACT_CLIENT_VERSION, m->asked->client,
				       &f->client);
	if (e || !f->client)
		return e;
	if (f->client->project_id != c->project_id)
		return err_field(q->arena, ERR_INVALID, "clientID",
				 "Invalid Client ID: it names an artifact of another project");
	e = artifact_store_find(q->db, c->project_id, f->client->target_id, &f->of_client);
	if (e || !f->of_client)
		return e;
	f->known.has_client = true;
	return has_digest(q, f->of_client, m->asked->digest, &f->known.same_digest);
}

/* Users who see the run of the request would not see the version of another one. */
static bool hides(const struct request *q, const struct artifact *v)
{
	return v->is_private && q->target->run_visibility != VISIBILITY_PRIVATE;
}

static err_t find_same(struct request *q, const struct making *m, struct found *f)
{
	const struct artifact_collection *c = m->collection;
	struct str digest = m->asked->digest;

	if (!m->asked->dedupes || !digest.len)
		return NULL;
	if (!m->asked->client.len)
		return artifact_store_find_digest(q->db, c->project_id, c->collection_id, digest,
						  &f->same);
	if (f->newest && str_equal(f->newest->digest, digest) && !hides(q, f->newest))
		f->same = f->newest;
	return NULL;
}

static err_t find_known(struct request *q, const struct making *m, struct found *f)
{
	const struct artifact_collection *c = m->collection;
	err_t e = artifact_store_find_newest(q->db, c->project_id, c->collection_id,
					     ARTIFACT_SEES_PRIVATE, &f->newest);

	if (!e)
		e = find_client(q, m, f);
	if (!e && m->asked->distributed.len)
		e = artifact_store_find_draft(q->db, c->project_id, c->collection_id,
					      m->asked->distributed, &f->draft);
	if (!e)
		e = find_same(q, m, f);
	f->known.has_draft = f->draft;
	f->known.has_same = f->same;
	return e;
}

static err_t ask_aliases(struct request *q, const struct artifact_asked *asked, struct str before,
			 struct str *ret_all)
{
	const struct artifact_texts more = { asked->aliases, asked->alias_count };
	const struct artifact_texts old = artifact_texts_read(q->arena, before);
	const struct artifact_texts all = artifact_texts_join(q->arena, &old, &more);

	if (all.count > ARTIFACT_BOUND_ALIASES_MAX)
		return too_many_aliases(q, (int64_t)all.count);
	*ret_all = artifact_texts_write(q->arena, &all);
	return NULL;
}

static err_t insert(struct request *q, const struct making *m, int64_t *ret_artifact_id)
{
	const struct artifact_asked *asked = m->asked;
	const struct artifact_texts tags = { asked->tags, asked->tag_count };
	struct artifact draft = {
		.project_id = m->collection->project_id,
		.artifact_id = id_snowflake(),
		.collection_id = m->collection->collection_id,
		.base_id = asked->base_id,
		.distributed = asked->distributed,
		.region = asked->region,
		.has_history_step = asked->has_history_step,
		.history_step = asked->history_step,
		.run_id = q->target->run_id,
		.user_id = m->user_id,
		.created_at = q->now,
		.digest = asked->digest,
		.description = asked->description,
		.tags = artifact_texts_write(q->arena, &tags),
		.ttl_s = asked->ttl_s,
	};
	err_t e = artifact_metadata_read(q->arena, "metadata", asked->metadata, &draft.metadata);

	if (!e)
		e = ask_aliases(q, asked, STR(""), &draft.asked);
	if (!e)
		e = artifact_store_insert(q->db, &draft);
	if (!e)
		*ret_artifact_id = draft.artifact_id;
	return e;
}

static err_t join_draft(struct request *q, const struct making *m, const struct artifact *draft)
{
	struct str all;
	bool is_draft;
	err_t e;

	if (draft->state != ARTIFACT_PENDING)
		return NULL;
	e = artifact_store_hear(q->db, draft, q->now, &is_draft);
	if (!e)
		e = ask_aliases(q, m->asked, draft->asked, &all);
	return e ? e : artifact_store_ask(q->db, draft, all);
}

/* The aliases move to the version that was found. */
static err_t move_aliases(struct request *q, const struct making *m, const struct artifact *version)
{
	const struct artifact_aliases aliases = {
		.project_id = version->project_id,
		.collection_id = version->collection_id,
		.version = version->version,
		.aliases = m->asked->aliases,
		.count = m->asked->alias_count,
		.user_id = m->user_id,
		.now = q->now,
	};

	return artifact_set_aliases(q, &aliases);
}

/* The SDK shows the reason of this refusal, but not of one of a file. */
static err_t insert_within_quota(struct request *q, struct making *m, int64_t *ret_artifact_id)
{
	err_t e = run_target_check_quota(q);

	return e ? e : insert(q, m, ret_artifact_id);
}

static err_t decide(struct request *q, struct making *m, const struct found *f,
		    int64_t *ret_artifact_id)
{
	const struct artifact_wish wish = {
		.has_client = m->asked->client.len,
		.has_distributed = m->asked->distributed.len,
		.dedupes = m->asked->dedupes,
	};

	switch (artifact_decide(&wish, &f->known)) {
	case ARTIFACT_MAKE_KNOWN:
		*ret_artifact_id = f->of_client->artifact_id;
		return join_draft(q, m, f->of_client);
	case ARTIFACT_MAKE_JOIN:
		*ret_artifact_id = f->draft->artifact_id;
		return join_draft(q, m, f->draft);
	case ARTIFACT_MAKE_SAME:
		*ret_artifact_id = f->same->artifact_id;
		return move_aliases(q, m, f->same);
	case ARTIFACT_MAKE_NEW:
		m->made.was_made = true;
		return insert_within_quota(q, m, ret_artifact_id);
	default:
		return err_field(q->arena, ERR_INVALID, "clientID",
				 "Invalid Client ID digest: the id was used for other content");
	}
}

static err_t save_clients(struct request *q, const struct making *m, const struct found *f,
			  int64_t artifact_id)
{
	struct artifact_client *known;
	struct artifact_client version = {
		.client = m->asked->client,
		.kind = ARTIFACT_CLIENT_VERSION,
		.project_id = m->collection->project_id,
		.target_id = artifact_id,
		.replaces = f->client ? f->client->target_id : 0,
	};
	struct artifact_client sequence = {
		.client = m->asked->client_sequence,
		.kind = ARTIFACT_CLIENT_SEQUENCE,
		.project_id = m->collection->project_id,
		.target_id = m->collection->collection_id,
	};
	err_t e = NULL;

	if (version.client.len && version.replaces != artifact_id)
		e = artifact_store_save_client(q->db, &version, q->now, &known);
	if (!e && sequence.client.len)
		e = artifact_store_save_client(q->db, &sequence, q->now, &known);
	return e;
}

static err_t make_locked(struct request *q, const void *arg)
{
	struct making *m = *(struct making *const *)arg;
	struct found f = { .client = NULL };
	int64_t artifact_id = 0;
	struct artifact_collection *locked = NULL;
	err_t e = artifact_store_lock_collection(q->db, m->collection->project_id,
						 m->collection->collection_id, &locked);

	if (!e && (!locked || locked->deleted_at.us))
		return err_new(q->arena, ERR_BUSY, "the artifact \"%.*s\" was deleted just now",
			       STR_ARG(m->asked->collection));
	m->made = (struct artifact_made){ .artifact = NULL };
	if (!e)
		m->collection = locked;
	if (!e)
		e = server_store_now(q->db, &q->now);
	if (!e)
		e = find_known(q, m, &f);
	if (!e)
		e = decide(q, m, &f, &artifact_id);
	if (!e)
		e = save_clients(q, m, &f, artifact_id);
	if (e)
		return e;
	m->made.newest = f.newest;
	return artifact_store_find(q->db, m->collection->project_id, artifact_id,
				   &m->made.artifact);
}

/* ---- the run ------------------------------------------------------------------------------------------ */

err_t artifact_note_edge(struct request *q, enum artifact_way way, const struct artifact *artifact,
			 struct str used_as)
{
	const struct lineage_edge edge = {
		.run_id = q->target->run_id,
		.way = (int16_t)way,
		.project_id = artifact->project_id,
		.artifact_id = artifact->artifact_id,
		.used_as = used_as,
		.at = q->now,
	};
	struct run *run;
	err_t e = run_store_lock(q->db, q->target->run_id, &run);

	return e ? e : lineage_store_add(q->db, &edge);
}

static err_t note_output(struct request *q, const void *arg)
{
	return artifact_note_edge(q, ARTIFACT_OUTPUT, arg, (struct str){ NULL, 0 });
}

err_t artifact_make(struct request *q, const struct artifact_asked *asked,
		    struct artifact_made *ret_made)
{
	struct making making = { .asked = asked };
	struct making *m = &making;
	err_t e = check(q->arena, asked);

	if (!e)
		e = run_target_check_quota(q);
	if (!e)
		e = auth_attributed_user(q, &m->user_id);
	if (!e)
		e = find_sequence(q, m);
	if (!e)
		e = artifact_in_transaction(q, make_locked, &m);
	if (!e && q->target->run_id)
		e = artifact_in_transaction(q, note_output, m->made.artifact);
	if (!e)
		*ret_made = m->made;
	return e;
}

/* ---- its manifests --------------------------------------------------------------------------------------- */

/* *ret_state: after the wait for a commit or a deletion that goes on. */
static err_t hear(struct request *q, const struct artifact *draft, int16_t *ret_state)
{
	struct artifact *there;
	bool is_draft;
	err_t e;

	*ret_state = draft->state;
	if (draft->state != ARTIFACT_PENDING)
		return NULL;
	e = artifact_store_hear(q->db, draft, q->now, &is_draft);
	if (e || is_draft)
		return e;
	e = artifact_store_find(q->db, draft->project_id, draft->artifact_id, &there);
	if (!e)
		*ret_state = there ? there->state : ARTIFACT_DELETED;
	return e;
}

static err_t was_deleted(struct request *q)
{
	return err_new(q->arena, ERR_GONE, "the artifact was deleted");
}

err_t artifact_heard(struct request *q, const struct artifact *draft)
{
	int16_t state;
	err_t e = hear(q, draft, &state);

	return !e && state == ARTIFACT_DELETED ? was_deleted(q) : e;
}

static err_t check_open(struct request *q, const struct artifact *draft)
{
	int16_t state;
	err_t e = hear(q, draft, &state);

	if (!e && state == ARTIFACT_COMMITTED)
		return err_new(q->arena, ERR_CONFLICT,
			       "the artifact is committed: make a new version to change its files");
	return !e && state == ARTIFACT_DELETED ? was_deleted(q) : e;
}

/* The manifest of a request that came before. */
static err_t find_manifest(struct request *q, const struct artifact *draft,
			   const struct artifact_manifest_asked *asked,
			   struct artifact_manifest **ret_manifest)
{
	struct artifact_manifest *all;
	size_t count;
	err_t e = entry_store_list_manifests(q->db, draft->project_id, draft->artifact_id,
					     MANIFESTS_MAX, &all, &count);

	*ret_manifest = NULL;
	if (e)
		return e;
	for (size_t i = 0; i < count && !*ret_manifest; i++) {
		if (all[i].kind == (int16_t)asked->kind && str_equal(all[i].md5, asked->md5) &&
		    (asked->md5.len || asked->kind == ARTIFACT_MANIFEST_WHOLE ||
		     asked->kind == ARTIFACT_MANIFEST_LISTED))
			*ret_manifest = &all[i];
	}
	if (!*ret_manifest && count == MANIFESTS_MAX)
		return err_new(q->arena, ERR_UNPROCESSABLE, "an artifact has at most %d manifests",
			       MANIFESTS_MAX);
	return NULL;
}

err_t artifact_make_manifest(struct request *q, const struct artifact *draft,
			     const struct artifact_manifest_asked *asked,
			     struct artifact_manifest **ret_manifest)
{
	const struct artifact_manifest made = {
		.project_id = draft->project_id,
		.manifest_id = id_snowflake(),
		.artifact_id = draft->artifact_id,
		.kind = (int16_t)asked->kind,
		.created_at = q->now,
		.md5 = asked->md5,
		.base_id = asked->base_id,
	};
	err_t e = find_manifest(q, draft, asked, ret_manifest);

	if (!e && *ret_manifest)
		return artifact_heard(q, draft);
	if (!e)
		e = check_open(q, draft);
	if (!e)
		e = entry_store_make_manifest(q->db, &made);
	if (e)
		return e;
	return entry_store_find_manifest(q->db, made.project_id, made.manifest_id, ret_manifest);
}

err_t artifact_ask_manifest(struct request *q, const struct artifact *draft, int64_t manifest_id,
			    const struct artifact_manifest_asked *asked,
			    struct artifact_manifest **ret_manifest)
{
	struct artifact_manifest *manifest;
	err_t e = entry_store_lock_manifest(q->db, draft->project_id, manifest_id, &manifest);

	if (!e && (!manifest || manifest->artifact_id != draft->artifact_id))
		return err_new(q->arena, ERR_NOT_FOUND, "the manifest does not exist");
	if (!e && (!str_equal(manifest->md5, asked->md5) || draft->state == ARTIFACT_DELETED))
		e = check_open(q, draft);
	if (e)
		return e;
	manifest->md5 = asked->md5;
	manifest->base_id = asked->base_id ? asked->base_id : manifest->base_id;
	e = entry_store_ask_manifest(q->db, manifest);
	if (e)
		return e;
	return entry_store_find_manifest(q->db, draft->project_id, manifest_id, ret_manifest);
}

/* ---- references -------------------------------------------------------------------------------------------- */

static err_t check_reference(struct request *q, const struct artifact_entry *r)
{
	err_t e = artifact_path_check(q->arena, "references", r->path);

	if (!e && (!r->ref.len || r->ref.len > ARTIFACT_REF_MAX || !str_is_utf8(r->ref) ||
		   str_has_control(r->ref)))
		e = err_field(q->arena, ERR_INVALID, "references",
			      "invalid reference of \"%.*s\": expected a URL of 1 to %d bytes",
			      STR_ARG(r->path), ARTIFACT_REF_MAX);
	if (!e && (!r->digest.len || r->digest.len > ARTIFACT_REF_MAX || !str_is_utf8(r->digest) ||
		   str_has_control(r->digest)))
		e = err_field(q->arena, ERR_INVALID, "references",
			      "invalid digest of \"%.*s\": expected 1 to %d bytes",
			      STR_ARG(r->path), ARTIFACT_REF_MAX);
	if (!e && r->has_size && (r->size_bytes < 0 || r->size_bytes > ARTIFACT_SIZE_MAX))
		e = err_field(q->arena, ERR_INVALID, "references", "invalid size of \"%.*s\"",
			      STR_ARG(r->path));
	return e;
}

/* A repeated request is the same once more; another reference for a path is not. */
static err_t check_repeated(struct request *q, const struct artifact_manifest *m,
			    const struct artifact_entry *references, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct artifact_entry *there;
		err_t e = entry_store_find(q->db, m->project_id, m->manifest_id, references[i].path,
					   &there);

		if (e)
			return e;
		if (there && (!str_equal(there->ref, references[i].ref) ||
			      !str_equal(there->digest, references[i].digest)))
			return err_new(q->arena, ERR_CONFLICT,
				       "the artifact has another reference \"%.*s\" already",
				       STR_ARG(references[i].path));
	}
	return NULL;
}

err_t artifact_add_references(struct request *q, const struct artifact *draft,
			      const struct artifact_entry *references, size_t count)
{
	const struct artifact_manifest_asked asked = { .kind = ARTIFACT_MANIFEST_LISTED,
						       .md5 = STR("") };
	struct artifact_manifest *manifest = NULL;
	struct entry_place place = { .project_id = draft->project_id,
				     .artifact_id = draft->artifact_id };
	int64_t inserted = 0;
	err_t e = check_open(q, draft);

	for (size_t i = 0; i < count && !e; i++)
		e = check_reference(q, &references[i]);
	if (!e)
		e = artifact_make_manifest(q, draft, &asked, &manifest);
	if (e)
		return e;
	place.manifest_id = manifest->manifest_id;
	e = entry_store_stage(q->db, &place, references, count, &inserted);
	if (!e && inserted < (int64_t)count)
		e = check_repeated(q, manifest, references, count);
	return e;
}
