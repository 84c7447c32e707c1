#ifndef SERIES_STREAM_H
#define SERIES_STREAM_H

#include "request.h"

/* POST …/series: all charts of a page in one request, answered in pieces as they are ready. */
err_t series_stream_post(struct request *q);

#endif
