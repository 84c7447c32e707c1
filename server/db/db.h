#ifndef DB_H
#define DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "err.h"
#include "str.h"

/*
 * The database as verbs. This folder is the only user of libpq.
 *
 * A struct db is one connection with the arena of its current user: results, rows and errors live
 * in that arena. It is used by one thread at a time. A broken connection is opened again by the
 * next call outside a transaction; a call on a broken connection answers ERR_BUSY, so clients try
 * again.
 */
struct db;
struct db_row_table;
struct db_canceller;

/*
 * One statement of a .sql file, made by the build: extern const struct db_stmt STMT_run_find; A
 * connection knows it by its address, so it lives as long as the program, and it is called with the
 * same types of parameters every time.
 */
struct db_stmt {
	const char *name;
	const char *sql;
};

/*
 * Statements that run often and must not be slow the first time: see db_prepare_ahead(). A list
 * ends with NULL. With `by_key` they are those of db_pipe_begin_tx_by_key(), and planned as there.
 */
struct db_ahead {
	const struct db_stmt *const *statements;
	bool by_key;
};

struct db_options {
	const char *url;         /* libpq connection string or URI */
	bool unnamed_statements; /* for poolers that know no prepared statements (PgBouncer < 1.21) */
	int connect_timeout_s;
	const char *application_name;
	struct db_canceller *canceller; /* see db_set_deadline(); may be NULL */
	bool notes_written;             /* see db_written() */
	struct db_ahead ahead;          /* may be empty */
	bool (*stopped)(void); /* called some times a second while waiting; true: give up */
};

/* Connects; the options' strings must live as long as the connection. */
err_t db_open(struct arena *a, const struct db_options *options, struct db **ret_db);
void db_close(struct db *db);

/*
 * A second connection, to a read-only database; the two share arena, deadline and end. It is opened
 * on first use. db_reader() is NULL if there is none.
 */
void db_add_reader(struct db *db, const struct db_options *options);
struct db *db_reader(const struct db *db);

/*
 * Whether the connection works, and has since then: one opened later may lead to a server that is
 * behind the known state. Opens it if need be.
 */
bool db_works_since(struct db *db, int64_t mono_us);

/*
 * Prepares and plans the options' statements where the connection has not done so since it was
 * opened, and those of the connection to read from. Call it when no request waits: it takes some 30
 * ms once, and nothing after that. A statement that cannot be prepared now is prepared on its first
 * use.
 */
void db_prepare_ahead(struct db *db);

/* The arena of the request that uses the connection from now on. */
void db_set_arena(struct db *db, struct arena *a);
struct arena *db_arena(const struct db *db);

/*
 * No call waits longer than until then (monotonic time; 0: no limit), be it for a connection or for
 * an answer. In a transaction the server's own time limit comes first and keeps the connection; a
 * statement outside one is abandoned: the caller gets ERR_TIMEOUT at once, the connection is
 * closed, and the canceller asks the server to end the statement.
 */
void db_set_deadline(struct db *db, int64_t mono_us);

/* A thread that cancels abandoned statements: the request to cancel may itself have to wait. */
struct db_canceller *db_canceller_start(void);
void db_canceller_stop(struct db_canceller *canceller);

/* True while the connection works, as far as the last call showed. */
bool db_is_up(const struct db *db);
/* The server_version_num, such as 150020. */
int db_server_version(const struct db *db);
/* For waiting for unsolicited messages of the server, such as its good-bye. */
int db_socket(const struct db *db);

/* ---- parameters ------------------------------------------------------------------------------ */

enum db_type {
	DB_BOOL,
	DB_INT2,
	DB_INT4,
	DB_INT8,
	DB_FLOAT8,
	DB_TEXT,
	DB_BYTEA,
	DB_JSONB,
	DB_TIMESTAMP,
	DB_INT2_ARRAY,
	DB_INT4_ARRAY,
	DB_INT8_ARRAY,
	DB_FLOAT8_ARRAY,
	DB_TEXT_ARRAY,
	DB_BYTEA_ARRAY,
	DB_JSONB_ARRAY,
	DB_TIMESTAMP_ARRAY,
	DB_BOOL_ARRAY,
};

