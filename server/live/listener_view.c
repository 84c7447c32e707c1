#include "listener_view.h"

#include "writer_store.h"

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

struct json_out listener_item_begin(const struct listener_view *view, const char *name,
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

void listener_item_end(const struct listener_view *view, struct json_out *json,
		       const struct listener_place *place)
{
	if (view->name.at)
		json_out_object_end(json);
	listener_event_end(json->buf, view->name.at ? NULL : place);
}
