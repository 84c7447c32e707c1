/*
 * Moves a run in two steps. It is checked first, and if it may go, the names of its keys get numbers in the other project,
 * in a transaction of its own. Then it is moved under its lock, if it has not changed and there is still room for it.
 */
#include "move_api.h"

#include <stdlib.h>

#include "app.h"
#include "arena.h"
#include "audit_note.h"
#include "auth.h"
#include "branch_store.h"
#include "deletion_store.h"
#include "json_in.h"
#include "metric_cache.h"
#include "metric_store.h"
#include "move_keys.h"
#include "move_store.h"
#include "name.h"
#include "project_store.h"
#include "quota_room.h"
#include "run_json.h"
#include "run_target.h"
#include "run_view.h"
#include "server_store.h"
#include "usage_store.h"

struct move {
	struct target *from; /* the run as the path has it */
	struct target *to;   /* the project of the body */
	struct run *run;
	struct key_move *keys; /* ascending by their old number */
	size_t key_count;
	bool comes_back;      /* brought back by the project that it was moved out of */
	timestamp_us left_at; /* when it left that project */
};

/* ---- where to ------------------------------------------------------------------------------------ */

static err_t read_body(struct request *q, struct auth_ask *ask)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*ask = (struct auth_ask){
		.access = ACCESS_WRITE,
		.entity = json_in_text(&in, "entity", NAME_ENTITY_MAX),
		.project = json_in_text(&in, "project", NAME_PROJECT_MAX),
	};
	return json_in_end(&in);
}

static bool leaves_entity(const struct move *m)
{
	return m->to->entity_id != m->from->entity_id;
}

/* The entity loses the run, so the caller needs the permission to purge it. */
static err_t check_leave(struct request *q, const struct move *m)
{
	struct err *e;

	if (!leaves_entity(m) || m->from->right >= ACCESS_RIGHT_ADMIN)
		return NULL;
	e = err_new(q->arena, ERR_FORBIDDEN,
		    "\"%.*s\" does not have permission to move runs out of "
		    "\"%.*s\"",
		    STR_ARG(q->identity->name), STR_ARG(m->from->entity));
	e->hint = "requires the role admin of the entity and a key of scope admin";
	return e;
}

static err_t find_project(struct request *q, struct move *m)
{
	struct auth_ask ask;
	err_t e = read_body(q, &ask);

	m->from = q->target;
	if (!e)
		e = auth_ask(q, &ask);
	m->to = q->target;
	q->target = m->from;
	if (e)
		return e;
	if (m->to->project_id == m->from->project_id)
		return err_field(q->arena, ERR_CONFLICT, "project",
				 "the run is already in this project");
	return check_leave(q, m);
}

static err_t find_visibility(struct request *q, int64_t project_id, enum visibility *ret_visibility)
{
	struct project *project;
	err_t e = project_store_find(q->db, project_id, &project);

	if (!e && !project)
		e = err_new(q->arena, ERR_GONE, "the project was deleted");
	if (!e)
		*ret_visibility = (enum visibility)project->visibility;
	return e;
}

/* Other users may see a run that inherits the visibility of its project. The present values of all three decide. */
static err_t check_visibility(struct request *q, const struct move *m)
{
	enum visibility from, to, own;
	struct run_info *info;
	err_t e = run_target_info(q, &info);

	if (!e)
		e = find_visibility(q, m->from->project_id, &from);
	if (!e)
		e = find_visibility(q, m->to->project_id, &to);
	if (e)
		return e;
	own = (enum visibility)info->visibility;
	return auth_may_show(q, access_visibility(from, own), access_visibility(to, own));
}

/* Checks the room for all data of the run. The usage of an entity that has it already does not grow. */
static err_t check_quota(struct request *q, const struct move *m)
{
	const struct quota_more more = { m->run->size_bytes, "run", "moved runs" };
	const struct quota_scope scope = quota_scope_of(m->to);
	bool stays = m->to->entity_id == m->from->entity_id;
	struct quota_use uses[QUOTA_LEVELS];
	err_t e = quota_room_read(q, &scope, uses);

	for (size_t i = stays ? QUOTA_OF_PROJECT : 0; i < QUOTA_LEVELS && !e; i++) {
		e = quota_check(q->arena, &uses[i]);
		if (!e)
			e = quota_check_more(q->arena, &uses[i], &more);
	}
	return e;
}

/* Serialises moves to an entity, so that each one counts in the check of the next. */
static err_t check_quota_alone(struct request *q, const struct move *m)
{
	err_t e = usage_store_hold(q->db, m->to->entity_id);

	return e ? e : check_quota(q, m);
}

