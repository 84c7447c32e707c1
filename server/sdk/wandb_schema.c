#include "wandb_schema.h"

#include "wandb_alert.h"
#include "wandb_artifact.h"
#include "wandb_artifact_collection.h"
#include "wandb_artifact_edit.h"
#include "wandb_artifact_link.h"
#include "wandb_artifact_make.h"
#include "wandb_artifact_manifest.h"
#include "wandb_artifact_multipart.h"
#include "wandb_artifact_upload.h"
#include "wandb_artifact_use.h"
#include "wandb_branch.h"
#include "wandb_change.h"
#include "wandb_files.h"
#include "wandb_models.h"
#include "wandb_organization.h"
#include "wandb_project.h"
#include "wandb_run.h"
#include "wandb_sweep_agents.h"
#include "wandb_sweep_change.h"
#include "wandb_unsupported.h"
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
	GQL_OBJECT_FIELD("artifact", "id", wandb_artifact, &wandb_artifact_type),
	GQL_OBJECT_FIELD("artifactCollection", "id", wandb_collection, &wandb_collection_type),
	GQL_OBJECT_FIELD("clientIDMapping", "clientID", wandb_client_id_mapping,
			 &wandb_client_id_type),
};
static const struct gql_type query_type = GQL_TYPE("Query", query_fields);

#define UNSUPPORTED(name, resolve) GQL_OBJECT_FIELD(name, "input", resolve, &wandb_unsupported_type)

