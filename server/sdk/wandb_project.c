#include "wandb_project.h"

#include "arena.h"
#include "project_store.h"
#include "wandb.h"
#include "wandb_artifact_collection.h"
#include "wandb_artifact_member.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_run.h"
#include "wandb_runs.h"
#include "wandb_sweep.h"
#include "wandb_viewer.h"

const struct wandb_project *wandb_project_of(struct arena *a, struct target *target)
{
	struct wandb_project *project = arena_new_of(a, struct wandb_project);

	*project = (struct wandb_project){
		.cursor = target->project,
		.target = target,
		.id = wandb_id(a, "Project:v1",
			       str_of(arena_printf(a, "%.*s:%.*s", STR_ARG(target->project),
						   STR_ARG(target->entity)))),
		.name = target->project,
		.entity_name = target->entity,
		.internal_id = wandb_id_of_number(a, "ProjectInternalId", target->project_id),
	};
	return project;
}

static err_t project_entity(struct gql_call *call)
{
	const struct wandb_project *project = call->parent;

	gql_give(call,
		 wandb_entity_of(call->arena, project->entity_name, project->target->entity_id));
	return NULL;
}

static err_t project_read_only(struct gql_call *call)
{
	const struct wandb_project *project = call->parent;

	json_out_bool(call->out, project->target->right < ACCESS_RIGHT_WRITE);
	return NULL;
}

/* ---- what is said of it ----------------------------------------------------------------------------- */

static err_t read_info(struct gql_call *call, const struct project **ret_info)
{
	const struct wandb_project *project = call->parent;
	struct project *found;
	err_t e;

	*ret_info = project->info;
	if (project->info)
		return NULL;
	e = project_store_find(wandb_of(call)->q->db, project->target->project_id, &found);
	if (!e)
		*ret_info = found;
	return e;
}

static err_t project_created_at(struct gql_call *call)
{
	const struct project *info;
	err_t e = read_info(call, &info);

	if (!e && info)
		json_out_time(call->out, info->created_at);
	return e;
}

static err_t project_description(struct gql_call *call)
{
	const struct project *info;
	err_t e = read_info(call, &info);

	if (!e && info)
		json_out_text(call->out, info->description);
	return e;
}

static err_t project_access(struct gql_call *call)
{
	const struct wandb_project *project = call->parent;

	json_out_text(call->out, project->target->visibility == VISIBILITY_PUBLIC ? STR("USER_READ")
										  : STR("PRIVATE"));
	return NULL;
}

static err_t project_no(struct gql_call *call)
{
	json_out_bool(call->out, false);
	return NULL;
}

static err_t project_nothing(struct gql_call *call)
{
	(void)call;
	return NULL;
}

/* The creator is not stored; a project in a user's own entity is that user's. */
static err_t project_user(struct gql_call *call)
{
	const struct wandb_project *project = call->parent;

	if (project->target->entity_kind == ENTITY_USER)
		gql_give(call, wandb_user_of(call->arena, project->entity_name));
	return NULL;
}

/* ---- its runs --------------------------------------------------------------------------------------- */

static err_t project_run(struct gql_call *call)
{
	const struct wandb_project *project = call->parent;
	struct auth_ask ask = {
		.access = ACCESS_READ,
		.entity = project->entity_name,
		.project = project->name,
		.run = gql_arg_text(call, "name"),
	};

	return wandb_run_give(call, &ask);
}

/* Old clients read what is in it without a look, unless they said that it may be missing. */
static err_t project_bucket(struct gql_call *call)
{
	const struct wandb_project *project = call->parent;
	const struct auth_ask ask = {
		.access = ACCESS_READ,
		.entity = project->entity_name,
		.project = project->name,
		.run = gql_arg_text(call, "name"),
	};

	if (gql_arg_bool(call, "missingOk"))
		return project_run(call);
	return wandb_run_get(call, &ask);
}

static const struct gql_field project_fields[] = {
	GQL_MEMBER("id", GQL_TEXT_MEMBER, struct wandb_project, id),
	GQL_MEMBER("internalId", GQL_TEXT_MEMBER, struct wandb_project, internal_id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct wandb_project, name),
	GQL_MEMBER("entityName", GQL_TEXT_MEMBER, struct wandb_project, entity_name),
	GQL_OBJECT_FIELD("entity", NULL, project_entity, &wandb_entity_type),
	GQL_VALUE_FIELD("readOnly", NULL, project_read_only),
	GQL_OBJECT_FIELD("run", "name", project_run, &wandb_run_type),
	GQL_OBJECT_FIELD("bucket", "name missingOk", project_bucket, &wandb_run_type),
	GQL_OBJECT_FIELD("runs", "filters order after first", wandb_project_runs, &wandb_runs_type),
	GQL_VALUE_FIELD("runCount", "filters", wandb_project_run_count),
	GQL_VALUE_FIELD("createdAt", NULL, project_created_at),
	GQL_VALUE_FIELD("description", NULL, project_description),
	GQL_VALUE_FIELD("access", NULL, project_access),
	GQL_VALUE_FIELD("isBenchmark", NULL, project_no),
	GQL_VALUE_FIELD("views", NULL, project_nothing),
	GQL_VALUE_FIELD("totalSweeps", NULL, wandb_project_sweep_count),
	GQL_OBJECT_FIELD("sweeps", "first after filters", wandb_project_sweeps, &wandb_sweeps_type),
	GQL_OBJECT_FIELD("allViews", "first after viewName viewType", wandb_list_empty,
			 &wandb_empty_type),
	GQL_OBJECT_FIELD("artifactTypes", "first after", wandb_project_artifact_kinds,
			 &wandb_artifact_kinds_type),
	GQL_OBJECT_FIELD("artifactType", "name", wandb_project_artifact_kind,
			 &wandb_artifact_kind_type),
	GQL_OBJECT_FIELD("artifact", "name enableTracking", wandb_project_artifact,
			 &wandb_artifact_type),
	GQL_OBJECT_FIELD("artifactCollections", "first after filters order",
			 wandb_project_collections, &wandb_collections_type),
	GQL_OBJECT_FIELD("artifactCollection", "name", wandb_project_collection,
			 &wandb_collection_type),
	GQL_OBJECT_FIELD("artifactCollectionMembership", "name", wandb_project_member,
			 &wandb_member_type),
	GQL_OBJECT_FIELD("sweep", "sweepName", wandb_project_sweep, &wandb_sweep_type),
	GQL_OBJECT_FIELD("user", NULL, project_user, &wandb_user_type),
};
const struct gql_type wandb_project_type = GQL_TYPE("Project", project_fields);

err_t wandb_project(struct gql_call *call)
{
	struct wandb *w = wandb_of(call);
	struct auth_ask ask = {
		.access = ACCESS_READ,
		.entity = gql_arg_text(call, "entityName"),
		.project = gql_arg_text(call, "name"),
	};
	bool there;
	err_t e = wandb_look(w, &ask, &there);

	if (e || !there)
		return e;
	gql_give(call, wandb_project_of(call->arena, w->q->target));
	return NULL;
}
