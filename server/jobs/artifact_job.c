/*
 * Upkeep of artifacts. Rows say when they are to be looked at (look_at):
 *
 *	draft       a week after its last request: it was given up, and is deleted
 *	version     after its commit: what the draft had besides it is removed; then at its end, if it has one
 *	deleted     when it cannot be restored any more: its entries are removed, in portions
 *	collection  when it was deleted, or has more versions than it keeps
 *	blob        when it lost a name: it is removed unless something else names it
 *
 * Each is decided under the lock of its collection, or of its own row, and in a transaction of its own. Blobs that came are
 * counted into the usage of their projects, once.
 */
#include "arena.h"
#include "artifact_store.h"
#include "artifact_upkeep.h"
#include "blob_store.h"
#include "clock.h"
#include "entry_store.h"
#include "job.h"
#include "log.h"
#include "server_store.h"

enum {
	PERIOD_US = 1000 * 1000,
	TIMEOUT_MS = 30000,
	LOCK_TIMEOUT_MS = 500,
	DUE_AT_ONCE = 100,
	ROWS_AT_ONCE = 10000,
	VERSIONS_AT_ONCE = 1000,
	BEYOND_AT_ONCE = 100,
	BLOBS_AT_ONCE = 1000,
	MANIFESTS_MAX = 10000,
	LINKS_AT_ONCE = 1000,
};
#define BUSY_AGAIN_US (INT64_C(10) * 1000000)
#define FAILED_AGAIN_US (INT64_C(600) * 1000000)
#define PROTECTED_AGAIN_US (INT64_C(86400) * 1000000)
#define WITH_COLLECTION_US \
	(INT64_C(60) * 1000000) /* its collection was deleted, and may be restored */

/* A piece of the work. */
struct piece {
	struct artifact_due due;
	timestamp_us now; /* of its transaction: those before it may have taken minutes */
	bool more;        /* there is another portion */
	int64_t after;    /* it comes after this one */
};

typedef err_t piece_fn(struct job *job, struct piece *piece);

/* A collection that stays locked is left for the next pass. What was read is freed. */
static err_t in_transaction(struct job *job, piece_fn *work, struct piece *piece)
{
	struct arena_mark before = arena_mark(job->arena);
	err_t e = db_begin(job->db, TIMEOUT_MS, LOCK_TIMEOUT_MS);

	piece->more = false;
	if (!e)
		e = server_store_now(job->db, &piece->now);
	if (!e)
		e = work(job, piece);
	if (!e)
		e = db_commit(job->db);
	if (!e) {
		arena_rewind(job->arena, &before);
		return NULL;
	}
	db_rollback(job->db);
	piece->more = false;
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) || db_err_is(e, DB_DEADLOCK) ? NULL : e;
}

static timestamp_us later(timestamp_us now, int64_t us)
{
	return (timestamp_us){ now.us + us };
}

/* ---- what a draft had ------------------------------------------------------------------------------- */

static err_t purge_multiparts(struct job *job, struct piece *p)
{
	struct artifact_multipart *multiparts;
	size_t count;
	err_t e = blob_store_list_multiparts(job->db, p->due.project_id, p->due.artifact_id,
					     DUE_AT_ONCE, &multiparts, &count);

	if (!e && count)
		e = blob_store_purge_multipart(job->db, p->due.project_id, multiparts[0].upload_id,
					       ROWS_AT_ONCE, p->now, &p->more);
	if (!e)
		p->more |= count > 1;
	return e;
}

static err_t purge_uploads(struct job *job, struct piece *p)
{
	err_t e = blob_store_purge_uploads(job->db, p->due.project_id, p->due.artifact_id,
					   ROWS_AT_ONCE, later(p->now, ARTIFACT_BLOB_HELD_US),
					   &p->more);

	return e || p->more ? e : purge_multiparts(job, p);
}

static err_t purge_manifest(struct job *job, struct piece *p, int64_t manifest_id)
{
	err_t e = entry_store_purge(job->db, p->due.project_id, manifest_id, ROWS_AT_ONCE,
				    later(p->now, ARTIFACT_BLOB_HELD_US), &p->more);

	return e || p->more ? e
			    : entry_store_remove_manifest(job->db, p->due.project_id, manifest_id);
}

