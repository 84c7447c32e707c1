#ifndef VALUE_WRITER_API_H
#define VALUE_WRITER_API_H

#include "request.h"

/* GET …/runs/{run}/config/writers and …/summary/writers */
err_t value_writer_api_config(struct request *q);
err_t value_writer_api_summary(struct request *q);

#endif
