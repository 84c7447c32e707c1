#ifndef SERVER_STORE_H
#define SERVER_STORE_H

#include "db.h"
#include "db_row.h"

/* The database's clock: the only one that decides about runs and writers. */
err_t server_store_now(struct db *db, timestamp_us *ret_now) __attribute__((warn_unused_result));

/* The same clock, unshifted (tests shift it); for use before there are tables. */
err_t server_store_time(struct db *db, timestamp_us *ret_now) __attribute__((warn_unused_result));

/* Begins a transaction and reads the clock, in one round trip. */
err_t server_store_begin_now(struct db *db, int timeout_ms, timestamp_us *ret_now)
	__attribute__((warn_unused_result));
/* The same, and no statement waits longer for a lock. */
err_t server_store_begin_waiting(struct db *db, int timeout_ms, int lock_timeout_ms,
				 timestamp_us *ret_now) __attribute__((warn_unused_result));

/* The value that is stored under the name; `value` is stored if there is none yet. */
err_t server_store_settle(struct db *db, const char *name, struct str value, struct str *ret_value)
	__attribute__((warn_unused_result));

/* The size of the database on its disks. */
err_t server_store_bytes(struct db *db, int64_t *ret_bytes) __attribute__((warn_unused_result));

/* The identity of a database; one that was restored from a backup of another is a different one. */
struct server_database {
	int64_t cluster; /* its identifier; 0: the role may not ask for it */
	struct str name;
};
err_t server_store_database(struct db *db, struct server_database *ret_database)
	__attribute__((warn_unused_result));

/* Counts what was stored since a moment. */
struct server_since {
	int64_t runs_made;
	int64_t runs_heard; /* older ones that were written to, too */
	int64_t users_made;
};
err_t server_store_since(struct db *db, timestamp_us since, struct server_since *ret_since)
	__attribute__((warn_unused_result));

/* The state of the database for cairnd doctor. */
struct server_health {
	struct str encoding;
	bool fsync;
	bool full_page_writes;
	struct str synchronous_commit;
	int64_t connection_limit;  /* of the role, the database and the cluster */
	int64_t other_connections; /* of programs that are not cairnd */
	int64_t servers;           /* that listen for each other */
	struct str slot; /* the replication slot that keeps most of the log; empty: there is none */
	int64_t slot_bytes;
};
err_t server_store_health(struct db *db, struct server_health *ret_health)
	__attribute__((warn_unused_result));

/* Servers of the database that listen for each other, by version and host. */
struct server_version {
	struct str version;
	struct str host;
	int64_t servers;
};
err_t server_store_versions(struct db *db, struct server_version **ret_versions, size_t *ret_count)
	__attribute__((warn_unused_result));

/* A WAL position of a primary, which its replicas replay. */
struct server_lsn {
	int64_t cluster; /* the cluster that the WAL is of */
	bool is_replica;
	int64_t lsn;
};
/* A position after all that was committed before. */
err_t server_store_lsn(struct db *db, struct server_lsn *ret_lsn)
	__attribute__((warn_unused_result));
/* The position that the replica has reached. */
err_t server_store_replayed(struct db *db, struct server_lsn *ret_lsn)
	__attribute__((warn_unused_result));

/* The setting's value; empty when there is none. */
err_t server_store_setting(struct db *db, const char *name, struct str *ret_value)
	__attribute__((warn_unused_result));

/* The same; another transaction that reads it so waits until this one ends. */
err_t server_store_lock_setting(struct db *db, const char *name, struct str *ret_value)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check server_store_checks[];
extern const size_t server_store_check_count;

#endif
