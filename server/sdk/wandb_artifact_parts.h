#ifndef WANDB_ARTIFACT_PARTS_H
#define WANDB_ARTIFACT_PARTS_H

#include "gql_run.h"
#include "str.h"
#include "wandb.h"

/*
 * What the fields on artifacts share. Each object begins with its cursor, as lists need it, and has the target of its project
 * as auth_ask() found it for the caller: whoever makes one of these has checked access.
 */
struct artifact;
struct artifact_collection;
struct artifact_member;
struct wandb_member;

/* A version or a draft. */
struct wandb_artifact {
	struct str cursor;
	struct str version;    /* "v3", in the collection that lists it; empty: not of a list */
	struct target *target; /* of the project that it was made in */
	const struct artifact *row;
	/* The collection through which it was found, with its aliases there; NULL: by its id. */
	const struct wandb_member *member;
};

/* A sequence or a portfolio. */
struct wandb_collection {
	struct str cursor;
	struct target *target;
	const struct artifact_collection *row;
};

/* A version in a collection. */
struct wandb_member {
	struct str cursor;
	struct target *target; /* of the collection's project */
	const struct artifact_member *row;
	const struct artifact_collection *collection; /* NULL: it is read when it is asked for */
	const struct wandb_artifact *artifact;        /* likewise */
};

extern const struct gql_type wandb_artifact_type;
/* Both kinds of collections have its fields; wandb_collection_give() says which kind it is. */
extern const struct gql_type wandb_collection_type;
extern const struct gql_type wandb_member_type;

/*
 * The target of a project that a row names, if the caller may read it; NULL: the caller may not, or it was deleted. q->target
 * is changed.
 */
err_t wandb_artifact_place(struct wandb *w, struct str entity, struct str project,
			   struct target **ret_target) __attribute__((nonnull, warn_unused_result));

/* ---- versions ------------------------------------------------------------------------------------- */

struct wandb_artifact *wandb_artifact_of(struct arena *a, struct target *target,
					 const struct artifact *row)
	__attribute__((nonnull, returns_nonnull));

/*
 * Reads a version by the id that the client sends, if the caller has this access to its project. Drafts and deleted versions
 * have ids, too. NULL: it does not exist, or the caller does not see it. ERR_FORBIDDEN: the caller only sees it.
 */
err_t wandb_artifact_find(struct wandb *w, struct str id, enum access access,
			  struct wandb_artifact **ret_artifact)
	__attribute__((nonnull, warn_unused_result));
/* The same for a change: NULL is ERR_NOT_FOUND. `field` is the argument that had the id. */
err_t wandb_artifact_get(struct wandb *w, const char *field, struct str id, enum access access,
			 struct wandb_artifact **ret_artifact)
	__attribute__((nonnull, warn_unused_result));

/* ---- collections ------------------------------------------------------------------------------------ */

/* Gives it as an ArtifactSequence or an ArtifactPortfolio; NULL: null. */
void wandb_collection_give(struct gql_call *call, struct target *target,
			   const struct artifact_collection *row) __attribute__((nonnull(1)));

/* Finds a collection by its id, as wandb_artifact_find(). A deleted one is found, too. */
err_t wandb_collection_find(struct wandb *w, struct str id, enum access access,
			    struct wandb_collection **ret_collection)
	__attribute__((nonnull, warn_unused_result));

/* ---- members ---------------------------------------------------------------------------------------- */

/*
 * Resolves "name:alias" within a project. NULL: there is none, it was deleted, or it is a link to a version that the caller
 * may not read.
 */
err_t wandb_member_find(struct wandb *w, struct target *project, struct str name,
			struct wandb_member **ret_member)
	__attribute__((nonnull, warn_unused_result));

#endif
