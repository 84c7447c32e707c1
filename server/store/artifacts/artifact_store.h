#ifndef ARTIFACT_STORE_H
#define ARTIFACT_STORE_H

#include "artifact.h"
#include "db.h"
#include "db_row.h"

/*
 * Artifacts, their collections, members and aliases (artifact.sql). Each statement has the project, and so one shard.
 *
 * Functions that need the lock of the collection say so. Locks are taken in this order: the run, collections in ascending
 * (project_id, collection_id), blobs. Read in a later statement than the locking one, which may have read old rows.
 */

/* ---- types and collections ---------------------------------------------------------------------- */

/* Makes the type unless it exists. */
err_t artifact_store_make_type(struct db *db, int64_t project_id, const struct artifact_type *type)
	__attribute__((warn_unused_result));
/* With ARTIFACT_SEES_PUBLIC, types without a version to see do not exist. */
struct artifact_types_ask {
	int64_t project_id;
	enum artifact_sees sees;
	struct str after; /* a name: types after it */
	int64_t limit;
};
err_t artifact_store_find_type(struct db *db, const struct artifact_types_ask *ask, struct str name,
			       struct artifact_type **ret_type) __attribute__((warn_unused_result));
/* In order of their names. */
err_t artifact_store_list_types(struct db *db, const struct artifact_types_ask *ask,
				struct artifact_type **ret_types, size_t *ret_count)
	__attribute__((warn_unused_result));

/*
 * Makes the collection unless one has the name; collection->collection_id is new. *ret_made: it was made. Its type exists.
 */
err_t artifact_store_make_collection(struct db *db, const struct artifact_collection *collection,
				     bool *ret_made) __attribute__((warn_unused_result));
/* By its name; NULL: there is none, or it was deleted. */
err_t artifact_store_find_collection(struct db *db, int64_t project_id, struct str name,
				     struct artifact_collection **ret_collection)
	__attribute__((warn_unused_result));
/* By its number, also a deleted one; NULL: it was purged. */
err_t artifact_store_get_collection(struct db *db, int64_t project_id, int64_t collection_id,
				    struct artifact_collection **ret_collection)
	__attribute__((warn_unused_result));
/* Whether it has a version that those see who see no private runs. */
err_t artifact_store_shows_collection(struct db *db, const struct artifact_collection *collection,
				      bool *ret_shows) __attribute__((warn_unused_result));
/* Locks it until the transaction ends; NULL: there is none. A deleted one is locked too. */
err_t artifact_store_lock_collection(struct db *db, int64_t project_id, int64_t collection_id,
				     struct artifact_collection **ret_collection)
	__attribute__((warn_unused_result));
/*
 * Saves name, type, description, tags, ttl_s, keep_last and changed_at, under its lock. DB_UNIQUE_VIOLATION if the name is
 * taken.
 */
err_t artifact_store_save_collection(struct db *db, const struct artifact_collection *collection)
	__attribute__((warn_unused_result));
/* Under its lock: look_at of the row, for the artifact job. */
err_t artifact_store_look_collection(struct db *db, const struct artifact_collection *collection,
				     timestamp_us look_at) __attribute__((warn_unused_result));
/* Under its lock: deleted, its name is free; or restored, DB_UNIQUE_VIOLATION if the name was taken. */
err_t artifact_store_delete_collection(struct db *db, const struct artifact_collection *collection,
				       timestamp_us now, timestamp_us look_at)
	__attribute__((warn_unused_result));
err_t artifact_store_restore_collection(struct db *db, const struct artifact_collection *collection)
	__attribute__((warn_unused_result));

enum artifact_order { ARTIFACT_BY_NAME, ARTIFACT_BY_CREATED, ARTIFACT_BY_CHANGED };
/* Which collections of a project, and where the page begins. */
struct artifact_collections_ask {
	int64_t project_id;
	enum artifact_sees sees;
	int16_t kind;       /* 0: both */
	struct str type;    /* empty: all */
	struct str pattern; /* of LIKE, for the name; .at == NULL: all */
	struct str names;   /* a JSON array of names; .at == NULL: all */
	enum artifact_order order;
	bool descending;
	bool has_after; /* after this one: the value of the order, and the number */
	struct str after_name;
	timestamp_us after_time;
	int64_t after_id;
	int64_t limit;
};
err_t artifact_store_list_collections(struct db *db, const struct artifact_collections_ask *ask,
				      struct artifact_collection **ret_collections,
				      size_t *ret_count) __attribute__((warn_unused_result));
/* The page does not count. */
err_t artifact_store_count_collections(struct db *db, const struct artifact_collections_ask *ask,
				       int64_t *ret_count) __attribute__((warn_unused_result));

