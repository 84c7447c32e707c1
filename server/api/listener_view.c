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
