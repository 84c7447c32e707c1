#ifndef STATE_API_H
#define STATE_API_H

#include "request.h"

/* POST …/runs/{run}/finish: a writer ends, or a person ends the run. */
err_t state_api_finish(struct request *q);
/* POST …/runs/{run}/stop: writers are asked to stop, in their next answer. */
err_t state_api_stop(struct request *q);
/* GET, POST …/runs/{run}/states */
err_t state_api_list(struct request *q);
err_t state_api_override(struct request *q);

#endif
