/*
 * Depth first, straight into the answer: no tree of results is built. The output of a field that
 * failed is taken back.
 */
#include "gql_run.h"

#include <string.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "gql_parts.h"
#include "json_doc.h"
#include "memory.h"

enum { LEVELS_MAX = 2 * GQL_DEPTH_MAX };

/* A path in the answer, from the innermost level outwards. */
struct answer_path {
	const struct answer_path *up;
	struct str key; /* .at is NULL: an index in a list */
	size_t index;
	unsigned depth;
};

struct gql_failure {
	err_t error;
	struct str path; /* JSON */
	struct gql_failure *next;
};

static void write_field(struct gql_run *run, const struct gql_type *type, const void *parent,
			struct gql_chosen *chosen, const struct answer_path *up);

/* ---- what went wrong ---------------------------------------------------------------------------------- */

static void write_path(struct json_out *out, const struct answer_path *path)
{
	if (!path)
		return;
	write_path(out, path->up);
	if (path->key.at)
		json_out_text(out, path->key);
	else
		json_out_int(out, (int64_t)path->index);
}

static void fail(struct gql_run *run, const struct answer_path *path, err_t e)
{
	struct gql_failure *failure;
	struct buf *text;
	struct json_out out;

	if (!run->end && run->request->ends && run->request->ends(e)) {
		run->end = run->limit = e;
		run->limit_told = true;
	}
	if (run->failure_count++ >= GQL_ERRORS_SHOWN)
		return;
	failure = arena_new_of(run->arena, struct gql_failure);
	text = buf_new(run->arena);
	out = json_out_begin(text);
	json_out_array(&out);
	write_path(&out, path);
	json_out_array_end(&out);
	*failure = (struct gql_failure){ e, buf_str(text), NULL };
	*run->failures_end = failure;
	run->failures_end = &failure->next;
}

/* The clock is read where a field may take long, and now and then. */
static bool is_late(const struct gql_run *run, const struct gql_chosen *chosen)
{
	bool is_resolved = chosen->field && chosen->field->member == GQL_RESOLVED;

	return (is_resolved || !(run->fields & 0xff)) &&
	       clock_mono_us() > run->request->deadline_us;
}

static size_t most_memory(const struct gql_run *run)
{
	const struct memory_share *share = arena_share(run->arena);
	size_t part = share && share->memory ? share->memory->limit / GQL_MEMORY_PART
					     : GQL_MEMORY_BYTES;

	return part < GQL_MEMORY_BYTES ? part : GQL_MEMORY_BYTES;
}

/* Its own limit, which the same query would reach again, and the room that others leave now. */
static err_t check_memory(const struct gql_run *run)
{
	size_t most = most_memory(run);

	if (arena_held(run->arena) > run->held_before + most)
		return err_new(run->arena, ERR_UNPROCESSABLE,
			       "the response needs more than %zu MiB of memory", most >> 20);
	if (!arena_fits(run->arena))
		return err_new(run->arena, ERR_BUSY, "the server's memory for requests is in use");
	return NULL;
}

err_t gql_check_memory(const struct gql_call *call)
{
	return check_memory(call->run);
}

/* A limit ends the answer, as does the end of the request; all further fields are null. */
static err_t check_limits(struct gql_run *run, const struct gql_chosen *chosen)
{
	if (run->out.buf->len > GQL_ANSWER_BYTES)
		return err_new(run->arena, ERR_UNPROCESSABLE, "the response is larger than %d MiB",
			       GQL_ANSWER_BYTES >> 20);
	if (run->fields++ >= GQL_FIELDS_MAX)
		return err_new(run->arena, ERR_UNPROCESSABLE,
			       "the response has more than %d values", GQL_FIELDS_MAX);
	if (is_late(run, chosen))
		return err_new(run->arena, ERR_TIMEOUT, "the response took too long");
	return check_memory(run);
}

/* ---- what resolvers give ------------------------------------------------------------------------------ */

static void give(struct gql_call *call, const struct gql_type *type, const void *objects,
		 size_t count, size_t size)
{
	struct gql_run *run = call->run;

	run->gave = true;
	run->given_type = type;
	run->given = objects;
	run->given_count = count;
	run->given_size = size;
}

void gql_give(struct gql_call *call, const void *object)
{
	give(call, call->run->current->field->type, object, 1, 0);
}

void gql_give_as(struct gql_call *call, const struct gql_type *type, const void *object)
{
	give(call, type, object, 1, 0);
}

void gql_give_list(struct gql_call *call, const void *objects, size_t count, size_t size)
{
	give(call, call->run->current->field->type, objects, count, size);
}

/* ---- what is asked for -------------------------------------------------------------------------------- */

enum { OPENED_MAX = 256 };

/* Fragments that were searched, and for which rest of the path. */
struct asking {
	const struct gql_run *run;
	struct opened {
		const struct gql_fragment *fragment;
		const char *path;
	} opened[OPENED_MAX];
	size_t count;
};

