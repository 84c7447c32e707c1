/*
 * cairnd restore: onto an empty database only. Everything that can be known beforehand is found out before
 * anything is changed: the whole file is read once and compared with its checksums. pg_restore works in one
 * transaction, so a restore that fails leaves an empty database behind, to be tried again.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "archive.h"
#include "backup_manifest.h"
#include "backup_parts.h"
#include "backup_stream.h"
#include "commands.h"
#include "database.h"
#include "file_store.h"
#include "files.h"
#include "log.h"
#include "progress.h"
#include "secret.h"
#include "verify_report.h"

enum { SECRET_MAX = 4096, VERIFY_JOBS = 2, WAIT_MS = 200 };

struct restore {
	struct command_call *call;
	const char *url;
	struct db *db;
	struct archive file;
	struct backup_manifest manifest;
	struct str secret;
	bool secret_is_new; /* written by us */
	int64_t dump_bytes;
	struct files_copied copied;
	struct progress progress;
};

/* ---- the file ----------------------------------------------------------------------------------- */

static void tell_check(void *context, int64_t done, int64_t size)
{
	struct restore *r = context;
	const struct progress_state state = { (double)done / (double)size, done, "backup checked" };

	progress_show(&r->progress, &state);
}

static err_t read_part(struct restore *r, const char *name, size_t max, struct str *ret_bytes)
{
	const struct archive_member *m = archive_find(&r->file, name);

	if (!m)
		return err_new(r->call->arena, ERR_UNPROCESSABLE,
			       "\"%s\" is no backup: it has no %s", r->file.path, name);
	return archive_read_all(&r->file, m, max, ret_bytes);
}

static err_t read_file(struct restore *r)
{
	struct str text;
	err_t e;

	progress_begin(&r->progress);
	e = archive_open(r->call->arena, r->call->argument[0], tell_check, r, &r->file);
	progress_clear(&r->progress);
	if (!e)
		e = read_part(r, BACKUP_MANIFEST, BACKUP_MANIFEST_BYTES, &text);
	if (!e)
		e = backup_manifest_read(r->call->arena, text, &r->manifest);
	if (!e)
		e = read_part(r, BACKUP_SECRET, SECRET_MAX, &r->secret);
	if (!e && !archive_find(&r->file, BACKUP_DUMP))
		e = err_new(r->call->arena, ERR_UNPROCESSABLE,
			    "\"%s\" is no backup: it has no dump", r->file.path);
	return e;
}

/* ---- the place ---------------------------------------------------------------------------------- */

static struct err *refuse(struct restore *r, const char *what)
{
	struct err *e = err_new(r->call->arena, ERR_PRECONDITION,
				"%s: a backup is restored onto an empty server only", what);

	e->hint = *r->call->config->listen_database_url
			  ? "make a new database, and name it in CAIRN_DATABASE_URL"
			  : "name a new directory with --data-dir";
	return e;
}

static err_t check_secret(struct restore *r)
{
	const char *path = r->call->config->secret_file;
	struct str there;
	err_t e = secret_load(r->call->arena, path, &there);

	if (e || !there.len || str_equal(there, r->secret))
		return e;
	return refuse(r, arena_printf(r->call->arena, "there is another secret in \"%s\" already",
				      path));
}

static err_t check_database(struct restore *r)
{
	struct db_migrate_plan plan;
	struct db_table *tables;
	size_t count;
	err_t e = db_migrate_plan(r->db, &db_schema, &plan);

	if (!e)
		e = backup_manifest_judge(r->call->arena, &r->manifest, &db_schema,
					  db_server_version(r->db) / 10000);
	if (!e)
		e = db_tables(r->db, NULL, &tables, &count);
	if (e || !count)
		return e;
	return refuse(r, arena_printf(r->call->arena, "the database has %zu tables, such as %.*s",
				      count, STR_ARG(tables[0].name)));
}

static err_t open_database(struct restore *r)
{
	const struct config *config = r->call->config;
	struct db_options options;
	err_t e = database_make_directory(r->call->arena, config);

	if (!e && *config->listen_database_url)
		r->url = config->listen_database_url;
	else if (!e)
		e = database_own_embedded(r->call->arena, config, &r->url);
	if (e)
		return e;
	options = database_options(config, r->url);
	options.unnamed_statements = true;
	e = db_open(r->call->arena, &options, &r->db);
	return e ? err_wrap(r->call->arena, e, "cannot open the database") : NULL;
}

/* ---- the data ----------------------------------------------------------------------------------- */

static err_t tell_fill(void *context, int64_t bytes)
{
	struct restore *r = context;
	const struct progress_state state = { (double)bytes / (double)(r->dump_bytes + 1), bytes,
					      "restored" };

	progress_show(&r->progress, &state);
	return NULL;
}

/* The rows are in. */
static void wait_for_indexes(struct restore *r, struct db_dump *dump)
{
	const struct progress_state state = { -1, -1, "indexes are made" };

	progress_begin(&r->progress);
	do
		progress_show(&r->progress, &state);
	while (!db_dump_wait(dump, WAIT_MS));
}

