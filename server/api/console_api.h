#ifndef CONSOLE_API_H
#define CONSOLE_API_H

#include "request.h"

/* GET …/runs/{run}/console: lines by writer and number, as JSON or plain text. */
err_t console_api_show(struct request *q);

#endif
