/* Types, collections and versions of artifacts, to read. */
#include "artifact_api.h"

#include <inttypes.h>
#include <stdlib.h>

#include "artifact_filter.h"
#include "artifact_json.h"
#include "artifact_page.h"
#include "artifact_query.h"
#include "auth.h"
#include "file_name.h"
#include "page.h"
#include "reply.h"

/* ---- types --------------------------------------------------------------------------------------- */

static void write_type(struct json_out *o, const struct artifact_type *type)
{
	json_out_object(o);
	json_out_put_text(o, "name", type->name);
	json_out_put_text(o, "description", type->description);
	json_out_put_int(o, "collections", type->collections);
	json_out_put_int(o, "versions", type->versions);
	json_out_put_int(o, "bytes", type->size_bytes);
	json_out_put_time(o, "created_at", type->created_at);
	json_out_object_end(o);
}

err_t artifact_api_list_types(struct request *q)
{
	struct artifact_types_ask ask = { .project_id = q->target->project_id,
					  .sees = artifact_target_sees(q->target) };
	struct artifact_type *types;
	struct page page;
	size_t count;
	err_t e = page_read(q, &page);

	if (e)
		return e;
	ask.after = page.after.len ? page.after : STR("");
	ask.limit = page.limit + 1;
	e = artifact_store_list_types(q->db, &ask, &types, &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	for (size_t i = 0; i < page.shown; i++)
		write_type(&page.out, &types[i]);
	if (page.has_more)
		page_set_cursor(q, &page, "%.*s", STR_ARG(types[page.shown - 1].name));
	page_end(q, &page);
	return NULL;
}

/* ---- collections ---------------------------------------------------------------------------------- */

static const char *const orders[] = {
	"name", "-name", "created_at", "-created_at", "changed_at", "-changed_at", NULL,
};

static err_t read_collections_ask(struct request *q, struct page *page,
				  struct artifact_collections_ask *ask)
{
	struct str type = request_query(q, "type");
	size_t order = 0;
	err_t e = page_read(q, page);

	*ask = (struct artifact_collections_ask){
		.project_id = q->target->project_id,
		.sees = artifact_target_sees(q->target),
		.type = type.at ? type : STR(""),
		.pattern = request_query(q, "pattern"),
		.limit = page->limit + 1,
		.has_after = page->after.len > 0,
		.after_name = page->after.len ? page->after : STR(""),
	};
	if (!e && type.at)
		e = artifact_type_check(q->arena, "type", type);
	if (!e)
		e = file_name_check_pattern(q->arena, ask->pattern);
	if (!e)
		e = artifact_query_choice(q, "order", orders, 0, &order);
	if (e)
		return e;
	ask->order = (enum artifact_order)(order / 2);
	ask->descending = order % 2;
	if (ask->order != ARTIFACT_BY_NAME && ask->has_after &&
	    !artifact_query_position(page->after, &ask->after_time, &ask->after_id))
		return page_bad_cursor(q);
	return NULL;
}

static void set_collections_cursor(struct request *q, struct page *page,
				   const struct artifact_collections_ask *ask,
				   const struct artifact_collection *last)
{
	if (ask->order == ARTIFACT_BY_NAME)
		page_set_cursor(q, page, "%.*s", STR_ARG(last->name));
	else
		page_set_cursor(q, page, "%" PRId64 " %" PRId64,
				ask->order == ARTIFACT_BY_CREATED ? last->created_at.us
								  : last->changed_at.us,
				last->collection_id);
}

err_t artifact_api_list(struct request *q)
{
	struct artifact_collection *collections;
	struct artifact_collections_ask ask;
	struct page page;
	size_t count;
	err_t e = read_collections_ask(q, &page, &ask);

	if (!e)
		e = artifact_store_list_collections(q->db, &ask, &collections, &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	e = artifact_json_collections(q, &page.out, collections, page.shown);
	if (page.has_more)
		set_collections_cursor(q, &page, &ask, &collections[page.shown - 1]);
	page_end(q, &page);
	return e;
}

err_t artifact_api_show(struct request *q)
{
	struct artifact_target target;
	struct json_out o;
	err_t e = artifact_query_collection(q, &target);

	if (e)
		return e;
	o = reply_json(q);
	return artifact_json_collections(q, &o, target.collection, 1);
}

/* ---- versions of a collection ---------------------------------------------------------------------- */

static const char *const version_orders[] = { "version", "-version", NULL };

static err_t read_members_ask(struct request *q, struct page *page,
			      struct artifact_members_ask *ask)
{
	size_t order;
	int64_t after = 0;
	err_t e = page_read(q, page);

	if (!e)
		e = artifact_query_choice(q, "order", version_orders, 1, &order);
	if (e)
		return e;
	if (page->after.len && !str_to_int64(page->after, 0, INT32_MAX, &after))
		return page_bad_cursor(q);
	*ask = (struct artifact_members_ask){
		.project_id = q->target->project_id,
		.descending = order == 1,
		.has_after = page->after.len > 0,
		.after = (int32_t)after,
		.limit = page->limit + 1,
	};
	return NULL;
}

struct source {
	int64_t project_id;
	int64_t artifact_id;
};

static int by_project(const void *a, const void *b)
{
	const struct source *x = a;
	const struct source *y = b;

	return (x->project_id > y->project_id) - (x->project_id < y->project_id);
}

static void match_members(const struct seen_project *seen, const struct artifact *artifacts,
			  size_t artifact_count, struct artifact_shown *shown, size_t count)
{
	for (size_t i = 0; i < artifact_count; i++) {
		for (size_t j = 0; j < count && (seen->sees_private || !artifacts[i].is_private);
		     j++) {
			const struct artifact_member *m = shown[j].member;

			if (m->source_id == artifacts[i].project_id &&
			    m->artifact_id == artifacts[i].artifact_id)
				shown[j].artifact = &artifacts[i];
		}
	}
}

struct member_search {
	struct source *sources; /* of the members, by project */
	size_t count;
	struct project_sight *sight;
	struct artifact_shown *shown;
};

/* Finds the versions from `first` on that are of one project. Returns how many these are. */
static err_t find_of_project(struct request *q, const struct member_search *s, size_t first,
			     size_t *ret_count)
{
	const int64_t project_id = s->sources[first].project_id;
	int64_t *ids = arena_new_array(q->arena, int64_t, s->count);
	const struct seen_project *seen;
	struct artifact *found;
	size_t found_count = 0;
	size_t count = 0;
	err_t e = project_sight_find(s->sight, project_id, &seen);

	while (first + count < s->count && s->sources[first + count].project_id == project_id) {
		ids[count] = s->sources[first + count].artifact_id;
		count++;
	}
	if (!e && seen->may_read)
		e = artifact_store_list_ids(q->db, project_id, ids, count, &found, &found_count);
	if (!e && found_count)
		match_members(seen, found, found_count, s->shown, s->count);
	*ret_count = count;
	return e;
}

/* The versions of members, with a statement for each project that they come from and the caller may read. */
static err_t find_versions(struct request *q, const struct artifact_member *members, size_t count,
			   struct artifact_shown *shown)
{
	const struct member_search s = {
		.sources = arena_new_array(q->arena, struct source, count + 1),
		.count = count,
		.sight = project_sight_new(q),
		.shown = shown,
	};
	err_t e = NULL;

	for (size_t i = 0; i < count; i++) {
		s.sources[i] = (struct source){ members[i].source_id, members[i].artifact_id };
		shown[i] = (struct artifact_shown){ .member = &members[i] };
	}
	if (count)
		qsort(s.sources, count, sizeof(s.sources[0]), by_project);
	for (size_t i = 0, some = 0; i < count && !e; i += some)
		e = find_of_project(q, &s, i, &some);
	return e;
}

/* Without deleted versions, and those that the caller may not see. */
static size_t keep_committed(struct artifact_shown *shown, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (shown[i].artifact && shown[i].artifact->state == ARTIFACT_COMMITTED)
			shown[kept++] = shown[i];
	}
	return kept;
}

static err_t fit_members(struct request *q, const struct artifact_member *members, size_t count,
			 size_t *ret_fit)
{
	struct artifact_key *keys = arena_new_array(q->arena, struct artifact_key, count + 1);

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct artifact_key){ members[i].source_id, members[i].artifact_id };
	return artifact_page_fit(q, keys, count, ret_fit);
}

