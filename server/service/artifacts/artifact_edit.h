#ifndef ARTIFACT_EDIT_H
#define ARTIFACT_EDIT_H

#include "artifact_target.h"

/* Changes of versions and collections. In the request's transaction, with q->now; each has a line in the audit log. */
struct artifact_change {
	bool has_description, has_metadata, has_tags, has_ttl;
	struct str description; /* .at == NULL: none */
	struct str metadata;    /* JSON, an object; .at == NULL: none */
	const struct str *tags; /* all of them, if has_tags */
	size_t tag_count;
	const struct str *tags_added; /* to those it has */
	size_t tags_added_count;
	const struct str *tags_removed;
	size_t tags_removed_count;
	int64_t ttl_s; /* ARTIFACT_TTL_INHERIT, ARTIFACT_TTL_NONE or seconds */
};
/* Changes the version (of a link: its source) and reads it again. */
err_t artifact_edit(struct request *q, struct artifact_target *target,
		    const struct artifact_change *change) __attribute__((warn_unused_result));

/* Aliases of the version in the collection of the target. */
struct artifact_alias_change {
	const struct str *added; /* moved from the versions that have them */
	size_t added_count;
	const struct str *removed; /* if this version has them */
	size_t removed_count;
};
err_t artifact_edit_aliases(struct request *q, struct artifact_target *target,
			    const struct artifact_alias_change *change)
	__attribute__((warn_unused_result));

struct artifact_collection_change {
	bool has_name, has_type, has_description, has_ttl, has_keep_last, has_tags;
	struct str name;
	struct str type;        /* ERR_CONFLICT for a portfolio with links */
	struct str description; /* .at == NULL: none */
	int64_t ttl_s;
	int32_t keep_last;
	const struct str *tags; /* all of them, if has_tags */
	size_t tag_count;
	const struct str *tags_added;
	size_t tags_added_count;
	const struct str *tags_removed;
	size_t tags_removed_count;
};
err_t artifact_edit_collection(struct request *q, struct artifact_target *target,
			       const struct artifact_collection_change *change)
	__attribute__((warn_unused_result));

#endif
