#include "wandb_filter.h"

#include <string.h>

#include "arena.h"
#include "buf.h"
#include "json_doc.h"

enum { DEPTH_MAX = 16 };

/* ---- reading -------------------------------------------------------------------------------------- */

#define OPERATORS "$eq $ne $in $nin $gt $gte $lt $lte $exists"

static bool is_among(struct str name, const char *words)
{
	size_t len;

	for (const char *at = words; *at; at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		if (name.len == len && !memcmp(name.at, at, len))
			return true;
	}
	return false;
}

static bool is_group(struct str name)
{
	return str_is(name, "$and") || str_is(name, "$or") || str_is(name, "$nor");
}

static err_t wrong(struct arena *a, const struct wandb_filter *filter, struct str what)
{
	return err_field(
		a, ERR_INVALID, "filters",
		"\"%.*s\" is not supported in filters: use %s, with $eq, $ne, $in, $nin, $gt, "
		"$gte, $lt, $lte, $exists, $and, $or or $nor",
		STR_ARG(what), filter->shown);
}

static err_t check_test(struct arena *a, const struct wandb_filter *filter,
			const struct json_doc *test)
{
	if (!json_doc_is(test, JSON_KIND_OBJECT))
		return NULL;
	for (size_t i = 0; i < test->count; i++) {
		const struct json_member *m = &test->members[i];
		bool is_list = str_is(m->name, "$in") || str_is(m->name, "$nin");

		if (!is_among(m->name, OPERATORS) ||
		    (is_list && !json_doc_is(m->value, JSON_KIND_ARRAY)))
			return wrong(a, filter, m->name);
	}
	return NULL;
}

static err_t check(struct arena *a, const struct wandb_filter *filter, const struct json_doc *doc,
		   unsigned depth);

static err_t check_group(struct arena *a, const struct wandb_filter *filter,
			 const struct json_member *m, unsigned depth)
{
	err_t e = NULL;

	if (!json_doc_is(m->value, JSON_KIND_ARRAY))
		return wrong(a, filter, m->name);
	for (size_t i = 0; i < m->value->count && !e; i++)
		e = check(a, filter, m->value->items[i], depth + 1);
	return e;
}

static err_t check(struct arena *a, const struct wandb_filter *filter, const struct json_doc *doc,
		   unsigned depth)
{
	err_t e = NULL;

	if (!json_doc_is(doc, JSON_KIND_OBJECT) || depth > DEPTH_MAX)
		return err_field(a, ERR_INVALID, "filters",
				 "invalid filters: expected an object of at most %d levels",
				 DEPTH_MAX);
	for (size_t i = 0; i < doc->count && !e; i++) {
		const struct json_member *m = &doc->members[i];

		if (is_group(m->name))
			e = check_group(a, filter, m, depth);
		else if (!is_among(m->name, filter->names) &&
			 !(filter->prefix && str_starts(m->name, filter->prefix)))
			e = wrong(a, filter, m->name);
		else
			e = check_test(a, filter, m->value);
	}
	return e;
}

err_t wandb_filter_read(struct gql_call *call, const struct wandb_filter *filter,
			const struct json_doc **ret_doc)
{
	struct str text = str_trim(gql_arg_text(call, "filters"));
	const struct json_doc *doc;
	err_t e;

	*ret_doc = NULL;
	if (!text.len || str_is(text, "null"))
		return NULL;
	e = json_doc_parse(call->arena, text, &doc);
	if (e)
		return err_field(call->arena, ERR_INVALID, "filters", "invalid filters: %s",
				 e->message);
	e = check(call->arena, filter, doc, 0);
	if (!e && doc->count)
		*ret_doc = doc;
	return e;
}

const struct json_doc *wandb_filter_time(struct arena *a, timestamp_us time)
{
	struct buf *b = buf_new(a);
	struct json_out out = json_out_begin(b);
	struct str text;

	json_out_time(&out, time);
	text = buf_str(b);
	return json_doc_text(a, (struct str){ text.at + 1, text.len - 2 });
}

