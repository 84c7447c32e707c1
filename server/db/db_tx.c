/*
 * Transactions. The limits go with the BEGIN in one message. A transaction whose server process
 * waits for us is ended by PostgreSQL after db_idle_limit_ms(), so the locks of a dead cairnd are gone
 * within half a minute, however it died.
 */
#include <assert.h>
#include <string.h>

#include "db_conn.h"
#include "db_pipe.h"

enum { IDLE_LEAST_MS = 8000, IDLE_MOST_MS = 30000 };

/* A transaction with a longer statement limit also gets longer to compute between statements. */
int db_idle_limit_ms(int timeout_ms)
{
	int half_ms = timeout_ms / 2;

	return half_ms < IDLE_LEAST_MS  ? IDLE_LEAST_MS
	       : half_ms > IDLE_MOST_MS ? IDLE_MOST_MS
					: half_ms;
}

err_t db_begin(struct db *db, int timeout_ms, int lock_timeout_ms)
{
	const char *sql;
	err_t e;

	assert(!db->in_transaction && !db->piping);
	e = db_ready(db);
	if (e)
		return e;
	sql = arena_printf(db->arena,
			   "begin isolation level read committed read write; "
			   "set local statement_timeout = %d; set local lock_timeout = %d; "
			   "set local idle_in_transaction_session_timeout = %d",
			   timeout_ms, lock_timeout_ms, db_idle_limit_ms(timeout_ms));
	db->wait_limit_ms = timeout_ms;
	db->in_transaction = true;
	e = db_simple(db, "begin", sql);
	if (e)
		db_rollback(db);
	return e;
}

enum { LIMITS_TRANSACTIONS = 170000 }; /* the version that has transaction_timeout */

static err_t begin_snapshot(struct db *db, int timeout_ms, int lock_ms, int idle_ms)
{
	const char *sql;
	err_t e;

	assert(!db->in_transaction && !db->piping);
	e = db_ready(db);
	if (e)
		return e;
	sql = arena_printf(db->arena,
			   "begin isolation level repeatable read read only; "
			   "set local statement_timeout = %d; set local lock_timeout = %d; "
			   "set local idle_in_transaction_session_timeout = %d%s",
			   timeout_ms, lock_ms, idle_ms,
			   db_server_version(db) >= LIMITS_TRANSACTIONS
				   ? "; set local transaction_timeout = 0"
				   : "");
	db->in_transaction = true;
	e = db_simple(db, "begin snapshot", sql);
	if (e)
		db_rollback(db);
	return e;
}

err_t db_begin_snapshot(struct db *db, int lock_timeout_ms)
{
	return begin_snapshot(db, 0, lock_timeout_ms, 0);
}

err_t db_begin_reading(struct db *db)
{
	int left_ms = db->deadline_us ? db_left_ms(db->deadline_us) : 0;

	return begin_snapshot(db, db->deadline_us && !left_ms ? 1 : left_ms, 0,
			      db_idle_limit_ms(left_ms));
}

/* A failed transaction answers COMMIT with ROLLBACK; that is not a success. */
err_t db_commit_error(struct db *db, const char *tag)
{
	if (strcmp(tag, "COMMIT") == 0)
		return NULL;
	return err_new(db->arena, ERR_INTERNAL, "commit of a failed transaction");
}

static err_t send_commit(struct db *db)
{
	PGresult *r = NULL;
	err_t e = db_ready(db);

	if (e)
		return e;
	if (!PQsendQuery(db->pg, "commit"))
		return db_lost(db, "commit");
	e = db_take_result(db, "commit", &r);
	return e ? e : db_commit_error(db, PQcmdStatus(r));
}

err_t db_commit(struct db *db)
{
	err_t e;

	assert(db->in_transaction && !db->piping);
	e = send_commit(db);
	db->in_transaction = false;
	db->wait_limit_ms = 0;
	if (!e)
		db_ask_written(db);
	return e;
}

void db_rollback(struct db *db)
{
	err_t e;

	if (db->piping)
		db_pipe_abandon(db);
	if (!db->in_transaction)
		return;
	if (db->pg && PQtransactionStatus(db->pg) != PQTRANS_IDLE) {
		e = db_simple(db, "rollback", "rollback");
		if (e && db->pg)
			db_lost(db, "rollback");
	}
	db->in_transaction = false;
	db->wait_limit_ms = 0;
}
