#ifndef DB_CONN_H
#define DB_CONN_H

#include <libpq-fe.h>

#include "buf.h"
#include "db.h"
#include "db_row.h"

/*
 * A connection as the files of this folder see it; no other code includes this header.
 *
 * Life of a connection: db_ready() finds it working or opens it; anything that shows it broken calls
 * db_lost(), which closes it at once, so `pg` is NULL or works as far as we know.
 */
struct db_prepared {
	const struct db_stmt *stmt;
	uint64_t types; /* hash of the parameter types it was prepared with */
	bool ready;
	bool is_ahead; /* the types are PostgreSQL's choice */
};

struct db {
	struct db_options options;
	struct arena *arena;   /* of the request that uses the connection */
	struct arena *session; /* lives as long as the connection */
	PGconn *pg;            /* NULL: not connected */
	bool stale;            /* to be reopened before its next use outside a transaction */
	bool is_plain;         /* a pooler that takes no options */
	bool held; /* session locks must not outlive the connection: it is not reopened */
	bool in_transaction;
	int wait_limit_ms;   /* for one answer of the server; 0: none */
	int64_t deadline_us; /* of the request that uses the connection; 0: none */
	int64_t opened_us;   /* monotonic clock */
	int64_t retry_at_us; /* no attempt to connect before; monotonic clock */
	int64_t retry_pause_us;

	struct db *reader; /* the connection to read from; NULL: none */
	int64_t written;   /* see db_written() */

	struct db_prepared **prepared; /* hash table by address, in the session's arena */
	size_t prepared_size;          /* a power of two */
	size_t prepared_count;
	bool is_ahead; /* db_prepare_ahead() was called */

	struct buf wire;      /* parameters in the server's binary form, while sending */
	bool piping;          /* between db_pipe_start() and db_pipe_run() */
	struct db_pipe *pipe; /* the current one, or the last, in the request's arena */
};

/* ---- db.c: the connection ---- */

/* Connects if need be. In a transaction a lost connection is an error: its work is gone. */
err_t db_ready(struct db *db) __attribute__((warn_unused_result));
/* Closes the connection; the error says why. */
struct err *db_lost(struct db *db, const char *what);
/* Waits for the next result. NULL with *ret_error NULL: no more results of this command. */
PGresult *db_next_result(struct db *db, err_t *ret_error);
/* Cleared with the arena, and counted there. */
void db_keep_result(struct db *db, PGresult *r);
/* Reads all results of one command; a failure among them is the error. The last good one is
 * returned and belongs to the arena. */
err_t db_take_result(struct db *db, const char *what, PGresult **ret_result)
	__attribute__((warn_unused_result));
/* For poll(); rounded up. */
int db_left_ms(int64_t until_us);
/* One or several statements without parameters or rows, one round trip. */
err_t db_simple(struct db *db, const char *what, const char *sql)
	__attribute__((warn_unused_result));

/* Not connected yet. */
struct db *db_new(struct arena *a, const struct db_options *options);

/* ---- db_reader.c: what was written, and who reads it elsewhere ---- */

/* After a commit, in the same round trip, or in one of its own. */
unsigned db_pipe_add_written(struct db *db);
void db_pipe_take_written(struct db *db, unsigned number);
void db_ask_written(struct db *db);

/* ---- db_cancel.c: statements given up ---- */

/* Takes the connection: asks the server to end its statement, and closes it, in the background. */
void db_cancel(struct db_canceller *canceller, PGconn *pg);

/* ---- db_err.c: failures ---- */

/* NULL if the result is not an error. Marks the connection stale if the failure requires it. */
err_t db_result_error(struct db *db, const PGresult *r, const char *what);

/* ---- db_param.c: parameters ---- */

struct db_wire {
	int count;
	Oid *type;
	const char **value;
	int *length;
	int *format;
};

/* Valid until the next call; the memory it points to is the caller's and db->wire's. */
err_t db_param_encode(struct db *db, struct db_args args, struct db_wire *ret_wire)
	__attribute__((warn_unused_result));
uint64_t db_param_types(const Oid *types, int count);

/* ---- db_stmt.c: statements ---- */

enum db_prepare { DB_PREPARE_NOW, DB_PREPARE_IN_PIPELINE };

/*
 * Sends the statement. With DB_PREPARE_IN_PIPELINE the preparation, if one is needed, is sent
 * before it and its entry is *ret_sent, to be settled by the reader of the answers; else NULL.
 */
err_t db_stmt_send(struct db *db, const struct db_stmt *stmt, struct db_args args,
		   enum db_prepare how, struct db_prepared **ret_sent)
	__attribute__((warn_unused_result));

bool db_stmt_is_prepared(struct db *db, const struct db_stmt *stmt);
/* Notes that it is prepared, with the types of its parameters in `described`. */
void db_stmt_note_prepared(struct db *db, const struct db_stmt *stmt, const PGresult *described);

/* ---- db_row.c: rows ---- */

/* PQntuples(r) structs in the arena; `what` names the statement in errors. */
err_t db_read_rows(struct db *db, const PGresult *r, const char *what,
		   const struct db_row_table *table, void **ret_rows)
	__attribute__((warn_unused_result));

#endif
