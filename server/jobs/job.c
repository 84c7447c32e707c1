#include "job.h"

#include "arena.h"
#include "clock.h"

enum { WORK_ARENA = 32 << 10 };

err_t job_work(struct job *job, int64_t run_id, job_work_fn *work, const void *what)
{
	struct arena *before = db_arena(job->db);
	struct arena *own = arena_new(WORK_ARENA);
	int64_t began_us = clock_mono_us();
	struct err *kept = NULL;
	err_t e;

	db_set_arena(job->db, own);
	e = work(job, what);
	db_set_arena(job->db, before);
	if (e) {
		kept = err_new(job->arena, e->kind, "run %lld: %s", (long long)run_id,
			       err_chain(own, e));
		kept->sqlstate = e->sqlstate ? arena_strdup(job->arena, e->sqlstate) : NULL;
	}
	arena_free(own);
	job_took(job, clock_mono_us() - began_us);
	return kept;
}

void job_took(struct job *job, int64_t us)
{
	job->took_us += us < JOB_WORK_MOST_US ? us : JOB_WORK_MOST_US;
}

void job_rest(struct job *job, const struct job_rest *rest)
{
	int64_t us = rest->times * job->took_us;

	if (us < rest->least_us)
		us = rest->least_us;
	job->rest_us = us < rest->most_us ? us : rest->most_us;
	job->took_us = 0;
}
