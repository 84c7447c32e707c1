#ifndef ARTIFACT_TARGET_H
#define ARTIFACT_TARGET_H

#include "access.h"
#include "artifact.h"
#include "artifact_id.h"
#include "request.h"
#include "route.h"

/*
 * The artifact or collection that a request is about, and whether the caller may. The project that it was found in is
 * q->target afterwards. A version that is linked from another project is readable only if its own project is, too.
 *
 * Everything that does not exist, or that the caller may not know of, is ERR_NOT_FOUND: also the versions and drafts of private
 * runs, and collections of nothing else. Deleted versions and drafts are found by id alone; what needs a committed one says so.
 */
struct artifact_target {
	struct artifact_collection *collection; /* that it was found through; by id: its sequence */
	struct artifact *artifact;              /* NULL: the request is about the collection */
	struct artifact_member *member;         /* in that collection; NULL for a draft */
};

/* Versions of which runs the caller sees in the project of a target. */
enum artifact_sees artifact_target_sees(const struct target *project);

/* By the id of a version, which clients have; q->target is its own project. */
err_t artifact_target_id(struct request *q, struct str id, enum access access,
			 struct artifact_target *ret_target) __attribute__((warn_unused_result));
err_t artifact_target_number(struct request *q, const struct artifact_id *id, enum access access,
			     struct artifact_target *ret_target)
	__attribute__((warn_unused_result));
/* By the client's id of a draft or version. */
err_t artifact_target_client(struct request *q, struct str client, enum access access,
			     struct artifact_target *ret_target)
	__attribute__((warn_unused_result));
/* By the id of a collection. */
err_t artifact_target_collection_id(struct request *q, struct str id, enum access access,
				    struct artifact_target *ret_target)
	__attribute__((warn_unused_result));

/* By names; alias: an alias or "v3", empty: the collection itself. */
struct artifact_name {
	struct str entity;
	struct str project;
	struct str collection;
	struct str alias;
};
err_t artifact_target_name(struct request *q, const struct artifact_name *name, enum access access,
			   struct artifact_target *ret_target) __attribute__((warn_unused_result));
/* The same in q->target's project, for which the caller's right is known. */
err_t artifact_target_here(struct request *q, struct str collection, struct str alias,
			   struct artifact_target *ret_target) __attribute__((warn_unused_result));
/* A draft in a collection of q->target's project, by its id: ERR_GONE if it was deleted. Committed ones are found, too. */
err_t artifact_target_draft(struct request *q, struct str collection, struct str id,
			    struct artifact **ret_draft) __attribute__((warn_unused_result));
/* Fills the target in from its artifact: the sequence, and the version there. */
err_t artifact_target_sequence(struct request *q, struct artifact_target *target)
	__attribute__((warn_unused_result));

/*
 * Changes of a linked version are changes of its source: the target becomes the version in its own sequence, and q->target its
 * project, for which the right is asked.
 */
err_t artifact_target_source(struct request *q, enum access access, struct artifact_target *target)
	__attribute__((warn_unused_result));

/* "name:v3", or the name of a collection. */
struct str artifact_target_words(struct request *q, const struct artifact_target *target);

/* ERR_NOT_FOUND or ERR_GONE unless it is committed. */
err_t artifact_target_committed(struct request *q, const struct artifact_target *target)
	__attribute__((warn_unused_result));

/*
 * Runs a change of artifacts in a transaction of its own, with q->now, for callers that are in none. After an error it is
 * rolled back. It is called again if a number that it made is taken, and if a lock was not free soon: then it waits longer, or
 * ERR_BUSY is returned, because too many requests wait (artifact_turn.h).
 */
typedef err_t artifact_change_fn(struct request *q, const void *arg);
err_t artifact_in_transaction(struct request *q, artifact_change_fn *change, const void *arg)
	__attribute__((warn_unused_result));
/* The same for a function that begins and ends the transaction itself. */
typedef err_t artifact_transaction_fn(struct request *q, const void *arg, int lock_timeout_ms);
err_t artifact_in_own_transaction(struct request *q, artifact_transaction_fn *run, const void *arg)
	__attribute__((warn_unused_result));

#endif
