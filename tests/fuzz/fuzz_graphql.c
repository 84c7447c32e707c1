/*
 * GraphQL documents and variables, as anybody may send them: what is taken is answered with one JSON
 * document, whatever it asks for; what is refused leaves nothing behind.
 */
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "fuzz.h"
#include "gql_run.h"
#include "json_doc.h"

static const int nodes[3];
static const struct gql_type node_type;

static err_t resolve_nodes(struct gql_call *call)
{
	(void)gql_asks_for(call, "nodes.echo");
	gql_give_list(call, nodes, 1,
		      sizeof(nodes[0])); /* of more, 32 levels are too many values */
	return NULL;
}

static err_t resolve_node(struct gql_call *call)
{
	int64_t number;
	err_t e = gql_arg_int(call, "number", 0, 1, 0, &number);

	if (!e && !gql_arg_bool(call, "absent"))
		gql_give(call, &nodes[number]);
	return e;
}

static err_t resolve_echo(struct gql_call *call)
{
	json_out_raw(call->out, json_doc_dump(call->arena, call->args));
	return NULL;
}

static const struct gql_field node_fields[] = {
	GQL_OBJECT_FIELD("node", "number absent", resolve_node, &node_type),
	GQL_OBJECT_FIELD("nodes", NULL, resolve_nodes, &node_type),
	GQL_VALUE_FIELD("echo", "input", resolve_echo),
};
static const struct gql_type node_type = GQL_TYPE("Node", node_fields);
static const struct gql_type *const types[] = { &node_type };
static const struct gql_schema schema = { &node_type, &node_type, types, 1, NULL, 0 };

static void unknown(void *context, const char *type, struct str field)
{
	(void)context;
	FUZZ_CHECK(type && field.len);
}

static bool ends(err_t e)
{
	return e->kind == ERR_NOT_FOUND;
}

static bool has_errors(const struct buf *answer)
{
	return memmem(answer->at, answer->len, "\"errors\":", strlen("\"errors\":")) != NULL;
}

/* The document, a NUL, and its variables perhaps. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096);
	struct str rest = { size ? (const char *)data : "", size };
	struct gql_request request = {
		.schema = &schema,
		.query = str_cut(&rest, '\0'),
		.deadline_us = INT64_MAX,
		.unknown = unknown,
		.ends = size % 2 ? ends : NULL,
	};
	struct buf *answer = buf_new(a);
	const struct json_doc *doc;

	if (json_doc_parse(a, rest, &doc) == NULL)
		request.variables = doc;
	if (gql_execute(a, &request, answer) != NULL)
		FUZZ_CHECK(answer->len == 0);
	else if (answer->len < 1 << 20 && !has_errors(answer))
		FUZZ_CHECK(str_is_utf8(buf_str(answer)) && answer->at[answer->len - 1] == '}');
	arena_free(a);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"query Q($n: Int = 1,) { a: node(number: $n) { echo(input: {x: [$n, 1.5e3, E]}) } }",
		"query ($all: Boolean!) { nodes @include(if: $all) { ...F } } fragment F on Node { echo }",
		"{ node { ... on Node { __typename } ... on Other { echo } echo(input: \"\\u00e9\") } }",
		"mutation { echo(input: {id: null, tags: [], deep: [[true]]}) }",
		"# comment\n{ T: __type(name: \"Node\") { name fields { name args { name } } } }",
		"query ($a: [[String!]]! = [[\"x\"]]) { node(absent: true) { echo } unknown { x } }",
		"{ ...F } fragment F on Node { node { ...F } }",
		"fragment F on Node { ...F ...G } fragment G on Node { ...F } { nodes { ...F } }",
		"{ node { ...F } } fragment F on Node { a: node { ...F } b: node { ...F } }",
		"{ node { ...A } } fragment A on Node { nodes { ...B ...B } } fragment B on Node { nodes { ...C ...C } } "
		"fragment C on Node { nodes { ...D ...D } } fragment D on Node { echo nodes { ...A } }",
		"{ ...A } fragment A on Node { ...B ...B } fragment B on Node { ...C ...C } "
		"fragment C on Node { ...D ...D } fragment D on Node { ...E ...E } fragment E on Node { echo }",
		"query ($v: Int) { ...A } fragment A on Node { a: node { ...B } b: node { ...B } c: node { ...B } } "
		"fragment B on Node { echo(input: [$v, $v, {x: [$v, $v]}]) nodes { a: echo b: echo c: echo } }",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
