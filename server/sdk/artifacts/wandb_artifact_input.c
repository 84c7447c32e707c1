#include "wandb_artifact_input.h"

#include "arena.h"
#include "artifact_store.h"
#include "wandb_input.h"

const struct json_doc *wandb_artifact_input(const struct gql_call *call)
{
	return json_doc_get_named(call->args, "input");
}

struct str wandb_artifact_input_text(const struct gql_call *call, const char *name)
{
	return wandb_input_text(wandb_artifact_input(call), name);
}

err_t wandb_artifact_input_texts(const struct gql_call *call, const char *list, const char *name,
				 struct wandb_texts *ret_texts)
{
	const struct json_doc *items = json_doc_get_named(wandb_artifact_input(call), list);
	struct str *texts;

	*ret_texts = (struct wandb_texts){ NULL, 0 };
	if (!items || json_doc_is(items, JSON_KIND_NULL))
		return NULL;
	if (!json_doc_is(items, JSON_KIND_ARRAY) || items->count > ARTIFACT_ALIASES_MAX)
		return err_field(call->arena, ERR_INVALID, list,
				 "invalid %s: expected a list of at most %d objects", list,
				 ARTIFACT_ALIASES_MAX);
	texts = arena_new_array(call->arena, struct str, items->count + 1);
	for (size_t i = 0; i < items->count; i++) {
		texts[i] = wandb_input_text(items->items[i], name);
		if (!texts[i].at)
			return err_field(call->arena, ERR_INVALID, list, "\"%s\" is missing", name);
	}
	*ret_texts = (struct wandb_texts){ texts, items->count };
	return NULL;
}

err_t wandb_artifact_input_member(struct request *q, struct artifact *artifact,
				  struct artifact_target *target)
{
	target->artifact = artifact;
	return artifact_store_find_link(q->db, target->collection->project_id,
					target->collection->collection_id, artifact->project_id,
					artifact->artifact_id, &target->member);
}
