#ifndef ARTIFACT_PAGE_H
#define ARTIFACT_PAGE_H

#include "artifact_store.h"
#include "request.h"

/*
 * Pages of versions are bounded by their bytes, too: the metadata of one may have ARTIFACT_METADATA_MAX bytes. A page that has
 * ARTIFACT_PAGE_BYTES of it ends earlier than the client asked for, but shows one version at least.
 */

/* How many of the first versions a page shows. */
size_t artifact_page_cut(const struct artifact_size *sizes, size_t count);

/* The same for versions of several projects. */
struct artifact_key {
	int64_t project_id;
	int64_t artifact_id;
};
err_t artifact_page_fit(struct request *q, const struct artifact_key *keys, size_t count,
			size_t *ret_count) __attribute__((warn_unused_result));

#endif
