#ifndef DB_DUMP_H
#define DB_DUMP_H

#include <sys/types.h>

#include "db.h"
#include "db_ours.h"

/*
 * Dumps and restores Cairn's tables with PostgreSQL's own pg_dump and
 * pg_restore, as a stream of bytes in its custom form. They connect as the
 * given connection does; a password goes through the environment.
 */

/* ---- tables ----------------------------------------------------------------------------------- */

struct db_table {
	struct str name; /* "public.chunk" */
	int64_t rows;
};
/* Called before each table: this may take its time. */
struct db_tables_progress {
	void (*tell)(void *p, struct str name, size_t done, size_t count);
	void *p;
};
/*
 * Cairn's tables with their rows counted, by name; those of the whole
 * database if `ours` is NULL. `progress` may be NULL. On a connection with
 * unnamed statements, for those that count do not live for ever.
 */
err_t db_tables(struct db *db, const struct db_ours *ours,
		const struct db_tables_progress *progress, struct db_table **ret_tables,
		size_t *ret_count) __attribute__((warn_unused_result));
/* ERR_INTERNAL names the first table that differs. */
err_t db_tables_compare(struct arena *a, const struct db_table *told, size_t told_count,
			const struct db_table *found, size_t found_count)
	__attribute__((warn_unused_result));
/* Keeps the tables of one schema ("public", as SQL writes it), in place and in order; returns how many. */
size_t db_tables_of(struct db_table *tables, size_t count, struct str quoted);
/* Statistics for the planner, after rows came in; of all tables if `count` is 0. */
err_t db_analyze(struct db *db, const struct db_table *tables, size_t count)
	__attribute__((warn_unused_result));

/* The size of Cairn's tables without indexes, which is more than a compressed dump, and of the whole database. */
struct db_size {
	int64_t bytes;
	int64_t all_bytes;
};
err_t db_size(struct db *db, struct db_size *ret_size) __attribute__((warn_unused_result));

/* Other connections of cairnd to the database. */
struct db_others {
	int64_t count;
	int64_t pid; /* of one of them: its server process, its name, its host */
	struct str name;
	struct str host;
};
err_t db_others(struct db *db, struct db_others *ret_others) __attribute__((warn_unused_result));

/* ---- programs that stream --------------------------------------------------------------------- */

struct db_dump {
	const char *program;
	pid_t pid;
	int fd; /* pg_dump's output, or pg_restore's input */
};

/*
 * ERR_PRECONDITION when pg_dump, pg_restore or psql of the server's
 * version is missing. `bindir`: see below.
 */
err_t db_dump_check(struct db *db, const char *bindir) __attribute__((warn_unused_result));

/* The snapshot of a db_begin_snapshot() transaction, for pg_dump to use too. */
struct db_moment {
	struct str snapshot;
	int64_t bytes; /* of the database, indexes too */
};
err_t db_dump_hold(struct db *db, struct db_moment *ret_moment) __attribute__((warn_unused_result));
/* `bindir`: where PostgreSQL's programs are; NULL: searched. The moment's transaction must go on. */
err_t db_dump_start(struct db *db, const char *bindir, struct str snapshot,
		    const struct db_ours *ours, struct db_dump *ret_dump)
	__attribute__((warn_unused_result));
/* Restores the schema of a dump, which is made if it does not exist, in one transaction: all or nothing. */
err_t db_restore_start(struct db *db, const char *bindir, struct str schema,
		       struct db_dump *ret_dump) __attribute__((warn_unused_result));
/* Closes the stream; returns whether the program has ended, waiting at most that long. */
bool db_dump_wait(struct db_dump *dump, int ms);
/* Closes the stream and waits for the program; anything but success is an error. */
err_t db_dump_end(struct arena *a, struct db_dump *dump) __attribute__((warn_unused_result));
/* Ends the program whatever it does. */
void db_dump_kill(struct db_dump *dump);

/* ---- another content for the same database ------------------------------------------------------ */

/*
 * The schema that our tables are in is emptied and filled from a dump, all of it in one transaction: pg_restore makes a
 * script of what goes into `restore.fd`, and psql, which has begun the transaction, runs it. The end of the script does
 * not commit, only db_replace_commit() does. So if any process dies before, nothing has changed. Tables and views of others
 * are left as they are, but for db_ours_dependents().
 */
struct db_replace {
	struct db_dump restore;
	struct db_dump psql; /* fd: its input, besides what pg_restore writes there */
};
err_t db_replace_start(struct db *db, const char *bindir, const struct db_ours *ours,
		       struct db_replace *ret_replace) __attribute__((warn_unused_result));
err_t db_replace_commit(struct arena *a, struct db_replace *replace)
	__attribute__((warn_unused_result));
/* After a commit nothing happens. */
void db_replace_kill(struct db_replace *replace);

#endif
