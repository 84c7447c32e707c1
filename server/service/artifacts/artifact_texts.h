#ifndef ARTIFACT_TEXTS_H
#define ARTIFACT_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

/* Sets of texts as JSON arrays: the tags and aliases of artifacts. */
struct artifact_texts {
	const struct str *at;
	size_t count;
};

/* Stored ones; anything else reads as an empty set. */
struct artifact_texts artifact_texts_read(struct arena *a, struct str json);
struct str artifact_texts_write(struct arena *a, const struct artifact_texts *texts);
bool artifact_texts_have(const struct artifact_texts *texts, struct str text);
/* The texts of both, each once, in their order; and those of the first that the second has not. */
struct artifact_texts artifact_texts_join(struct arena *a, const struct artifact_texts *texts,
					  const struct artifact_texts *more);
struct artifact_texts artifact_texts_without(struct arena *a, const struct artifact_texts *texts,
					     const struct artifact_texts *less);

/* Each has a valid name, and there are not more than `max`. */
typedef err_t artifact_text_check(struct arena *a, const char *field, struct str text);
err_t artifact_texts_check(struct arena *a, const char *field, const struct artifact_texts *texts,
			   size_t max, artifact_text_check *check)
	__attribute__((warn_unused_result));

/* Metadata as it is stored: compact JSON whose cast to jsonb cannot fail. ERR_INVALID unless it is an object. */
err_t artifact_metadata_read(struct arena *a, const char *field, struct str text,
			     struct str *ret_metadata) __attribute__((warn_unused_result));
/* UTF-8 without U+0000, ARTIFACT_DESCRIPTION_MAX bytes at most. */
err_t artifact_description_check(struct arena *a, const char *field, struct str text)
	__attribute__((warn_unused_result));

#endif
