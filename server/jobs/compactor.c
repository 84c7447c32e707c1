#include <inttypes.h>

#include "arena.h"
#include "clock.h"
#include "codec.h"
#include "compaction.h"
#include "job.h"
#include "log.h"

enum { WAIT_US = 1000 * 1000, PUT_OFF_US = 10 * 1000 * 1000 };

/*
 * Whether the run's stored data is damaged: it then waits, and is
 * reported, but does not block others.
 */
static bool is_of_the_run(err_t e)
{
	return e && e->kind == ERR_INTERNAL && !e->sqlstate;
}

static void put_off(struct job *job, int64_t run_id, err_t e)
{
	log_warning("cannot compact a run", LOG_INT("run_id", run_id),
		    LOG_INT("again_in_s", PUT_OFF_US / 1000000),
		    LOG_TEXT("error", err_chain(job->arena, e)));
	run_set_put_off(job->to_compact, run_id, clock_mono_us() + PUT_OFF_US, RUN_SET_BARRED);
}

err_t compactor_pass(struct job *job, int64_t *ret_again_us)
{
	struct run_set_item item;
	err_t e;

	*ret_again_us = 0;
	if (!run_set_take(job->to_compact, clock_mono_us() + WAIT_US, &item))
		return NULL;
	e = compaction_run(job, &item);
	if (e && (db_err_is(e, DB_LOCK_NOT_AVAILABLE) || e->kind == ERR_BUSY)) {
		*ret_again_us = WAIT_US / 10; /* another server has it, or no answer */
		run_set_add(job->to_compact, item);
		return db_err_is(e, DB_LOCK_NOT_AVAILABLE) || !e->sqlstate ? NULL : e;
	}
	if (e && e->kind == ERR_NOT_FOUND)
		return NULL; /* purged just now */
	if (is_of_the_run(e)) {
		put_off(job, item.run_id, e);
		return NULL;
	}
	return e ? err_wrap(job->arena, e, "run %" PRId64, item.run_id) : NULL;
}
