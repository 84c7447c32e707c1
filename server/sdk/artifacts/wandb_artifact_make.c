/*
 * The SDK asks for a version by createArtifact, sends its files and its manifest (wandb_artifact_upload.c,
 * wandb_artifact_manifest.c), and ends by commitArtifact. It repeats each of them after a timeout.
 */
#include "wandb_artifact_make.h"

#include "arena.h"
#include "artifact_commit.h"
#include "artifact_make.h"
#include "artifact_target.h"
#include "json_doc.h"
#include "run_target.h"
#include "wandb.h"
#include "wandb_artifact_collection.h"
#include "wandb_change.h"
#include "wandb_input.h"
#include "wandb_list.h"

/* The object of the answer is the artifact itself. */
static const struct gql_field made_fields[] = {
	GQL_OBJECT_FIELD("artifact", NULL, wandb_list_node, &wandb_artifact_type),
};
/* Core asks for a fragment on the name of the first. */
const struct gql_type wandb_made_artifact_type = GQL_TYPE("CreateArtifactPayload", made_fields);
const struct gql_type wandb_named_artifact_type = GQL_TYPE("ArtifactPayload", made_fields);

/* ---- what is asked ------------------------------------------------------------------------------------ */

enum { TTL_INHERITED = -1, TTL_NEVER = -2 };

#define DIGEST_ALGORITHM "MANIFEST_MD5"

/* Up to 0.19 a list with one name. */
static err_t read_collection(struct gql_call *call, const struct json_doc *input,
			     struct str *ret_name)
{
	const struct json_doc *names = json_doc_get_named(input, "artifactCollectionNames");

	*ret_name = wandb_input_text(input, "artifactCollectionName");
	if (!ret_name->len && json_doc_is(names, JSON_KIND_ARRAY) && names->count)
		*ret_name = names->items[0]->text;
	if (ret_name->len)
		return NULL;
	return err_field(call->arena, ERR_INVALID, "artifactCollectionName",
			 "\"artifactCollectionName\" is missing");
}

struct texts {
	const struct str *at;
	size_t count;
};

/* A list of objects, of each of which one member is a text. */
static err_t read_texts(struct gql_call *call, const struct json_doc *input, const char *list,
			const char *member, size_t max, struct texts *ret_texts)
{
	const struct json_doc *items = json_doc_get_named(input, list);
	struct str *texts;

	*ret_texts = (struct texts){ NULL, 0 };
	if (!json_doc_is(items, JSON_KIND_ARRAY))
		return NULL;
	if (items->count > max)
		return err_field(call->arena, ERR_INVALID, list,
				 "\"%s\" has %zu items: send at most %zu", list, items->count, max);
	texts = arena_new_array(call->arena, struct str, items->count + 1);
	for (size_t i = 0; i < items->count; i++)
		texts[i] = wandb_input_text(items->items[i], member);
	*ret_texts = (struct texts){ texts, items->count };
	return NULL;
}

static err_t read_lists(struct gql_call *call, const struct json_doc *input,
			struct artifact_asked *asked)
{
	struct texts tags, aliases;
	err_t e = read_texts(call, input, "tags", "tagName", ARTIFACT_TAGS_MAX, &tags);

	if (!e)
		e = read_texts(call, input, "aliases", "alias", ARTIFACT_ALIASES_MAX, &aliases);
	if (e)
		return e;
	asked->tags = tags.at;
	asked->tag_count = tags.count;
	asked->aliases = aliases.at;
	asked->alias_count = aliases.count;
	return NULL;
}

/* Null is the same as -1. */
static err_t read_ttl(struct gql_call *call, const struct json_doc *input, int64_t *ret_ttl_s)
{
	const struct json_doc *value = json_doc_get_named(input, "ttlDurationSeconds");
	int64_t ttl_s = TTL_INHERITED;

	if (value && !json_doc_is(value, JSON_KIND_NULL) && !json_doc_int64(value, &ttl_s))
		return err_field(call->arena, ERR_INVALID, "ttlDurationSeconds",
				 "\"ttlDurationSeconds\" must be a whole number");
	*ret_ttl_s = ttl_s == TTL_NEVER ? ARTIFACT_TTL_NONE : ttl_s;
	if (ttl_s == TTL_INHERITED)
		*ret_ttl_s = ARTIFACT_TTL_INHERIT;
	return ttl_s ? NULL
		     : err_field(call->arena, ERR_INVALID, "ttlDurationSeconds",
				 "invalid \"ttlDurationSeconds\": expected seconds, -1 (as the "
				 "collection) or -2 (never)");
}

static err_t read_algorithm(struct gql_call *call, const struct json_doc *input)
{
	struct str name = wandb_input_text(input, "digestAlgorithm");

	if (!name.len || str_is(name, DIGEST_ALGORITHM))
		return NULL;
	return err_field(call->arena, ERR_INVALID, "digestAlgorithm",
			 "invalid digest algorithm \"%.*s\": expected " DIGEST_ALGORITHM,
			 STR_ARG(name));
}

static bool read_bool(const struct json_doc *input, const char *name)
{
	const struct json_doc *value = json_doc_get_named(input, name);

	return json_doc_is(value, JSON_KIND_BOOL) && value->truth;
}

static err_t read_asked(struct gql_call *call, const struct json_doc *input,
			struct artifact_asked *asked)
{
	err_t e;

