#ifndef COPIES_H
#define COPIES_H

#include "backup.h"
#include "config.h"
#include "db.h"
#include "upgrade.h"

/*
 * The copies of the database that are made automatically, in the folder of the setting backup_dir:
 * backups without the files of runs, which no migration changes.
 *
 *	before-0018-20261128T065324Z-5e0f8a31.tar        before migration 18 of an upgrade
 *	before-rollback-20261128T070112Z-5e0f8a31.tar    before a rollback, which can be undone so
 *
 * Next to them, or in a folder of their own, are backups that were asked for:
 *
 *	cairn-20261128T023000Z-5e0f8a31.tar              of "cairnd backup" into a folder, with the files of runs in "cairn-files"
 *
 * The last part of the name identifies the database: several may have one folder, and each only
 * removes its own. It is a hash of the cluster's identifier and the database's name. Older versions
 * named backups without it: nothing in such a file proves which database it is of (its secret may
 * be that of several), so it is listed and never removed.
 *
 * For each kind the newest `upgrade_copies`, or as many as --keep says, are kept, once the
 * operation they were made for is done: an upgrade that is tried again and again never removes the
 * copy from before its first try. Files with other names are not touched, but for the parts
 * (new_file.h) of copies that were broken off, which the next copy of the same database removes.
 */
enum copies_kind { COPIES_UPGRADE, COPIES_ROLLBACK, COPIES_BACKUP };

struct copy {
	const char *path;
	enum copies_kind kind;
	int64_t first;                         /* migration; 0 of the others */
	char time[sizeof("20261128T065324Z")]; /* of its name */
	char database[sizeof("5e0f8a31")];     /* of its name; empty of an older version's backup */
	int64_t bytes;
	struct backup_manifest manifest; /* of a readable one; its version is empty else */
};

/* The ending of the names of this database's copies. */
err_t copies_database(struct db *db, char ret_database[static sizeof("5e0f8a31")])
	__attribute__((warn_unused_result));

/* Lists the copies of every database, the newest first; none if there is no folder. */
err_t copies_list(struct arena *a, const struct config *config, struct copy **ret_copies,
		  size_t *ret_count) __attribute__((warn_unused_result));

/*
 * Makes one: checks for the programs of PostgreSQL and for room, writes, and, if there are more
 * than are kept, removes those of earlier tries. `first` is the number of the first migration that
 * will change the database. ERR_PRECONDITION when there is no room. *ret_path is NULL when
 * upgrade_copies is 0.
 */
struct copies_ask {
	enum copies_kind kind;
	int first;
	bool (*stopped)(void);           /* may be NULL */
	const struct starting *starting; /* may be NULL */
};
err_t copies_make(struct arena *a, const struct config *config, const char *url,
		  const struct copies_ask *ask, const char **ret_path)
	__attribute__((warn_unused_result));

/*
 * Finds a name in backup_dir that no file has, for one that the caller writes, and removes the parts that killed ones of the
 * same database left.
 */
err_t copies_begin(struct arena *a, const struct config *config, struct db *db,
		   const struct copies_ask *ask, const char **ret_path)
	__attribute__((warn_unused_result));

/*
 * The operation that `made` was made for is done: removes copies that are too old now. If a copy
 * cannot be removed, that is logged and is not an error.
 */
err_t copies_remove_old(struct arena *a, const struct config *config, const char *made)
	__attribute__((warn_unused_result));

/*
 * Before an upgrade, under the lock of the migrations: a copy, unless the database has no keys yet, and so nothing to
 * lose. *ret_path is NULL when there is none.
 */
err_t copies_before_upgrade(struct arena *a, const struct config *config, const char *url,
			    int first, const struct upgrade_watch *watch, const char **ret_path)
	__attribute__((warn_unused_result));

/*
 * A line that an administrator should see: in the log, or on standard
 * error if only warnings are logged.
 */
void copies_say(const char *message, const char *key, const char *value);

#endif
