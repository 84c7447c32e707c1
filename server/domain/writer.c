#include "writer.h"

#include "sdk_processes.h"

const char *writer_role_name(int role)
{
	switch (role) {
	case WRITER_PRIMARY:
		return "primary";
	case WRITER_WORKER:
		return "worker";
	default:
		return "hand";
	}
}

bool writer_console_shift(const struct writer *w, int64_t first, int64_t *ret_shift)
{
	int64_t before = -1 - w->console_shift;

	*ret_shift = w->console_shift;
	if (w->console_shift >= 0)
		return false;
	*ret_shift = first < before ? before : 0;
	return first < before;
}

bool writer_processes(const struct writer *w, struct sdk_processes *ret_processes)
{
	const struct console_piece all = { .has_rows = w->history_rows || w->event_rows };

	if (!sdk_processes_read(w->lines, ret_processes))
		return false;
	if (w->console_lines && !ret_processes->console.count)
		ret_processes->console =
			(struct console_pieces){ CONSOLE_ROWS_UNKNOWN, 1, { all } };
	return true;
}

int32_t writer_lane(const struct writer *w)
{
	return w->writer < WRITER_MAX ? w->writer : WRITER_OVERFLOW;
}

bool writer_role_parse(struct str text, enum writer_role *ret_role)
{
	if (str_is(text, "primary"))
		*ret_role = WRITER_PRIMARY;
	else if (str_is(text, "worker"))
		*ret_role = WRITER_WORKER;
	else
		return false;
	return true;
}

int64_t writer_heartbeat_s(int64_t limit_us)
{
	int64_t seconds = limit_us / 1000000 / WRITER_HEARTBEATS;

	if (seconds < 1)
		return 1;
	return seconds < WRITER_HEARTBEAT_S ? seconds : WRITER_HEARTBEAT_S;
}

int64_t writer_lag_us(timestamp_us now, double newest_s)
{
	return newest_s > 0 ? now.us - (int64_t)(newest_s * 1e6) : 0;
}

bool writer_has_ended(const struct writer *w)
{
	return w->state != WRITER_ALIVE;
}

bool writer_is_lost(const struct writer *w, timestamp_us now, int64_t limit_us)
{
	return w->state == WRITER_ALIVE && w->role != WRITER_HAND &&
	       now.us - w->heard_at.us >= limit_us;
}

const char *writer_state_shown(const struct writer *w, struct writer_run run, timestamp_us now,
			       int64_t limit_us)
{
	if (w->state == WRITER_REPLACED)
		return "replaced";
	if (w->state != WRITER_ALIVE || (w->role == WRITER_HAND && run.has_ended))
		return "ended";
	if (!writer_is_lost(w, now, limit_us))
		return "alive";
	if (w->role == WRITER_PRIMARY && run.decided_at.us &&
	    !writer_is_lost(w, run.decided_at, limit_us))
		return "ended";
	return "lost";
}
