/*
 * Saved views of a project's runs. The views that every project has are answered as if they were stored. The default
 * view is stored when an admin sets it, and reverts when that is deleted.
 */
#include "view_api.h"

#include "auth.h"
#include "buf.h"
#include "etag.h"
#include "json_doc.h"
#include "json_in.h"
#include "json_out.h"
#include "name.h"
#include "path.h"
#include "reply.h"
#include "view_store.h"

/* Which members of a view are written: lists leave its state out. */
enum view_members { VIEW_LISTED, VIEW_WHOLE };

static const char *const kinds[] = { "given", "mine", "project", "default", "draft", NULL };

/* The time when a draft is deleted. */
static timestamp_us ends_at(const struct view *view)
{
	return (timestamp_us){ view->kind == VIEW_DRAFT ? view->created_at.us + VIEW_DRAFT_KEPT_US
							: 0 };
}

static void write_view(struct json_out *o, const struct view *view, enum view_members what)
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

static err_t read_change(struct request *q, struct view_change *ret_change)
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

static struct view_person person(const struct request *q)
{
	const struct identity *identity = q->identity;

	return (struct view_person){
		.user_id = identity ? identity->user_id : 0,
		.right = q->target->right,
		.scope = identity ? identity->scope : KEY_SCOPE_READ,
	};
}

static struct buf *document(struct request *q, const struct view *view)
{
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);

	write_view(&out, view, VIEW_WHOLE);
	return body;
}

static err_t reply(struct request *q, unsigned status, const struct view *view)
{
	err_t e = etag_reply(q, "application/json", document(q, view));

	if (!e && status != 200)
		reply_status(q, status);
	return e;
}

/* ---- reading -------------------------------------------------------------------------------------- */

static struct view_ask ask(const struct request *q)
{
	return (struct view_ask){
		.project_id = q->target->project_id,
		.id = request_param(q, "view"),
		.user_id = person(q).user_id,
		.sees_private = q->target->sees_private,
		.now = q->now,
	};
}

/* A stored one, or else a copy of one that comes with the project. */
static err_t require(struct request *q, struct view **view)
{
	const struct view *given = view_given(request_param(q, "view"));

	if (!*view && given)
		*view = arena_copy(q->arena, given, sizeof(*given));
	return *view ? NULL : err_new(q->arena, ERR_NOT_FOUND, "the view does not exist");
}

/* Nobody is kept waiting by who may not even make one of the kind. */
static err_t lock(struct request *q, enum view_kind least, struct view **ret_view)
{
	struct view_ask which = ask(q);
	err_t e = view_check_make(q->arena, least, person(q));

	if (!e)
		e = view_store_lock(q->db, &which, ret_view);
	return e ? e : require(q, ret_view);
}

err_t view_api_show(struct request *q)
{
	struct view_ask which = ask(q);
	struct view *view;
	err_t e = view_store_find(q->db, &which, &view);

	if (!e)
		e = require(q, &view);
	return e ? e : reply(q, 200, view);
}

err_t view_api_list(struct request *q)
{
	const struct view_ask which = {
		.project_id = q->target->project_id,
		.user_id = person(q).user_id,
		.sees_private = q->target->sees_private,
	};
	struct view *views;
	struct json_out out;
	size_t stored;
	size_t own_default;
	err_t e = view_store_list(q->db, &which, &views, &stored);

	if (e)
		return e;
	own_default = stored && views[0].kind == VIEW_DEFAULT ? 1 : 0;
	out = reply_json(q);
	json_out_object(&out);
	json_out_key(&out, "items");
	json_out_array(&out);
	write_view(&out, own_default ? &views[0] : &views_given[0], VIEW_LISTED);
	for (size_t i = 1; i < views_given_count; i++)
		write_view(&out, &views_given[i], VIEW_LISTED);
	for (size_t i = own_default; i < stored; i++)
		write_view(&out, &views[i], VIEW_LISTED);
	json_out_array_end(&out);
	json_out_object_end(&out);
	return NULL;
}

/* ---- making --------------------------------------------------------------------------------------- */

static const char *location(struct request *q, struct str id)
{
	struct buf *b = buf_new(q->arena);

	buf_add_str(b, q->prefix);
	path_encode(b, q->path);
	buf_add_byte(b, '/');
	path_encode(b, id);
	buf_add_byte(b, '\0');
	return b->at;
}

/* They take room of projects in which their owner may only read. */
static err_t check_drafts(struct request *q)
{
	int64_t count;
	err_t e;

	e = view_store_drop_drafts(q->db, q->target->project_id, q->identity->user_id);
	if (!e)
		e = view_store_count_drafts(q->db, q->identity->user_id, &count);
	if (e || count < VIEW_DRAFT_USER_FULL)
		return e;
	return err_new(q->arena, ERR_UNPROCESSABLE,
		       "you have %d drafts, the limit: the oldest are deleted within a minute",
		       VIEW_DRAFT_USER_FULL);
}

