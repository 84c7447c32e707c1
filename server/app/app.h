#ifndef APP_H
#define APP_H

#include <stdatomic.h>

#include "config.h"
#include "key.h"
#include "memory.h"

/*
 * Everything that lives as long as the server hangs from here, within reach of every handler. Parts are
 * started in the order they stand in and stopped in reverse; what a part needs stands before it.
 */
struct auth;
struct content_store;
struct db_canceller;
struct db_embedded;
struct http_server;
struct ingest;
struct jobs;
struct listeners;
struct metric_summary_cache;
struct notify;
struct replica;
struct search;
struct serve_options;
struct wandb_session_cache;
struct sign_in_gate;
struct upload_room;

/* Requests that hold a worker each, in all and at some sweeps: those of two sweeps in one slot only let fewer in. */
enum { SWEEP_SLOTS = 64 };
struct sweep_places {
	_Atomic int all;
	_Atomic int at[SWEEP_SLOTS];
};

struct app {
	const struct config *config;
	const struct serve_options *options; /* of the command line */
	const char *database_url;            /* of the configuration, or of the embedded database */
	const char *listen_database_url;
	struct key_secret secret;
	struct arena *arena;  /* as long as the server */
	struct memory memory; /* that clients make it hold */

	struct db_embedded *embedded;   /* NULL: a database of its own is configured */
	struct db_canceller *canceller; /* of what workers give up */
	struct replica *replica;        /* NULL: none is configured */
	struct auth *auth;
	struct sign_in_gate *sign_in_gate;
	struct content_store *content;      /* what files hold */
	struct upload_room *upload_room;    /* what those take that come */
	_Atomic int artifact_work[2];       /* by a worker each: see artifact_turn.h */
	struct sweep_places sweep_searches; /* see sweep_work.h */
	struct sweep_places sweep_changes;
	struct notify *notify;                         /* sends alerts */
	struct listeners *listeners;                   /* of live runs */
	struct jobs *jobs;                             /* sweeper, compactor, documents, ring */
	struct search *search;                         /* columns of what is searched */
	struct metric_summary_cache *metric_summaries; /* by which lists of runs are ordered */
	struct ingest *ingest;
	struct wandb_session_cache *wandb; /* what is known of the SDK's processes */
	struct http_server *http;
};

#endif
