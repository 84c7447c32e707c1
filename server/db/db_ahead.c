/*
 * Statements that are prepared and planned before their first use: the
 * first query of a connection then finds the catalog data that PostgreSQL
 * needs for it in its caches, and takes no longer than the next.
 *
 * Parameters get the types that PostgreSQL finds in the statement's text. Plans are made by EXPLAIN, which
 * runs nothing, with nulls for parameters, and as generic ones, which the session keeps. Behind a pooler that
 * session is another's by then: nothing is gained, and nothing lost.
 */
#include "buf.h"
#include "db_conn.h"
#include "db_sql.h"

enum { TIME_US = 5 * 1000 * 1000 };

static bool send_preparation(struct db *db, const struct db_stmt *stmt)
{
	return PQsendPrepare(db->pg, stmt->name, stmt->sql, 0, NULL) &&
	       PQsendDescribePrepared(db->pg, stmt->name);
}

static bool send_preparations(struct db *db, const struct db_stmt *const *statements)
{
	for (; *statements; statements++) {
		if (!db_stmt_is_prepared(db, *statements) && !send_preparation(db, *statements))
			return false;
	}
	return PQpipelineSync(db->pg);
}

/* Returns the result of one command; NULL if it failed, or if a command before it failed. */
static PGresult *take_one(struct db *db)
{
	PGresult *good = NULL;
	PGresult *r;
	err_t e;

	while ((r = db_next_result(db, &e))) {
		if (!good && PQresultStatus(r) == PGRES_COMMAND_OK)
			good = r;
		else
			PQclear(r);
	}
	return good;
}

static void take_preparation(struct db *db, const struct db_stmt *stmt, struct buf *plans)
{
	PGresult *prepared = take_one(db);
	PGresult *described = db->pg ? take_one(db) : NULL;
	int count = PQnparams(described);

	if (prepared && described) {
		db_stmt_note_prepared(db, stmt, described);
		buf_printf(plans, "; explain execute %s", stmt->name);
		for (int i = 0; i < count; i++)
			buf_add_text(plans, i ? ", null" : " (null");
		if (count)
			buf_add_byte(plans, ')');
	}
	PQclear(prepared);
	PQclear(described);
}

/* False: the connection is lost, or not to be used. */
static bool prepare_all(struct db *db, const struct db_stmt *const *statements, struct buf *plans)
{
	err_t e;

	if (!PQenterPipelineMode(db->pg) || !send_preparations(db, statements))
		return false;
	for (; *statements && db->pg; statements++) {
		if (!db_stmt_is_prepared(db, *statements))
			take_preparation(db, *statements, plans);
	}
	if (db->pg)
		PQclear(db_next_result(db, &e)); /* the end of the pipeline */
	return db->pg && PQexitPipelineMode(db->pg);
}

/* Planned as, or nearly as, in later use: see db_limits_by_key. */
static const char *settings(const struct db_ahead *ahead)
{
	return ahead->by_key ? "; execute db_limits_by_key ('0', '0', '0')"
			     : "; set local plan_cache_mode = force_generic_plan";
}

static bool prepare_and_plan(struct db *db)
{
	static const struct db_stmt *const limits[] = { &STMT_db_limits_by_key, NULL };
	const struct db_ahead *ahead = &db->options.ahead;
	struct buf *none = buf_new(db->arena);
	struct buf *plans = buf_new(db->arena);
	err_t e;

	buf_printf(plans, "begin read only%s", settings(ahead));
	if ((ahead->by_key && !prepare_all(db, limits, none)) ||
	    !prepare_all(db, ahead->statements, plans))
		return false;
	e = db_simple(db, "plan statements", str_copy(db->arena, buf_str(plans)));
	(void)e; /* it is planned on its first use */
	return db->pg && !db_simple(db, "plan statements", "rollback");
}

void db_prepare_ahead(struct db *db)
{
	const int64_t deadline_us = db->deadline_us;

	if (db->reader)
		db_prepare_ahead(db->reader);
	if (db->is_ahead || !db->options.ahead.statements || db->options.unnamed_statements ||
	    !db->pg || db->in_transaction)
		return;
	db->is_ahead = true;
	db->deadline_us = clock_mono_us() + TIME_US;
	if (!prepare_and_plan(db) && db->pg)
		db_lost(db, "prepare statements");
	db->deadline_us = deadline_us;
}
