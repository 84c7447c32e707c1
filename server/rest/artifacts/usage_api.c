/* The storage of a project: of its runs, and of each collection of artifacts. */
#include "usage_api.h"

#include "artifact_store.h"
#include "artifact_target.h"
#include "auth.h"
#include "page.h"
#include "usage_store.h"

enum { COLLECTIONS = 20, COLLECTIONS_MAX = 100 };

static const struct collection_usage *usage_of(const struct collection_usage *usages, size_t count,
					       int64_t collection_id)
{
	static const struct collection_usage none = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (usages[i].collection_id == collection_id)
			return &usages[i];
	}
	return &none;
}

static void write_collection(struct json_out *o, const struct artifact_collection *collection,
			     const struct collection_usage *usage)
{
	json_out_object(o);
	json_out_put_text(o, "collection", collection->name);
	json_out_put_text(o, "type", collection->type);
	json_out_put_int(o, "versions", usage->versions);
	json_out_put_int(o, "files", usage->files);
	json_out_put_int(o, "bytes", usage->size_bytes);
	json_out_put_int(o, "only_here_bytes", usage->only_here);
	json_out_put_int(o, "shared_bytes", usage->size_bytes - usage->only_here);
	json_out_object_end(o);
}

static err_t write_collections(struct request *q, struct page *page,
			       const struct artifact_collection *collections)
{
	int64_t *ids = arena_new_array(q->arena, int64_t, page->shown + 1);
	const struct collection_usage_ask ask = {
		.project_id = q->target->project_id,
		.sees = artifact_target_sees(q->target),
		.collection_ids = ids,
		.count = page->shown,
	};
	struct collection_usage *usages;
	size_t count;
	err_t e;

	for (size_t i = 0; i < page->shown; i++)
		ids[i] = collections[i].collection_id;
	e = usage_store_of_collections(q->db, &ask, &usages, &count);
	for (size_t i = 0; i < page->shown && !e; i++)
		write_collection(&page->out, &collections[i],
				 usage_of(usages, count, collections[i].collection_id));
	return e;
}

static err_t find_collections(struct request *q, const struct page *page,
			      struct artifact_collection **ret_collections, size_t *ret_count)
{
	const struct artifact_collections_ask ask = {
		.project_id = q->target->project_id,
		.sees = artifact_target_sees(q->target),
		.kind = ARTIFACT_SEQUENCE,
		.type = STR(""),
		.has_after = page->after.len > 0,
		.after_name = page->after.len ? page->after : STR(""),
		.limit = page->limit + 1,
	};

	return artifact_store_list_collections(q->db, &ask, ret_collections, ret_count);
}

static err_t reply_usage(struct request *q, struct page *page, const struct project_usage *usage,
			 const struct artifact_collection *collections, size_t count)
{
	const int64_t size = usage ? usage->size_bytes : 0;
	const int64_t of_artifacts = usage ? usage->artifact_bytes : 0;
	const bool tells = q->target->sees_private; /* private runs are among them */
	err_t e;

	page_begin(q, page, count);
	e = write_collections(q, page, collections);
	if (page->has_more)
		page_set_cursor(q, page, "%.*s", STR_ARG(collections[page->shown - 1].name));
	page_end_items(q, page);
	json_out_put_int_or_null(&page->out, "bytes", tells, size);
	json_out_put_int_or_null(&page->out, "run_bytes", tells, size - of_artifacts);
	json_out_put_int_or_null(&page->out, "artifact_bytes", tells, of_artifacts);
	json_out_object_end(&page->out);
	return e;
}

err_t usage_api_show(struct request *q)
{
	struct artifact_collection *collections;
	struct project_usage *usage;
	struct page page;
	size_t count;
	err_t e = page_read_limited(q, COLLECTIONS, COLLECTIONS_MAX, &page);

	if (!e)
		e = usage_store_of_project(q->db, q->target->project_id, &usage);
	if (!e)
		e = find_collections(q, &page, &collections, &count);
	return e ? e : reply_usage(q, &page, usage, collections, count);
}
