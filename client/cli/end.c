#include "end.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "run.h"
#include "slurm.h"

/* Slurm knows best. It ended the job, so the exit code of the command says nothing. */
static bool ask_slurm(const struct watch *watch, struct cairn_run *run)
{
	enum slurm_end end = SLURM_END_NONE;

	if (slurm_has_job())
		end = slurm_ask_end(watch->was_signalled, &watch->before.mask);
	if (end == SLURM_END_NONE || (end == SLURM_END_CANCELLED && watch->left_signal))
		return false;
	run_set_end(run, end == SLURM_END_PREEMPTED ? RUN_END_PREEMPTED : RUN_END_CRASHED,
		    slurm_end_reason(end));
	return true;
}

void end_set(const struct watch *watch, int code, struct cairn_run *run)
{
	char reason[RUN_REASON_SIZE];

	if (code == 0 || ask_slurm(watch, run))
		return;
	if (watch->left_signal) {
		snprintf(reason, sizeof reason, "preempted: its agent was ended by %s",
			 watch_signal_name(watch->left_signal));
		run_set_end(run, RUN_END_PREEMPTED, reason);
	} else if (watch->is_preempting) {
		snprintf(reason, sizeof reason, "preempted: %s announced it",
			 watch_signal_name(watch->preempt_signal));
		run_set_end(run, RUN_END_EXIT, reason);
	} else if (WIFSIGNALED(watch->status)) {
		snprintf(reason, sizeof reason, "killed by signal %d (%s)", WTERMSIG(watch->status),
			 strsignal(WTERMSIG(watch->status)));
		run_set_end(run, RUN_END_EXIT, reason);
	}
}
