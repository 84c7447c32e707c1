#include "artifact_delete.h"

#include "artifact_store.h"
#include "artifact_texts.h"
#include "audit_note.h"
#include "auth.h"
#include "buf.h"
#include "entry_store.h"

enum { NAMED_MAX = 5 };

static timestamp_us after(const struct request *q, int64_t us)
{
	return (timestamp_us){ q->now.us + us };
}

static err_t was_deleted(struct request *q)
{
	return err_new(q->arena, ERR_GONE, "the artifact was deleted");
}

static err_t note(struct request *q, enum audit_action action, const struct artifact_target *target)
{
	const struct audit_event event = {
		.action = action,
		.subject = artifact_target_words(q, target),
	};

	return audit_note(q, &event);
}

/* ---- what it is held by, and what it frees ----------------------------------------------------------- */

static void add_held(struct artifact_freed *freed, const char *kind, struct str name)
{
	if (freed->held_count < ARTIFACT_HELD_MAX)
		freed->held[freed->held_count++] = (struct artifact_held){ kind, name };
}

static void add_aliases(struct request *q, struct artifact_freed *freed, struct str json)
{
	const struct artifact_texts aliases = artifact_texts_read(q->arena, json);

	for (size_t i = 0; i < aliases.count; i++)
		add_held(freed, "alias", aliases.at[i]);
}

/* A link in a project that the caller may not see is not named. */
static void add_links(struct request *q, struct artifact_freed *freed,
		      const struct artifact_member *members, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct artifact_member *m = &members[i];

		if (m->kind == ARTIFACT_PORTFOLIO)
			add_held(freed, "link",
				 m->project_id == q->target->project_id
					 ? str_of(arena_printf(q->arena, "%.*s/%.*s/%.*s:v%d",
							       STR_ARG(m->entity),
							       STR_ARG(m->project),
							       STR_ARG(m->collection), m->version))
					 : STR("another project"));
	}
}

/* Counting what is freed takes long: neither a deletion nor those that need its lock wait for it. */
static err_t add_sizes(struct request *q, struct artifact_freed *freed, int64_t project_id,
		       const int64_t *artifact_ids, size_t count)
{
	struct entry_files sums;
	err_t e = entry_store_sum_files(q->db, project_id, artifact_ids, count, &sums);

	if (e)
		return e;
	freed->versions = (int64_t)count;
	freed->files = sums.files;
	freed->size_bytes = sums.size_bytes;
	freed->is_counted = freed->is_counted && sums.entries <= ARTIFACT_FREED_ENTRIES_MAX;
	if (!freed->is_counted)
		return NULL;
	e = entry_store_freed(q->db, project_id, artifact_ids, count, &freed->only_here);
	if (!e && freed->size_bytes > freed->only_here)
		freed->shared = freed->size_bytes - freed->only_here;
	return e;
}

static err_t describe(struct request *q, const struct artifact *v, struct artifact_freed *freed)
{
	struct artifact_member *members;
	size_t count;
	err_t e = artifact_store_list_memberships(q->db, v->project_id, v->artifact_id,
						  ARTIFACT_HELD_MAX, &members, &count);

	if (e)
		return e;
	add_aliases(q, freed, v->aliases);
	add_links(q, freed, members, count);
	return add_sizes(q, freed, v->project_id, &v->artifact_id, 1);
}

static void set_times(struct request *q, struct artifact_freed *freed)
{
	freed->undo_until = after(q, ARTIFACT_UNDO_US);
	freed->freed_by = after(q, ARTIFACT_FREED_US);
}

/* ---- versions ------------------------------------------------------------------------------------------ */

static err_t refuse_aliased(struct request *q, const struct artifact_freed *freed)
{
	struct buf *names = buf_new(q->arena);
	struct err *e;

	for (size_t i = 0; i < freed->held_count && i < NAMED_MAX; i++)
		if (str_is(str_of(freed->held[i].kind), "alias"))
			buf_printf(names, "%s\"%.*s\"", names->len ? ", " : "",
				   STR_ARG(freed->held[i].name));
	if (!names->len)
		return NULL;
	e = err_new(q->arena, ERR_CONFLICT, "cannot delete an artifact with aliases: it has %.*s",
		    STR_ARG(buf_str(names)));
	e->hint = "remove its aliases first, or delete it with them";
	return e;
}

static err_t lock_version(struct request *q, struct artifact_target *t)
{
	const struct artifact *v = t->artifact;
	err_t e = artifact_store_lock_collection(q->db, v->project_id, v->collection_id,
						 &t->collection);

	if (!e)
		e = artifact_store_find(q->db, v->project_id, v->artifact_id, &t->artifact);
	if (!e && (!t->collection || !t->artifact))
		return was_deleted(q);
	return e;
}

