/*
 * Statements. Each is prepared under its own name the first time a connection meets it, and the
 * connection remembers that in a small hash table by address. The types of the parameters are part
 * of the preparation, so a statement must always be called with the same ones.
 */
#include <assert.h>
#include <stdlib.h>

#include "db_conn.h"

/* The entry of the statement, or the free slot for it. */
static struct db_prepared **find_slot(struct db_prepared **table, size_t size,
				      const struct db_stmt *stmt)
{
	size_t i = ((uintptr_t)stmt >> 3) * UINT64_C(0x9E3779B97F4A7C15) >> 20;

	for (;; i++) {
		struct db_prepared **p = &table[i & (size - 1)];

		if (!*p || (*p)->stmt == stmt)
			return p;
	}
}

static void grow_table(struct db *db)
{
	size_t size = db->prepared_size ? db->prepared_size * 2 : 128;
	struct db_prepared **table = arena_new_array(db->session, struct db_prepared *, size);

	for (size_t i = 0; i < db->prepared_size; i++) {
		struct db_prepared *old = db->prepared[i];

		if (old)
			*find_slot(table, size, old->stmt) = old;
	}
	db->prepared = table;
	db->prepared_size = size;
}

static struct db_prepared *prepared_entry(struct db *db, const struct db_stmt *stmt)
{
	struct db_prepared **p;

	if (db->prepared_count * 2 >= db->prepared_size)
		grow_table(db);
	p = find_slot(db->prepared, db->prepared_size, stmt);
	if (!*p) {
		*p = arena_new_of(db->session, struct db_prepared);
		(*p)->stmt = stmt;
		db->prepared_count++;
	}
	return *p;
}

static err_t prepare(struct db *db, struct db_prepared *p, const struct db_wire *w,
		     enum db_prepare how)
{
	PGresult *r;
	err_t e;

	if (!PQsendPrepare(db->pg, p->stmt->name, p->stmt->sql, w->count, w->type))
		return db_lost(db, p->stmt->name);
	p->types = db_param_types(w->type, w->count);
	if (how == DB_PREPARE_NOW) {
		e = db_take_result(db, p->stmt->name, &r);
		if (e)
			return e;
	}
	p->ready = true;
	return NULL;
}

bool db_stmt_is_prepared(struct db *db, const struct db_stmt *stmt)
{
	return prepared_entry(db, stmt)->ready;
}

void db_stmt_note_prepared(struct db *db, const struct db_stmt *stmt, const PGresult *described)
{
	struct db_prepared *p = prepared_entry(db, stmt);
	int count = PQnparams(described);
	Oid *types = arena_new_array(db->arena, Oid, (size_t)count);

	for (int i = 0; i < count; i++)
		types[i] = PQparamtype(described, i);
	p->types = db_param_types(types, count);
	p->ready = p->is_ahead = true;
}

static err_t send_unnamed(struct db *db, const struct db_stmt *stmt, const struct db_wire *w)
{
	if (!PQsendQueryParams(db->pg, stmt->sql, w->count, w->type, w->value, w->length, w->format,
			       1))
		return db_lost(db, stmt->name);
	return NULL;
}

static err_t send_named(struct db *db, const struct db_stmt *stmt, const struct db_wire *w,
			enum db_prepare how, struct db_prepared **ret_sent)
{
	struct db_prepared *p = prepared_entry(db, stmt);
	err_t e;

	if (!p->ready) {
		e = prepare(db, p, w, how);
		if (e)
			return e;
		*ret_sent = p;
	}
	if (p->types != db_param_types(w->type, w->count)) {
		if (p->is_ahead)
			return send_unnamed(db, stmt, w);
		return err_new(db->arena, ERR_INTERNAL,
			       "statement \"%s\" was prepared with different types", stmt->name);
	}
	if (!PQsendQueryPrepared(db->pg, stmt->name, w->count, w->value, w->length, w->format, 1))
		return db_lost(db, stmt->name);
	return NULL;
}

err_t db_stmt_send(struct db *db, const struct db_stmt *stmt, struct db_args args,
		   enum db_prepare how, struct db_prepared **ret_sent)
{
	struct db_wire w;
	err_t e;

	*ret_sent = NULL;
	e = db_param_encode(db, args, &w);
	if (e)
		return e;
	return db->options.unnamed_statements ? send_unnamed(db, stmt, &w)
					      : send_named(db, stmt, &w, how, ret_sent);
}

static err_t run(struct db *db, const struct db_stmt *stmt, struct db_args args,
		 PGresult **ret_result)
{
	struct db_prepared *sent;
	err_t e;

	assert(!db->piping);
	e = db_ready(db);
	if (e)
		return e;
	e = db_stmt_send(db, stmt, args, DB_PREPARE_NOW, &sent);
	if (e)
		return e;
	return db_take_result(db, stmt->name, ret_result);
}

err_t db_exec(struct db *db, const struct db_stmt *stmt, struct db_args args, int64_t *ret_affected)
{
	PGresult *r = NULL;
	err_t e = run(db, stmt, args, &r);

	if (e)
		return e;
	if (ret_affected)
		*ret_affected = strtoll(PQcmdTuples(r), NULL, 10);
	return NULL;
}

err_t db_all(struct db *db, const struct db_stmt *stmt, struct db_args args,
	     const struct db_row_table *table, void **ret_rows, size_t *ret_count)
{
	PGresult *r = NULL;
	err_t e = run(db, stmt, args, &r);

	if (e)
		return e;
	e = db_read_rows(db, r, stmt->name, table, ret_rows);
	if (e)
		return e;
	*ret_count = (size_t)PQntuples(r);
	return NULL;
}

err_t db_first(struct db *db, const struct db_stmt *stmt, struct db_args args,
	       const struct db_row_table *table, void **ret_row)
{
	void *rows;
	size_t count;
	err_t e = db_all(db, stmt, args, table, &rows, &count);

	if (e)
		return e;
	*ret_row = count ? rows : NULL;
	return NULL;
}

struct number_row {
	int64_t number;
};
static const struct db_column number_columns[] = { DB_COLUMN(struct number_row, number) };
const struct db_row_table db_number_table = DB_ROW_TABLE(struct number_row, number_columns);

err_t db_number(struct db *db, const struct db_stmt *stmt, struct db_args args, int64_t *ret_number)
{
	struct number_row *row;
	err_t e = db_first(db, stmt, args, &db_number_table, (void **)&row);

	if (e)
		return e;
	assert(row);
	*ret_number = row->number;
	return NULL;
}
