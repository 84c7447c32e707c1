/*
 * The introspection that clients before 0.26 use to leave out fields that a server lacks. An
 * unknown type has no fields: null would break those clients.
 */
#include "arena.h"
#include "gql_parts.h"

struct known {
	struct str name;
	const struct gql_type *type;   /* NULL: none of that name */
	const struct gql_input *input; /* the same */
};

struct named {
	struct str name;
	const char *args;
};

static const struct gql_schema *schema_of(const struct gql_call *call)
{
	return call->run->request->schema;
}

static const struct gql_type *find_type(const struct gql_schema *schema, struct str name)
{
	for (size_t i = 0; i < schema->type_count; i++) {
		if (str_is(name, schema->types[i]->name))
			return schema->types[i];
	}
	return NULL;
}

static const struct gql_input *find_input(const struct gql_schema *schema, struct str name)
{
	for (size_t i = 0; i < schema->input_count; i++) {
		if (str_is(name, schema->inputs[i].name))
			return &schema->inputs[i];
	}
	return NULL;
}

static err_t resolve_type(struct gql_call *call)
{
	struct known *known = arena_new_of(call->arena, struct known);

	known->name = gql_arg_text(call, "name");
	known->type = find_type(schema_of(call), known->name);
	known->input = find_input(schema_of(call), known->name);
	gql_give(call, known);
	return NULL;
}

static void give_words(struct gql_call *call, const char *words)
{
	const char *at = words ? words : "";
	struct named *list;
	size_t count = 0;

	while (gql_next_word(&at).len)
		count++;
	list = arena_new_array(call->arena, struct named, count + 1);
	at = words ? words : "";
	for (size_t i = 0; i < count; i++)
		list[i].name = gql_next_word(&at);
	gql_give_list(call, list, count, sizeof(*list));
}

static err_t resolve_args(struct gql_call *call)
{
	const struct named *field = call->parent;

	give_words(call, field->args);
	return NULL;
}

static err_t resolve_fields(struct gql_call *call)
{
	const struct known *known = call->parent;
	size_t count = known->type ? known->type->field_count : 0;
	struct named *list = arena_new_array(call->arena, struct named, count + 1);

	for (size_t i = 0; i < count; i++)
		list[i] = (struct named){ str_of(known->type->fields[i].name),
					  known->type->fields[i].args };
	gql_give_list(call, list, count, sizeof(*list));
	return NULL;
}

static err_t resolve_input_fields(struct gql_call *call)
{
	const struct known *known = call->parent;

	give_words(call, known->input ? known->input->fields : NULL);
	return NULL;
}

static const struct gql_field input_value_fields[] = {
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct named, name),
};
static const struct gql_type input_value_type = GQL_TYPE("__InputValue", input_value_fields);

static const struct gql_field field_fields[] = {
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct named, name),
	GQL_OBJECT_FIELD("args", NULL, resolve_args, &input_value_type),
};
static const struct gql_type field_type = GQL_TYPE("__Field", field_fields);

static const struct gql_field type_fields[] = {
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct known, name),
	GQL_OBJECT_FIELD("fields", "includeDeprecated", resolve_fields, &field_type),
	GQL_OBJECT_FIELD("inputFields", NULL, resolve_input_fields, &input_value_type),
};
static const struct gql_type type_type = GQL_TYPE("__Type", type_fields);

const struct gql_field *gql_find_introspection(struct str name)
{
	static const struct gql_field root =
		GQL_OBJECT_FIELD("__type", "name", resolve_type, &type_type);

	return str_is(name, root.name) ? &root : NULL;
}