/* NULL: searched before. */
static const struct gql_set *open_fragment(struct asking *a, const struct gql_fragment *f,
					   struct str path)
{
	if (a->count == OPENED_MAX)
		return NULL;
	for (size_t i = 0; i < a->count; i++) {
		if (a->opened[i].fragment == f && a->opened[i].path == path.at)
			return NULL;
	}
	a->opened[a->count++] = (struct opened){ f, path.at };
	return &f->set;
}

/* Conditions and the types of fragments are ignored: a field that may be asked for counts. */
static bool set_asks_for(struct asking *a, const struct gql_set *set, struct str path)
{
	struct str rest = path;
	struct str name = str_cut(&rest, '.');

	for (const struct gql_selection *s = set->first; s; s = s->next) {
		const struct gql_set *inner = &s->set;

		if (s->kind == GQL_FIELD && !str_equal(s->name, name))
			continue;
		if (s->kind == GQL_FIELD && !rest.len)
			return true;
		if (s->kind == GQL_SPREAD)
			inner = open_fragment(a, s->fragment, path);
		if (inner && set_asks_for(a, inner, s->kind == GQL_FIELD ? rest : path))
			return true;
	}
	return false;
}

bool gql_asks_for(const struct gql_call *call, const char *path)
{
	struct asking a = { .run = call->run };

	for (const struct gql_sets *s = call->run->current->sets; s; s = s->next) {
		if (set_asks_for(&a, s->set, str_of(path)))
			return true;
	}
	return false;
}

/* ---- writing ------------------------------------------------------------------------------------------ */

static err_t collect(struct gql_run *run, struct gql_chosen *chosen, const struct gql_type *type,
		     const struct answer_path *path)
{
	err_t e;

	if (path->depth > LEVELS_MAX)
		return err_field(run->arena, ERR_UNPROCESSABLE, "query",
				 "more than %d levels of fields and lists", LEVELS_MAX);
	if (chosen->type == type)
		return NULL;
	e = gql_collect(run, type, chosen->sets, &chosen->chosens);
	chosen->type = e ? NULL : type;
	return e;
}

static void write_object(struct gql_run *run, struct gql_chosen *chosen,
			 const struct gql_type *type, const void *object,
			 const struct answer_path *path)
{
	err_t e = object ? collect(run, chosen, type, path) : NULL;

	if (e)
		fail(run, path, e);
	if (e || !object) {
		json_out_null(&run->out);
		return;
	}
	json_out_object(&run->out);
	for (size_t i = 0; i < chosen->chosens.count; i++)
		write_field(run, type, object, &chosen->chosens.at[i], path);
	json_out_object_end(&run->out);
}

static void write_given(struct gql_run *run, struct gql_chosen *chosen,
			const struct answer_path *path)
{
	const struct gql_type *type = run->given_type;
	const char *at = run->given;
	size_t count = run->given_count;
	size_t size = run->given_size;

	if (!size) {
		write_object(run, chosen, type, at, path);
		return;
	}
	json_out_array(&run->out);
	for (size_t i = 0; i < count; i++)
		write_object(run, chosen, type, at + i * size,
			     &(struct answer_path){ path, { 0 }, i, path->depth + 1 });
	json_out_array_end(&run->out);
}

static err_t resolve(struct gql_run *run, const void *parent, struct gql_chosen *chosen)
{
	struct gql_call call = {
		.parent = parent,
		.args = gql_read_args(run, chosen->node),
		.context = run->request->context,
		.arena = run->arena,
		.out = &run->out,
		.run = run,
	};

	run->current = chosen;
	run->gave = false;
	if (chosen->field->is_large && run->request->resolve_large)
		return run->request->resolve_large(&call, chosen->field->resolve);
	return chosen->field->resolve(&call);
}

static void write_resolved(struct gql_run *run, const void *parent, struct gql_chosen *chosen,
			   const struct answer_path *path)
{
	struct json_out before = run->out;
	size_t len = run->out.buf->len;
	err_t e = resolve(run, parent, chosen);

	if (e) {
		fail(run, path, e);
		run->out = before;
		run->out.buf->len = len;
		json_out_null(&run->out);
	} else if (run->gave) {
		write_given(run, chosen, path);
	} else if (run->out.buf->len == len) {
		json_out_null(&run->out);
	}
}

static void write_member(struct json_out *out, const struct gql_field *field, const char *object)
{
	const void *at = object + field->offset;

	switch (field->member) {
	case GQL_TEXT_MEMBER:
		if (((const struct str *)at)->at)
			json_out_text(out, *(const struct str *)at);
		else
			json_out_null(out);
		break;
	case GQL_INT_MEMBER:
		json_out_int(out, *(const int64_t *)at);
		break;
	case GQL_BOOL_MEMBER:
		json_out_bool(out, *(const bool *)at);
		break;
	default:
		if (((const timestamp_us *)at)->us)
			json_out_time(out, *(const timestamp_us *)at);
		else
			json_out_null(out);
	}
}

