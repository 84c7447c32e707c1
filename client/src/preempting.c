/* Word of an end that is near, and of its reason. */
#include <stdio.h>

#include "run.h"

int cairn_preempting(struct cairn_run *run)
{
	int result = run_check(run);

	if (result)
		return result;
	pthread_mutex_lock(&run->lock);
	if (run->is_closed) {
		result = CAIRN_FINISHED;
	} else {
		run->is_preempting = true;
		run->is_poked = true;
		run->is_hurried = true;
		run->spool.is_asked = run->settings.mode == MODE_OFFLINE;
		pthread_cond_signal(&run->wake);
		pthread_cond_signal(&run->spool_wake);
	}
	pthread_mutex_unlock(&run->lock);
	return result;
}

void run_set_end(struct cairn_run *run, enum run_end_state state, const char *reason)
{
	pthread_mutex_lock(&run->lock);
	run->end_state = state;
	snprintf(run->end_reason, sizeof run->end_reason, "%s", reason);
	pthread_mutex_unlock(&run->lock);
}
