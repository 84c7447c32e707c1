#ifndef ENTRY_STORE_H
#define ENTRY_STORE_H

#include "artifact.h"
#include "db.h"
#include "db_row.h"

/*
 * Manifests and their entries (entry.sql). A manifest has a row for each entry, so that pages, comparisons and "who names this
 * content" are plain lookups. Order is byte order of the paths.
 */

/* ---- manifests ------------------------------------------------------------------------------------- */

err_t entry_store_make_manifest(struct db *db, const struct artifact_manifest *manifest)
	__attribute__((warn_unused_result));
/* NULL: there is none. */
err_t entry_store_find_manifest(struct db *db, int64_t project_id, int64_t manifest_id,
				struct artifact_manifest **ret_manifest)
	__attribute__((warn_unused_result));
/* The manifests of an artifact, in order of their making; at most `limit`. */
err_t entry_store_list_manifests(struct db *db, int64_t project_id, int64_t artifact_id,
				 int64_t limit, struct artifact_manifest **ret_manifests,
				 size_t *ret_count) __attribute__((warn_unused_result));
/* Saves md5 and base_id; what was stored under another md5 does not count any more (stored_at is reset). */
err_t entry_store_ask_manifest(struct db *db, const struct artifact_manifest *manifest)
	__attribute__((warn_unused_result));
/* Saves stored_at, entry_count, size_bytes, digest and config: all entries are there. */
err_t entry_store_end_manifest(struct db *db, const struct artifact_manifest *manifest)
	__attribute__((warn_unused_result));
/* Locks the row, so that one process stages at a time; NULL: there is none. */
err_t entry_store_lock_manifest(struct db *db, int64_t project_id, int64_t manifest_id,
				struct artifact_manifest **ret_manifest)
	__attribute__((warn_unused_result));
/* Removes a manifest without entries. */
err_t entry_store_remove_manifest(struct db *db, int64_t project_id, int64_t manifest_id)
	__attribute__((warn_unused_result));

/* ---- entries ---------------------------------------------------------------------------------------- */

/*
 * Adds entries to a manifest: path, digest, size, ref, extra, and for a file md5. Their content is found among the uploads of
 * the draft (path and md5), then by md5 and size in the project, if one blob has them; others stay open. *ret_inserted is less
 * than count if paths are repeated. Call blob_store_hold() before.
 */
struct entry_place {
	int64_t project_id;
	int64_t manifest_id;
	int64_t artifact_id; /* the draft */
};
err_t entry_store_stage(struct db *db, const struct entry_place *place,
			const struct artifact_entry *entries, size_t count, int64_t *ret_inserted)
	__attribute__((warn_unused_result));

struct entry_ask {
	int64_t project_id;
	int64_t manifest_id;
	struct str after;  /* after this path; empty: from the first */
	struct str prefix; /* paths that begin so; empty: all */
	int64_t limit;
};
err_t entry_store_page(struct db *db, const struct entry_ask *ask,
		       struct artifact_entry **ret_entries, size_t *ret_count)
	__attribute__((warn_unused_result));
/* NULL: there is none. */
err_t entry_store_find(struct db *db, int64_t project_id, int64_t manifest_id, struct str path,
		       struct artifact_entry **ret_entry) __attribute__((warn_unused_result));
/* The entries with these paths, in order. */
err_t entry_store_find_named(struct db *db, int64_t project_id, int64_t manifest_id,
			     const struct str *paths, size_t path_count,
			     struct artifact_entry **ret_entries, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Files and folders that are directly in a folder, in order. `after` is the path of one, with "/" at its end if it is a folder. */
struct entry_folder_item {
	struct str name; /* without the prefix; a folder without "/" */
	bool is_folder;
	int64_t files;
	int64_t size_bytes;
	struct str digest;
	struct str ref; /* .at == NULL: none */
};
err_t entry_store_folder(struct db *db, const struct entry_ask *ask,
			 struct entry_folder_item **ret_items, size_t *ret_count)
	__attribute__((warn_unused_result));
/* How many entries have the prefix. */
err_t entry_store_count(struct db *db, const struct entry_ask *ask, int64_t *ret_count)
	__attribute__((warn_unused_result));
/*
 * An entry with this content in a committed version of the project, by its md5: for downloads by digest. Two contents may have
 * one: the others tell them apart. NULL: there is none, or which one is meant is not clear.
 */
struct entry_content_ask {
	int64_t project_id;
	struct str md5;
	int64_t birth_id; /* 0: not known */
	struct str name;  /* its path, or the end of it behind a "/" */
	enum artifact_sees sees;
};
err_t entry_store_find_content(struct db *db, const struct entry_content_ask *ask,
			       struct artifact_entry **ret_entry)
	__attribute__((warn_unused_result));

/* How many entries the commit of a draft reads and writes; of its uploads `limit` are counted at most. */
err_t entry_store_commit_size(struct db *db, const struct artifact *draft, int64_t limit,
			      int64_t *ret_count) __attribute__((warn_unused_result));
/* Entries are merged and resolved in portions, in order of their paths: all of a manifest take longer than a statement may. */
struct entry_portion {
	struct str
		after; /* STR("") for the first one; then the last path of the one that was done */
	int64_t limit;
	bool more; /* there may be another */
};
/* Copies entries of a manifest into another, over those with the same path. */
err_t entry_store_merge(struct db *db, int64_t project_id, int64_t from_id, int64_t into_id,
			struct entry_portion *portion) __attribute__((warn_unused_result));
/* The same with uploads of a draft. */
err_t entry_store_merge_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
				int64_t into_id, struct entry_portion *portion)
	__attribute__((warn_unused_result));
