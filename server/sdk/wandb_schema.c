#include "wandb_schema.h"

#include "wandb_alert.h"
#include "wandb_branch.h"
#include "wandb_change.h"
#include "wandb_files.h"
#include "wandb_missing.h"
#include "wandb_models.h"
#include "wandb_organization.h"
#include "wandb_project.h"
#include "wandb_run.h"
#include "wandb_upsert.h"
#include "wandb_viewer.h"

static const struct gql_field query_fields[] = {
	GQL_OBJECT_FIELD("viewer", NULL, wandb_viewer, &wandb_user_type),
	GQL_OBJECT_FIELD("users", "query", wandb_users, &wandb_users_type),
	GQL_OBJECT_FIELD("serverInfo", NULL, wandb_server_info, &wandb_server_type),
	GQL_OBJECT_FIELD("entity", "name", wandb_entity, &wandb_entity_type),
	GQL_OBJECT_FIELD("organization", "name", wandb_organization, &wandb_organization_type),
	GQL_OBJECT_FIELD("project", "name entityName", wandb_project, &wandb_project_type),
	GQL_OBJECT_FIELD("model", "name entityName", wandb_project, &wandb_project_type),
	GQL_OBJECT_FIELD("models", "entityName first after", wandb_models, &wandb_projects_type),
	GQL_OBJECT_FIELD("projects", "entityName first after", wandb_models, &wandb_projects_type),
	GQL_OBJECT_FIELD("artifact", "id", wandb_no_artifacts, &wandb_missing_type),
};
static const struct gql_type query_type = GQL_TYPE("Query", query_fields);

#define MISSING(name, resolve) GQL_OBJECT_FIELD(name, "input", resolve, &wandb_missing_type)

static const struct gql_field mutation_fields[] = {
	GQL_OBJECT_FIELD("upsertBucket", "input", wandb_upsert, &wandb_upserted_type),
	GQL_OBJECT_FIELD("upsertModel", "input", wandb_upsert_model, &wandb_upserted_model_type),
	GQL_OBJECT_FIELD("deleteModel", "input", wandb_delete_model, &wandb_done_type),
	GQL_OBJECT_FIELD("deleteRun", "input", wandb_delete_run, &wandb_done_type),
	GQL_OBJECT_FIELD("stopRun", "input", wandb_stop_run, &wandb_done_type),
	GQL_OBJECT_FIELD("updateRunState", "input", wandb_update_run_state, &wandb_done_type),
	GQL_OBJECT_FIELD("notifyScriptableRunAlert", "input", wandb_notify_alert, &wandb_done_type),
	GQL_OBJECT_FIELD("rewindRun", "input", wandb_rewind, &wandb_rewound_type),
	MISSING("createArtifact", wandb_no_artifacts),
	MISSING("createArtifactType", wandb_no_artifacts),
	MISSING("createArtifactManifest", wandb_no_artifacts),
	MISSING("createArtifactFiles", wandb_no_artifacts),
	MISSING("updateArtifactManifest", wandb_no_artifacts),
	MISSING("completeMultipartUploadArtifact", wandb_no_artifacts),
	MISSING("commitArtifact", wandb_no_artifacts),
	MISSING("updateArtifact", wandb_no_artifacts),
	MISSING("deleteArtifact", wandb_no_artifacts),
	MISSING("useArtifact", wandb_no_artifacts),
	MISSING("linkArtifact", wandb_no_artifacts),
	MISSING("unlinkArtifact", wandb_no_artifacts),
	MISSING("addAliases", wandb_no_artifacts),
	MISSING("deleteAliases", wandb_no_artifacts),
	MISSING("moveArtifactSequence", wandb_no_artifacts),
	MISSING("updateArtifactSequence", wandb_no_artifacts),
	MISSING("deleteArtifactSequence", wandb_no_artifacts),
	MISSING("updateArtifactPortfolio", wandb_no_artifacts),
	MISSING("deleteArtifactPortfolio", wandb_no_artifacts),
	MISSING("createArtifactCollectionTagAssignments", wandb_no_artifacts),
	MISSING("deleteArtifactCollectionTagAssignments", wandb_no_artifacts),
	MISSING("upsertSweep", wandb_no_sweeps),
	MISSING("createAgent", wandb_no_sweeps),
	MISSING("agentHeartbeat", wandb_no_sweeps),
	MISSING("enqueueSweepRun", wandb_no_sweeps),
	MISSING("createCustomChart", wandb_no_charts),
	MISSING("createRunQueue", wandb_no_launch),
	MISSING("upsertRunQueue", wandb_no_launch),
	MISSING("deleteRunQueues", wandb_no_launch),
	MISSING("createDefaultResourceConfig", wandb_no_launch),
	MISSING("pushToRunQueue", wandb_no_launch),
	MISSING("pushToRunQueueByName", wandb_no_launch),
	MISSING("popFromRunQueue", wandb_no_launch),
	MISSING("ackRunQueueItem", wandb_no_launch),
	MISSING("failRunQueueItem", wandb_no_launch),
	MISSING("deleteFromRunQueue", wandb_no_launch),
	MISSING("updateRunQueueItemWarning", wandb_no_launch),
	MISSING("createLaunchAgent", wandb_no_launch),
	MISSING("updateLaunchAgent", wandb_no_launch),
	MISSING("createFilterTrigger", wandb_no_automations),
	MISSING("updateFilterTrigger", wandb_no_automations),
	MISSING("deleteTrigger", wandb_no_automations),
	MISSING("createGenericWebhookIntegration", wandb_no_automations),
	MISSING("renameProject", wandb_no_registries),
	MISSING("createProjectMembers", wandb_no_registries),
	MISSING("deleteProjectMembers", wandb_no_registries),
	MISSING("updateProjectMember", wandb_no_registries),
	MISSING("updateProjectTeamMember", wandb_no_registries),
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