static err_t fill(struct restore *r)
{
	const struct config *config = r->call->config;
	const struct archive_member *m = archive_find(&r->file, BACKUP_DUMP);
	struct db_dump dump;
	err_t ended;
	err_t e = db_restore_start(r->db, *config->pg_bindir ? config->pg_bindir : NULL, &dump);

	if (e)
		return e;
	r->dump_bytes = m->size;
	progress_begin(&r->progress);
	e = backup_stream_out(&r->file, m, dump.fd, tell_fill, r);
	if (!e)
		wait_for_indexes(r, &dump);
	progress_clear(&r->progress);
	if (e) {
		db_dump_kill(&dump);
		return e;
	}
	ended = db_dump_end(r->call->arena, &dump);
	return ended ? err_wrap(r->call->arena, ended, "nothing was restored") : NULL;
}

static err_t compare(struct restore *r)
{
	const struct db_tables_progress progress = { progress_count, &r->progress };
	struct db_table *tables;
	size_t count;
	err_t e;

	progress_begin(&r->progress);
	e = db_tables(r->db, &progress, &tables, &count);
	progress_clear(&r->progress);
	if (!e)
		e = db_tables_compare(r->call->arena, r->manifest.tables, r->manifest.table_count,
				      tables, count);
	return e ? e : db_analyze(r->db);
}

/* Written first: with the data and without it no server would start, and nobody would know why. */
static err_t put_secret(struct restore *r)
{
	const char *path = r->call->config->secret_file;
	err_t e;

	if (access(path, F_OK) == 0)
		return NULL;
	e = secret_store(r->call->arena, path, r->secret);
	r->secret_is_new = !e;
	return e;
}

/* What the folder has already, because it outlived the database, is not needed from the backup. */
static err_t copy_files(struct restore *r, struct content_store *to)
{
	const char *path = files_beside(r->call->arena, r->call->argument[0],
					command_option(r->call, "files"));
	struct content_store *from;
	struct file_content *first;
	size_t count;
	err_t e = file_store_list_content(r->db, STR(""), 1, &first, &count);

	if (e || !count)
		return e;
	e = content_folder_open(r->call->arena, path, CONTENT_FIND, 0, &from);
	if (e)
		return NULL; /* verify tells which files are missed */
	e = files_copy(r->db, from, to, &r->progress, &r->copied);
	content_close(from);
	return e;
}

static err_t put_files(struct restore *r)
{
	const struct config *config = r->call->config;
	struct content_store *content;
	err_t e = content_folder_open(r->call->arena, config->files_dir, CONTENT_MAKE,
				      config->files_reserve, &content);

	if (e)
		return e;
	e = files_restore(r->db, config, content);
	if (!e)
		e = copy_files(r, content);
	content_close(content);
	return e;
}

static err_t put_all(struct restore *r)
{
	err_t e = put_secret(r);

	if (!e)
		e = fill(r);
	if (e) {
		if (r->secret_is_new)
			unlink(r->call->config->secret_file);
		return e;
	}
	e = compare(r);
	if (!e)
		e = put_files(r);
	return e ? e : secret_check(r->db, r->call->config->secret_file, r->secret);
}

/* ---- the proof ---------------------------------------------------------------------------------- */

/* Said before the proof: what has faults is restored all the same, and they were in the backup. */
static void tell_restored(const struct restore *r)
{
	char time[CLOCK_TEXT_SIZE];

	clock_format(r->manifest.time, time);
	printf("restored what was there at %s\n", time);
	if (r->copied.files || r->copied.was_there)
		printf("files: %lld copied, %lld were there\n", (long long)r->copied.files,
		       (long long)r->copied.was_there);
	fflush(stdout);
}

static err_t prove(struct restore *r)
{
	struct db_options options = database_options(r->call->config, r->url);
	struct verify_report report = { .json = false };
	struct verify_ask ask = { .jobs = VERIFY_JOBS };
	struct config config = *r->call->config;
	struct db *db;
	err_t e;

	config.upgrade_copies = 0; /* there is the backup */
	e = database_prepare(r->call->arena, &config, r->url, &db);
	if (e)
		return e;
	e = files_find(db, r->call->config, &ask.content);
	db_close(db);
	if (e)
		return e;
	tell_restored(r);
	e = verify_report_run(&report, r->call->arena, &options, &ask);
	content_close(ask.content);
	return e ? err_wrap(r->call->arena, e, "all is restored, but verify is not content") : NULL;
}

static err_t run(struct restore *r)
{
	err_t e = check_secret(r);

	if (!e)
		e = open_database(r);
	if (!e)
		e = check_database(r);
	if (!e)
		e = put_all(r);
	if (r->db)
		db_close(r->db);
	return e ? e : prove(r);
}

err_t restore_command(struct command_call *call)
{
	struct restore r = { .call = call, .file.fd = -1 };
	err_t e;

	log_set(LOG_WARNING, (enum log_format)call->config->log_format);
	signal(SIGPIPE, SIG_IGN); /* of pg_restore that ended: it says why */
	e = read_file(&r);
	if (!e)
		e = run(&r);
	archive_close(&r.file);
	return e;
}
