/*
 * A machine whose clock has lost its battery comes up in 1970, or in the year that its firmware was
 * made, until NTP has set it. Data stored until then would have wrong times for ever, so a clock
 * that is not set is refused, with a status with which a service is started again. A clock that
 * merely differs does not harm stored data, so the server starts.
 *
 * Rejected: to refuse a clock that is behind what is stored. If the clock was ahead once, no server would start until it is
 * that late.
 */
#include "clocks.h"

#include <math.h>
#include <stdlib.h>

#include "log.h"
#include "server_store.h"
#include "tail_store.h"

#define EARLIEST_US (INT64_C(1704067200) * 1000000) /* 2024-01-01 */
enum { BACK_US = 60 * 1000 * 1000 };

err_t clocks_read(struct db *db, struct clocks *ret_clocks)
{
	timestamp_us before = clock_wall_us();
	struct clocks c;
	err_t e = server_store_time(db, &c.database);
	timestamp_us after = clock_wall_us();

	if (e)
		return e;
	/* The time of the answer is assumed to be halfway between the query and its arrival. */
	c.ahead_us = before.us + (after.us - before.us) / 2 - c.database.us;
	*ret_clocks = c;
	return NULL;
}

err_t clocks_check(struct db *db)
{
	char time[CLOCK_TEXT_SIZE];
	struct err *wrong;
	struct clocks c;
	err_t e = clocks_read(db, &c);

	if (e || c.database.us >= EARLIEST_US)
		return e;
	clock_format(c.database, time);
	wrong = err_new(db_arena(db), ERR_BUSY,
			"the clock of the database host is not set: it shows %s", time);
	wrong->hint =
		"nothing was changed; set the clock (NTP) and start the server again, or data "
		"gets wrong timestamps";
	return wrong;
}

static void tell_apart(const struct clocks *c)
{
	char time[CLOCK_TEXT_SIZE];

	clock_format(c->database, time);
	log_warning(c->ahead_us > 0 ? "this machine's clock is ahead of the database's"
				    : "this machine's clock is behind the database's",
		    LOG_REAL("seconds", fabs((double)c->ahead_us / 1e6)),
		    LOG_TEXT("database", time),
		    LOG_TEXT("hint",
			     "synchronize both clocks (NTP): links, certificates and the log use "
			     "this machine's clock, run timestamps the database's"));
}

/* When the tail's slot was opened, rows were stored. */
static err_t tell_back(struct db *db)
{
	char opened[CLOCK_TEXT_SIZE];
	char time[CLOCK_TEXT_SIZE];
	struct tail_ring ring;
	timestamp_us now;
	err_t e = server_store_now(db, &now);

	if (!e)
		e = tail_store_ring(db, &ring);
	if (e || ring.opened_at.us - now.us <= BACK_US)
		return e;
	clock_format(now, time);
	clock_format(ring.opened_at, opened);
	log_warning("the database's clock is earlier than the newest timestamp stored",
		    LOG_TEXT("database", time), LOG_TEXT("stored", opened),
		    LOG_TEXT("hint",
			     "set the clock of the database host (NTP), or runs get wrong "
			     "timestamps; if the clock was ahead before, check the runs of that "
			     "time"));
	return NULL;
}

err_t clocks_tell(struct db *db)
{
	struct clocks c;
	err_t e = clocks_read(db, &c);

	if (e)
		return e;
	if (llabs(c.ahead_us) > CLOCKS_APART_US)
		tell_apart(&c);
	return tell_back(db);
}
