#include "wandb_organization.h"

#include "wandb_id.h"

/* Its entity has the same name; it is not one that owns projects. */
#define ORGANIZATION "cairn"

static err_t id(struct gql_call *call)
{
	json_out_text(call->out, wandb_id(call->arena, "Organization", STR(ORGANIZATION)));
	return NULL;
}

static err_t entity_id(struct gql_call *call)
{
	json_out_text(call->out, wandb_id(call->arena, "Entity", STR(ORGANIZATION)));
	return NULL;
}

static err_t name(struct gql_call *call)
{
	json_out_text(call->out, STR(ORGANIZATION));
	return NULL;
}

static err_t kind(struct gql_call *call)
{
	json_out_text(call->out, STR("organization"));
	return NULL;
}

static err_t give_same(struct gql_call *call)
{
	gql_give(call, call->parent);
	return NULL;
}

static const struct gql_field entity_fields[] = {
	GQL_VALUE_FIELD("id", NULL, entity_id),
	GQL_VALUE_FIELD("name", NULL, name),
	GQL_VALUE_FIELD("entityType", NULL, kind),
};
static const struct gql_type entity_type = GQL_TYPE("Entity", entity_fields);

static const struct gql_field organization_fields[] = {
	GQL_VALUE_FIELD("id", NULL, id),
	GQL_VALUE_FIELD("name", NULL, name),
	GQL_OBJECT_FIELD("orgEntity", NULL, give_same, &entity_type),
};
const struct gql_type wandb_organization_type = GQL_TYPE("Organization", organization_fields);

err_t wandb_organization_give(struct gql_call *call)
{
	gql_give(call, ORGANIZATION);
	return NULL;
}

err_t wandb_organization(struct gql_call *call)
{
	return str_is(gql_arg_text(call, "name"), ORGANIZATION) ? wandb_organization_give(call)
								: NULL;
}
