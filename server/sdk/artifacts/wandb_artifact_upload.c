#include "wandb_artifact_upload.h"

#include "arena.h"
#include "artifact_digest.h"
#include "artifact_target.h"
#include "artifact_upload.h"
#include "artifact_url.h"
#include "json_doc.h"
#include "wandb.h"
#include "wandb_id.h"
#include "wandb_input.h"
#include "wandb_list.h"

/* ---- the answer: as many files as were asked for, in their order --------------------------------------- */

struct file {
	struct str cursor; /* its path */
	struct str birth;  /* the id of the artifact that sent the content first */
	int64_t project_id;
	const struct artifact_told *told;
};

struct part {
	int64_t number;
	struct str url;
};

static err_t file_id(struct gql_call *call)
{
	json_out_text(call->out, wandb_id(call->arena, "ArtifactFile",
					  ((const struct file *)call->parent)->told->storage_path));
	return NULL;
}

static err_t file_storage_path(struct gql_call *call)
{
	json_out_text(call->out, ((const struct file *)call->parent)->told->storage_path);
	return NULL;
}

/* Null: the content is there. Of a file in parts it means nothing to the client, but must not be null. */
static err_t file_upload_url(struct gql_call *call)
{
	const struct artifact_told *told = ((const struct file *)call->parent)->told;

	if (told->url.at)
		json_out_text(call->out, told->url);
	return NULL;
}

static err_t no_headers(struct gql_call *call)
{
	json_out_array(call->out);
	json_out_array_end(call->out);
	return NULL;
}

static err_t file_parts(struct gql_call *call)
{
	const struct file *file = call->parent;

	if (file->told->upload_id)
		gql_give(call, file);
	return NULL;
}

static err_t upload_id(struct gql_call *call)
{
	const struct file *file = call->parent;
	const struct artifact_id id = { file->project_id, file->told->upload_id };

	json_out_text(call->out, artifact_id_write(call->arena, ARTIFACT_ID_UPLOAD, id));
	return NULL;
}

static err_t upload_parts(struct gql_call *call)
{
	const struct artifact_told *told = ((const struct file *)call->parent)->told;
	size_t count = (size_t)told->part_count;
	struct part *parts = arena_new_array(call->arena, struct part, count + 1);

	for (size_t i = 0; i < count; i++)
		parts[i] = (struct part){ (int64_t)i + 1, told->part_urls[i] };
	gql_give_list(call, parts, count, sizeof(parts[0]));
	return NULL;
}

static const struct gql_field part_fields[] = {
	GQL_MEMBER("partNumber", GQL_INT_MEMBER, struct part, number),
	GQL_MEMBER("uploadUrl", GQL_TEXT_MEMBER, struct part, url),
};
static const struct gql_type part_type = GQL_TYPE("UploadUrlPart", part_fields);

static const struct gql_field parts_fields[] = {
	GQL_VALUE_FIELD("uploadID", NULL, upload_id),
	GQL_OBJECT_FIELD("uploadUrlParts", NULL, upload_parts, &part_type),
};
static const struct gql_type parts_type = GQL_TYPE("UploadMultipartUrls", parts_fields);

static const struct gql_field birth_fields[] = {
	GQL_MEMBER("id", GQL_TEXT_MEMBER, struct file, birth),
};
static const struct gql_type birth_type = GQL_TYPE("BirthArtifact", birth_fields);

static const struct gql_field file_fields[] = {
	GQL_VALUE_FIELD("id", NULL, file_id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct file, cursor),
	GQL_MEMBER("displayName", GQL_TEXT_MEMBER, struct file, cursor),
	GQL_VALUE_FIELD("storagePath", NULL, file_storage_path),
	GQL_VALUE_FIELD("uploadUrl", NULL, file_upload_url),
	GQL_VALUE_FIELD("uploadHeaders", NULL, no_headers),
	GQL_OBJECT_FIELD("uploadMultipartUrls", NULL, file_parts, &parts_type),
	GQL_OBJECT_FIELD("artifact", NULL, wandb_list_node, &birth_type),
};
static const struct gql_type file_type = GQL_TYPE("ArtifactUpload", file_fields);
WANDB_LIST_TYPES(file, "ArtifactUpload", file_type);