/* Figures of collections for a page, in no order; one without members has no row. */
struct artifact_collection_sums {
	int64_t collection_id;
	int64_t versions;   /* members that are not deleted */
	int64_t size_bytes; /* of a sequence; of links 0 */
	int32_t latest;     /* the number that "latest" has, else the greatest */
	timestamp_us latest_at;
	bool has_files; /* the next two are known: it is a version of this project */
	int64_t latest_bytes;
	int64_t latest_files;
	struct str aliases;        /* a JSON array of names, at most 100, "latest" first */
	struct str alias_versions; /* the same as objects, [{"alias": "best", "version": "v3"}] */
};
struct artifact_sums_ask {
	int64_t project_id;
	enum artifact_sees sees;
	const int64_t *collection_ids;
	size_t count;
};
err_t artifact_store_sum_collections(struct db *db, const struct artifact_sums_ask *ask,
				     struct artifact_collection_sums **ret_sums, size_t *ret_count)
	__attribute__((warn_unused_result));

/* ---- versions ------------------------------------------------------------------------------------- */

/* By its number, drafts and deleted ones, too; NULL: there is none. */
err_t artifact_store_find(struct db *db, int64_t project_id, int64_t artifact_id,
			  struct artifact **ret_artifact) __attribute__((warn_unused_result));
/* The same, and until the transaction ends its state does not change. Others may hold it too. */
err_t artifact_store_hold(struct db *db, int64_t project_id, int64_t artifact_id,
			  struct artifact **ret_artifact) __attribute__((warn_unused_result));
/* The same, and waits for those that hold it; until the transaction ends nobody else holds it. */
err_t artifact_store_lock(struct db *db, int64_t project_id, int64_t artifact_id,
			  struct artifact **ret_artifact) __attribute__((warn_unused_result));