/* All but the current one, which a deleted version has not. A portion of one, or one. */
static err_t purge_manifests(struct job *job, struct piece *p, int64_t current_id)
{
	struct artifact_manifest *manifests;
	size_t count;
	err_t e = entry_store_list_manifests(job->db, p->due.project_id, p->due.artifact_id,
					     MANIFESTS_MAX, &manifests, &count);

	for (size_t i = 0; i < count && !e && !p->more; i++) {
		if (manifests[i].manifest_id == current_id)
			continue;
		e = purge_manifest(job, p, manifests[i].manifest_id);
		if (!e && manifests[i].entry_count)
			p->more = true;
	}
	return e;
}

/* ---- versions ----------------------------------------------------------------------------------------- */

static err_t delete_version(struct job *job, struct artifact *v, timestamp_us now)
{
	const struct artifact_aliases all = {
		.project_id = v->project_id,
		.collection_id = v->collection_id,
		.version = v->version,
	};
	err_t e = artifact_store_clear_aliases(job->db, &all, &v->asked);

	v->deleted_at = now;
	if (!e)
		e = artifact_store_delete(job->db, v, later(now, ARTIFACT_UNDO_US));
	if (!e)
		log_info("version of an artifact deleted by its retention",
			 LOG_INT("artifact_id", v->artifact_id),
			 LOG_INT("project_id", v->project_id));
	return e;
}

static err_t look_at_end(struct job *job, struct piece *p, struct artifact *v)
{
	timestamp_us end = artifact_expires(v);
	struct artifact_hold hold;
	err_t e;

	if (!end.us || end.us > p->now.us)
		return artifact_upkeep_look(job->db, &p->due, end);
	e = artifact_upkeep_hold(job->db, v, &hold);
	if (e)
		return e;
	if (artifact_is_protected(&hold))
		return artifact_upkeep_look(job->db, &p->due, later(p->now, PROTECTED_AGAIN_US));
	return delete_version(job, v, p->now);
}

static err_t look_at_committed(struct job *job, struct piece *p, struct artifact *v)
{
	err_t e = purge_uploads(job, p);

	if (!e && !p->more)
		e = purge_manifests(job, p, v->manifest_id);
	return e || p->more ? e : look_at_end(job, p, v);
}

static err_t lock_all(struct job *job, const struct artifact_member *members, size_t count)
{
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++) {
		struct artifact_collection *locked;

		e = artifact_store_lock_collection(job->db, members[i].project_id,
						   members[i].collection_id, &locked);
	}
	return e;
}

/* From every collection, in the order in which they are locked. Without its member it cannot be restored any more. */
static err_t remove_members(struct job *job, struct piece *p)
{
	struct artifact_member *members;
	size_t count;
	bool is_due = false;
	err_t e = artifact_upkeep_list_members(job->db, &p->due, LINKS_AT_ONCE, &members, &count);

	if (!e)
		e = lock_all(job, members, count);
	if (!e)
		e = artifact_upkeep_is_due(job->db, &p->due, p->now, &is_due);
	for (size_t i = 0; is_due && i < count && !e; i++)
		e = artifact_store_remove_member(job->db, &members[i]);
	if (!e)
		p->more = is_due && count == LINKS_AT_ONCE;
	return e;
}

static err_t purge_deleted(struct job *job, struct piece *p)
{
	err_t e = purge_uploads(job, p);

	if (!e && !p->more)
		e = purge_manifests(job, p, 0);
	if (e || p->more)
		return e;
	atomic_fetch_add(&job->done, 1);
	return artifact_upkeep_end(job->db, &p->due);
}

/* Its files are kept while it is a member of a collection: one that was locked when it was to be taken out. */
static err_t look_at_deleted(struct job *job, struct piece *p)
{
	struct artifact_member *member;
	size_t count;
	err_t e = artifact_upkeep_list_members(job->db, &p->due, 1, &member, &count);

	if (!e && count)
		return artifact_upkeep_look(job->db, &p->due, later(p->now, BUSY_AGAIN_US));
	return e ? e : purge_deleted(job, p);
}

