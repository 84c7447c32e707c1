#include <inttypes.h>

#include "arena.h"
#include "clock.h"
#include "codec.h"
#include "compaction.h"
#include "job.h"

enum { WAIT_US = 1000 * 1000 };

err_t compactor_pass(struct job *job, int64_t *ret_again_us)
{
	struct run_set_item item;
	err_t e;

	*ret_again_us = 0;
	if (!run_set_take(job->to_compact, clock_mono_us() + WAIT_US, &item))
		return NULL;
	e = compaction_run(job, &item);
	if (e && (db_err_is(e, DB_LOCK_NOT_AVAILABLE) || e->kind == ERR_BUSY)) {
		*ret_again_us = WAIT_US / 10; /* another server compacts it, or nothing answers */
		run_set_add(job->to_compact, item);
		return db_err_is(e, DB_LOCK_NOT_AVAILABLE) || !e->sqlstate ? NULL : e;
	}
	if (e && e->kind == ERR_GONE) {
		run_set_add(job->to_compact, item); /* deleted just now: its tail is let go */
		return NULL;
	}
	return e ? err_wrap(job->arena, e, "run %" PRId64, item.run_id) : NULL;
}
