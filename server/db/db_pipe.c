/*
 * A pipeline: statements are sent one after the other, their answers read at the end. One message
 * may belong to the library (a preparation, BEGIN), so the list of what was sent is kept, and the
 * caller's statements have a number of their own.
 *
 * After the first failure the server skips the rest up to the end of the pipeline; preparations it
 * skipped are forgotten again. After a successful run the rows wait in the arena.
 */
#include "db_pipe.h"

#include <assert.h>
#include <string.h>

#include "db_conn.h"
#include "db_sql.h"

enum sent_kind { SENT_PREPARE, SENT_QUERY, SENT_COMMIT };

struct sent {
	enum sent_kind kind;
	const struct db_stmt *stmt;
	struct db_prepared *prepared; /* of SENT_PREPARE */
	PGresult *result;
};

struct db_pipe {
	struct sent *sent;
	size_t count;
	size_t size;
	size_t *query; /* the caller's i-th statement is sent[query[i]] */
	unsigned queries;
	unsigned query_size;
	bool commits;
	unsigned written; /* the statement that returns the WAL position */
	err_t failure;    /* the first; nothing is sent after it */
};

static size_t add_sent(struct db *db, struct sent s)
{
	struct db_pipe *p = db->pipe;

	if (p->count == p->size) {
		struct sent *old = p->sent;

		p->size = p->size * 2 + 16;
		p->sent = arena_new_array(db->arena, struct sent, p->size);
		if (old)
			memcpy(p->sent, old, p->count * sizeof(*old));
	}
	p->sent[p->count] = s;
	return p->count++;
}

static unsigned add_query(struct db *db, size_t at)
{
	struct db_pipe *p = db->pipe;

	if (p->queries == p->query_size) {
		size_t *old = p->query;

		p->query_size = p->query_size * 2 + 16;
		p->query = arena_new_array(db->arena, size_t, p->query_size);
		if (old)
			memcpy(p->query, old, p->queries * sizeof(*old));
	}
	p->query[p->queries] = at;
	return p->queries++;
}

/* Returns its index in the list of what was sent. */
static size_t send_statement(struct db *db, const struct db_stmt *stmt, struct db_args args,
			     enum sent_kind kind)
{
	struct db_pipe *p = db->pipe;
	struct db_prepared *prepared = NULL;

	if (p->failure)
		return 0;
	p->failure = db_stmt_send(db, stmt, args, DB_PREPARE_IN_PIPELINE, &prepared);
	if (prepared && db->pg)
		add_sent(db, (struct sent){ SENT_PREPARE, stmt, prepared, NULL });
	return p->failure ? 0 : add_sent(db, (struct sent){ kind, stmt, NULL, NULL });
}

void db_pipe_start(struct db *db)
{
	struct db_pipe *p = arena_new_of(db->arena, struct db_pipe);

	assert(!db->piping);
	p->failure = db_ready(db);
	db->pipe = p;
	db->piping = true;
	if (!p->failure && !PQenterPipelineMode(db->pg))
		p->failure = db_lost(db, "pipeline");
}

static void begin_tx(struct db *db, const struct db_stmt *limits, int timeout_ms,
		     int lock_timeout_ms)
{
	struct arena *a = db->arena;

	assert(db->piping && !db->in_transaction);
	db->in_transaction = true;
	db->wait_limit_ms = timeout_ms;
	send_statement(db, &STMT_db_begin, DB_NO_ARGS, SENT_QUERY);
	send_statement(db, limits,
		       DB_ARGS(P_TEXT(arena_printf(a, "%d", timeout_ms)),
			       P_TEXT(arena_printf(a, "%d", lock_timeout_ms)),
			       P_TEXT(arena_printf(a, "%d", db_idle_limit_ms(timeout_ms)))),
		       SENT_QUERY);
}

void db_pipe_begin_tx(struct db *db, int timeout_ms, int lock_timeout_ms)
{
	begin_tx(db, &STMT_db_limits, timeout_ms, lock_timeout_ms);
}

void db_pipe_begin_tx_by_key(struct db *db, int timeout_ms, int lock_timeout_ms)
{
	begin_tx(db, &STMT_db_limits_by_key, timeout_ms, lock_timeout_ms);
}

void db_pipe_commit_tx(struct db *db)
{
	assert(db->piping && db->in_transaction);
	send_statement(db, &STMT_db_commit, DB_NO_ARGS, SENT_COMMIT);
	db->pipe->commits = true;
	db->pipe->written = db_pipe_add_written(db);
}

