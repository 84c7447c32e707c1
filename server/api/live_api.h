#ifndef LIVE_API_H
#define LIVE_API_H

#include "request.h"

/* GET …/runs/{run}/live: what happens in the run, as server-sent events. */
err_t live_api_show(struct request *q);
/* GET …/{project}/live: what happens among its runs. */
err_t live_api_watch(struct request *q);

#endif
