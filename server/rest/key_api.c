/*
 * The names of a project's metrics: what runs sent in rows, whether it stands in their summary or not. They are those of
 * runs that whoever asks may see, which the project's dictionary of names does not tell.
 */
#include "key_api.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "auth.h"
#include "ingest.h"
#include "json_out.h"
#include "metric_cache.h"
#include "page.h"
#include "search_query.h"

enum { KEYS_LIMIT = 1000, KEYS_LIMIT_MAX = 10000 };

struct ask {
	struct page page;
	struct text_match *match;
	bool by_section;
	bool of_section; /* of this one alone */
	struct str section;
	bool counts;
};

/* A key; or a section, and of how many keys. */
struct item {
	struct str name;
	const struct search_field *field;
	int64_t keys;
};

/* "train/" of train/loss without the slash; empty without one. */
static struct str section_of(struct str key)
{
	const char *end = key.len ? memrchr(key.at, '/', key.len) : NULL;

	return (struct str){ key.at, end ? (size_t)(end - key.at) : 0 };
}

static err_t read_ask(struct request *q, struct ask *ask)
{
	err_t e = page_read_limited(q, KEYS_LIMIT, KEYS_LIMIT_MAX, &ask->page);

	if (!e)
		e = text_match_new(q->arena, "match", request_query(q, "match"), q->deadline_us,
				   &ask->match);
	if (!e)
		e = request_query_bool(q, "sections", &ask->by_section);
	if (!e)
		e = request_query_bool(q, "count", &ask->counts);
	ask->section = request_query(q, "section");
	ask->of_section = ask->section.at;
	return e;
}

/* Keeps the keys that were sent in rows. */
static err_t keep_keys(struct request *q, const struct ask *ask,
		       const struct search_fields_found *found, struct item *items,
		       size_t *ret_count)
{
	struct str *names = arena_new_array(q->arena, struct str, found->count + 1);
	int32_t *ids = arena_new_array(q->arena, int32_t, found->count + 1);
	size_t count = 0;
	err_t e;

	for (size_t i = 0; i < found->count; i++)
		names[i] = found->fields[i].name;
	e = metric_cache_find(ingest_metrics_cache(q->app->ingest), q->db, q->target->project_id,
			      names, found->count, ids);
	for (size_t i = 0; i < found->count && !e; i++) {
		const bool is_metric = ids[i] != INT32_MAX && !str_is(names[i], "_timestamp");

		if (is_metric &&
		    (!ask->of_section || str_equal(section_of(names[i]), ask->section)))
			items[count++] = (struct item){ names[i], &found->fields[i], 1 };
	}
	*ret_count = count;
	return e;
}

static int by_name(const void *a, const void *b)
{
	return str_compare(((const struct item *)a)->name, ((const struct item *)b)->name);
}

/* Keys into their sections; how many these are. */
static size_t join_sections(struct item *items, size_t count)
{
	size_t sections = 0;

	for (size_t i = 0; i < count; i++)
		items[i].name = section_of(items[i].name);
	if (count)
		qsort(items, count, sizeof(items[0]), by_name);
	for (size_t i = 0; i < count; i++) {
		if (sections && str_equal(items[sections - 1].name, items[i].name))
			items[sections - 1].keys++;
		else
			items[sections++] = items[i];
	}
	return sections;
}

static void write_item(struct json_out *o, const struct ask *ask, const struct item *item)
{
	json_out_object(o);
	if (ask->by_section) {
		json_out_put_text(o, "section", item->name);
		json_out_put_int(o, "keys", item->keys);
	} else {
		json_out_put_text(o, "key", item->name);
		json_out_put_text(o, "section", section_of(item->name));
		search_query_write_kinds(o, item->field->kinds);
		json_out_put_int(o, "runs", item->field->runs);
	}
	json_out_object_end(o);
}

/* The position of a page is "=" and the last name, which may be empty. */
static err_t reply(struct request *q, struct ask *ask, const struct item *items, size_t count,
		   const struct search_fold *fold)
{
	struct page *page = &ask->page;
	struct str after = page->after;
	size_t first = 0;

	if (after.len && after.at[0] != '=')
		return page_bad_cursor(q);
	while (after.len && first < count &&
	       str_compare(items[first].name, (struct str){ after.at + 1, after.len - 1 }) <= 0)
		first++;
	page_begin(q, page, count - first);
	for (size_t i = 0; i < page->shown; i++)
		write_item(&page->out, ask, &items[first + i]);
	if (page->has_more)
		page_set_cursor(q, page, "=%.*s", STR_ARG(items[first + page->shown - 1].name));
	page_end_items(q, page);
	if (ask->counts)
		json_out_put_int(&page->out, "count", (int64_t)count);
	search_query_write_age(q, &page->out, fold);
	json_out_object_end(&page->out);
	return NULL;
}

err_t key_api_list(struct request *q)
{
	struct search_fields fields = { .within = STR("summary"), .beside = STR("logged") };
	struct search_fields_found found = { 0 };
	struct search_question question;
	struct ask ask = { 0 };
	struct item *items;
	size_t count;
	err_t e;

	e = search_query_read(q, &question);
	if (!e)
		e = read_ask(q, &ask);
	fields.match = ask.match;
	if (!e)
		e = search_fields(q->app->search, q->db, &question, &fields, &found);
	if (!e)
		e = text_match_error(ask.match);
	if (e)
		return e;
	items = arena_new_array(q->arena, struct item, found.count + 1);
	e = keep_keys(q, &ask, &found, items, &count);
	if (e)
		return e;
	if (ask.by_section)
		count = join_sections(items, count);
	return reply(q, &ask, items, count, question.fold);
}
