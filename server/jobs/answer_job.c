/*
 * Forgets answers to bare rows that were sent with an Idempotency-Key long ago. In small portions, each
 * a transaction of its own, and passing over rows that another server takes.
 */
#include "job.h"
#include "run_store.h"
#include "server_store.h"

enum { PORTION = 1000, PERIOD_US = 60 * 1000 * 1000 };
#define KEPT_US (INT64_C(7) * 24 * 3600 * 1000000)

err_t answer_pass(struct job *job, int64_t *ret_again_us)
{
	int64_t forgotten = 0;
	timestamp_us before;
	err_t e;

	*ret_again_us = PERIOD_US;
	e = server_store_now(job->db, &before);
	if (e)
		return e;
	before.us -= KEPT_US;
	do {
		e = run_store_forget_answers(job->db, before, PORTION, &forgotten);
		if (!e)
			atomic_fetch_add(&job->done, (uint64_t)forgotten);
	} while (!e && forgotten == PORTION && !atomic_load(job->stop));
	return e;
}
