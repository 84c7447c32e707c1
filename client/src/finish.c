/*
 * Waiting for the sender: joined, flushed, finished. Every wait has an end of its own, and none
 * depends on the network being there.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "sampling.h"

static int64_t deadline_after(int timeout_ms)
{
	return transport_clock_us() + (timeout_ms > 0 ? (int64_t)timeout_ms * 1000 : 0);
}

bool run_wait_changed(struct cairn_run *run, int64_t deadline_us)
{
	struct timespec until = { .tv_sec = deadline_us / 1000000,
				  .tv_nsec = deadline_us % 1000000 * 1000 };

	return transport_clock_us() < deadline_us &&
	       pthread_cond_timedwait(&run->changed, &run->lock, &until) == 0;
}

int cairn_wait_joined(struct cairn_run *run, int timeout_ms)
{
	int64_t deadline_us = deadline_after(timeout_ms);
	int result = run_check(run);
	enum run_phase phase;

	if (result)
		return result;
	pthread_mutex_lock(&run->lock);
	if (run->settings.mode == MODE_DISABLED)
		run->phase = RUN_JOINED;
	while (run->phase == RUN_JOINING && run_wait_changed(run, deadline_us))
		;
	phase = run->phase;
	pthread_mutex_unlock(&run->lock);
	if (phase == RUN_JOINING)
		return CAIRN_TIMEOUT;
	if (phase == RUN_DENIED)
		return CAIRN_REFUSED;
	return phase == RUN_OVER ? CAIRN_FINISHED : CAIRN_OK;
}

/* The sender should look at once, and not wait for its next try either. */
static void hurry(struct cairn_run *run)
{
	run->is_poked = true;
	run->is_hurried = true;
	pthread_cond_signal(&run->wake);
	if (run->settings.mode != MODE_OFFLINE)
		return;
	run->spool.is_asked = true;
	pthread_cond_signal(&run->spool_wake);
}

/* How far the server must have come. */
struct goals {
	uint64_t counts[RECORD_KINDS];
	uint64_t end;             /* index behind the last record */
	uint64_t config, summary; /* versions */
	uint64_t alerts;
};

static void read_goals(struct cairn_run *run, struct goals *ret_goals)
{
	pthread_mutex_lock(&run->documents_lock);
	ret_goals->config = run->config.version;
	ret_goals->summary = run->summary.version;
	pthread_mutex_unlock(&run->documents_lock);
	pthread_mutex_lock(&run->lock);
	for (int i = 0; i < RECORD_KINDS; i++)
		ret_goals->counts[i] = run->counts[i].accepted;
	ret_goals->end = unsent_end(run);
	ret_goals->alerts = run->alerts.accepted;
	pthread_mutex_unlock(&run->lock);
}

/* The lock is held, here and below. */
static bool are_documents_settled(const struct cairn_run *run, const struct goals *goals)
{
	return run->config_settled >= goals->config && run->summary_settled >= goals->summary;
}

static bool are_documents_synced(const struct cairn_run *run, const struct goals *goals)
{
	return run->spool.config >= goals->config && run->spool.summary >= goals->summary;
}

/* In offline mode data has arrived once it is in the spool and synced. */
static bool is_synced(const struct cairn_run *run, const struct goals *goals)
{
	return run->spool.synced >= goals->end && run->spool.alerts >= goals->alerts &&
	       are_documents_synced(run, goals);
}

static bool is_settled(const struct cairn_run *run, const struct goals *goals)
{
	if (run->settings.mode == MODE_OFFLINE)
		return is_synced(run, goals);
	for (int i = 0; i < RECORD_KINDS; i++) {
		if (run->counts[i].stored + run->counts[i].refused < goals->counts[i])
			return false;
	}
	return run->alerts.settled >= goals->alerts && are_documents_settled(run, goals);
}

