/*
 * From SQLSTATE to what a caller can act on. A table, because every line of it is a decision:
 * "busy" means that the same request may succeed soon, so a client should send it again.
 */
#include <string.h>

#include "db_conn.h"

static const struct sqlstate_kind {
	const char *prefix;
	enum err_kind kind;
	bool reconnect; /* this session is of no use any more */
} sqlstate_kinds[] = {
	{ "08", ERR_BUSY, true },        /* connection; poolers say 08P01 for everything */
	{ "0A000", ERR_INTERNAL, true }, /* also a cached plan that a migration made invalid */
	{ "22021", ERR_INVALID, false }, /* NUL or bad UTF-8 in a text */
	{ "22P05", ERR_INVALID, false }, /* \u0000 in a JSON text */
	{ "23", ERR_CONFLICT, false },   /* constraints */
	{ "25006", ERR_BUSY, true },     /* read-only: the primary is somewhere else now */
	{ "25P03", ERR_BUSY, true },     /* idle in transaction for too long */
	{ "26000", ERR_BUSY, true },  /* prepared statement unknown: a pooler changed the session */
	{ "40", ERR_BUSY, false },    /* serialization, deadlock */
	{ "42P05", ERR_BUSY, true },  /* prepared statement known already: the same */
	{ "53", ERR_BUSY, false },    /* disk full, out of memory, too many connections */
	{ "55006", ERR_BUSY, false }, /* object in use */
	{ "55P03", ERR_BUSY, false }, /* lock not available */
	{ "57014", ERR_TIMEOUT, false }, /* statement timeout */
	{ "57P", ERR_BUSY, true },       /* shutdown, crash, starting up, database dropped */
};

static const struct sqlstate_kind *find_kind(const char *sqlstate)
{
	static const struct sqlstate_kind other = { "", ERR_INTERNAL, false };

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

err_t db_result_error(struct db *db, const PGresult *r, const char *what)
{
	const struct sqlstate_kind *k;
	const char *sqlstate;
	const char *detail;
	struct err *e;

	if (!is_failure(r))
		return NULL;
	sqlstate = field(r, PG_DIAG_SQLSTATE);
	if (!*sqlstate)
		return db_lost(db, what);
	k = find_kind(sqlstate);
	detail = field(r, PG_DIAG_MESSAGE_DETAIL);
	e = err_new(db->arena, k->kind, "statement \"%s\": %s%s%s (%s)", what,
		    field(r, PG_DIAG_MESSAGE_PRIMARY), *detail ? "; " : "", detail, sqlstate);
	e->sqlstate = arena_strdup(db->arena, sqlstate);
	db->stale |= k->reconnect;
	return e;
}

bool db_err_is(err_t e, const char *sqlstate)
{
	return e && e->sqlstate && strcmp(e->sqlstate, sqlstate) == 0;
}
