/* cairnd backup: into a file, or into a folder in which it keeps the newest ones. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backup.h"
#include "commands.h"
#include "copies.h"
#include "database.h"
#include "directory.h"
#include "drill.h"
#include "str.h"

enum { KEEP_MOST = 10000 };

/* The destination of a backup. In a folder, `folder.backup_dir`, the newest `folder.upgrade_copies` are kept; 0: all. */
struct backup_target {
	const char *path;  /* NULL: in the folder, under a name that says which database it is of */
	const char *files; /* NULL: next to `path` */
	bool is_folder;
	struct config folder;
};

static void report(const char *path, const struct backup_made *made)
{
	char size[PROGRESS_BYTES_SIZE];
	char time[CLOCK_TEXT_SIZE];

	progress_bytes(size, (double)made->bytes);
	clock_format(made->manifest.time, time);
	printf("\"%s\": %zu tables as of %s, %s\n", path, made->manifest.table_count, time, size);
	if (!made->copied.files && !made->copied.was_there)
		return;
	progress_bytes(size, (double)made->copied.bytes);
	printf("run files: %lld copied, %s; %lld already present\n", (long long)made->copied.files,
	       size, (long long)made->copied.was_there);
}

static err_t judge(struct arena *a, const struct files_copied *copied)
{
	if (!copied->missing && !copied->broken)
		return NULL;
	return err_new(a, ERR_INTERNAL,
		       "the backup was written, but %lld run files are missing and %lld are "
		       "damaged: \"cairnd verify\" lists them",
		       (long long)copied->missing, (long long)copied->broken);
}

/* ---- where to ----------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static err_t read_keep(struct command_call *call, struct backup_target *p)
{
	const char *keep = command_option(call, "keep");

	p->folder.upgrade_copies = 0;
	if (keep && !p->is_folder)
		return err_new(call->arena, ERR_INVALID,
			       "\"backup --keep\" requires a directory, and \"%s\" is not a "
			       "directory",
			       call->argument[0]);
	if (keep && !str_to_int64(str_of(keep), 1, KEEP_MOST, &p->folder.upgrade_copies))
		return err_new(call->arena, ERR_INVALID, "\"--keep\" must be a number from 1 to %d",
			       KEEP_MOST);
	return NULL;
}

/* The server's user, who makes the next backup, could not write to what root made there. */
static err_t check_user(struct command_call *call)
{
	const char *data_dir = call->config->data_dir;
	struct err *e;
	struct stat st;

	if (geteuid() != 0 || stat(data_dir, &st) || st.st_uid == 0)
		return NULL;
	e = err_new(call->arena, ERR_PRECONDITION,
		    "\"%s\" belongs to another user, who could not remove files written there by "
		    "root",
		    data_dir);
	e->hint = "run this command as its owner (sudo -u cairn cairnd backup), or name a file";
	return e;
}

static err_t make_folder(struct command_call *call)
{
	err_t e = directory_check(call);

	if (!e)
		e = check_user(call);
	return e ? e : database_make_backup_directory(call->arena, call->config);
}

static err_t find_target(struct command_call *call, struct backup_target *ret_target)
{
	struct backup_target p = {
		.path = call->argument[0],
		.files = command_option(call, "files"),
		.folder = *call->config,
	};
	err_t e;

	p.is_folder = !p.path || is_folder(p.path);
	if (p.path)
		p.folder.backup_dir = p.path;
	e = read_keep(call, &p);
	if (!e && !p.path)
		e = make_folder(call);
	if (e)
		return e;
	if (p.is_folder)
		p.path = NULL;
	if (p.is_folder && !p.files)
		p.files = arena_printf(call->arena, "%s/" FILES_SHARED, p.folder.backup_dir);
	*ret_target = p;
	return NULL;
}

static err_t name_target(struct command_call *call, struct db *db, struct backup_target *p)
{
	const struct copies_ask ask = { .kind = COPIES_BACKUP };
	err_t e = NULL;

	if (!p->path)
		e = copies_begin(call->arena, &p->folder, db, &ask, &p->path);
	if (!e)
		p->files = files_beside(call->arena, p->path, p->files);
	return e;
}

/* ---- the backup --------------------------------------------------------------------------------- */

static err_t write_backup(struct command_call *call, struct db *db, const struct backup_target *p,
			  struct backup_made *ret_made)
{
	struct progress progress = { .shown = false };
	const struct backup_ask ask = {
		.config = call->config,
		.path = p->path,
		.files = p->files,
		.progress = &progress,
	};

	return backup_write(db, &ask, ret_made);
}

static err_t make_backup(struct command_call *call, struct backup_target *p,
			 struct backup_made *ret_made)
{
	const char *url;
	struct db *db;
	err_t e = directory_url(call, &url);

	if (!e)
		e = backup_open(call->arena, call->config, url, NULL, &db);
	if (e)
		return e;
	e = name_target(call, db, p);
	if (!e)
		e = write_backup(call, db, p, ret_made);
	db_close(db);
	if (db_err_is(e, DB_DISK_FULL))
		return err_hint(call->arena, e,
				"no backup was written; make room on the disk of the database");
	return e;
}

/* Old ones are removed when the new one is good. */
static err_t make(struct command_call *call)
{
	struct backup_made made;
	struct backup_target p;
	err_t e = find_target(call, &p);

	if (!e)
		e = make_backup(call, &p, &made);
	if (e)
		return e;
	report(p.path, &made);
	e = judge(call->arena, &made.copied);
	if (e || !p.folder.upgrade_copies)
		return e;
	return copies_remove_old(call->arena, &p.folder, p.path);
}

err_t backup_command(struct command_call *call)
{
	if (!command_option(call, "verify"))
		return make(call);
	if (!call->argument[0] || command_option(call, "keep"))
		return err_new(
			call->arena, ERR_INVALID,
			"\"backup --verify\" requires the FILE of a backup and excludes --keep");
	return drill(call);
}