static int wait_settled(struct cairn_run *run, const struct goals *goals, int64_t deadline_us)
{
	while (!is_settled(run, goals)) {
		if (run->phase == RUN_DENIED)
			return CAIRN_REFUSED;
		if (run->phase == RUN_OVER)
			return CAIRN_FINISHED;
		if (!run_wait_changed(run, deadline_us))
			return is_settled(run, goals) ? CAIRN_OK : CAIRN_TIMEOUT;
	}
	return CAIRN_OK;
}

static void flush_console(struct cairn_run *run)
{
	pthread_mutex_lock(&run->console_lock);
	console_flush(&run->console);
	pthread_mutex_unlock(&run->console_lock);
}

int cairn_flush(struct cairn_run *run, int timeout_ms)
{
	int64_t deadline_us = deadline_after(timeout_ms);
	struct goals goals;
	int result = run_check(run);

	if (result || run->settings.mode == MODE_DISABLED)
		return result;
	flush_console(run);
	read_goals(run, &goals);
	pthread_mutex_lock(&run->lock);
	hurry(run);
	result = wait_settled(run, &goals, deadline_us);
	pthread_mutex_unlock(&run->lock);
	return result;
}

/* Limits the code to what the server accepts; a larger one is a failure as well. */
static int clamp_exit_code(int code)
{
	if (code > 255)
		return 255;
	return code < -255 ? -255 : code;
}

void run_begin_finish(struct cairn_run *run, int exit_code, int64_t deadline_us)
{
	sampling_stop(run->sampling);
	flush_console(run);
	pthread_mutex_lock(&run->lock);
	if (!run->is_finishing) {
		run->is_closed = true;
		run->is_finishing = true;
		run->exit_code = clamp_exit_code(exit_code);
		run->deadline_us = deadline_us;
		run->has_end = true;
		hurry(run);
		pthread_cond_signal(&run->spool_wake);
		if (run->transport)
			transport_set_deadline(run->transport, deadline_us);
	}
	pthread_mutex_unlock(&run->lock);
}

static uint64_t alerts_spooled(const struct cairn_run *run)
{
	const struct run_spool *spool = &run->spool;

	if (run->settings.mode == MODE_OFFLINE)
		return spool->alerts;
	return spool->alerts > run->alerts.settled ? spool->alerts - run->alerts.settled : 0;
}

static void fill_spooled(struct cairn_run *run, struct cairn_report *report)
{
	report->history_spooled = run->counts[RECORD_HISTORY].on_disk;
	report->events_spooled = run->counts[RECORD_EVENTS].on_disk;
	report->console_spooled = run->counts[RECORD_CONSOLE].on_disk;
	report->alerts_spooled = alerts_spooled(run);
	report->end_spooled = run->spool.has_end && !run->is_end_sent;
	if (run->settings.mode != MODE_OFFLINE)
		report->alerts_unsent -= report->alerts_spooled;
	if (run->spool.folder)
		snprintf(report->spool, sizeof report->spool, "%s", run->spool.folder);
}

static void fill_report(struct cairn_run *run, struct cairn_report *report)
{
	*report = (struct cairn_report){
		.history_unsent = unsent_in_memory(run, RECORD_HISTORY),
		.events_unsent = unsent_in_memory(run, RECORD_EVENTS),
		.console_unsent = unsent_in_memory(run, RECORD_CONSOLE),
		.history_lost = run->counts[RECORD_HISTORY].dropped +
				run->counts[RECORD_HISTORY].refused,
		.events_lost = run->counts[RECORD_EVENTS].dropped +
			       run->counts[RECORD_EVENTS].refused,
		.console_lost = run->counts[RECORD_CONSOLE].dropped +
				run->counts[RECORD_CONSOLE].refused,
		.alerts_unsent = run->alerts.accepted - run->alerts.settled + run->alerts.refused,
		.values_left_out = run->values_left_out,
		.end_unsent = !run->is_end_sent && !run->spool.has_end,
	};
	fill_spooled(run, report);
	snprintf(report->error, sizeof report->error, "%.120s%s%.120s", run->spool.error,
		 run->error[0] && run->spool.error[0] ? "; " : "", run->error);
}

