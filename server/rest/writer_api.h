#ifndef WRITER_API_H
#define WRITER_API_H

#include "request.h"

/* POST …/runs/{run}/join */
err_t writer_api_join(struct request *q);
/* GET …/runs/{run}/writers */
err_t writer_api_list(struct request *q);
/* POST …/runs/{run}/writers/{writer}/end */
err_t writer_api_end(struct request *q);

#endif
