#ifndef LIVE_API_H
#define LIVE_API_H

#include "request.h"

/* GET …/runs/{run}/live: what happens in the run, as server-sent events. */
err_t live_api_show(struct request *q);
/* GET …/{project}/live: what happens among its runs. */
err_t live_api_watch(struct request *q);
/* GET /api/v1/live: the same of several projects, by one connection. */
err_t live_api_watch_many(struct request *q);

/* "streams" of who watches projects: enum listener_stream of the runs that are followed. */
err_t live_api_followed_streams(struct request *q, unsigned *ret_streams)
	__attribute__((warn_unused_result));
err_t live_api_bad_cursor(struct request *q, const char *field) __attribute__((warn_unused_result));

#endif
