#ifndef DATABASE_H
#define DATABASE_H

#include "config.h"
#include "db.h"
#include "secret.h"

/*
 * From settings to a usable database: connected, migrated, and checked against the secret. The
 * server and the commands of an administrator do the same.
 */

/*
 * Waits up to database_wait_s for a database that does not answer yet; migrates it (upgrade.h).
 * `starting`, which may be NULL, is updated during long steps.
 */
struct starting;
err_t database_prepare(struct arena *a, const struct config *config, const char *url,
		       const struct starting *starting, struct db **ret_db)
	__attribute__((warn_unused_result));

struct db_embedded;

/* data_dir, with the directories above it. */
err_t database_make_directory(struct arena *a, const struct config *config)
	__attribute__((warn_unused_result));

/* backup_dir, which only its owner can read, with the directories above it. */
err_t database_make_backup_directory(struct arena *a, const struct config *config)
	__attribute__((warn_unused_result));

/* See db_embedded.h. */
err_t database_start_embedded(struct arena *a, const struct config *config,
			      struct db_embedded **ret_embedded)
	__attribute__((warn_unused_result));
err_t database_upgrade_embedded(struct arena *a, const struct config *config)
	__attribute__((warn_unused_result));

/* The same if the setting embedded_upgrade asks for it and there is a newer PostgreSQL. */
err_t database_upgrade_embedded_if_asked(struct arena *a, const struct config *config)
	__attribute__((warn_unused_result));

/* The embedded database, started until the arena ends; ERR_CONFLICT if a server has it. */
err_t database_own_embedded(struct arena *a, const struct config *config, const char **ret_url)
	__attribute__((warn_unused_result));

/*
 * The database for commands: the URL of the settings, or the embedded database, started if it does
 * not run, until the arena ends.
 */
err_t database_url(struct arena *a, const struct config *config, const char **ret_url)
	__attribute__((warn_unused_result));

/* Connects, to a database that has this version's schema already; migrates nothing. */
err_t database_open_current(struct arena *a, const struct config *config, const char *url,
			    struct db **ret_db) __attribute__((warn_unused_result));

/* Wraps the error of db_open(), and adds where to look. */
err_t database_cannot_open(struct arena *a, const struct config *config, err_t e)
	__attribute__((warn_unused_result));

/* The number of connections that a server may have. */
int64_t database_connections(const struct config *config);

/* How connections of this server are opened; strings live as long as config and url. */
struct db_options database_options(const struct config *config, const char *url);

#endif
