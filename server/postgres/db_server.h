#ifndef DB_SERVER_H
#define DB_SERVER_H

#include "db_cluster.h"

/* One PostgreSQL server process of ours; inside this folder only. */
struct db_server {
	const struct db_cluster *cluster;
	const char *const *argv;
	pid_t pid;      /* 0: does not run */
	int status;     /* how it ended */
	off_t log_from; /* where its part of the log begins */
};

/* Finds out what this build of PostgreSQL and this disk can do, and settles the command line. */
err_t db_server_prepare(struct arena *a, const struct db_cluster *c,
			const struct db_embedded_options *options,
			const struct db_programs *programs, struct db_server *ret_server);

/* It ends when the calling thread ends. */
err_t db_server_spawn(struct arena *a, struct db_server *s);

enum db_server_state { DB_SERVER_STARTING, DB_SERVER_READY, DB_SERVER_ENDED };
enum db_server_state db_server_look(struct db_server *s);
/* Without checking whether it answers. */
bool db_server_has_ended(struct db_server *s);

/* Spawns it and waits until it answers. */
err_t db_server_start(struct arena *a, struct db_server *s);
void db_server_stop(struct db_server *s);

/* The last lines that it printed, which show why it ended. */
const char *db_server_last_words(struct arena *a, const struct db_server *s);

#endif
