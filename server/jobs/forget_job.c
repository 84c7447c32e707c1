/*
 * Deletes by age: answers to bare rows that were sent with an Idempotency-Key, drafts of views
 * (also those beyond a user's limit), and entries of the audit log, by age and by number. In small
 * portions, each a transaction of its own, skipping rows that another server has locked.
 */
#include "audit_store.h"
#include "job.h"
#include "run_store.h"
#include "server_store.h"
#include "view_store.h"

enum { PORTION = 1000, PERIOD_US = 60 * 1000 * 1000 };
#define ANSWERS_KEPT_US (INT64_C(7) * 24 * 3600 * 1000000)

typedef err_t forget_fn(struct db *db, timestamp_us before, int64_t limit, int64_t *ret_count);

static const struct {
	forget_fn *some;
	int64_t kept_us; /* 0: by the settings */
	bool is_counted;
} kinds[] = {
	{ run_store_forget_answers, ANSWERS_KEPT_US, .is_counted = true },
	{ view_store_forget_drafts, VIEW_DRAFT_KEPT_US },
	{ audit_store_forget },
};

static err_t forget_surplus(struct job *job)
{
	int64_t forgotten = 0;
	err_t e = NULL;

	if (!job->audit_entries)
		return NULL;
	do
		e = audit_store_forget_surplus(job->db, job->audit_entries, PORTION, &forgotten);
	while (!e && forgotten == PORTION && !atomic_load(job->stop));
	return e;
}

static err_t forget(struct job *job, forget_fn *some, timestamp_us before, int64_t *ret_count)
{
	int64_t forgotten = 0;
	err_t e;

	*ret_count = 0;
	do {
		e = some(job->db, before, PORTION, &forgotten);
		if (!e)
			*ret_count += forgotten;
	} while (!e && forgotten == PORTION && !atomic_load(job->stop));
	return e;
}

err_t forget_pass(struct job *job, int64_t *ret_again_us)
{
	timestamp_us now;
	err_t e;

	*ret_again_us = PERIOD_US;
	e = server_store_now(job->db, &now);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !e; i++) {
		int64_t kept_us = kinds[i].kept_us ? kinds[i].kept_us : job->audit_us;
		timestamp_us before = { now.us - kept_us };
		int64_t count;

		e = forget(job, kinds[i].some, before, &count);
		if (kinds[i].is_counted)
			atomic_fetch_add(&job->done, (uint64_t)count);
	}
	return e ? e : forget_surplus(job);
}
