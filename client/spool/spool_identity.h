#ifndef SPOOL_IDENTITY_H
#define SPOOL_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "spool.h"

/* writer.json is at most so long; tags and notes are most of it. */
#define SPOOL_IDENTITY_MAX_BYTES (4 * 1024 * 1024)

/*
 * The writer of a spool: all that a client needs to create the run and to join it as this writer. Text is NULL where it is not
 * set; `run`, `client`, `label`, `project` are always set. There is never a key.
 */
struct spool_identity {
	char *url;    /* NULL in offline mode, unless one is set */
	char *entity; /* NULL: the user's default */
	char *project;
	char *run;
	char *client;
	char *stream; /* in writer.json that is read: NULL stands for the stream without a name */
	char *label;
	char *role; /* "primary" or "worker" */
	char *parent;
	char *host;
	int64_t pid;
	char *display_name, *group, *job_type;
	char *tags; /* separated by commas */
	char *notes;
	int64_t started_at_us; /* since 1970 */
	char *mode;            /* "online" or "offline" */
	char *client_version;
};

void spool_identity_deinit(struct spool_identity *identity) __attribute__((nonnull));

enum spool_identity_result {
	SPOOL_IDENTITY_OK = 0,
	SPOOL_IDENTITY_MISSING, /* no writer.json: the process was killed before it was written */
	SPOOL_IDENTITY_BAD,     /* not a valid writer.json, or of a later format */
	SPOOL_IDENTITY_FAILED   /* it cannot be read: permissions, no memory */
};

/* Reads writer.json of a writer's folder. Whatever the result, `ret_identity` is to be given to
 * spool_identity_deinit(). `error` is a line with the file's path unless the result is OK. */
enum spool_identity_result spool_identity_read(const char *folder,
					       struct spool_identity *ret_identity,
					       char error[static SPOOL_ERROR_SIZE])
	__attribute__((nonnull));

/* Writes it: a file next to it, fsync, rename. `folder_fd` is the open folder. 0 or an errno value. */
int spool_identity_write(int folder_fd, const struct spool_identity *identity)
	__attribute__((nonnull));

/* Whether both are the same writer of the same run; their streams may differ. */
bool spool_identity_is_same(const struct spool_identity *a, const struct spool_identity *b)
	__attribute__((nonnull));

#endif
