#include "wandb_graphql.h"

#include <string.h>

#include "arena.h"
#include "gql_run.h"
#include "json_doc.h"
#include "reply.h"
#include "wandb.h"
#include "wandb_rate_hint.h"
#include "wandb_schema.h"
#include "wandb_sweep_agents.h"
#include "wandb_unknown_fields.h"

/* The parsed body. Its error is reported by the handler, when the caller is known. */
struct asked {
	struct str query;
	struct str operation;
	const struct json_doc *variables;
	struct gql_prepared prepared;
	err_t error;
};

static bool is_text(const struct json_doc *doc)
{
	return json_doc_is(doc, JSON_KIND_STRING);
}

static err_t wrong(struct request *q, const char *field, const char *what)
{
	return err_field(q->arena, ERR_INVALID, field, "\"%s\" of the request must be %s", field,
			 what);
}

/* Null is as good as nothing. */
static const struct json_doc *member(const struct json_doc *body, const char *name)
{
	const struct json_doc *value = json_doc_get_named(body, name);

	return json_doc_is(value, JSON_KIND_NULL) ? NULL : value;
}

static err_t read_body(struct request *q, struct asked *ret_asked)
{
	const struct json_doc *body, *query, *operation, *variables;
	err_t e = json_doc_parse_body_texts(q->arena, q->body, &body);

	if (e)
		return e;
	query = member(body, "query");
	operation = member(body, "operationName");
	variables = member(body, "variables");
	if (!is_text(query))
		return wrong(q, "query", "a string");
	if (operation && !is_text(operation))
		return wrong(q, "operationName", "a string");
	if (variables && !json_doc_is(variables, JSON_KIND_OBJECT))
		return wrong(q, "variables", "an object");
	ret_asked->query = query->text;
	ret_asked->operation = operation ? operation->text : STR("");
	ret_asked->variables = variables;
	return NULL;
}

bool wandb_graphql_reads(struct request *q)
{
	struct asked *asked = arena_new_of(q->arena, struct asked);

	asked->error = read_body(q, asked);
	if (!asked->error)
		asked->error =
			gql_prepare(q->arena, asked->query, asked->operation, &asked->prepared);
	q->parsed = asked;
	return !asked->error && !asked->prepared.operation->is_mutation;
}

/*
 * A temporary error has to be an HTTP error, because the client gives up after a 200. Internal errors are masked
 * and logged that way, too.
 * Agents stop only at a 404.
 */
static bool may_pass(err_t e)
{
	return (e->type && !strcmp(e->type, WANDB_NO_SWEEP)) || e->kind == ERR_BUSY ||
	       e->kind == ERR_TIMEOUT || e->kind == ERR_INTERNAL || e->kind == ERR_RATE_LIMIT ||
	       e->kind == ERR_UNAUTHORIZED;
}

err_t wandb_graphql(struct request *q)
{
	struct wandb context = {
		.q = q,
		.client = wandb_client(q),
		.derives_summary = wandb_derives_summary(q),
	};
	const struct asked *asked = q->parsed;
	struct gql_request request = {
		.schema = &wandb_schema,
		.prepared = &asked->prepared,
		.variables = asked->variables,
		.context = &context,
		.deadline_us = q->deadline_us,
		.unknown = wandb_unknown_fields_add,
		.resolve_large = wandb_resolve_large,
		.ends = may_pass,
	};
	struct buf *answer = buf_new(q->arena);
	static const char nul[] = "\\u0000";
	err_t e;

	context.has_nul = q->body.len && memmem(q->body.at, q->body.len, nul, strlen(nul));

	wandb_rate_hint(q);
	if (asked->error)
		return asked->error;
	e = gql_execute(q->arena, &request, answer);
	if (e)
		return e;
	reply_body(q, "application/json", answer);
	return NULL;
}
