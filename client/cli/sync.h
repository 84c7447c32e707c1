#ifndef SYNC_H
#define SYNC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "answer.h"
#include "batch.h"
#include "cairn.h"
#include "retry.h"
#include "settings.h"
#include "spool_folder.h"
#include "spool_identity.h"
#include "sync_feed.h"
#include "sync_folder.h"
#include "transport.h"

/*
 * cairn sync. Threads take writers from one table; a writer is with one thread at a time. All that is known of a writer
 * comes from its folder and from the server, so that a sync can be killed at any point and begun again.
 *
 *	new -> scanned, run made, joined -> records, documents, alerts -> its end
 *	          ^-------------------------------+ the session is not known any more
 */
enum sync_state {
	SYNC_NEW,     /* not looked at */
	SYNC_DONE,    /* the server has all of it, the end too */
	SYNC_PARTLY,  /* others have their turn, while watching */
	SYNC_CURRENT, /* the server has all that is there; the process goes on */
	SYNC_LIVE,    /* the process sends it itself */
	SYNC_FENCED,  /* another sync, or the process, sends it */
	SYNC_STOPPED, /* this sync was interrupted */
	SYNC_REFUSED, /* the server rejects it */
	SYNC_AWAY,    /* the server does not answer */
	SYNC_BROKEN   /* the folder cannot be read, or is of no use */
};

struct sync_options {
	struct cairn_options server; /* url, key file and CA file of the command line */
	const char *project;         /* instead of that of the spool; NULL */
	long parallel, timeout_s;
	bool deletes, watches, is_quiet;
};

/* Counts of data that was sent, and of data that the server refused. */
struct sync_counts {
	uint64_t records[RECORD_KINDS];
	uint64_t bytes; /* of requests */
	uint64_t alerts, refused;
};

struct sync_writer {
	char *folder;
	enum sync_state state;
	bool is_busy, is_prepared, was_deleted, has_news;
	int64_t due_us;                      /* of the next pass, while watching */
	uint64_t listed_bytes, passed_bytes; /* of segments: now, and before the last pass */
	unsigned search;                     /* the last one that found it */
	char line[SPOOL_ERROR_SIZE];         /* why it is in this state; "" */
	char said[SPOOL_ERROR_SIZE];         /* the line that was printed last */
	char ended[32]; /* the state in which the server has the run, once its end is sent */

	struct spool_identity identity;
	struct settings settings;
	char *entity;
	struct sync_counts counts;

	int64_t session; /* 0: not joined */
	int64_t batch_next;
	bool is_open;
	struct sync_feed feed;
	uint64_t record_limit;   /* fewer after a refusal; 0: documents only */
	int64_t answered_us;     /* the server last answered, or the pass began */
	int64_t beat_us;         /* the server last took a batch or a join */
	uint64_t damages;        /* in the spool, of the last pass */
	struct sync_mark mark;   /* of an earlier sync to this target, read before the join */
	struct sync_place place; /* all before it was read, or the server has it */
	bool was_rejoined;       /* since it last stored something */
	enum spool_life life;
	int64_t life_us; /* when that was found; 0: not yet */
};

struct sync {
	const struct sync_options *options;
	pthread_mutex_t
		lock; /* guards the table, transports, and of the writers is_busy, due_us, listed_bytes and counts */
	pthread_cond_t wake;
	struct sync_writer **writers;
	size_t count;
	unsigned search; /* number of the current one */
	size_t working;  /* threads that have not ended */
	atomic_bool is_stopping;
};

/* One thread's tools. */
struct sync_worker {
	struct sync *sync;
	pthread_t thread;
	struct transport *transport; /* for the server of the settings below; NULL: none yet */
	struct settings server;      /* url, key and CA file */
	struct response response;
	struct batch batch;
	struct text path, body, summary;
	struct retry retry;
	char error[TRANSPORT_ERROR_SIZE]; /* of the last request that was refused */
};

void sync_worker_deinit(struct sync_worker *worker) __attribute__((nonnull));

/* Sends what there is of a writer, and its end if its process is dead. Sets the state and line. */
void sync_writer_pass(struct sync_worker *worker, struct sync_writer *writer)
	__attribute__((nonnull));

/* NULL without memory. */
struct sync_writer *sync_writer_new(const char *folder) __attribute__((nonnull));
void sync_writer_free(struct sync_writer *writer);

/* Reads writer.json and the settings. False with the state and line set. */
bool sync_writer_prepare(const struct sync *sync, struct sync_writer *writer)
	__attribute__((nonnull));

/* ---- sync_session.c: requests about the writer ---- */

/* Sends a request about the run (or below /api/) until there is an answer, the time for it is over, or the sync ends. */
enum outcome sync_ask(struct sync_worker *worker, struct sync_writer *writer, const char *method,
		      const char *tail, const struct text *body, struct json *ret_answer)
	__attribute__((nonnull));

/* The state and line that stand for a refused request. */
void sync_refuse(struct sync_worker *worker, struct sync_writer *writer, enum outcome outcome)
	__attribute__((nonnull));

/* The problem's name behind "urn:cairn:problem:". */
bool sync_is_problem(const struct sync_worker *worker, const char *name) __attribute__((nonnull));

/* Makes the run, and joins as the writer, unless the server has all of it already: then the state is SYNC_DONE. False if
 * there is no session. */
bool sync_join(struct sync_worker *worker, struct sync_writer *writer) __attribute__((nonnull));

/* ---- sync_send.c ---- */

/* Sends what is there; while watching, only for a while: then the state is SYNC_PARTLY. False with the state and line
 * set. */
bool sync_send(struct sync_worker *worker, struct sync_writer *writer) __attribute__((nonnull));

/* Notes in the folder how far the writer was sent. */
void sync_note(const struct sync_writer *writer, enum sync_stage stage) __attribute__((nonnull));

/* Sends drops that no record came after, and the end. Without an end in the spool it is a crash. */
bool sync_finish(struct sync_worker *worker, struct sync_writer *writer) __attribute__((nonnull));

/* A sign of life of a process that logs nothing. */
bool sync_heartbeat(struct sync_worker *worker, struct sync_writer *writer)
	__attribute__((nonnull));

void sync_fail(struct sync_writer *writer, enum sync_state state, const char *format, ...)
	__attribute__((format(printf, 3, 4), nonnull));

#endif
