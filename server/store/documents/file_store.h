#ifndef FILE_STORE_H
#define FILE_STORE_H

#include "db.h"
#include "db_row.h"
#include "run.h"

/*
 * Files of runs. A name leads to content, which is in the folder of files (content.h) under its
 * hash, once for all runs that have it.
 *
 *	claim   the content is recorded, and is not deleted for FILE_GRACE_US
 *	(place) the bytes are moved to their place in the folder
 *	put     under the run's lock: the name leads to it
 *
 * So no lock is held while the disk is waited for, a name never leads to nothing, and a crash in
 * between leaves content without a name, which is deleted later.
 */
enum { FILE_HASH_SIZE = 32, FILE_MD5_SIZE = 16 };
#define FILE_GRACE_US (INT64_C(3600) * 1000000)

struct run_file {
	struct str name;
	int64_t size_bytes;
	struct str md5;       /* FILE_MD5_SIZE bytes */
	struct str content;   /* FILE_HASH_SIZE bytes */
	int64_t user_id;      /* to write */
	struct str user_name; /* to read; empty: the user was deleted */
	struct str client;    /* the writer; empty: none */
	timestamp_us updated_at;
};

/* ---- names ------------------------------------------------------------------------------------ */

/* NULL when there is none. */
err_t file_store_find(struct db *db, int64_t run_id, struct str name, struct run_file **ret_file)
	__attribute__((warn_unused_result));

struct file_ask {
	int64_t run_id;
	struct str after;   /* after this name; empty: from the first */
	struct str pattern; /* of LIKE; .at == NULL: all */
	int64_t limit;
};
err_t file_store_list(struct db *db, const struct file_ask *ask, struct run_file **ret_files,
		      size_t *ret_count) __attribute__((warn_unused_result));
/* The files with these names, in order. */
err_t file_store_list_named(struct db *db, int64_t run_id, const struct str *names, size_t count,
			    struct run_file **ret_files, size_t *ret_count)
	__attribute__((warn_unused_result));

/* The names that are folders of other files as well, in no order. */
struct file_folder {
	struct str name;
	struct str
		beside; /* a name that neither a file nor a folder has; empty: too many have it */
};
err_t file_store_list_folders(struct db *db, int64_t run_id, const struct str *names, size_t count,
			      struct file_folder **ret_folders, size_t *ret_count)
	__attribute__((warn_unused_result));

/* By counting; a run counts the same in file_count and file_bytes. */
struct file_sum {
	int64_t file_count;
	int64_t file_bytes;
};
err_t file_store_sum(struct db *db, int64_t run_id, struct file_sum **ret_sum)
	__attribute__((warn_unused_result));

/* The run is locked; content that the name led to before is checked later. */
err_t file_store_put(struct db *db, const struct run *run, const struct run_file *file)
	__attribute__((warn_unused_result));
/* The run is locked; *ret_count is how many of the names were there. */
err_t file_store_delete(struct db *db, const struct run *run, const struct str *names, size_t count,
			timestamp_us now, int64_t *ret_count) __attribute__((warn_unused_result));
/* A portion of a run that is purged; *ret_more: there may be more. */
err_t file_store_purge(struct db *db, int64_t run_id, int64_t limit, timestamp_us now,
		       bool *ret_more) __attribute__((warn_unused_result));

/* The owner of a run, by its number; NULL if it is deleted or does not exist. */
struct file_owner {
	int64_t run_id;
	int64_t entity_id;
	struct str entity;
	int64_t project_id;
	struct str project;
	int16_t visibility; /* of the project */
	bool is_known;      /* the user is enabled, and the key or session works */
	bool is_admin;      /* of the server */
	int16_t role;       /* in the entity */
	int16_t scope;      /* of the key */
};
struct file_owner_ask {
	int64_t run_id;
	int64_t user_id;    /* 0: not signed in */
	int64_t key_id;     /* 0: none */
	struct str session; /* as session_list() names it; empty: none */
	timestamp_us now;
};
err_t file_store_owner(struct db *db, const struct file_owner_ask *ask,
		       struct file_owner **ret_owner) __attribute__((warn_unused_result));

/* ---- content ---------------------------------------------------------------------------------- */

struct file_content {
	struct str content;
	int64_t size_bytes;
};
err_t file_store_claim(struct db *db, const struct file_content *content, timestamp_us now)
	__attribute__((warn_unused_result));
/* Found in the folder: recorded if it is not yet, and checked later. */
err_t file_store_adopt(struct db *db, const struct file_content *content, timestamp_us now)
	__attribute__((warn_unused_result));
/* Content that is due for a check. */
err_t file_store_list_due(struct db *db, timestamp_us now, int64_t limit,
			  struct file_content **ret_contents, size_t *ret_count)
	__attribute__((warn_unused_result));
/*
 * Whether content may be deleted; in a transaction, which has its lock then. If so the caller
 * removes the bytes and calls file_store_forget(); if it has a name, the check is recorded.
 */
err_t file_store_may_forget(struct db *db, struct str content, timestamp_us now, bool *ret_may)
	__attribute__((warn_unused_result));
err_t file_store_forget(struct db *db, struct str content) __attribute__((warn_unused_result));
/* All content, in order, after a hash. */
err_t file_store_list_content(struct db *db, struct str after, int64_t limit,
			      struct file_content **ret_contents, size_t *ret_count)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check file_store_checks[];
extern const size_t file_store_check_count;

#endif
