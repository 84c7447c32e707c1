#ifndef WANDB_ARTIFACT_PARTS_H
#define WANDB_ARTIFACT_PARTS_H

#include "gql_run.h"
#include "str.h"
#include "wandb.h"

/*
 * Objects that the fields on artifacts share. Each begins with its cursor, as lists need it, and has the target of its project
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
	int64_t collection_id;
	int16_t kind; /* enum artifact_kind */
	struct str name;
	struct str type;
	const struct artifact_collection *row; /* NULL: it is read when more is asked for */
};

/* A version in a collection. */
struct wandb_member {
	struct str cursor;
	struct target *target; /* of the collection's project */
	const struct artifact_member *row;
	const struct wandb_artifact *artifact; /* NULL: it is read when it is asked for */
};

/* A tag of a version or a collection. */
struct wandb_tag {
	struct str cursor;
	struct str name;
};

/* An alias in a collection. */
struct wandb_alias {
	struct str cursor;
	struct str alias;
	struct wandb_collection collection;
};

extern const struct gql_type wandb_artifact_type;
/* Both kinds of collections have its fields; wandb_collection_give() says which kind it is. */
extern const struct gql_type wandb_collection_type;
extern const struct gql_type wandb_member_type;
extern const struct gql_type wandb_tag_type;
extern const struct gql_type wandb_alias_type;

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
 * Reads a version by the id that the client sends, if the caller may read its project. Drafts and deleted versions have ids,
 * too. NULL: it does not exist, or the caller does not see it.
 */
err_t wandb_artifact_find(struct wandb *w, struct str id, struct wandb_artifact **ret_artifact)
	__attribute__((nonnull(1, 3), warn_unused_result));

/* The texts of a JSON array. */
err_t wandb_tags_read(struct arena *a, struct str json, struct wandb_tag **ret_tags,
		      size_t *ret_count) __attribute__((nonnull(1, 3, 4), warn_unused_result));
/* The same as aliases in a collection. */
err_t wandb_aliases_read(struct arena *a, struct str json,
			 const struct wandb_collection *collection,
			 struct wandb_alias **ret_aliases, size_t *ret_count)
	__attribute__((nonnull(1, 3, 4, 5), warn_unused_result));

/*
 * The aliases of a version in a collection. In a portfolio "v3" is among them: without it the SDK before 0.25 takes the number in the
 * sequence for the one of the link.
 */
err_t wandb_aliases_of_member(struct arena *a, const struct wandb_member *member,
			      struct wandb_alias **ret_aliases, size_t *ret_count)
	__attribute__((nonnull, warn_unused_result));

/* ---- collections ------------------------------------------------------------------------------------ */

struct wandb_collection wandb_collection_of(struct target *target,
					    const struct artifact_collection *row)
	__attribute__((nonnull));
struct wandb_collection wandb_collection_of_member(struct target *target,
						   const struct artifact_member *row)
	__attribute__((nonnull));
/* Gives it as an ArtifactSequence or an ArtifactPortfolio. */
void wandb_collection_give(struct gql_call *call, const struct wandb_collection *collection)
	__attribute__((nonnull));

/* ---- members ---------------------------------------------------------------------------------------- */

/*
 * Resolves "name:alias" within a project that the caller may read. NULL: there is none, it was deleted, or it is a link to a
 * version that the caller may not read.
 */
err_t wandb_member_find(struct wandb *w, struct target *project, struct str name,
			struct wandb_member **ret_member)
	__attribute__((nonnull(1, 2, 4), warn_unused_result));
/* The same for an alias, or "v3", in one collection. */
err_t wandb_member_find_in(struct wandb *w, struct target *project, struct str collection,
			   struct str alias, struct wandb_member **ret_member)
	__attribute__((nonnull(1, 2, 5), warn_unused_result));

#endif
