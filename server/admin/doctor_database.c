/* The checks of "cairnd doctor" in the database. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "database.h"
#include "db_embedded.h"
#include "db_migrate.h"
#include "doctor.h"
#include "progress.h"

#define SLOT_KEEPS_MOST (INT64_C(4) << 30)

/* ---- the connection ----------------------------------------------------------------------------- */

static void close_database(void *db)
{
	db_close(db);
}

/* An embedded database is not started for this: that would change it. */
static const char *find_url(struct doctor *d)
{
	const char *folder = arena_printf(d->arena, "%s/pg", d->config->data_dir);
	const char *url = NULL;
	err_t e;

	if (*d->config->listen_database_url)
		return d->config->listen_database_url;
	e = db_embedded_attach(d->arena, d->config->data_dir, &url);
	if (e)
		d->connection = doctor_failed(d, e, "try again in a moment");
	else if (!url && access(folder, F_OK))
		d->connection = doctor_problem(
			d,
			"set --data-dir or CAIRN_DATA_DIR to the server's directory, or "
			"CAIRN_DATABASE_URL to an external database",
			"there is no database in \"%s\"", d->config->data_dir);
	else if (!url)
		d->connection = doctor_warning(
			d, "start the server and run this command again to check more",
			"the embedded database is not running because no server is running");
	return url;
}

static err_t ask(struct doctor *d, struct db *db)
{
	err_t e = server_store_health(db, &d->health);

	return e ? e : clocks_read(db, &d->clocks);
}

void doctor_connect(struct doctor *d)
{
	const char *url = find_url(d);
	struct db_options options = database_options(d->config, url);
	struct db *db;
	err_t e;

	if (!url)
		return;
	e = db_open(d->arena, &options, &db);
	if (!e) {
		arena_defer(d->arena, close_database, db);
		e = ask(d, db);
	}
	if (e)
		d->connection = doctor_failed(
			d, e,
			"check database_url, and that PostgreSQL runs and accepts connections "
			"from this host");
	else
		d->db = db;
}

struct doctor_finding doctor_database(struct doctor *d)
{
	if (!d->db)
		return d->connection;
	return doctor_good(d, "PostgreSQL %d.%d, encoding %.*s", db_server_version(d->db) / 10000,
			   db_server_version(d->db) % 10000, STR_ARG(d->health.encoding));
}

/* ---- what it holds ------------------------------------------------------------------------------ */

struct doctor_finding doctor_schema(struct doctor *d)
{
	struct db_migrate_plan plan;
	err_t e = db_migrate_plan(d->db, &db_schema, &plan);

	if (e)
		return doctor_failed(d, e, "use the version of cairnd that created the database");
	if (plan.first < db_schema.migrations)
		return doctor_warning(
			d,
			"run \"cairnd upgrade\" or start a server to upgrade it; stop older "
			"servers first",
			"the database has schema %d, but this version needs schema %zu",
			plan.version, db_schema.migrations);
	return doctor_good(d, "schema %d, as needed by this version", plan.version);
}

/* ---- its settings ------------------------------------------------------------------------------- */

struct doctor_finding doctor_durability(struct doctor *d)
{
	const struct server_health *h = &d->health;

	if (!h->fsync || !h->full_page_writes)
		return doctor_problem(
			d,
			"set it to on in postgresql.conf, then check the data with \"cairnd "
			"verify\"",
			"%s is off: a crash of the machine can destroy the database",
			h->fsync ? "full_page_writes" : "fsync");
	if (str_is(h->synchronous_commit, "off"))
		return doctor_problem(
			d, "set it to on for the role: alter role … set synchronous_commit = on",
			"synchronous_commit is off: a crash can lose data that was acknowledged");
	return doctor_good(d, "fsync and full_page_writes are on, synchronous_commit is %.*s",
			   STR_ARG(h->synchronous_commit));
}

/* Through a pooler, the pooler's limits count. */
struct doctor_finding doctor_connections(struct doctor *d)
{
	const struct config *c = d->config;
	const struct server_health *h = &d->health;
	int64_t servers = h->servers > 1 ? h->servers : 1;
	int64_t needed = servers * database_connections(c);
	int64_t left = h->connection_limit - h->other_connections;

	if (strcmp(c->database_url, c->listen_database_url) != 0)
		return doctor_skipped(d, "skipped: there is a pooler in between");
	if (left < needed)
		return doctor_warning(
			d, "raise max_connections, lower workers, or use PgBouncer",
			"%lld server%s may need %lld connections, but only %lld of %lld are "
			"available to them",
			(long long)servers, servers == 1 ? "" : "s", (long long)needed,
			(long long)left, (long long)h->connection_limit);
	return doctor_good(d,
			   "%lld server%s may need %lld connections; %lld of %lld are "
			   "available to them",
			   (long long)servers, servers == 1 ? "" : "s", (long long)needed,
			   (long long)left, (long long)h->connection_limit);
}

struct doctor_finding doctor_slots(struct doctor *d)
{
	const struct server_health *h = &d->health;
	char bytes[PROGRESS_BYTES_SIZE];

	if (!h->slot.len)
		return doctor_good(d, "no replication slots");
	progress_bytes(bytes, (double)h->slot_bytes);
	if (h->slot_bytes > SLOT_KEEPS_MOST)
		return doctor_warning(
			d,
			"restart its replica or drop the slot with pg_drop_replication_slot() "
			"before the disk is full",
			"\"%.*s\" retains %s of WAL", STR_ARG(h->slot), bytes);
	return doctor_good(d, "\"%.*s\" retains the most WAL, %s", STR_ARG(h->slot), bytes);
}

/* ---- this machine and the others ---------------------------------------------------------------- */

struct doctor_finding doctor_clock(struct doctor *d)
{
	double ahead_s = (double)d->clocks.ahead_us / 1e6;

	if (llabs(d->clocks.ahead_us) > CLOCKS_APART_US)
		return doctor_warning(
			d,
			"synchronize both clocks (NTP): links, certificates and the log use this "
			"machine's clock",
			"this machine is %.1f s %s the database", ahead_s < 0 ? -ahead_s : ahead_s,
			ahead_s < 0 ? "behind" : "ahead of");
	return doctor_good(d, "%.3f s from the database's clock", ahead_s < 0 ? -ahead_s : ahead_s);
}

struct doctor_finding doctor_versions(struct doctor *d)
{
	struct buf *others = buf_new(d->arena);
	struct server_version *list;
	int64_t servers = 0;
	size_t count;
	err_t e = server_store_versions(d->db, &list, &count);

	if (e)
		return doctor_failed(d, e, NULL);
	for (size_t i = 0; i < count; i++) {
		servers += list[i].servers;
		if (!str_is(list[i].version, CAIRN_VERSION))
			buf_printf(others, "%s%.*s at %.*s", buf_str(others).len ? ", " : "",
				   STR_ARG(list[i].version), STR_ARG(list[i].host));
	}
	if (buf_str(others).len)
		return doctor_warning(d, "upgrade all servers of the database to the same version",
				      "this version is " CAIRN_VERSION
				      ", but servers of other versions are running: %.*s",
				      STR_ARG(buf_str(others)));
	if (!servers)
		return doctor_skipped(d, "no server found: none is running, or live_notify is "
					 "false");
	return doctor_good(d, "%lld server%s of version " CAIRN_VERSION, (long long)servers,
			   servers == 1 ? "" : "s");
}
