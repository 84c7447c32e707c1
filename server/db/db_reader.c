/*
 * The WAL position of a connection's last write, and the second connection, to a replica that has
 * replayed the WAL up to that position, or not yet. The position is read after the commit: a
 * statement within the transaction sees one before the commit record.
 */
#include <stdlib.h>

#include "db_conn.h"
#include "db_pipe.h"
#include "db_sql.h"

struct lsn_row {
	int64_t lsn;
};
static const struct db_column lsn_columns[] = { DB_COLUMN(struct lsn_row, lsn) };
static const struct db_row_table lsn_table = DB_ROW_TABLE(struct lsn_row, lsn_columns);

void db_add_reader(struct db *db, const struct db_options *options)
{
	db->reader = db_new(db->arena, options);
}

struct db *db_reader(const struct db *db)
{
	return db->reader;
}

bool db_works_since(struct db *db, int64_t mono_us)
{
	return !db_ready(db) && db->opened_us <= mono_us;
}

int64_t db_written(const struct db *db)
{
	return db->written;
}

unsigned db_pipe_add_written(struct db *db)
{
	return db->options.notes_written ? db_pipe_add(db, &STMT_db_written, DB_NO_ARGS) : 0;
}

void db_pipe_take_written(struct db *db, unsigned number)
{
	void *rows = NULL;
	size_t count = 0;

	db->written = 0;
	if (db->options.notes_written && !db_pipe_all(db, number, &lsn_table, &rows, &count) &&
	    count)
		db->written = ((struct lsn_row *)rows)->lsn;
}

/* The transaction is committed, whatever the result of this. */
void db_ask_written(struct db *db)
{
	void *row = NULL;

	db->written = 0;
	if (db->options.notes_written &&
	    !db_first(db, &STMT_db_written, DB_NO_ARGS, &lsn_table, &row) && row)
		db->written = ((struct lsn_row *)row)->lsn;
}
