#ifndef RESTORE_H
#define RESTORE_H

#include "archive.h"
#include "backup_manifest.h"
#include "config.h"
#include "db.h"
#include "progress.h"

/* A backup as a file that was checked, and its content in an empty database: for "restore" and "backup --verify". */
struct restore {
	struct arena *arena;
	const struct config *config;
	const char *path;  /* of the backup */
	const char *files; /* the folder with its files */
	const char *url;   /* of the database */
	struct db *db;     /* with unnamed statements; NULL: not open */
	struct archive file;
	struct backup_manifest manifest;
	struct str secret;
	int64_t dump_bytes;
	struct progress progress;
};

/* Opens the database, and finds the programs that fill it: ERR_PRECONDITION if one is missing. */
err_t restore_open(struct restore *r, const char *url) __attribute__((warn_unused_result));
/*
 * Reads the whole file and compares its checksums; ERR_UNPROCESSABLE if it
 * is incomplete, or not a backup.
 */
err_t restore_read(struct restore *r) __attribute__((warn_unused_result));
/* Whether this version, and the server of `db`, can restore it. */
err_t restore_judge(struct restore *r, struct db *db) __attribute__((warn_unused_result));
/* Fills the empty database in one transaction: if that fails, it stays empty. */
err_t restore_fill(struct restore *r) __attribute__((warn_unused_result));
/* Counts the rows of every table, and compares. */
err_t restore_compare(struct restore *r) __attribute__((warn_unused_result));

/*
 * Brings the restored database to this version's schema and verifies it. `find` opens the content
 * of files, which may be none. ERR_INTERNAL if faults were found.
 */
struct content_store;
typedef err_t restore_find_fn(struct restore *r, struct db *db, struct content_store **ret_content);
err_t restore_prove(struct restore *r, restore_find_fn *find) __attribute__((warn_unused_result));

#endif
