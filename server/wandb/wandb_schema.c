#include "wandb_schema.h"

#include "wandb_alert.h"
#include "wandb_branch.h"
#include "wandb_change.h"
#include "wandb_files.h"
#include "wandb_missing.h"
#include "wandb_models.h"
#include "wandb_project.h"
#include "wandb_run.h"
#include "wandb_upsert.h"
#include "wandb_viewer.h"

static const struct gql_field query_fields[] = {
	GQL_OBJECT_FIELD("viewer", NULL, wandb_viewer, &wandb_user_type),
	GQL_OBJECT_FIELD("users", "query", wandb_users, &wandb_users_type),
	GQL_OBJECT_FIELD("serverInfo", NULL, wandb_server_info, &wandb_server_type),
	GQL_OBJECT_FIELD("entity", "name", wandb_entity, &wandb_entity_type),
	GQL_OBJECT_FIELD("project", "name entityName", wandb_project, &wandb_project_type),
	GQL_OBJECT_FIELD("model", "name entityName", wandb_project, &wandb_project_type),
	GQL_OBJECT_FIELD("models", "entityName first after", wandb_models, &wandb_projects_type),
	GQL_OBJECT_FIELD("projects", "entityName first after", wandb_models, &wandb_projects_type),
};
static const struct gql_type query_type = GQL_TYPE("Query", query_fields);

static const struct gql_field mutation_fields[] = {
	GQL_OBJECT_FIELD("upsertBucket", "input", wandb_upsert, &wandb_upserted_type),
	GQL_OBJECT_FIELD("upsertModel", "input", wandb_upsert_model, &wandb_upserted_model_type),
	GQL_OBJECT_FIELD("deleteModel", "input", wandb_delete_model, &wandb_done_type),
	GQL_OBJECT_FIELD("deleteRun", "input", wandb_delete_run, &wandb_done_type),
	GQL_OBJECT_FIELD("stopRun", "input", wandb_stop_run, &wandb_done_type),
	GQL_OBJECT_FIELD("updateRunState", "input", wandb_update_run_state, &wandb_done_type),
	GQL_OBJECT_FIELD("notifyScriptableRunAlert", "input", wandb_notify_alert, &wandb_done_type),
	GQL_OBJECT_FIELD("rewindRun", "input", wandb_rewind, &wandb_rewound_type),
	GQL_OBJECT_FIELD("createArtifact", "input", wandb_no_artifacts, &wandb_missing_type),
	GQL_OBJECT_FIELD("createArtifactType", "input", wandb_no_artifacts, &wandb_missing_type),
	GQL_OBJECT_FIELD("createArtifactManifest", "input", wandb_no_artifacts,
			 &wandb_missing_type),
	GQL_OBJECT_FIELD("createArtifactFiles", "input", wandb_no_artifacts, &wandb_missing_type),
	GQL_OBJECT_FIELD("useArtifact", "input", wandb_no_artifacts, &wandb_missing_type),
	GQL_OBJECT_FIELD("linkArtifact", "input", wandb_no_artifacts, &wandb_missing_type),
	GQL_OBJECT_FIELD("upsertSweep", "input", wandb_no_sweeps, &wandb_missing_type),
	GQL_OBJECT_FIELD("createAgent", "input", wandb_no_sweeps, &wandb_missing_type),
	GQL_OBJECT_FIELD("agentHeartbeat", "input", wandb_no_sweeps, &wandb_missing_type),
	GQL_OBJECT_FIELD("createRunFiles", "input", wandb_create_files, &wandb_created_files_type),
	GQL_OBJECT_FIELD("deleteFiles", "input", wandb_delete_files, &wandb_deleted_files_type),
	GQL_OBJECT_FIELD("markRunFilesUploaded", "input", wandb_mark_files,
			 &wandb_uploaded_files_type),
};
static const struct gql_type mutation_type = GQL_TYPE("Mutation", mutation_fields);

/* Those that clients before 0.26 ask about by name. */
static const struct gql_type *const types[] = {
	&query_type,         &mutation_type,  &wandb_server_type, &wandb_user_type,
	&wandb_project_type, &wandb_run_type, &wandb_entity_type,
};

static const struct gql_input inputs[] = {
	{ "UseArtifactInput",
	  "entityName projectName runName artifactID usedAs artifactEntityName artifactProjectName" },
	{ "CreateArtifactFileSpecInput",
	  "artifactID artifactManifestID name md5 mimetype uploadPartsInput" },
	{ "CreateArtifactInput",
	  "entityName projectName runName artifactTypeName artifactCollectionName artifactCollectionNames "
	  "digest digestAlgorithm description metadata labels aliases tags clientID sequenceClientID "
	  "enableDigestDeduplication distributedID historyStep ttlDurationSeconds storageRegion" },
	{ "AddAliasesInput", "aliases artifactID" },
	{ "DeleteFilesInput", "files projectId" },
};

const struct gql_schema wandb_schema = {
	.query = &query_type,
	.mutation = &mutation_type,
	.types = types,
	.type_count = sizeof(types) / sizeof(types[0]),
	.inputs = inputs,
	.input_count = sizeof(inputs) / sizeof(inputs[0]),
};