static const struct gql_field mutation_fields[] = {
	GQL_OBJECT_FIELD("upsertBucket", "input", wandb_upsert, &wandb_upserted_type),
	GQL_OBJECT_FIELD("upsertModel", "input", wandb_upsert_model, &wandb_upserted_model_type),
	GQL_OBJECT_FIELD("deleteModel", "input", wandb_delete_model, &wandb_done_type),
	GQL_OBJECT_FIELD("deleteRun", "input", wandb_delete_run, &wandb_done_type),
	GQL_OBJECT_FIELD("stopRun", "input", wandb_stop_run, &wandb_done_type),
	GQL_OBJECT_FIELD("updateRunState", "input", wandb_update_run_state, &wandb_done_type),
	GQL_OBJECT_FIELD("notifyScriptableRunAlert", "input", wandb_notify_alert, &wandb_done_type),
	GQL_OBJECT_FIELD("rewindRun", "input", wandb_rewind, &wandb_rewound_type),
	GQL_OBJECT_FIELD("createArtifact", "input", wandb_create_artifact,
			 &wandb_made_artifact_type),
	GQL_OBJECT_FIELD("createArtifactType", "input", wandb_create_artifact_type,
			 &wandb_made_artifact_type_type),
	GQL_OBJECT_FIELD("createArtifactManifest", "input", wandb_create_artifact_manifest,
			 &wandb_made_manifest_type),
	GQL_OBJECT_FIELD("createArtifactFiles", "input", wandb_create_artifact_files,
			 &wandb_made_artifact_files_type),
	GQL_OBJECT_FIELD("updateArtifactManifest", "input", wandb_update_artifact_manifest,
			 &wandb_made_manifest_type),
	GQL_OBJECT_FIELD("completeMultipartUploadArtifact", "input", wandb_complete_multipart,
			 &wandb_completed_multipart_type),
	GQL_OBJECT_FIELD("commitArtifact", "input", wandb_commit_artifact,
			 &wandb_named_artifact_type),
	GQL_OBJECT_FIELD("updateArtifact", "input", wandb_update_artifact,
			 &wandb_changed_artifact_type),
	GQL_OBJECT_FIELD("deleteArtifact", "input", wandb_delete_artifact,
			 &wandb_changed_artifact_type),
	GQL_OBJECT_FIELD("useArtifact", "input", wandb_use_artifact, &wandb_named_artifact_type),
	GQL_OBJECT_FIELD("linkArtifact", "input", wandb_link_artifact, &wandb_linked_artifact_type),
	GQL_OBJECT_FIELD("unlinkArtifact", "input", wandb_unlink_artifact,
			 &wandb_unlinked_artifact_type),
	GQL_OBJECT_FIELD("addAliases", "input", wandb_add_aliases, &wandb_done_type),
	GQL_OBJECT_FIELD("deleteAliases", "input", wandb_delete_aliases, &wandb_done_type),
	GQL_OBJECT_FIELD("moveArtifactSequence", "input", wandb_move_collection,
			 &wandb_changed_collection_type),
	GQL_OBJECT_FIELD("updateArtifactSequence", "input", wandb_update_collection,
			 &wandb_changed_collection_type),
	GQL_OBJECT_FIELD("deleteArtifactSequence", "input", wandb_delete_collection,
			 &wandb_changed_collection_type),
	GQL_OBJECT_FIELD("updateArtifactPortfolio", "input", wandb_update_collection,
			 &wandb_changed_collection_type),
	GQL_OBJECT_FIELD("deleteArtifactPortfolio", "input", wandb_delete_collection,
			 &wandb_changed_collection_type),
	GQL_OBJECT_FIELD("createArtifactCollectionTagAssignments", "input",
			 wandb_add_collection_tags, &wandb_changed_tags_type),
	GQL_OBJECT_FIELD("deleteArtifactCollectionTagAssignments", "input",
			 wandb_delete_collection_tags, &wandb_changed_tags_type),
	GQL_OBJECT_FIELD("upsertSweep", "input", wandb_upsert_sweep, &wandb_upserted_sweep_type),
	GQL_OBJECT_FIELD("createAgent", "input", wandb_create_agent, &wandb_made_agent_type),
	GQL_OBJECT_FIELD("agentHeartbeat", "input", wandb_agent_heartbeat, &wandb_beat_type),
	UNSUPPORTED("enqueueSweepRun", wandb_no_scheduler),
	UNSUPPORTED("createCustomChart", wandb_no_charts),
	UNSUPPORTED("createRunQueue", wandb_no_launch),
	UNSUPPORTED("upsertRunQueue", wandb_no_launch),
	UNSUPPORTED("deleteRunQueues", wandb_no_launch),
	UNSUPPORTED("createDefaultResourceConfig", wandb_no_launch),
	UNSUPPORTED("pushToRunQueue", wandb_no_launch),
	UNSUPPORTED("pushToRunQueueByName", wandb_no_launch),
	UNSUPPORTED("popFromRunQueue", wandb_no_launch),
	UNSUPPORTED("ackRunQueueItem", wandb_no_launch),
	UNSUPPORTED("failRunQueueItem", wandb_no_launch),
	UNSUPPORTED("deleteFromRunQueue", wandb_no_launch),
	UNSUPPORTED("updateRunQueueItemWarning", wandb_no_launch),
	UNSUPPORTED("createLaunchAgent", wandb_no_launch),
	UNSUPPORTED("updateLaunchAgent", wandb_no_launch),
	UNSUPPORTED("createFilterTrigger", wandb_no_automations),
	UNSUPPORTED("updateFilterTrigger", wandb_no_automations),
	UNSUPPORTED("deleteTrigger", wandb_no_automations),
	UNSUPPORTED("createGenericWebhookIntegration", wandb_no_automations),
	UNSUPPORTED("renameProject", wandb_no_registries),
	UNSUPPORTED("createProjectMembers", wandb_no_registries),
	UNSUPPORTED("deleteProjectMembers", wandb_no_registries),
	UNSUPPORTED("updateProjectMember", wandb_no_registries),
	UNSUPPORTED("updateProjectTeamMember", wandb_no_registries),
	GQL_OBJECT_FIELD("createRunFiles", "input", wandb_create_files, &wandb_created_files_type),
	GQL_OBJECT_FIELD("deleteFiles", "input", wandb_delete_files, &wandb_deleted_files_type),
	GQL_OBJECT_FIELD("markRunFilesUploaded", "input", wandb_mark_files,
			 &wandb_uploaded_files_type),
};
static const struct gql_type mutation_type = GQL_TYPE("Mutation", mutation_fields);

/* The types that clients before 0.26 ask about by name. */
static const struct gql_type *const types[] = {
	&query_type,        &mutation_type,       &wandb_server_type,
	&wandb_user_type,   &wandb_project_type,  &wandb_run_type,
	&wandb_entity_type, &wandb_artifact_type, &wandb_collection_type,
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
