#ifndef AUTH_SESSION_H
#define AUTH_SESSION_H

#include "request.h"
#include "session.h"

/*
 * Sessions as a browser shows them: the cookie, and whether it was a page of ours that sent it.
 *
 * A browser sends the cookie with whatever any page asks of us, so what changes something is taken only
 * from pages of this server's own address: the browser says so (Sec-Fetch-Site), or names the page's
 * (Origin), and that must be the one it calls us by (Host, behind a trusted proxy X-Forwarded-Host). By
 * plain http it sends the second alone. Keys need none of this: no browser sends them unasked.
 */

struct auth;
const struct session_limits *auth_session_limits(const struct auth *auth);

/* The token in the cookie; empty when there is none. */
struct str auth_cookie(const struct request *q);
/* With no token the cookie is taken away. */
void auth_set_cookie(struct request *q, const char *token, int64_t lifetime_s);

/*
 * Another cookie, which stays when the session ends: that this browser has signed in as the user before. The id of
 * the browser, empty when it has not. Setting it keeps the id that there is.
 */
struct str auth_device(const struct request *q, struct str user);
void auth_set_device(struct request *q, struct str user);

/* Whether the browser names one of our pages as the one that requests (Referer), which not all requests do. */
bool auth_is_from_our_page(const struct request *q);
/* ERR_FORBIDDEN unless one of our pages sent it. */
err_t auth_check_page(struct request *q) __attribute__((warn_unused_result));
/* ERR_FORBIDDEN when a page of somebody else did; what comes from no page is let pass. */
err_t auth_refuse_foreign(struct request *q) __attribute__((warn_unused_result));

#endif
