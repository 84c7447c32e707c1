#include "left_out_api.h"

#include <inttypes.h>

#include "auth.h"
#include "left_out_store.h"
#include "page.h"

static void write_entry(struct json_out *o, const struct left_out_row *row)
{
	json_out_object(o);
	json_out_put_int(o, "number", row->number);
	json_out_put_text(o, "kind", str_of(left_out_kind_name(row->kind)));
	json_out_put_text(o, "name", row->name);
	json_out_put_text(o, "reason", row->reason);
	json_out_put_int(o, "count", row->count);
	json_out_put_time(o, "first_at", row->first_at);
	json_out_put_time(o, "last_at", row->last_at);
	json_out_put_text(o, "sample", row->sample);
	json_out_object_end(o);
}

err_t left_out_api_list(struct request *q)
{
	struct left_out_row *rows;
	struct page page;
	int32_t after;
	size_t count;
	err_t e;

	e = page_read_number(q, -1, &page, &after);
	if (!e)
		e = left_out_store_list(q->db, q->target->run_id, after, page.limit + 1, &rows,
					&count);
	if (e)
		return e;
	page_begin(q, &page, count);
	for (size_t i = 0; i < page.shown; i++)
		write_entry(&page.out, &rows[i]);
	if (page.has_more)
		page_set_place(q, &page, "%" PRId32, rows[page.shown - 1].number);
	page_end(q, &page);
	return NULL;
}
