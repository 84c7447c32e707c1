#include "jobs.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "arena.h"
#include "clock.h"
#include "codec.h"
#include "compaction.h"
#include "job.h"
#include "log.h"
#include "search.h"
#include "thread.h"

enum {
	JOB_ARENA = 256 << 10,
	RUNS_KEPT = 1 << 16,
	RETRY_US = 1000 * 1000,
};

static const struct {
	const char *name;
	job_pass_fn *pass;
	const char *counts; /* the unit of job.done, for /metrics */
	bool is_called;     /* by jobs_look() */
} job_rows[] = {
	{ "sweeper", sweeper_pass, "State changes made by the sweeper." },
	{ "compactor", compactor_pass, "Compactions completed." },
	{ "documents", document_pass, "Searchable documents written.", .is_called = true },
	{ "ring", ring_pass, "Slots of the tail opened." },
	{ "answers", forget_pass, "Expired responses to an Idempotency-Key removed." },
	{ "purger", purger_pass, "Deleted runs purged." },
	{ "search_loads", search_pass, "Projects loaded into memory as searchable columns." },
	{ "usage", usage_pass, "Runs whose size was measured." },
	{ "retention", retention_pass, "Runs deleted by the retention of their projects." },
	{ "names", names_pass, "Unused metric names deleted." },
	{ "files", file_pass, "Unused file contents deleted." },
	{ "artifacts", artifact_pass, "Deleted versions of artifacts whose entries were removed." },
	{ "sweep_trials", sweep_pass, "Changes of trials of sweeps that the sweep job noticed." },
};
enum { JOBS = sizeof(job_rows) / sizeof(job_rows[0]) };

struct job_thread {
	struct jobs *jobs;
	struct job job;
	job_pass_fn *pass;
	struct arena *connection_arena;
	pthread_t thread;
	bool running;
	bool was_called; /* by the lock */
};

struct jobs {
	struct job_thread threads[JOBS];
	struct run_set *to_compact;
	struct run_set *to_document;
	struct run_set *to_hear;
	struct search *search;
	struct run_set *to_measure;
	_Atomic int64_t stored_bytes;
	struct job_disk disk;
	_Atomic bool stop;
	pthread_mutex_t lock;
	pthread_cond_t wake; /* to stop, or for jobs that can be called */
};

/* Until the time, the stop, or, if `is_called`, a call. The lock is held. */
static void sleep_until(struct job_thread *t, int64_t until_us, bool is_called)
{
	struct timespec until = clock_timespec(until_us);

	while (!atomic_load(&t->jobs->stop) && !(is_called && t->was_called)) {
		if (pthread_cond_timedwait(&t->jobs->wake, &t->jobs->lock, &until))
			break;
	}
}

/* A call does not shorten the rest that a pass must have. */
static void rest(struct job_thread *t, int64_t again_us)
{
	int64_t now_us = clock_mono_us();

	pthread_mutex_lock(&t->jobs->lock);
	sleep_until(t, now_us + t->job.rest_us, false);
	sleep_until(t, now_us + again_us, true);
	t->was_called = false;
	pthread_mutex_unlock(&t->jobs->lock);
}

/* A job that fails logs it once, and again when its passes succeed. */
static void *job_main(void *arg)
{
	struct job_thread *t = arg;
	bool failing = false;

	while (!atomic_load(&t->jobs->stop)) {
		int64_t again_us = RETRY_US;
		err_t e = t->pass(&t->job, &again_us);

		if (e && !failing)
			log_warning("job failed", LOG_TEXT("job", t->job.name),
				    LOG_TEXT("error", err_chain(t->job.arena, e)));
		if (!e && failing)
			log_info("job works again", LOG_TEXT("job", t->job.name));
		failing = e != NULL;
		if (e)
			again_us = RETRY_US;
		arena_reset(t->job.arena);
		if (again_us > 0)
			rest(t, again_us);
	}
	return NULL;
}

static err_t start_one(struct arena *a, struct jobs *jobs, const struct jobs_options *options,
		       size_t which)
{
	struct job_thread *t = &jobs->threads[which];
	err_t e;

	t->jobs = jobs;
	t->pass = job_rows[which].pass;
	t->connection_arena = arena_new(4096);
	e = db_open(t->connection_arena, &options->database, &t->job.db);
	if (e)
		return err_wrap(a, e, "the job \"%s\" cannot reach the database",
				job_rows[which].name);
	t->job.name = job_rows[which].name;
	t->job.arena = arena_new(JOB_ARENA);
	db_set_arena(t->job.db, t->job.arena);
	t->job.codec = codec_new();
	t->job.metrics = options->metrics;
	t->job.search = options->search;
	t->job.content = options->content;
	t->job.to_compact = jobs->to_compact;
	t->job.to_document = jobs->to_document;
	t->job.to_hear = jobs->to_hear;
	t->job.to_measure = jobs->to_measure;
	t->job.stored_bytes = &jobs->stored_bytes;
	t->job.disk = &jobs->disk;
	t->job.grace_us = options->grace_us;
	t->job.agent_lost_us = options->agent_lost_us;
	t->job.audit_us = options->audit_us;
	t->job.audit_entries = options->audit_entries;
	t->job.stop = &jobs->stop;
	if (!thread_start(&t->thread, t->job.name, job_main, t))
		return err_new(a, ERR_INTERNAL, "cannot start a thread");
	t->running = true;
	return NULL;
}

