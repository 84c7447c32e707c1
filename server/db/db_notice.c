#include "db_notice.h"

#include <poll.h>

#include "db_conn.h"
#include "db_sql.h"

struct backend_row {
	int32_t pid;
};
static const struct db_column backend_columns[] = { DB_COLUMN(struct backend_row, pid) };
static const struct db_row_table backend_table = DB_ROW_TABLE(struct backend_row, backend_columns);

/* A pooler invents the number that it gives its client; only PostgreSQL knows its own. */
static err_t refuse_pooler(struct db *db)
{
	void *row;
	err_t e = db_first(db, &STMT_db_backend, DB_NO_ARGS, &backend_table, &row);

	if (e)
		return e;
	if (((struct backend_row *)row)->pid == PQbackendPID(db->pg))
		return NULL;
	return err_new(
		db->arena, ERR_PRECONDITION,
		"there is a pooler between the server and the database; set listen_database_url "
		"to bypass it");
}

err_t db_listen(struct db *db, const char *channel)
{
	err_t e = refuse_pooler(db);

	if (e)
		return e;
	db->held = true;
	return db_simple(db, "listen",
			 arena_printf(db->arena, "listen %s; set synchronous_commit = off",
				      channel));
}

err_t db_notify(struct db *db, const char *channel, const struct str *payloads, size_t count)
{
	return db_exec(db, &STMT_db_notify,
		       DB_ARGS(P_STR(str_of(channel)), P_ARRAY(DB_TEXT_ARRAY, payloads, count)),
		       NULL);
}

static size_t hand_over(struct db *db, db_notice_fn *heard, void *arg)
{
	size_t count = 0;
	PGnotify *notice;

	while ((notice = PQnotifies(db->pg))) {
		if (notice->be_pid != PQbackendPID(db->pg))
			heard(arg, str_of(notice->extra));
		PQfreemem(notice);
		count++;
	}
	return count;
}

err_t db_hear(struct db *db, int wake, int64_t until_us, db_notice_fn *heard, void *arg)
{
	struct pollfd p[2] = { { .events = POLLIN }, { .fd = wake, .events = POLLIN } };
	err_t e = db_ready(db); /* reads what has arrived */

	if (e || hand_over(db, heard, arg))
		return e;
	p[0].fd = PQsocket(db->pg);
	if (poll(p, 2, db_left_ms(until_us)) <= 0 || !p[0].revents)
		return NULL;
	if (!PQconsumeInput(db->pg) || PQstatus(db->pg) != CONNECTION_OK)
		return db_lost(db, "hear");
	(void)hand_over(db, heard, arg);
	return db->stale ? db_lost(db, "hear") : NULL;
}
