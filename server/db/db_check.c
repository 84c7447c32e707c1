/* The test of all statements: the server prepares them and describes their results. */
#include "db_check.h"

#include <string.h>

#include "db_conn.h"
#include "db_types.h"

static void check_columns(const PGresult *r, const struct db_stmt_check *c, struct buf *report,
			  size_t *faults)
{
	for (size_t i = 0; i < c->table->ncolumns; i++) {
		const struct db_column *column = &c->table->column[i];
		int at = PQfnumber(r, column->name);

		if (at >= 0 && db_type_reads(column->type, PQftype(r, at)))
			continue;
		(*faults)++;
		buf_printf(report, "%s: column \"%s\" of %s ", c->stmt->name, column->name,
			   c->table->name);
		if (at < 0)
			buf_add_text(report, "is missing\n");
		else
			buf_printf(report, "has the type with OID %u, expected %s\n",
				   PQftype(r, at), db_type_info(column->type)->name);
	}
}

/* For a result that the caller owns; appends the error to the report. */
static bool succeeded(PGresult *r, const struct db_stmt_check *c, struct buf *report)
{
	if (PQresultStatus(r) == PGRES_COMMAND_OK)
		return true;
	buf_printf(report, "%s: %s", c->stmt->name, PQresultErrorMessage(r));
	return false;
}

static size_t check_one(struct db *db, const struct db_stmt_check *c, struct buf *report)
{
	PGresult *r = PQprepare(db->pg, "", c->stmt->sql, 0, NULL);
	bool good = succeeded(r, c, report);
	size_t faults = 0;

	PQclear(r);
	if (!good)
		return 1;
	if (!c->table)
		return 0;
	r = PQdescribePrepared(db->pg, "");
	if (succeeded(r, c, report))
		check_columns(r, c, report, &faults);
	else
		faults++;
	PQclear(r);
	return faults;
}

size_t db_check_statements(struct db *db, const struct db_stmt_check *checks, size_t count,
			   struct buf *report)
{
	size_t faults = 0;
	err_t e = db_ready(db);

	if (e) {
		buf_printf(report, "%s\n", e->message);
		return 1;
	}
	for (size_t i = 0; i < count; i++)
		faults += check_one(db, &checks[i], report);
	return faults;
}
