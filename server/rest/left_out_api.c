#include "left_out_api.h"

#include "auth.h"
#include "left_out_store.h"
#include "page.h"

static int64_t write_entry(struct request *q, struct json_out *o, const struct page_rows *rows,
			   size_t row)
{
	const struct left_out_row *entry = (const struct left_out_row *)rows->items + row;

	(void)q;
	json_out_object(o);
	json_out_put_int(o, "number", entry->number);
	json_out_put_text(o, "kind", str_of(left_out_kind_name(entry->kind)));
	json_out_put_text(o, "name", entry->name);
	json_out_put_text(o, "reason", entry->reason);
	json_out_put_int(o, "count", entry->count);
	json_out_put_time(o, "first_at", entry->first_at);
	json_out_put_time(o, "last_at", entry->last_at);
	json_out_put_text(o, "sample", entry->sample);
	json_out_object_end(o);
	return entry->number;
}

static err_t fetch_entries(struct request *q, int32_t after, int64_t limit,
			   struct page_rows *ret_rows)
{
	struct left_out_row *entries = NULL;
	err_t e = left_out_store_list(q->db, q->target->run_id, after, limit, &entries,
				      &ret_rows->count);

	ret_rows->items = entries;
	return e;
}

err_t left_out_api_list(struct request *q)
{
	return page_list(q, -1, fetch_entries, write_entry);
}
