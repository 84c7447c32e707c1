/*
 * The SDK makes a manifest before it uploads files, with no digest yet. It then makes a second one with the digest (FULL),
 * or sets the digest of the first (INCREMENTAL, PATCH), and sends the JSON.
 */
#include "wandb_artifact_manifest.h"

#include "arena.h"
#include "artifact_digest.h"
#include "artifact_make.h"
#include "artifact_target.h"
#include "artifact_url.h"
#include "entry_store.h"
#include "json_doc.h"
#include "wandb.h"
#include "wandb_change.h"
#include "wandb_input.h"
#include "wandb_list.h"

struct manifest {
	struct str id;
	struct str name; /* of its file */
	const struct artifact_manifest *row;
};

/* ---- the answer --------------------------------------------------------------------------------------- */

/* Null until the digest is known: what is sent is checked against it. */
static err_t upload_url(struct gql_call *call)
{
	const struct artifact_manifest *row = ((const struct manifest *)call->parent)->row;
	const struct artifact_url url = {
		.use = SIGNED_MANIFEST_WRITE,
		.project_id = row->project_id,
		.number = row->manifest_id,
	};
	struct wandb *w = wandb_of(call);
	struct str text;
	err_t e;

	if (!row->md5.len)
		return NULL;
	e = wandb_now(w);
	if (!e)
		e = artifact_url(w->q, &url, &text);
	if (!e)
		json_out_text(call->out, text);
	return e;
}

static err_t upload_headers(struct gql_call *call)
{
	json_out_array(call->out);
	json_out_array_end(call->out);
	return NULL;
}

static const struct gql_field file_fields[] = {
	GQL_MEMBER("id", GQL_TEXT_MEMBER, struct manifest, id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct manifest, name),
	GQL_MEMBER("displayName", GQL_TEXT_MEMBER, struct manifest, name),
	GQL_VALUE_FIELD("uploadUrl", NULL, upload_url),
	GQL_VALUE_FIELD("uploadHeaders", NULL, upload_headers),
};
static const struct gql_type file_type = GQL_TYPE("ManifestUpload", file_fields);

static const struct gql_field manifest_fields[] = {
	GQL_MEMBER("id", GQL_TEXT_MEMBER, struct manifest, id),
	GQL_OBJECT_FIELD("file", NULL, wandb_list_node, &file_type),
};
static const struct gql_type manifest_type = GQL_TYPE("MadeArtifactManifest", manifest_fields);

static const struct gql_field made_fields[] = {
	GQL_OBJECT_FIELD("artifactManifest", NULL, wandb_list_node, &manifest_type),
};
const struct gql_type wandb_made_manifest_type = GQL_TYPE("ArtifactManifestPayload", made_fields);

