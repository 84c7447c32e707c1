/* Suggestions while a filter is typed: the field names of runs, and the values of one field. */
#include "field_api.h"

#include <stdlib.h>

#include "app.h"
#include "json_out.h"
#include "reply.h"
#include "search_query.h"

enum { FIELDS_LIMIT = 20, FIELDS_LIMIT_MAX = 1000 };

static err_t read_ask(struct request *q, struct search_question *question,
		      struct text_match **match, int64_t *ret_limit)
{
	err_t e = search_query_read(q, question);

	if (!e)
		e = text_match_new(q->arena, "match", request_query(q, "match"), q->deadline_us,
				   match);
	if (!e)
		e = request_query_int(q, "limit", 1, FIELDS_LIMIT_MAX, FIELDS_LIMIT, ret_limit);
	return e;
}

static struct json_out begin_items(struct request *q)
{
	struct json_out out = reply_json(q);

	json_out_object(&out);
	json_out_key(&out, "items");
	json_out_array(&out);
	return out;
}

/* ---- names --------------------------------------------------------------------------------------- */

static int most_runs_first(const void *a, const void *b)
{
	const struct search_field *x = a;
	const struct search_field *y = b;

	if (x->runs != y->runs)
		return x->runs < y->runs ? 1 : -1;
	return str_compare(x->name, y->name);
}

static void write_field(struct request *q, struct json_out *o, const struct search_field *field)
{
	json_out_object(o);
	json_out_put_text(o, "field", field->name);
	json_out_put_text(o, "term", filter_term(q->arena, field->name));
	search_query_write_kinds(o, field->kinds);
	json_out_put_int(o, "runs", field->runs);
	json_out_object_end(o);
}

static void reply_fields(struct request *q, const struct search_fields_found *found, size_t limit,
			 const struct search_fold *fold)
{
	struct json_out out = begin_items(q);

	for (size_t i = 0; i < found->count && i < limit; i++)
		write_field(q, &out, &found->fields[i]);
	json_out_array_end(&out);
	json_out_put_int(&out, "count", (int64_t)found->count);
	search_query_write_age(q, &out, fold);
	json_out_object_end(&out);
}

err_t field_api_list(struct request *q)
{
	struct search_fields ask = { 0 };
	struct search_fields_found found = { 0 };
	struct search_question question;
	int64_t limit;
	err_t e;

	e = read_ask(q, &question, &ask.match, &limit);
	if (!e)
		e = search_fields(q->app->search, q->db, &question, &ask, &found);
	if (!e)
		e = text_match_error(ask.match);
	if (e)
		return e;
	if (found.count)
		qsort(found.fields, found.count, sizeof(found.fields[0]), most_runs_first);
	reply_fields(q, &found, (size_t)limit, question.fold);
	return NULL;
}

/* ---- values -------------------------------------------------------------------------------------- */

static void write_value(struct json_out *o, const struct search_value_runs *item)
{
	json_out_object(o);
	json_out_put_text(o, "kind", str_of(search_query_kind(item->value.rank)));
	json_out_key(o, "value");
	search_query_write_value(o, &item->value);
	json_out_put_int(o, "runs", item->runs);
	json_out_object_end(o);
}

static void write_numbers(struct json_out *o, const struct search_field_values_found *found)
{
	json_out_key(o, "numbers");
	json_out_object(o);
	json_out_put_raw(o, "min", found->least);
	json_out_put_raw(o, "max", found->greatest);
	json_out_object_end(o);
}

static void reply_values(struct request *q, const struct search_field_values_found *found,
			 const struct search_fold *fold)
{
	struct json_out out = begin_items(q);

	for (size_t i = 0; i < found->count; i++) {
		write_value(&out, &found->values[i]);
	}
	json_out_array_end(&out);
	json_out_put_int(&out, "count", found->all);
	json_out_put_int(&out, "runs", found->runs);
	if (found->has_numbers)
		write_numbers(&out, found);
	search_query_write_age(q, &out, fold);
	json_out_object_end(&out);
}

static err_t read_field(struct request *q, struct filter_path *ret_path)
{
	const struct str name = request_param(q, "field");
	struct filter_bare bare = { .count = 0 };
	err_t e = filter_path_parse(q->arena, name, &bare, ret_path);
	struct err *copy;

	if (!e && bare.count)
		e = search_query_bare(q, &bare);
	if (!e && bare.count)
		e = filter_path_parse(q->arena, name, &bare, ret_path);
	if (!e)
		return NULL;
	copy = err_field(q->arena, e->kind, "field", "%s", e->message);
	copy->hint = e->hint;
	return copy;
}

err_t field_api_values(struct request *q)
{
	struct search_field_values_found found = { 0 };
	struct search_question question;
	struct search_field_values ask = { 0 };
	err_t e;

	e = read_ask(q, &question, &ask.match, &ask.limit);
	if (!e)
		e = read_field(q, &ask.field);
	if (!e)
		e = search_field_values(q->app->search, q->db, &question, &ask, &found);
	if (!e)
		reply_values(q, &found, question.fold);
	return e;
}
