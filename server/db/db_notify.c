/*
 * Waiting for notifications, on a connection that does nothing else. It listens again after every
 * reconnect; what was sent in between is lost, so whoever waits must look at the data as well.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "db_conn.h"
#include "db_sql.h"

static bool is_identifier(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name);
}

static bool listens(const struct db *db, const char *channel)
{
	for (size_t i = 0; i < db->channels; i++) {
		if (strcmp(db->channel[i], channel) == 0)
			return true;
	}
	return false;
}

err_t db_listen(struct db *db, const char *channel)
{
	err_t e;

	assert(is_identifier(channel) && !db->in_transaction && !db->piping);
	e = db_ready(db);
	if (e)
		return e;
	e = db_simple(db, "listen", arena_printf(db->arena, "listen %s", channel));
	if (e || listens(db, channel))
		return e;
	assert(db->channels < DB_CHANNELS);
	db->channel[db->channels++] = channel;
	return NULL;
}

err_t db_notify(struct db *db, const char *channel, struct str payload)
{
	return db_exec(db, &STMT_db_notify, DB_ARGS(P_STR(str_of(channel)), P_STR(payload)), NULL);
}

/* Sleeps until the next attempt to connect is due, or the caller's time is over. */
static void wait_for_retry(const struct db *db, int64_t until_us)
{
	int64_t now = clock_mono_us();
	int64_t wake = db->retry_at_us < until_us ? db->retry_at_us : until_us;

	if (!db->pg && wake > now)
		clock_sleep_us(wake - now);
}

static bool take_notification(struct db *db, struct str *ret_payload)
{
	PGnotify *n = PQnotifies(db->pg);

	if (!n)
		return false;
	*ret_payload = str_of(arena_strdup(db->arena, n->extra));
	PQfreemem(n);
	return true;
}

err_t db_wait_notify(struct db *db, int timeout_ms, struct str *ret_payload)
{
	int64_t until_us = clock_mono_us() + (int64_t)timeout_ms * 1000;
	err_t e;

	wait_for_retry(db, until_us);
	e = db_ready(db);
	if (e)
		return e;
	while (!take_notification(db, ret_payload)) {
		struct pollfd p = { .fd = PQsocket(db->pg), .events = POLLIN };
		int64_t left_us = until_us - clock_mono_us();
		int ready = left_us > 0 ? poll(&p, 1, (int)(left_us / 1000 + 1)) : 0;

		if (ready == 0 || (ready < 0 && errno == EINTR)) {
			*ret_payload = (struct str){ "", 0 };
			return NULL;
		}
		if (!PQconsumeInput(db->pg) || PQstatus(db->pg) != CONNECTION_OK)
			return db_lost(db, "wait for a notification");
	}
	return NULL;
}