/* ---- the names of its keys -------------------------------------------------------------------- */

static int by_old(const void *a, const void *b)
{
	int32_t x = ((const struct key_move *)a)->old_id;
	int32_t y = ((const struct key_move *)b)->old_id;

	return (x > y) - (x < y);
}

static err_t list_keys(struct request *q, const struct move *m, int32_t **ret_ids,
		       size_t *ret_count)
{
	struct moved_key *keys;
	/* No limit: a user could keep a run by making it too long to be brought back. */
	int64_t most = m->comes_back ? INT64_MAX : MOVE_CHUNKS_MAX;
	err_t e = move_store_keys(q->db, m->run->run_id, most, &keys, ret_count);

	if (e)
		return e;
	*ret_ids = arena_new_array(q->arena, int32_t, *ret_count);
	for (size_t i = 0; i < *ret_count; i++)
		(*ret_ids)[i] = keys[i].key_id;
	return NULL;
}

static err_t name_keys(struct request *q, const struct move *m, const int32_t *ids, size_t count,
		       struct str *names)
{
	err_t e = metric_cache_names(run_view_reader(q).metrics, q->db, m->from->project_id, ids,
				     count, names);

	for (size_t i = 0; i < count && !e; i++) {
		if (!names[i].len)
			return err_new(q->arena, ERR_INTERNAL, "a key has no name");
	}
	return e;
}

/* Copies the whole names of shortened names. */
static err_t carry_wholes(struct db *db, const struct move *m, const struct str *names,
			  size_t count)
{
	struct metric_whole *wholes;
	size_t found;
	err_t e = metric_store_wholes(db, m->from->project_id, names, count, &wholes, &found);

	return e ? e : metric_store_save_wholes(db, m->to->project_id, wholes, found);
}

/* Names that the run itself left are marked as unused, which a cache does not know. Numbering them again uses them. */
static err_t number_names(struct request *q, const struct move *m, const struct str *names,
			  size_t count, uint32_t *numbers)
{
	struct metric_cache *cache = run_view_reader(q).metrics;
	int32_t *key_ids = arena_new_array(q->arena, int32_t, count);
	int64_t project_id = m->to->project_id;
	bool used = false;
	err_t e = metric_cache_numbers(cache, q->db, project_id, names, count, numbers);

	if (e)
		return e;
	for (size_t i = 0; i < count; i++)
		key_ids[i] = (int32_t)numbers[i];
	e = metric_store_are_used(q->db, project_id, key_ids, count, &used);
	if (e || used)
		return e;
	metric_cache_forget(cache, project_id);
	return metric_cache_numbers(cache, q->db, project_id, names, count, numbers);
}

static err_t number_keys(struct request *q, struct move *m)
{
	struct str *names;
	uint32_t *numbers;
	int32_t *ids;
	size_t count;
	err_t e = list_keys(q, m, &ids, &count);

	if (e || !count)
		return e;
	names = arena_new_array(q->arena, struct str, count);
	numbers = arena_new_array(q->arena, uint32_t, count);
	e = name_keys(q, m, ids, count, names);
	if (!e)
		e = number_names(q, m, names, count, numbers);
	if (!e)
		e = carry_wholes(q->db, m, names, count);
	if (e)
		return e;
	m->key_count = count;
	m->keys = arena_new_array(q->arena, struct key_move, count);
	for (size_t i = 0; i < count; i++)
		m->keys[i] = (struct key_move){ ids[i], (int32_t)numbers[i] };
	qsort(m->keys, count, sizeof(m->keys[0]), by_old);
	return NULL;
}

/* ---- the run ------------------------------------------------------------------------------------- */

/* Has the ended run compacted at once, so that a retry soon succeeds. */
static err_t check_tail(struct request *q, const struct run *run)
{
	if (!run->tail_rows)
		return NULL;
	q->target->ended = run;
	return err_new(q->arena, ERR_BUSY, "the last rows of the run are being sorted");
}

static err_t check_run(struct request *q, const struct run *run)
{
	struct run_info *info;
	bool is_forked;
	err_t e = branch_store_is_forked(q->db, run->run_id, &is_forked);

	if (!e)
		e = run_target_info(q, &info);
	if (!e)
		e = run_may_be_moved(q->arena, run, is_forked || info->forked_from.len);
	return e ? e : check_tail(q, run);
}

static err_t look(struct request *q, struct move *m)
{
	err_t e = run_store_get(q->db, m->from->run_id, &m->run);

	if (!e)
		e = run_check_project(q->arena, m->run, m->from->project_id);
	return e ? e : check_run(q, m->run);
}

