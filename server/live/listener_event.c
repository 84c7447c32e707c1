#include "listener_event.h"

#include "writer_store.h"

void listener_cursor_write(const struct listener_cursor *p, struct buf *out)
{
	buf_printf(out, "%lld.%lld.%lld.%d.%d.%d.%d", (long long)p->row, (long long)p->event,
		   (long long)p->seq, p->lines, p->state, p->alert, p->branch);
}

static bool read_int32(struct str *text, int32_t *ret_number)
{
	int64_t number;

	if (!str_to_int64(str_cut(text, '.'), 0, INT32_MAX, &number))
		return false;
	*ret_number = (int32_t)number;
	return true;
}

bool listener_cursor_read(struct str text, struct listener_cursor *ret_cursor)
{
	struct listener_cursor p;

	if (!str_to_int64(str_cut(&text, '.'), 0, INT64_MAX, &p.row) ||
	    !str_to_int64(str_cut(&text, '.'), 0, INT64_MAX, &p.event) ||
	    !str_to_int64(str_cut(&text, '.'), -1, INT64_MAX, &p.seq) ||
	    !read_int32(&text, &p.lines) || !read_int32(&text, &p.state) ||
	    !read_int32(&text, &p.alert) || !read_int32(&text, &p.branch) || text.len)
		return false;
	*ret_cursor = p;
	return true;
}

void listener_event_begin(struct buf *out, const char *name)
{
	buf_printf(out, "event: %s\ndata: ", name);
}

void listener_event_end(struct buf *out, const struct listener_cursor *cursor)
{
	if (cursor) {
		buf_add_text(out, "\nid: ");
		listener_cursor_write(cursor, out);
	}
	buf_add_text(out, "\n\n");
}

err_t listener_view_labels(struct listener_view *view)
{
	struct db *db = view->reader.db;
	struct arena *a = db_arena(db);
	err_t e;

	if (view->has_labels)
		return NULL;
	db_set_arena(db, view->arena);
	e = writer_store_list_now(db, view->run->run_id, -1, WRITER_LIST_MAX, &view->labels.writers,
				  &view->labels.count);
	db_set_arena(db, a);
	view->has_labels = !e;
	return e;
}

struct json_out listener_event_begin_item(const struct listener_view *view, const char *name,
					  struct buf *out)
{
	struct json_out json;

	listener_event_begin(out, name);
	json = json_out_begin(out);
	if (view->name.at) {
		json_out_object(&json);
		json_out_put_text(&json, "run", view->name);
		json_out_key(&json, name);
	}
	return json;
}

void listener_event_end_item(const struct listener_view *view, struct json_out *json,
			     const struct listener_cursor *cursor)
{
	if (view->name.at)
		json_out_object_end(json);
	listener_event_end(json->buf, view->name.at ? NULL : cursor);
}
