/*
 * One function for each rule of the grammar; a word is checked before it is taken. The depth of
 * recursion is bounded, and so is the number of words.
 */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "gql_doc.h"
#include "gql_lex.h"
#include "json_doc.h"

enum {
	SHOWN = 40,
	ROOM_WORDS = 256, /* between two checks of the remaining memory */
};

struct parser {
	struct arena *arena;
	struct gql_lexer lexer;
	struct gql_token token; /* the next one */
	size_t taken;
	unsigned depth;
	struct spread *spreads;
};

struct spread {
	struct gql_selection *selection;
	struct spread *next;
};

static err_t next(struct parser *p)
{
	if (p->taken++ == GQL_TOKENS_MAX)
		return gql_refuse(&p->lexer, p->token.at, "more than %d tokens", GQL_TOKENS_MAX);
	if (p->taken % ROOM_WORDS == 0 && !arena_fits(p->arena))
		return err_new(p->arena, ERR_BUSY, "the server's memory for requests is in use");
	return gql_lex(&p->lexer, &p->token);
}

static bool sees(const struct parser *p, const char *punctuator)
{
	return p->token.kind == GQL_PUNCTUATOR && str_is(p->token.text, punctuator);
}

static bool sees_name(const struct parser *p, const char *name)
{
	return p->token.kind == GQL_NAME && str_is(p->token.text, name);
}

static err_t unexpected(const struct parser *p, const char *wanted)
{
	struct str seen = p->token.text;

	if (p->token.kind == GQL_END)
		return gql_refuse(&p->lexer, p->token.at, "expected %s, but the document ends",
				  wanted);
	if (seen.len > SHOWN)
		seen.len = SHOWN;
	return gql_refuse(&p->lexer, p->token.at, "expected %s, not \"%.*s\"", wanted,
			  STR_ARG(seen));
}

static err_t expect(struct parser *p, const char *punctuator)
{
	return sees(p, punctuator) ? next(p) : unexpected(p, punctuator);
}

static err_t take_name(struct parser *p, struct str *ret_name)
{
	if (p->token.kind != GQL_NAME)
		return unexpected(p, "a name");
	*ret_name = p->token.text;
	return next(p);
}

