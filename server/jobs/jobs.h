#ifndef JOBS_H
#define JOBS_H

#include "buf.h"
#include "db.h"

/*
 * What happens by itself: a table of jobs (jobs.c), a thread and a connection each. Any number of
 * servers may run them all: whatever they decide they decide under a run's lock.
 *
 *	sweeper    runs nobody was heard of in time
 *	compactor  tails into chunks
 *	documents  the searched documents of runs that changed
 *	ring       the next slot of the tail; slots that are compacted are emptied
 *	answers    what was answered to an Idempotency-Key is forgotten after a week; old drafts and audit entries too
 *	purger     what deleted runs had, when they cannot be restored any more
 *	search     columns of searched documents are loaded and follow
 *	usage      what runs take
 *	retention  runs that their project does not keep longer
 *	files      content that no run has a name for is given up
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
	int64_t grace_us;      /* how long what is deleted may be restored */
	int64_t audit_us;      /* how far the audit log goes back */
	int64_t audit_entries; /* and how many it has at most */
};

err_t jobs_start(struct arena *a, const struct jobs_options *options, struct jobs **ret_jobs)
	__attribute__((warn_unused_result));
void jobs_stop(struct jobs *jobs);

/* What a flush or a request changed; from any thread, never blocks for long. */
struct jobs_news {
	int64_t run_id;
	int64_t project_id;
	int32_t tail_rows;
	int64_t tail_bytes;
	int32_t writers;
	bool ended;
	bool rows; /* of history came, which change what is searched */
};
void jobs_tell(struct jobs *jobs, const struct jobs_news *news);

/* A request wrote something that may be searched: who made a run finds it in the list at once, not at
 * the next pass. From any thread, never blocks for long. */
void jobs_look(struct jobs *jobs);

/* Prometheus text. */
void jobs_metrics(struct jobs *jobs, struct buf *text);

#endif
