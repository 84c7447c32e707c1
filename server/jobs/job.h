#ifndef JOB_H
#define JOB_H

#include <stdatomic.h>

#include "db.h"
#include "run_set.h"

struct codec;
struct content_store;
struct jobs;
struct metric_cache;
struct search;

/* For /metrics, which must not wait for a disk. */
struct job_disk {
	_Atomic int64_t free_bytes;
	_Atomic int64_t size_bytes;
};

/* What a job's pass works with; its arena is reset after each pass. */
struct job {
	const char *name;
	struct arena *arena;
	struct db *db;
	struct codec *codec;
	struct metric_cache *metrics;
	struct search *search;
	struct content_store *content; /* what files hold */
	struct run_set *to_compact;    /* runs whose tail is long */
	struct run_set *to_document;   /* runs whose searched document is old */
	struct run_set *to_hear;       /* runs of whose document only times are: they were heard */
	struct run_set *to_measure;    /* runs that were compacted */
	_Atomic int64_t *stored_bytes; /* of all runs */
	struct job_disk *disk;         /* that files lie on */
	int64_t grace_us;              /* how long what is deleted may be restored */
	int64_t audit_us;              /* how far the audit log goes back */
	int64_t audit_entries;         /* and how many it has at most; 0: any number */
	_Atomic bool *stop;
	_Atomic uint64_t
		done;    /* as it counts: changes, compactions, documents, slots, answers, loads */
	int64_t took_us; /* what its pass did as yet (job_took()) */
	int64_t rest_us; /* after a pass, whoever calls (job_rest()) */
	int64_t seldom_us; /* monotonic: when the pass last did what it does more seldom */
	int64_t rare_us;   /* and still more seldom */
	size_t rare_left;  /* what was due then and is not done yet */
	int64_t total_us;  /* the same of the sum that it tells */
	int64_t passed_us; /* of the sweeper: when it last looked at its clock */
	int64_t (*boot_us)(struct job *job); /* that clock; NULL: clock_boot_us() */
	timestamp_us hears_since; /* and since when this server would have heard somebody */
};

/*
 * What a pass does for one run, in memory of its own that is given back at once: a pass over many runs
 * needs no more than the largest of them. The error names the run and lives in the job's arena; any
 * transaction is ended by the work itself.
 */
typedef err_t job_work_fn(struct job *job, const void *what);
err_t job_work(struct job *job, int64_t run_id, job_work_fn *work, const void *what)
	__attribute__((warn_unused_result));

/*
 * What a run took counts up to here. What is beyond was waited, for a lock or a machine that stood still: nobody gains
 * by a long rest then. So a run whose work is in truth longer costs more than the job's share.
 */
#define JOB_WORK_MOST_US (INT64_C(1000) * 1000)

/* job_work() counts by itself. */
void job_took(struct job *job, int64_t us);
/* How long a job rests after a pass: so many times as long as what it did took, which is its share of a core. */
struct job_rest {
	int64_t times;
	int64_t least_us;
	int64_t most_us; /* whatever it did: what comes meanwhile waits no longer */
};
void job_rest(struct job *job, const struct job_rest *rest);

/*
 * One pass; *ret_again_us is how long the job may sleep afterwards. Passes of jobs that wait for a
 * run_set sleep in there.
 */
typedef err_t job_pass_fn(struct job *job, int64_t *ret_again_us);

err_t sweeper_pass(struct job *job, int64_t *ret_again_us);
err_t compactor_pass(struct job *job, int64_t *ret_again_us);
err_t document_pass(struct job *job, int64_t *ret_again_us);
err_t ring_pass(struct job *job, int64_t *ret_again_us);
err_t forget_pass(struct job *job, int64_t *ret_again_us);
err_t purger_pass(struct job *job, int64_t *ret_again_us);
err_t search_pass(struct job *job, int64_t *ret_again_us);
err_t usage_pass(struct job *job, int64_t *ret_again_us);
err_t file_pass(struct job *job, int64_t *ret_again_us);
err_t names_pass(struct job *job, int64_t *ret_again_us);
err_t retention_pass(struct job *job, int64_t *ret_again_us);

#endif
