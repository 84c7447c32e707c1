#ifndef SWEEP_HOSTS_H
#define SWEEP_HOSTS_H

#include "sweep_store.h"

/* How trials ended on each host of agents, and which hosts are set aside. Under the lock of the sweep. */
struct sweep_hosts {
	struct db *db;
	const struct sweep *sweep;
	/* Read when the first is needed. */
	struct sweep_host *at;
	size_t count;
	bool is_read;
};
/* A trial has ended, as its state says: killed ones say nothing of the host. */
err_t sweep_hosts_note(struct sweep_hosts *hosts, const struct sweep_trial *trial)
	__attribute__((warn_unused_result));
/* Saves what was noted. A host that failed too often is set aside if another one finished a trial: else the program is at fault. */
err_t sweep_hosts_save(struct sweep_hosts *hosts, const struct sweep_config *config,
		       timestamp_us now) __attribute__((warn_unused_result));

#endif
