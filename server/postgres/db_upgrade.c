/*
 * To a newer PostgreSQL by dump and restore, both servers running and the text going through a
 * pipe, so no third copy is needed. Rejected: pg_upgrade, which wants both versions' programs,
 * checksums alike and free ports, and with --link cannot be undone.
 *
 *	pg        the old cluster         pg.old-15
 *	pg.new    filled from it    →     pg
 *
 * The two names change places in one step where the file system can do that.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "clock.h"
#include "db.h"
#include "db_dump.h"
#include "db_server.h"
#include "log.h"

struct upgrade {
	struct arena *arena;
	const struct db_embedded_options *options;
	struct db_cluster old;
	struct db_cluster new;
	struct db_programs old_programs;
	struct db_programs new_programs;
	struct db_server old_server;
	struct db_server new_server;
};

/* ---- which versions -------------------------------------------------------------------------- */

/* The folder given for the new version need not have the old one too. */
static err_t find_old(struct upgrade *u, int major)
{
	struct db_embedded_options anywhere = *u->options;
	err_t e = db_programs_find(u->arena, u->options, major, &u->old_programs, NULL);

	if (!e || !u->options->bindir)
		return e;
	anywhere.bindir = NULL;
	return db_programs_find(u->arena, &anywhere, major, &u->old_programs, NULL);
}

static err_t find_versions(struct upgrade *u)
{
	int major;
	err_t e = db_cluster_major(&u->old, u->arena, &major);

	if (e)
		return e;
	if (!major)
		return err_new(u->arena, ERR_PRECONDITION, "\"%s\" does not contain a database yet",
			       u->options->data_dir);
	e = db_programs_find(u->arena, u->options, 0, &u->new_programs, NULL);
	if (e)
		return e;
	if (u->new_programs.major <= major)
		return err_new(u->arena, ERR_PRECONDITION,
			       "the database uses PostgreSQL %d, and no newer version was found",
			       major);
	return find_old(u, major);
}

/* ---- the copy -------------------------------------------------------------------------------- */

static err_t start_both(struct upgrade *u)
{
	struct arena *a = u->arena;
	err_t e;

	e = db_server_prepare(a, &u->old, u->options, &u->old_programs, &u->old_server);
	if (!e)
		e = db_server_start(a, &u->old_server);
	if (!e)
		e = db_remove_tree(a, u->new.pg);
	if (!e)
		e = db_cluster_init(&u->new, a, &u->new_programs, u->new.pg);
	if (!e)
		e = db_server_prepare(a, &u->new, u->options, &u->new_programs, &u->new_server);
	return e ? e : db_server_start(a, &u->new_server);
}

static err_t spawn(struct upgrade *u, const char *const *argv, int in, int out, pid_t *ret_pid)
{
	struct db_spawn s = {
		.argv = argv,
		.user = &u->new.user,
		.workdir = u->new.data,
		.death_signal = SIGKILL,
		.in = in,
		.out = out,
		.err = u->new.log,
	};

	return db_spawn(u->arena, &s, ret_pid);
}

/*
 * With the old version's pg_dump, and the psql that belongs to it. The usual
 * advice is the new one's, but a minor release of the old server may have
 * entries in its catalogs that only its own pg_dump leaves out: 15.20 does,
 * and an 18 without the same fix makes a dump that cannot be restored.
 */
static err_t copy_all(struct upgrade *u)
{
	const char *dump[] = {
		db_program(u->arena, &u->old_programs, "pg_dump"),
		"-d",
		u->old.url,
		NULL,
	};
	const char *restore[] = {
		db_program(u->arena, &u->old_programs, "psql"),
		"-X",
		"-q",
		"-1",
		"-o",
		"/dev/null",
		"-v",
		"ON_ERROR_STOP=1",
		"-d",
		u->new.url,
		NULL,
	};
	pid_t dumper = 0;
	pid_t restorer = 0;
	int fd[2];
	err_t e;
	err_t other;

	if (pipe2(fd, O_CLOEXEC))
		return err_new(u->arena, ERR_INTERNAL, "pipe: %s", strerror(errno));
	e = spawn(u, dump, -1, fd[1], &dumper);
	if (!e)
		e = spawn(u, restore, fd[0], u->new.log, &restorer);
	close(fd[0]);
	close(fd[1]);
	other = dumper ? db_spawn_wait(u->arena, dump[0], dumper) : NULL;
	if (!e)
		e = other;
	other = restorer ? db_spawn_wait(u->arena, restore[0], restorer) : NULL;
	return e ? e : other;
}

/* ---- the proof ------------------------------------------------------------------------------- */

static err_t count_tables(struct upgrade *u, const char *url, struct db_table **ret_tables,
			  size_t *ret_count)
{
	/* Unnamed, since statements that count do not live for ever. */
	const struct db_options options = { .url = url, .unnamed_statements = true };
	struct db *db;
	err_t e = db_open(u->arena, &options, &db);

	if (e)
		return e;
	e = db_tables(db, NULL, NULL, ret_tables, ret_count);
	db_close(db);
	return e;
}

static err_t analyze(struct upgrade *u)
{
	const struct db_options options = { .url = u->new.url };
	struct db *db;
	err_t e = db_open(u->arena, &options, &db);

	if (e)
		return e;
	e = db_analyze(db, NULL, 0);
	db_close(db);
	return e;
}

