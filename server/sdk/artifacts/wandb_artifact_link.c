#include "wandb_artifact_link.h"

#include "arena.h"
#include "artifact_link_to.h"
#include "artifact_store.h"
#include "audit_note.h"
#include "run_target.h"
#include "wandb_artifact_input.h"
#include "wandb_artifact_parts.h"
#include "wandb_change.h"
#include "wandb_unsupported.h"

/* Names of projects that the SDK takes for registries of an organization. */
#define REGISTRY_PREFIX "wandb-registry-"

/* ---- link ----------------------------------------------------------------------------------------- */

static err_t linked_version_index(struct gql_call *call)
{
	json_out_int(call->out, ((const struct wandb_member *)call->parent)->row->version);
	return NULL;
}

static err_t linked_member(struct gql_call *call)
{
	gql_give(call, call->parent);
	return NULL;
}

static const struct gql_field linked_fields[] = {
	GQL_VALUE_FIELD("versionIndex", NULL, linked_version_index),
	GQL_OBJECT_FIELD("artifactMembership", NULL, linked_member, &wandb_member_type),
};
const struct gql_type wandb_linked_artifact_type = GQL_TYPE("LinkArtifactPayload", linked_fields);

struct link_call {
	const struct artifact_link_asked *asked;
	struct artifact_target *linked;
};

static err_t make_project(struct request *q)
{
	const struct audit_event event = { .action = AUDIT_PROJECT_MAKE, .detail = STR("") };
	bool made;
	err_t e = run_target_make_project(q, &made);

	return e || !made ? e : audit_note(q, &event);
}

static err_t link_version(struct request *q, const void *what)
{
	const struct link_call *c = what;
	err_t e = make_project(q);

	return e ? e : artifact_link_to(q, c->asked, c->linked);
}

/* By its id, or by the one that its client chose before it was saved. */
static err_t find_version(struct gql_call *call, struct artifact_target *target)
{
	struct str id = wandb_artifact_input_text(call, "artifactID");
	struct str client = wandb_artifact_input_text(call, "clientID");
	struct request *q = wandb_of(call)->q;
	err_t e = id.len ? artifact_target_id(q, id, ACCESS_READ, target)
			 : artifact_target_client(q, client, ACCESS_READ, target);

	return e ? e : artifact_target_committed(q, target);
}

/* The project of the portfolio, which may not exist yet. */
static err_t find_portfolio(struct gql_call *call, struct str *ret_name)
{
	struct str id = wandb_artifact_input_text(call, "artifactPortfolioID");
	struct wandb *w = wandb_of(call);
	const struct auth_ask ask = {
		.access = ACCESS_WRITE,
		.flags = ROUTE_MAKES,
		.entity = wandb_artifact_input_text(call, "entityName"),
		.project = wandb_artifact_input_text(call, "projectName"),
	};
	struct artifact_target target;
	err_t e;

	if (str_starts(ask.project, REGISTRY_PREFIX))
		return wandb_no_registries(call);
	*ret_name = wandb_artifact_input_text(call, "artifactPortfolioName");
	if (ret_name->len) {
		if (!ask.project.len)
			return err_field(call->arena, ERR_INVALID, "projectName",
					 "\"projectName\" is missing");
		return wandb_target(w, &ask);
	}
	e = artifact_target_collection_id(w->q, id, ACCESS_WRITE, &target);
	if (!e)
		*ret_name = target.collection->name;
	return e;
}

static void give_linked(struct gql_call *call, struct target *source,
			const struct artifact_target *linked)
{
	struct wandb_member *member = arena_new_of(call->arena, struct wandb_member);
	struct wandb_artifact *artifact = wandb_artifact_of(call->arena, source, linked->artifact);

	*member = (struct wandb_member){
		.target = wandb_of(call)->q->target,
		.row = linked->member,
		.artifact = artifact,
	};
	artifact->member = member;
	gql_give(call, member);
}

err_t wandb_link_artifact(struct gql_call *call)
{
	struct request *q = wandb_of(call)->q;
	struct artifact_link_asked asked = { .artifact = NULL };
	struct artifact_target version, linked;
	const struct link_call c = { &asked, &linked };
	struct wandb_texts aliases;
	struct target *source;
	err_t e = wandb_artifact_input_texts(call, "aliases", "alias", &aliases);

	if (!e)
		e = find_version(call, &version);
	if (e)
		return e;
	source = q->target;
	asked.artifact = version.artifact;
	asked.aliases = aliases.at;
	asked.alias_count = aliases.count;
	e = find_portfolio(call, &asked.portfolio);
	if (!e)
		e = wandb_change(q, link_version, &c);
	if (!e)
		give_linked(call, source, &linked);
	return e;
}

/* ---- unlink --------------------------------------------------------------------------------------- */

static err_t unlinked_id(struct gql_call *call)
{
	const struct artifact *row = call->parent;
	const struct artifact_id id = { row->project_id, row->artifact_id };

	json_out_text(call->out, artifact_id_write(call->arena, ARTIFACT_ID_VERSION, id));
	return NULL;
}

static err_t unlinked_success(struct gql_call *call)
{
	json_out_bool(call->out, true);
	return NULL;
}

static err_t unlinked_nothing(struct gql_call *call)
{
	(void)call;
	return NULL;
}

static const struct gql_field unlinked_fields[] = {
	GQL_VALUE_FIELD("artifactID", NULL, unlinked_id),
	GQL_VALUE_FIELD("success", NULL, unlinked_success),
	GQL_VALUE_FIELD("clientMutationId", NULL, unlinked_nothing),
};
const struct gql_type wandb_unlinked_artifact_type =
	GQL_TYPE("UnlinkArtifactPayload", unlinked_fields);

static err_t unlink_version(struct request *q, const void *what)
{
	return artifact_unlink(q, what);
}

/* Removing a link that is already removed succeeds. */
err_t wandb_unlink_artifact(struct gql_call *call)
{
	struct request *q = wandb_of(call)->q;
	struct artifact_target version, portfolio;
	err_t e = artifact_target_id(q, wandb_artifact_input_text(call, "artifactID"), ACCESS_READ,
				     &version);

	if (!e)
		e = artifact_target_collection_id(
			q, wandb_artifact_input_text(call, "artifactPortfolioID"), ACCESS_WRITE,
			&portfolio);
	if (!e)
		e = wandb_artifact_input_member(q, version.artifact, &portfolio);
	if (!e && portfolio.member)
		e = wandb_change(q, unlink_version, &portfolio);
	if (!e)
		gql_give(call, version.artifact);
	return e;
}
