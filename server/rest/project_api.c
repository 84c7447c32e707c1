#include "project_api.h"

#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "buf.h"
#include "deletion_api.h"
#include "deletion_store.h"
#include "etag.h"
#include "name.h"
#include "page.h"
#include "path.h"
#include "project_json.h"
#include "project_store.h"
#include "reply.h"
#include "run_store.h"
#include "server_store.h"

static struct str version(struct request *q, const struct project *project)
{
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);

	project_json_write(&out, project, PROJECT_VERSION);
	return buf_str(body);
}

static struct buf *shown(struct request *q, const struct project *project)
{
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);
	struct project told = *project;

	told.tells_usage = q->target->sees_private;
	project_json_write_shown(&out, &told, q->app->config->grace_s);
	return body;
}

static err_t reply(struct request *q, const struct project *project)
{
	return etag_reply_version(q, "application/json", shown(q, project), version(q, project));
}

/* ---- lists ------------------------------------------------------------------------------------- */

/* `activities` of each, or NULL. */
static void reply_projects(struct request *q, struct page *page, const struct project *projects,
			   const struct project_activity *activities, size_t count)
{
	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown; i++) {
		if (activities)
			project_json_write_active(&page->out, &projects[i], &activities[i]);
		else
			project_json_write(&page->out, &projects[i], PROJECT_LISTED);
	}
	if (page->has_more) {
		const struct project *last = &projects[page->shown - 1];

		page_set_cursor(q, page, "%.*s/%.*s", STR_ARG(last->entity), STR_ARG(last->name));
	}
	page_end(q, page);
}

/* Reads a parameter that requests an optional part. */
static err_t read_true(struct request *q, const char *name, bool *ret_asked)
{
	struct str value = request_query(q, name);

	*ret_asked = value.len != 0;
	if (!value.len || str_is(value, "true"))
		return NULL;
	return err_field(q->arena, ERR_INVALID, name, "\"%s\" must be \"true\"", name);
}

static err_t list(struct request *q, struct project_list *which)
{
	struct project_activity *activities = NULL;
	struct project *projects;
	struct page page;
	bool is_active;
	size_t count;
	err_t e = read_true(q, "activity", &is_active);

	if (!e)
		e = page_read(q, &page);
	if (e)
		return e;
	which->limit = page.limit + 1;
	which->after_entity = str_cut(&page.after, '/');
	which->after_name = page.after;
	e = project_store_list(q->db, which, &projects, &count);
	if (!e && is_active)
		e = project_store_activity(q->db, which, projects, count, &activities);
	if (!e)
		reply_projects(q, &page, projects, activities, count);
	return e;
}

err_t project_api_list_all(struct request *q)
{
	struct project_list which = {
		.user_id = q->identity->user_id,
		.all = q->identity->is_admin,
	};

	return list(q, &which);
}

/* Asks for projects that can be restored, for callers who may restore them. */
static err_t ask_deleted(struct request *q, struct project_list *which)
{
	err_t e = read_true(q, "deleted", &which->deleted);
	struct err *refused;

	if (e || !which->deleted)
		return e;
	if (q->target->right == ACCESS_RIGHT_ADMIN)
		return server_store_now(q->db, &which->now);
	refused = err_new(q->arena, ERR_FORBIDDEN,
			  "\"%.*s\" does not have permission to list deleted "
			  "projects",
			  STR_ARG(auth_who(q)));
	refused->hint = "visible to admins of the entity only, who can restore it";
	return refused;
}

err_t project_api_list(struct request *q)
{
	struct project_list which = {
		.user_id = q->identity ? q->identity->user_id : 0,
		.entity_id = q->target->entity_id,
		.all = q->target->sees_private,
	};
	err_t e = ask_deleted(q, &which);

	return e ? e : list(q, &which);
}

/* ---- one project ------------------------------------------------------------------------------- */

/* A project that the store did not find was deleted a moment ago. */
static err_t require(struct request *q, const struct project *project)
{
	if (project)
		return NULL;
	return err_new(q->arena, ERR_GONE, "the project \"%.*s\" was deleted",
		       STR_ARG(q->target->project));
}

static err_t find(struct request *q, struct project **ret_project)
{
	err_t e = project_store_find(q->db, q->target->project_id, ret_project);

	return e ? e : require(q, *ret_project);
}

static err_t lock(struct request *q, struct project **ret_project)
{
	err_t e = project_store_lock(q->db, q->target->project_id, ret_project);

	return e ? e : require(q, *ret_project);
}

err_t project_api_show(struct request *q)
{
	struct project *project;
	err_t e;

	e = find(q, &project);
	if (e)
		return e;
	return reply(q, project);
}

/* The id of the project that has the name by now; 0 when it was deleted. */
static err_t find_made(struct request *q, int64_t *ret_project_id)
{
	const struct target *t = q->target;
	struct target_row *row;
	err_t e = target_store_find(q->db, q->identity->user_id, t->entity, t->project, &row);

	if (e)
		return e;
	*ret_project_id = row && !row->project_deleted ? row->project_id : 0;
	return NULL;
}

