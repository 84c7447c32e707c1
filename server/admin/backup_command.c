/*
 * cairnd backup. pg_dump sees the moment that our own transaction holds. Its own would not do: it takes its
 * snapshot first and the locks of the tables after it, and a slot of the tail that is truncated in between
 * would be empty in the dump, while what was compacted out of it is not in it yet. Ours locks the tail
 * first. What is counted for the manifest is of the same moment.
 */
#include <stdio.h>

#include "archive.h"
#include "backup_manifest.h"
#include "backup_parts.h"
#include "backup_stream.h"
#include "commands.h"
#include "database.h"
#include "directory.h"
#include "file_store.h"
#include "files.h"
#include "progress.h"
#include "server_store.h"
#include "verify_store.h"

enum { DUMP_GROWS = 2 }; /* bytes are two characters each in a dump */

struct backup {
	struct command_call *call;
	struct db *db;
	struct archive_writer file;
	struct backup_manifest manifest;
	struct db_moment moment;
	struct str secret;
	struct content_store *content; /* NULL: the database has no files yet */
	struct files_copied copied;
	struct progress progress;
};

static const char *bindir_of(const struct config *config)
{
	return *config->pg_bindir ? config->pg_bindir : NULL;
}

/* ---- before anything is written ----------------------------------------------------------------- */

static err_t read_secret(struct backup *b)
{
	const char *path = b->call->config->secret_file;
	struct err *missing;
	err_t e = secret_load(b->call->arena, path, &b->secret);

	if (e || b->secret.len)
		return e ? e : secret_check(b->db, path, b->secret);
	missing = err_new(b->call->arena, ERR_PRECONDITION, "there is no secret file \"%s\"", path);
	missing->hint = "without the server's secret no key of the backup would work: name it with "
			"--secret-file";
	return missing;
}

static err_t read_schema(struct backup *b)
{
	struct db_migrate_plan plan;
	err_t e = db_migrate_plan(b->db, &db_schema, &plan);

	if (e)
		return e;
	if (!plan.version)
		return err_new(b->call->arena, ERR_PRECONDITION,
			       "the database is empty: there is nothing to back up");
	b->manifest.version = STR(CAIRN_VERSION);
	b->manifest.schema = plan.version;
	b->manifest.checksum =
		backup_schema_checksum(b->call->arena, &db_schema, (size_t)plan.version);
	b->manifest.postgresql = db_server_version(b->db) / 10000;
	return NULL;
}

/* The tail's lock comes before the first statement that reads. */
static err_t hold_moment(struct backup *b)
{
	const struct db_tables_progress progress = { progress_count, &b->progress };
	err_t e = db_begin_snapshot(b->db);

	if (!e)
		e = verify_store_tail_hold(b->db);
	if (!e)
		e = db_dump_hold(b->db, &b->moment);
	if (!e)
		e = server_store_now(b->db, &b->manifest.time);
	return e ? e : db_tables(b->db, &progress, &b->manifest.tables, &b->manifest.table_count);
}

/* ---- the file ----------------------------------------------------------------------------------- */

static err_t put_head(struct backup *b)
{
	struct buf *manifest = buf_new(b->call->arena);
	err_t e;

	backup_manifest_write(&b->manifest, manifest);
	e = archive_add(&b->file, BACKUP_MANIFEST, buf_str(manifest));
	return e ? e : archive_add(&b->file, BACKUP_SECRET, b->secret);
}

static void tell(void *context, int64_t bytes)
{
	struct backup *b = context;
	char written[PROGRESS_BYTES_SIZE];
	char what[80];
	double part = (double)bytes / (double)(DUMP_GROWS * b->moment.bytes);
	const struct progress_state state = { part < 0.99 ? part : 0.99, b->file.at, what };

	progress_bytes(written, (double)b->file.at);
	snprintf(what, sizeof(what), "%s written", written);
	progress_show(&b->progress, &state);
}

