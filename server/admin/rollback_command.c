/*
 * cairnd rollback: the database as it was before an upgrade.
 *
 * The content is replaced in one transaction (db_replace_start), under the lock of the migrations,
 * so that no server can start during it. A rollback that dies at any moment has changed nothing or
 * everything. It needs no second database, which the role might not be allowed to make. The
 * database is copied before, so a rollback can be undone by another one.
 *
 * Rejected: a second schema next to the first and an exchange of their names. That needs the right
 * to make schemas, a way to finish an interrupted exchange, and a clean-up.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "archive.h"
#include "backup.h"
#include "backup_parts.h"
#include "backup_stream.h"
#include "clock.h"
#include "commands.h"
#include "copies.h"
#include "database.h"
#include "directory.h"
#include "listing.h"
#include "log.h"
#include "secret.h"
#include "server_store.h"

enum { SECRET_MAX = 4096, WAIT_MS = 200, NOT_DONE = 2 };
enum { OTHERS_END_US = 3000 * 1000, OTHERS_PAUSE_US = 50 * 1000 };

struct rollback {
	struct command_call *call;
	struct arena *arena;
	const struct config *config;
	const char *url;
	struct db *db;
	struct db_schema now; /* applied */
	struct db_ours ours;
	struct str *dependents; /* of others: they go with our tables */
	size_t dependent_count;
	const char *path; /* of the copy */
	struct archive file;
	struct backup_manifest manifest;
	int64_t dump_bytes;
	struct progress progress;
	bool is_done; /* the database has been replaced */
};

/* ---- which copies there are --------------------------------------------------------------------- */

static void list_one(struct listing *l, struct arena *a, const struct copy *c)
{
	char size[PROGRESS_BYTES_SIZE];

	progress_bytes(size, (double)c->bytes);
	listing_add(l, str_of(c->path));
	listing_add(l, c->manifest.version.len
			       ? str_of(arena_printf(a, "%lld", (long long)c->manifest.schema))
			       : STR("unreadable"));
	listing_add_time(l, c->manifest.version.len ? c->manifest.time : (timestamp_us){ 0 });
	listing_add(l, str_of(size));
}

static err_t list_copies(struct command_call *call)
{
	static const char *const head[] = { "FILE", "SCHEMA", "AS OF", "SIZE", NULL };
	struct listing *l = listing_new(call->arena, head);
	struct copy *copies;
	size_t count;
	err_t e = copies_list(call->arena, call->config, &copies, &count);

	if (e)
		return e;
	for (size_t i = 0; i < count; i++)
		list_one(l, call->arena, &copies[i]);
	listing_print(l, stdout);
	return NULL;
}

/* ---- which one is meant ------------------------------------------------------------------------- */

static int schema_of(const struct rollback *r)
{
	return r->now.migration[r->now.migrations - 1].number;
}

/* Finds the newest copy from before an upgrade to the present schema. */
static err_t find_newest(struct rollback *r)
{
	struct copy copy;
	struct copy *copies;
	struct err *none;
	size_t count;
	err_t e = copies_list(r->arena, r->config, &copies, &count);

	if (!e)
		e = copies_database(r->db, copy.database);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		if (copies[i].kind != COPIES_UPGRADE || !copies[i].manifest.version.len ||
		    copies[i].manifest.schema >= schema_of(r) ||
		    strcmp(copies[i].database, copy.database) != 0)
			continue;
		r->path = copies[i].path;
		return NULL;
	}
	none = err_new(r->arena, ERR_PRECONDITION,
		       "no copy from before an upgrade to schema %d in \"%s\"", schema_of(r),
		       r->config->backup_dir);
	none->hint =
		"run \"cairnd rollback --list\" to list the copies; use --to to name a copy or "
		"another backup of this database";
	return none;
}

static void tell_check(void *context, int64_t done, int64_t size)
{
	struct rollback *r = context;
	const struct progress_state state = { (double)done / (double)size, done, "copy checked" };

	progress_show(&r->progress, &state);
}

