#include "wandb_graphql.h"

#include "gql_run.h"
#include "json_doc.h"
#include "reply.h"
#include "wandb.h"
#include "wandb_pace.h"
#include "wandb_schema.h"
#include "wandb_unknown.h"

struct asked {
	struct str query;
	struct str operation;
	const struct json_doc *variables;
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
	err_t e = json_doc_parse(q->arena, q->body, &body);

	if (e)
		return e;
	query = member(body, "query");
	operation = member(body, "operationName");
	variables = member(body, "variables");
	if (!is_text(query))
		return wrong(q, "query", "a text");
	if (operation && !is_text(operation))
		return wrong(q, "operationName", "a text");
	if (variables && !json_doc_is(variables, JSON_KIND_OBJECT))
		return wrong(q, "variables", "an object");
	*ret_asked = (struct asked){
		.query = query->text,
		.operation = operation ? operation->text : STR(""),
		.variables = variables,
	};
	return NULL;
}

/*
 * What may pass has to be an error of HTTP, wherever it happened: with a 200 the client gives up. What is
 * the server's own fault is masked and logged so, too.
 */
static bool may_pass(err_t e)
{
	return e->kind == ERR_BUSY || e->kind == ERR_TIMEOUT || e->kind == ERR_INTERNAL ||
	       e->kind == ERR_RATE_LIMIT || e->kind == ERR_UNAUTHORIZED;
}

err_t wandb_graphql(struct request *q)
{
	struct wandb context = {
		.q = q,
		.client = wandb_client(q),
		.derives_summary = wandb_derives_summary(q),
	};
	struct gql_request request = {
		.schema = &wandb_schema,
		.context = &context,
		.deadline_us = q->deadline_us,
		.unknown = wandb_unknown,
		.resolve_large = wandb_resolve_large,
		.ends = may_pass,
	};
	struct buf *answer = buf_new(q->arena);
	struct asked asked;
	err_t e = read_body(q, &asked);

	wandb_pace(q);
	if (e)
		return e;
	request.query = asked.query;
	request.operation = asked.operation;
	request.variables = asked.variables;
	e = gql_execute(q->arena, &request, answer);
	if (e)
		return e;
	reply_body(q, "application/json", answer);
	return NULL;
}