/* Only a compaction adds keys. */
static err_t check_seen(struct request *q, const struct move *m, int64_t seen)
{
	err_t e = check_run(q, m->run);

	if (!e && m->run->compact_seq != seen)
		return err_new(q->arena, ERR_BUSY, "the run was changed during the move");
	return e;
}

static err_t lock(struct request *q, struct move *m)
{
	int64_t seen = m->run->compact_seq;
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);

	if (!e)
		e = run_target_lock(q, &m->run);
	if (!e)
		e = check_visibility(q, m);
	if (!e)
		e = check_seen(q, m, seen);
	return e ? e : check_quota_alone(q, m);
}

static err_t note_move(struct request *q, const struct move *m)
{
	const struct audit_event event = {
		.action = AUDIT_RUN_MOVE,
		.subject = str_of(arena_printf(q->arena, "%.*s/%.*s", STR_ARG(m->to->entity),
					       STR_ARG(m->to->project))),
	};

	return audit_note(q, &event);
}

/* Returns until when the entity that the run leaves may bring it back. */
static timestamp_us kept_until(const struct request *q, const struct move *m)
{
	if (m->comes_back || !leaves_entity(m))
		return (timestamp_us){ 0 };
	return (timestamp_us){ q->now.us + q->app->config->grace_s * 1000000 };
}

/* The names of these numbers may have been deleted in the meantime, if this server was suspended. */
static err_t check_numbers(struct request *q, const struct move *m)
{
	int32_t *numbers = arena_new_array(q->arena, int32_t, m->key_count);
	bool used;
	err_t e;

	for (size_t i = 0; i < m->key_count; i++)
		numbers[i] = m->keys[i].new_id;
	e = metric_store_are_used(q->db, m->to->project_id, numbers, m->key_count, &used);
	if (e || used)
		return e;
	metric_cache_forget(run_view_reader(q).metrics, m->to->project_id);
	return err_new(q->arena, ERR_BUSY,
		       "names of the run's metrics were deleted during the "
		       "move");
}

static err_t move_locked(struct request *q, struct move *m)
{
	struct run_changes changes = { .count = 0 };
	const struct run_moving moving = {
		.from = m->from->project_id,
		.user_id = q->identity->user_id,
		.now = q->now,
		.kept_until = kept_until(q, m),
		.left_at = m->left_at,
		.reason = m->comes_back ? "brought back" : MOVE_REASON,
		.changes = &changes,
	};
	err_t e = check_numbers(q, m);

	if (e)
		return e;
	run_move(m->run, m->to->project_id, q->identity->user_id, &changes);
	e = move_keys(q->db, run_view_reader(q).codec, m->run->run_id, m->keys, m->key_count);
	if (!e)
		e = metric_store_look(q->db, m->from->project_id, q->now);
	return e ? e : move_store_run(q->db, m->run, &moving);
}

/* Replies with the run at its new address. The end of the request commits the transaction or rolls it back. */
static err_t reply_moved(struct request *q, struct move *m)
{
	m->to->run = m->from->run;
	m->to->run_id = m->from->run_id;
	m->to->run_visibility = m->from->run_visibility;
	m->to->resized = m->run->run_id;
	q->target = m->to;
	auth_forget(q);
	return run_json_reply(q, 200, m->run);
}

err_t move_api_post(struct request *q)
{
	struct move m = { .key_count = 0 };
	err_t e = find_project(q, &m);

	if (!e)
		e = check_visibility(q, &m);
	if (!e)
		e = look(q, &m);
	if (!e)
		e = check_quota(q, &m);
	if (!e)
		e = number_keys(q, &m);
	if (!e)
		e = lock(q, &m);
	if (!e)
		e = move_locked(q, &m);
	if (!e)
		e = note_move(q, &m);
	return e ? e : reply_moved(q, &m);
}

/* ---- bring back ------------------------------------------------------------------------------------ */

/*
 * A user may have moved a run out of an entity to keep it. The admins of the entity can bring it back from any project,
 * without permission there, even if it is deleted or running there.
 */
static err_t find_left(struct request *q, struct move *m)
{
	const int64_t grace_us = q->app->config->grace_s * 1000000;
	struct moved_run *left;
	struct err *refused;
	err_t e;

	if (q->target->right < ACCESS_RIGHT_ADMIN) {
		refused = err_new(q->arena, ERR_FORBIDDEN,
				  "\"%.*s\" does not have permission to bring runs back "
				  "to this project",
				  STR_ARG(q->identity->name));
		refused->hint = "requires the role admin of the entity and a key of scope admin";
		return refused;
	}
	e = move_store_find_left(q->db, q->target->project_id, q->target->run, &left);
	if (e)
		return e;
	if (!left || left->moved_at.us + grace_us <= q->now.us)
		return err_new(
			q->arena, ERR_GONE,
			"the run was moved to another project and can no longer be brought back");
	m->to = q->target;
	m->from = arena_copy(q->arena, q->target, sizeof(*m->from));
	m->from->run_id = left->run_id;
	m->comes_back = true;
	m->left_at = left->moved_at;
	q->target = m->from;
	return NULL;
}

