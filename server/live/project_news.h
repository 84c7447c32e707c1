#ifndef PROJECT_NEWS_H
#define PROJECT_NEWS_H

#include "access.h"
#include "project_watch.h"
#include "request.h"

/* Who is told: all of whom this is the same are told the same. */
struct news_view {
	struct db *db;
	const struct project_watch *watch; /* as of a look */
	const struct request *asked;       /* names entity and project */
	enum visibility project;
	bool sees_private;
};

/* The first event, of one who begins where the watch stands, or goes on from a cursor. */
void project_news_open(const struct watch_cursor *cursor, timestamp_us now, struct buf *out);

/*
 * Appends what changed since the cursor, and moves it on; `reset` where that is too much or not known any
 * more. The last event of all in `out` carries the cursor as its id. *ret_more: not all of it went in.
 */
err_t project_news_write(const struct news_view *v, struct watch_cursor *cursor, struct buf *out,
			 bool *ret_more) __attribute__((warn_unused_result));

/* Whether what changed since the cursor can be told. */
bool project_news_is_known(const struct news_view *v, const struct watch_cursor *cursor);
/* What was told does not hold any more: it is to be read again. */
void project_news_reset(const struct news_view *v, struct watch_cursor *cursor, struct buf *out);

bool project_news_may_see(const struct news_view *v, int16_t visibility);

#endif
