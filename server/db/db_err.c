/*
 * From SQLSTATE to what a caller can act on. A table, because every line of it is a decision:
 * "busy" means that the same request may succeed soon, so a client should send it again.
 *
 * A client is sent the table's text; the database's own message, with the statement, becomes the
 * cause of the error, which is only logged.
 */
#include <string.h>

#include "db_conn.h"

static const struct sqlstate_kind {
	const char *prefix;
	enum err_kind kind;
	bool reconnect; /* this session cannot be used any more */
	const char *text;
	const char *advice; /* to the administrator, for the log */
} sqlstate_kinds[] = {
	/* poolers report 08P01 for everything */
	{ "08", ERR_BUSY, true, "the connection to the database was lost" },
	/* also a cached plan that a migration made invalid */
	{ "0A000", ERR_INTERNAL, true, NULL },
	{ "22021", ERR_INVALID, false, "a text is not valid UTF-8 or contains U+0000" },
	{ "22P05", ERR_INVALID, false, "a text contains U+0000" },
	{ "23", ERR_CONFLICT, false, "conflict with stored data" },
	/* the primary is somewhere else now */
	{ "25006", ERR_BUSY, true, "the database is read-only at present" },
	{ "25P03", ERR_BUSY, true, "the database closed an idle transaction" },
	/* a prepared statement is unknown, or known already: a pooler changed the session */
	{ "26000", ERR_BUSY, true, "the connection to the database was changed by a pooler",
	  "; set unnamed_statements=true to disable prepared statements" },
	{ "42P05", ERR_BUSY, true, "the connection to the database was changed by a pooler",
	  "; set unnamed_statements=true to disable prepared statements" },
	{ "40", ERR_BUSY, false, "conflict with another change of the same data" },
	{ "53100", ERR_BUSY, false, "the database's disk is full" },
	{ "53200", ERR_BUSY, false, "the database is out of memory" },
	{ "53300", ERR_BUSY, false, "the database has too many connections" },
	{ "53", ERR_BUSY, false, "the database lacks resources" },
	{ "55006", ERR_BUSY, false, "another request is changing the same data" },
	{ "55P03", ERR_BUSY, false, "another request is changing the same data" },
	{ "57014", ERR_TIMEOUT, false, "the database query timed out" },
	/* shutdown, crash, starting up, database dropped */
	{ "57P", ERR_BUSY, true, "the database is stopping or starting" },
};

static const struct sqlstate_kind *find_kind(const char *sqlstate)
{
	static const struct sqlstate_kind other = { "", ERR_INTERNAL, false, NULL, NULL };

	for (size_t i = 0; i < sizeof(sqlstate_kinds) / sizeof(sqlstate_kinds[0]); i++) {
		const char *prefix = sqlstate_kinds[i].prefix;

		if (strncmp(sqlstate, prefix, strlen(prefix)) == 0)
			return &sqlstate_kinds[i];
	}
	return &other;
}

static bool is_failure(const PGresult *r)
{
	switch (PQresultStatus(r)) {
	case PGRES_COMMAND_OK:
	case PGRES_TUPLES_OK:
	case PGRES_EMPTY_QUERY:
	case PGRES_PIPELINE_SYNC:
		return false;
	default:
		return true;
	}
}

static const char *field(const PGresult *r, int code)
{
	const char *text = PQresultErrorField(r, code);

	return text ? text : "";
}

static struct err *in_its_own_words(struct db *db, const PGresult *r, const struct sqlstate_kind *k,
				    const char *what)
{
	const char *detail = field(r, PG_DIAG_MESSAGE_DETAIL);

	return err_new(db->arena, k->kind, "statement \"%s\": %s%s%s (%s)%s", what,
		       field(r, PG_DIAG_MESSAGE_PRIMARY), *detail ? "; " : "", detail,
		       field(r, PG_DIAG_SQLSTATE), k->advice ? k->advice : "");
}

err_t db_result_error(struct db *db, const PGresult *r, const char *what)
{
	const struct sqlstate_kind *k;
	const char *sqlstate;
	struct err *e;

	if (!is_failure(r))
		return NULL;
	sqlstate = field(r, PG_DIAG_SQLSTATE);
	if (!*sqlstate)
		return db_lost(db, what);
	k = find_kind(sqlstate);
	e = in_its_own_words(db, r, k, what);
	if (k->text)
		e = err_wrap(db->arena, e, "%s", k->text);
	e->sqlstate = arena_strdup(db->arena, sqlstate);
	db->stale |= k->reconnect;
	return e;
}

bool db_err_is(err_t e, const char *sqlstate)
{
	return e && e->sqlstate && strcmp(e->sqlstate, sqlstate) == 0;
}
