#ifndef MOVE_API_H
#define MOVE_API_H

#include "request.h"

/* POST .../runs/{run}/move: moves the run to another project, as one change. */
err_t move_api_post(struct request *q);

/* POST .../runs/{run}/restore at an address that a run was moved away from: brings it back, for admins. */
err_t move_api_bring_back(struct request *q);

#endif