static err_t put_dump(struct backup *b)
{
	struct db_dump dump;
	err_t ended;
	err_t e = db_dump_start(b->db, bindir_of(b->call->config), b->moment.snapshot, &dump);

	if (e)
		return e;
	e = backup_stream_in(&b->file, BACKUP_DUMP, dump.fd, tell, b);
	if (e) {
		db_dump_kill(&dump);
		return e;
	}
	ended = db_dump_end(b->call->arena, &dump);
	return ended;
}

/* Where it is missing there are no files, and none are missed. */
static err_t has_files(struct backup *b, bool *ret_has)
{
	struct file_content *first;
	size_t count = 0;
	err_t e = b->content ? file_store_list_content(b->db, STR(""), 1, &first, &count) : NULL;

	*ret_has = count > 0;
	return e;
}

/*
 * When the moment has passed, for nobody may empty the tail before: what was named then is given up an hour
 * later at the earliest, and what came since does no harm.
 */
static err_t put_files(struct backup *b)
{
	const char *path = files_beside(b->call->arena, b->call->argument[0],
					command_option(b->call, "files"));
	struct content_store *to;
	bool has = false;
	err_t e;

	db_rollback(b->db);
	e = has_files(b, &has);
	if (e || !has)
		return e;
	e = content_folder_open(b->call->arena, path, CONTENT_MAKE, 0, &to);
	if (e)
		return e;
	e = files_copy(b->db, b->content, to, &b->progress, &b->copied);
	content_close(to);
	return e;
}

/* The file gets its name last. */
static err_t write_file(struct backup *b)
{
	err_t e = hold_moment(b);

	if (!e)
		e = put_head(b);
	if (!e)
		e = put_dump(b);
	if (!e)
		e = put_files(b);
	return e ? e : archive_finish(&b->file);
}

static err_t run(struct backup *b)
{
	err_t e = read_schema(b);

	if (!e)
		e = read_secret(b);
	if (!e)
		e = files_find(b->db, b->call->config, &b->content);
	if (!e)
		e = archive_create(b->call->arena, b->call->argument[0], &b->file);
	if (e)
		return e;
	progress_begin(&b->progress);
	e = write_file(b);
	progress_clear(&b->progress);
	archive_abandon(&b->file);
	return e;
}

static void report(const struct backup *b)
{
	char size[PROGRESS_BYTES_SIZE];
	char time[CLOCK_TEXT_SIZE];

	progress_bytes(size, (double)b->file.at);
	clock_format(b->manifest.time, time);
	printf("\"%s\": %zu tables as of %s, %s\n", b->call->argument[0], b->manifest.table_count,
	       time, size);
	if (!b->copied.files && !b->copied.was_there)
		return;
	progress_bytes(size, (double)b->copied.bytes);
	printf("files beside it: %lld copied, %s; %lld were there\n", (long long)b->copied.files,
	       size, (long long)b->copied.was_there);
}

static err_t judge(const struct backup *b)
{
	if (!b->copied.missing && !b->copied.broken)
		return NULL;
	return err_new(b->call->arena, ERR_INTERNAL,
		       "the backup is made, but of the files %lld are missing and %lld damaged: "
		       "\"cairnd verify\" names them",
		       (long long)b->copied.missing, (long long)b->copied.broken);
}

err_t backup_command(struct command_call *call)
{
	struct backup b = { .call = call, .file.file.fd = -1 };
	struct db_options options;
	const char *url;
	err_t e = directory_url(call, &url);

	if (e)
		return e;
	options = database_options(call->config, url);
	options.unnamed_statements = true;
	e = db_open(call->arena, &options, &b.db);
	if (e)
		return err_wrap(call->arena, e, "cannot open the database");
	e = run(&b);
	db_rollback(b.db);
	db_close(b.db);
	content_close(b.content);
	if (e)
		return e;
	report(&b);
	return judge(&b);
}
