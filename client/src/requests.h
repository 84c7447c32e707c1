#ifndef REQUESTS_H
#define REQUESTS_H

#include <stdint.h>

#include "settings.h"
#include "text.h"

/*
 * Bodies and paths of the requests by which a run is made, joined and ended. The sender of this process has them from its own
 * settings, cairn sync from what a spool says of its writer.
 */

/* "/api/v1/projects/{entity}/{project}/runs/{run}" + tail */
void requests_path(struct text *path, const char *entity, const struct settings *settings,
		   const char *tail) __attribute__((nonnull));

/* For PUT …/runs/{run}. started_at_us: since 1970; 0: the server's time is taken. */
void requests_make(struct text *body, const struct settings *settings, int64_t started_at_us)
	__attribute__((nonnull));

/* The process that joins. */
struct requests_process {
	const char *stream; /* NULL: that of servers and clients which do not name streams */
	const char *host;   /* NULL: not known */
	int64_t pid;
	const char *client_version;
	int64_t started_at_us; /* if its data is sent later: when it began, since 1970; 0: it joins itself */
};

void requests_join(struct text *body, const struct settings *settings,
		   const struct requests_process *process) __attribute__((nonnull));

/* How a writer ends. Its members other than exit_code are of servers that number records. */
struct requests_end {
	int exit_code;
	const char
		*state; /* "crashed", "preempted": of a primary, instead of the exit code; NULL */
	const char *reason;  /* NULL or "": none */
	int64_t ended_at_us; /* 0: now */
};

#define REQUESTS_REASON_MAX_BYTES 256

void requests_finish(struct text *body, const char *client_id, int64_t session,
		     const struct requests_end *end) __attribute__((nonnull));

#endif
