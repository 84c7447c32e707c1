#ifndef SESSION_API_H
#define SESSION_API_H

#include "entity_store.h"
#include "request.h"
#include "session.h"

/* GET /api/v1/session: who is signed in, if anybody. */
err_t session_api_show(struct request *q);
/* POST /api/v1/session: signs in with name and password; the answer sets the cookie. */
err_t session_api_post(struct request *q);
/* DELETE /api/v1/session: signs out. */
err_t session_api_delete(struct request *q);
/* GET /login, GET /authorize: the web page, which finds out by itself what to show. */
err_t session_api_show_page(struct request *q);

/*
 * A session of the account and its cookie, in the transaction that is open and ends with the request.
 * ERR_UNAUTHORIZED when the account's password is another one by now.
 */
err_t session_api_begin(struct request *q, const struct account_password *account,
			struct session *ret_session) __attribute__((warn_unused_result));
/* Replies to the request that began the session. */
void session_api_reply(struct request *q, struct str name, const struct session *session);

#endif
