#include "sweep_hosts.h"

#include <string.h>

#include "arena.h"

static struct sweep_host *add(struct sweep_hosts *h, struct str name)
{
	struct sweep_host *hosts =
		arena_new_array(db_arena(h->db), struct sweep_host, h->count + 1);

	if (h->count)
		memcpy(hosts, h->at, h->count * sizeof(*hosts));
	hosts[h->count] = (struct sweep_host){ .host = name };
	h->at = hosts;
	return &hosts[h->count++];
}

static err_t find(struct sweep_hosts *h, struct str name, struct sweep_host **ret_host)
{
	err_t e = h->is_read ? NULL : sweep_store_list_hosts(h->db, h->sweep, &h->at, &h->count);

	if (e)
		return e;
	h->is_read = true;
	for (size_t i = 0; i < h->count; i++) {
		*ret_host = &h->at[i];
		if (str_equal(h->at[i].host, name))
			return NULL;
	}
	*ret_host = add(h, name);
	return NULL;
}

static bool says_something(int state)
{
	return state == SWEEP_TRIAL_FINISHED || state == SWEEP_TRIAL_FAILED ||
	       state == SWEEP_TRIAL_CRASHED || state == SWEEP_TRIAL_LOST;
}

err_t sweep_hosts_note(struct sweep_hosts *h, const struct sweep_trial *t)
{
	struct sweep_host *host;
	err_t e;

	if (!t->host.len || !says_something(t->state))
		return NULL;
	e = find(h, t->host, &host);
	if (e)
		return e;
	host->is_changed = true;
	if (t->state != SWEEP_TRIAL_FINISHED) {
		host->failed_in_row++;
		return NULL;
	}
	host->finished++;
	host->failed_in_row = 0;
	host->set_aside_at.us = 0;
	return NULL;
}

static bool another_finished(const struct sweep_hosts *h, const struct sweep_host *host)
{
	for (size_t i = 0; i < h->count; i++) {
		if (&h->at[i] != host && h->at[i].finished)
			return true;
	}
	return false;
}

err_t sweep_hosts_save(struct sweep_hosts *h, const struct sweep_config *config, timestamp_us now)
{
	int64_t most = config->host_failures;
	err_t e = NULL;

	for (size_t i = 0; i < h->count && !e; i++) {
		struct sweep_host *host = &h->at[i];

		if (!host->is_changed)
			continue;
		if (most && host->failed_in_row >= most && another_finished(h, host))
			host->set_aside_at = now;
		e = sweep_store_save_host(h->db, h->sweep, host);
	}
	return e;
}
