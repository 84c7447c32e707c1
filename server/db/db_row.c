/*
 * Results into structs. Columns are looked up and their types compared once per result; then each
 * row is a walk along the table with one small reader per column. Text and bytes are not copied:
 * they point into the result, which the arena owns.
 */
#include "db_row.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "db_conn.h"
#include "db_types.h"

struct cell {
	const char *at;
	size_t len;
	Oid oid;
};

static uint64_t be64_at(const char *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return be64toh(value);
}

static void read_bool(void *to, struct cell c)
{
	*(bool *)to = *c.at != 0;
}

static void read_int2(void *to, struct cell c)
{
	uint16_t value;

	memcpy(&value, c.at, sizeof(value));
	*(int16_t *)to = (int16_t)be16toh(value);
}

static void read_int4(void *to, struct cell c)
{
	uint32_t value;

	memcpy(&value, c.at, sizeof(value));
	*(int32_t *)to = (int32_t)be32toh(value);
}

static void read_int8(void *to, struct cell c)
{
	*(int64_t *)to = (int64_t)be64_at(c.at);
}

static void read_float8(void *to, struct cell c)
{
	uint64_t bits = be64_at(c.at);

	memcpy(to, &bits, sizeof(bits));
}

static void read_timestamp(void *to, struct cell c)
{
	((timestamp_us *)to)->us = (int64_t)be64_at(c.at) + PG_EPOCH_US;
}

static void read_bytes(void *to, struct cell c)
{
	*(struct str *)to = (struct str){ c.at, c.len };
}

static void read_json(void *to, struct cell c)
{
	bool version = c.oid == OID_JSONB && c.len;

	assert(!version || c.at[0] == JSONB_VERSION);
	*(struct str *)to = (struct str){ c.at + version, c.len - version };
}

typedef void read_fn(void *to, struct cell c);

static read_fn *const readers[] = {
	[DB_BOOL] = read_bool,   [DB_INT2] = read_int2,     [DB_INT4] = read_int4,
	[DB_INT8] = read_int8,   [DB_FLOAT8] = read_float8, [DB_TEXT] = read_bytes,
	[DB_BYTEA] = read_bytes, [DB_JSONB] = read_json,    [DB_TIMESTAMP] = read_timestamp,
};

/* A column of the table in the result. */
struct bound_column {
	int number;
	Oid oid;
};

static err_t bind_columns(struct db *db, const PGresult *r, const char *what,
			  const struct db_row_table *t, struct bound_column *bound)
{
	for (size_t i = 0; i < t->ncolumns; i++) {
		const struct db_column *c = &t->column[i];

		bound[i].number = PQfnumber(r, c->name);
		if (bound[i].number < 0)
			return err_new(db->arena, ERR_INTERNAL,
				       "statement \"%s\": no column \"%s\" for %s", what, c->name,
				       t->name);
		bound[i].oid = PQftype(r, bound[i].number);
		if (!db_type_reads(c->type, bound[i].oid))
			return err_new(db->arena, ERR_INTERNAL,
				       "statement \"%s\": column \"%s\" has type %u, expected %s",
				       what, c->name, bound[i].oid, db_type_info(c->type)->name);
	}
	return NULL;
}

/* The number of the column that is NULL but must not be, or -1. */
static int read_row(const PGresult *r, int row, const struct db_row_table *t,
		    const struct bound_column *bound, char *to)
{
	for (size_t i = 0; i < t->ncolumns; i++) {
		const struct db_column *c = &t->column[i];
		int number = bound[i].number;

		if (PQgetisnull(r, row, number)) {
			if (!c->nullable)
				return (int)i;
			continue; /* the arena gave zeroes */
		}
		readers[c->type](to + c->offset, (struct cell){
							 .at = PQgetvalue(r, row, number),
							 .len = (size_t)PQgetlength(r, row, number),
							 .oid = bound[i].oid,
						 });
	}
	return -1;
}

err_t db_read_rows(struct db *db, const PGresult *r, const char *what,
		   const struct db_row_table *table, void **ret_rows)
{
	size_t count = (size_t)PQntuples(r);
	struct bound_column *bound =
		arena_new_array(db->arena, struct bound_column, table->ncolumns);
	char *rows = arena_zalloc(db->arena, count, table->row_size);
	err_t e;

	if (PQresultStatus(r) != PGRES_TUPLES_OK)
		return err_new(db->arena, ERR_INTERNAL, "statement \"%s\" returned no rows", what);
	e = bind_columns(db, r, what, table, bound);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		int bad = read_row(r, (int)i, table, bound, rows + i * table->row_size);

		if (bad >= 0)
			return err_new(db->arena, ERR_INTERNAL,
				       "statement \"%s\": column \"%s\" is null", what,
				       table->column[bad].name);
	}
	*ret_rows = rows;
	return NULL;
}
