/*
 * A version by hand: a draft is made, gets its files one by one, and is committed. Each request may be repeated, also after
 * the commit.
 */
#include "artifact_draft_api.h"

#include "artifact_commit.h"
#include "artifact_digest.h"
#include "artifact_json.h"
#include "artifact_make.h"
#include "artifact_path.h"
#include "artifact_query.h"
#include "auth.h"
#include "json_in.h"
#include "reply.h"

enum {
	REFERENCES_MAX = 1000, /* of one request */
	RUN_ID_MAX = 512,
	MD5_TEXT = 2 * ARTIFACT_MD5_SIZE,
	/* bytes of names with at most ARTIFACT_NAME_MAX characters */
	NAME_BYTES = 4 * ARTIFACT_NAME_MAX,
};

/* ---- making ---------------------------------------------------------------------------------------- */

struct draft_asked {
	struct artifact_asked asked;
	struct str run;  /* empty: none */
	struct str base; /* empty: none */
};

/* The named aliases, and "latest". */
static void read_aliases(struct request *q, struct json_in *in, struct artifact_asked *asked)
{
	size_t count;
	const struct str *sent =
		json_in_texts(in, "aliases", ARTIFACT_ALIASES_MAX, NAME_BYTES, &count);
	struct str *aliases = arena_new_array(q->arena, struct str, count + 1);

	aliases[0] = STR(ARTIFACT_LATEST);
	asked->alias_count = 1;
	for (size_t i = 0; i < count; i++) {
		if (!str_is(sent[i], ARTIFACT_LATEST))
			aliases[asked->alias_count++] = sent[i];
	}
	asked->aliases = aliases;
}

static err_t read_body(struct request *q, struct draft_asked *ret)
{
	struct artifact_asked *asked = &ret->asked;
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*ret = (struct draft_asked){ .asked.collection = request_param(q, "collection") };
	asked->type = json_in_text(&in, "type", NAME_BYTES);
	if (json_in_has(&in, "description"))
		asked->description = json_in_text(&in, "description", ARTIFACT_DESCRIPTION_MAX);
	asked->metadata = artifact_query_metadata(&in, "metadata");
	asked->tags = json_in_texts(&in, "tags", ARTIFACT_TAGS_MAX, 4 * ARTIFACT_TAG_MAX,
				    &asked->tag_count);
	read_aliases(q, &in, asked);
	asked->ttl_s = json_in_int_or(&in, "ttl_s", 0, ARTIFACT_TTL_MAX_S, ARTIFACT_TTL_INHERIT);
	asked->client = json_in_text_or(&in, "client", NAME_BYTES, STR(""));
	asked->digest = json_in_text_or(&in, "digest", MD5_TEXT, STR(""));
	asked->dedupes = asked->digest.len > 0;
	ret->run = json_in_text_or(&in, "run", RUN_ID_MAX, STR(""));
	ret->base = json_in_text_or(&in, "base", NAME_BYTES, STR(""));
	return json_in_end(&in);
}

static err_t check_body(struct request *q, const struct artifact_asked *asked)
{
	unsigned char md5[ARTIFACT_MD5_SIZE];
	err_t e = asked->client.len ? artifact_client_check(q->arena, "client", asked->client)
				    : NULL;

	if (e || !asked->digest.len || artifact_md5_read_hex(asked->digest, md5))
		return e;
	return err_field(q->arena, ERR_INVALID, "digest", "expected 32 hexadecimal digits");
}

/* The run that makes it is that of q->target from now on. */
static err_t find_run(struct request *q, struct str run)
{
	const struct auth_ask ask = {
		.access = ACCESS_WRITE,
		.entity = q->target->entity,
		.project = q->target->project,
		.run = run,
	};

	return run.len ? auth_ask(q, &ask) : NULL;
}

static err_t find_base(struct request *q, struct draft_asked *draft)
{
	struct artifact_target base;
	err_t e;

	if (!draft->base.len)
		return NULL;
	if (!q->target->project_id)
		return err_field(q->arena, ERR_INVALID, "base", "the project does not exist");
	e = artifact_target_here(q, draft->asked.collection, draft->base, &base);
	if (!e)
		e = artifact_target_committed(q, &base);
	if (e && e->kind == ERR_NOT_FOUND)
		return err_field(q->arena, ERR_INVALID, "base",
				 "the collection has no version \"%.*s\"", STR_ARG(draft->base));
	if (!e && base.artifact->collection_id != base.collection->collection_id)
		return err_field(q->arena, ERR_INVALID, "base",
				 "a linked version cannot be the base of another");
	if (!e)
		draft->asked.base_id = base.artifact->artifact_id;
	return e;
}

