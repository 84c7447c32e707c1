#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "buf.h"
#include "gql_world.h"

struct run {
	struct str name;
	int64_t rows;
	bool read_only;
	timestamp_us created;
};

static const struct run runs[] = {
	{ STR("a1"), 10, false, { 1700000000000000 } },
	{ STR("b2"), 20, true, { 0 } },
	{ { NULL, 0 }, 30, false, { 0 } },
};

static err_t resolve_loss(struct gql_call *call)
{
	const struct run *run = call->parent;
	struct err *e;

	((struct world *)call->context)->resolved++;
	if (run->rows == 20) {
		json_out_text(call->out, STR("begun"));
		e = err_new(call->arena, ERR_NOT_FOUND, "no loss of b2");
		e->hint = "ask for another";
		return e;
	}
	if (run->rows == 10)
		json_out_real(call->out, 0.5);
	return NULL;
}

static err_t resolve_echo(struct gql_call *call)
{
	json_out_raw(call->out, json_doc_dump(call->arena, call->args));
	return NULL;
}

static const struct gql_type run_type;

static err_t resolve_next(struct gql_call *call)
{
	const struct run *run = call->parent;

	gql_give(call, run < &runs[2] ? run + 1 : NULL);
	return NULL;
}

static err_t resolve_self(struct gql_call *call)
{
	gql_give(call, call->parent);
	return NULL;
}

static const struct gql_field run_fields[] = {
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct run, name),
	GQL_MEMBER("rows", GQL_INT_MEMBER, struct run, rows),
	GQL_MEMBER("readOnly", GQL_BOOL_MEMBER, struct run, read_only),
	GQL_MEMBER("createdAt", GQL_TIME_MEMBER, struct run, created),
	GQL_VALUE_FIELD("loss", NULL, resolve_loss),
	GQL_VALUE_FIELD("echo", "a b", resolve_echo),
	GQL_OBJECT_FIELD("next", NULL, resolve_next, &run_type),
	GQL_OBJECT_FIELD("self", NULL, resolve_self, &run_type),
};
static const struct gql_type run_type = {
	.name = "Run",
	.fields = run_fields,
	.field_count = sizeof(run_fields) / sizeof(run_fields[0]),
	.also = "Node RunLike",
};

static err_t resolve_run(struct gql_call *call)
{
	int64_t number;
	err_t e = gql_arg_int(call, "number", 0, 9, 0, &number);

	if (e)
		return e;
	if (number < 3)
		gql_give(call, &runs[number]);
	return NULL;
}

static err_t resolve_runs(struct gql_call *call)
{
	((struct world *)call->context)->asked_for_rows = gql_asks_for(call, "next.rows");
	gql_give_list(call, runs, 3, sizeof(runs[0]));
	return NULL;
}

static err_t resolve_many(struct gql_call *call)
{
	int64_t count;
	err_t e = gql_arg_int(call, "count", 0, 1000, 0, &count);
	struct run *many;

	if (e)
		return e;
	many = arena_new_array(call->arena, struct run, (size_t)count + 1);
	for (int64_t i = 0; i < count; i++)
		many[i] = runs[0];
	gql_give_list(call, many, (size_t)count, sizeof(runs[0]));
	return NULL;
}

static err_t resolve_fail(struct gql_call *call)
{
	int64_t kind;
	err_t e = gql_arg_int(call, "kind", 0, ERR_KINDS - 1, 0, &kind);

	return e ? e : err_new(call->arena, (enum err_kind)kind, "failed");
}

static err_t resolve_take(struct gql_call *call)
{
	int64_t size;
	err_t e = gql_arg_int(call, "bytes", 0, INT32_MAX, 0, &size);

	if (e)
		return e;
	arena_alloc(call->arena, (size_t)size);
	json_out_int(call->out, size);
	return NULL;
}

static const struct gql_field query_fields[] = {
	GQL_OBJECT_FIELD("run", "number", resolve_run, &run_type),
	GQL_OBJECT_FIELD("runs", NULL, resolve_runs, &run_type),
	GQL_VALUE_FIELD("echo", "input", resolve_echo),
	GQL_VALUE_FIELD("fail", "kind", resolve_fail),
	GQL_VALUE_FIELD("take", "bytes", resolve_take),
	GQL_OBJECT_FIELD("many", "count", resolve_many, &run_type),
};
static const struct gql_type query_type = GQL_TYPE("Query", query_fields);

static const struct gql_field mutation_fields[] = {
	GQL_VALUE_FIELD("change", "input", resolve_echo),
};
static const struct gql_type mutation_type = GQL_TYPE("Mutation", mutation_fields);

static const struct gql_type *const types[] = { &query_type, &mutation_type, &run_type };
static const struct gql_input inputs[] = { { "ChangeInput", "id name  tags" } };
static const struct gql_schema schema = { &query_type, &mutation_type, types, 3, inputs, 1 };

static void see_unknown(void *context, const char *type, struct str field)
{
	struct world *w = context;
	size_t len = strlen(w->unknown);

	snprintf(w->unknown + len, sizeof(w->unknown) - len, "%s.%.*s ", type, STR_ARG(field));
}

int make_world(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->arena = arena_new(4096);
	w->own = arena_new(4096);
	*state = w;
	return 0;
}

int end_world(void **state)
{
	struct world *w = *state;

	arena_free(w->arena);
	arena_free(w->own);
	free(w);
	return 0;
}

err_t try_to_ask(struct world *w, struct gql_request request, struct str *ret_answer)
{
	struct buf *answer = buf_new(w->arena);
	err_t e;

	request.schema = &schema;
	request.context = w;
	request.unknown = see_unknown;
	if (!request.deadline_us)
		request.deadline_us = INT64_MAX;
	e = gql_execute(w->arena, &request, answer);
	*ret_answer = buf_str(answer);
	return e;
}

const char *ask_with(struct world *w, const char *query, const char *variables)
{
	const struct json_doc *doc = NULL;
	struct str answer = STR("");
	err_t e = NULL;

	if (variables)
		e = json_doc_parse(w->arena, str_of(variables), &doc);
	if (!e)
		e = try_to_ask(w, (struct gql_request){ .query = str_of(query), .variables = doc },
			       &answer);
	if (e)
		fail_msg("%s: %s", query, e->message);
	return str_copy(w->arena, answer);
}

const char *ask_named(struct world *w, struct str query, const char *operation)
{
	struct gql_request q = { .query = query, .operation = str_of(operation) };
	struct str answer;
	err_t e = try_to_ask(w, q, &answer);

	assert_null(e);
	return str_copy(w->arena, answer);
}

const char *ask(struct world *w, const char *query)
{
	return ask_with(w, query, NULL);
}

void expect_refusal(struct world *w, const char *query, const char *variables, const char *message)
{
	const struct json_doc *doc = NULL;
	struct str answer;
	err_t e = NULL;

	if (variables)
		e = json_doc_parse(w->arena, str_of(variables), &doc);
	assert_null(e);
	e = try_to_ask(w, (struct gql_request){ .query = str_of(query), .variables = doc },
		       &answer);
	if (!e)
		fail_msg("%s is answered: %.*s", query, STR_ARG(answer));
	assert_string_equal(e->message, message);
	assert_int_equal(answer.len, 0);
}
