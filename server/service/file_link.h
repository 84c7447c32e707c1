#ifndef FILE_LINK_H
#define FILE_LINK_H

#include "file_store.h"
#include "request.h"
#include "signed_url.h"

/*
 * URLs of a run's files, absolute, as clients reach this server (request_base_url()):
 *
 *	link   {base}/storage/{number of the run}/{name}?…   signed: needs no key until it expires
 *	url    {base}/files/{entity}/{project}/{run}/{name}  needs a key that may read the run
 *
 * Names in them are escaped as they must be and no further; "/" stays.
 */
struct file_link_ask {
	enum signed_use use;
	int64_t run_id;
	struct str name;   /* file_name_read() has seen it */
	struct str client; /* the writer it is for; empty: none */
};
/* Makes links for q->identity; see signed_link_issue(). */
err_t file_link(struct request *q, const struct file_link_ask *ask, struct str *ret_link)
	__attribute__((warn_unused_result));
/* Makes links to files of the run of q->target. */
err_t file_link_url(struct request *q, struct str name, struct str *ret_url)
	__attribute__((warn_unused_result));
/*
 * Checks the link of the request and finds the owner of its run. ERR_FORBIDDEN: it is forged or has expired, or the user
 * it was issued to no longer has permission. ERR_GONE: the run is deleted. The route is /storage/{number}/{name...} with
 * ROUTE_NOW.
 */
err_t file_link_read(struct request *q, enum signed_use use, struct signed_url *ret_url,
		     struct file_owner **ret_owner) __attribute__((warn_unused_result));
/* Checks the link again after the body arrived. It may have expired by then, but the permission must still hold. */
err_t file_link_still(struct request *q, enum signed_use use) __attribute__((warn_unused_result));
#define FILE_LINK_QUERY "expires user by client signature"

#endif