static err_t read_part(struct rollback *r, const char *name, size_t max, struct str *ret_bytes)
{
	const struct archive_member *m = archive_find(&r->file, name);

	if (!m)
		return err_new(r->arena, ERR_UNPROCESSABLE, "\"%s\" is not a backup: %s is missing",
			       r->path, name);
	return archive_read_all(&r->file, m, max, ret_bytes);
}

/* A copy is of this database if the database's keys were made with the secret in the copy. */
static err_t judge(struct rollback *r)
{
	struct str secret;
	err_t e = backup_manifest_judge(r->arena, &r->manifest, &db_schema,
					db_server_version(r->db) / 10000);

	if (!e)
		e = read_part(r, BACKUP_SECRET, SECRET_MAX, &secret);
	if (!e)
		e = secret_check(r->db, r->path, secret);
	return e ? err_wrap(r->arena, e, "cannot roll back to \"%s\"", r->path) : NULL;
}

static err_t read_file(struct rollback *r)
{
	const struct archive_member *dump;
	struct str text;
	err_t e;

	progress_begin(&r->progress);
	e = archive_open(r->arena, r->path, tell_check, r, &r->file);
	progress_clear(&r->progress);
	if (!e)
		e = read_part(r, BACKUP_MANIFEST, BACKUP_MANIFEST_BYTES, &text);
	if (!e)
		e = backup_manifest_read(r->arena, text, &r->manifest);
	if (e)
		return e;
	dump = archive_find(&r->file, BACKUP_DUMP);
	if (!dump)
		return err_new(r->arena, ERR_UNPROCESSABLE,
			       "\"%s\" is not a backup: the dump is missing", r->path);
	r->dump_bytes = dump->size;
	return judge(r);
}

/* ---- what would be lost ------------------------------------------------------------------------- */

static int64_t rows_in(const struct db_table *tables, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++) {
		if (str_equal(tables[i].name, name))
			return tables[i].rows;
	}
	return 0;
}

/* In a transaction, which no limit of the role ends. */
static err_t count_tables(struct rollback *r, struct db_table **ret_tables, size_t *ret_count)
{
	const struct db_tables_progress progress = { progress_count, &r->progress };
	err_t e = db_begin_snapshot(r->db, 0);

	progress_begin(&r->progress);
	if (!e)
		e = db_tables(r->db, &r->ours, &progress, ret_tables, ret_count);
	progress_clear(&r->progress);
	db_rollback(r->db);
	return e;
}

/* Counts rows of tables, also of a schema that this version does not know. */
static err_t say_rows(struct rollback *r)
{
	struct db_table *tables;
	int64_t more = 0;
	size_t count;
	err_t e = count_tables(r, &tables, &count);

	for (size_t i = 0; i < count && !e; i++) {
		int64_t rows = tables[i].rows -
			       rows_in(r->manifest.tables, r->manifest.table_count, tables[i].name);

		more += rows > 0 ? rows : 0;
	}
	if (!e)
		printf("  rows added to tables since: %lld\n", (long long)more);
	return e;
}

static bool read_since(struct rollback *r, struct server_since *ret_since)
{
	err_t e = db_begin_snapshot(r->db, 0);

	if (!e)
		e = server_store_since(r->db, r->manifest.time, ret_since);
	db_rollback(r->db);
	return !e; /* else it is not a schema of ours */
}

/*
 * Names objects that are not in the copy, since they are not Cairn's, and
 * cannot stay without Cairn's tables.
 */
static err_t say_dependents(struct rollback *r)
{
	err_t e = db_ours_dependents(r->db, &r->ours, &r->dependents, &r->dependent_count);

	if (e || !r->dependent_count)
		return e;
	printf("these objects are not Cairn's, depend on its tables, and would be dropped with "
	       "them:\n");
	for (size_t i = 0; i < r->dependent_count; i++)
		printf("  %.*s\n", STR_ARG(r->dependents[i]));
	return NULL;
}

