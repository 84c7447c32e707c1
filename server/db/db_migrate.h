#ifndef DB_MIGRATE_H
#define DB_MIGRATE_H

#include "db.h"

/*
 * The schema as steps: numbered migrations, each applied once and in order, and views, recreated
 * whenever one of them changed or a migration ran. The build embeds migrations/NNNN_name.sql and
 * migrations/views/name.sql as db_schema (see server/tools/embed_migrations.cmake).
 */
struct db_migration {
	int number;       /* from 1, without gaps */
	const char *name; /* "0001_base" */
	const char *sql;
	const char *checksum; /* of the file */
	const char *
		former; /* of the file before only its comments changed; NULL or "": they did not */
};

struct db_view {
	const char *name;
	const char *sql;
	const char *checksum;
};

struct db_schema {
	const struct db_migration *migration;
	size_t migrations;
	const struct db_view *view;
	size_t views;
};

extern const struct db_schema db_schema;

/*
 * Brings the database to the schema; any number of servers may do it at once, one works and the
 * others wait up to wait_s. Needs a direct connection: it holds an advisory lock of the session.
 * Refuses, with nothing changed, a database that is newer than the schema, or whose applied
 * migrations differ from it, a PostgreSQL before 15 and an encoding other than UTF-8. A migration
 * whose first line is "-- no transaction" must be able to run again after a failure.
 */
err_t db_migrate(struct db *db, const struct db_schema *schema, int wait_s, int *ret_applied)
	__attribute__((warn_unused_result, nonnull));

/*
 * The same, with callbacks. `waiting` is called when another server has the lock. `before` is
 * called under the lock before the first of several migrations, if the database has had one: its
 * error ends all, with nothing changed. `applied` is called after each.
 */
struct db_migrate_watch {
	void (*waiting)(void *p);
	err_t (*before)(void *p, const struct db_schema *schema, size_t first);
	void (*applied)(void *p, const struct db_migration *migration, int64_t ms);
	void *p;
};
err_t db_migrate_watched(struct db *db, const struct db_schema *schema, int wait_s,
			 const struct db_migrate_watch *watch, int *ret_applied)
	__attribute__((warn_unused_result, nonnull));

/*
 * The lock of db_migrate(), for other changes of the schema: no server can start on the database
 * under it. ERR_BUSY if another process has it for longer than wait_s. It ends with the connection,
 * which is not opened again.
 */
err_t db_migrate_lock(struct db *db, int wait_s) __attribute__((warn_unused_result, nonnull));
err_t db_migrate_unlock(struct db *db) __attribute__((warn_unused_result, nonnull));

/* The migrations of the database, also unknown ones, with number, name and checksum; no views. Empty when there are none. */
err_t db_schema_applied(struct db *db, struct db_schema *ret_applied)
	__attribute__((warn_unused_result, nonnull));

/*
 * Finds what db_migrate() would do, without a lock and without a change. Refuses what that refuses.
 */
struct db_migrate_plan {
	int version;  /* the database's schema; 0: none yet */
	size_t first; /* the schema's migrations from this one on would run */
	bool views;   /* views would be recreated */
};
err_t db_migrate_plan(struct db *db, const struct db_schema *schema,
		      struct db_migrate_plan *ret_plan)
	__attribute__((warn_unused_result, nonnull));

/* The number of the last migration applied, 0 when there is none. Also works through a pooler. */
err_t db_schema_version(struct db *db, int *ret_version)
	__attribute__((warn_unused_result, nonnull));

#endif