/* A parameter; the memory it points to must live until the call returns. */
struct db_param {
	enum db_type type;
	bool null;
	int64_t number; /* bool, int2, int4, int8, timestamp (us since 1970) */
	double real;
	struct str bytes;  /* text, bytea, jsonb (its JSON text) */
	const void *array; /* of int16_t, int32_t, int64_t (also for timestamps), double, bool,
			       * struct str (.at == NULL: that element is NULL) */
	size_t count;
};

#define P_BOOL(v) \
	{ \
		.type = DB_BOOL, .number = (v) \
	}
#define P_INT2(v) \
	{ \
		.type = DB_INT2, .number = (v) \
	}
#define P_INT4(v) \
	{ \
		.type = DB_INT4, .number = (v) \
	}
#define P_INT8(v) \
	{ \
		.type = DB_INT8, .number = (v) \
	}
#define P_FLOAT8(v) \
	{ \
		.type = DB_FLOAT8, .real = (v) \
	}
#define P_STR(v) \
	{ \
		.type = DB_TEXT, .bytes = (v) \
	}
#define P_TEXT(v) \
	{ \
		.type = DB_TEXT, .bytes = str_of(v), .null = !(v) \
	}
#define P_BYTEA(v) \
	{ \
		.type = DB_BYTEA, .bytes = (v) \
	}
#define P_JSONB(v) \
	{ \
		.type = DB_JSONB, .bytes = (v) \
	}
#define P_TIME(v) \
	{ \
		.type = DB_TIMESTAMP, .number = (v).us \
	}
#define P_NULL(t) \
	{ \
		.type = (t), .null = true \
	}
#define P_STR_OR_NULL(v) \
	{ \
		.type = DB_TEXT, .bytes = (v), .null = !(v).len \
	}
#define P_ARRAY(t, p, n) \
	{ \
		.type = (t), .array = (p), .count = (n) \
	}

struct db_args {
	const struct db_param *param;
	size_t count;
};

/* DB_ARGS(P_INT8(run_id), P_STR(name)) */
#define DB_ARGS(...) \
	((struct db_args){ (const struct db_param[]){ __VA_ARGS__ }, \
			   sizeof((const struct db_param[]){ __VA_ARGS__ }) / \
				   sizeof(struct db_param) })
#define DB_NO_ARGS ((struct db_args){ NULL, 0 })

/* ---- statements ------------------------------------------------------------------------------ */

/* Runs a statement that returns no rows; *ret_affected (may be NULL) is the number it changed. */
err_t db_exec(struct db *db, const struct db_stmt *stmt, struct db_args args, int64_t *ret_affected)
	__attribute__((warn_unused_result, nonnull(1, 2)));

/* All rows as an array of structs in the arena; see db_row.h. */
err_t db_all(struct db *db, const struct db_stmt *stmt, struct db_args args,
	     const struct db_row_table *table, void **ret_rows, size_t *ret_count)
	__attribute__((warn_unused_result, nonnull));

/* The first row, or *ret_row = NULL when there is none. */
err_t db_first(struct db *db, const struct db_stmt *stmt, struct db_args args,
	       const struct db_row_table *table, void **ret_row)
	__attribute__((warn_unused_result, nonnull));

/*
 * The same, in one round trip as well, for a statement whose best plan is the same for all
 * parameters, and takes longer to make than to follow.
 */
err_t db_all_planned_once(struct db *db, const struct db_stmt *stmt, struct db_args args,
			  const struct db_row_table *table, void **ret_rows, size_t *ret_count)
	__attribute__((warn_unused_result, nonnull));

/*
 * The same for a statement that looks rows up by their keys or reads them in the order of an index, and must do so although
 * nothing is known of the table yet: it was filled just now. Statements that follow in the transaction are planned so, too.
 */