static void cut_page(struct page *page, size_t fit)
{
	if (fit >= page->shown)
		return;
	page->shown = fit;
	page->has_more = true;
}

static err_t reply_members(struct request *q, struct page *page,
			   const struct artifact_member *members, size_t count)
{
	struct artifact_shown *shown = arena_new_array(q->arena, struct artifact_shown, count + 1);
	size_t fit = 0;
	err_t e = fit_members(q, members, count, &fit);

	page_begin(q, page, count);
	cut_page(page, fit);
	if (!e)
		e = find_versions(q, members, page->shown, shown);
	if (!e)
		e = artifact_json_versions(q, &page->out, shown,
					   keep_committed(shown, page->shown));
	if (page->has_more)
		page_set_cursor(q, page, "%d", members[page->shown - 1].version);
	page_end(q, page);
	return e;
}

err_t artifact_api_list_versions(struct request *q)
{
	struct artifact_members_ask ask;
	struct artifact_member *members;
	struct artifact_target target;
	struct page page;
	size_t count;
	err_t e = read_members_ask(q, &page, &ask);

	if (!e)
		e = artifact_query_collection(q, &target);
	if (e)
		return e;
	ask.collection_id = target.collection->collection_id;
	e = artifact_store_list_members(q->db, &ask, &members, &count);
	return e ? e : reply_members(q, &page, members, count);
}

