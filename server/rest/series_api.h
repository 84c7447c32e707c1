#ifndef SERIES_API_H
#define SERIES_API_H

#include "request.h"

/* GET …/runs/{run}/history and …/events: sampled, or exact as a stream. */
err_t series_api_history(struct request *q);
err_t series_api_events(struct request *q);
/* GET …/runs/{run}/keys */
err_t series_api_keys(struct request *q);

#endif
