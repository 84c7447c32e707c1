#include "wandb_files.h"

#include "arena.h"
#include "sdk_role.h"
#include "wandb.h"
#include "wandb_id.h"
#include "wandb_input.h"
#include "wandb_writer.h"

struct created {
	struct str run_id;
	const struct json_doc *names;
};

struct file {
	struct str name;
};

static err_t no_headers(struct gql_call *call)
{
	json_out_array(call->out);
	json_out_array_end(call->out);
	return NULL;
}

/* As many as were asked for: the client gives up for another number. */
static err_t created_files(struct gql_call *call)
{
	const struct created *created = call->parent;
	struct file *files = arena_new_array(call->arena, struct file, created->names->count + 1);

	for (size_t i = 0; i < created->names->count; i++)
		files[i].name = created->names->items[i]->text;
	gql_give_list(call, files, created->names->count, sizeof(files[0]));
	return NULL;
}

/* Null: the client leaves the file where it is. */
static err_t no_url(struct gql_call *call)
{
	(void)call;
	return NULL;
}

static const struct gql_field file_fields[] = {
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct file, name),
	GQL_VALUE_FIELD("uploadUrl", NULL, no_url),
};
static const struct gql_type file_type = GQL_TYPE("RunFile", file_fields);

static const struct gql_field created_fields[] = {
	GQL_MEMBER("runID", GQL_TEXT_MEMBER, struct created, run_id),
	GQL_VALUE_FIELD("uploadHeaders", NULL, no_headers),
	GQL_OBJECT_FIELD("files", NULL, created_files, &file_type),
};
const struct gql_type wandb_created_files_type = GQL_TYPE("CreateRunFilesPayload", created_fields);

/* Which files a process writes tells its role and its label. */
static err_t learn(struct wandb *w, const struct json_doc *names)
{
	struct str label = STR("");
	bool is_primary = false;

	for (size_t i = 0; i < names->count; i++) {
		struct str told = sdk_role_file_label(names->items[i]->text);

		is_primary = is_primary || sdk_role_file_is_of_primary(names->items[i]->text);
		if (told.len)
			label = told;
	}
	return wandb_writer_learn(w->q, w->client, is_primary, label);
}

err_t wandb_create_files(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	const struct json_doc *names = json_doc_get_named(input, "files");
	struct created *created = arena_new_of(call->arena, struct created);
	struct wandb *w = wandb_of(call);
	struct auth_ask ask = {
		.access = ACCESS_WRITE,
		.entity = wandb_input_text(input, "entityName"),
		.project = wandb_input_text(input, "projectName"),
		.run = wandb_input_text(input, "runName"),
	};
	err_t e = wandb_target(w, &ask);

	if (e)
		return e;
	if (!json_doc_is(names, JSON_KIND_ARRAY))
		return err_field(call->arena, ERR_INVALID, "files", "a list of names is expected");
	e = learn(w, names);
	if (e)
		return e;
	created->names = names;
	created->run_id = wandb_id_of_run(call->arena, w->q->target->entity, w->q->target->project,
					  w->q->target->run);
	gql_give(call, created);
	return NULL;
}
