#ifndef DB_PROCESS_H
#define DB_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "err.h"

/* Programs of PostgreSQL as our children; inside this folder only. */

/* The user that the programs run as. */
struct db_user {
	const char *name;
	uid_t uid;
	gid_t gid;
	gid_t *group;
	int groups;
	bool drop; /* we are root and they must not be */
};

/* `wanted` may be NULL: the first of cairn, postgres, nobody. If we are not root: our own user. */
err_t db_user_find(struct arena *a, const char *wanted, struct db_user *ret_user);

struct db_spawn {
	const char *const *argv; /* argv[0] is the path of the program */
	const struct db_user *user;
	const char *workdir;
	int death_signal; /* sent when the calling thread ends, and with it the process */
	int in;           /* descriptors; -1: /dev/null */
	int out;
	int err;
	const char *const *env; /* "NAME=value", up to a NULL; added to ours; may be NULL */
};

err_t db_spawn(struct arena *a, const struct db_spawn *spawn, pid_t *ret_pid);
/* Waits; anything but exit status 0 is an error. */
err_t db_spawn_wait(struct arena *a, const char *program, pid_t pid);
/* The error of a wait status; NULL for exit status 0. */
err_t db_spawn_error(struct arena *a, const char *program, int status);
/* Runs a program to its end and takes the first line that it prints. */
err_t db_spawn_line(struct arena *a, const struct db_spawn *spawn, const char **ret_line);
/* Waits up to `ms` for the child's end; false when it still runs. */
bool db_spawn_wait_ms(pid_t pid, int ms, int *ret_status);

#endif
