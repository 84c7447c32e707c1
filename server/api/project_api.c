#include "project_api.h"

#include "auth.h"
#include "etag.h"
#include "name.h"
#include "page.h"
#include "project_json.h"
#include "project_store.h"
#include "reply.h"
#include "run_store.h"

static const char *const no_parameters[] = { NULL };
static const char *const list_parameters[] = { "limit", "cursor", NULL };

static err_t gone(struct request *q)
{
	return err_new(q->arena, ERR_GONE, "the project \"%.*s\" was deleted",
		       STR_ARG(q->target->project));
}

static struct buf *document(struct request *q, const struct project *project)
{
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);

	project_json_write(&out, project);
	return body;
}

/* ---- lists ------------------------------------------------------------------------------------- */

static struct str place_of(struct request *q, const struct project *p)
{
	return str_of(arena_printf(q->arena, "%.*s/%.*s", STR_ARG(p->entity), STR_ARG(p->name)));
}

static err_t reply_list(struct request *q, struct project_list *list)
{
	size_t limit = (size_t)list->limit, count, shown;
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);
	struct project *projects;
	err_t e;

	list->limit++; /* one more tells whether there is another page */
	e = project_store_list(q->db, list, &projects, &count);
	if (e)
		return e;
	shown = count > limit ? limit : count;
	json_out_object(&out);
	json_out_key(&out, "items");
	json_out_array(&out);
	for (size_t i = 0; i < shown; i++)
		project_json_write(&out, &projects[i]);
	json_out_array_end(&out);
	page_put_next(&out, q, count > shown ? place_of(q, &projects[shown - 1]) : STR(""));
	json_out_object_end(&out);
	reply_status(q, 200);
	reply_body(q, "application/json", body);
	return NULL;
}

static err_t read_list(struct request *q, struct project_list *list)
{
	struct page page;
	err_t e = request_query_only(q, list_parameters);

	if (!e)
		e = page_read(q, &page);
	if (e)
		return e;
	list->limit = page.limit;
	list->after_entity = str_cut(&page.after, '/');
	list->after_name = page.after;
	return NULL;
}

err_t project_api_list_all(struct request *q)
{
	struct project_list list = {
		.user_id = q->identity->user_id,
		.all = q->identity->is_admin,
	};
	err_t e = read_list(q, &list);

	return e ? e : reply_list(q, &list);
}

err_t project_api_list(struct request *q)
{
	struct project_list list = {
		.user_id = q->identity ? q->identity->user_id : 0,
		.entity_id = q->target->entity_id,
		.all = q->target->sees_private,
	};
	err_t e = read_list(q, &list);

	return e ? e : reply_list(q, &list);
}

/* ---- one project ------------------------------------------------------------------------------- */

err_t project_api_show(struct request *q)
{
	struct project *project;
	err_t e = request_query_only(q, no_parameters);

	if (!e)
		e = project_store_find(q->db, q->target->project_id, &project);
	if (e)
		return e;
	if (!project)
		return gone(q);
	return etag_reply(q, "application/json", document(q, project));
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

static err_t make(struct request *q, const struct project_change *change, bool *ret_made)
{
	struct project project = project_default(q->target->entity_id, q->target->project);
	err_t e;

	project_apply(&project, change);
	e = project_store_make(q->db, &project, q->now, ret_made);
	if (e)
		return e;
	return find_made(q, &q->target->project_id);
}

err_t project_api_put(struct request *q)
{
	struct project_change change;
	struct project *project = NULL;
	bool made = false;
	err_t e = request_query_only(q, no_parameters);

	if (!e)
		e = project_json_read_change(q, &change);
	if (!e && !q->target->project_id)
		e = make(q, &change, &made);
	if (!e)
		e = project_store_find(q->db, q->target->project_id, &project);
	if (e)
		return e;
	if (!project)
		return gone(q);
	reply_status(q, made ? 201 : 200);
	if (made)
		reply_header(q, "Location",
			     arena_printf(q->arena, "%.*s%.*s", STR_ARG(q->prefix),
					  STR_ARG(q->path)));
	reply_body(q, "application/json", document(q, project));
	return NULL;
}

err_t project_api_patch(struct request *q)
{
	struct project_change change;
	struct project *project = NULL;
	err_t e = request_query_only(q, no_parameters);

	if (!e)
		e = project_json_read_change(q, &change);
	if (!e)
		e = project_store_lock(q->db, q->target->project_id, &project);
	if (e)
		return e;
	if (!project)
		return gone(q);
	e = etag_require(q, buf_str(document(q, project)));
	if (e)
		return e;
	project_apply(project, &change);
	e = project_store_save(q->db, project);
	if (!e && change.has_crash_after) /* its running runs are due at another time now */
		e = run_store_look_again(q->db, project->project_id, q->now);
	if (e)
		return e;
	auth_forget(q);
	return etag_reply(q, "application/json", document(q, project));
}

err_t project_api_delete(struct request *q)
{
	static const char *const parameters[] = { "confirm", NULL };
	struct err *refusal;
	err_t e = request_query_only(q, parameters);

	if (e)
		return e;
	if (!str_equal(request_query(q, "confirm"), q->target->project)) {
		refusal = err_field(q->arena, ERR_INVALID, "confirm",
				    "\"confirm\" must be the name of the project");
		refusal->hint = "this deletes the project with all its runs";
		return refusal;
	}
	auth_forget(q);
	return project_store_delete(q->db, q->target->project_id, q->now);
}
