#include "run_target.h"

#include "app.h"
#include "auth.h"
#include "name.h"
#include "project_store.h"
#include "quota_room.h"

struct run_clock run_target_clock(const struct request *q)
{
	return (struct run_clock){ q->now, q->target->crash_after_us };
}

err_t run_target_lock(struct request *q, struct run **ret_run)
{
	err_t e = run_store_lock(q->db, q->target->run_id, ret_run);

	return e ? e : run_check_project(q->arena, *ret_run, q->target->project_id);
}

err_t run_target_info(struct request *q, struct run_info **ret_info)
{
	err_t e = run_store_find_info(q->db, q->target->project_id, q->target->run, ret_info);

	if (!e && !*ret_info)
		return err_new(q->arena, ERR_NOT_FOUND, "the run does not exist");
	return e;
}

err_t run_target_save(struct request *q, struct run *run, const struct run_changes *changes)
{
	err_t e;

	run->document_seq++;
	if (run_has_ended(run) && run->tail_rows)
		q->target->ended = run;
	e = run_store_save(q->db, run);
	if (!e)
		e = run_store_save_changes(q->db, run, q->now, changes);
	if (!e)
		e = run_store_note_change(q->db, run, q->now);
	return e;
}

static err_t find_project(struct request *q)
{
	struct target *t = q->target;
	struct target_row *row;
	err_t e;

	e = target_store_find(q->db, q->identity->user_id, t->entity, t->project, &row);
	if (e)
		return e;
	if (!row || row->project_deleted || !row->project_id)
		return err_new(q->arena, ERR_GONE, "the project was deleted");
	t->project_id = row->project_id;
	t->visibility = (enum visibility)row->visibility;
	t->crash_after_us = (int64_t)row->crash_after_s * 1000000;
	return NULL;
}

err_t run_target_make_project(struct request *q, bool *ret_made)
{
	struct project project = project_default(q->target->entity_id, q->target->project);
	err_t e;

	*ret_made = false;
	if (q->target->project_id)
		return NULL;
	e = project_store_make(q->db, &project, q->now, ret_made);
	if (e)
		return e;
	return find_project(q);
}

static err_t find_run(struct request *q)
{
	struct target_run_row *row;
	err_t e;

	e = target_store_find_run(q->db, q->target->project_id, q->target->run, &row);
	if (e)
		return e;
	if (!row)
		return err_new(q->arena, ERR_GONE, "the project was deleted");
	if (row->moved)
		return err_new(q->arena, ERR_GONE, "the run was moved to another project");
	if (row->deleted)
		return err_new(q->arena, ERR_GONE, "the run was deleted");
	q->target->run_id = row->run_id;
	return NULL;
}

err_t run_target_check_quota(struct request *q)
{
	const struct quota_scope scope = quota_scope_of(q->target);
	struct quota_use uses[QUOTA_LEVELS];
	err_t e = quota_room_read(q, &scope, uses);

	for (size_t i = 0; i < QUOTA_LEVELS && !e; i++)
		e = quota_check(q->arena, &uses[i]);
	return e;
}

err_t run_target_make(struct request *q, const struct run_info *info, bool *ret_made)
{
	struct target *t = q->target;
	bool made_project;
	int64_t user_id;
	err_t e;

	*ret_made = false;
	if (t->run_id)
		return NULL;
	e = name_check_visible(q->arena, "run", t->run);
	if (!e)
		e = run_target_check_quota(q);
	if (!e)
		e = run_target_make_project(q, &made_project);
	if (!e)
		e = auth_attributed_user(q, &user_id);
	if (!e)
		e = run_store_make(q->db, t->project_id, info, user_id, run_target_clock(q),
				   &t->run_id);
	if (e)
		return e;
	*ret_made = t->run_id != 0;
	return t->run_id ? NULL : find_run(q);
}
