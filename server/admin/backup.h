#ifndef BACKUP_H
#define BACKUP_H

#include <stdbool.h>

#include "backup_manifest.h"
#include "config.h"
#include "db.h"
#include "files.h"
#include "progress.h"

/* Writes a snapshot of a database, with the secret, into a new file; servers go on. */
struct backup_ask {
	const struct config *config;
	const char *path; /* of a new file */
	const char *
		files; /* the folder that the files of runs are copied into; NULL: they are not copied */
	bool any_schema;       /* also a schema that this version does not know */
	bool (*stopped)(void); /* asked while the database is read; may be NULL */
	struct progress *progress;
};

struct backup_made {
	struct backup_manifest manifest;
	int64_t bytes; /* of the file */
	struct files_copied copied;
};

/*
 * `db` is a connection of its own, whose statements are unnamed. A backup
 * that fails or is stopped leaves no file.
 */
err_t backup_write(struct db *db, const struct backup_ask *ask, struct backup_made *ret_made)
	__attribute__((warn_unused_result));

/* Opens such a connection. `stopped`: see db_options; may be NULL. */
err_t backup_open(struct arena *a, const struct config *config, const char *url,
		  bool (*stopped)(void), struct db **ret_db) __attribute__((warn_unused_result));

#endif