	*asked = (struct artifact_asked){
		.type = wandb_input_text(input, "artifactTypeName"),
		.digest = wandb_input_text(input, "digest"),
		.description = wandb_input_text(input, "description"),
		.metadata = wandb_input_text(input, "metadata"),
		.dedupes = read_bool(input, "enableDigestDeduplication"),
		.distributed = wandb_input_text(input, "distributedID"),
		.region = wandb_input_text(input, "storageRegion"),
		.client = wandb_input_text(input, "clientID"),
		.client_sequence = wandb_input_text(input, "sequenceClientID"),
	};
	asked->has_history_step =
		json_doc_int64(json_doc_get_named(input, "historyStep"), &asked->history_step);
	e = read_collection(call, input, &asked->collection);
	if (!e)
		e = read_algorithm(call, input);
	if (!e)
		e = read_ttl(call, input, &asked->ttl_s);
	return e ? e : read_lists(call, input, asked);
}

/* A version that is made for run.use_artifact() names no run: nothing wrote it. */
static err_t find_place(struct gql_call *call, const struct json_doc *input)
{
	const struct auth_ask ask = {
		.access = ACCESS_WRITE,
		.flags = ROUTE_MAKES,
		.entity = wandb_input_text(input, "entityName"),
		.project = wandb_input_text(input, "projectName"),
		.run = wandb_input_text(input, "runName"),
	};
	struct wandb *w = wandb_of(call);
	err_t e;

	if (!ask.project.len)
		return err_field(call->arena, ERR_INVALID, "projectName",
				 "\"projectName\" is missing");
	e = wandb_target(w, &ask);
	if (!e && ask.run.len && !w->q->target->run_id)
		return err_field(call->arena, ERR_NOT_FOUND, "runName",
				 "the run \"%.*s\" does not exist", STR_ARG(ask.run));
	return e;
}

err_t wandb_create_artifact(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	struct request *q = wandb_of(call)->q;
	struct artifact_asked asked;
	struct artifact_made made;
	err_t e = find_place(call, input);

	if (!e)
		e = read_asked(call, input, &asked);
	if (!e)
		e = artifact_make(q, &asked, &made);
	if (!e)
		gql_give(call, wandb_artifact_of(call->arena, q->target, made.artifact));
	return e;
}

/* ---- its end ------------------------------------------------------------------------------------------ */

err_t wandb_commit_artifact(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	struct request *q = wandb_of(call)->q;
	struct artifact_target target;
	struct artifact *artifact;
	err_t e =
		artifact_target_id(q, wandb_input_text(input, "artifactID"), ACCESS_WRITE, &target);

	if (!e)
		e = artifact_commit(q, &target, &artifact);
	if (!e)
		gql_give(call, wandb_artifact_of(call->arena, q->target, artifact));
	return e;
}

/* ---- the client's own ids ----------------------------------------------------------------------------- */

struct client_id {
	struct str server;
};

static const struct gql_field client_id_fields[] = {
	GQL_MEMBER("serverID", GQL_TEXT_MEMBER, struct client_id, server),
};
const struct gql_type wandb_client_id_type = GQL_TYPE("ClientIDMapping", client_id_fields);

static bool is_absence(err_t e)
{
	return e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE || e->kind == ERR_INVALID ||
	       e->kind == ERR_FORBIDDEN;
}

/* Drafts are found, too: versions refer to each other before either is committed. */
err_t wandb_client_id_mapping(struct gql_call *call)
{
	struct client_id *found = arena_new_of(call->arena, struct client_id);
	struct artifact_target target;
	struct artifact_id id;
	err_t e = artifact_target_client(wandb_of(call)->q, gql_arg_text(call, "clientID"),
					 ACCESS_READ, &target);

	if (e)
		return is_absence(e) ? NULL : e;
	id = (struct artifact_id){ target.artifact->project_id, target.artifact->artifact_id };
	found->server = artifact_id_write(call->arena, ARTIFACT_ID_VERSION, id);
	gql_give(call, found);
	return NULL;
}

/* ---- types, which up to 0.19 are made by themselves --------------------------------------------------- */

struct type_words {
	struct str name;
	struct str description;
	struct target *target;
};

static err_t made_type(struct gql_call *call)
{
	const struct type_words *words = call->parent;

	wandb_artifact_kind_give(call, words->target, words->name);
	return NULL;
}

static const struct gql_field made_type_fields[] = {
	GQL_OBJECT_FIELD("artifactType", NULL, made_type, &wandb_artifact_kind_type),
};
const struct gql_type wandb_made_artifact_type_type =
	GQL_TYPE("CreateArtifactTypePayload", made_type_fields);

static err_t make_type(struct request *q, const void *what)
{
	const struct type_words *words = what;
	bool made;
	err_t e = run_target_make_project(q, &made);

	return e ? e : artifact_make_type(q, words->name, words->description);
}

err_t wandb_create_artifact_type(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	struct type_words *words = arena_new_of(call->arena, struct type_words);
	struct request *q = wandb_of(call)->q;
	err_t e = find_place(call, input);

	words->name = wandb_input_text(input, "name");
	words->description = wandb_input_text(input, "description");
	if (!e)
		e = wandb_change(q, make_type, words);
	if (e)
		return e;
	words->target = q->target;
	gql_give(call, words);
	return NULL;
}
