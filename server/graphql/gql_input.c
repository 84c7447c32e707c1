/* Variables and arguments: what a client gives, as JSON documents. */
#include "arena.h"
#include "gql_parts.h"
#include "json_doc.h"

/* ---- variables ---------------------------------------------------------------------------------------- */

static bool is_whole(const struct json_doc *doc)
{
	int64_t ignored;

	return json_doc_int64(doc, &ignored);
}

static bool is_number(const struct json_doc *doc)
{
	return json_doc_is(doc, JSON_KIND_NUMBER);
}

static bool is_text(const struct json_doc *doc)
{
	return json_doc_is(doc, JSON_KIND_STRING);
}

static bool is_bool(const struct json_doc *doc)
{
	return json_doc_is(doc, JSON_KIND_BOOL);
}

static bool is_id(const struct json_doc *doc)
{
	return is_text(doc) || is_whole(doc);
}

/* The scalars that are checked here; values of other types are checked by resolvers. */
static const struct scalar {
	const char *name;
	bool (*is)(const struct json_doc *doc);
} scalars[] = {
	{ "Int", is_whole },    { "Float", is_number }, { "String", is_text },
	{ "Boolean", is_bool }, { "ID", is_id },
};

static const struct scalar *find_scalar(struct str name)
{
	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
		if (str_is(name, scalars[i].name))
			return &scalars[i];
	}
	return NULL;
}

/* A single value counts as a list of one; null anywhere is left to the resolver. */
static bool is_of_type(const struct json_doc *doc, const struct scalar *scalar, unsigned lists)
{
	if (doc->kind == JSON_KIND_NULL || !scalar)
		return true;
	if (!lists || doc->kind != JSON_KIND_ARRAY)
		return scalar->is(doc);
	for (size_t i = 0; i < doc->count; i++) {
		if (!is_of_type(doc->items[i], scalar, lists - 1))
			return false;
	}
	return true;
}

static err_t refuse(struct gql_run *run, const struct gql_variable *v, const char *problem)
{
	const char *path = arena_printf(run->arena, "variables.%.*s", STR_ARG(v->name));

	return err_field(run->arena, ERR_INVALID, path, "the variable \"%.*s\" %s",
			 STR_ARG(v->name), problem);
}

static err_t check(struct gql_run *run, const struct gql_variable *v, const struct json_doc *value)
{
	const struct scalar *scalar = find_scalar(v->type);

	if (v->required && (!value || value->kind == JSON_KIND_NULL))
		return refuse(run, v, "is missing");
	if (value && !is_of_type(value, scalar, v->lists))
		return refuse(run, v, arena_printf(run->arena, "is not of type %s", scalar->name));
	return NULL;
}

static size_t count_of(const struct gql_variable *list)
{
	size_t count = 0;

	for (; list; list = list->next)
		count++;
	return count;
}

err_t gql_read_variables(struct gql_run *run, const struct json_doc *given,
			 const struct json_doc **ret_variables)
{
	const struct gql_variable *list = run->operation->variables;
	struct json_member *members =
		arena_new_array(run->arena, struct json_member, count_of(list) + 1);
	size_t count = 0;

	for (const struct gql_variable *v = list; v; v = v->next) {
		const struct json_doc *value = json_doc_get(given, v->name);
		err_t e;

		if (!value)
			value = v->or_else;
		e = check(run, v, value);
		if (e)
			return e;
		if (value)
			members[count++] = (struct json_member){ v->name, value };
	}
	*ret_variables = json_doc_object(run->arena, members, count);
	return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------- */

static const struct json_doc *read_list(struct gql_run *run, const struct gql_value *value)
{
	const struct json_doc **items =
		arena_new_array(run->arena, const struct json_doc *, value->count + 1);

	for (size_t i = 0; i < value->count; i++) {
		items[i] = gql_read_value(run, value->parts[i].value);
		if (!items[i])
			items[i] = json_doc_null();
	}
	return json_doc_array(run->arena, items, value->count);
}

/* An argument that was not given is absent, which differs from null. */
static const struct json_doc *read_object(struct gql_run *run, const struct gql_argument *parts,
					  size_t count)
{
	struct json_member *members = arena_new_array(run->arena, struct json_member, count + 1);
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		members[kept].name = parts[i].name;
		members[kept].value = gql_read_value(run, parts[i].value);
		kept += members[kept].value != NULL;
	}
	return kept ? json_doc_object(run->arena, members, kept) : json_doc_empty();
}

const struct json_doc *gql_read_value(struct gql_run *run, const struct gql_value *value)
{
	switch (value->kind) {
	case GQL_CONSTANT:
		return value->constant;
	case GQL_VARIABLE:
		return json_doc_get(run->variables, value->variable);
	case GQL_LIST:
		return read_list(run, value);
	default:
		return read_object(run, value->parts, value->count);
	}
}

const struct json_doc *gql_read_args(struct gql_run *run, const struct gql_selection *node)
{
	return read_object(run, node->args, node->arg_count);
}

/* ---- what resolvers read ------------------------------------------------------------------------------ */

struct str gql_arg_text(const struct gql_call *call, const char *name)
{
	const struct json_doc *value = json_doc_get_named(call->args, name);

	return is_text(value) ? value->text : STR("");
}

bool gql_arg_bool(const struct gql_call *call, const char *name)
{
	const struct json_doc *value = json_doc_get_named(call->args, name);

	return is_bool(value) && value->truth;
}

err_t gql_arg_int(const struct gql_call *call, const char *name, int64_t min, int64_t max,
		  int64_t or_else, int64_t *ret_value)
{
	const struct json_doc *value = json_doc_get_named(call->args, name);

	*ret_value = or_else;
	if (!value || value->kind == JSON_KIND_NULL)
		return NULL;
	if (json_doc_int64(value, ret_value) && *ret_value >= min && *ret_value <= max)
		return NULL;
	return err_field(call->arena, ERR_INVALID, name,
			 "\"%s\" must be an integer from %lld to %lld", name, (long long)min,
			 (long long)max);
}
