#include "wandb_models.h"

#include "app.h"
#include "arena.h"
#include "audit_note.h"
#include "deletion.h"
#include "json_doc.h"
#include "project_store.h"
#include "run_target.h"
#include "wandb.h"
#include "wandb_change.h"
#include "wandb_id.h"
#include "wandb_input.h"
#include "wandb_list.h"
#include "wandb_project.h"

WANDB_LIST_FIELDS(project, "Project", wandb_project_type);
const struct gql_type wandb_projects_type = GQL_TYPE("ProjectConnection", project_list_fields);

enum { PROJECTS_MAX = 1000, PROJECTS_AT_ONCE = 50 };

#define CURSOR_KIND "ProjectCursor"

/* ---- lists ---------------------------------------------------------------------------------------- */

static err_t read_page(struct gql_call *call, struct project_list *which)
{
	struct str after = gql_arg_text(call, "after");
	int64_t first;
	err_t e = gql_arg_int(call, "first", 0, INT32_MAX, PROJECTS_AT_ONCE, &first);

	if (e)
		return e;
	which->limit = (first > PROJECTS_MAX ? PROJECTS_MAX : first) + 1;
	if (!after.len)
		return NULL;
	if (!wandb_id_read(call->arena, after, CURSOR_KIND, &which->after_name))
		return err_field(call->arena, ERR_INVALID, "after",
				 "invalid cursor: use \"endCursor\" of the same query");
	which->after_entity = which->entity_id ? wandb_of(call)->q->target->entity : STR("");
	return NULL;
}

/* Permissions in the entity hold for its projects; public projects can also be read. */
static struct wandb_project item_of(struct gql_call *call, const struct project *project)
{
	struct target *t = arena_copy(call->arena, wandb_of(call)->q->target, sizeof(*t));
	struct wandb_project item;

	t->project_id = project->project_id;
	t->project = project->name;
	t->visibility = (enum visibility)project->visibility;
	t->crash_after_us = project->crash_after_s * INT64_C(1000000);
	item = *wandb_project_of(call->arena, t);
	item.info = project;
	item.cursor = wandb_id(call->arena, CURSOR_KIND, project->name);
	return item;
}

static void give_projects(struct gql_call *call, const struct project *projects, size_t count,
			  size_t limit)
{
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct wandb_project *items;

	list->has_more = count == limit;
	list->count = count - list->has_more;
	list->size = sizeof(*items);
	list->total = -1;
	items = arena_new_array(call->arena, struct wandb_project, list->count + 1);
	for (size_t i = 0; i < list->count; i++)
		items[i] = item_of(call, &projects[i]);
	list->items = items;
	gql_give(call, list);
}

err_t wandb_models(struct gql_call *call)
{
	struct wandb *w = wandb_of(call);
	struct auth_ask ask = { .access = ACCESS_READ, .entity = gql_arg_text(call, "entityName") };
	struct project_list which = { .limit = 0 };
	struct project *projects;
	size_t count;
	bool there;
	err_t e = wandb_look(w, &ask, &there);

	if (e || !there)
		return e;
	which.user_id = w->q->identity->user_id;
	which.entity_id = w->q->target->entity_id;
	which.all = w->q->target->sees_private;
	e = read_page(call, &which);
	if (!e)
		e = project_store_list(w->q->db, &which, &projects, &count);
	if (!e)
		give_projects(call, projects, count, (size_t)which.limit);
	return e;
}

/* ---- making --------------------------------------------------------------------------------------- */

struct upserted {
	const struct wandb_project *project;
	bool inserted;
};

static err_t upserted_project(struct gql_call *call)
{
	gql_give(call, ((const struct upserted *)call->parent)->project);
	return NULL;
}

static const struct gql_field upserted_fields[] = {
	GQL_OBJECT_FIELD("project", NULL, upserted_project, &wandb_project_type),
	GQL_OBJECT_FIELD("model", NULL, upserted_project, &wandb_project_type),
	GQL_MEMBER("inserted", GQL_BOOL_MEMBER, struct upserted, inserted),
};
const struct gql_type wandb_upserted_model_type = GQL_TYPE("UpsertModelPayload", upserted_fields);