/* Before one more of the kind is made. */
static err_t check_count(struct request *q, enum view_kind kind)
{
	int64_t max = kind == VIEW_MINE ? VIEW_MINE_MAX : VIEW_PROJECT_MAX;
	int64_t count;
	err_t e;

	if (kind == VIEW_DRAFT)
		return check_drafts(q);
	if (kind == VIEW_DEFAULT)
		return NULL;
	e = view_store_count(q->db, q->target->project_id, kind,
			     kind == VIEW_MINE ? q->identity->user_id : 0, &count);
	if (e || count < max)
		return e;
	return err_new(q->arena, ERR_UNPROCESSABLE,
		       "there are %d views of this kind, the limit: delete "
		       "some",
		       (int)max);
}

static void own(struct request *q, struct view *view)
{
	view->owner_id = q->identity->user_id;
	view->owner = q->identity->name;
	view->created_at = q->now;
}

static void touch(struct request *q, struct view *view)
{
	view->changed_at = q->now;
	view->changed_by = q->identity->name;
	view->version++;
}

/* Whoever may not see a private run learns nothing of it by a view. */
static err_t set_closed(struct request *q, struct view *view)
{
	const struct target *t = q->target;
	bool has_private = t->visibility != VISIBILITY_PUBLIC;
	err_t e = NULL;

	if (!has_private)
		e = view_store_has_private_runs(q->db, t->project_id, &has_private);
	if (!e)
		view->is_closed = view_is_closed(view, t->right, t->sees_private, has_private);
	return e;
}

static err_t insert(struct request *q, struct view *view)
{
	bool made;
	err_t e = set_closed(q, view);

	own(q, view);
	touch(q, view);
	if (!e)
		e = view_store_insert(q->db, q->target->project_id, view, &made);
	if (e || made)
		return e;
	return err_new(q->arena, ERR_CONFLICT,
		       "another request has changed the view, or its project was deleted");
}

static err_t check_new(struct request *q, struct view_change *change)
{
	if (!change->has_kind)
		return err_field(q->arena, ERR_INVALID, "kind", "\"kind\" is missing");
	if (change->kind == VIEW_DEFAULT)
		return err_field(q->arena, ERR_INVALID, "kind",
				 "the default view cannot be created with POST: PUT it at "
				 "\"default\"");
	change->has_name = true;
	if (!change->state)
		change->state = json_doc_empty();
	return view_check_make(q->arena, change->kind, person(q));
}

err_t view_api_post(struct request *q)
{
	char *id = arena_alloc(q->arena, VIEW_ID_LEN + 2);
	struct view view = { .version = 0 };
	struct view_change change;
	err_t e = read_change(q, &change);

	if (!e)
		e = check_new(q, &change);
	if (e)
		return e;
	view_make_id(change.kind, id);
	view.id = str_of(id);
	view.kind = (int16_t)change.kind;
	e = view_apply(q->arena, &view, &change);
	if (!e)
		e = check_count(q, change.kind);
	if (!e)
		e = insert(q, &view);
	if (e)
		return e;
	reply_header(q, "Location", location(q, view.id));
	return reply(q, 201, &view);
}

/* ---- changing ------------------------------------------------------------------------------------- */

static err_t apply(struct request *q, struct view *view, const struct view_change *change)
{
	int16_t before = view->kind;
	err_t e = view_check_change(q->arena, view, person(q));

	if (!e)
		e = etag_require(q, buf_str(document(q, view)));
	if (!e)
		e = view_apply(q->arena, view, change);
	if (!e && view->kind != before)
		e = view_check_change(q->arena, view, person(q));
	if (!e && view->kind != before)
		e = check_count(q, (enum view_kind)view->kind);
	return e;
}

static err_t save(struct request *q, struct view *view)
{
	err_t e;

	if (!view->version)
		return insert(q, view);
	e = set_closed(q, view);
	touch(q, view);
	return e ? e : view_store_save(q->db, q->target->project_id, view, q->identity->user_id);
}

static err_t change(struct request *q, const struct view_change *wanted)
{
	struct view *view;
	err_t e = lock(q, VIEW_MINE, &view);

	if (!e)
		e = apply(q, view, wanted);
	if (!e)
		e = save(q, view);
	return e ? e : reply(q, 200, view);
}

err_t view_api_put(struct request *q)
{
	struct view_change wanted;
	err_t e = read_change(q, &wanted);

	if (e)
		return e;
	if (!wanted.has_name)
		return err_field(q->arena, ERR_INVALID, "name", "\"name\" is missing");
	if (!wanted.state)
		return err_field(q->arena, ERR_INVALID, "state", "\"state\" is missing");
	return change(q, &wanted);
}

err_t view_api_patch(struct request *q)
{
	struct view_change wanted;
	err_t e = read_change(q, &wanted);

	if (e)
		return e;
	wanted.merges = true;
	return change(q, &wanted);
}

err_t view_api_delete(struct request *q)
{
	struct view *view;
	err_t e = lock(q, VIEW_DRAFT, &view);

	if (!e)
		e = view_check_delete(q->arena, view, person(q));
	if (!e)
		e = etag_require(q, buf_str(document(q, view)));
	return e ? e : view_store_remove(q->db, q->target->project_id, view->id);
}