static void write_unknown(struct gql_run *run, const struct gql_type *type, struct str name)
{
	if (str_is(name, "__typename")) {
		json_out_text(&run->out, str_of(type->name));
		return;
	}
	if (run->request->unknown)
		run->request->unknown(run->request->context, type->name, name);
	json_out_null(&run->out);
}

/* Objects are asked for some of their fields, values for none. */
static err_t check_shape(struct gql_run *run, const struct gql_chosen *chosen)
{
	bool is_object = chosen->field && chosen->field->type;

	if (!chosen->field || is_object == (chosen->sets != NULL))
		return NULL;
	return err_field(run->arena, ERR_INVALID, "query", "\"%.*s\" %s",
			 STR_ARG(chosen->node->name),
			 is_object ? "is an object: select some of its fields"
				   : "is a value and has no fields");
}

static void write_field(struct gql_run *run, const struct gql_type *type, const void *parent,
			struct gql_chosen *chosen, const struct answer_path *up)
{
	const struct answer_path path = { up, chosen->key, 0, up ? up->depth + 1 : 1 };
	err_t e = run->limit;

	if (!e)
		e = run->limit = check_limits(run, chosen);
	json_out_key_str(&run->out, chosen->key);
	if (!e)
		e = check_shape(run, chosen);
	if (e) {
		if (e != run->limit || !run->limit_told)
			fail(run, &path, e);
		run->limit_told = run->limit_told || e == run->limit;
		json_out_null(&run->out);
		return;
	}
	if (!chosen->field)
		write_unknown(run, type, chosen->node->name);
	else if (chosen->field->member == GQL_RESOLVED)
		write_resolved(run, parent, chosen, &path);
	else
		write_member(&run->out, chosen->field, parent);
}

/* Clients show only the message. */
static struct str message_of(struct gql_run *run, err_t e)
{
	if (!e->hint)
		return str_of(e->message);
	return str_of(arena_printf(run->arena, "%s; %s", e->message, e->hint));
}

static void write_failures(struct gql_run *run)
{
	struct json_out *out = &run->out;

	if (!run->failures)
		return;
	json_out_key(out, "errors");
	json_out_array(out);
	for (const struct gql_failure *f = run->failures; f; f = f->next) {
		json_out_object(out);
		json_out_put_text(out, "message", message_of(run, f->error));
		json_out_put_raw(out, "path", f->path);
		json_out_object_end(out);
	}
	json_out_array_end(out);
}

err_t gql_prepare(struct arena *a, struct str query, struct str operation,
		  struct gql_prepared *ret_prepared)
{
	err_t e = gql_parse(a, query, &ret_prepared->document);

	if (!e)
		e = gql_choose(a, ret_prepared->document, operation, &ret_prepared->operation);
	return e ? e : gql_check(a, ret_prepared->document, ret_prepared->operation);
}

static err_t prepare(struct gql_run *run, struct gql_chosens *ret_root)
{
	const struct gql_request *q = run->request;
	struct gql_prepared prepared;
	const struct gql_type *root;
	err_t e = NULL;

	if (q->prepared)
		prepared = *q->prepared;
	else
		e = gql_prepare(run->arena, q->query, q->operation, &prepared);
	if (e)
		return e;
	run->operation = prepared.operation;
	e = gql_read_variables(run, q->variables, &run->variables);
	if (e)
		return e;
	root = run->operation->is_mutation ? q->schema->mutation : q->schema->query;
	return gql_collect(run, root, &(struct gql_sets){ &run->operation->set, NULL }, ret_root);
}

static void write_root(struct gql_run *run, struct gql_chosens *root)
{
	const struct gql_schema *schema = run->request->schema;
	const struct gql_type *type = run->operation->is_mutation ? schema->mutation
								  : schema->query;

	json_out_object(&run->out);
	json_out_key(&run->out, "data");
	json_out_object(&run->out);
	for (size_t i = 0; i < root->count; i++)
		write_field(run, type, NULL, &root->at[i], NULL);
	json_out_object_end(&run->out);
	write_failures(run);
	json_out_object_end(&run->out);
}

err_t gql_execute(struct arena *a, const struct gql_request *request, struct buf *answer)
{
	struct gql_run run = {
		.arena = a,
		.request = request,
		.out = json_out_begin(answer),
		.held_before = arena_held(a),
	};
	size_t len = answer->len;
	struct gql_chosens root;
	err_t e;

	run.failures_end = &run.failures;
	e = prepare(&run, &root);
	if (e)
		return e;
	write_root(&run, &root);
	if (run.end)
		answer->len = len;
	return run.end;
}
