#ifndef UNREAD_API_H
#define UNREAD_API_H

#include "request.h"

/* GET …/unread: lines that came and could not be read. */
err_t unread_api_list(struct request *q);

#endif