static err_t say_lost(struct rollback *r)
{
	struct server_since since;
	err_t e;
	char time[CLOCK_TEXT_SIZE];

	clock_format(r->manifest.time, time);
	printf("rollback from schema %d to %lld, to what was stored at %s: \"%s\"\n", schema_of(r),
	       (long long)r->manifest.schema, time, r->path);
	printf("this data was stored since and would be lost:\n");
	if (read_since(r, &since))
		printf("  new runs: %lld\n  runs with new data: %lld\n  new users: %lld\n",
		       (long long)since.runs_made, (long long)since.runs_heard,
		       (long long)since.users_made);
	e = say_rows(r);
	return e ? e : say_dependents(r);
}

/* ---- the exchange ------------------------------------------------------------------------------- */

/* Waits a moment: a connection that was closed just now is still ending. */
static err_t find_others(struct rollback *r, struct db_others *ret_others)
{
	int64_t until_us = clock_mono_us() + OTHERS_END_US;
	err_t e;

	for (;;) {
		e = db_others(r->db, ret_others);
		if (e || !ret_others->count || clock_mono_us() >= until_us)
			return e;
		clock_sleep_us(OTHERS_PAUSE_US);
	}
}

/* Called with the lock: a server that is not connected yet cannot start now. */
static err_t refuse_others(struct rollback *r)
{
	struct db_others others;
	struct err *wrong;
	err_t e = find_others(r, &others);

	if (e || !others.count)
		return e;
	wrong = err_new(
		r->arena, ERR_PRECONDITION,
		"the database is in use: %lld connections, such as process %lld of \"%.*s\" from %.*s",
		(long long)others.count, (long long)others.pid, STR_ARG(others.name),
		STR_ARG(others.host));
	wrong->hint =
		"stop all servers and cairnd commands first; connections of a pooler count, too";
	return wrong;
}

static err_t tell_fill(void *context, int64_t bytes)
{
	struct rollback *r = context;
	const struct progress_state state = { (double)bytes / (double)(r->dump_bytes + 1), bytes,
					      "returned" };

	progress_show(&r->progress, &state);
	return NULL;
}

/* After the rows are in. */
static void wait_for_indexes(struct rollback *r, struct db_dump *dump)
{
	const struct progress_state state = { -1, -1, "creating indexes" };

	progress_begin(&r->progress);
	do
		progress_show(&r->progress, &state);
	while (!db_dump_wait(dump, WAIT_MS));
}

static const char *bindir_of(const struct rollback *r)
{
	return *r->config->pg_bindir ? r->config->pg_bindir : NULL;
}

static err_t fill(struct rollback *r, struct db_replace *replace)
{
	err_t e = db_replace_start(r->db, bindir_of(r), &r->ours, replace);

	if (e)
		return e;
	progress_begin(&r->progress);
	e = backup_stream_out(&r->file, archive_find(&r->file, BACKUP_DUMP), replace->restore.fd,
			      tell_fill, r);
	if (!e)
		wait_for_indexes(r, &replace->restore);
	if (!e)
		e = db_replace_commit(r->arena, replace);
	progress_clear(&r->progress);
	db_replace_kill(replace);
	return e;
}

/* Compares the tables of our schema only: a backup of an older version may have those of others. */
static err_t compare(struct rollback *r)
{
	struct db_table *tables;
	size_t count;
	size_t told = db_tables_of(r->manifest.tables, r->manifest.table_count, r->ours.quoted);
	err_t e = count_tables(r, &tables, &count);

	if (e)
		return e;
	e = db_tables_compare(r->arena, r->manifest.tables, told, tables, count);
	return e ? e : db_analyze(r->db, tables, count);
}

static err_t exchange(struct rollback *r)
{
	struct db_replace replace;
	err_t e = refuse_others(r);

	if (e)
		return e;
	e = fill(r, &replace);
	if (e)
		return err_wrap(r->arena, e, "the database was not changed");
	r->is_done = true;
	return compare(r);
}