/* Nothing was heard of it for long. */
static err_t give_up(struct job *job, struct piece *p, struct artifact *draft)
{
	timestamp_us end = later(draft->heard_at, ARTIFACT_DRAFT_KEPT_US);

	if (end.us > p->now.us)
		return artifact_upkeep_look(job->db, &p->due, end);
	draft->deleted_at = p->now;
	p->more = true;
	return artifact_store_delete(job->db, draft, p->now);
}

static err_t look_locked(struct job *job, struct piece *p, struct artifact *v)
{
	if (v->state == ARTIFACT_PENDING)
		return give_up(job, p, v);
	if (v->state == ARTIFACT_COMMITTED)
		return look_at_committed(job, p, v);
	return look_at_deleted(job, p);
}

static err_t lock_sequence(struct job *job, const struct artifact_due *due,
			   struct artifact_collection **ret_collection)
{
	return artifact_store_lock_collection(job->db, due->project_id, due->collection_id,
					      ret_collection);
}

static err_t look_at_version(struct job *job, struct piece *p)
{
	struct artifact_collection *sequence;
	struct artifact *v;
	bool is_due;
	err_t e = lock_sequence(job, &p->due, &sequence);

	if (!e)
		e = artifact_upkeep_is_due(job->db, &p->due, p->now, &is_due);
	if (e || !is_due)
		return e;
	if (sequence->deleted_at.us && !artifact_upkeep_has_begun(sequence, p->now))
		return artifact_upkeep_look(job->db, &p->due, later(p->now, WITH_COLLECTION_US));
	e = artifact_store_find(job->db, p->due.project_id, p->due.artifact_id, &v);
	return e || !v ? e : look_locked(job, p, v);
}

/* Before its entries are removed, and without another lock held. */
static err_t take_out(struct job *job, struct piece *p)
{
	struct artifact_collection *sequence;
	struct artifact *v;
	err_t e = artifact_store_find(job->db, p->due.project_id, p->due.artifact_id, &v);

	if (e || !v || v->state != ARTIFACT_DELETED || !v->has_version)
		return e;
	e = artifact_store_get_collection(job->db, p->due.project_id, p->due.collection_id,
					  &sequence);
	if (e || !sequence ||
	    (sequence->deleted_at.us && !artifact_upkeep_has_begun(sequence, p->now)))
		return e;
	return remove_members(job, p);
}

/* ---- collections ---------------------------------------------------------------------------------------- */

static err_t delete_unprotected(struct job *job, struct piece *p, int64_t artifact_id)
{
	struct artifact_hold hold;
	struct artifact *v;
	err_t e = artifact_store_find(job->db, p->due.project_id, artifact_id, &v);

	if (!e)
		e = artifact_upkeep_hold(job->db, v, &hold);
	return e || artifact_is_protected(&hold) ? e : delete_version(job, v, p->now);
}

/* A portion. The metadata of a version is large: one is in memory at a time. */
static err_t delete_beyond(struct job *job, struct piece *p, const struct artifact_collection *c)
{
	int64_t *numbers;
	size_t count;
	err_t e =
		artifact_upkeep_list_beyond(job->db, c, p->after, BEYOND_AT_ONCE, &numbers, &count);

	for (size_t i = 0; i < count && !e; i++) {
		struct arena_mark before = arena_mark(job->arena);

		p->after = numbers[i];
		e = delete_unprotected(job, p, numbers[i]);
		if (!e)
			arena_rewind(job->arena, &before);
	}
	if (!e)
		p->more = count == BEYOND_AT_ONCE;
	return e;
}

static err_t keep_last(struct job *job, struct piece *p, const struct artifact_collection *c)
{
	err_t e = c->keep_last ? delete_beyond(job, p, c) : NULL;

	return e || p->more ? e : artifact_upkeep_look(job->db, &p->due, (timestamp_us){ 0 });
}