/* Another caller may have brought the run back to an earlier project since find_left(). Then this claim is over. */
static err_t check_left(struct request *q, const struct move *m)
{
	struct moved_run *left;
	err_t e = move_store_find_left(q->db, m->to->project_id, m->to->run, &left);

	if (e || (left && left->run_id == m->from->run_id && left->moved_at.us == m->left_at.us))
		return e;
	return err_new(q->arena, ERR_GONE,
		       "the run was brought back to another project in the "
		       "meantime");
}

/* Locks the run at its present address, and restores it if it is deleted. */
static err_t lock_away(struct request *q, struct move *m)
{
	struct run_changes changes = { .count = 0 };
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);

	if (!e)
		e = run_store_lock_any(q->db, m->from->run_id, &m->run);
	if (!e)
		e = check_left(q, m);
	if (e)
		return e;
	m->from->project_id = m->run->project_id;
	if (m->to->project_id == m->from->project_id)
		return err_field(q->arena, ERR_CONFLICT, "project",
				 "the run is already in this project");
	if (m->run->purging)
		return err_new(q->arena, ERR_GONE, "the run was deleted");
	if (m->run->deleted_at.us) {
		m->run->deleted_at = m->run->purge_at = (timestamp_us){ 0 };
		e = deletion_store_restore_run(q->db, m->run, q->now, &changes);
	}
	return e;
}

/* Deletes the run until it is brought back, so that processes that write to it get 410 and cannot start it again. */
static err_t delete_away(struct request *q, struct run *run)
{
	const struct run_deletion deletion = {
		.who = RUN_WHO_USER,
		.user_id = q->identity->user_id,
		.reason = "brought back",
	};
	const struct run_changes none = { .count = 0 };

	run->deleted_at = q->now;
	run->purge_at = (timestamp_us){ q->now.us + q->app->config->grace_s * 1000000 };
	return deletion_store_delete_run(q->db, run, &deletion, &none);
}

/* A project without room for the names of its keys refuses the run before it is changed. */
static err_t try_names(struct request *q, struct move *m)
{
	err_t e = lock_away(q, m);

	db_rollback(q->db);
	return e ? e : number_keys(q, m);
}

/* Ends the run where it is, and deletes it there while its last rows are compacted. */
static err_t end_away(struct request *q, struct move *m)
{
	struct run_changes changes = { .count = 0 };
	err_t e = lock_away(q, m);

	if (e)
		return e;
	if (run_may_be_moved(q->arena, m->run, false))
		run_override(m->run, RUN_KILLED, q->identity->user_id, "brought back",
			     run_target_clock(q), &changes);
	if (changes.count)
		e = run_target_save(q, m->run, &changes);
	if (!e)
		e = check_run(q, m->run);
	if (!e || e->kind == ERR_BUSY) {
		err_t committed = delete_away(q, m->run);

		if (!committed)
			committed = db_commit(q->db);

		e = committed ? committed : e;
	}
	return e;
}

/* Its keys were read in the project that it was in, so it must still be there. */
static err_t lock_again(struct request *q, struct move *m)
{
	int64_t project_id = m->from->project_id;
	int64_t seen = m->run->compact_seq;
	err_t e = lock_away(q, m);

	if (!e && m->from->project_id != project_id)
		return err_new(q->arena, ERR_BUSY, "the run is being moved: try again");
	return e ? e : check_seen(q, m, seen);
}

err_t move_api_bring_back(struct request *q)
{
	struct move m = { .key_count = 0 };
	err_t e = find_left(q, &m);

	if (!e)
		e = db_commit(q->db); /* names of keys get numbers in a transaction of their own */
	if (!e)
		e = try_names(q, &m);
	if (!e)
		e = end_away(q, &m);
	if (!e)
		e = number_keys(q, &m);
	if (!e)
		e = lock_again(q, &m);
	if (!e)
		e = move_locked(q, &m);
	if (e)
		return e;
	q->target = m.to;
	e = audit_note(q, &(struct audit_event){ .action = AUDIT_RUN_RESTORE,
						 .detail = STR("moved") });
	return e ? e : reply_moved(q, &m);
}
