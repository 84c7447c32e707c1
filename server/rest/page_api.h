#ifndef PAGE_API_H
#define PAGE_API_H

#include "request.h"

/* The web page: GET /login, GET /authorize. What it shows it finds out by itself. */
err_t page_api_show(struct request *q);

#endif
