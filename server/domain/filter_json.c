/*
 * The JSON form: {"state": "crashed", "$or": [{"config.lr": {"$lt": 0.1}}, {"tags": "good"}]}.
 *
 * The members of an object all hold. A name that begins with `$` is an operator, any other a key.
 * Errors carry the path of the member, "filter.$or[1].state".
 */
#include <string.h>

#include "filter_build.h"
#include "json_doc.h"

struct node_path {
	struct filter_build *build;
	const char *path;
	unsigned depth;
};

static err_t read_object(const struct node_path *at, const struct json_doc *doc,
			 struct filter_node **ret_node);

static err_t refuse(const struct node_path *at, const char *message)
{
	return err_field(at->build->arena, ERR_INVALID, at->path, "%s", message);
}

/* Adds the path to an error from below that has none. */
static err_t add_path(const struct node_path *at, err_t e)
{
	struct err *copy;

	if (!e)
		return NULL;
	copy = err_field(at->build->arena, e->kind, at->path, "%s", e->message);
	copy->hint = e->hint;
	return copy;
}

static struct node_path member_path(const struct node_path *at, struct str name)
{
	return (struct node_path){
		at->build, arena_printf(at->build->arena, "%s.%.*s", at->path, STR_ARG(name)),
		at->depth + 1
	};
}

static struct node_path item_path(const struct node_path *at, size_t index)
{
	return (struct node_path){ at->build,
				   arena_printf(at->build->arena, "%s[%zu]", at->path, index),
				   at->depth };
}

static err_t read_value(const struct node_path *at, const struct json_doc *doc,
			struct filter_value *ret_value)
{
	switch (doc->kind) {
	case JSON_KIND_NULL:
		*ret_value = (struct filter_value){ .kind = FILTER_NULL };
		return NULL;
	case JSON_KIND_BOOL:
		*ret_value =
			(struct filter_value){ .kind = doc->truth ? FILTER_TRUE : FILTER_FALSE };
		return NULL;
	case JSON_KIND_STRING:
		*ret_value = (struct filter_value){ FILTER_TEXT, doc->text };
		return NULL;
	case JSON_KIND_NUMBER:
		*ret_value = (struct filter_value){ FILTER_NUMBER, doc->text };
		if (filter_is_number(doc->text))
			return NULL;
		return refuse(at, "the number is out of range");
	default:
		return refuse(at, "expected a single value; use \"$in\" for a list");
	}
}

static err_t read_comparison(const struct node_path *at, const struct filter_key *key,
			     enum filter_op op, const struct json_doc *doc,
			     struct filter_node **ret_node)
{
	struct filter_value *value = arena_new_of(at->build->arena, struct filter_value);
	err_t e;

	e = read_value(at, doc, value);
	if (e)
		return e;
	if (op != FILTER_EQ && value->kind != FILTER_NUMBER && value->kind != FILTER_TEXT)
		return refuse(at, "expected a number or a string");
	return add_path(at, filter_leaf(at->build, key, op, value, 1, ret_node));
}

static err_t read_in(const struct node_path *at, const struct filter_key *key,
		     const struct json_doc *doc, struct filter_node **ret_node)
{
	struct filter_value *values;
	err_t e;

	if (doc->kind != JSON_KIND_ARRAY)
		return refuse(at, "expected a list of values");
	values = arena_new_array(at->build->arena, struct filter_value, doc->count);
	for (size_t i = 0; i < doc->count; i++) {
		struct node_path item = item_path(at, i);

		e = read_value(&item, doc->items[i], &values[i]);
		if (e)
			return e;
	}
	return add_path(at, filter_leaf(at->build, key, FILTER_IN, values, doc->count, ret_node));
}

static err_t read_exists(const struct node_path *at, const struct filter_key *key,
			 const struct json_doc *doc, struct filter_node **ret_node)
{
	err_t e;

	if (doc->kind != JSON_KIND_BOOL)
		return refuse(at, "expected true or false");
	e = filter_leaf(at->build, key, FILTER_EXISTS, NULL, 0, ret_node);
	if (!e)
		e = filter_node_negate(at->build, !doc->truth, *ret_node, ret_node);
	return add_path(at, e);
}