unsigned db_pipe_add(struct db *db, const struct db_stmt *stmt, struct db_args args)
{
	assert(db->piping);
	return add_query(db, send_statement(db, stmt, args, SENT_QUERY));
}

/* ---- answers --------------------------------------------------------------------------------- */

static err_t answer_error(struct db *db, struct sent *s)
{
	err_t e;

	if (PQresultStatus(s->result) == PGRES_PIPELINE_ABORTED)
		return NULL; /* the failed statement before it reported why */
	e = db_result_error(db, s->result, s->stmt->name);
	if (!e && s->kind == SENT_COMMIT)
		e = db_commit_error(db, PQcmdStatus(s->result));
	return e;
}

/* Reads all results of one thing sent; keeps the first. */
static err_t read_answer(struct db *db, struct sent *s)
{
	err_t e;

	for (;;) {
		PGresult *r = db_next_result(db, &e);

		if (e || !r)
			return e;
		db_keep_result(db, r);
		if (s->result)
			continue;
		s->result = r;
		e = answer_error(db, s);
		if (s->prepared && PQresultStatus(r) != PGRES_COMMAND_OK && db->pg)
			s->prepared->ready = false;
		if (e && !db->pg)
			return e;
		if (e && !db->pipe->failure)
			db->pipe->failure = e;
	}
}

static err_t read_sync(struct db *db)
{
	err_t e;
	PGresult *r = db_next_result(db, &e);
	ExecStatusType status = PQresultStatus(r);

	PQclear(r);
	if (e)
		return e;
	if (status != PGRES_PIPELINE_SYNC || !PQexitPipelineMode(db->pg))
		return db_lost(db, "end of the pipeline");
	return NULL;
}

static err_t read_answers(struct db *db)
{
	struct db_pipe *p = db->pipe;
	err_t e;

	if (!PQpipelineSync(db->pg))
		return db_lost(db, "pipeline");
	for (size_t i = 0; i < p->count; i++) {
		e = read_answer(db, &p->sent[i]);
		if (e)
			return e;
	}
	return read_sync(db);
}

err_t db_pipe_run(struct db *db)
{
	struct db_pipe *p = db->pipe;
	err_t e;

	assert(db->piping);
	if (db->pg) {
		e = read_answers(db);
		if (!p->failure)
			p->failure = e;
	}
	db->piping = false;
	if (p->commits && !p->failure) {
		db->in_transaction = false;
		db->wait_limit_ms = 0;
		db_pipe_take_written(db, p->written);
	}
	return p->failure;
}

err_t db_pipe_all(struct db *db, unsigned number, const struct db_row_table *table, void **ret_rows,
		  size_t *ret_count)
{
	struct db_pipe *p = db->pipe;
	const struct sent *s;
	err_t e;

	assert(p && !db->piping && !p->failure && number < p->queries);
	s = &p->sent[p->query[number]];
	e = db_read_rows(db, s->result, s->stmt->name, table, ret_rows);
	if (e)
		return e;
	*ret_count = (size_t)PQntuples(s->result);
	return NULL;
}

void db_pipe_abandon(struct db *db)
{
	if (db->pg)
		db_lost(db, "abandoned pipeline");
	db->piping = false;
}

static err_t all_with(struct db *db, const struct db_stmt *setting, const struct db_stmt *stmt,
		      struct db_args args, const struct db_row_table *table, void **ret_rows,
		      size_t *ret_count)
{
	unsigned number;
	err_t e;

	db_pipe_start(db);
	db_pipe_add(db, setting, DB_NO_ARGS);
	number = db_pipe_add(db, stmt, args);
	e = db_pipe_run(db);
	return e ? e : db_pipe_all(db, number, table, ret_rows, ret_count);
}

err_t db_all_planned_once(struct db *db, const struct db_stmt *stmt, struct db_args args,
			  const struct db_row_table *table, void **ret_rows, size_t *ret_count)
{
	return all_with(db, &STMT_db_planned_once, stmt, args, table, ret_rows, ret_count);
}

err_t db_all_by_key(struct db *db, const struct db_stmt *stmt, struct db_args args,
		    const struct db_row_table *table, void **ret_rows, size_t *ret_count)
{
	return all_with(db, &STMT_db_by_key, stmt, args, table, ret_rows, ret_count);
}