static const struct {
	const char *type;
	const char *file;
} kinds[] = {
	[ARTIFACT_MANIFEST_WHOLE] = { "FULL", "wandb_manifest.json" },
	[ARTIFACT_MANIFEST_ADDED] = { "INCREMENTAL", "wandb_manifest.incremental.json" },
	[ARTIFACT_MANIFEST_PART] = { "PATCH", "wandb_manifest.patch.json" },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void give(struct gql_call *call, const struct artifact_manifest *row)
{
	const struct artifact_id id = { row->project_id, row->manifest_id };
	struct manifest *manifest = arena_new_of(call->arena, struct manifest);

	*manifest = (struct manifest){
		.id = artifact_id_write(call->arena, ARTIFACT_ID_MANIFEST, id),
		.name = str_of(row->kind < KINDS ? kinds[row->kind].file : NULL),
		.row = row,
	};
	gql_give(call, manifest);
}

/* ---- what is asked ------------------------------------------------------------------------------------ */

static err_t read_kind(struct gql_call *call, const struct json_doc *input,
		       enum artifact_manifest_kind *ret_kind)
{
	struct str type = wandb_input_text(input, "type");

	*ret_kind = ARTIFACT_MANIFEST_WHOLE;
	if (!type.len)
		return NULL;
	for (int kind = ARTIFACT_MANIFEST_WHOLE; kind < KINDS; kind++) {
		*ret_kind = (enum artifact_manifest_kind)kind;
		if (str_is(type, kinds[kind].type))
			return NULL;
	}
	return err_field(call->arena, ERR_INVALID, "type",
			 "invalid manifest type \"%.*s\": expected FULL, INCREMENTAL or PATCH",
			 STR_ARG(type));
}

/* The MD5 of the JSON in base64; empty: not known yet. */
static err_t read_md5(struct gql_call *call, const struct json_doc *input, struct str *ret_md5)
{
	unsigned char *md5 = arena_alloc(call->arena, ARTIFACT_MD5_SIZE);
	struct str digest = wandb_input_text(input, "digest");

	*ret_md5 = STR("");
	if (!digest.len)
		return NULL;
	if (!artifact_md5_read(digest, md5))
		return err_field(
			call->arena, ERR_INVALID, "digest",
			"invalid digest \"%.*s\": expected the MD5 of the manifest in base64",
			STR_ARG(digest));
	*ret_md5 = (struct str){ (const char *)md5, ARTIFACT_MD5_SIZE };
	return NULL;
}

/* The SDK names the newest version as the base of a whole manifest, too, where it means nothing. */
static err_t read_base(struct gql_call *call, const struct json_doc *input, int64_t project_id,
		       int64_t *ret_base_id)
{
	struct str text = wandb_input_text(input, "baseArtifactID");
	struct artifact_id id;

	*ret_base_id = 0;
	if (!text.len)
		return NULL;
	if (!artifact_id_read(ARTIFACT_ID_VERSION, text, &id))
		return err_field(call->arena, ERR_INVALID, "baseArtifactID", "invalid artifact id");
	if (id.project_id != project_id)
		return err_field(call->arena, ERR_INVALID, "baseArtifactID",
				 "the base must be a version of the same project");
	*ret_base_id = id.number;
	return NULL;
}

static err_t read_asked(struct gql_call *call, const struct json_doc *input,
			struct artifact_manifest_asked *ret_asked)
{
	int64_t project_id = wandb_of(call)->q->target->project_id;
	err_t e;

	*ret_asked = (struct artifact_manifest_asked){ .base_id = 0 };
	e = read_kind(call, input, &ret_asked->kind);
	if (!e)
		e = read_md5(call, input, &ret_asked->md5);
	if (!e && ret_asked->kind != ARTIFACT_MANIFEST_WHOLE)
		e = read_base(call, input, project_id, &ret_asked->base_id);
	return e;
}

/* ---- changes ------------------------------------------------------------------------------------------ */

struct change {
	const struct artifact *draft;
	int64_t manifest_id; /* 0: a new one */
	struct artifact_manifest_asked asked;
	struct artifact_manifest **ret_row;
};

static err_t save(struct request *q, const void *what)
{
	const struct change *c = what;

	if (!c->manifest_id)
		return artifact_make_manifest(q, c->draft, &c->asked, c->ret_row);
	return artifact_ask_manifest(q, c->draft, c->manifest_id, &c->asked, c->ret_row);
}

err_t wandb_create_artifact_manifest(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	struct request *q = wandb_of(call)->q;
	struct artifact_manifest *row;
	struct artifact_target target;
	struct change change = { .manifest_id = 0, .ret_row = &row };
	err_t e =
		artifact_target_id(q, wandb_input_text(input, "artifactID"), ACCESS_WRITE, &target);

	if (!e)
		e = read_asked(call, input, &change.asked);
	if (e)
		return e;
	change.draft = target.artifact;
	e = wandb_change(q, save, &change);
	if (!e)
		give(call, row);
	return e;
}

/* ---- updateArtifactManifest: what is not said stays as it is ------------------------------------------- */

/* A manifest that does not exist is answered as an artifact that does not. */
static err_t find(struct gql_call *call, struct str text, struct artifact_target *ret_target,
		  struct artifact_manifest **ret_row)
{
	struct request *q = wandb_of(call)->q;
	struct artifact_id id = { 0, 0 };
	err_t e = NULL;

	*ret_row = NULL;
	if (artifact_id_read(ARTIFACT_ID_MANIFEST, text, &id))
		e = entry_store_find_manifest(q->db, id.project_id, id.number, ret_row);
	if (e)
		return e;
	id.number = *ret_row ? (*ret_row)->artifact_id : 0;
	return artifact_target_number(q, &id, ACCESS_WRITE, ret_target);
}

static err_t read_update(struct gql_call *call, const struct json_doc *input,
			 const struct artifact_manifest *row,
			 struct artifact_manifest_asked *ret_asked)
{
	err_t e;

	*ret_asked = (struct artifact_manifest_asked){
		.kind = (enum artifact_manifest_kind)row->kind,
	};
	e = read_md5(call, input, &ret_asked->md5);
	if (!e)
		e = read_base(call, input, row->project_id, &ret_asked->base_id);
	if (!ret_asked->md5.len)
		ret_asked->md5 = row->md5;
	if (!ret_asked->base_id)
		ret_asked->base_id = row->base_id;
	return e;
}

err_t wandb_update_artifact_manifest(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	struct request *q = wandb_of(call)->q;
	struct artifact_manifest *row;
	struct artifact_target target;
	struct change change = { .ret_row = &row };
	err_t e = find(call, wandb_input_text(input, "artifactManifestID"), &target, &row);

	if (!e)
		e = read_update(call, input, row, &change.asked);
	if (e)
		return e;
	change.draft = target.artifact;
	change.manifest_id = row->manifest_id;
	e = wandb_change(q, save, &change);
	if (!e)
		give(call, row);
	return e;
}