static const struct gql_field made_fields[] = {
	GQL_OBJECT_FIELD("files", NULL, wandb_list_node, &file_list_type),
};
const struct gql_type wandb_made_artifact_files_type =
	GQL_TYPE("CreateArtifactFilesPayload", made_fields);

/* ---- what is asked ------------------------------------------------------------------------------------ */

static err_t wrong_file(struct gql_call *call, size_t at, const char *member, const char *what)
{
	return err_field(call->arena, ERR_INVALID,
			 arena_printf(call->arena, "artifactFiles[%zu].%s", at, member),
			 "invalid \"%s\" of a file: expected %s", member, what);
}

static err_t read_parts(struct gql_call *call, const struct json_doc *spec, size_t at,
			int32_t *ret_count)
{
	const struct json_doc *parts = json_doc_get_named(spec, "uploadPartsInput");

	*ret_count = 0;
	if (!json_doc_is(parts, JSON_KIND_ARRAY) || !parts->count)
		return NULL;
	if (parts->count > ARTIFACT_PARTS_MAX)
		return wrong_file(call, at, "uploadPartsInput", "at most 10,000 parts");
	*ret_count = (int32_t)parts->count;
	return NULL;
}

static err_t read_file(struct gql_call *call, const struct json_doc *spec, size_t at,
		       struct artifact_wanted *wanted)
{
	unsigned char *md5 = arena_alloc(call->arena, ARTIFACT_MD5_SIZE);

	wanted->path = wandb_input_text(spec, "name");
	if (!wanted->path.at)
		return wrong_file(call, at, "name", "a path");
	if (!artifact_md5_read(wandb_input_text(spec, "md5"), md5))
		return wrong_file(call, at, "md5", "an MD5 in base64");
	wanted->md5 = (struct str){ (const char *)md5, ARTIFACT_MD5_SIZE };
	return read_parts(call, spec, at, &wanted->part_count);
}

struct files {
	struct str artifact; /* the id of the draft */
	struct artifact_wanted *at;
	size_t count;
};

/* The files of one draft. */
static err_t read_files(struct gql_call *call, const struct json_doc *specs, struct files *files)
{
	err_t e = NULL;

	*files = (struct files){ .artifact = STR("") };
	if (!json_doc_is(specs, JSON_KIND_ARRAY) || !specs->count ||
	    specs->count > ARTIFACT_FILES_MAX)
		return err_field(call->arena, ERR_INVALID, "artifactFiles",
				 "expected a list of 1 to %d files", ARTIFACT_FILES_MAX);
	files->at = arena_new_array(call->arena, struct artifact_wanted, specs->count + 1);
	files->count = specs->count;
	for (size_t i = 0; i < specs->count && !e; i++) {
		struct str id = wandb_input_text(specs->items[i], "artifactID");

		if (i && !str_equal(id, files->artifact))
			return wrong_file(call, i, "artifactID", "the same id in all files");
		files->artifact = id;
		e = read_file(call, specs->items[i], i, &files->at[i]);
	}
	return e;
}

static void give_files(struct gql_call *call, const struct files *files,
		       const struct artifact *draft, const struct artifact_told *told)
{
	struct file *items = arena_new_array(call->arena, struct file, files->count + 1);
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);

	for (size_t i = 0; i < files->count; i++) {
		const struct artifact_id birth = { draft->project_id, told[i].birth_id };

		items[i] = (struct file){
			.cursor = files->at[i].path,
			.birth = artifact_id_write(call->arena, ARTIFACT_ID_VERSION, birth),
			.project_id = draft->project_id,
			.told = &told[i],
		};
	}
	*list = (struct wandb_list){ items, files->count, sizeof(items[0]), false,
				     (int64_t)files->count };
	gql_give(call, list);
}

err_t wandb_create_artifact_files(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	struct request *q = wandb_of(call)->q;
	struct artifact_target target;
	struct artifact_told *told;
	struct files files;
	err_t e = read_files(call, json_doc_get_named(input, "artifactFiles"), &files);

	if (!e)
		e = artifact_target_id(q, files.artifact, ACCESS_WRITE, &target);
	if (!e)
		e = artifact_upload_ask(q, target.artifact, files.at, files.count, &told);
	if (!e)
		give_files(call, &files, target.artifact, told);
	return e;
}
