#ifndef BLOB_STORE_H
#define BLOB_STORE_H

#include "artifact.h"
#include "db.h"
#include "db_row.h"

/*
 * Content of artifacts (blob.sql): a project has a blob once for all its versions. Clients name content by its MD5; its identity
 * is its hash in the content store. Two contents with one MD5 are two blobs.
 *
 *	claim    file_store_claim(): the content is recorded
 *	(place)  the bytes are moved to their place
 *	put      the blob is recorded, and nothing removes it before an entry or an upload names it, or look_at passes
 *	upload   the draft has it under a path
 */
struct artifact_blob {
	int64_t blob_id;
	struct str content; /* FILE_HASH_SIZE bytes */
	struct str md5;     /* FILE_MD5_SIZE bytes */
	int64_t size_bytes;
	int64_t birth_id; /* the artifact that sent it first */
	timestamp_us came_at;
};

/* The blob_id of content. Rows are locked in the order of it. */
int64_t blob_store_number(struct str content);
/* Records it; if the project has this content already, that is kept and its number returned. */
err_t blob_store_put(struct db *db, int64_t project_id, const struct artifact_blob *blob,
		     int64_t *ret_blob_id) __attribute__((warn_unused_result));
err_t blob_store_find(struct db *db, int64_t project_id, int64_t blob_id,
		      struct artifact_blob **ret_blob) __attribute__((warn_unused_result));
/* All with one of the md5s, in order of md5 and blob_id: one md5 may have several. */
err_t blob_store_find_md5(struct db *db, int64_t project_id, const struct str *md5s, size_t count,
			  struct artifact_blob **ret_blobs, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Blobs with one of the md5s are not removed before `until`. */
err_t blob_store_hold(struct db *db, int64_t project_id, const struct str *md5s, size_t count,
		      timestamp_us until) __attribute__((warn_unused_result));
/*
 * Content with one of the md5s in other projects of the entity, whose artifacts the caller may read: those that are public, or
 * all if sees_private. One row for each content.
 */
struct blob_elsewhere_ask {
	int64_t entity_id;
	int64_t project_id; /* not this one */
	bool sees_private;
	bool is_committed; /* only what a committed version has */
	const struct str *md5s;
	size_t count;
};
err_t blob_store_find_elsewhere(struct db *db, const struct blob_elsewhere_ask *ask,
				struct artifact_blob **ret_blobs, size_t *ret_count)
	__attribute__((warn_unused_result));

/* ---- what a draft has -------------------------------------------------------------------------------- */

struct artifact_upload {
	struct str path;
	int64_t blob_id;
	struct str md5; /* the rest: of the blob, to read */
	struct str content;
	int64_t size_bytes;
	int64_t birth_id;
};
/* The draft has these blobs under these paths; a path that it had leads to the new one. */
err_t blob_store_save_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			      const struct artifact_upload *uploads, size_t count, timestamp_us now)
	__attribute__((warn_unused_result));
/* A body that came whole, for a draft. */
struct artifact_upload_new {
	int64_t project_id;
	int64_t artifact_id;
	struct str path;
	struct artifact_blob blob; /* blob_id is not read; came_at: now */
	int timeout_ms;
	int lock_timeout_ms;
};
/*
 * Holds the draft, puts the blob and saves the upload, in a transaction of its own. *ret_is_draft == false: the version is not
 * a draft any more, or not there, and nothing was written.
 */
err_t blob_store_take_upload(struct db *db, const struct artifact_upload_new *upload,
			     bool *ret_is_draft, int64_t *ret_blob_id)
	__attribute__((warn_unused_result));
/* How many files the draft has; counts at most `limit`. */
err_t blob_store_count_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			       int64_t limit, int64_t *ret_count)
	__attribute__((warn_unused_result));
/* In order of their paths, after one. */
err_t blob_store_list_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			      struct str after, int64_t limit, struct artifact_upload **ret_uploads,
			      size_t *ret_count) __attribute__((warn_unused_result));
err_t blob_store_find_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			      const struct str *paths, size_t path_count,
			      struct artifact_upload **ret_uploads, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Removes those with these paths; their blobs are looked at at `look_at`. */
err_t blob_store_drop_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			      const struct str *paths, size_t path_count, timestamp_us look_at)
	__attribute__((warn_unused_result));
/* Removes uploads of a draft, at most `limit`; *ret_more: there may be more. */
err_t blob_store_purge_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			       int64_t limit, timestamp_us look_at, bool *ret_more)
	__attribute__((warn_unused_result));

/* ---- files in parts ------------------------------------------------------------------------------------ */

