#include "wandb_artifact_filter.h"

#include <string.h>

#include "arena.h"
#include "artifact.h"
#include "artifact_store.h"
#include "wandb_filter.h"

#define COMMITTED "COMMITTED"

static err_t metadata_of(struct arena *a, struct str text, struct str path,
			 const struct json_doc **ret_value)
{
	const struct json_doc *value;
	err_t e;

	*ret_value = NULL;
	if (!text.at)
		return NULL;
	e = json_doc_parse(a, text, &value);
	while (!e && value && path.len)
		value = json_doc_get(value, str_cut(&path, '.'));
	if (!e)
		*ret_value = value;
	return e;
}

static err_t value_of(struct arena *a, const void *item, struct str key,
		      const struct json_doc **ret_value)
{
	const struct wandb_artifact *artifact = item;
	const struct artifact *row = artifact->row;
	const struct wandb_member *member = artifact->member;

	if (str_starts(key, "metadata."))
		return metadata_of(a, row->metadata,
				   (struct str){ key.at + strlen("metadata."),
						 key.len - strlen("metadata.") },
				   ret_value);
	if (str_starts(key, "tag"))
		return json_doc_parse(a, row->tags, ret_value);
	if (str_starts(key, "alias"))
		return json_doc_parse(a, member ? member->row->aliases : row->aliases, ret_value);
	if (str_is(key, "state"))
		*ret_value = json_doc_text(a, STR(COMMITTED));
	else if (str_is(key, "digest"))
		*ret_value = json_doc_text(a, row->digest);
	else if (str_starts(key, "version"))
		*ret_value = json_doc_of_int64(a, member ? member->row->version : row->version);
	else
		*ret_value = wandb_filter_time(a, row->created_at);
	return NULL;
}

static const struct wandb_filter filter_of_versions = {
	.names =
		"state digest version_index versionIndex created_at createdAt tags tag aliases alias",
	.prefix = "metadata.",
	.shown = "state, digest, version_index, created_at, tags, aliases or metadata.NAME",
	.value_of = value_of,
};

/* The SDK asks for committed versions unless it is told otherwise. */
static bool is_plain(const struct json_doc *doc)
{
	const struct json_doc *state = json_doc_get_named(doc, "state");

	return doc->count == 1 && json_doc_is(state, JSON_KIND_STRING) &&
	       str_is(state->text, COMMITTED);
}

err_t wandb_artifact_filter_read(struct gql_call *call, struct wandb_artifact_filter *ret_filter)
{
	err_t e = wandb_filter_read(call, &filter_of_versions, &ret_filter->doc);

	if (!e && ret_filter->doc && is_plain(ret_filter->doc))
		ret_filter->doc = NULL;
	return e;
}

err_t wandb_artifact_filter_match(struct arena *a, const struct wandb_artifact_filter *filter,
				  const struct wandb_artifact *artifact, bool *ret_matches)
{
	return wandb_filter_match(a, &filter_of_versions, filter->doc, artifact, ret_matches);
}
