/* Changes of collections and versions: texts, aliases, links, deletion and its undo. */
#include "artifact_edit_api.h"

#include "artifact_delete.h"
#include "artifact_edit.h"
#include "artifact_json.h"
#include "artifact_link_to.h"
#include "artifact_query.h"
#include "auth.h"
#include "json_in.h"
#include "reply.h"

enum { NAME_BYTES = 4 * ARTIFACT_NAME_MAX, ADDRESS_BYTES = 2048, ID_BYTES = 128 };

/* A member that may be null: .at == NULL then. */
static struct str text_or_null(struct json_in *in, const char *key, size_t max_bytes)
{
	return json_in_null(in, key) ? (struct str){ NULL, 0 } : json_in_text(in, key, max_bytes);
}

static const struct str *read_tags(struct json_in *in, size_t *ret_count)
{
	return json_in_texts(in, "tags", ARTIFACT_TAGS_MAX, 4 * ARTIFACT_TAG_MAX, ret_count);
}

/* ---- collections ---------------------------------------------------------------------------------- */

static err_t read_collection(struct request *q, struct artifact_collection_change *change)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*change = (struct artifact_collection_change){
		.has_name = json_in_has(&in, "name"),
		.has_type = json_in_has(&in, "type"),
		.has_description = json_in_has(&in, "description"),
		.has_ttl = json_in_has(&in, "ttl_s"),
		.has_keep_last = json_in_has(&in, "keep_last"),
		.has_tags = json_in_has(&in, "tags"),
	};
	if (change->has_name)
		change->name = json_in_text(&in, "name", NAME_BYTES);
	if (change->has_type)
		change->type = json_in_text(&in, "type", NAME_BYTES);
	if (change->has_description)
		change->description = text_or_null(&in, "description", ARTIFACT_DESCRIPTION_MAX);
	if (change->has_ttl)
		change->ttl_s = json_in_int(&in, "ttl_s", 0, ARTIFACT_TTL_MAX_S);
	if (change->has_keep_last)
		change->keep_last =
			(int32_t)json_in_int(&in, "keep_last", 0, ARTIFACT_KEEP_LAST_MAX);
	change->tags = read_tags(&in, &change->tag_count);
	return json_in_end(&in);
}

err_t artifact_edit_api_patch(struct request *q)
{
	struct artifact_collection_change change;
	struct artifact_target target;
	struct json_out o;
	err_t e = read_collection(q, &change);

	if (!e)
		e = artifact_query_collection(q, &target);
	if (!e)
		e = artifact_edit_collection(q, &target, &change);
	if (e)
		return e;
	o = reply_json(q);
	return artifact_json_collections(q, &o, target.collection, 1);
}

/* ---- versions --------------------------------------------------------------------------------------- */

static err_t read_version(struct request *q, struct artifact_change *change)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*change = (struct artifact_change){
		.has_description = json_in_has(&in, "description"),
		.has_metadata = json_in_has(&in, "metadata"),
		.has_tags = json_in_has(&in, "tags"),
		.has_ttl = json_in_has(&in, "ttl_s"),
		.ttl_s = ARTIFACT_TTL_INHERIT,
	};
	if (change->has_description)
		change->description = text_or_null(&in, "description", ARTIFACT_DESCRIPTION_MAX);
	if (change->has_metadata)
		change->metadata = artifact_query_metadata(&in, "metadata");
	if (change->has_ttl)
		change->ttl_s =
			json_in_int_or(&in, "ttl_s", 0, ARTIFACT_TTL_MAX_S, ARTIFACT_TTL_INHERIT);
	change->tags = read_tags(&in, &change->tag_count);
	return json_in_end(&in);
}

err_t artifact_edit_api_patch_version(struct request *q)
{
	struct artifact_target target;
	struct artifact_change change;
	err_t e = read_version(q, &change);

	if (!e)
		e = artifact_query_version(q, &target);
	if (!e)
		e = artifact_target_source(q, ACCESS_WRITE, &target);
	if (!e)
		e = artifact_edit(q, &target, &change);
	return e ? e : artifact_json_reply(q, &target);
}

/* ---- aliases ----------------------------------------------------------------------------------------- */

static err_t change_alias(struct request *q, bool adds)
{
	const struct str alias = request_param(q, "alias");
	const struct artifact_alias_change change = {
		.added = &alias,
		.added_count = adds,
		.removed = &alias,
		.removed_count = !adds,
	};
	struct artifact_target target;
	err_t e = artifact_alias_check(q->arena, "alias", alias);

	if (!e)
		e = artifact_query_version(q, &target);
	return e ? e : artifact_edit_aliases(q, &target, &change);
}

err_t artifact_edit_api_put_alias(struct request *q)
{
	return change_alias(q, true);
}

err_t artifact_edit_api_delete_alias(struct request *q)
{
	return change_alias(q, false);
}

/* ---- links -------------------------------------------------------------------------------------------- */

static err_t read_link(struct request *q, struct str *ret_source, struct artifact_link_asked *asked)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*ret_source = json_in_text(&in, "source", ADDRESS_BYTES);
	*asked = (struct artifact_link_asked){ .portfolio = request_param(q, "collection") };
	asked->aliases = json_in_texts(&in, "aliases", ARTIFACT_ALIASES_MAX, NAME_BYTES,
				       &asked->alias_count);
	return json_in_end(&in);
}

