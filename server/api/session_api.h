#ifndef SESSION_API_H
#define SESSION_API_H

#include "request.h"

/* GET /api/v1/session: who is signed in, if anybody. */
err_t session_api_show(struct request *q);
/* POST /api/v1/session: signs in with name and password; the answer sets the cookie. */
err_t session_api_post(struct request *q);
/* DELETE /api/v1/session: signs out. */
err_t session_api_delete(struct request *q);

#endif
