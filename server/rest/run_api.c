#include "run_api.h"

#include "audit_note.h"
#include "auth.h"
#include "buf.h"
#include "document_edit.h"
#include "etag.h"
#include "id.h"
#include "move_store.h"
#include "path.h"
#include "project_store.h"
#include "reply.h"
#include "run_branch.h"
#include "run_change.h"
#include "run_json.h"
#include "run_target.h"
#include "search_store.h"

err_t run_api_show(struct request *q)
{
	struct run *run;
	err_t e;

	e = run_store_get(q->db, q->target->run_id, &run);
	return e ? e : run_json_reply(q, 200, run);
}

/* By what its project is now, not a moment ago. */
static err_t check_visibility(struct request *q, int16_t before, int16_t after)
{
	enum visibility of_project = VISIBILITY_PRIVATE;
	struct project *project = NULL;
	err_t e = NULL;

	if (before == after)
		return NULL;
	if (q->target->project_id)
		e = project_store_find(q->db, q->target->project_id, &project);
	if (e)
		return e;
	if (project)
		of_project = (enum visibility)project->visibility;
	return auth_may_show(q, access_visibility(of_project, (enum visibility)before),
			     access_visibility(of_project, (enum visibility)after));
}

static const char *location(struct request *q)
{
	struct buf *b = buf_new(q->arena);

	buf_printf(b, "%.*s/api/v1/projects/%.*s/", STR_ARG(q->prefix), STR_ARG(q->target->entity));
	path_encode(b, q->target->project);
	buf_add_text(b, "/runs/");
	path_encode(b, q->target->run);
	buf_add_byte(b, '\0');
	return b->at;
}

static err_t note_visibility(struct request *q, int16_t visibility)
{
	const struct audit_event event = {
		.action = AUDIT_RUN_VISIBILITY,
		.detail = str_of(visibility_name((enum visibility)visibility)),
	};

	return audit_note(q, &event);
}

static err_t make(struct request *q, const struct run_info *info, const struct json_doc *config)
{
	const struct run_fork fork = { info->forked_from, info->forked_step,
				       info->says_visibility };
	struct run *run;
	bool made;
	err_t e = NULL;

	if (!q->target->run_id)
		e = check_visibility(q, VISIBILITY_INHERIT, info->visibility);
	if (!e)
		e = run_target_make(q, info, &made);
	if (!e && made && info->forked_from.len)
		e = run_branch_fork(q, &fork);
	if (!e && made && config)
		e = document_edit(q, DOCUMENT_CONFIG, config);
	if (!e && made && info->visibility != VISIBILITY_INHERIT)
		e = note_visibility(q, info->visibility);
	if (!e)
		e = run_store_get(q->db, q->target->run_id, &run);
	if (e)
		return e;
	if (made)
		reply_header(q, "Location", location(q));
	return run_json_reply(q, made ? 201 : 200, run);
}

err_t run_api_put(struct request *q)
{
	struct run_info info = run_json_default(q->target->run);
	const struct json_doc *config;
	err_t e;

	e = run_json_read_new(q, &info, &config);
	if (e)
		return e;
	return make(q, &info, config);
}

err_t run_api_post(struct request *q)
{
	char *name = arena_alloc(q->arena, ID_RUN_LEN + 1);
	const struct json_doc *config;
	struct run_info info;
	err_t e;

	id_text(name, ID_RUN_LEN);
	q->target->run = str_of(name);
	info = run_json_default(q->target->run);
	e = run_json_read_new(q, &info, &config);
	if (e)
		return e;
	return make(q, &info, config);
}

/* Changes who can see the run. */
static err_t show(struct request *q, int16_t visibility)
{
	err_t e = search_store_show(q->db, q->target->project_id, q->target->run_id, visibility);

	if (!e)
		e = move_store_show_left(q->db, q->target->run_id, visibility);
	return e ? e : note_visibility(q, visibility);
}

static err_t save_info(struct request *q, const struct run_info *info, int16_t visibility)
{
	err_t e = run_store_update_info(q->db, q->target->project_id, info, q->identity->user_id,
					q->now);

	if (!e && info->visibility != visibility)
		e = show(q, info->visibility);
	auth_forget(q);
	return e;
}

static err_t patch(struct request *q, struct run_edit *edit, const void *arg)
{
	struct run_info *info;
	struct str before;
	int16_t visibility;
	err_t e = run_target_info(q, &info);

	(void)arg;
	if (e)
		return e;
	visibility = info->visibility;
	before = run_json_version(q, info);
	e = etag_require(q, before);
	if (!e)
		e = run_json_read_patch(q, info);
	if (!e)
		e = check_visibility(q, visibility, info->visibility);
	if (e)
		return e;
	edit->is_unchanged = str_equal(before, run_json_version(q, info));
	return edit->is_unchanged ? NULL : save_info(q, info, visibility);
}

err_t run_api_patch(struct request *q)
{
	return run_change_and_reply(q, patch, NULL);
}