static err_t compare(struct upgrade *u)
{
	struct db_table *old = NULL;
	struct db_table *new = NULL;
	size_t old_count = 0;
	size_t new_count = 0;
	err_t e = count_tables(u, u->old.url, &old, &old_count);

	if (!e)
		e = count_tables(u, u->new.url, &new, &new_count);
	if (!e)
		e = db_tables_compare(u->arena, old, old_count, new, new_count);
	for (size_t i = 0; !e && i < new_count; i++)
		log_info("table is complete", LOG_STR("table", new[i].name),
			 LOG_INT("rows", new[i].rows));
	return e;
}

/* ---- the exchange ---------------------------------------------------------------------------- */

static const char *kept_folder(const struct upgrade *u)
{
	return arena_printf(u->arena, "%s.old-%d", u->old.pg, u->old_programs.major);
}

/* Checked before the copy, which may take hours. */
static err_t check_kept_folder(const struct upgrade *u)
{
	if (access(kept_folder(u), F_OK))
		return NULL;
	return err_new(u->arena, ERR_PRECONDITION,
		       "\"%s\" was kept by an older upgrade: remove it first", kept_folder(u));
}

static err_t exchange(struct upgrade *u)
{
	const char *kept = kept_folder(u);
	bool swapped;

	swapped = !renameat2(AT_FDCWD, u->old.pg, AT_FDCWD, u->new.pg, RENAME_EXCHANGE);
	if (rename(swapped ? u->new.pg : u->old.pg, kept) ||
	    (!swapped && rename(u->new.pg, u->old.pg)))
		return err_new(u->arena, ERR_INTERNAL, "rename in \"%s\": %s", u->old.data,
			       strerror(errno));
	log_info("the old database was kept", LOG_TEXT("folder", kept));
	return db_sync_folder(u->arena, u->old.data);
}

/* ---- the room ------------------------------------------------------------------------------------ */

/* The new cluster takes no more than the old one, which stays. */
static err_t check_room(const struct upgrade *u)
{
	const struct db_options options = { .url = u->old.url };
	struct statvfs disk;
	struct db_size size;
	struct err *full;
	struct db *db;
	err_t e = db_open(u->arena, &options, &db);

	if (e)
		return e;
	e = db_size(db, &size);
	db_close(db);
	if (e)
		return e;
	if (statvfs(u->old.data, &disk) ||
	    (int64_t)(disk.f_bavail * disk.f_frsize) >= size.all_bytes)
		return NULL;
	full = err_new(u->arena, ERR_PRECONDITION,
		       "not enough disk space for a second copy of the database: it needs %lld "
		       "MiB, but \"%s\" has %lld MiB free",
		       (long long)(size.all_bytes >> 20), u->old.data,
		       (long long)((int64_t)(disk.f_bavail * disk.f_frsize) >> 20));
	full->hint = "nothing was changed; make room on that disk and start again";
	return full;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static err_t fill_new(struct upgrade *u)
{
	err_t e = start_both(u);

	if (!e)
		e = check_room(u);
	if (e)
		return e;
	log_info("copying", LOG_INT("from", u->old_programs.major),
		 LOG_INT("to", u->new_programs.major));
	e = copy_all(u);
	if (e)
		return err_wrap(u->arena, e, "the copy failed, see \"%s/postgres.log\"",
				u->old.data);
	e = compare(u);
	return e ? e : analyze(u);
}

static err_t run(struct upgrade *u)
{
	err_t e = find_versions(u);

	if (!e)
		e = check_kept_folder(u);
	if (!e)
		e = db_cluster_beside(&u->old, arena_printf(u->arena, "%s.new", u->old.pg),
				      "pgsock.new", &u->new);
	if (e)
		return e;
	e = fill_new(u);
	db_server_stop(&u->new_server);
	db_server_stop(&u->old_server);
	rmdir(u->new.socket);
	return e ? e : exchange(u);
}

err_t db_embedded_upgrade(struct arena *a, const struct db_embedded_options *options)
{
	struct upgrade u = { .arena = a, .options = options };
	err_t e = db_cluster_open(a, options, &u.old);

	if (e)
		return e;
	e = run(&u);
	db_cluster_close(&u.old);
	return e;
}

/* False also if no programs were found at all: the start reports that. */
static err_t is_newer_there(struct upgrade *u, bool *ret_newer)
{
	struct db_programs newest;
	int major;
	err_t e = db_cluster_major(&u->old, u->arena, &major);

	*ret_newer = !e && major && !db_programs_find(u->arena, u->options, 0, &newest, NULL) &&
		     newest.major > major;
	if (*ret_newer)
		log_info("moving the database to a newer PostgreSQL", LOG_INT("from", major),
			 LOG_INT("to", newest.major));
	return e;
}

err_t db_embedded_upgrade_if_older(struct arena *a, const struct db_embedded_options *options)
{
	struct upgrade u = { .arena = a, .options = options };
	bool newer;
	err_t e = db_cluster_open(a, options, &u.old);

	if (e)
		return e;
	e = is_newer_there(&u, &newer);
	if (!e && newer)
		e = run(&u);
	db_cluster_close(&u.old);
	return e;
}