enum multipart_state { MULTIPART_COMES = 1, MULTIPART_JOINS = 2, MULTIPART_JOINED = 3 };
struct artifact_multipart {
	int64_t project_id;
	int64_t upload_id;
	int64_t artifact_id;
	struct str path;
	struct str md5;
	int32_t part_count;
	int16_t state;   /* enum multipart_state */
	int64_t blob_id; /* 0: not joined */
	timestamp_us heard_at;
};
err_t blob_store_make_multipart(struct db *db, const struct artifact_multipart *multipart)
	__attribute__((warn_unused_result));
err_t blob_store_find_multipart(struct db *db, int64_t project_id, int64_t upload_id,
				struct artifact_multipart **ret_multipart)
	__attribute__((warn_unused_result));
/* The open upload of this file of the draft, so that a repeated request gets it again; NULL: none. */
err_t blob_store_find_multipart_of(struct db *db, const struct artifact_multipart *like,
				   struct artifact_multipart **ret_multipart)
	__attribute__((warn_unused_result));
/* An open one of such a file, of this draft or another one of the project that is not committed; NULL: none. */
err_t blob_store_find_multipart_like(struct db *db, const struct artifact_multipart *like,
				     struct artifact_multipart **ret_multipart)
	__attribute__((warn_unused_result));
/* How many of a draft are not complete. */
err_t blob_store_count_multiparts(struct db *db, int64_t project_id, int64_t artifact_id,
				  int64_t *ret_count) __attribute__((warn_unused_result));
/* Saves state, blob_id and heard_at, if the state is still `from`; *ret_saved. */
err_t blob_store_save_multipart(struct db *db, const struct artifact_multipart *multipart,
				enum multipart_state from, bool *ret_saved)
	__attribute__((warn_unused_result));
/* The uploads in parts of a draft. */
err_t blob_store_list_multiparts(struct db *db, int64_t project_id, int64_t artifact_id,
				 int64_t limit, struct artifact_multipart **ret_multiparts,
				 size_t *ret_count) __attribute__((warn_unused_result));
struct artifact_part {
	int32_t part; /* from 1 */
	struct str content;
	struct str md5;
	int64_t size_bytes;
};
/* A part that came before is replaced, and its content looked at later; `now` is when it came. */
err_t blob_store_put_part(struct db *db, int64_t project_id, int64_t upload_id,
			  const struct artifact_part *part, timestamp_us now)
	__attribute__((warn_unused_result));
/* In order, after a part. */
err_t blob_store_list_parts(struct db *db, int64_t project_id, int64_t upload_id, int32_t after,
			    int64_t limit, struct artifact_part **ret_parts, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Removes parts, at most `limit`; their content is looked at later. *ret_more: there may be more. */
err_t blob_store_purge_parts(struct db *db, int64_t project_id, int64_t upload_id, int64_t limit,
			     timestamp_us now, bool *ret_more) __attribute__((warn_unused_result));
/* Locks it until the transaction ends: parts that come wait. NULL: it is gone. */
err_t blob_store_lock_multipart(struct db *db, int64_t project_id, int64_t upload_id,
				struct artifact_multipart **ret_multipart)
	__attribute__((warn_unused_result));
/* Removes parts, at most `limit`, and then the upload, under its lock; their content is looked at later. *ret_more. */
err_t blob_store_purge_multipart(struct db *db, int64_t project_id, int64_t upload_id,
				 int64_t limit, timestamp_us now, bool *ret_more)
	__attribute__((warn_unused_result));

/* ---- jobs ---------------------------------------------------------------------------------------------- */

struct blob_due {
	int64_t project_id;
	int64_t blob_id;
};
/* Blobs that are to be looked at, of all projects. */
err_t blob_store_list_due(struct db *db, timestamp_us now, int64_t limit, struct blob_due **ret_due,
			  size_t *ret_count) __attribute__((warn_unused_result));
/*
 * In a transaction: removes those blobs that nothing names, subtracts their size from the project's, and has their content
 * looked at later; records that the others are named. Blobs that another transaction holds, or that are not due, are left.
 */
err_t blob_store_look(struct db *db, int64_t project_id, const int64_t *blob_ids, size_t blob_count,
		      timestamp_us now) __attribute__((warn_unused_result));
/* They are looked at at look_at or later. */
err_t blob_store_look_later(struct db *db, int64_t project_id, const int64_t *blob_ids,
			    size_t count, timestamp_us look_at) __attribute__((warn_unused_result));
/* In a transaction: counts blobs that are new into the usage of their projects, at most `limit`. */
err_t blob_store_count_new(struct db *db, int64_t limit, int64_t *ret_count)
	__attribute__((warn_unused_result));
/* Uploads in parts from which nothing was heard since. */
err_t blob_store_list_stale_multiparts(struct db *db, timestamp_us before, int64_t limit,
				       struct artifact_multipart **ret_multiparts,
				       size_t *ret_count) __attribute__((warn_unused_result));

extern const struct db_stmt_check blob_store_checks[];
extern const size_t blob_store_check_count;

#endif
