#ifndef DB_CLUSTER_H
#define DB_CLUSTER_H

#include "db_programs.h"

/* Within the socket's folder. */
#define DB_CLUSTER_SOCKET_LOCK "/.s.PGSQL.5432.lock"

/* The data directory of db_embedded.h and one PostgreSQL in it; inside this folder only. */
struct db_cluster {
	struct arena *arena; /* of everything here */
	const char *data;    /* the data directory, absolute */
	const char *pg;      /* the cluster's folder */
	const char *socket;  /* the socket's folder */
	const char *url;
	struct db_user user;
	int lock; /* descriptors */
	int log;
};

/* Makes and locks the directory and finds a place for the socket; nothing runs yet. */
err_t db_cluster_open(struct arena *a, const struct db_embedded_options *options,
		      struct db_cluster *ret_cluster);
/* Releases the directory. */
void db_cluster_close(struct db_cluster *c);

/* The cluster's version, 0 when there is none yet. */
err_t db_cluster_major(const struct db_cluster *c, struct arena *a, int *ret_major);
/* Makes a new cluster at `folder`, all of it or nothing. */
err_t db_cluster_init(const struct db_cluster *c, struct arena *a,
		      const struct db_programs *programs, const char *folder);
/* Before a start: removes what a former PostgreSQL of this directory left. */
void db_cluster_clear_stale(const struct db_cluster *c);
/* Another cluster of the same directory, with a socket folder of its own. */
err_t db_cluster_beside(const struct db_cluster *c, const char *pg, const char *socket_name,
			struct db_cluster *ret_beside);

/* A hint for when the disk of the data directory is full. */
extern const char db_cluster_full[];

/* The URL of the PostgreSQL whose socket is in the folder. */
const char *db_cluster_url(struct arena *a, const char *folder);

/* The first line of a small file, NULL when there is none. */
const char *db_read_line(struct arena *a, const char *path);
err_t db_remove_tree(struct arena *a, const char *folder);
err_t db_sync_folder(struct arena *a, const char *folder);

#endif