static err_t read_regex(const struct node_path *at, const struct filter_key *key,
			const struct json_doc *doc, struct filter_node **ret_node)
{
	struct filter_value *value = arena_new_of(at->build->arena, struct filter_value);
	err_t e;

	if (doc->kind != JSON_KIND_STRING)
		return refuse(at, "expected a regular expression");
	*value = (struct filter_value){ FILTER_TEXT, doc->text };
	e = filter_leaf(at->build, key, FILTER_REGEX, value, 1, ret_node);
	if (e)
		return add_path(at, e);
	(*ret_node)->field = at->path;
	return NULL;
}

static err_t read_condition(const struct node_path *at, const struct filter_key *key,
			    const struct json_doc *doc, struct filter_node **ret_node);

static err_t read_not(const struct node_path *at, const struct filter_key *key,
		      const struct json_doc *doc, struct filter_node **ret_node)
{
	err_t e = read_condition(at, key, doc, ret_node);

	if (e)
		return e;
	return add_path(at, filter_node_negate(at->build, true, *ret_node, ret_node));
}

/* {"$lt": 0.1}: the operators on one key. */
static const struct operator
{
	const char *name;
	enum filter_op op;
	bool negate;
	/* NULL: compares with one value */
	err_t (*read)(const struct node_path *at, const struct filter_key *key,
		      const struct json_doc *doc, struct filter_node **ret_node);
}
operators[] = {
	{ "$eq", FILTER_EQ, false, NULL },
	{ "$ne", FILTER_EQ, true, NULL },
	{ "$gt", FILTER_GT, false, NULL },
	{ "$gte", FILTER_GTE, false, NULL },
	{ "$lt", FILTER_LT, false, NULL },
	{ "$lte", FILTER_LTE, false, NULL },
	{ "$in", FILTER_IN, false, read_in },
	{ "$nin", FILTER_IN, true, read_in },
	{ "$regex", FILTER_REGEX, false, read_regex },
	{ "$exists", FILTER_EXISTS, false, read_exists },
	{ "$not", FILTER_NOT, false, read_not },
};

static err_t read_operator(const struct node_path *at, const struct filter_key *key,
			   const struct json_member *member, struct filter_node **ret_node)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		const struct operator* o = & operators[i];
		err_t e;

		if (!str_is(member->name, o->name))
			continue;
		if (o->read)
			e = o->read(at, key, member->value, ret_node);
		else
			e = read_comparison(at, key, o->op, member->value, ret_node);
		if (e)
			return e;
		return add_path(at, filter_node_negate(at->build, o->negate, *ret_node, ret_node));
	}
	return refuse(at, "unknown operator: expected $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, "
			  "$regex, $options, $exists or $not");
}

/* "$options" of the "$regex" next to it: "i" ignores case. */
static err_t read_options(const struct node_path *at, const struct json_doc *doc,
			  bool *ret_ignore_case)
{
	const struct json_doc *options = json_doc_get_named(doc, "$options");

	*ret_ignore_case = options != NULL;
	if (!options)
		return NULL;
	if (options->kind != JSON_KIND_STRING || !str_is(options->text, "i"))
		return refuse(at, "\"$options\" must be \"i\"");
	if (!json_doc_get_named(doc, "$regex"))
		return refuse(at, "\"$options\" requires \"$regex\"");
	return NULL;
}