static err_t enter(struct parser *p)
{
	if (p->depth == GQL_DEPTH_MAX)
		return gql_refuse(&p->lexer, p->token.at, "more than %d levels", GQL_DEPTH_MAX);
	p->depth++;
	return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------- */

static err_t parse_value(struct parser *p, struct gql_value *ret_value);

static err_t parse_constant(struct parser *p, struct gql_value *v)
{
	struct str text = p->token.text;

	if (p->token.kind == GQL_NUMBER) {
		err_t e = json_doc_parse(p->arena, text, &v->constant);

		if (e)
			return gql_refuse(&p->lexer, p->token.at, "%s", e->message);
	} else if (p->token.kind == GQL_NAME && str_is(text, "null")) {
		v->constant = json_doc_null();
	} else if (p->token.kind == GQL_NAME && (str_is(text, "true") || str_is(text, "false"))) {
		v->constant = json_doc_bool(str_is(text, "true"));
	} else if (p->token.kind == GQL_NAME || p->token.kind == GQL_TEXT) {
		v->constant = json_doc_text(p->arena, text);
	} else {
		return unexpected(p, "a value");
	}
	return next(p);
}

static const struct json_doc *constant_of(struct arena *a, const struct gql_value *v)
{
	const struct json_doc **items = arena_new_array(a, const struct json_doc *, v->count + 1);
	struct json_member *members = arena_new_array(a, struct json_member, v->count + 1);

	for (size_t i = 0; i < v->count; i++) {
		items[i] = v->parts[i].value->constant;
		members[i] = (struct json_member){ v->parts[i].name, items[i] };
	}
	return v->kind == GQL_LIST ? json_doc_array(a, items, v->count)
				   : json_doc_object(a, members, v->count);
}

/* A list or an object without variables is a constant. */
static void fold(struct parser *p, struct gql_value *v)
{
	for (size_t i = 0; i < v->count; i++) {
		if (v->parts[i].value->kind != GQL_CONSTANT)
			return;
	}
	*v = (struct gql_value){ .kind = GQL_CONSTANT, .constant = constant_of(p->arena, v) };
}

static err_t parse_part(struct parser *p, bool named, struct gql_argument *part)
{
	struct gql_value *value = arena_new_of(p->arena, struct gql_value);
	err_t e = NULL;

	part->value = value;
	if (named)
		e = take_name(p, &part->name);
	if (!e && named)
		e = expect(p, ":");
	return e ? e : parse_value(p, value);
}

/* Parses what is between two brackets, each part with its name or, in lists, without. */
static err_t parse_parts(struct parser *p, const char *end, bool named,
			 const struct gql_argument **ret_parts, size_t *ret_count)
{
	struct gql_argument *parts = NULL;
	size_t size = 0;
	size_t count = 0;
	err_t e;

	while (!sees(p, end)) {
		if (count == size)
			parts = arena_grow(p->arena, parts, &size, sizeof(*parts));
		parts[count] = (struct gql_argument){ 0 };
		e = parse_part(p, named, &parts[count++]);
		if (e)
			return e;
	}
	*ret_parts = parts;
	*ret_count = count;
	return next(p);
}

static err_t parse_value(struct parser *p, struct gql_value *ret_value)
{
	bool is_list = sees(p, "[");
	err_t e;

	*ret_value = (struct gql_value){ .kind = GQL_CONSTANT };
	if (sees(p, "$")) {
		ret_value->kind = GQL_VARIABLE;
		e = next(p);
		return e ? e : take_name(p, &ret_value->variable);
	}
	if (!is_list && !sees(p, "{"))
		return parse_constant(p, ret_value);
	ret_value->kind = is_list ? GQL_LIST : GQL_OBJECT;
	e = enter(p);
	if (e)
		return e;
	e = next(p);
	if (!e)
		e = parse_parts(p, is_list ? "]" : "}", !is_list, &ret_value->parts,
				&ret_value->count);
	p->depth--;
	if (!e)
		fold(p, ret_value);
	return e;
}

static err_t parse_arguments(struct parser *p, const struct gql_argument **ret_args,
			     size_t *ret_count)
{
	err_t e;

	*ret_args = NULL;
	*ret_count = 0;
	if (!sees(p, "("))
		return NULL;
	e = next(p);
	return e ? e : parse_parts(p, ")", true, ret_args, ret_count);
}

/* ---- selections --------------------------------------------------------------------------------------- */

static err_t parse_set(struct parser *p, struct gql_set *ret_set);

static err_t add_condition(struct parser *p, struct str name, const struct gql_argument *args,
			   size_t count, const struct gql_condition **list)
{
	struct gql_condition *condition;

	if (!str_is(name, "include") && !str_is(name, "skip"))
		return NULL;
	if (count != 1 || !str_is(args[0].name, "if"))
		return gql_refuse(&p->lexer, p->token.at, "@%.*s requires exactly one argument, if",
				  STR_ARG(name));
	condition = arena_new_of(p->arena, struct gql_condition);
	*condition = (struct gql_condition){ args[0].value, str_is(name, "include"), *list };
	*list = condition;
	return NULL;
}

static err_t parse_directives(struct parser *p, const struct gql_condition **ret_list)
{
	const struct gql_argument *args;
	struct str name;
	size_t count;
	err_t e = NULL;

	*ret_list = NULL;
	while (!e && sees(p, "@")) {
		e = next(p);
		if (!e)
			e = take_name(p, &name);
		if (!e)
			e = parse_arguments(p, &args, &count);
		if (!e)
			e = add_condition(p, name, args, count, ret_list);
	}
	return e;
}

static void note_spread(struct parser *p, struct gql_selection *s)
{
	struct spread *spread = arena_new_of(p->arena, struct spread);

	*spread = (struct spread){ s, p->spreads };
	p->spreads = spread;
}

/* After the three dots: a fragment's name, or a part with or without its condition. */
static err_t parse_spread(struct parser *p, struct gql_selection *s)
{
	bool is_part = sees_name(p, "on") || p->token.kind != GQL_NAME;
	err_t e = NULL;

	s->kind = is_part ? GQL_INLINE : GQL_SPREAD;
	if (sees_name(p, "on"))
		e = next(p);
	if (!e && p->token.kind == GQL_NAME)
		e = take_name(p, &s->name);
	if (!e)
		e = parse_directives(p, &s->conditions);
	if (!e && is_part)
		e = parse_set(p, &s->set);
	if (!is_part)
		note_spread(p, s);
	return e;
}

static err_t parse_field(struct parser *p, struct gql_selection *s)
{
	err_t e = take_name(p, &s->name);

	s->kind = GQL_FIELD;
	s->alias = s->name;
	if (!e && sees(p, ":")) {
		e = next(p);
		if (!e)
			e = take_name(p, &s->name);
	}
	if (!e)
		e = parse_arguments(p, &s->args, &s->arg_count);
	if (!e)
		e = parse_directives(p, &s->conditions);
	if (!e && sees(p, "{"))
		e = parse_set(p, &s->set);
	return e;
}

static err_t parse_selection(struct parser *p, struct gql_selection *s)
{
	err_t e;

	if (!sees(p, "..."))
		return parse_field(p, s);
	e = next(p);
	return e ? e : parse_spread(p, s);
}

static err_t parse_selections(struct parser *p, const struct gql_selection **at)
{
	err_t e = NULL;

	if (sees(p, "}"))
		return unexpected(p, "a field");
	while (!e && !sees(p, "}")) {
		struct gql_selection *s = arena_new_of(p->arena, struct gql_selection);

		*at = s;
		at = &s->next;
		e = parse_selection(p, s);
	}
	return e ? e : next(p);
}

static err_t parse_set(struct parser *p, struct gql_set *ret_set)
{
	err_t e = enter(p);

	if (e)
		return e;
	e = expect(p, "{");
	if (!e)
		e = parse_selections(p, &ret_set->first);
	p->depth--;
	return e;
}

/* ---- definitions -------------------------------------------------------------------------------------- */

/* [[Name!]!]! — only the outermost mark matters to clients that pass values. */
static err_t parse_type(struct parser *p, struct gql_variable *v)
{
	err_t e = NULL;

	for (; !e && sees(p, "["); v->lists++)
		e = v->lists == GQL_DEPTH_MAX ? unexpected(p, "a type") : next(p);
	if (!e)
		e = take_name(p, &v->type);
	for (unsigned left = v->lists; !e; left--) {
		v->required = sees(p, "!");
		if (v->required)
			e = next(p);
		if (e || !left)
			break;
		e = expect(p, "]");
	}
	return e;
}

static err_t parse_default(struct parser *p, struct gql_variable *v)
{
	struct gql_value value;
	size_t at = p->token.at;
	err_t e;

	if (!sees(p, "="))
		return NULL;
	e = next(p);
	if (!e)
		e = parse_value(p, &value);
	if (!e && value.kind != GQL_CONSTANT)
		return gql_refuse(&p->lexer, at, "a default value cannot contain variables");
	if (!e)
		v->or_else = value.constant;
	return e;
}

static err_t parse_variable(struct parser *p, struct gql_variable *v)
{
	const struct gql_condition *ignored;
	err_t e = expect(p, "$");

	if (!e)
		e = take_name(p, &v->name);
	if (!e)
		e = expect(p, ":");
	if (!e)
		e = parse_type(p, v);
	if (!e)
		e = parse_default(p, v);
	return e ? e : parse_directives(p, &ignored);
}

static err_t parse_variables(struct parser *p, const struct gql_variable **at)
{
	err_t e;

	if (!sees(p, "("))
		return NULL;
	e = next(p);
	while (!e && !sees(p, ")")) {
		struct gql_variable *v = arena_new_of(p->arena, struct gql_variable);

		*at = v;
		at = &v->next;
		e = parse_variable(p, v);
	}
	return e ? e : next(p);
}

static err_t parse_operation(struct parser *p, struct gql_operation *o)
{
	const struct gql_condition *ignored;
	err_t e;

	if (sees(p, "{"))
		return parse_set(p, &o->set);
	o->is_mutation = sees_name(p, "mutation");
	if (!o->is_mutation && !sees_name(p, "query"))
		return unexpected(p, "query, mutation or fragment");
	e = next(p);
	if (!e && p->token.kind == GQL_NAME)
		e = take_name(p, &o->name);
	if (!e)
		e = parse_variables(p, &o->variables);
	if (!e)
		e = parse_directives(p, &ignored);
	return e ? e : parse_set(p, &o->set);
}

static err_t parse_fragment(struct parser *p, struct gql_fragment *f)
{
	const struct gql_condition *ignored;
	err_t e = next(p);

	if (!e)
		e = take_name(p, &f->name);
	if (!e && !sees_name(p, "on"))
		return unexpected(p, "on");
	if (!e)
		e = next(p);
	if (!e)
		e = take_name(p, &f->on);
	if (!e)
		e = parse_directives(p, &ignored);
	return e ? e : parse_set(p, &f->set);
}

static err_t parse_definition(struct parser *p, struct gql_document *d)
{
	struct gql_operation *o;
	struct gql_fragment *f;

	if (sees_name(p, "fragment")) {
		f = arena_new_of(p->arena, struct gql_fragment);
		f->next = d->fragments;
		f->number = d->fragment_count++;
		d->fragments = f;
		return parse_fragment(p, f);
	}
	o = arena_new_of(p->arena, struct gql_operation);
	o->next = d->operations;
	d->operations = o;
	return parse_operation(p, o);
}

static int by_name(const void *a, const void *b)
{
	const struct gql_fragment *const *fa = a;
	const struct gql_fragment *const *fb = b;

	return str_compare((*fa)->name, (*fb)->name);
}

/* Each spread finds its fragment once, however often it is expanded. */
static void link_spreads(struct parser *p, const struct gql_document *d)
{
	const struct gql_fragment **sorted =
		arena_new_array(p->arena, const struct gql_fragment *, d->fragment_count + 1);
	size_t count = 0;

	for (const struct gql_fragment *f = d->fragments; f; f = f->next)
		sorted[count++] = f;
	qsort(sorted, count, sizeof(const struct gql_fragment *), by_name);
	for (const struct spread *s = p->spreads; s; s = s->next) {
		const struct gql_fragment *wanted =
			&(struct gql_fragment){ .name = s->selection->name };
		const struct gql_fragment **found = bsearch(
			&wanted, sorted, count, sizeof(const struct gql_fragment *), by_name);

		s->selection->fragment = found ? *found : NULL;
	}
}

err_t gql_parse(struct arena *a, struct str text, const struct gql_document **ret_document)
{
	struct gql_document *d = arena_new_of(a, struct gql_document);
	struct parser p = { .arena = a, .lexer = { .arena = a, .document = text } };
	err_t e;

	if (!str_is_utf8(text))
		return err_field(a, ERR_INVALID, "query", "the document is not UTF-8");
	e = next(&p);
	while (!e && p.token.kind != GQL_END)
		e = parse_definition(&p, d);
	if (e)
		return e;
	if (!d->operations)
		return unexpected(&p, "query or mutation");
	link_spreads(&p, d);
	*ret_document = d;
	return NULL;
}

err_t gql_choose(struct arena *a, const struct gql_document *document, struct str name,
		 const struct gql_operation **ret_operation)
{
	const struct gql_operation *found = NULL;

	for (const struct gql_operation *o = document->operations; o; o = o->next) {
		if (name.len && !str_equal(o->name, name))
			continue;
		if (found)
			return err_field(a, ERR_INVALID, "operationName",
					 "the document contains several such operations");
		found = o;
	}
	if (!found)
		return err_field(a, ERR_INVALID, "operationName",
				 "the document does not contain the operation \"%.*s\"",
				 STR_ARG(name));
	*ret_operation = found;
	return NULL;
}
