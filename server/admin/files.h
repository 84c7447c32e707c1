#ifndef FILES_H
#define FILES_H

#include "config.h"
#include "content.h"
#include "db.h"

/*
 * The folder of files, as a server or a command opens it: by the settings, and only if it is the
 * one with this database's files. That is checked by a mark in the folder, of which the database
 * has a copy: two servers with a folder each would have half of the files.
 */
err_t files_open(struct arena *a, const struct config *config, const char *database_url,
		 struct content_store **ret_content) __attribute__((warn_unused_result));
/*
 * For commands, which create no folder: NULL if the database has no files
 * yet, so that there may be none.
 */
err_t files_find(struct db *db, const struct config *config, struct content_store **ret_content)
	__attribute__((warn_unused_result));
/* The same on an existing connection. */
err_t files_settle(struct db *db, const struct config *config, struct content_store *content)
	__attribute__((warn_unused_result));

/*
 * After a restore: a folder without a mark becomes that of the restored database; one with the
 * database's mark is the old one.
 */
err_t files_restore(struct db *db, const struct config *config, struct content_store *content)
	__attribute__((warn_unused_result));

/*
 * Copies all content that the database knows from one store to another, except content that is
 * there. Missing and broken content is counted, not an error.
 */
struct progress;
struct files_copied {
	int64_t files;
	int64_t bytes;
	int64_t was_there;
	int64_t missing;
	int64_t broken;
};
err_t files_copy(struct db *db, struct content_store *from, struct content_store *to,
		 struct progress *progress, struct files_copied *ret_copied)
	__attribute__((warn_unused_result));
/* The files of a backup: next to it, or in the folder of the option. */
const char *files_beside(struct arena *a, const char *backup, const char *option);
/*
 * The same for reading them: a backup in a folder of backups may have them
 * in the folder that all of these share.
 */
const char *files_of_backup(struct arena *a, const char *backup, const char *option);
#define FILES_SHARED "cairn-files"

#endif
