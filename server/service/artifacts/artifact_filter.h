#ifndef ARTIFACT_FILTER_H
#define ARTIFACT_FILTER_H

#include "artifact_store.h"
#include "pattern.h"
#include "request.h"

/*
 * A filter of versions (filter.h, filter_parse_artifacts). The database matches all but expressions and free words: those are
 * matched here, by the rules and limits of the search for runs, so they can only be combined by "and" and "not".
 */
struct artifact_filter {
	struct patterns *patterns; /* NULL: none */
	bool is_negated[FILTER_PATTERNS_MAX];
};
/* Sets ask->jsonpath and ask->sees; text.at == NULL: no filter. ERR_INVALID with the field "filter". */
err_t artifact_filter_read(struct request *q, struct str text, struct artifact_versions_ask *ask,
			   struct artifact_filter *ret_filter) __attribute__((warn_unused_result));

/* A page of versions, at most ask->limit; *ret_all: how many match on all pages, unless ret_all is NULL. */
struct artifact_found {
	struct artifact *artifacts;
	size_t count;
	bool is_cut;  /* fewer than were asked for, see artifact_page.h */
	bool is_last; /* none follow */
};
err_t artifact_filter_page(struct request *q, const struct artifact_versions_ask *ask,
			   const struct artifact_filter *filter, struct artifact_found *ret_found,
			   int64_t *ret_all) __attribute__((warn_unused_result));

#endif
