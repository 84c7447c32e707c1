#ifndef DIRECTORY_H
#define DIRECTORY_H

#include "audit.h"
#include "command.h"
#include "db.h"
#include "secret.h"

/*
 * The database for a command of an administrator: that of the configuration, or the embedded one,
 * which may be running under a server or is started for as long as the command takes. Migrated, and
 * checked against its secret. All of it ends with the call's arena.
 */
struct directory {
	struct db *db;
	struct key_secret secret;
	timestamp_us now; /* the database's clock, when the transaction began */
};

/*
 * ERR_PRECONDITION if the settings name an embedded database and there is
 * none. Less is logged from now on.
 */
err_t directory_check(struct command_call *call) __attribute__((warn_unused_result));

/*
 * The URL of a database that is there: the configured one, or the embedded one of an existing data
 * directory, started until the arena ends if it does not run.
 */
err_t directory_url(struct command_call *call, const char **ret_url)
	__attribute__((warn_unused_result));

/* Opens, and begins the transaction of the command. */
err_t directory_begin(struct command_call *call, struct directory *ret_directory)
	__attribute__((warn_unused_result));
err_t directory_commit(struct directory *directory) __attribute__((warn_unused_result));

/* For the audit log, in the command's transaction; the user at the host is not known. */
err_t directory_note(struct directory *directory, enum audit_action action,
		     const struct audit_entry *event) __attribute__((warn_unused_result));

err_t directory_note_key(struct directory *directory, enum audit_action action, int64_t key_id,
			 const char *detail) __attribute__((warn_unused_result));

/* ERR_NOT_FOUND when there is no such user. */
struct account;
err_t directory_find_user(struct directory *directory, const char *name,
			  struct account **ret_account) __attribute__((warn_unused_result));

/* `path`: "ENTITY/PROJECT"; also a deleted one. ERR_NOT_FOUND when there is none. */
err_t directory_find_project(struct arena *a, struct db *db, const char *path,
			     int64_t *ret_project_id) __attribute__((warn_unused_result));

#endif
