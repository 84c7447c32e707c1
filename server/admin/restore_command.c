/*
 * cairnd restore: onto an empty database only. Everything that can be
 * checked is checked before anything is changed: the whole file is read once
 * and compared with its checksums. pg_restore works in one transaction, so a
 * restore that fails leaves the database empty, to be tried again.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "commands.h"
#include "database.h"
#include "db_dump.h"
#include "file_store.h"
#include "files.h"
#include "link_store.h"
#include "log.h"
#include "restore.h"
#include "secret.h"

struct restoring {
	struct restore r;   /* first: the check gets only this */
	bool secret_is_new; /* written by us */
	struct files_copied copied;
};

/* ---- the destination ---------------------------------------------------------------------------- */

static struct err *refuse(struct restore *r, const char *what)
{
	struct err *e = err_new(r->arena, ERR_PRECONDITION,
				"%s: a backup can only be restored onto an empty server", what);

	e->hint = *r->config->listen_database_url
			  ? "create a new database and set CAIRN_DATABASE_URL to it"
			  : "choose a new directory with --data-dir";
	return e;
}

static err_t check_secret(struct restore *r)
{
	const char *path = r->config->secret_file;
	struct str there;
	err_t e = secret_load(r->arena, path, &there);

	if (e || !there.len || str_equal(there, r->secret))
		return e;
	return refuse(r,
		      arena_printf(r->arena, "\"%s\" already contains a different secret", path));
}

static err_t check_database(struct restore *r)
{
	struct db_migrate_plan plan;
	struct db_table *tables;
	size_t count;
	err_t e = db_migrate_plan(r->db, &db_schema, &plan);

	if (!e)
		e = restore_judge(r, r->db);
	if (!e)
		e = db_tables(r->db, NULL, NULL, &tables, &count);
	if (e || !count)
		return e;
	return refuse(r, arena_printf(r->arena, "the database has %zu tables, such as %.*s", count,
				      STR_ARG(tables[0].name)));
}

/* A new embedded database is not made for a file that is not whole. */
static err_t open_embedded(struct restore *r)
{
	const char *url;
	err_t e = database_make_directory(r->arena, r->config);

	if (!e)
		e = database_own_embedded(r->arena, r->config, &url);
	return e ? e : restore_open(r, url);
}

/* ---- the data ----------------------------------------------------------------------------------- */

/*
 * Written first: with the data and without the secret no server would
 * start, and the reason would be hard to find.
 */
static err_t put_secret(struct restoring *g)
{
	const char *path = g->r.config->secret_file;
	err_t e;

	if (access(path, F_OK) == 0)
		return NULL;
	e = secret_store(g->r.arena, path, g->r.secret);
	g->secret_is_new = !e;
	return e;
}

/*
 * Files that the folder still has, because it outlived the database, are
 * not copied from the backup.
 */
static err_t copy_files(struct restoring *g, struct content_store *to)
{
	struct content_store *from;
	struct file_content *first;
	size_t count;
	err_t e = file_store_list_content(g->r.db, STR(""), 1, &first, &count);

	if (e || !count)
		return e;
	e = content_folder_open(g->r.arena, g->r.files, CONTENT_FIND, 0, &from);
	if (e)
		return NULL; /* verify reports the missing files */
	e = files_copy(g->r.db, from, to, &g->r.progress, &g->copied);
	content_close(from);
	return e;
}

static err_t put_files(struct restoring *g)
{
	const struct config *config = g->r.config;
	struct content_store *content;
	err_t e = content_folder_open(g->r.arena, config->files_dir, CONTENT_MAKE,
				      config->files_reserve, &content);

	if (e)
		return e;
	e = files_restore(g->r.db, config, content);
	if (!e)
		e = copy_files(g, content);
	content_close(content);
	return e;
}

static err_t put_all(struct restoring *g)
{
	const char *secret_file = g->r.config->secret_file;
	err_t e = database_make_directory(g->r.arena, g->r.config);

	if (!e)
		e = put_secret(g);
	if (!e)
		e = restore_fill(&g->r);
	if (e) {
		if (g->secret_is_new)
			unlink(secret_file);
		return e;
	}
	e = restore_compare(&g->r);
	if (!e)
		e = put_files(g);
	return e ? e : secret_check(g->r.db, secret_file, g->r.secret);
}

/* ---- the proof ---------------------------------------------------------------------------------- */

/*
 * Printed before the verification: data with faults is restored all the
 * same, and the faults were in the backup.
 */
static void tell_restored(const struct restoring *g)
{
	char time[CLOCK_TEXT_SIZE];

	clock_format(g->r.manifest.time, time);
	printf("restored the state of %s\n", time);
	if (g->copied.files || g->copied.was_there)
		printf("run files: %lld copied, %lld already present\n", (long long)g->copied.files,
		       (long long)g->copied.was_there);
	fflush(stdout);
}

/* The backup may have links that were used or revoked after it was made. */
static err_t remove_links(struct db *db)
{
	int64_t count;
	err_t e = link_store_remove_every(db, &count);

	if (!e && count)
		printf("one-time links: %lld removed: create new ones\n", (long long)count);
	fflush(stdout);
	return e;
}

static err_t find_files(struct restore *r, struct db *db, struct content_store **ret_content)
{
	err_t e = remove_links(db);

	return e ? e : files_find(db, r->config, ret_content);
}

static err_t run(struct restoring *g)
{
	struct restore *r = &g->r;
	const char *url = r->config->listen_database_url;
	err_t e = *url ? restore_open(r, url) : NULL;

	if (!e)
		e = restore_read(r);
	if (!e)
		e = check_secret(r);
	if (!e && !r->db)
		e = open_embedded(r);
	if (!e)
		e = check_database(r);
	if (!e)
		e = put_all(g);
	if (r->db)
		db_close(r->db);
	if (e)
		return e;
	tell_restored(g);
	e = restore_prove(r, find_files);
	return e ? err_wrap(r->arena, e, "restore finished, but verify found errors") : NULL;
}

err_t restore_command(struct command_call *call)
{
	struct restoring g = { .r = {
				       .arena = call->arena,
				       .config = call->config,
				       .path = call->argument[0],
				       .file.fd = -1,
			       } };
	err_t e;

	g.r.files = files_of_backup(call->arena, call->argument[0], command_option(call, "files"));
	log_set(LOG_WARNING, (enum log_format)call->config->log_format);
	signal(SIGPIPE, SIG_IGN); /* of pg_restore if it ended: it reports why */
	e = run(&g);
	archive_close(&g.r.file);
	return e;
}