err_t jobs_start(struct arena *a, const struct jobs_options *options, struct jobs **ret_jobs)
{
	struct jobs *jobs = arena_new_of(a, struct jobs);
	err_t e = NULL;

	pthread_mutex_init(&jobs->lock, NULL);
	clock_cond_init(&jobs->wake);
	jobs->to_compact = run_set_new(RUNS_KEPT);
	jobs->to_document = run_set_new(RUNS_KEPT);
	jobs->to_hear = run_set_new(RUNS_KEPT);
	jobs->search = options->search;
	jobs->to_measure = run_set_new(RUNS_KEPT);
	for (size_t i = 0; i < JOBS && !e; i++)
		e = start_one(a, jobs, options, i);
	if (e) {
		jobs_stop(jobs);
		return e;
	}
	*ret_jobs = jobs;
	return NULL;
}

static void stop_one(struct job_thread *t)
{
	if (t->running)
		pthread_join(t->thread, NULL);
	db_close(t->job.db);
	codec_free(t->job.codec);
	arena_free(t->job.arena);
	arena_free(t->connection_arena);
}

void jobs_stop(struct jobs *jobs)
{
	if (!jobs)
		return;
	pthread_mutex_lock(&jobs->lock);
	atomic_store(&jobs->stop, true);
	pthread_cond_broadcast(&jobs->wake);
	pthread_mutex_unlock(&jobs->lock);
	run_set_close(jobs->to_compact);
	run_set_close(jobs->to_document);
	run_set_close(jobs->to_hear);
	search_close(jobs->search);
	run_set_close(jobs->to_measure);
	for (size_t i = 0; i < JOBS; i++)
		stop_one(&jobs->threads[i]);
	run_set_free(jobs->to_compact);
	run_set_free(jobs->to_document);
	run_set_free(jobs->to_hear);
	run_set_free(jobs->to_measure);
	pthread_cond_destroy(&jobs->wake);
	pthread_mutex_destroy(&jobs->lock);
}

void jobs_look(struct jobs *jobs)
{
	pthread_mutex_lock(&jobs->lock);
	for (size_t i = 0; i < JOBS; i++)
		jobs->threads[i].was_called = job_rows[i].is_called;
	pthread_cond_broadcast(&jobs->wake);
	pthread_mutex_unlock(&jobs->lock);
}

void jobs_tell(struct jobs *jobs, const struct jobs_update *update)
{
	struct run_set_item item = { .run_id = update->run_id, .project_id = update->project_id };
	struct tail_load load = { update->tail_rows, update->tail_bytes, update->writers,
				  update->ended };

	item.pressing = update->ended || compaction_is_pressing(&load); /* it gathers no more */
	if (item.pressing || compaction_is_due(&load))
		run_set_add(jobs->to_compact, item);
	run_set_add(update->rows ? jobs->to_document : jobs->to_hear, item);
}

void jobs_tell_resized(struct jobs *jobs, int64_t run_id)
{
	run_set_add(jobs->to_measure, (struct run_set_item){ .run_id = run_id });
}

void jobs_metrics(struct jobs *jobs, struct buf *text)
{
	for (size_t i = 0; i < JOBS; i++) {
		buf_printf(text, "# HELP cairn_%s_total %s\n# TYPE cairn_%s_total counter\n",
			   job_rows[i].name, job_rows[i].counts, job_rows[i].name);
		buf_printf(text, "cairn_%s_total %llu\n", job_rows[i].name,
			   (unsigned long long)atomic_load(&jobs->threads[i].job.done));
	}
	buf_add_text(text, "# HELP cairn_compaction_waiting Runs waiting for compaction.\n"
			   "# TYPE cairn_compaction_waiting gauge\n");
	buf_printf(text, "cairn_compaction_waiting %zu\n", run_set_count(jobs->to_compact));
	buf_add_text(text, "# HELP cairn_stored_bytes Total size of all runs, as in their "
			   "\"bytes\".\n"
			   "# TYPE cairn_stored_bytes gauge\n");
	buf_printf(text, "cairn_stored_bytes %lld\n", (long long)atomic_load(&jobs->stored_bytes));
	buf_add_text(text,
		     "# HELP cairn_files_disk_free_bytes Free space on the disk of files_dir.\n"
		     "# TYPE cairn_files_disk_free_bytes gauge\n");
	buf_printf(text, "cairn_files_disk_free_bytes %lld\n",
		   (long long)atomic_load(&jobs->disk.free_bytes));
	buf_add_text(text, "# HELP cairn_files_disk_size_bytes Size of the disk of files_dir.\n"
			   "# TYPE cairn_files_disk_size_bytes gauge\n");
	buf_printf(text, "cairn_files_disk_size_bytes %lld\n",
		   (long long)atomic_load(&jobs->disk.size_bytes));
}
