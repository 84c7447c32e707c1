#ifndef JOBS_H
#define JOBS_H

#include "buf.h"
#include "db.h"

/*
 * Background work: a table of jobs (jobs.c), a thread and a connection each. Any number of servers
 * may run them all: every decision is made under a run's lock.
 *
 *	sweeper    runs whose writers were silent for too long
 *	compactor  tails into chunks
 *	documents  the searched documents of runs that changed
 *	ring       the next slot of the tail; slots that are compacted are emptied
 *	answers    deletes old answers to an Idempotency-Key, drafts and audit entries
 *	purger     the data of deleted runs, when they cannot be restored any more
 *	search     columns of searched documents are loaded and follow
 *	usage      the sizes of runs
 *	retention  runs that their project does not keep longer
 *	files      content that no run has a name for is deleted
 *	artifacts  drafts, versions and content that nothing needs
 *	sweeps     trials whose runs changed, silent agents, early termination, deleted sweeps
 */
struct content_store;
struct jobs;
struct metric_cache;
struct search;

struct jobs_options {
	struct db_options database;
	struct metric_cache *metrics;
	struct search *search;
	struct content_store *content;
	int64_t grace_us;      /* how long deleted data may be restored */
	int64_t agent_lost_us; /* silence after which an agent of a sweep is lost */
	int64_t audit_us;      /* how far the audit log goes back */
	int64_t audit_entries; /* and how many it has at most */
};

err_t jobs_start(struct arena *a, const struct jobs_options *options, struct jobs **ret_jobs)
	__attribute__((warn_unused_result));
void jobs_stop(struct jobs *jobs);

/* The changes of a flush or a request; from any thread, never blocks for long. */
struct jobs_update {
	int64_t run_id;
	int64_t project_id;
	int32_t tail_rows;
	int64_t tail_bytes;
	int32_t writers;
	bool ended;
	bool rows; /* of history came, which change the searched document */
};
void jobs_tell(struct jobs *jobs, const struct jobs_update *update);

/* The size of a run changed without a compaction. From any thread, never blocks for long. */
void jobs_tell_resized(struct jobs *jobs, int64_t run_id);

/* A request changed searched documents: a client that made a run finds it in the list at once, not
 * at the next pass. From any thread, never blocks for long. */
void jobs_look(struct jobs *jobs);

/* Prometheus text. */
void jobs_metrics(struct jobs *jobs, struct buf *text);

#endif
