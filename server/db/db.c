/*
 * One connection: open, notice that it broke, open again.
 *
 * A dead server is noticed by keepalives (9 s) or by the limit for one answer, which is the
 * transaction's own time limit and a little more, for a server that lives but does not answer.
 * Before the first statement outside a transaction the socket is checked: after a restart of
 * PostgreSQL the idle connections are replaced then, and no request fails. Attempts to connect are
 * spaced out, with a random share, so that many connections do not storm a server that comes up.
 *
 * Nothing is set for a whole session behind a pooler, because the session belongs to others too.
 */
#include "db.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "db_conn.h"
#include "id.h"
#include "memory.h"

#define RETRY_FIRST_US 50000
#define RETRY_MOST_US 1000000
#define ANSWER_GRACE_MS 5000
#define STOP_LOOK_MS 200
#define WIRE_KEPT_BYTES (1u << 20)

/* Notices are not ours to print, but a good-bye between two statements comes as one. */
static void note_goodbye(void *context, const PGresult *r)
{
	struct db *db = context;
	const char *severity = PQresultErrorField(r, PG_DIAG_SEVERITY_NONLOCALIZED);

	db->stale |= severity && (!strcmp(severity, "FATAL") || !strcmp(severity, "PANIC"));
}

/* libpq takes whole seconds, and 1 for 2. */
static int connect_timeout_s(const struct db *db)
{
	int64_t left_s = (db->deadline_us - clock_mono_us()) / 1000000;

	if (!db->deadline_us || left_s >= db->options.connect_timeout_s)
		return db->options.connect_timeout_s;
	return left_s > 2 ? (int)left_s : 2;
}

/*
 * For statements as short as ours, JIT compilation takes longer than it saves. Options of the site,
 * from PGOPTIONS or the URL, take precedence.
 */
static const char *session_options(struct db *db)
{
	const char *site = getenv("PGOPTIONS");

	if (db->is_plain)
		return site;
	return site ? arena_printf(db->arena, "-c jit=off %s", site) : "-c jit=off";
}

static void connect_now(struct db *db)
{
	const struct db_options *o = &db->options;
	char timeout[16];
	/* The URL can override the keys before "dbname", but not those after it. */
	const char *keys[] = { "keepalives",
			       "keepalives_idle",
			       "keepalives_interval",
			       "keepalives_count",
			       "tcp_user_timeout",
			       "connect_timeout",
			       "options",
			       "dbname",
			       "application_name", /* rollback looks for servers by it */
			       "client_encoding",
			       NULL };
	const char *values[] = { "1",
				 "5",
				 "2",
				 "2",
				 "9000",
				 timeout,
				 session_options(db),
				 o->url,
				 o->application_name ? o->application_name : "cairn",
				 "UTF8",
				 NULL };

	snprintf(timeout, sizeof(timeout), "%d", connect_timeout_s(db));
	db->pg = PQconnectdbParams(keys, values, 1);
	if (db->pg)
		PQsetNoticeReceiver(db->pg, note_goodbye, db);
}

static void disconnect(struct db *db)
{
	PQfinish(db->pg);
	db->pg = NULL;
	db->stale = false;
	db->prepared = NULL;
	db->prepared_size = 0;
	db->prepared_count = 0;
	db->is_ahead = false;
	arena_reset(db->session);
}

/* The next pause is between one and one and a half times twice the last. */
static void wait_longer(struct db *db)
{
	uint32_t random;
	int64_t pause = db->retry_pause_us;

	id_random(&random, sizeof(random));
	db->retry_at_us = clock_mono_us() + pause + (int64_t)(random % (uint32_t)(pause / 2));
	db->retry_pause_us = pause * 2 < RETRY_MOST_US ? pause * 2 : RETRY_MOST_US;
}

/* libpq's text without its line end, several lines as one. */
static const char *connection_message(struct db *db)
{
	const char *text = db->pg ? PQerrorMessage(db->pg) : "out of memory";
	struct str trimmed = str_trim(str_of(text));
	char *copy = str_copy(db->arena, trimmed);

	for (char *p = copy; *p; p++) {
		if (*p == '\n')
			*p = ';';
		else if (*p == '\t')
			*p = ' ';
	}
	return *copy ? copy : "no response";
}

struct err *db_lost(struct db *db, const char *what)
{
	struct err *cause =
		err_new(db->arena, ERR_BUSY, "in \"%s\": %s", what, connection_message(db));
	struct err *e = err_wrap(db->arena, cause, "the connection to the database was lost");

	e->sqlstate = "08006";
	disconnect(db);
	return e;
}

/*
 * libpq does not report the kind of a refusal; if the server's messages are English, the text shows
 * it.
 */