err_t artifact_edit_api_link(struct request *q)
{
	struct artifact_link_asked asked;
	struct artifact_target target;
	struct artifact_target source;
	struct str address;
	err_t e = read_link(q, &address, &asked);

	if (!e)
		e = artifact_query_address(q, "source", address, &source);
	if (e)
		return e;
	asked.artifact = source.artifact;
	e = artifact_link_to(q, &asked, &target);
	return e ? e : artifact_json_reply(q, &target);
}

/* ---- deletion -------------------------------------------------------------------------------------------- */

static void write_held(struct json_out *o, const struct artifact_freed *freed)
{
	json_out_key(o, "held_by");
	json_out_array(o);
	for (size_t i = 0; i < freed->held_count; i++) {
		json_out_object(o);
		json_out_put_text(o, "reason", str_of(freed->held[i].kind));
		json_out_put_text(o, "name", freed->held[i].name);
		json_out_object_end(o);
	}
	json_out_array_end(o);
}

static void reply_freed(struct request *q, enum artifact_delete_mode mode,
			const struct artifact_freed *freed, struct str restore)
{
	const bool is_done = mode == ARTIFACT_DELETE_DO;
	struct json_out o = reply_json(q);

	json_out_object(&o);
	json_out_put_bool(&o, "deleted", is_done);
	json_out_put_int(&o, "versions", freed->versions);
	json_out_put_int(&o, "files", freed->files);
	json_out_put_int(&o, "bytes", freed->size_bytes);
	json_out_put_int_or_null(&o, "freed_bytes", freed->is_counted, freed->only_here);
	write_held(&o, freed);
	json_out_put_time(&o, "freed_by", is_done ? freed->freed_by : (timestamp_us){ 0 });
	json_out_put_text(&o, "restore", is_done ? restore : (struct str){ NULL, 0 });
	json_out_put_time(&o, "restore_until", is_done ? freed->undo_until : (timestamp_us){ 0 });
	json_out_object_end(&o);
}

static err_t read_mode(struct request *q, enum artifact_delete_mode *ret_mode)
{
	bool is_dry;
	err_t e = request_query_bool(q, "dry_run", &is_dry);

	*ret_mode = is_dry ? ARTIFACT_DELETE_ASK : ARTIFACT_DELETE_DO;
	return e;
}

err_t artifact_edit_api_delete(struct request *q)
{
	struct artifact_freed *freed = arena_new_of(q->arena, struct artifact_freed);
	enum artifact_delete_mode mode;
	struct artifact_target target;
	struct artifact_id id;
	err_t e = read_mode(q, &mode);

	if (!e)
		e = artifact_query_collection(q, &target);
	if (!e)
		e = artifact_delete_collection(q, &target, mode, freed);
	if (e)
		return e;
	id = (struct artifact_id){ target.collection->project_id,
				   target.collection->collection_id };
	reply_freed(q, mode, freed, artifact_id_write(q->arena, ARTIFACT_ID_COLLECTION, id));
	return NULL;
}

/* A link is removed: nothing is freed. */
static err_t remove_link(struct request *q, enum artifact_delete_mode mode,
			 const struct artifact_target *target)
{
	struct artifact_freed *freed = arena_new_of(q->arena, struct artifact_freed);
	err_t e = mode == ARTIFACT_DELETE_DO ? artifact_unlink(q, target) : NULL;

	freed->is_counted = mode == ARTIFACT_DELETE_ASK;
	if (!e)
		reply_freed(q, mode, freed, (struct str){ NULL, 0 });
	return e;
}

static err_t delete_version(struct request *q, enum artifact_delete_mode mode, bool with_aliases,
			    const struct artifact_target *target)
{
	struct artifact_freed *freed = arena_new_of(q->arena, struct artifact_freed);
	const struct artifact_id id = { target->artifact->project_id,
					target->artifact->artifact_id };
	err_t e = artifact_delete(q, target,
				  with_aliases ? ARTIFACT_DELETE_ALIASED : ARTIFACT_KEEP_ALIASED,
				  mode, freed);

	if (!e)
		reply_freed(q, mode, freed, artifact_id_write(q->arena, ARTIFACT_ID_VERSION, id));
	return e;
}

err_t artifact_edit_api_delete_version(struct request *q)
{
	enum artifact_delete_mode mode;
	struct artifact_target target;
	bool with_aliases;
	err_t e = read_mode(q, &mode);

	if (!e)
		e = request_query_bool(q, "aliases", &with_aliases);
	if (!e)
		e = artifact_query_version(q, &target);
	if (e)
		return e;
	return target.collection->kind == ARTIFACT_PORTFOLIO
		       ? remove_link(q, mode, &target)
		       : delete_version(q, mode, with_aliases, &target);
}

static err_t read_restore(struct request *q, struct str *ret_id)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*ret_id = json_in_text(&in, "restore", ID_BYTES);
	return json_in_end(&in);
}

err_t artifact_edit_api_restore(struct request *q)
{
	struct artifact_target target;
	struct artifact_id id;
	struct str text;
	bool is_version;
	err_t e = read_restore(q, &text);

	if (e)
		return e;
	is_version = artifact_id_read(ARTIFACT_ID_VERSION, text, &id);
	if ((!is_version && !artifact_id_read(ARTIFACT_ID_COLLECTION, text, &id)) ||
	    id.project_id != q->target->project_id)
		return err_field(q->arena, ERR_INVALID, "restore",
				 "expected the \"restore\" of the response to a deletion in this "
				 "project");
	e = is_version ? artifact_target_id(q, text, ACCESS_WRITE, &target)
		       : artifact_target_collection_id(q, text, ACCESS_WRITE, &target);
	if (e)
		return e;
	return is_version ? artifact_restore(q, &target) : artifact_restore_collection(q, &target);
}
