#include "view.h"

#include "arena.h"
#include "id.h"
#include "json_doc.h"
#include "name.h"

const struct view views_given[] = {
	{ .id = { "default", 7 },
	  .kind = VIEW_DEFAULT,
	  .name = { "Default", 7 },
	  .state = { "{\"q\":\"job_type!=worker\"}", 24 } },
	{ .id = { "debug", 5 },
	  .kind = VIEW_GIVEN,
	  .name = { "Debug", 5 },
	  .state = { "{\"q\":\"(job_type:worker state:crashed) or writers_lost>0\"}", 57 } },
	{ .id = { "all-nodes", 9 },
	  .kind = VIEW_GIVEN,
	  .name = { "All nodes", 9 },
	  .state = { "{}", 2 } },
};
const size_t views_given_count = sizeof(views_given) / sizeof(views_given[0]);

const struct view *view_given(struct str id)
{
	for (size_t i = 0; i < views_given_count; i++) {
		if (str_equal(views_given[i].id, id))
			return &views_given[i];
	}
	return NULL;
}

void view_make_id(enum view_kind kind, char *id)
{
	if (kind == VIEW_DRAFT)
		*id++ = '~';
	id_text(id, VIEW_ID_LEN);
}

/* ---- who may -------------------------------------------------------------------------------------- */

static err_t forbidden(struct arena *a, const char *message)
{
	return err_new(a, ERR_FORBIDDEN, "%s", message);
}

err_t view_check_make(struct arena *a, enum view_kind kind, struct view_person who)
{
	if (!who.user_id)
		return err_new(a, ERR_UNAUTHORIZED, "sign in to save views");
	if (kind != VIEW_DRAFT && who.scope < KEY_SCOPE_WRITE)
		return forbidden(a, "the key has only the scope read");
	if (kind == VIEW_PROJECT && who.right < ACCESS_RIGHT_WRITE)
		return forbidden(a, "only members can change views of the project");
	if (kind == VIEW_DEFAULT && who.right < ACCESS_RIGHT_ADMIN)
		return forbidden(a, "only admins can change the default view");
	return NULL;
}

err_t view_check_change(struct arena *a, const struct view *view, struct view_person who)
{
	if (view->kind == VIEW_GIVEN)
		return forbidden(a, "this view is built in and cannot be changed");
	if (view->kind == VIEW_DRAFT)
		return forbidden(a, "drafts are immutable");
	if (view->kind == VIEW_MINE && view->owner_id != who.user_id)
		return forbidden(a, "only the author of a view of the project can make it private");
	return view_check_make(a, (enum view_kind)view->kind, who);
}

err_t view_check_delete(struct arena *a, const struct view *view, struct view_person who)
{
	if (view->kind != VIEW_DRAFT)
		return view_check_change(a, view, who);
	if (!who.user_id)
		return view_check_make(a, VIEW_DRAFT, who);
	if (view->owner_id != who.user_id && who.right < ACCESS_RIGHT_ADMIN)
		return forbidden(a, "the draft belongs to another user");
	return NULL;
}

bool view_is_closed(const struct view *view, enum access_right right, bool sees_private,
		    bool has_private)
{
	bool is_shared = view->kind == VIEW_DRAFT ||
			 (view->kind == VIEW_PROJECT && right < ACCESS_RIGHT_ADMIN);

	return is_shared && sees_private && has_private;
}

/* ---- what it becomes ------------------------------------------------------------------------------ */

/* A user's own view may become the project's, and the reverse, but not another user's own one. */
static err_t apply_kind(struct arena *a, struct view *view, enum view_kind kind)
{
	if (kind == (enum view_kind)view->kind)
		return NULL;
	if ((view->kind != VIEW_MINE && view->kind != VIEW_PROJECT) ||
	    (kind != VIEW_MINE && kind != VIEW_PROJECT))
		return err_field(a, ERR_INVALID, "kind",
				 "only \"mine\" and \"project\" can be changed into each other");
	view->kind = (int16_t)kind;
	return NULL;
}

static err_t apply_name(struct arena *a, struct view *view, struct str name)
{
	err_t e = view->kind == VIEW_DRAFT && !name.len ? NULL
							: name_check(a, NAME_VIEW, "name", name);

	if (!e)
		view->name = name;
	return e;
}

static err_t apply_state(struct arena *a, struct view *view, const struct view_change *change)
{
	const struct json_doc *state = change->state;
	const struct json_doc *before;
	struct str text;
	err_t e;

	if (change->merges) {
		e = json_doc_parse(a, view->state, &before);
		if (e)
			return e;
		state = json_doc_patch(a, before, state);
	}
	text = json_doc_dump(a, state);
	if (text.len > VIEW_STATE_MAX)
		return err_field(a, ERR_INVALID, "state", "the state has %zu bytes, more than %d",
				 text.len, VIEW_STATE_MAX);
	view->state = text;
	return NULL;
}

err_t view_apply(struct arena *a, struct view *view, const struct view_change *change)
{
	err_t e = NULL;

	if (change->has_kind)
		e = apply_kind(a, view, change->kind);
	if (!e && change->has_name)
		e = apply_name(a, view, change->name);
	if (!e && change->state)
		e = apply_state(a, view, change);
	return e;
}
