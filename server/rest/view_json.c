#include "view_json.h"

#include "json_in.h"
#include "name.h"

static const char *const kinds[] = { "given", "mine", "project", "default", "draft", NULL };

/* When a draft is forgotten. */
static timestamp_us ends_at(const struct view *view)
{
	return (timestamp_us){ view->kind == VIEW_DRAFT ? view->created_at.us + VIEW_DRAFT_KEPT_US
							: 0 };
}

void view_json_write(struct json_out *o, const struct view *view, enum view_json what)
{
	json_out_object(o);
	json_out_put_text(o, "id", view->id);
	json_out_put_text(o, "kind", str_of(kinds[view->kind]));
	json_out_put_text(o, "name", view->name);
	json_out_put_text_or_null(o, "owner", view->owner);
	json_out_put_int(o, "version", view->version);
	json_out_put_time(o, "created_at", view->created_at);
	json_out_put_time(o, "changed_at", view->changed_at);
	json_out_put_text_or_null(o, "changed_by", view->changed_by);
	json_out_put_time(o, "ends_at", ends_at(view));
	if (what == VIEW_WHOLE)
		json_out_put_raw(o, "state", view->state);
	json_out_object_end(o);
}

err_t view_json_read(struct request *q, struct view_change *ret_change)
{
	struct view_change change = { .merges = false };
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	change.has_name = json_in_has(&in, "name");
	change.name = json_in_text_or(&in, "name", name_max_bytes(NAME_VIEW), STR(""));
	change.has_kind = json_in_has(&in, "kind");
	if (change.has_kind)
		change.kind = (enum view_kind)(VIEW_MINE +
					       json_in_choice(&in, "kind", &kinds[VIEW_MINE]));
	change.state = json_in_doc_object(&in, "state");
	e = json_in_end(&in);
	if (e)
		return e;
	*ret_change = change;
	return NULL;
}