struct model_words {
	struct str description;
	bool is_new; /* made by the same call */
};

static err_t make_project(struct request *q, const void *what)
{
	const struct model_words *words = what;
	const struct audit_event event = {
		.action = AUDIT_PROJECT_MAKE,
		.detail = words->description.len ? STR("description") : STR(""),
	};
	bool made;
	err_t e = run_target_make_project(q, &made);

	return e || !made ? e : audit_note(q, &event);
}

static err_t describe(struct request *q, const void *what)
{
	const struct audit_event event = { .action = AUDIT_PROJECT_CHANGE,
					   .detail = STR("description") };
	const struct model_words *words = what;
	struct project *project;
	err_t e = project_store_lock(q->db, q->target->project_id, &project);

	if (e)
		return e;
	if (!project)
		return err_new(q->arena, ERR_GONE, "the project was deleted");
	if (str_equal(project->description, words->description))
		return NULL;
	project->description = words->description;
	e = project_store_save(q->db, project, q->now);
	return e || words->is_new ? e : audit_note(q, &event);
}

/* Null leaves it as it is. */
static err_t read_description(struct gql_call *call, struct str *ret_description)
{
	*ret_description = wandb_input_text(json_doc_get_named(call->args, "input"), "description");
	if (ret_description->len > PROJECT_DESCRIPTION_MAX)
		return err_field(call->arena, ERR_INVALID, "description", "more than %d bytes",
				 PROJECT_DESCRIPTION_MAX);
	return NULL;
}

/* Changing the description of an existing project takes an admin of it, as any other change does. */
static err_t describe_as_admin(struct gql_call *call, const struct model_words *words)
{
	struct request *q = wandb_of(call)->q;
	const struct auth_ask ask = { .access = words->is_new ? ACCESS_WRITE : ACCESS_ADMIN,
				      .entity = q->target->entity,
				      .project = q->target->project };
	err_t e = wandb_target(wandb_of(call), &ask);

	return e ? e : wandb_change(q, describe, words);
}

err_t wandb_upsert_model(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	struct upserted *done = arena_new_of(call->arena, struct upserted);
	struct wandb *w = wandb_of(call);
	const struct auth_ask ask = { .access = ACCESS_WRITE,
				      .flags = ROUTE_MAKES,
				      .entity = wandb_input_text(input, "entityName"),
				      .project = wandb_input_text(input, "name") };
	struct model_words words = { .is_new = false };
	err_t e = read_description(call, &words.description);

	if (!e && !ask.project.len)
		e = err_field(call->arena, ERR_INVALID, "name", "a project requires a name");
	if (!e)
		e = wandb_target(w, &ask);
	if (e)
		return e;
	words.is_new = done->inserted = !w->q->target->project_id;
	if (words.is_new)
		e = wandb_change(w->q, make_project, &words);
	if (!e && words.description.len)
		e = describe_as_admin(call, &words);
	if (e)
		return e;
	done->project = wandb_project_of(call->arena, w->q->target);
	gql_give(call, done);
	return NULL;
}

/* ---- deleting ------------------------------------------------------------------------------------- */

static err_t delete_project(struct request *q, const void *what)
{
	err_t e = deletion_delete_project(q, DELETION_PURGE_LATER);

	(void)what;
	return e && e->kind == ERR_GONE ? NULL : e;
}

/* Deleting a project that is already deleted succeeds. */
err_t wandb_delete_model(struct gql_call *call)
{
	struct str id = wandb_input_text(json_doc_get_named(call->args, "input"), "id");
	struct wandb *w = wandb_of(call);
	struct auth_ask ask = { .access = ACCESS_ADMIN };
	bool there;
	err_t e;

	if (!wandb_id_read(call->arena, id, "Project:v1", &ask.entity))
		return err_field(call->arena, ERR_INVALID, "id", "invalid project id");
	ask.project = str_cut(&ask.entity, ':');
	e = wandb_look(w, &ask, &there);
	if (!e && there)
		e = wandb_change(w->q, delete_project, NULL);
	if (e)
		return e;
	if (there)
		auth_forget_all(w->q->app->auth);
	wandb_done(call);
	return NULL;
}
