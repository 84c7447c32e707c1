#ifndef ATTEMPT_API_H
#define ATTEMPT_API_H

#include "request.h"

/* Earlier attempts of which config and summary are kept; one that is restored. */
err_t attempt_api_list(struct request *q);
err_t attempt_api_restore(struct request *q);

#endif
