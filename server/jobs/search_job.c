/*
 * Columns of searched documents follow the database: at the start the projects that were logged to
 * last are loaded, at once any queried project without columns, and every second the changes of all
 * servers. A query adds newer changes itself, so answers are not a second old: a query has to add a
 * second of changes at most.
 */
#include "clock.h"
#include "job.h"
#include "search.h"

enum { PERIOD_US = 1000 * 1000 };

/* Once, at the start. */
static err_t load_recent(struct job *job)
{
	uint64_t loaded;
	err_t e = search_load_recent(job->search, job->db, job->stop, &loaded);

	job->seldom_us = clock_mono_us();
	atomic_fetch_add(&job->done, loaded);
	return e;
}

err_t search_pass(struct job *job, int64_t *ret_again_us)
{
	uint64_t loaded;
	err_t e = NULL;

	if (!job->seldom_us)
		e = load_recent(job);
	if (e)
		return e;
	search_wait(job->search, PERIOD_US);
	e = search_follow(job->search, job->db, job->stop, &loaded);
	if (!e)
		atomic_fetch_add(&job->done, loaded);
	*ret_again_us = 0;
	return e;
}
