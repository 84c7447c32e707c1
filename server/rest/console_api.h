#ifndef CONSOLE_API_H
#define CONSOLE_API_H

#include "request.h"

/* GET …/runs/{run}/console: lines by writer and number, by time, or found. */
err_t console_api_show(struct request *q);

/* GET …/runs/{run}/console/density: how many lines there are, by writer and over time. */
err_t console_api_density(struct request *q);

#endif