static err_t mark(struct request *q, struct artifact *v)
{
	const struct artifact_aliases all = {
		.project_id = v->project_id,
		.collection_id = v->collection_id,
		.version = v->version,
	};
	bool is_draft = v->state == ARTIFACT_PENDING;
	err_t e = NULL;

	if (!is_draft)
		e = artifact_store_clear_aliases(q->db, &all, &v->asked);
	v->deleted_at = q->now;
	return e ? e : artifact_store_delete(q->db, v, after(q, is_draft ? 0 : ARTIFACT_UNDO_US));
}

err_t artifact_delete(struct request *q, const struct artifact_target *target,
		      enum artifact_delete_aliases aliases, enum artifact_delete_mode mode,
		      struct artifact_freed *ret_freed)
{
	struct artifact_target t = *target;
	struct artifact_freed *freed = arena_new_of(q->arena, struct artifact_freed);
	err_t e = artifact_target_source(q, ACCESS_WRITE, &t);

	freed->is_counted = mode == ARTIFACT_DELETE_ASK;
	if (!e && mode == ARTIFACT_DELETE_DO)
		e = lock_version(q, &t);
	if (!e && t.artifact->state == ARTIFACT_DELETED)
		return was_deleted(q);
	if (!e)
		e = describe(q, t.artifact, freed);
	if (!e && mode == ARTIFACT_DELETE_DO) {
		set_times(q, freed);
		if (aliases == ARTIFACT_KEEP_ALIASED)
			e = refuse_aliased(q, freed);
		if (!e)
			e = mark(q, t.artifact);
		if (!e)
			e = note(q, AUDIT_ARTIFACT_DELETE, &t);
	}
	if (!e)
		*ret_freed = *freed;
	return e;
}

static err_t too_late(struct request *q, timestamp_us deleted_at)
{
	if (deleted_at.us + ARTIFACT_UNDO_US > q->now.us)
		return NULL;
	return err_new(
		q->arena, ERR_GONE,
		"it is too late to restore the artifact: it was deleted more than %d minutes ago",
		(int)(ARTIFACT_UNDO_US / 60000000));
}

/* The job has begun to remove a version that is none any more. */
static err_t is_member(struct request *q, const struct artifact *v)
{
	struct artifact_member *member;
	err_t e = artifact_store_find_member(q->db, v->project_id, v->collection_id, v->version,
					     &member);

	return e || member ? e : was_deleted(q);
}

static err_t set_free_aliases(struct request *q, const struct artifact *v)
{
	struct artifact_aliases aliases = {
		.project_id = v->project_id,
		.collection_id = v->collection_id,
		.version = v->version,
		.now = q->now,
	};
	err_t e = auth_attributed_user(q, &aliases.user_id);

	return e ? e : artifact_store_set_free_aliases(q->db, &aliases, v->asked);
}

err_t artifact_restore(struct request *q, struct artifact_target *target)
{
	struct artifact *v;
	err_t e = artifact_target_source(q, ACCESS_WRITE, target);

	if (!e)
		e = lock_version(q, target);
	if (e)
		return e;
	v = target->artifact;
	if (target->collection->deleted_at.us)
		return err_new(q->arena, ERR_CONFLICT,
			       "all of \"%.*s\" was deleted: restore the collection",
			       STR_ARG(target->collection->name));
	if (v->state != ARTIFACT_DELETED)
		return NULL;
	if (!v->has_version)
		return was_deleted(q);
	e = too_late(q, v->deleted_at);
	if (!e)
		e = is_member(q, v);
	if (!e)
		e = artifact_store_restore(q->db, v, q->now);
	if (!e)
		e = set_free_aliases(q, v);
	if (!e)
		e = artifact_store_find(q->db, v->project_id, v->artifact_id, &target->artifact);
	return e ? e : note(q, AUDIT_ARTIFACT_RESTORE, target);
}

/* ---- collections ----------------------------------------------------------------------------------------- */

static err_t describe_collection(struct request *q, const struct artifact_collection *c,
				 struct artifact_freed *freed)
{
	const struct artifact_aliases_ask ask = {
		.project_id = c->project_id,
		.collection_id = c->collection_id,
		.sees = ARTIFACT_SEES_PRIVATE,
		.after = STR(""),
		.limit = ARTIFACT_HELD_MAX,
	};
	struct artifact_alias *aliases;
	struct artifact_member *links;
	size_t alias_count, link_count, count;
	int64_t *numbers;
	err_t e = artifact_store_list_aliases(q->db, &ask, &aliases, &alias_count);

