#ifndef VIEW_API_H
#define VIEW_API_H

#include "request.h"

err_t view_api_list(struct request *q);
err_t view_api_post(struct request *q);
err_t view_api_show(struct request *q);
err_t view_api_put(struct request *q);
err_t view_api_patch(struct request *q);
err_t view_api_delete(struct request *q);

#endif