/* All of {"$gte": 1, "$lt": 2}. */
static err_t read_operators(const struct node_path *at, const struct filter_key *key,
			    const struct json_doc *doc, struct filter_node **ret_node)
{
	struct filter_node *all;
	bool ignore_case;
	err_t e;

	e = read_options(at, doc, &ignore_case);
	if (!e)
		e = add_path(at, filter_node_new(at->build, FILTER_AND, &all));
	for (size_t i = 0; !e && i < doc->count; i++) {
		struct node_path inner = member_path(at, doc->members[i].name);
		struct filter_node *node;

		if (str_is(doc->members[i].name, "$options"))
			continue;
		if (inner.depth > FILTER_DEPTH_MAX)
			return refuse(at, "nested too deeply");
		e = read_operator(&inner, key, &doc->members[i], &node);
		if (e)
			return e;
		node->ignore_case = ignore_case && node->op == FILTER_REGEX;
		filter_node_add(all, node);
		*ret_node = all;
	}
	return e;
}

static err_t read_condition(const struct node_path *at, const struct filter_key *key,
			    const struct json_doc *doc, struct filter_node **ret_node)
{
	if (doc->kind != JSON_KIND_OBJECT)
		return read_comparison(at, key, FILTER_EQ, doc, ret_node);
	if (!doc->count)
		return refuse(at, "expected an operator, such as {\"$gt\": 1}");
	return read_operators(at, key, doc, ret_node);
}

/* "$and", "$or", "$nor": a list of filters. */
static err_t read_list(const struct node_path *at, enum filter_op op, const struct json_doc *doc,
		       struct filter_node **ret_node)
{
	err_t e;

	if (doc->kind != JSON_KIND_ARRAY || !doc->count)
		return refuse(at, "expected a list of filters");
	e = add_path(at, filter_node_new(at->build, op, ret_node));
	for (size_t i = 0; !e && i < doc->count; i++) {
		struct node_path item = item_path(at, i);
		struct filter_node *node;

		e = read_object(&item, doc->items[i], &node);
		if (e)
			return e;
		filter_node_add(*ret_node, node);
	}
	return e;
}

static err_t read_group(const struct node_path *at, const struct json_member *member,
			struct filter_node **ret_node)
{
	bool negate = false;
	err_t e;

	if (str_is(member->name, "$and")) {
		e = read_list(at, FILTER_AND, member->value, ret_node);
	} else if (str_is(member->name, "$or")) {
		e = read_list(at, FILTER_OR, member->value, ret_node);
	} else if (str_is(member->name, "$nor")) {
		negate = true;
		e = read_list(at, FILTER_OR, member->value, ret_node);
	} else if (str_is(member->name, "$not")) {
		negate = true;
		e = read_object(at, member->value, ret_node);
	} else {
		return refuse(at, "unknown operator: expected $and, $or, $nor or $not");
	}
	if (e)
		return e;
	return add_path(at, filter_node_negate(at->build, negate, *ret_node, ret_node));
}

static err_t read_member(const struct node_path *at, const struct json_member *member,
			 struct filter_node **ret_node)
{
	struct filter_key key;
	err_t e;

	if (str_starts(member->name, "$"))
		return read_group(at, member, ret_node);
	e = add_path(at, filter_key_find(at->build->arena, member->name, at->build->bare, &key));
	if (e)
		return e;
	return read_condition(at, &key, member->value, ret_node);
}

static err_t read_object(const struct node_path *at, const struct json_doc *doc,
			 struct filter_node **ret_node)
{
	err_t e;

	if (doc->kind != JSON_KIND_OBJECT)
		return refuse(at, "expected an object");
	if (at->depth > FILTER_DEPTH_MAX)
		return refuse(at, "nested too deeply");
	e = add_path(at, filter_node_new(at->build, FILTER_AND, ret_node));
	for (size_t i = 0; !e && i < doc->count; i++) {
		struct node_path inner = member_path(at, doc->members[i].name);
		struct filter_node *node;

		e = read_member(&inner, &doc->members[i], &node);
		if (e)
			return e;
		filter_node_add(*ret_node, node);
	}
	return e;
}

err_t filter_parse_json(struct filter_build *b, struct str text, struct filter_node **ret_node)
{
	struct node_path top = { .build = b, .path = "filter" };
	const struct json_doc *doc;
	err_t e;

	e = add_path(&top, json_doc_parse(b->arena, text, &doc));
	if (e)
		return e;
	return read_object(&top, doc, ret_node);
}