static const char *hint_of(const char *refusal)
{
	if (strstr(refusal, "certificate verify failed") || strstr(refusal, "root certificate"))
		return "set sslrootcert in the database URL to the certificate (PEM) of the "
		       "authority that signed the database's certificate";
	if (!strstr(refusal, "too many clients") && !strstr(refusal, "connection slots"))
		return NULL;
	return "each server needs one connection per worker and flusher, and about fifteen "
	       "more: raise max_connections of PostgreSQL or lower the number of workers";
}

/*
 * A pooler, whose sessions belong to many clients, refuses options: "unsupported startup parameter:
 * options", "… doesn't support command-line options". All of them speak English.
 */
static bool refuses_options(const struct db *db)
{
	const char *said = db->pg && !db->is_plain && PQstatus(db->pg) != CONNECTION_OK
				   ? PQerrorMessage(db->pg)
				   : "";

	return strstr(said, "startup parameter") || strstr(said, "command-line options");
}

static err_t open_connection(struct db *db)
{
	struct err *e;

	connect_now(db);
	if (refuses_options(db)) {
		db->is_plain = true;
		disconnect(db);
		connect_now(db);
	}
	if (PQstatus(db->pg) != CONNECTION_OK) {
		const char *refusal = connection_message(db);

		e = err_wrap(db->arena, err_new(db->arena, ERR_BUSY, "%s", refusal),
			     "cannot connect to the database");
		e->sqlstate = "08001";
		e->hint = hint_of(refusal);
		disconnect(db);
		wait_longer(db);
		return e;
	}
	db->retry_pause_us = RETRY_FIRST_US;
	db->retry_at_us = 0;
	db->opened_us = clock_mono_us();
	return NULL;
}

/* Reads what arrived while the connection was idle: the server's good-bye. */
static bool socket_is_quiet(struct db *db)
{
	for (int i = 0; i < 4; i++) {
		struct pollfd p = { .fd = PQsocket(db->pg), .events = POLLIN };

		if (poll(&p, 1, 0) <= 0)
			return true;
		if (!PQconsumeInput(db->pg) || PQisBusy(db->pg) || db->stale ||
		    PQstatus(db->pg) != CONNECTION_OK)
			return false;
	}
	return true;
}

err_t db_ready(struct db *db)
{
	struct err *e;

	if (db->in_transaction || db->piping) {
		if (db->pg)
			return NULL;
		e = err_new(db->arena, ERR_BUSY, "the transaction's connection was lost");
		e->sqlstate = "08003";
		return e;
	}
	if (db->pg && !db->stale && socket_is_quiet(db))
		return NULL;
	if (db->pg)
		disconnect(db);
	if (db->held) {
		e = err_new(db->arena, ERR_BUSY, "the connection that held the lock was lost");
		e->sqlstate = "08003";
		return e;
	}
	if (clock_mono_us() >= db->retry_at_us)
		return open_connection(db);
	e = err_new(db->arena, ERR_BUSY, "cannot connect to the database");
	e->sqlstate = "08001";
	return e;
}

/* ---- answers --------------------------------------------------------------------------------- */

int db_left_ms(int64_t until_us)
{
	int64_t left = until_us - clock_mono_us();

	return left <= 0 ? 0 : left / 1000 < INT32_MAX ? (int)(left / 1000 + 1) : INT32_MAX;
}

/*
 * When to stop waiting; 0: never. Within a transaction the server ends statements by itself, and
 * has a grace period to report that.
 */
static int64_t wait_until_us(const struct db *db)
{
	int64_t grace_us = ANSWER_GRACE_MS * INT64_C(1000);
	int64_t limit_us = clock_mono_us() + db->wait_limit_ms * INT64_C(1000) + grace_us;
	int64_t deadline_us = db->deadline_us + (db->in_transaction ? grace_us : 0);

	if (!db->deadline_us)
		return db->wait_limit_ms ? limit_us : 0;
	return db->wait_limit_ms && limit_us < deadline_us ? limit_us : deadline_us;
}

static bool is_stopped(const struct db *db)
{
	return db->options.stopped && db->options.stopped();
}

/* Until the limit, or until it is time to check whether to go on. */
static int wait_ms(const struct db *db, int64_t until_us)
{
	int left_ms = until_us ? db_left_ms(until_us) : -1;

	return db->options.stopped && (left_ms < 0 || left_ms > STOP_LOOK_MS) ? STOP_LOOK_MS
									      : left_ms;
}

/* False when the limit passed. A broken connection is an answer too: PQgetResult() reports it. */
static bool wait_for_answer(struct db *db)
{
	int64_t until_us = wait_until_us(db);

	while (PQisBusy(db->pg)) {
		struct pollfd p = { .fd = PQsocket(db->pg), .events = POLLIN };
		int ready = poll(&p, 1, wait_ms(db, until_us));

		if (ready < 0 && errno != EINTR)
			return false;
		if (ready == 0 && (is_stopped(db) || (until_us && !db_left_ms(until_us))))
			return false;
		if (ready > 0 && !PQconsumeInput(db->pg))
			return true;
	}
	return true;
}

