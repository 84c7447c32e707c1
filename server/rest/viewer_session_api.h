#ifndef VIEWER_SESSION_API_H
#define VIEWER_SESSION_API_H

#include "request.h"

/* Where one is signed in: GET and DELETE /api/v1/viewer/sessions, DELETE …/{session}. */
err_t viewer_session_api_list(struct request *q);
err_t viewer_session_api_end_others(struct request *q);
err_t viewer_session_api_end(struct request *q);

#endif
