#ifndef MOVE_API_H
#define MOVE_API_H

#include "request.h"

/* POST .../runs/{run}/move: a run goes to another project, as one change. */
err_t move_api_post(struct request *q);

#endif