static err_t reply_draft(struct request *q, const struct artifact_made *made)
{
	const struct artifact *artifact = made->artifact;
	const struct artifact_id id = { artifact->project_id, artifact->artifact_id };
	const struct artifact_shown shown = { artifact, NULL };
	const bool is_committed = artifact->state != ARTIFACT_PENDING;
	struct json_out o = reply_json(q);
	err_t e = NULL;

	json_out_object(&o);
	json_out_put_text(&o, "draft", artifact_id_write(q->arena, ARTIFACT_ID_VERSION, id));
	json_out_put_text(&o, "state", is_committed ? STR("committed") : STR("pending"));
	json_out_put_text(&o, "collection", artifact->collection);
	if (is_committed)
		e = artifact_json_put(q, &o, "version", &shown);
	json_out_object_end(&o);
	if (made->was_made)
		reply_status(q, 201);
	return e;
}

err_t artifact_draft_api_post(struct request *q)
{
	struct draft_asked draft;
	struct artifact_made made;
	err_t e = read_body(q, &draft);

	if (!e)
		e = check_body(q, &draft.asked);
	if (!e)
		e = find_run(q, draft.run);
	if (!e)
		e = find_base(q, &draft);
	if (!e)
		e = artifact_make(q, &draft.asked, &made);
	return e ? e : reply_draft(q, &made);
}

/* ---- references --------------------------------------------------------------------------------------- */

static void read_reference(struct json_in *item, struct artifact_entry *entry)
{
	*entry = (struct artifact_entry){ .has_size = true };
	entry->path = json_in_text(item, "path", ARTIFACT_PATH_MAX);
	entry->ref = json_in_text(item, "ref", ARTIFACT_REF_MAX);
	entry->digest = json_in_text_or(item, "digest", ARTIFACT_DIGEST_MAX, STR(""));
	entry->size_bytes = json_in_int_or(item, "bytes", 0, ARTIFACT_SIZE_MAX, 0);
	if (!json_in_error(item) && !entry->ref.len)
		json_in_refuse(item, "ref", "expected an address such as \"s3://bucket/key\"");
	if (!entry->digest.len)
		entry->digest = str_head(entry->ref, ARTIFACT_DIGEST_MAX);
}

static err_t read_references(struct request *q, struct artifact_entry **ret_entries,
			     size_t *ret_count)
{
	struct artifact_entry *entries;
	struct json_in in;
	size_t count;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	count = json_in_array(&in, "references", REFERENCES_MAX);
	entries = arena_new_array(q->arena, struct artifact_entry, count + 1);
	for (size_t i = 0; i < count; i++)
		read_reference(json_in_item(&in, "references", i), &entries[i]);
	if (!json_in_error(&in) && !count)
		json_in_refuse(&in, "references", "\"references\" contains no reference");
	e = json_in_end(&in);
	for (size_t i = 0; i < count && !e; i++)
		e = artifact_path_check(q->arena, arena_printf(q->arena, "references[%zu].path", i),
					entries[i].path);
	*ret_entries = entries;
	*ret_count = count;
	return e;
}

err_t artifact_draft_api_references(struct request *q)
{
	struct artifact *draft;
	struct artifact_entry *entries;
	int64_t size_bytes = 0;
	struct json_out o;
	size_t count;
	err_t e = read_references(q, &entries, &count);

	if (!e)
		e = artifact_query_draft(q, &draft);
	if (!e)
		e = artifact_add_references(q, draft, entries, count);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++)
		size_bytes += entries[i].size_bytes;
	o = reply_json(q);
	json_out_object(&o);
	json_out_put_int(&o, "files", (int64_t)count);
	json_out_put_int(&o, "bytes", size_bytes);
	json_out_object_end(&o);
	return NULL;
}

/* ---- its end -------------------------------------------------------------------------------------------- */

/* A body may be left out. */
static err_t read_no_members(struct request *q)
{
	struct json_in in;
	err_t e = q->body.len ? json_in_parse(q->arena, q->body, &in) : NULL;

	return e || !q->body.len ? e : json_in_end(&in);
}

err_t artifact_draft_api_commit(struct request *q)
{
	struct artifact_target target = { .member = NULL };
	struct artifact_shown shown = { 0 };
	struct artifact *artifact;
	struct json_out o;
	err_t e = read_no_members(q);

	if (!e)
		e = artifact_query_draft(q, &target.artifact);
	if (!e)
		e = artifact_target_sequence(q, &target);
	if (!e)
		e = artifact_commit(q, &target, &artifact);
	if (e)
		return e;
	shown.artifact = artifact;
	o = reply_json(q);
	return artifact_json_versions(q, &o, &shown, 1);
}
