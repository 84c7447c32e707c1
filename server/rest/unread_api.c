#include "unread_api.h"

#include <inttypes.h>

#include "auth.h"
#include "labels.h"
#include "page.h"
#include "series_store.h"
#include "unread_store.h"

static struct str stream_name(int16_t stream)
{
	if (stream == STREAM_HISTORY)
		return STR("history");
	return stream == STREAM_EVENTS ? STR("events") : STR("other");
}

static void write_line(struct json_out *o, const struct unread_row *row,
		       const struct labels *labels)
{
	json_out_object(o);
	json_out_put_int(o, "number", row->number);
	json_out_put_text(o, "label", labels_of(labels, row->writer));
	json_out_put_int(o, "writer", row->writer);
	json_out_put_text(o, "stream", stream_name(row->stream));
	json_out_put_text(o, "text", row->text);
	json_out_put_time(o, "came_at", row->came_at);
	json_out_object_end(o);
}

static err_t reply(struct request *q, struct page *page, const struct unread_row *rows,
		   size_t count)
{
	struct labels labels;
	err_t e = labels_read(q, &labels);

	if (e)
		return e;
	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown; i++)
		write_line(&page->out, &rows[i], &labels);
	if (page->has_more)
		page_set_place(q, page, "%" PRId64, rows[page->shown - 1].number);
	page_end(q, page);
	return NULL;
}

err_t unread_api_list(struct request *q)
{
	struct unread_row *rows;
	struct page page;
	int32_t after;
	size_t count;
	err_t e;

	e = page_read_number(q, -1, &page, &after);
	if (!e)
		e = unread_store_list(q->db, q->target->run_id, after, page.limit + 1, &rows,
				      &count);
	return e ? e : reply(q, &page, rows, count);
}