err_t db_all_by_key(struct db *db, const struct db_stmt *stmt, struct db_args args,
		    const struct db_row_table *table, void **ret_rows, size_t *ret_count)
	__attribute__((warn_unused_result, nonnull));

/* The table of a statement that returns one row with one number, in a column of that name. */
extern const struct db_row_table db_number_table;
err_t db_number(struct db *db, const struct db_stmt *stmt, struct db_args args, int64_t *ret_number)
	__attribute__((warn_unused_result, nonnull));

/* ---- transactions ---------------------------------------------------------------------------- */

/*
 * Begins a read-committed transaction. `timeout_ms` becomes its statement_timeout and
 * idle_in_transaction_session_timeout guard, `lock_timeout_ms` its lock_timeout (0: none), both SET
 * LOCAL in the same round trip.
 */
err_t db_begin(struct db *db, int timeout_ms, int lock_timeout_ms)
	__attribute__((warn_unused_result, nonnull));
/*
 * Begins a transaction that only reads, without time limits, whatever those of the role, but for
 * that of locks (0: none), and whose statements all see one moment: that of the first of them that
 * reads. Tables that must not be truncated while it runs are locked before it, for a truncated
 * table is empty in every snapshot. db_rollback() ends it.
 */
err_t db_begin_snapshot(struct db *db, int lock_timeout_ms)
	__attribute__((warn_unused_result, nonnull));
/* The same for a request of several statements, with its deadline. */
err_t db_begin_reading(struct db *db) __attribute__((warn_unused_result, nonnull));
err_t db_commit(struct db *db) __attribute__((warn_unused_result, nonnull));
/* Never fails: a connection that cannot roll back is closed. No transaction: nothing. */
void db_rollback(struct db *db) __attribute__((nonnull));
bool db_in_transaction(const struct db *db);

/*
 * With the option notes_written: a WAL position (an LSN as a number) after the last transaction
 * that this connection committed; 0: not known.
 */
int64_t db_written(const struct db *db);

/* ---- pipeline: several statements in one round trip ------------------------------------------- */

/*
 * db_pipe_add() sends without waiting; db_pipe_run() ends the pipeline and waits for all answers.
 * After it, db_pipe_all() reads the rows of the i-th statement added (from 0). The first failure
 * fails the run, and the transaction is rolled back by the caller. Inside a pipeline statements run
 * in order, each with its own snapshot. db_pipe_begin_tx()/db_pipe_commit_tx() add what db_begin()
 * and db_commit() do, so that a transaction is two round trips or one.
 */
void db_pipe_start(struct db *db);
void db_pipe_begin_tx(struct db *db, int timeout_ms, int lock_timeout_ms);
/*
 * The same for a transaction whose statements find their rows by key, and that comes hundreds of
 * times a second: they are planned once for a connection, as index lookups.
 */
void db_pipe_begin_tx_by_key(struct db *db, int timeout_ms, int lock_timeout_ms);
void db_pipe_commit_tx(struct db *db);
/* Returns the number of the statement in the pipeline. */
unsigned db_pipe_add(struct db *db, const struct db_stmt *stmt, struct db_args args);
err_t db_pipe_run(struct db *db) __attribute__((warn_unused_result, nonnull));
err_t db_pipe_all(struct db *db, unsigned number, const struct db_row_table *table, void **ret_rows,
		  size_t *ret_count) __attribute__((warn_unused_result, nonnull));

/* ---- failures ---------------------------------------------------------------------------------- */

/* SQLSTATE tests on an error of this layer. */
bool db_err_is(err_t e, const char *sqlstate);
#define DB_UNIQUE_VIOLATION "23505"
#define DB_LOCK_NOT_AVAILABLE "55P03"
#define DB_IDLE_TOO_LONG "25P03" /* between two statements of a transaction */
#define DB_QUERY_CANCELED "57014"
#define DB_DEADLOCK "40P01"
#define DB_SERIALIZATION "40001"
#define DB_NO_PRIVILEGE "42501"
#define DB_DISK_FULL "53100"

#endif