err_t artifact_api_show_version(struct request *q)
{
	struct artifact_target target;
	err_t e = artifact_query_version(q, &target);

	return e ? e : artifact_json_reply(q, &target);
}

err_t artifact_api_show_client(struct request *q)
{
	struct str name = request_param(q, "client");
	struct artifact_target target;
	struct artifact_id id;
	err_t e = artifact_id_read_hex(name, &id)
			  ? artifact_target_number(q, &id, ACCESS_READ, &target)
			  : artifact_target_client(q, name, ACCESS_READ, &target);

	if (!e)
		e = artifact_target_committed(q, &target);
	return e ? e : artifact_json_reply(q, &target);
}

/* ---- search --------------------------------------------------------------------------------------- */

static const char *const search_orders[] = { "created_at", "-created_at", NULL };

static err_t read_search(struct request *q, struct page *page, struct artifact_versions_ask *ask,
			 struct artifact_filter *filter, bool *ret_counts)
{
	size_t order;
	err_t e = page_read(q, page);

	*ask = (struct artifact_versions_ask){
		.project_id = q->target->project_id,
		.committed_only = true,
		.has_after = page->after.len > 0,
		.limit = page->limit + 1,
	};
	if (!e)
		e = artifact_query_choice(q, "order", search_orders, 1, &order);
	if (!e)
		e = request_query_bool(q, "count", ret_counts);
	if (!e)
		e = artifact_filter_read(q, request_query(q, "filter"), ask, filter);
	if (e)
		return e;
	ask->oldest_first = order == 0;
	if (ask->has_after &&
	    !artifact_query_position(page->after, &ask->after_time, &ask->after_id))
		return page_bad_cursor(q);
	return NULL;
}

static err_t reply_search(struct request *q, struct page *page, const struct artifact_found *found,
			  int64_t all)
{
	const struct artifact *artifacts = found->artifacts;
	const size_t count = found->count;
	struct artifact_shown *shown = arena_new_array(q->arena, struct artifact_shown, count + 1);
	err_t e;

	for (size_t i = 0; i < count; i++)
		shown[i] = (struct artifact_shown){ .artifact = &artifacts[i] };
	page_begin(q, page, count);
	page->has_more |= found->is_cut;
	e = artifact_json_versions(q, &page->out, shown, page->shown);
	if (page->has_more)
		page_set_cursor(q, page, "%" PRId64 " %" PRId64,
				artifacts[page->shown - 1].created_at.us,
				artifacts[page->shown - 1].artifact_id);
	page_end_items(q, page);
	if (all >= 0)
		json_out_put_int(&page->out, "count", all);
	json_out_object_end(&page->out);
	return e;
}

err_t artifact_api_search(struct request *q)
{
	struct artifact_versions_ask ask;
	struct artifact_filter filter;
	struct artifact_found found;
	struct page page;
	int64_t all = -1;
	bool counts = false;
	err_t e = read_search(q, &page, &ask, &filter, &counts);

	if (!e)
		e = artifact_filter_page(q, &ask, &filter, &found, counts ? &all : NULL);
	return e ? e : reply_search(q, &page, &found, all);
}
