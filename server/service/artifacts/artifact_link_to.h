#ifndef ARTIFACT_LINK_TO_H
#define ARTIFACT_LINK_TO_H

#include "artifact_target.h"

/*
 * Links versions into portfolios. The portfolio is in the project of q->target, which the caller may write, and is made if it
 * does not exist; the caller may read the version. All in the request's transaction, with q->now.
 */
struct artifact_link_asked {
	const struct artifact *artifact; /* committed */
	struct str portfolio;
	const struct str *aliases; /* "latest" moves to the link in any case */
	size_t alias_count;
};
/* A version that is linked already keeps its number. *ret_target: the member and its collection. */
err_t artifact_link_to(struct request *q, const struct artifact_link_asked *asked,
		       struct artifact_target *ret_target) __attribute__((warn_unused_result));
/* Removes the member of a portfolio with its aliases. ERR_CONFLICT for the version's own sequence. */
err_t artifact_unlink(struct request *q, const struct artifact_target *target)
	__attribute__((warn_unused_result));

#endif