/* The documents of which neither the server nor the spool has the last version. */
static bool are_documents_unsent(const struct cairn_run *run, const struct goals *goals)
{
	bool is_config_there = run->config_settled >= goals->config ||
			       run->spool.config >= goals->config;
	bool is_summary_there = run->summary_settled >= goals->summary ||
				run->spool.summary >= goals->summary;

	return run->was_document_refused || !is_config_there || !is_summary_there;
}

static int result_of_finish(const struct cairn_run *run)
{
	bool is_offline = run->settings.mode == MODE_OFFLINE;

	if (run->is_end_sent ||
	    (is_offline && run->spool.has_end && unsent_end(run) <= run->spool.synced))
		return CAIRN_OK;
	return run->was_refused ? CAIRN_REFUSED : CAIRN_TIMEOUT;
}

/* The sender ends at the deadline by itself; this waits a moment longer for it, so that what it
 * was just told is in the report. */
#define LAST_WORD_US 50000

/* The spool writes in the last part of the time what was not sent; a slow disk gets a moment more. If all was sent, it
 * only removes its files. */
#define LAST_WRITE_US 1000000

int run_wait_finish(struct cairn_run *run)
{
	struct goals goals;
	int64_t limit_us;
	int result;

	pthread_mutex_lock(&run->lock);
	while (run->phase != RUN_OVER && run_wait_changed(run, run->deadline_us + LAST_WORD_US))
		;
	limit_us = (run->is_end_sent ? transport_clock_us() : run->deadline_us + LAST_WORD_US) +
		   LAST_WRITE_US;
	while (!run->has_report && !run->spool.is_over && run_wait_changed(run, limit_us))
		;
	pthread_mutex_unlock(&run->lock);
	read_goals(run, &goals);
	pthread_mutex_lock(&run->lock);
	if (!run->has_report) {
		fill_report(run, &run->report);
		run->report.documents_unsent = are_documents_unsent(run, &goals);
		run->has_report = true;
		run->finish_result = result_of_finish(run);
	}
	result = run->finish_result;
	pthread_mutex_unlock(&run->lock);
	return result;
}

static int close_disabled(struct cairn_run *run)
{
	pthread_mutex_lock(&run->lock);
	run->is_closed = true;
	pthread_mutex_unlock(&run->lock);
	return CAIRN_OK;
}

static int finish(struct cairn_run *run, int exit_code, int timeout_ms,
		  struct cairn_report *ret_report)
{
	int64_t deadline_us = deadline_after(timeout_ms);
	int result = run_check(run);

	*ret_report = (struct cairn_report){ 0 };
	if (result)
		return result;
	if (run->settings.mode == MODE_DISABLED)
		return close_disabled(run);
	run_begin_finish(run, exit_code, deadline_us);
	result = run_wait_finish(run);
	*ret_report = run->report;
	return result;
}

int cairn_finish(struct cairn_run *run, int exit_code, int timeout_ms,
		 struct cairn_report *ret_report)
{
	struct cairn_report report;

	return finish(run, exit_code, timeout_ms, ret_report ? ret_report : &report);
}

/* The report of programs that were built before the spool ends here. To them data in the spool is not sent. */
#define FIRST_REPORT_BYTES offsetof(struct cairn_report, history_spooled)

CAIRN_API int finish_of_first_header(struct cairn_run *run, int exit_code, int timeout_ms,
				     struct cairn_report *ret_report) __asm__("cairn_finish");

int finish_of_first_header(struct cairn_run *run, int exit_code, int timeout_ms,
			   struct cairn_report *ret_report)
{
	struct cairn_report report;
	int result = finish(run, exit_code, timeout_ms, &report);

	report.history_unsent += report.history_spooled;
	report.events_unsent += report.events_spooled;
	report.console_unsent += report.console_spooled;
	report.alerts_unsent += report.alerts_spooled;
	report.end_unsent |= report.end_spooled;
	if (ret_report)
		memcpy(ret_report, &report, FIRST_REPORT_BYTES);
	return result;
}