/* ---- comparing ------------------------------------------------------------------------------------ */

/* Returns false if they cannot be compared. */
static bool compare(const struct json_doc *x, const struct json_doc *y, int *ret_order)
{
	double a, b;

	if (json_doc_is(x, JSON_KIND_STRING) && json_doc_is(y, JSON_KIND_STRING)) {
		*ret_order = str_compare(x->text, y->text);
		return true;
	}
	if (!json_doc_double(x, &a) || !json_doc_double(y, &b))
		return false;
	*ret_order = (a > b) - (a < b);
	return true;
}

static bool is_in(const struct json_doc *value, const struct json_doc *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (json_doc_equal(value, list->items[i]))
			return true;
	}
	return false;
}

static bool passes_one(const struct json_doc *value, struct str op, const struct json_doc *with)
{
	int order;

	if (str_is(op, "$eq"))
		return json_doc_equal(value, with);
	if (str_is(op, "$in"))
		return is_in(value, with);
	if (!compare(value, with, &order))
		return false;
	if (str_is(op, "$gt"))
		return order > 0;
	if (str_is(op, "$gte"))
		return order >= 0;
	return str_is(op, "$lt") ? order < 0 : order <= 0;
}

static bool passes(const struct json_doc *value, struct str op, const struct json_doc *with)
{
	if (str_is(op, "$exists"))
		return (value != NULL) == (json_doc_is(with, JSON_KIND_BOOL) && with->truth);
	if (str_is(op, "$ne"))
		return !passes(value, STR("$eq"), with);
	if (str_is(op, "$nin"))
		return !passes(value, STR("$in"), with);
	if (!value)
		return false;
	if (!json_doc_is(value, JSON_KIND_ARRAY))
		return passes_one(value, op, with);
	for (size_t i = 0; i < value->count; i++) {
		if (passes_one(value->items[i], op, with))
			return true;
	}
	return false;
}

static bool passes_all(const struct json_doc *value, const struct json_doc *test)
{
	if (!json_doc_is(test, JSON_KIND_OBJECT))
		return passes(value, STR("$eq"), test);
	for (size_t i = 0; i < test->count; i++) {
		if (!passes(value, test->members[i].name, test->members[i].value))
			return false;
	}
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static err_t match(struct arena *a, const struct wandb_filter *filter, const struct json_doc *doc,
		   const void *item, bool *ret_matches);

static err_t match_group(struct arena *a, const struct wandb_filter *filter,
			 const struct json_member *m, const void *item, bool *ret_matches)
{
	bool is_and = str_is(m->name, "$and");
	bool found = is_and;
	err_t e = NULL;

	for (size_t i = 0; i < m->value->count && !e && found == is_and; i++)
		e = match(a, filter, m->value->items[i], item, &found);
	*ret_matches = str_is(m->name, "$nor") ? !found : found;
	return e;
}

static err_t match(struct arena *a, const struct wandb_filter *filter, const struct json_doc *doc,
		   const void *item, bool *ret_matches)
{
	bool matches = true;
	err_t e = NULL;

	for (size_t i = 0; i < doc->count && !e && matches; i++) {
		const struct json_member *m = &doc->members[i];
		const struct json_doc *value;

		if (is_group(m->name)) {
			e = match_group(a, filter, m, item, &matches);
			continue;
		}
		e = filter->value_of(a, item, m->name, &value);
		if (!e)
			matches = passes_all(value, m->value);
	}
	*ret_matches = matches;
	return e;
}

err_t wandb_filter_match(struct arena *a, const struct wandb_filter *filter,
			 const struct json_doc *doc, const void *item, bool *ret_matches)
{
	*ret_matches = true;
	return doc ? match(a, filter, doc, item, ret_matches) : NULL;
}
