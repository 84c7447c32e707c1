#include "deletion_api.h"

#include <inttypes.h>

#include "auth.h"
#include "deletion_store.h"
#include "move_api.h"
#include "page.h"
#include "reply.h"
#include "run_json.h"
#include "run_target.h"
#include "server_store.h"

err_t deletion_read_purge(struct request *q, enum deletion_purge *ret_purge)
{
	struct str purge = request_query(q, "purge");

	if (purge.len && !str_is(purge, "now"))
		return err_field(q->arena, ERR_INVALID, "purge", "\"purge\" must be \"now\"");
	*ret_purge = purge.len ? DELETION_PURGE_NOW : DELETION_PURGE_LATER;
	return NULL;
}

err_t deletion_api_delete(struct request *q)
{
	enum deletion_purge purge;
	err_t e = deletion_read_purge(q, &purge);

	if (e)
		return e;
	auth_forget(q);
	return deletion_delete_run(q, purge);
}

/* A purged run has no row to lock. */
static err_t lock_deleted(struct request *q, struct run **ret_run)
{
	err_t e = run_store_lock_any(q->db, q->target->run_id, ret_run);

	if (e && e->kind == ERR_NOT_FOUND)
		return err_new(q->arena, ERR_GONE,
			       "the run was deleted and can no longer be restored");
	return e ? e : run_check_project(q->arena, *ret_run, q->target->project_id);
}

err_t deletion_api_restore(struct request *q)
{
	struct run_changes changes = { .count = 0 };
	struct run *run;
	err_t e;

	if (!q->target->run_id)
		return move_api_bring_back(q);
	e = lock_deleted(q, &run);
	if (!e)
		e = run_restore(q->arena, run, q->identity->user_id, q->now, &changes);
	if (!e && changes.count)
		e = deletion_store_restore_run(q->db, run, q->now, &changes);
	if (!e && changes.count)
		e = deletion_note(q, AUDIT_RUN_RESTORE, DELETION_PURGE_LATER);
	if (e)
		return e;
	auth_forget(q);
	return run_json_reply(q, 200, run);
}

/* ---- which they are --------------------------------------------------------------------------- */

/* "<deleted_at> <run_id>" of the last row. */
static err_t read_position(struct request *q, struct str after, struct deleted_run_ask *ask)
{
	struct str time = str_cut(&after, ' ');

	if (!time.len) {
		ask->after_delete.us = INT64_MAX / 2;
		ask->after_run = INT64_MAX;
		return NULL;
	}
	if (!str_to_int64(time, 0, INT64_MAX / 2, &ask->after_delete.us) ||
	    !str_to_int64(after, 0, INT64_MAX, &ask->after_run))
		return page_bad_cursor(q);
	return NULL;
}

static err_t read_ask(struct request *q, struct page *page, struct deleted_run_ask *ask)
{
	err_t e;

	if (!str_is(request_query(q, "deleted"), "true"))
		return err_field(q->arena, ERR_INVALID, "deleted", "\"deleted\" must be \"true\"");
	if (request_query(q, "filter").len || request_query(q, "order").len)
		return err_field(q->arena, ERR_INVALID, "deleted",
				 "\"deleted\" excludes \"filter\" and \"order\"");
	if (q->target->right < ACCESS_RIGHT_WRITE)
		return deletion_needs_right(
			q, "list deleted runs",
			"visible to members and admins only, who can restore it");
	e = page_read(q, page);
	if (!e)
		e = read_position(q, page->after, ask);
	if (!e)
		e = server_store_now(q->db, &ask->now);
	ask->project_id = q->target->project_id;
	ask->limit = page->limit + 1;
	return e;
}

/* Restored or purged between the statements: left out. */
static void write_run(struct request *q, struct json_out *out, int64_t run_id,
		      const struct run_info *infos, size_t info_count, const struct run *runs,
		      size_t run_count)
{
	size_t i = 0;
	size_t j = 0;

	while (i < info_count && infos[i].run_id != run_id)
		i++;
	while (j < run_count && runs[j].run_id != run_id)
		j++;
	if (i < info_count && j < run_count && runs[j].deleted_at.us)
		run_json_write(out, q, &infos[i], &runs[j]);
}

static err_t write_runs(struct request *q, struct page *page, const struct deleted_run *deleted)
{
	int64_t *ids = arena_new_array(q->arena, int64_t, page->shown);
	struct run_info *infos;
	struct run *runs;
	size_t info_count;
	size_t run_count;
	err_t e;

	for (size_t i = 0; i < page->shown; i++)
		ids[i] = deleted[i].run_id;
	e = run_store_list_info(q->db, q->target->project_id, ids, page->shown, &infos,
				&info_count);
	if (!e)
		e = run_store_list_shown(q->db, ids, page->shown, &runs, &run_count);
	for (size_t i = 0; !e && i < page->shown; i++)
		write_run(q, &page->out, ids[i], infos, info_count, runs, run_count);
	return e;
}

err_t deletion_api_list(struct request *q)
{
	struct deleted_run_ask ask = { .project_id = 0 };
	struct deleted_run *deleted;
	struct page page;
	size_t count;
	err_t e;

	e = read_ask(q, &page, &ask);
	if (!e)
		e = deletion_store_list_runs(q->db, &ask, &deleted, &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	e = write_runs(q, &page, deleted);
	if (e)
		return e;
	if (page.has_more)
		page_set_cursor(q, &page, "%" PRId64 " %" PRId64,
				deleted[page.shown - 1].deleted_at.us,
				deleted[page.shown - 1].run_id);
	page_end(q, &page);
	return NULL;
}