static err_t note_change(struct request *q, enum audit_action action,
			 const struct project_change *change)
{
	const struct audit_event event = {
		.action = action,
		.detail = audit_project_words(q->arena, change),
	};

	return audit_note(q, &event);
}

static err_t make(struct request *q, const struct project_change *change, bool *ret_made)
{
	struct project project = project_default(q->target->entity_id, q->target->project);
	err_t e;

	project_apply(&project, change);
	e = auth_may_show(q, VISIBILITY_PRIVATE, (enum visibility)project.visibility);
	if (e)
		return e;
	e = project_store_make(q->db, &project, q->now, ret_made);
	if (!e && *ret_made)
		e = note_change(q, AUDIT_PROJECT_MAKE, change);
	if (e)
		return e;
	return find_made(q, &q->target->project_id);
}

static const char *location(struct request *q)
{
	struct buf *b = buf_new(q->arena);

	buf_add_str(b, q->prefix);
	path_encode(b, q->path);
	buf_add_byte(b, '\0');
	return b->at;
}

err_t project_api_put(struct request *q)
{
	struct project_change change;
	struct project *project;
	bool made = false;
	err_t e;

	e = project_json_read_change(q, &change);
	if (!e && !q->target->project_id)
		e = make(q, &change, &made);
	if (!e)
		e = find(q, &project);
	if (e)
		return e;
	reply_status(q, made ? 201 : 200);
	if (made)
		reply_header(q, "Location", location(q));
	reply_body(q, "application/json", shown(q, project));
	return NULL;
}

static err_t save(struct request *q, struct project *project, const struct project_change *change)
{
	err_t e = project_store_save(q->db, project, q->now);

	if (!e && change->has_crash_after) /* its running runs are due at another time now */
		e = run_store_look_again(q->db, project->project_id, q->now);
	if (!e)
		e = note_change(q, AUDIT_PROJECT_CHANGE, change);
	auth_forget(q);
	return e;
}

err_t project_api_patch(struct request *q)
{
	struct project_change wanted;
	struct project *project;
	struct str before;
	err_t e;

	e = project_json_read_change(q, &wanted);
	if (!e)
		e = lock(q, &project);
	if (e)
		return e;
	before = version(q, project);
	e = etag_require(q, before);
	if (e)
		return e;
	project_apply(project, &wanted);
	if (!str_equal(before, version(q, project)))
		e = save(q, project, &wanted);
	return e ? e : reply(q, project);
}

static err_t require_confirmation(struct request *q)
{
	struct err *e;

	if (str_equal(request_query(q, "confirm"), q->target->project))
		return NULL;
	e = err_field(q->arena, ERR_INVALID, "confirm",
		      "\"confirm\" must be the name of the project");
	e->hint = "the project is deleted with all its runs";
	return e;
}

static err_t reply_contents(struct request *q, enum deletion_purge purge)
{
	struct buf *body = buf_new(q->arena);
	struct json_out o = json_out_begin(body);
	struct project_contents *contents;
	timestamp_us purge_at;
	err_t e = deletion_describe_project(q, purge, &contents, &purge_at);

	if (e)
		return e;
	json_out_object(&o);
	json_out_put_bool(&o, "deleted", false);
	json_out_put_int(&o, "runs", contents->runs);
	json_out_put_int(&o, "versions", contents->versions);
	json_out_put_int(&o, "bytes", contents->size_bytes);
	json_out_put_int(&o, "links", contents->links);
	json_out_put_time(&o, "purge_at", purge_at);
	json_out_object_end(&o);
	reply_status(q, 200);
	reply_body(q, "application/json", body);
	return NULL;
}

err_t project_api_delete(struct request *q)
{
	enum deletion_purge purge;
	bool is_dry;
	err_t e = request_query_bool(q, "dry_run", &is_dry);

	if (!e)
		e = deletion_read_purge(q, &purge);
	if (!e && is_dry)
		return reply_contents(q, purge);
	if (!e)
		e = require_confirmation(q);
	if (e)
		return e;
	auth_forget(q);
	return deletion_delete_project(q, purge);
}

/* One that is not deleted is answered as it is. */
err_t project_api_restore(struct request *q)
{
	struct project *project;
	bool done;
	err_t e;

	e = deletion_store_restore_project(q->db, q->target->project_id, q->now, &done);
	if (!e)
		e = project_store_find(q->db, q->target->project_id, &project);
	if (e)
		return e;
	if (!project)
		return err_new(q->arena, ERR_GONE,
			       "the project was deleted and can no longer be restored");
	if (done)
		e = audit_note(q, &(struct audit_event){ .action = AUDIT_PROJECT_RESTORE });
	if (e)
		return e;
	auth_forget(q);
	reply_status(q, 200);
	reply_body(q, "application/json", shown(q, project));
	return NULL;
}
