#include "wandb_summary.h"

#include "app.h"
#include "arena.h"
#include "auth.h"
#include "ingest.h"
#include "json_rows.h"
#include "metric_cache.h"
#include "odd_name.h"

static bool is_long(const struct json_member *member)
{
	return member->name.len > JSON_KEY_MAX_BYTES;
}

static size_t count_long(const struct json_doc *summary)
{
	size_t count = 0;

	for (size_t i = 0; i < summary->count; i++)
		count += is_long(&summary->members[i]);
	return count;
}

/* The parser encodes names with control characters (odd_name.h); other names are unchanged. */
static struct str short_name(struct arena *a, struct str name)
{
	struct str whole = odd_name_read(a, name, ODD_NAME_KEY);

	return odd_name_form(a, whole, ODD_NAME_KEY, JSON_KEY_MAX_BYTES);
}

/* names, ids: of the long members. */
static const struct json_doc *rename_long(struct arena *a, const struct json_doc *summary,
					  const struct str *names, const int32_t *ids)
{
	struct json_member *members = arena_new_array(a, struct json_member, summary->count);
	size_t nth = 0;

	for (size_t i = 0; i < summary->count; i++) {
		members[i] = summary->members[i];
		if (!is_long(&members[i]))
			continue;
		if (ids[nth] != INT32_MAX)
			members[i].name = names[nth];
		nth++;
	}
	return json_doc_object(a, members, summary->count);
}

err_t wandb_summary_shorten(struct request *q, const struct json_doc *summary,
			    const struct json_doc **ret_summary)
{
	size_t count = count_long(summary);
	struct str *names = arena_new_array(q->arena, struct str, count);
	int32_t *ids = arena_new_array(q->arena, int32_t, count);
	size_t n = 0;
	err_t e;

	*ret_summary = summary;
	if (!count)
		return NULL;
	for (size_t i = 0; i < summary->count; i++) {
		if (is_long(&summary->members[i]))
			names[n++] = short_name(q->arena, summary->members[i].name);
	}
	e = metric_cache_find(ingest_metrics_cache(q->app->ingest), q->db, q->target->project_id,
			      names, count, ids);
	if (!e)
		*ret_summary = rename_long(q->arena, summary, names, ids);
	return e;
}