static err_t empty(struct job *job, struct piece *p)
{
	err_t e = artifact_upkeep_begin_collection(job->db, &p->due, p->now);

	if (!e)
		e = artifact_upkeep_empty_collection(job->db, &p->due, VERSIONS_AT_ONCE, p->now,
						     &p->more);
	if (e || p->more)
		return e;
	return artifact_upkeep_look(job->db, &p->due, (timestamp_us){ 0 });
}

static err_t look_at_collection(struct job *job, struct piece *p)
{
	struct artifact_collection *c;
	bool is_due;
	err_t e = lock_sequence(job, &p->due, &c);

	if (!e)
		e = artifact_upkeep_is_due(job->db, &p->due, p->now, &is_due);
	if (e || !is_due || !c)
		return e;
	return c->deleted_at.us ? empty(job, p) : keep_last(job, p, c);
}

/* ---- blobs ------------------------------------------------------------------------------------------------ */

struct blob_piece {
	int64_t project_id;
	const int64_t *blob_ids;
	size_t count;
};

static err_t look_at_some(struct job *job, const struct blob_piece *p, bool is_later)
{
	timestamp_us now;
	err_t e = db_begin(job->db, TIMEOUT_MS, LOCK_TIMEOUT_MS);

	if (!e)
		e = server_store_now(job->db, &now);
	if (!e && is_later)
		e = blob_store_look_later(job->db, p->project_id, p->blob_ids, p->count,
					  later(now, FAILED_AGAIN_US));
	else if (!e)
		e = blob_store_look(job->db, p->project_id, p->blob_ids, p->count, now);
	if (!e)
		return db_commit(job->db);
	db_rollback(job->db);
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) || db_err_is(e, DB_DEADLOCK) ? NULL : e;
}

/* Sets aside blobs of a project that fail, so that the others are looked at. */
static err_t look_at_or_later(struct job *job, const struct blob_piece *p)
{
	err_t failed = look_at_some(job, p, false);

	if (!failed || look_at_some(job, p, true))
		return failed;
	log_warning("cannot remove content of artifacts, will retry",
		    LOG_INT("project_id", p->project_id),
		    LOG_TEXT("error", err_chain(job->arena, failed)));
	return NULL;
}

/* Looks at the blobs of one project: those that lie first in the list. */
static err_t look_at_first(struct job *job, const struct blob_due *due, size_t count,
			   size_t *ret_looked)
{
	int64_t *blob_ids = arena_new_array(job->arena, int64_t, count);
	size_t n = 0;

	while (n < count && due[n].project_id == due[0].project_id) {
		blob_ids[n] = due[n].blob_id;
		n++;
	}
	*ret_looked = n;
	return look_at_or_later(job, &(struct blob_piece){ due[0].project_id, blob_ids, n });
}

static err_t look_at_blobs(struct job *job, timestamp_us now, bool *more)
{
	struct blob_due *due;
	size_t count, looked;
	err_t e = blob_store_list_due(job->db, now, BLOBS_AT_ONCE, &due, &count);

	for (size_t i = 0; i < count && !e && !atomic_load(job->stop); i += looked)
		e = look_at_first(job, due + i, count - i, &looked);
	if (!e)
		*more |= count == BLOBS_AT_ONCE;
	return e;
}

static err_t count_new(struct job *job, bool *more)
{
	int64_t count = 0;
	err_t e = db_begin(job->db, TIMEOUT_MS, LOCK_TIMEOUT_MS);

	if (!e)
		e = blob_store_count_new(job->db, ROWS_AT_ONCE, &count);
	if (!e)
		e = db_commit(job->db);
	if (e) {
		db_rollback(job->db);
		return db_err_is(e, DB_LOCK_NOT_AVAILABLE) ? NULL : e;
	}
	*more |= count == ROWS_AT_ONCE;
	return NULL;
}

/* ---- a pass -------------------------------------------------------------------------------------------------- */

static err_t do_all(struct job *job, piece_fn *work, struct piece *piece)
{
	err_t e;

	do {
		e = in_transaction(job, work, piece);
	} while (!e && piece->more && !atomic_load(job->stop));
	return e;
}

