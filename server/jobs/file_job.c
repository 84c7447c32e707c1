/*
 * Deletes content that no run has a name for any more. Content that lost a name, and new content,
 * is checked an hour later (file_store.h): each under the lock of its row, so that it cannot get a
 * name in between. Now and then content in the folder without a row, from a server that died or a
 * restored database, gets one.
 */
#include "clock.h"
#include "content.h"
#include "file_store.h"
#include "job.h"
#include "log.h"
#include "server_store.h"

enum {
	PERIOD_US = 1000 * 1000,
	AT_ONCE = 1000,
	TIMEOUT_MS = 30000,
	LOCK_TIMEOUT_MS = 500,
};
#define SELDOM_US (INT64_C(6) * 3600 * 1000 * 1000)

static err_t look_locked(struct job *job, struct str content, timestamp_us now, bool *ret_gone)
{
	err_t e = file_store_may_forget(job->db, content, now, ret_gone);

	if (e || !*ret_gone)
		return e;
	e = content_remove(job->content, job->arena, content);
	return e ? e : file_store_forget(job->db, content);
}

static err_t look(struct job *job, struct str content, timestamp_us now)
{
	bool gone = false;
	err_t e = db_begin(job->db, TIMEOUT_MS, LOCK_TIMEOUT_MS);

	if (!e)
		e = look_locked(job, content, now, &gone);
	if (!e)
		e = db_commit(job->db);
	if (!e && gone)
		atomic_fetch_add(&job->done, 1);
	if (e)
		db_rollback(job->db);
	return e;
}

static err_t look_at_due(struct job *job, timestamp_us now, bool *ret_more)
{
	struct file_content *due;
	size_t count;
	err_t e = file_store_list_due(job->db, now, AT_ONCE, &due, &count);

	for (size_t i = 0; i < count && !e && !atomic_load(job->stop); i++)
		e = look(job, due[i].content, now);
	if (!e)
		*ret_more = count == AT_ONCE;
	return e;
}

struct adopt {
	struct job *job;
	timestamp_us now;
};

/* A statement's memory is freed with an arena of its own. */
static err_t adopt(void *state, struct str hash, int64_t size_bytes)
{
	struct adopt *a = state;
	struct job *job = a->job;
	const struct file_content content = { hash, size_bytes };
	struct arena *own = arena_new(4096);
	err_t e;

	db_set_arena(job->db, own);
	e = file_store_adopt(job->db, &content, a->now);
	db_set_arena(job->db, job->arena);
	if (e)
		e = err_wrap(job->arena, e, "content in the folder of files");
	else if (atomic_load(job->stop))
		e = err_new(job->arena, ERR_BUSY, "the server is stopping");
	arena_free(own);
	return e;
}

static err_t do_seldom(struct job *job, timestamp_us now)
{
	struct adopt state = { job, now };
	size_t swept;
	err_t e = content_sweep(job->content, job->arena, &swept);

	if (!e && swept)
		log_info("incomplete uploads removed", LOG_INT("files", swept));
	if (!e)
		e = content_walk(job->content, job->arena, adopt, &state);
	return e && atomic_load(job->stop) ? NULL : e;
}

err_t file_pass(struct job *job, int64_t *ret_again_us)
{
	int64_t mono_us = clock_mono_us();
	bool more = false;
	timestamp_us now;
	err_t e = server_store_now(job->db, &now);

	if (!e && (!job->seldom_us || mono_us - job->seldom_us >= SELDOM_US)) {
		job->seldom_us = mono_us;
		e = do_seldom(job, now);
	}
	if (!e)
		e = look_at_due(job, now, &more);
	*ret_again_us = more ? 0 : PERIOD_US;
	return e;
}