/* The same for several, in no order; those that do not exist are left out. */
err_t artifact_store_list_ids(struct db *db, int64_t project_id, const int64_t *artifact_ids,
			      size_t count, struct artifact **ret_artifacts, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Versions, deleted ones too, as nodes of a graph: only the members that a node shows are set. */
struct artifact_nodes_ask {
	int64_t project_id;
	enum artifact_sees sees;
	const int64_t *artifact_ids;
	size_t count;
	int64_t limit;
};
err_t artifact_store_list_nodes(struct db *db, const struct artifact_nodes_ask *ask,
				struct artifact **ret_artifacts, size_t *ret_count)
	__attribute__((warn_unused_result));
/* The numbers of those of these versions that are committed, in ascending order; ask->limit does not count. */
err_t artifact_store_list_committed(struct db *db, const struct artifact_nodes_ask *ask,
				    int64_t **ret_ids, size_t *ret_count)
	__attribute__((warn_unused_result));
/* The numbers of versions and drafts of a sequence that are not deleted, in order, after one. */
err_t artifact_store_list_numbers(struct db *db, const struct artifact_collection *collection,
				  int64_t after, int64_t limit, int64_t **ret_ids,
				  size_t *ret_count) __attribute__((warn_unused_result));
/* The draft that the processes of this name share; NULL: none is open. */
err_t artifact_store_find_draft(struct db *db, int64_t project_id, int64_t collection_id,
				struct str distributed, struct artifact **ret_artifact)
	__attribute__((warn_unused_result));
/* The newest committed version; NULL: none. */
err_t artifact_store_find_newest(struct db *db, int64_t project_id, int64_t collection_id,
				 enum artifact_sees sees, struct artifact **ret_artifact)
	__attribute__((warn_unused_result));
/* Whether its collection had a newer version at that time. */
err_t artifact_store_had_newer(struct db *db, const struct artifact *version, timestamp_us at,
			       bool *ret_had) __attribute__((warn_unused_result));
/* The newest committed version with the digest; NULL: none. */
err_t artifact_store_find_digest(struct db *db, int64_t project_id, int64_t collection_id,
				 struct str digest, struct artifact **ret_artifact)
	__attribute__((warn_unused_result));
/* A new draft, as the struct has it; DB_UNIQUE_VIOLATION if the number is taken. */
err_t artifact_store_insert(struct db *db, const struct artifact *artifact)
	__attribute__((warn_unused_result));
/*
 * A request of the draft came: it is kept so much longer. Waits for a commit, and a commit waits for the transaction.
 * *ret_is_draft: whether it still is one.
 */
err_t artifact_store_hear(struct db *db, const struct artifact *draft, timestamp_us now,
			  bool *ret_is_draft) __attribute__((warn_unused_result));
/* Under the lock of its collection: the aliases that the commit sets, a JSON array. */
err_t artifact_store_ask(struct db *db, const struct artifact *draft, struct str asked)
	__attribute__((warn_unused_result));
/*
 * Under the lock of its collection: version, digest, manifest_id, size_bytes, file_count, committed_at and the state, with
 * the member; next_version becomes the one after. look_at: when the job looks, 0: never.
 */
err_t artifact_store_commit(struct db *db, const struct artifact *artifact, timestamp_us look_at)
	__attribute__((warn_unused_result));
/* Saves description, metadata, tags, ttl_s and changed_at; look_at: as above. */
err_t artifact_store_save(struct db *db, const struct artifact *artifact, timestamp_us look_at)
	__attribute__((warn_unused_result));
/* Under the lock of its collection: deleted or restored; `asked` has the aliases. */
err_t artifact_store_delete(struct db *db, const struct artifact *artifact, timestamp_us look_at)
	__attribute__((warn_unused_result));
err_t artifact_store_restore(struct db *db, const struct artifact *artifact, timestamp_us look_at)
	__attribute__((warn_unused_result));

/* Which versions, and where the page begins. */
struct artifact_versions_ask {
	int64_t project_id;
	int64_t collection_id; /* a sequence; 0: all of the project */
	struct str type;       /* empty: all */
	bool committed_only;   /* else deleted ones and drafts, too */
	bool oldest_first;
	bool has_after; /* after this one: created_at and the number */
	timestamp_us after_time;
	int64_t after_id;
	int64_t limit;
	/* Filters; empty: none. */
	struct str alias;
	struct str tag;
	struct str digest;
	int64_t run_id;
	struct str
		jsonpath; /* of the document of a version (artifact.sql): rows for which it is true */
	enum artifact_sees sees;
};
/* In order of created_at; numbers of a sequence are in order of committed_at, see list_members. */
err_t artifact_store_list(struct db *db, const struct artifact_versions_ask *ask,
			  struct artifact **ret_artifacts, size_t *ret_count)
	__attribute__((warn_unused_result));
/* The bytes of metadata and description, which are read only by the portion. */
struct artifact_size {
	int64_t artifact_id;
	int64_t size_bytes;
};
err_t artifact_store_list_sizes(struct db *db, const struct artifact_versions_ask *ask,
				struct artifact_size **ret_sizes, size_t *ret_count)
	__attribute__((warn_unused_result));
/* In no order. */
err_t artifact_store_find_sizes(struct db *db, int64_t project_id, const int64_t *artifact_ids,
				size_t count, struct artifact_size **ret_sizes, size_t *ret_count)
	__attribute__((warn_unused_result));
err_t artifact_store_count(struct db *db, const struct artifact_versions_ask *ask,
			   int64_t *ret_count) __attribute__((warn_unused_result));

/* ---- client ids ------------------------------------------------------------------------------------ */

struct artifact_client {
	struct str client;
	int16_t kind; /* enum artifact_client_kind */
	int64_t project_id;
	int64_t target_id; /* of the artifact, or the collection */
	int64_t replaces;  /* to save: the draft that it named, which is gone; 0: none */
};
/* NULL: it is not known. The caller's right to the project is not checked here. */
err_t artifact_store_find_client(struct db *db, enum artifact_client_kind kind, struct str client,
				 struct artifact_client **ret_client)
	__attribute__((warn_unused_result));
/* Known from now on, unless it is already; *ret_client is what is known. */
err_t artifact_store_save_client(struct db *db, const struct artifact_client *client,
				 timestamp_us now, struct artifact_client **ret_client)
	__attribute__((warn_unused_result));

/* ---- members and aliases --------------------------------------------------------------------------- */

/*
 * The member with the alias, or a number ("v3"). "latest" without such an alias is the newest that is seen. NULL: none.
 */
err_t artifact_store_resolve(struct db *db, const struct artifact_collection *collection,
			     struct str alias, enum artifact_sees sees,
			     struct artifact_member **ret_member)
	__attribute__((warn_unused_result));
err_t artifact_store_find_member(struct db *db, int64_t project_id, int64_t collection_id,
				 int32_t version, struct artifact_member **ret_member)
	__attribute__((warn_unused_result));
/* The member for a version; NULL: it is not in the collection. */
err_t artifact_store_find_link(struct db *db, int64_t project_id, int64_t collection_id,
			       int64_t source_id, int64_t artifact_id,
			       struct artifact_member **ret_member)
	__attribute__((warn_unused_result));
struct artifact_members_ask {
	int64_t project_id;
	int64_t collection_id;
	bool descending;
	bool has_after;
	int32_t after; /* the number */
	int64_t limit;
};
/* In order of their numbers; versions that were deleted are among them, as long as their rows are. */
err_t artifact_store_list_members(struct db *db, const struct artifact_members_ask *ask,
				  struct artifact_member **ret_members, size_t *ret_count)
	__attribute__((warn_unused_result));
err_t artifact_store_count_members(struct db *db, int64_t project_id, int64_t collection_id,
				   int64_t *ret_count) __attribute__((warn_unused_result));
/* All memberships of a version, in collections that are not deleted; its own is the first. */
err_t artifact_store_list_memberships(struct db *db, int64_t source_id, int64_t artifact_id,
				      int64_t limit, struct artifact_member **ret_members,
				      size_t *ret_count) __attribute__((warn_unused_result));
/* Members of portfolios, of any project, that are versions of a sequence. */
err_t artifact_store_list_links(struct db *db, int64_t project_id, int64_t collection_id,
				int64_t limit, struct artifact_member **ret_members,
				size_t *ret_count) __attribute__((warn_unused_result));
/* Counts those in projects of the same entity. */
err_t artifact_store_count_own_links(struct db *db, int64_t project_id, int64_t collection_id,
				     int64_t *ret_count) __attribute__((warn_unused_result));
/* Under the lock of the collection, whose next_version is the member's number. */
err_t artifact_store_add_member(struct db *db, const struct artifact_member *member)
	__attribute__((warn_unused_result));
/* Under the lock of the collection, with its aliases. */
err_t artifact_store_remove_member(struct db *db, const struct artifact_member *member)
	__attribute__((warn_unused_result));

/* Under the lock of the collection: moved to this version. */
struct artifact_aliases {
	int64_t project_id;
	int64_t collection_id;
	int32_t version;
	const struct str *aliases;
	size_t count;
	int64_t user_id; /* 0: not known */
	timestamp_us now;
};
err_t artifact_store_set_aliases(struct db *db, const struct artifact_aliases *aliases)
	__attribute__((warn_unused_result));
/* How many the version has. */
err_t artifact_store_count_aliases(struct db *db, const struct artifact_aliases *aliases,
				   int64_t *ret_count) __attribute__((warn_unused_result));
/* Removes those that the version has. */
err_t artifact_store_remove_aliases(struct db *db, const struct artifact_aliases *aliases)
	__attribute__((warn_unused_result));
/* Removes all of the version; *ret_aliases is a JSON array of them. */
err_t artifact_store_clear_aliases(struct db *db, const struct artifact_aliases *aliases,
				   struct str *ret_aliases) __attribute__((warn_unused_result));
/* Sets those of a JSON array that no version has. */
err_t artifact_store_set_free_aliases(struct db *db, const struct artifact_aliases *aliases,
				      struct str names) __attribute__((warn_unused_result));

struct artifact_alias {
	struct str alias;
	int32_t version;
	timestamp_us set_at;
};
struct artifact_aliases_ask {
	int64_t project_id;
	int64_t collection_id;
	enum artifact_sees sees;
	struct str after; /* a name; empty: from the first */
	int64_t limit;
};
/* "latest" first, then in order of their names. */
err_t artifact_store_list_aliases(struct db *db, const struct artifact_aliases_ask *ask,
				  struct artifact_alias **ret_aliases, size_t *ret_count)
	__attribute__((warn_unused_result));

/* ---- the owner of a link ------------------------------------------------------------------------------ */

/*
 * The owner of a project by its number, and the current role of a user, by a key or a session: for signed links. NULL: the
 * project is deleted.
 */
struct artifact_owner {
	int64_t entity_id;
	struct str entity;
	int64_t project_id;
	struct str project;
	int16_t visibility;
	bool is_known; /* the user is enabled, and the key or session works */
	bool is_admin; /* of the server */
	int16_t role;  /* in the entity */
	int16_t scope; /* of the key */
};
struct artifact_owner_ask {
	int64_t project_id;
	int64_t user_id;    /* 0: not signed in */
	int64_t key_id;     /* 0: none */
	struct str session; /* as session_list() names it; empty: none */
	timestamp_us now;
};
err_t artifact_store_owner(struct db *db, const struct artifact_owner_ask *ask,
			   struct artifact_owner **ret_owner) __attribute__((warn_unused_result));
/* The names of a project, by its number, also of a deleted one; NULL: there is none. */
struct artifact_place {
	int64_t project_id;
	struct str entity;
	struct str project;
	bool is_deleted;
};
err_t artifact_store_place(struct db *db, int64_t project_id, struct artifact_place **ret_place)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check artifact_store_checks[];
extern const size_t artifact_store_check_count;

#endif
