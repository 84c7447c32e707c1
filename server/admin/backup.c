/*
 * The database may have tables of others, too: only Cairn's are read (db_ours.h).
 *
 * pg_dump sees the moment that our own transaction holds. Its own would not do: it takes its
 * snapshot first and the locks of the tables after it, and a slot of the tail that is truncated in
 * between would be empty in the dump, while the chunks made of it are not in the dump yet. Ours
 * locks the tail first. The counts of the manifest are of the same moment.
 */
#include "backup.h"

#include <stdio.h>

#include "archive.h"
#include "backup_parts.h"
#include "backup_stream.h"
#include "database.h"
#include "file_store.h"
#include "secret.h"
#include "server_store.h"
#include "verify_store.h"

enum { DUMP_GROWS = 2 /* bytes are two characters each in a dump */, LOCK_WAIT_MS = 60 * 1000 };

struct backup {
	const struct backup_ask *ask;
	struct arena *arena;
	struct db *db;
	struct archive_writer file;
	struct backup_manifest manifest;
	struct db_moment moment;
	struct db_ours ours;
	struct str secret;
	struct content_store *content; /* NULL: the database has no files yet */
	struct files_copied copied;
};

static const char *bindir_of(const struct config *config)
{
	return *config->pg_bindir ? config->pg_bindir : NULL;
}

/* ---- before anything is written ----------------------------------------------------------------- */

static err_t read_secret(struct backup *b)
{
	const char *path = b->ask->config->secret_file;
	struct err *missing;
	err_t e = secret_load(b->arena, path, &b->secret);

	if (e || b->secret.len)
		return e ? e : secret_check(b->db, path, b->secret);
	missing =
		err_new(b->arena, ERR_PRECONDITION, "the secret file \"%s\" does not exist", path);
	missing->hint = "keys in the backup are useless without the server's secret: name the "
			"file with --secret-file";
	return missing;
}

/* Also for a schema that this version does not know, if that is asked for. */
static err_t find_schema(struct backup *b, struct db_schema *ret_applied)
{
	struct db_migrate_plan plan;
	err_t e = b->ask->any_schema ? NULL : db_migrate_plan(b->db, &db_schema, &plan);

	if (!e)
		e = db_schema_applied(b->db, ret_applied);
	if (!e && !ret_applied->migrations)
		e = err_new(b->arena, ERR_PRECONDITION,
			    "the database is empty: there is nothing to back up");
	return e;
}

static err_t read_schema(struct backup *b)
{
	struct db_schema applied;
	err_t e = find_schema(b, &applied);

	if (e)
		return e;
	b->manifest.version = STR(CAIRN_VERSION);
	b->manifest.schema = applied.migration[applied.migrations - 1].number;
	b->manifest.checksum = backup_schema_checksum(b->arena, &applied, applied.migrations);
	b->manifest.postgresql = db_server_version(b->db) / 10000;
	return NULL;
}

/* The tail's lock comes before the first statement that reads. */
static err_t hold_moment(struct backup *b)
{
	const struct db_tables_progress progress = { progress_count, b->ask->progress };
	err_t e = db_begin_snapshot(b->db, LOCK_WAIT_MS);

	if (!e)
		e = verify_store_tail_hold(b->db);
	if (!e)
		e = db_dump_hold(b->db, &b->moment);
	if (!e)
		e = server_store_now(b->db, &b->manifest.time);
	if (!e)
		e = db_ours_find(b->db, &b->ours);
	return e ? e
		 : db_tables(b->db, &b->ours, &progress, &b->manifest.tables,
			     &b->manifest.table_count);
}

/* ---- the file ----------------------------------------------------------------------------------- */

static err_t put_head(struct backup *b)
{
	struct buf *manifest = buf_new(b->arena);
	err_t e;

	backup_manifest_write(&b->manifest, manifest);
	e = archive_add(&b->file, BACKUP_MANIFEST, buf_str(manifest));
	return e ? e : archive_add(&b->file, BACKUP_SECRET, b->secret);
}

static err_t tell(void *context, int64_t bytes)
{
	struct backup *b = context;
	char written[PROGRESS_BYTES_SIZE];
	char what[80];
	double part = (double)bytes / (double)(DUMP_GROWS * b->moment.bytes);
	const struct progress_state state = { part < 0.99 ? part : 0.99, b->file.at, what };

	progress_bytes(written, (double)b->file.at);
	snprintf(what, sizeof(what), "%s written", written);
	progress_show(b->ask->progress, &state);
	if (b->ask->stopped && b->ask->stopped())
		return err_new(b->arena, ERR_BUSY, "pg_dump was stopped by a signal");
	return NULL;
}

static err_t put_dump(struct backup *b)
{
	struct db_dump dump;
	err_t e = db_dump_start(b->db, bindir_of(b->ask->config), b->moment.snapshot, &b->ours,
				&dump);

	if (e)
		return e;
	e = backup_stream_in(&b->file, BACKUP_DUMP, dump.fd, tell, b);
	if (e) {
		db_dump_kill(&dump);
		return e;
	}
	return db_dump_end(b->arena, &dump);
}

/* If the folder is missing there are no files, and none are missed. */
static err_t has_files(struct backup *b, bool *ret_has)
{
	struct file_content *first;
	size_t count = 0;
	err_t e = b->content ? file_store_list_content(b->db, STR(""), 1, &first, &count) : NULL;

	*ret_has = count > 0;
	return e;
}

/*
 * After the snapshot has ended, for until then the tail cannot be truncated: content that was named
 * then is deleted an hour later at the earliest, and later content does no harm.
 */
static err_t put_files(struct backup *b)
{
	struct content_store *to;
	bool has = false;
	err_t e;

	db_rollback(b->db);
	e = has_files(b, &has);
	if (e || !has)
		return e;
	e = content_folder_open(b->arena, b->ask->files, CONTENT_MAKE, 0, &to);
	if (e)
		return e;
	e = files_copy(b->db, b->content, to, b->ask->progress, &b->copied);
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
	if (!e && b->ask->files)
		e = put_files(b);
	return e ? e : archive_finish(&b->file);
}

static err_t run(struct backup *b)
{
	err_t e = db_dump_check(b->db, bindir_of(b->ask->config));

	if (!e)
		e = read_schema(b);
	if (!e)
		e = read_secret(b);
	if (!e && b->ask->files)
		e = files_find(b->db, b->ask->config, &b->content);
	if (!e)
		e = archive_create(b->arena, b->ask->path, &b->file);
	if (e)
		return e;
	progress_begin(b->ask->progress);
	e = write_file(b);
	progress_clear(b->ask->progress);
	archive_abandon(&b->file);
	return e;
}

err_t backup_write(struct db *db, const struct backup_ask *ask, struct backup_made *ret_made)
{
	struct backup b = { .ask = ask, .arena = db_arena(db), .db = db, .file.file.fd = -1 };
	err_t e = run(&b);

	db_rollback(db);
	content_close(b.content);
	if (e)
		return e;
	*ret_made = (struct backup_made){ b.manifest, b.file.at, b.copied };
	return NULL;
}

err_t backup_open(struct arena *a, const struct config *config, const char *url,
		  bool (*stopped)(void), struct db **ret_db)
{
	struct db_options options = database_options(config, url);
	err_t e;

	options.unnamed_statements = true;
	options.stopped = stopped;
	e = db_open(a, &options, ret_db);
	return e ? database_cannot_open(a, config, e) : NULL;
}
