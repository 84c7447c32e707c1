#include "deletion.h"

#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "run_target.h"

err_t deletion_needs_right(struct request *q, const char *what, const char *hint)
{
	struct err *e = err_new(q->arena, ERR_FORBIDDEN, "\"%.*s\" does not have permission to %s",
				STR_ARG(auth_who(q)), what);

	e->hint = hint;
	return e;
}

static err_t purge_at(struct request *q, enum deletion_purge purge, timestamp_us *ret_time)
{
	*ret_time = q->now;
	if (purge == DELETION_PURGE_LATER) {
		ret_time->us += q->app->config->grace_s * 1000000;
		return NULL;
	}
	if (q->target->right < ACCESS_RIGHT_ADMIN)
		return deletion_needs_right(q, "purge immediately",
					    "without \"purge\" it can be restored for a while");
	return NULL;
}

err_t deletion_note(struct request *q, enum audit_action action, enum deletion_purge purge)
{
	const struct audit_event event = {
		.action = action,
		.detail = purge == DELETION_PURGE_NOW ? STR("not to be restored") : STR(""),
	};

	return audit_note(q, &event);
}

err_t deletion_describe_project(struct request *q, enum deletion_purge purge,
				struct project_contents **ret_contents, timestamp_us *ret_purge_at)
{
	err_t e = purge_at(q, purge, ret_purge_at);

	return e ? e : deletion_store_describe_project(q->db, q->target->project_id, ret_contents);
}

/* Another caller may have deleted it a moment earlier. Then their time of the purge is kept. */
err_t deletion_delete_project(struct request *q, enum deletion_purge purge)
{
	timestamp_us when;
	bool done = false;
	err_t e = purge_at(q, purge, &when);

	if (!e)
		e = deletion_store_delete_project(q->db, q->target->project_id, q->now, when,
						  &done);
	if (!e && !done)
		e = err_new(q->arena, ERR_GONE, "the project \"%.*s\" was deleted",
			    STR_ARG(q->target->project));
	return e ? e : deletion_note(q, AUDIT_PROJECT_DELETE, purge);
}

err_t deletion_delete_run(struct request *q, enum deletion_purge purge)
{
	struct run_deletion deletion = {
		.who = RUN_WHO_USER,
		.user_id = q->identity->user_id,
		.reason = "deleted",
	};
	struct run_changes changes = { .count = 0 };
	struct run *run;
	err_t e;

	e = purge_at(q, purge, &deletion.purge_at);
	if (!e)
		e = run_target_lock(q, &run);
	if (e)
		return e;
	run_delete(run, &deletion, q->now, &changes);
	e = deletion_store_delete_run(q->db, run, &deletion, &changes);
	return e ? e : deletion_note(q, AUDIT_RUN_DELETE, purge);
}