/* Gives open entries their content as staging does, and holds it until then. */
err_t entry_store_resolve(struct db *db, const struct entry_place *place, timestamp_us until,
			  struct entry_portion *portion) __attribute__((warn_unused_result));
/* How many entries have no content. */
err_t entry_store_count_open(struct db *db, int64_t project_id, int64_t manifest_id,
			     int64_t *ret_open) __attribute__((warn_unused_result));
/* The first open ones, in order. */
err_t entry_store_list_open(struct db *db, int64_t project_id, int64_t manifest_id, int64_t limit,
			    struct artifact_entry **ret_entries, size_t *ret_count)
	__attribute__((warn_unused_result));
struct entry_sum {
	int64_t entry_count;
	int64_t size_bytes;
};
err_t entry_store_sum(struct db *db, int64_t project_id, int64_t manifest_id,
		      struct entry_sum **ret_sum) __attribute__((warn_unused_result));
struct entry_digest {
	struct str digest; /* ARTIFACT_DIGEST_TEXT_SIZE characters of hex */
	struct str folder; /* see artifact_digest_folder() */
};
/* The digest of all entries, which are read page by page. */
err_t entry_store_digest(struct db *db, int64_t project_id, int64_t manifest_id,
			 struct entry_digest *ret_digest) __attribute__((warn_unused_result));

/* Paths in which two manifests of a project differ, in order. */
enum entry_change { ENTRY_ADDED = 1, ENTRY_REMOVED = 2, ENTRY_CHANGED = 3 };
struct entry_difference {
	struct str path;
	int16_t change;        /* enum entry_change */
	bool has_from, has_to; /* whether the sizes are known */
	int64_t from_bytes, to_bytes;
	struct str from_digest, to_digest; /* .at == NULL: it has none there */
	struct str from_ref, to_ref;
};
struct entry_compare_ask {
	int64_t project_id;
	int64_t from_id; /* manifests */
	int64_t to_id;
	struct str after; /* after this path */
	int64_t limit;
};
err_t entry_store_compare(struct db *db, const struct entry_compare_ask *ask,
			  struct entry_difference **ret_differences, size_t *ret_count)
	__attribute__((warn_unused_result));
struct entry_counts {
	int64_t added, removed, changed, same;
};
err_t entry_store_compare_counts(struct db *db, const struct entry_compare_ask *ask,
				 struct entry_counts **ret_counts)
	__attribute__((warn_unused_result));

/* ---- deletion ---------------------------------------------------------------------------------------- */

/* Deletes entries, at most `limit`; blobs that lost one are looked at at `look_at`. *ret_more: there may be more. */
err_t entry_store_purge(struct db *db, int64_t project_id, int64_t manifest_id, int64_t limit,
			timestamp_us look_at, bool *ret_more) __attribute__((warn_unused_result));
/* The files of versions, as their rows have them. */
struct entry_files {
	int64_t files;
	int64_t size_bytes; /* their sum, each file as often as it occurs */
	int64_t entries;    /* of all their manifests: what entry_store_freed would read */
};
err_t entry_store_sum_files(struct db *db, int64_t project_id, const int64_t *artifact_ids,
			    size_t count, struct entry_files *ret_files)
	__attribute__((warn_unused_result));
/*
 * The bytes that are freed in the project if these versions are deleted, by comparing each of their entries with all others. Runs
 * and other projects are not searched: the caller must not learn what others have.
 */
err_t entry_store_freed(struct db *db, int64_t project_id, const int64_t *artifact_ids,
			size_t count, int64_t *ret_bytes) __attribute__((warn_unused_result));

extern const struct db_stmt_check entry_store_checks[];
extern const size_t entry_store_check_count;

#endif