	if (!e)
		e = artifact_store_list_links(q->db, c->project_id, c->collection_id,
					      ARTIFACT_HELD_MAX, &links, &link_count);
	if (!e)
		e = artifact_store_list_numbers(q->db, c, 0, ARTIFACT_FREED_VERSIONS_MAX + 1,
						&numbers, &count);
	if (e)
		return e;
	if (count > ARTIFACT_FREED_VERSIONS_MAX) {
		count = ARTIFACT_FREED_VERSIONS_MAX;
		freed->is_counted = false;
	}
	for (size_t i = 0; i < alias_count; i++)
		add_held(freed, "alias", aliases[i].alias);
	add_links(q, freed, links, link_count);
	return add_sizes(q, freed, c->project_id, numbers, count);
}

static err_t lock_collection(struct request *q, struct artifact_target *t)
{
	struct artifact_collection *locked = NULL;
	err_t e = artifact_store_lock_collection(q->db, t->collection->project_id,
						 t->collection->collection_id, &locked);

	if (!e && !locked)
		return was_deleted(q);
	if (!e)
		t->collection = locked;
	return e;
}

err_t artifact_delete_collection(struct request *q, const struct artifact_target *target,
				 enum artifact_delete_mode mode, struct artifact_freed *ret_freed)
{
	struct artifact_target t = { .collection = target->collection };
	struct artifact_freed *freed = arena_new_of(q->arena, struct artifact_freed);
	err_t e = NULL;

	freed->is_counted = mode == ARTIFACT_DELETE_ASK;
	if (mode == ARTIFACT_DELETE_DO)
		e = lock_collection(q, &t);
	if (!e && t.collection->deleted_at.us)
		return was_deleted(q);
	if (!e)
		e = describe_collection(q, t.collection, freed);
	if (!e && mode == ARTIFACT_DELETE_DO) {
		set_times(q, freed);
		e = artifact_store_delete_collection(q->db, t.collection, q->now,
						     freed->undo_until);
		if (!e)
			e = note(q, AUDIT_ARTIFACT_DELETE, &t);
	}
	if (!e)
		*ret_freed = *freed;
	return e;
}

err_t artifact_restore_collection(struct request *q, struct artifact_target *target)
{
	struct artifact_target t = { .collection = target->collection };
	struct artifact_collection *other;
	err_t e = lock_collection(q, &t);

	if (e || !t.collection->deleted_at.us)
		return e;
	e = too_late(q, t.collection->deleted_at);
	if (!e)
		e = artifact_store_find_collection(q->db, t.collection->project_id,
						   t.collection->name, &other);
	if (!e && other)
		return err_new(q->arena, ERR_CONFLICT,
			       "the project has another artifact \"%.*s\": rename that one first",
			       STR_ARG(t.collection->name));
	if (!e)
		e = artifact_store_restore_collection(q->db, t.collection);
	if (!e)
		e = note(q, AUDIT_ARTIFACT_RESTORE, &t);
	if (!e)
		e = artifact_store_get_collection(q->db, t.collection->project_id,
						  t.collection->collection_id, &target->collection);
	return e;
}

/* ---- what a run made ---------------------------------------------------------------------------------------- */

enum { RUN_PAGE = 100 };

static err_t delete_one(struct request *q, const void *arg)
{
	struct artifact_target t = { .artifact = *(struct artifact *const *)arg };
	err_t e = lock_version(q, &t);

	if (e || t.artifact->state == ARTIFACT_DELETED)
		return e;
	if (t.artifact->has_version)
		e = artifact_store_find_member(q->db, t.artifact->project_id,
					       t.artifact->collection_id, t.artifact->version,
					       &t.member);
	if (!e)
		e = mark(q, t.artifact);
	return e ? e : note(q, AUDIT_ARTIFACT_DELETE, &t);
}

err_t artifact_delete_of_run(struct request *q, struct artifact_freed *ret_freed)
{
	struct artifact_versions_ask ask = {
		.project_id = q->target->project_id,
		.sees = ARTIFACT_SEES_PRIVATE,
		.run_id = q->target->run_id,
		.committed_only = true,
		.oldest_first = true,
		.limit = RUN_PAGE,
	};
	struct artifact_freed *freed = arena_new_of(q->arena, struct artifact_freed);
	size_t count = RUN_PAGE;
	err_t e = NULL;

	while (!e && count == RUN_PAGE) {
		struct artifact *versions;

		e = artifact_store_list(q->db, &ask, &versions, &count);
		for (size_t i = 0; i < count && !e; i++) {
			const struct artifact *v = &versions[i];

			freed->versions++;
			freed->files += v->file_count;
			freed->size_bytes += v->size_bytes;
			e = artifact_in_transaction(q, delete_one, &v);
			ask.has_after = true;
			ask.after_time = v->created_at;
			ask.after_id = v->artifact_id;
		}
	}
	if (e)
		return e;
	set_times(q, freed);
	*ret_freed = *freed;
	return NULL;
}
