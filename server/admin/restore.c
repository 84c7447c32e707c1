#include "restore.h"

#include <stdio.h>

#include "backup.h"
#include "backup_parts.h"
#include "backup_stream.h"
#include "content.h"
#include "database.h"
#include "db_dump.h"
#include "verify_report.h"

enum { SECRET_MAX = 4096, VERIFY_JOBS = 2, WAIT_MS = 200 };

static const char *bindir_of(const struct restore *r)
{
	return *r->config->pg_bindir ? r->config->pg_bindir : NULL;
}

err_t restore_open(struct restore *r, const char *url)
{
	err_t e = backup_open(r->arena, r->config, url, NULL, &r->db);

	r->url = url;
	return e ? e : db_dump_check(r->db, bindir_of(r));
}

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
		return err_new(r->arena, ERR_UNPROCESSABLE, "\"%s\" is not a backup: %s is missing",
			       r->path, name);
	return archive_read_all(&r->file, m, max, ret_bytes);
}

err_t restore_read(struct restore *r)
{
	struct str text;
	err_t e;

	progress_begin(&r->progress);
	e = archive_open(r->arena, r->path, tell_check, r, &r->file);
	progress_clear(&r->progress);
	if (!e)
		e = read_part(r, BACKUP_MANIFEST, BACKUP_MANIFEST_BYTES, &text);
	if (!e)
		e = backup_manifest_read(r->arena, text, &r->manifest);
	if (!e)
		e = read_part(r, BACKUP_SECRET, SECRET_MAX, &r->secret);
	if (!e && !archive_find(&r->file, BACKUP_DUMP))
		e = err_new(r->arena, ERR_UNPROCESSABLE,
			    "\"%s\" is not a backup: the dump is missing", r->path);
	return e;
}

err_t restore_judge(struct restore *r, struct db *db)
{
	return backup_manifest_judge(r->arena, &r->manifest, &db_schema,
				     db_server_version(db) / 10000);
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

/* After the rows are in. */
static void wait_for_indexes(struct restore *r, struct db_dump *dump)
{
	const struct progress_state state = { -1, -1, "creating indexes" };

	progress_begin(&r->progress);
	do
		progress_show(&r->progress, &state);
	while (!db_dump_wait(dump, WAIT_MS));
}

err_t restore_fill(struct restore *r)
{
	const struct archive_member *m = archive_find(&r->file, BACKUP_DUMP);
	struct backup_schema schema = backup_manifest_schema(r->arena, &r->manifest);
	struct db_dump dump;
	err_t ended;
	err_t e = db_restore_start(r->db, bindir_of(r), schema.name, &dump);

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
	ended = db_dump_end(r->arena, &dump);
	return ended ? err_wrap(r->arena, ended, "nothing was restored") : NULL;
}

/* In a transaction, which no limit of the role ends. */
static err_t count_tables(struct restore *r, struct db_table **ret_tables, size_t *ret_count)
{
	const struct db_tables_progress progress = { progress_count, &r->progress };
	err_t e = db_begin_snapshot(r->db, 0);

	progress_begin(&r->progress);
	if (!e)
		e = db_tables(r->db, NULL, &progress, ret_tables, ret_count);
	progress_clear(&r->progress);
	db_rollback(r->db);
	return e;
}

/* A backup of an older version may tell of tables of others, which are not restored. */
err_t restore_compare(struct restore *r)
{
	struct backup_schema schema = backup_manifest_schema(r->arena, &r->manifest);
	size_t told = db_tables_of(r->manifest.tables, r->manifest.table_count, schema.quoted);
	struct db_table *tables;
	size_t count;
	err_t e = count_tables(r, &tables, &count);

	if (!e)
		e = db_tables_compare(r->arena, r->manifest.tables, told, tables, count);
	return e ? e : db_analyze(r->db, tables, count);
}

/* ---- the proof ---------------------------------------------------------------------------------- */

err_t restore_prove(struct restore *r, restore_find_fn *find)
{
	struct db_options options = database_options(r->config, r->url);
	struct verify_report report = { .json = false };
	struct verify_ask ask = { .jobs = VERIFY_JOBS };
	struct config config = *r->config;
	struct db *db;
	err_t e;

	config.upgrade_copies = 0; /* there is the backup */
	e = database_prepare(r->arena, &config, r->url, NULL, &db);
	if (e)
		return e;
	e = find(r, db, &ask.content);
	db_close(db);
	if (e)
		return e;
	e = verify_report_run(&report, r->arena, &options, &ask);
	content_close(ask.content);
	return e;
}
