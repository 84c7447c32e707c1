/*
 * Groups of a project's runs by the value of any key. A run is in exactly one: a list is a value as a whole,
 * and runs without a value are a group, too.
 */
#include "group_api.h"

#include <inttypes.h>

#include "app.h"
#include "json_out.h"
#include "page.h"
#include "search_query.h"

static const struct {
	const char *name;
	bool by_count;
	bool descending;
} orders[] = {
	{ "-count", true, true }, /* the default */
	{ "count", true, false },
	{ "-value", false, true },
	{ "value", false, false },
};

static err_t read_order(struct request *q, struct search_groups *ask)
{
	struct str text = request_query(q, "order");

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (!str_is(text, orders[i].name) && text.at)
			continue;
		ask->by_count = orders[i].by_count;
		ask->descending = orders[i].descending;
		return NULL;
	}
	return err_field(q->arena, ERR_INVALID, "order", "must be count, -count, value or -value");
}

/* "<runs> <value>" */
static err_t read_cursor(struct request *q, struct str after, struct search_groups *ask)
{
	struct str runs;

	if (!after.len)
		return NULL;
	runs = str_cut(&after, ' ');
	if (!str_to_int64(runs, 0, INT64_MAX, &ask->cursor_runs))
		return page_bad_cursor(q);
	ask->has_cursor = true;
	return search_query_value(q, "cursor", after, &ask->cursor);
}

static err_t read_statistics(struct request *q, struct search_groups *ask)
{
	struct filter_path *of =
		arena_new_array(q->arena, struct filter_path, SEARCH_GROUPS_OF_MAX);

	ask->of = of;
	return search_query_keys(q, "of", SEARCH_GROUPS_OF_MAX, of, &ask->of_count);
}

static err_t read_different(struct request *q, struct search_different *ask)
{
	struct filter_path *keys =
		arena_new_array(q->arena, struct filter_path, SEARCH_DIFFERENT_KEYS_MAX);

	ask->keys = keys;
	return search_query_keys(q, "different", SEARCH_DIFFERENT_KEYS_MAX, keys, &ask->key_count);
}

/* All that is asked of groups. */
struct groups_ask {
	struct search_groups groups;
	struct search_different different;
};

static err_t read_ask(struct request *q, struct page *page, struct groups_ask *ask)
{
	struct search_groups *groups = &ask->groups;
	err_t e;

	e = page_read(q, page);
	if (!e)
		e = search_query_key(q, "by", &groups->key);
	if (!e && !groups->key.count)
		e = err_field(q->arena, ERR_INVALID, "by", "expected a key to group by");
	if (!e)
		e = read_statistics(q, groups);
	if (!e)
		e = read_different(q, &ask->different);
	if (!e)
		e = read_order(q, groups);
	if (!e)
		e = read_cursor(q, page->after, groups);
	groups->limit = page->limit + 1;
	return e;
}

static void write_statistics(struct json_out *o, const struct search_groups *ask,
			     const struct search_group *group)
{
	json_out_key(o, "numbers");
	json_out_array(o);
	for (size_t i = 0; i < ask->of_count; i++)
		search_query_write_numbers(o, &group->numbers[i]);
	json_out_array_end(o);
}

static void write_values(struct json_out *o, const struct search_different_found *found)
{
	json_out_array(o);
	for (size_t i = 0; i < found->shown; i++) {
		const struct search_value_runs *one = &found->values[i];

		json_out_object(o);
		json_out_put_text(o, "kind", str_of(search_query_kind(one->value.rank)));
		json_out_key(o, "value");
		search_query_write_value(o, &one->value);
		json_out_put_int(o, "count", one->runs);
		json_out_object_end(o);
	}
	json_out_array_end(o);
}

static void write_different(struct json_out *o, const struct search_different_found *found,
			    size_t count)
{
	json_out_key(o, "different");
	json_out_array(o);
	for (size_t i = 0; i < count; i++) {
		json_out_object(o);
		json_out_put_int(o, "count", found[i].count);
		json_out_put_int(o, "runs", found[i].runs);
		json_out_key(o, "values");
		write_values(o, &found[i]);
		json_out_object_end(o);
	}
	json_out_array_end(o);
}

/* different: of each of its keys. */
static void write_group(struct request *q, struct json_out *o, const struct groups_ask *ask,
			const struct search_group *group,
			const struct search_different_found *different)
{
	json_out_object(o);
	json_out_put_text(o, "group", str_of(search_query_value_text(q, &group->value)));
	json_out_put_text(o, "kind", str_of(search_query_kind(group->value.rank)));
	json_out_key(o, "value");
	search_query_write_value(o, &group->value);
	json_out_put_int(o, "count", group->runs);
	if (ask->groups.of_count)
		write_statistics(o, &ask->groups, group);
	if (ask->different.key_count)
		write_different(o, different, ask->different.key_count);
	json_out_object_end(o);
}

static void reply_groups(struct request *q, struct page *page, const struct groups_ask *ask,
			 const struct search_groups_found *found,
			 const struct search_different_found *different,
			 const struct search_fold *fold)
{
	const struct search_group *last;

	page_begin(q, page, found->count);
	for (size_t i = 0; i < page->shown; i++)
		write_group(q, &page->out, ask, &found->groups[i],
			    different + i * ask->different.key_count);
	last = page->has_more ? &found->groups[page->shown - 1] : NULL;
	if (last)
		page_set_cursor(q, page, "%" PRId64 " %s", last->runs,
				search_query_value_text(q, &last->value));
	page_end_items(q, page);
	json_out_put_int(&page->out, "groups", found->all_groups);
	json_out_put_int(&page->out, "runs", found->all_runs);
	search_query_write_age(q, &page->out, fold);
	json_out_object_end(&page->out);
}

/* Finds in which fields the groups differ. */
static err_t find_different(struct request *q, const struct search_question *question,
			    struct groups_ask *ask, const struct search_groups_found *found,
			    struct search_different_found **ret_found)
{
	if (!ask->different.key_count || !found->count)
		return NULL;
	ask->different.by = ask->groups.key;
	ask->different.groups = found->groups;
	ask->different.group_count = found->count;
	return search_different(q->app->search, q->db, question, &ask->different, ret_found);
}

err_t group_api_list(struct request *q)
{
	static const struct search_different_found none = { 0 };
	struct search_different_found *different = NULL;
	struct search_groups_found found = { 0 };
	struct search_question question;
	struct groups_ask ask = { 0 };
	struct page page;
	err_t e;

	e = search_query_read(q, &question);
	if (!e)
		e = read_ask(q, &page, &ask);
	if (!e)
		e = search_groups(q->app->search, q->db, &question, &ask.groups, &found);
	if (!e)
		e = find_different(q, &question, &ask, &found, &different);
	if (!e)
		reply_groups(q, &page, &ask, &found, different ? different : &none, question.fold);
	return e;
}
