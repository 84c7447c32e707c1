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

/* A thing that failed at its last attempt. */
struct job_failing {
	int64_t id; /* 0: none */
	int times;  /* in a row */
};
enum { JOB_FAILING_MAX = 64 };

/* The context of a job's passes; its arena is reset after each pass. */
struct job {
	const char *name;
	struct arena *arena;
	struct db *db;
	struct codec *codec;
	struct metric_cache *metrics;
	struct search *search;
	struct content_store *content; /* the content of files */
	struct run_set *to_compact;    /* runs whose tail is long */
	struct run_set *to_document;   /* runs whose searched document is old */
	struct run_set *to_hear;       /* runs of whose documents only the times are old */
	struct run_set *to_measure;    /* runs that were compacted */
	_Atomic int64_t *stored_bytes; /* of all runs */
	struct job_disk *disk;         /* with the files */
	int64_t grace_us;              /* how long deleted data may be restored */
	int64_t agent_lost_us;         /* silence after which an agent of a sweep is lost */
	struct job_failing failing[JOB_FAILING_MAX]; /* sweeps */
	int64_t audit_us;                            /* how far the audit log goes back */
	int64_t audit_entries; /* and how many it has at most; 0: any number */
	_Atomic bool *stop;
	_Atomic uint64_t
		done;      /* in its unit: changes, compactions, documents, slots, answers, loads */
	int64_t took_us;   /* the time of this pass's work so far (job_took()) */
	int64_t rest_us;   /* after a pass, even if called (job_rest()) */
	int64_t seldom_us; /* monotonic: the last time of its less frequent work */
	int64_t rare_us;   /* and of its rarest work */
	size_t rare_left;  /* left of what was due then */
	int64_t total_us;  /* the same for its total in the metrics */
	int64_t passed_us; /* of the sweeper: when it last read its clock */
	int64_t (*boot_us)(struct job *job); /* that clock; NULL: clock_boot_us() */
	timestamp_us hears_since;            /* since when this server could receive */
};

/*
 * The work of a pass for one run, in memory of its own that is freed at once: a pass over many runs
 * needs no more than the largest of them. The error names the run and lives in the job's arena; any
 * transaction is ended by the work itself.
 */
typedef err_t job_work_fn(struct job *job, const void *what);
err_t job_work(struct job *job, int64_t run_id, job_work_fn *work, const void *what)
	__attribute__((warn_unused_result));

/*
 * The work for a run counts up to here. Time beyond was spent waiting, for
 * a lock or a suspended machine: a long rest would not help then. So a run
 * whose work really takes longer costs more than the job's share.
 */
#define JOB_WORK_MOST_US (INT64_C(1000) * 1000)

/* job_work() calls it. */
void job_took(struct job *job, int64_t us);
/*
 * How long a job rests after a pass: a multiple of the time of its work,
 * which is its share of a core.
 */
struct job_rest {
	int64_t times;
	int64_t least_us;
	int64_t most_us; /* in any case: new work waits no longer */
};
void job_rest(struct job *job, const struct job_rest *rest);

/*
 * One pass; *ret_again_us is how long the job may sleep afterwards. Jobs that wait for a run_set
 * sleep within their pass.
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
err_t artifact_pass(struct job *job, int64_t *ret_again_us);
err_t sweep_pass(struct job *job, int64_t *ret_again_us);
err_t names_pass(struct job *job, int64_t *ret_again_us);
err_t retention_pass(struct job *job, int64_t *ret_again_us);

#endif
