#ifndef ARTIFACT_LINK_H
#define ARTIFACT_LINK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "json.h"
#include "settings.h"
#include "text.h"
#include "transport.h"

/*
 * Artifacts of one project, as the command and the library send and fetch them: requests that are repeated while the server
 * is busy or away, and workers that each have a connection.
 */
#define ARTIFACT_ERROR_SIZE 600

enum artifact_outcome {
	ARTIFACT_DONE,
	ARTIFACT_REFUSED, /* by the server */
	ARTIFACT_AWAY,    /* no answer until the deadline, or after all tries */
	ARTIFACT_LOCAL    /* a file of this host, or no memory */
};

/* How far it is, by any worker. */
struct artifact_progress {
	_Atomic int64_t files, bytes; /* done */
	int64_t all_files, all_bytes; /* 0: not known yet */
};

struct artifact_link {
	const struct settings *settings;
	const char *entity;
	const char *project;
	int jobs;            /* workers */
	int64_t deadline_us; /* of the monotonic clock; INT64_MAX: none */
	/* Called about five times a second by one thread while workers work; may be NULL. */
	void (*show)(void *context, const struct artifact_progress *progress);
	/* Called once, by any thread, when a request is repeated for more than a second; may be NULL. */
	void (*say_away)(void *context, const char *reason);
	void *context;
	int64_t part_bytes; /* a file of more than four is sent in parts of this size */
	int stall_s;        /* a transfer without a byte for so long is repeated */
	struct artifact_progress progress;
	char error[ARTIFACT_ERROR_SIZE]; /* a line, after an outcome that is not ARTIFACT_DONE */
	pthread_mutex_t lock;            /* of `error`, `outcome` and `crew` */
	pthread_cond_t changed;          /* `stops`, or a worker ended */
	struct artifact_crew *crew;      /* at work; NULL: none */
	enum artifact_outcome outcome;   /* the first that was not ARTIFACT_DONE */
	atomic_bool stops;               /* workers end, and their transfers */
	atomic_bool is_away_said, has_answered; /* the server, anything */
};

void artifact_link_init(struct artifact_link *link, const struct settings *settings,
			const char *entity, const char *project) __attribute__((nonnull));
void artifact_link_deinit(struct artifact_link *link) __attribute__((nonnull));

/* Notes what went wrong; the first fault stays, and ends all transfers of workers. Returns it. */
enum artifact_outcome artifact_fail(struct artifact_link *link, enum artifact_outcome outcome,
				    const char *format, ...)
	__attribute__((format(printf, 3, 4), nonnull(1, 3)));

/* "/api/v1/projects/{entity}/{project}/artifacts/{collection}" */
void artifact_path(const struct artifact_link *link, struct text *path, const char *collection)
	__attribute__((nonnull));
/* The path of a file in a URL: each part is encoded. */
void artifact_path_add(struct text *path, const char *name) __attribute__((nonnull));

/* How a repeat of a request begins. */
enum artifact_rewind {
	ARTIFACT_REWIND_FAILED,
	ARTIFACT_REWIND_ANEW, /* all is sent or received again */
	ARTIFACT_REWIND_ON    /* what the try before moved stays */
};
typedef enum artifact_rewind artifact_rewind_fn(void *context);

/*
 * One request, which is repeated while the server is busy or away: until the deadline, or ARTIFACT_PATIENCE_MS after a try last
 * moved something; ARTIFACT_FIRST_MS for a server that never answered. `rewind` is called before each repeat with
 * request->read_context; may be NULL.
 */
#define ARTIFACT_PATIENCE_MS 600000
#define ARTIFACT_FIRST_MS 60000
enum artifact_outcome artifact_ask(struct artifact_link *link, struct transport *transport,
				   const struct request *request, struct response *response,
				   artifact_rewind_fn *rewind) __attribute__((nonnull(1, 2, 3, 4)));
/* The same, but a refusal by the server is not noted: the caller knows what to do, or calls artifact_refuse(). */
enum artifact_outcome artifact_try(struct artifact_link *link, struct transport *transport,
				   const struct request *request, struct response *response,
				   artifact_rewind_fn *rewind) __attribute__((nonnull(1, 2, 3, 4)));
enum artifact_outcome artifact_refuse(struct artifact_link *link, const struct response *response)
	__attribute__((nonnull));

/* How long a request with so many bytes may take in all. */
int artifact_time_for(int64_t bytes);
/* Whether workers are to end: after a fault, or at the deadline. */
bool artifact_is_over(const struct artifact_link *link) __attribute__((nonnull));

/* Calls `work` with each number below `count`, by link->jobs threads, until one fails. */
typedef enum artifact_outcome artifact_work_fn(struct artifact_link *link,
					       struct transport *transport, void *context,
					       size_t number);
enum artifact_outcome artifact_work(struct artifact_link *link, artifact_work_fn *work,
				    void *context, size_t count) __attribute__((nonnull(1, 2)));

#endif
