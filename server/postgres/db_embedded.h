#ifndef DB_EMBEDDED_H
#define DB_EMBEDDED_H

#include <stdbool.h>

#include "err.h"

/*
 * A private PostgreSQL for a server without a database URL: its cluster is in the data directory,
 * it listens on a Unix socket that only its own user and root can reach, and it lives and dies with
 * the server.
 *
 *	DATADIR/cairn.lock       held for life by the server that uses the directory
 *	DATADIR/pg/              the cluster
 *	DATADIR/pgsock/          the socket; elsewhere when that path is too long
 *	DATADIR/postgres.socket  says where the socket is
 *	DATADIR/postgres.log     what PostgreSQL and its programs print
 *
 * Started by root, PostgreSQL runs as the user of the options, else cairn, postgres or nobody.
 */
struct db_embedded;

struct db_embedded_options {
	const char *data_dir;
	const char *bindir;     /* PostgreSQL's programs; NULL: searched for */
	const char *search_dir; /* holds <version>/bin; NULL: /usr/lib/postgresql */
	const char *user;       /* for PostgreSQL when we are root; NULL: see above */
	bool network_allowed;   /* the data directory may be on a network file system */
	int shared_buffers_mb;  /* 0: 128 */
	int max_connections;    /* 0: 100 */
	const char *const
		*settings;       /* "name=value" of postgresql.conf, up to a NULL; may be NULL */
	bool (*cancelled)(void); /* asked while waiting for PostgreSQL to start; may be NULL */
};

/*
 * Makes the cluster if there is none and starts it; returns when it answers. From then on a thread
 * watches it and starts it again when it dies. ERR_CONFLICT when another server has the directory,
 * ERR_PRECONDITION when something on this machine is missing or wrong.
 */
err_t db_embedded_start(struct arena *a, const struct db_embedded_options *options,
			struct db_embedded **ret_embedded)
	__attribute__((warn_unused_result, nonnull));
/* Stops PostgreSQL and releases the directory. NULL is allowed. */
void db_embedded_stop(struct db_embedded *e);
/* The URL stays the same when PostgreSQL is started again. */
const char *db_embedded_url(const struct db_embedded *e) __attribute__((nonnull));

/*
 * For a command that runs while the server does: the URL of the directory's PostgreSQL if it runs
 * now, else *ret_url = NULL, and the command may start its own.
 */
err_t db_embedded_attach(struct arena *a, const char *data_dir, const char **ret_url)
	__attribute__((warn_unused_result, nonnull));

/*
 * Moves the cluster to the newest PostgreSQL of this machine: a new cluster is filled from the old
 * one, every table's rows are counted on both sides, the two change places, and the old one stays as
 * DATADIR/pg.old-<version>. The server must be stopped. Logs its steps.
 */
err_t db_embedded_upgrade(struct arena *a, const struct db_embedded_options *options)
	__attribute__((warn_unused_result, nonnull));
/* The same if there is a cluster and this machine has a newer PostgreSQL; else nothing. */
err_t db_embedded_upgrade_if_older(struct arena *a, const struct db_embedded_options *options)
	__attribute__((warn_unused_result, nonnull));

#endif
