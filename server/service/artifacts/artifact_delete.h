#ifndef ARTIFACT_DELETE_H
#define ARTIFACT_DELETE_H

#include "artifact_target.h"

/*
 * Deletes versions and collections, and takes that back within ARTIFACT_UNDO_US. The artifact job removes the entries
 * afterwards, and the content that nothing else names. In the request's transaction, with q->now.
 */
enum artifact_delete_mode { ARTIFACT_DELETE_ASK, ARTIFACT_DELETE_DO };
enum artifact_delete_aliases {
	ARTIFACT_KEEP_ALIASED, /* ERR_CONFLICT for a version with aliases */
	ARTIFACT_DELETE_ALIASED,
};
/* A name that is lost with the version, or that keeps it. */
struct artifact_held {
	const char *kind; /* "alias", "link" */
	struct str name;  /* the alias; or "entity/project/collection:v3" */
};
enum { ARTIFACT_HELD_MAX = 100 };
struct artifact_freed {
	int64_t versions;
	int64_t files;
	int64_t size_bytes; /* their sum, as if nothing was shared */
	bool is_counted; /* the next two are known: it was asked for, and they are not too many to count */
	int64_t only_here;       /* bytes of content that nothing else of the project names */
	int64_t shared;          /* the rest */
	timestamp_us undo_until; /* 0: it was only asked for */
	timestamp_us freed_by;   /* the bytes are free at the latest, while the server runs */
	struct artifact_held held[ARTIFACT_HELD_MAX];
	size_t held_count;
};
err_t artifact_delete(struct request *q, const struct artifact_target *target,
		      enum artifact_delete_aliases aliases, enum artifact_delete_mode mode,
		      struct artifact_freed *ret_freed) __attribute__((warn_unused_result));
err_t artifact_delete_collection(struct request *q, const struct artifact_target *target,
				 enum artifact_delete_mode mode, struct artifact_freed *ret_freed)
	__attribute__((warn_unused_result));
/* Undo: ERR_GONE if it is too late, ERR_CONFLICT if the name was taken. */
err_t artifact_restore(struct request *q, struct artifact_target *target)
	__attribute__((warn_unused_result));
/* By the id of the collection, for its name may be free. */
err_t artifact_restore_collection(struct request *q, struct artifact_target *target)
	__attribute__((warn_unused_result));
/* Versions that the run of q->target made. In a transaction of their own. */
err_t artifact_delete_of_run(struct request *q, struct artifact_freed *ret_freed)
	__attribute__((warn_unused_result));

#endif
