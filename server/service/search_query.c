#include "search_query.h"

#include <string.h>

#include "app.h"
#include "auth.h"
#include "key_list.h"
#include "reply.h"
#include "run_view.h"

static const char *const kinds[] = {
	[SEARCH_RANK_NULL] = "null", [SEARCH_RANK_TEXT] = "text", [SEARCH_RANK_NUMBER] = "number",
	[SEARCH_RANK_BOOL] = "bool", [SEARCH_RANK_LIST] = "list", [SEARCH_RANK_OBJECT] = "object",
	[SEARCH_RANK_NONE] = "none",
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* Both parameters or none. */
static err_t read_group(struct request *q, struct search_question *question)
{
	struct str group = request_query(q, "group");
	err_t e = search_query_key(q, "group_by", &question->group_key);

	if (e)
		return e;
	if (!question->group_key.count)
		return group.at ? err_field(q->arena, ERR_INVALID, "group_by",
					    "\"group\" requires \"group_by\"")
				: NULL;
	if (!group.at)
		return err_field(q->arena, ERR_INVALID, "group", "expected a group");
	return search_query_value(q, "group", group, &question->group);
}

struct search_fold *search_query_fold(struct request *q)
{
	struct search_fold *fold = arena_new_of(q->arena, struct search_fold);

	*fold = (struct search_fold){
		.db = q->primary,
		.reader = run_view_reader,
		.of = q,
		.most_us = q->app->config->search_fold_ms * 1000,
		.most_runs = q->app->config->search_fold_runs,
	};
	return fold;
}

static double behind_s(const struct search_fold *fold)
{
	const int64_t whole_ms = fold->behind_us / 1000;

	return (double)whole_ms / 1e3;
}

void search_query_tell_age(struct request *q, const struct search_fold *fold)
{
	if (fold->is_behind)
		reply_header(q, "Cairn-Behind", arena_printf(q->arena, "%.3f", behind_s(fold)));
}

void search_query_write_age(struct request *q, struct json_out *o, const struct search_fold *fold)
{
	search_query_tell_age(q, fold);
	if (fold->is_behind)
		json_out_put_real(o, "behind_s", behind_s(fold));
}

static struct search_question question_of(struct request *q)
{
	return (struct search_question){
		.project_id = q->target->project_id,
		.sees_private = q->target->sees_private,
		.project_public = q->target->visibility == VISIBILITY_PUBLIC,
		.deadline_us = q->deadline_us,
		.fold = search_query_fold(q),
	};
}

err_t search_query_bare(struct request *q, struct filter_bare *bare)
{
	const struct search_question question = question_of(q);

	return search_bare(q->app->search, q->db, &question, bare);
}

err_t search_query_filter(struct request *q, struct str text, struct search_question *question)
{
	struct filter_bare bare = { .count = 0 };
	err_t e = filter_parse_bare(q->arena, text, &bare, &question->filter);

	if (!e && bare.count)
		e = search_bare(q->app->search, q->db, question, &bare);
	return e || !bare.count ? e : filter_parse_bare(q->arena, text, &bare, &question->filter);
}

err_t search_query_read(struct request *q, struct search_question *ret_question)
{
	struct search_question question = question_of(q);
	struct str text = request_query(q, "filter");
	err_t e = search_query_filter(q, text.at ? text : STR(""), &question);

	if (!e)
		e = read_group(q, &question);
	if (!e)
		*ret_question = question;
	return e;
}

static err_t read_key(struct request *q, const char *name, struct str key, struct filter_bare *bare,
		      struct filter_path *ret_path)
{
	err_t e = order_parse_key(q->arena, key, bare, ret_path);

	return e ? err_field(q->arena, ERR_INVALID, name, "%s", e->message) : NULL;
}

static err_t read_one_key(struct request *q, const char *name, struct filter_bare *bare,
			  struct filter_path *ret_path)
{
	struct str rest = request_query(q, name);
	struct str key;

	*ret_path = (struct filter_path){ 0 };
	if (!rest.at)
		return NULL;
	key = key_list_next(q->arena, &rest);
	if (rest.at)
		return err_field(q->arena, ERR_INVALID, name, "expected exactly one key");
	return read_key(q, name, key, bare, ret_path);
}

err_t search_query_key(struct request *q, const char *name, struct filter_path *ret_path)
{
	struct filter_bare bare = { .count = 0 };
	err_t e = read_one_key(q, name, &bare, ret_path);

	if (!e && bare.count)
		e = search_query_bare(q, &bare);
	return e || !bare.count ? e : read_one_key(q, name, &bare, ret_path);
}

static err_t read_keys(struct request *q, const char *name, size_t most, struct filter_bare *bare,
		       struct filter_path *paths, size_t *ret_count)
{
	struct str rest = request_query(q, name);
	size_t count = 0;
	err_t e = NULL;

	while (rest.len && !e) {
		if (count == most)
			return err_field(q->arena, ERR_INVALID, name, "more than %zu keys", most);
		e = read_key(q, name, key_list_next(q->arena, &rest), bare, &paths[count++]);
	}
	*ret_count = count;
	return e;
}

err_t search_query_keys(struct request *q, const char *name, size_t most, struct filter_path *paths,
			size_t *ret_count)
{
	struct filter_bare bare = { .count = 0 };
	err_t e = read_keys(q, name, most, &bare, paths, ret_count);

	if (!e && bare.count)
		e = search_query_bare(q, &bare);
	return e || !bare.count ? e : read_keys(q, name, most, &bare, paths, ret_count);
}

const char *search_query_kind(int16_t rank)
{
	return kinds[rank];
}

void search_query_write_kinds(struct json_out *o, unsigned ranks)
{
	json_out_key(o, "kinds");
	json_out_array(o);
	for (size_t i = 1; i < SEARCH_RANK_NONE; i++) {
		if (ranks & 1u << i)
			json_out_text(o, str_of(kinds[i]));
	}
	json_out_array_end(o);
}

void search_query_write_numbers(struct json_out *o, const struct search_numbers *numbers)
{
	json_out_object(o);
	json_out_put_int(o, "count", numbers->count);
	if (numbers->count) {
		json_out_put_real(o, "min", numbers->least);
		json_out_put_real(o, "max", numbers->greatest);
		json_out_put_real(o, "mean", numbers->mean);
	}
	if (numbers->count && numbers->deviation >= 0)
		json_out_put_real(o, "std", numbers->deviation);
	json_out_object_end(o);
}

const char *search_query_value_text(struct request *q, const struct search_value *value)
{
	struct str payload = value->rank == SEARCH_RANK_NUMBER ? value->number : value->text;

	if (value->rank == SEARCH_RANK_NULL || value->rank == SEARCH_RANK_NONE)
		return kinds[value->rank];
	return arena_printf(q->arena, "%s:%.*s", kinds[value->rank], STR_ARG(payload));
}

/* The kind, and what follows it. */
static bool find_kind(struct str text, struct search_value *value)
{
	const bool has_value = text.len && memchr(text.at, ':', text.len);
	struct str kind = str_cut(&text, ':');

	for (size_t i = 1; i < KINDS; i++) {
		const bool needs_value = i != SEARCH_RANK_NULL && i != SEARCH_RANK_NONE;

		if (!str_is(kind, kinds[i]) || has_value != needs_value)
			continue;
		*value = (struct search_value){ (int16_t)i, STR("0"), text };
		return true;
	}
	return false;
}

static bool is_value(struct search_value *value)
{
	switch (value->rank) {
	case SEARCH_RANK_NUMBER:
		value->number = value->text;
		value->text = STR("");
		return filter_is_decimal(value->number);
	case SEARCH_RANK_BOOL:
		return str_is(value->text, "true") || str_is(value->text, "false");
	default:
		return true;
	}
}

err_t search_query_value(struct request *q, const char *field, struct str text,
			 struct search_value *ret_value)
{
	struct search_value value;

	if (!str_is_utf8(text) || (text.len && memchr(text.at, 0, text.len)) ||
	    !find_kind(text, &value) || !is_value(&value)) {
		struct err *e = err_field(q->arena, ERR_INVALID, field,
					  "invalid value: use a value from the list of the same "
					  "query");

		if (strcmp(field, "group") == 0)
			e->hint = "expected a group from the list of groups, such as text:adam, "
				  "number:0.1 or none";
		return e;
	}
	*ret_value = value;
	return NULL;
}

void search_query_write_value(struct json_out *o, const struct search_value *value)
{
	switch (value->rank) {
	case SEARCH_RANK_NUMBER:
		json_out_raw(o, value->number);
		break;
	case SEARCH_RANK_BOOL:
		json_out_bool(o, str_is(value->text, "true"));
		break;
	case SEARCH_RANK_NULL:
	case SEARCH_RANK_NONE:
		json_out_null(o);
		break;
	default:
		json_out_text(o, value->text);
		break;
	}
}
