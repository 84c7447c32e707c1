#include "unread_api.h"

#include "auth.h"
#include "labels.h"
#include "page.h"
#include "tail_store.h"
#include "unread_store.h"

static struct str stream_name(int16_t stream)
{
	if (stream == STREAM_HISTORY)
		return STR("history");
	return stream == STREAM_EVENTS ? STR("events") : STR("other");
}

static int64_t write_line(struct request *q, struct json_out *o, const struct page_rows *rows,
			  size_t row)
{
	const struct unread_row *line = (const struct unread_row *)rows->items + row;
	const struct labels *labels = rows->shared;

	(void)q;
	json_out_object(o);
	json_out_put_int(o, "number", line->number);
	json_out_put_text(o, "label", labels_of(labels, line->writer));
	json_out_put_int(o, "writer", line->writer);
	json_out_put_text(o, "stream", stream_name(line->stream));
	json_out_put_text(o, "text", line->text);
	json_out_put_time(o, "came_at", line->came_at);
	json_out_object_end(o);
	return line->number;
}

static err_t fetch_lines(struct request *q, int32_t after, int64_t limit,
			 struct page_rows *ret_rows)
{
	struct labels *labels = arena_new_of(q->arena, struct labels);
	struct unread_row *lines = NULL;
	err_t e =
		unread_store_list(q->db, q->target->run_id, after, limit, &lines, &ret_rows->count);

	if (!e)
		e = labels_read(q, labels);
	ret_rows->items = lines;
	ret_rows->shared = labels;
	return e;
}

err_t unread_api_list(struct request *q)
{
	return page_list(q, -1, fetch_lines, write_line);
}
