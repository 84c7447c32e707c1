#ifndef SERIES_PAGE_H
#define SERIES_PAGE_H

#include "request.h"

/* POST …/series: what a page draws, in one request, answered in pieces as they are ready. */
err_t series_page_post(struct request *q);

#endif
