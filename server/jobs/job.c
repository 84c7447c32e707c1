#include "job.h"

#include "arena.h"

enum { WORK_ARENA = 32 << 10 };

err_t job_work(struct job *job, int64_t run_id, job_work_fn *work, const void *what)
{
	struct arena *before = db_arena(job->db);
	struct arena *own = arena_new(WORK_ARENA);
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
	return kept;
}

void job_rest(struct job *job, int64_t rest_us, int64_t least_us, int64_t most_us)
{
	int64_t us = rest_us < most_us ? rest_us : most_us;

	job->rest_us = us > least_us ? us : least_us;
}
