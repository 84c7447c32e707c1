#include "wandb_artifact_multipart.h"

#include "arena.h"
#include "artifact_digest.h"
#include "artifact_multipart.h"
#include "artifact_target.h"
#include "artifact_upload.h"
#include "auth.h"
#include "json_doc.h"
#include "wandb.h"
#include "wandb_input.h"

struct completed {
	struct str digest;
};

static const struct gql_field completed_fields[] = {
	GQL_MEMBER("digest", GQL_TEXT_MEMBER, struct completed, digest),
};
const struct gql_type wandb_completed_multipart_type =
	GQL_TYPE("CompleteMultipartUploadArtifactPayload", completed_fields);

static err_t read_parts(struct gql_call *call, const struct json_doc *parts,
			struct sent_part **ret_parts)
{
	struct sent_part *sent;

	if (!json_doc_is(parts, JSON_KIND_ARRAY) || parts->count > ARTIFACT_PARTS_MAX)
		return err_field(call->arena, ERR_INVALID, "completedParts",
				 "expected a list of at most %d parts", ARTIFACT_PARTS_MAX);
	sent = arena_new_array(call->arena, struct sent_part, parts->count + 1);
	for (size_t i = 0; i < parts->count; i++) {
		const struct json_doc *number = json_doc_get_named(parts->items[i], "partNumber");

		sent[i].etag = wandb_input_text(parts->items[i], "hexMD5");
		if (!json_doc_int64(number, &sent[i].part) || !sent[i].etag.at)
			return err_field(call->arena, ERR_INVALID,
					 arena_printf(call->arena, "completedParts[%zu]", i),
					 "expected \"partNumber\" and \"hexMD5\"");
	}
	*ret_parts = sent;
	return NULL;
}

/* The upload is of the project of the artifact that the client names, which it may write. */
static err_t find_upload(struct gql_call *call, const struct json_doc *input, int64_t *ret_upload)
{
	struct request *q = wandb_of(call)->q;
	struct artifact_target target;
	struct artifact_id id;
	err_t e =
		artifact_target_id(q, wandb_input_text(input, "artifactID"), ACCESS_WRITE, &target);

	if (e)
		return e;
	if (!artifact_id_read(ARTIFACT_ID_UPLOAD, wandb_input_text(input, "uploadID"), &id) ||
	    id.project_id != q->target->project_id)
		return err_field(call->arena, ERR_INVALID, "uploadID", "invalid id of an upload");
	*ret_upload = id.number;
	return NULL;
}

err_t wandb_complete_multipart(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	const struct json_doc *parts = json_doc_get_named(input, "completedParts");
	struct completed *completed = arena_new_of(call->arena, struct completed);
	struct sent_part *sent;
	int64_t upload_id;
	struct str md5;
	err_t e;

	if (!str_is(wandb_input_text(input, "completeMultipartAction"), "Complete"))
		return err_field(call->arena, ERR_INVALID, "completeMultipartAction",
				 "expected \"Complete\"");
	e = read_parts(call, parts, &sent);
	if (!e)
		e = find_upload(call, input, &upload_id);
	if (!e)
		e = artifact_multipart_complete(wandb_of(call)->q, upload_id, sent, parts->count,
						&md5);
	if (e)
		return e;
	completed->digest = artifact_md5_write(call->arena, md5);
	gql_give(call, completed);
	return NULL;
}