static err_t give_up(struct db *db)
{
	struct err *e;

	bool stopped = is_stopped(db);

	if (!stopped && (!db->deadline_us || clock_mono_us() < db->deadline_us))
		return db_lost(db, "wait for an answer");
	db_cancel(db->options.canceller, db->pg);
	db->pg = NULL;
	disconnect(db);
	e = stopped ? err_new(db->arena, ERR_BUSY, "stopped while the database was working")
		    : err_new(db->arena, ERR_TIMEOUT, "the database query timed out");
	e->sqlstate = "08006";
	return e;
}

PGresult *db_next_result(struct db *db, err_t *ret_error)
{
	*ret_error = NULL;
	if (wait_for_answer(db))
		return PQgetResult(db->pg);
	*ret_error = give_up(db);
	return NULL;
}

static void clear_result(void *r)
{
	PQclear(r);
}

void db_keep_result(struct db *db, PGresult *r)
{
	arena_hold(db->arena, clear_result, r, PQresultMemorySize(r));
}

/*
 * Each statement of a request is bounded by itself; many requests at once are bounded by the
 * server's memory budget.
 */
static err_t keep_if_room(struct db *db, PGresult *r)
{
	size_t bytes = PQresultMemorySize(r);

	if (bytes <= MEMORY_SMALL || arena_may_read(db->arena, bytes)) {
		db_keep_result(db, r);
		return NULL;
	}
	PQclear(r);
	return err_new(db->arena, ERR_BUSY, "the server's memory is in use");
}

err_t db_take_result(struct db *db, const char *what, PGresult **ret_result)
{
	err_t failure = NULL;
	err_t e;

	for (;;) {
		PGresult *r = db_next_result(db, &e);

		if (e)
			return failure ? failure : e;
		if (!r)
			return failure;
		e = keep_if_room(db, r);
		if (!e)
			e = db_result_error(db, r, what);
		if (!failure)
			failure = e;
		if (!db->pg)
			return failure;
		if (!e)
			*ret_result = r;
	}
}

err_t db_simple(struct db *db, const char *what, const char *sql)
{
	PGresult *r = NULL;

	if (!PQsendQuery(db->pg, sql))
		return db_lost(db, what);
	return db_take_result(db, what, &r);
}

/* ---- what others see ------------------------------------------------------------------------- */

/*
 * libpq's message about an address that it does not understand quotes it, with the password: such
 * an address is refused before libpq reports it. A bare word is the name of a database.
 */
static err_t check_address(struct arena *a, const char *url)
{
	PQconninfoOption *options;
	char *message = NULL;

	if (!strchr(url, '=') && !strstr(url, "://"))
		return NULL;
	options = PQconninfoParse(url, &message);
	PQfreemem(message);
	if (!options)
		return err_new(a, ERR_INVALID,
			       "invalid database URL: expected "
			       "postgresql://USER:PASSWORD@HOST:PORT/NAME; write a \"%%\" in the "
			       "password as %%25");
	PQconninfoFree(options);
	return NULL;
}

struct db *db_new(struct arena *a, const struct db_options *options)
{
	struct db *db = calloc(1, sizeof(*db));

	if (!db)
		abort();
	db->options = *options;
	if (db->options.connect_timeout_s <= 0)
		db->options.connect_timeout_s = 5;
	db->arena = a;
	db->session = arena_new(4096);
	db->retry_pause_us = RETRY_FIRST_US;
	return db;
}

err_t db_open(struct arena *a, const struct db_options *options, struct db **ret_db)
{
	struct db *db;
	err_t e;

	e = check_address(a, options->url);
	if (e)
		return e;
	db = db_new(a, options);
	e = open_connection(db);
	if (e) {
		db_close(db);
		return e;
	}
	*ret_db = db;
	return NULL;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	db_close(db->reader);
	PQfinish(db->pg);
	arena_free(db->session);
	buf_free(&db->wire);
	free(db);
}

void db_set_arena(struct db *db, struct arena *a)
{
	assert(!db->piping);
	db->pipe = NULL;
	if (db->wire.size > WIRE_KEPT_BYTES)
		buf_free(&db->wire);
	db->arena = a;
	if (db->reader)
		db_set_arena(db->reader, a);
}

struct arena *db_arena(const struct db *db)
{
	return db->arena;
}

void db_set_deadline(struct db *db, int64_t mono_us)
{
	db->deadline_us = mono_us;
	if (db->reader)
		db->reader->deadline_us = mono_us;
}

bool db_is_up(const struct db *db)
{
	return db->pg && !db->stale && PQstatus(db->pg) == CONNECTION_OK;
}

int db_server_version(const struct db *db)
{
	return db->pg ? PQserverVersion(db->pg) : 0;
}

int db_socket(const struct db *db)
{
	return db->pg ? PQsocket(db->pg) : -1;
}

bool db_in_transaction(const struct db *db)
{
	return db->in_transaction;
}
