#ifndef VIEWER_API_H
#define VIEWER_API_H

#include "request.h"

/* GET /api/v1/viewer: the user that the key or session belongs to. */
err_t viewer_api_show(struct request *q);

/* GET and DELETE /api/v1/viewer/sessions, DELETE …/{session}: where the user is signed in. */
err_t viewer_api_list_sessions(struct request *q);
err_t viewer_api_end_other_sessions(struct request *q);
err_t viewer_api_end_session(struct request *q);

#endif