static err_t keep_present(struct rollback *r, const char **ret_kept)
{
	const struct copies_ask ask = { .kind = COPIES_ROLLBACK };
	err_t e = refuse_others(r);

	return e ? e : copies_make(r->arena, r->config, r->url, &ask, ret_kept);
}

static void say_done(const struct rollback *r, const char *kept)
{
	printf("the database has schema %lld again\n", (long long)r->manifest.schema);
	if (kept)
		printf("to undo this: cairnd rollback --to \"%s\" --yes\n", kept);
	else
		printf("this cannot be undone because upgrade_copies is 0\n");
	if (r->manifest.schema < (int64_t)db_schema.migrations)
		printf("now start the version that the database was made with; this version "
		       "would upgrade it again\n");
}

static err_t refuse_dependents(const struct rollback *r)
{
	struct err *wrong;

	if (!r->dependent_count || command_option(r->call, "cascade"))
		return NULL;
	wrong = err_new(r->arena, ERR_PRECONDITION,
			"%zu objects that are not Cairn's depend on its tables, such as %.*s",
			r->dependent_count, STR_ARG(r->dependents[0]));
	wrong->hint =
		"nothing was changed; drop them first, or use --cascade to drop them; no copy "
		"contains them";
	return wrong;
}

static err_t change(struct rollback *r)
{
	const char *kept;
	err_t e = db_migrate_lock(r->db, 0);
	err_t unlocked;

	if (e)
		return e;
	e = keep_present(r, &kept);
	if (!e)
		e = exchange(r);
	if (r->is_done) {
		say_done(r, kept);
		if (!e && kept)
			e = copies_remove_old(r->arena, r->config, kept);
	}
	unlocked = db_migrate_unlock(r->db);
	return e ? e : unlocked;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

/* A running server keeps us from starting the embedded database. */
static err_t find_database(struct rollback *r)
{
	bool ours = !*r->config->listen_database_url && command_option(r->call, "yes");
	struct err *busy;
	err_t e = directory_check(r->call);

	if (!e)
		e = ours ? database_own_embedded(r->arena, r->config, &r->url)
			 : database_url(r->arena, r->config, &r->url);
	if (!e || e->kind != ERR_CONFLICT)
		return e;
	busy = err_new(r->arena, ERR_PRECONDITION, "%s", err_chain(r->arena, e));
	busy->hint = "stop the server first";
	return busy;
}

static err_t look(struct rollback *r)
{
	err_t e = db_schema_applied(r->db, &r->now);

	if (!e && !r->now.migrations)
		return err_new(
			r->arena, ERR_PRECONDITION,
			"the database has no tables of Cairn; use \"cairnd restore\" to restore "
			"a backup");
	r->path = command_option(r->call, "to");
	if (!e)
		e = db_dump_check(r->db, bindir_of(r));
	if (!e)
		e = db_ours_find(r->db, &r->ours);
	if (!e && !r->path)
		e = find_newest(r);
	if (!e)
		e = read_file(r);
	return e ? e : say_lost(r);
}

static err_t run(struct rollback *r)
{
	err_t e = look(r);

	if (e)
		return e;
	if (command_option(r->call, "yes")) {
		e = refuse_dependents(r);
		return e ? e : change(r);
	}
	printf("nothing was changed: stop all servers, then run this command again with --yes%s\n",
	       r->dependent_count ? " --cascade" : "");
	r->call->status = NOT_DONE;
	return NULL;
}

err_t rollback_command(struct command_call *call)
{
	struct rollback r = {
		.call = call,
		.arena = call->arena,
		.config = call->config,
		.file.fd = -1,
	};
	err_t e;

	if (command_option(call, "list"))
		return list_copies(call);
	signal(SIGPIPE, SIG_IGN); /* of a program if it ended: it reports why */
	e = find_database(&r);
	if (!e)
		e = backup_open(r.arena, r.config, r.url, NULL, &r.db);
	if (e)
		return e;
	e = run(&r);
	fflush(stdout);
	db_close(r.db);
	archive_close(&r.file);
	return e;
}
