#ifndef SIGNED_LINK_H
#define SIGNED_LINK_H

#include "access.h"
#include "request.h"
#include "signed_url.h"

/*
 * Links of any kind that need no key (domain/signed_url.h): what they have in common, whatever they lead to. A link has only
 * the permissions of the user it was issued to, with the key or session it was issued by. It is refused, as a key would be,
 * if the user was disabled, left, or may no longer see what it leads to, or if the key was revoked or the session ended.
 */

/* Returns when links that are made now expire, in seconds since 1970. */
int64_t signed_link_expiry(const struct request *q);

/* Sets the expiry, user and key of a new link, by q->now if the route has it, otherwise by the database's clock. */
err_t signed_link_issue(struct request *q, struct signed_url *url)
	__attribute__((warn_unused_result));
/* The base of absolute URLs, as clients reach this server (request_base()); without one it is an error. */
err_t signed_link_base(struct request *q, struct str *ret_base) __attribute__((warn_unused_result));
/* Appends "?expires=…&signature=…". */
void signed_link_write_query(struct buf *b, const struct request *q, const struct signed_url *url);
#define SIGNED_LINK_QUERY "expires user by signature"

/* The parameters of the request's link, into a url that has use, number and name; then its signature and expiry. */
err_t signed_link_read(struct request *q, struct signed_url *url)
	__attribute__((warn_unused_result));
err_t signed_link_check(struct request *q, const struct signed_url *url)
	__attribute__((warn_unused_result));
/* The error of a link that cannot have been issued: that of a forged one. */
err_t signed_link_forged(struct request *q) __attribute__((warn_unused_result));

/* The key or session that the link was issued by. */
struct signed_link_by {
	int64_t key_id;     /* 0: none */
	struct str session; /* empty: none */
};
struct signed_link_by signed_link_by(const struct signed_url *url);

/* ERR_FORBIDDEN if the user of the link may not do this any more. facts->signed_in: user and key are known still. */
err_t signed_link_may(struct request *q, const struct signed_url *url,
		      const struct access_facts *facts) __attribute__((warn_unused_result));

#endif
