#ifndef ARTIFACT_FILTER_H
#define ARTIFACT_FILTER_H

#include "artifact_store.h"
#include "request.h"

/*
 * Reads a filter of versions (filter.h, FILTER_ARTIFACTS) into ask->jsonpath; text.at == NULL: none. ERR_INVALID with the
 * field "filter".
 */
err_t artifact_filter_read(struct request *q, struct str text, struct artifact_versions_ask *ask)
	__attribute__((warn_unused_result));

#endif