static err_t look_later(struct job *job, struct piece *p)
{
	struct artifact_collection *sequence;
	bool is_due;
	err_t e = lock_sequence(job, &p->due, &sequence);

	if (!e)
		e = artifact_upkeep_is_due(job->db, &p->due, p->now, &is_due);
	return e || !is_due
		       ? e
		       : artifact_upkeep_look(job->db, &p->due, later(p->now, FAILED_AGAIN_US));
}

/* A version or collection that fails is set aside, so that the others are looked at. */
static err_t set_aside(struct job *job, struct piece *p, err_t failed)
{
	if (in_transaction(job, look_later, p))
		return failed;
	log_warning("cannot look after an artifact, will retry",
		    LOG_INT("project_id", p->due.project_id),
		    LOG_INT("collection_id", p->due.collection_id),
		    LOG_INT("artifact_id", p->due.artifact_id),
		    LOG_TEXT("error", err_chain(job->arena, failed)));
	return NULL;
}

static err_t look_at_versions(struct job *job, timestamp_us now, bool *more)
{
	struct artifact_due *due;
	size_t count;
	err_t e = artifact_upkeep_list_due(job->db, now, DUE_AT_ONCE, &due, &count);

	for (size_t i = 0; i < count && !e && !atomic_load(job->stop); i++) {
		struct piece piece = { .due = due[i] };

		e = do_all(job, take_out, &piece);
		if (!e)
			e = do_all(job, look_at_version, &piece);
		if (e)
			e = set_aside(job, &piece, e);
	}
	if (!e)
		*more |= count == DUE_AT_ONCE;
	return e;
}

static err_t look_at_collections(struct job *job, timestamp_us now, bool *more)
{
	struct artifact_due *due;
	size_t count;
	err_t e = artifact_upkeep_list_due_collections(job->db, now, DUE_AT_ONCE, &due, &count);

	for (size_t i = 0; i < count && !e && !atomic_load(job->stop); i++) {
		struct piece piece = { .due = due[i] };

		e = do_all(job, look_at_collection, &piece);
		if (e)
			e = set_aside(job, &piece, e);
	}
	if (!e)
		*more |= count == DUE_AT_ONCE;
	return e;
}

/* Unless a part came since it was listed. */
static err_t purge_stale(struct job *job, struct piece *p)
{
	struct artifact_multipart *upload;
	err_t e =
		blob_store_lock_multipart(job->db, p->due.project_id, p->due.artifact_id, &upload);

	p->more = false;
	if (e || !upload || upload->heard_at.us >= later(p->now, -ARTIFACT_DRAFT_KEPT_US).us)
		return e;
	return blob_store_purge_multipart(job->db, p->due.project_id, p->due.artifact_id,
					  ROWS_AT_ONCE, p->now, &p->more);
}

static err_t look_at_multiparts(struct job *job, timestamp_us now)
{
	struct artifact_multipart *stale;
	size_t count;
	err_t e = blob_store_list_stale_multiparts(job->db, later(now, -ARTIFACT_DRAFT_KEPT_US),
						   DUE_AT_ONCE, &stale, &count);

	for (size_t i = 0; i < count && !e && !atomic_load(job->stop); i++) {
		struct piece piece = { .more = false };

		piece.due.project_id = stale[i].project_id;
		piece.due.artifact_id = stale[i].upload_id;
		e = do_all(job, purge_stale, &piece);
	}
	return e;
}

err_t artifact_pass(struct job *job, int64_t *ret_again_us)
{
	bool more = false;
	timestamp_us now;
	err_t e = server_store_now(job->db, &now);

	if (!e)
		e = count_new(job, &more);
	if (!e)
		e = look_at_blobs(job, now, &more);
	if (!e)
		e = look_at_collections(job, now, &more);
	if (!e)
		e = server_store_now(job->db, &now); /* collections made versions due */
	if (!e)
		e = look_at_versions(job, now, &more);
	if (!e)
		e = look_at_multiparts(job, now);
	*ret_again_us = more ? 0 : PERIOD_US;
	return e;
}
