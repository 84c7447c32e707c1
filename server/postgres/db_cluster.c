/*
 * The data directory. A cluster is made under another name and renamed when it is whole and on disk,
 * so a crash in the middle leaves none; one flush of the file system replaces the sync of a thousand
 * files, which takes seconds on a slow disk.
 */
#include "db_cluster.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "db_file_system.h"
#include "str.h"

#define LOG_MOST_BYTES (16 << 20)
enum { NEW_MIB = 48, MIB = 1 << 20 }; /* the size of initdb's output */

const char db_cluster_full[] =
	"the disk of the data directory is full: make room; stored data is not damaged";

/*
 * The owner of the path that was refused, or of the folder that would contain it, and our own user.
 */
static const char *whose_is(struct arena *a, const char *path)
{
	const struct passwd *user = getpwuid(geteuid());
	const char *name = user ? arena_strdup(a, user->pw_name) : "an unnamed user";
	char *folder = arena_strdup(a, path);
	struct stat st;

	if (stat(path, &st))
		path = dirname(folder);
	user = stat(path, &st) ? NULL : getpwuid(st.st_uid);
	if (!user)
		return arena_printf(a, "cairnd runs as \"%s\"", name);
	return arena_printf(a, "\"%s\" belongs to \"%s\", and cairnd runs as \"%s\"", path,
			    user->pw_name, name);
}

static err_t failed(struct arena *a, const char *what, const char *path)
{
	int reason = errno;
	struct err *e =
		err_new(a, ERR_PRECONDITION, "cannot %s \"%s\": %s", what, path, strerror(reason));

	if (reason == EACCES || reason == EPERM)
		e->hint = whose_is(a, path);
	if (reason == ENOSPC || reason == EDQUOT)
		e->hint = db_cluster_full;
	return e;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

err_t db_remove_tree(struct arena *a, const char *folder)
{
	if (nftw(folder, remove_entry, 32, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
		return failed(a, "remove", folder);
	return NULL;
}

err_t db_sync_folder(struct arena *a, const char *folder)
{
	int fd = open(folder, O_RDONLY | O_CLOEXEC);
	bool synced = fd >= 0 && fsync(fd) == 0;
	err_t e = synced ? NULL : failed(a, "sync", folder);

	if (fd >= 0)
		close(fd);
	return e;
}

static err_t sync_file_system(struct arena *a, const char *folder)
{
	int fd = open(folder, O_RDONLY | O_CLOEXEC);
	bool synced = fd >= 0 && syncfs(fd) == 0;
	err_t e = synced ? NULL : failed(a, "sync", folder);

	if (fd >= 0)
		close(fd);
	return e;
}

/* A folder that only PostgreSQL's user, and root, can enter. */
static err_t make_private(const struct db_cluster *c, struct arena *a, const char *folder)
{
	struct stat st;

	if (mkdir(folder, 0700) && errno != EEXIST)
		return failed(a, "create", folder);
	if (stat(folder, &st))
		return failed(a, "access", folder);
	if (st.st_uid == 0 && c->user.drop && chown(folder, c->user.uid, c->user.gid))
		return failed(a, "change the owner of", folder);
	if (st.st_uid != c->user.uid && !(st.st_uid == 0 && c->user.drop))
		return err_new(a, ERR_PRECONDITION,
			       "\"%s\" belongs to user id %d, but PostgreSQL would run as \"%s\"",
			       folder, (int)st.st_uid, c->user.name);
	if (chmod(folder, 0700))
		return failed(a, "remove the access of others to", folder);
	return NULL;
}

const char *db_read_line(struct arena *a, const char *path)
{
	char text[PATH_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, text, sizeof(text)) : -1;

	if (fd >= 0)
		close(fd);
	return len > 0 ? str_copy(a, str_cut(&(struct str){ text, (size_t)len }, '\n')) : NULL;
}

/* ---- the directory --------------------------------------------------------------------------- */

static err_t open_data(struct db_cluster *c, const char *wanted)
{
	char path[PATH_MAX];

	if (mkdir(wanted, 0750) && errno != EEXIST)
		return failed(c->arena, "create", wanted);
	if (!realpath(wanted, path))
		return failed(c->arena, "open", wanted);
	c->data = arena_strdup(c->arena, path);
	c->pg = arena_printf(c->arena, "%s/pg", path);
	return NULL;
}

/*
 * Two hosts that share a directory may both start a PostgreSQL in it, if locks are not shared, too;
 * and one that loses the connection for a while may lose acknowledged data.
 */
static err_t check_file_system(const struct db_cluster *c, const struct db_embedded_options *o)
{
	const char *network = o->network_allowed ? NULL : db_network_file_system(c->data);
	struct err *e;

	if (!network)
		return NULL;
	e = err_new(
		c->arena, ERR_PRECONDITION,
		"\"%s\" is on a network file system (%s), where the embedded database is not safe",
		c->data, network);
	e->hint = "choose a directory on a local disk with --data-dir; files_dir and backup_dir "
		  "may be on the network. network_data_dir=allow overrides this check";
	return e;
}

static err_t take_lock(struct db_cluster *c)
{
	const char *path = arena_printf(c->arena, "%s/cairn.lock", c->data);
	const char *owner;
	struct err *e;

	c->lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0640);
	if (c->lock < 0)
		return failed(c->arena, "open", path);
	if (flock(c->lock, LOCK_EX | LOCK_NB)) {
		owner = db_read_line(c->arena, path);
		e = err_new(c->arena, ERR_CONFLICT,
			    "\"%s\" is in use by another server (process %s)", c->data,
			    owner ? owner : "unknown");
		e->hint = "stop that server, or choose another directory with --data-dir";
		return e;
	}
	if (ftruncate(c->lock, 0) || dprintf(c->lock, "%d\n", (int)getpid()) < 0)
		return failed(c->arena, "write", path);
	return NULL;
}

static err_t open_log(struct db_cluster *c)
{
	const char *path = arena_printf(c->arena, "%s/postgres.log", c->data);
	struct stat st;

	if (!stat(path, &st) && st.st_size > LOG_MOST_BYTES)
		rename(path, arena_printf(c->arena, "%s.1", path));
	c->log = open(path, O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC, 0640);
	return c->log < 0 ? failed(c->arena, "open", path) : NULL;
}

/* Whether PostgreSQL's user can get into the data directory, tried by a child that is that user. */
static bool is_reachable(const struct db_cluster *c)
{
	const char *argv[] = { "/bin/true", NULL };
	struct db_spawn s = {
		.argv = argv,
		.user = &c->user,
		.workdir = c->data,
		.in = -1,
		.out = -1,
		.err = -1,
	};
	pid_t pid;

	return !db_spawn(c->arena, &s, &pid) && !db_spawn_wait(c->arena, argv[0], pid);
}

static err_t make_reachable(const struct db_cluster *c)
{
	struct stat st;

	if (!c->user.drop || is_reachable(c))
		return NULL;
	if (stat(c->data, &st) || chown(c->data, (uid_t)-1, c->user.gid) ||
	    chmod(c->data, (st.st_mode & 07777) | S_IXGRP))
		return failed(c->arena, "give PostgreSQL access to", c->data);
	if (is_reachable(c))
		return NULL;
	return err_hint(
		c->arena,
		err_new(c->arena, ERR_PRECONDITION,
			"user \"%s\", which runs PostgreSQL, cannot access \"%s\": a directory "
			"above it is closed to other users",
			c->user.name, c->data),
		"open that directory to others (chmod o+x), or choose another directory with "
		"--data-dir");
}

/* ---- the socket ------------------------------------------------------------------------------ */

static bool is_short(const char *folder)
{
	return strlen(folder) + sizeof(DB_CLUSTER_SOCKET_LOCK) <=
	       sizeof(((struct sockaddr_un *)0)->sun_path);
}

/* A socket's path has room for 107 bytes only. */
static err_t make_short_folder(const struct db_cluster *c, const char **ret_folder)
{
	const char *bases[] = { "/run", getenv("XDG_RUNTIME_DIR"), "/tmp" };

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		char *folder;

		if (!bases[i] || *bases[i] != '/' || access(bases[i], W_OK))
			continue;
		folder = arena_printf(c->arena, "%s/cairn-XXXXXX", bases[i]);
		if (!is_short(folder) || !mkdtemp(folder))
			continue;
		*ret_folder = folder;
		return make_private(c, c->arena, folder);
	}
	return err_new(c->arena, ERR_PRECONDITION,
		       "no place for PostgreSQL's socket: the path of the data directory is too "
		       "long, and /run and /tmp are not writable");
}

static bool is_made_by_us(const struct db_cluster *c, const char *folder)
{
	const char *last = strrchr(folder, '/');
	struct stat st;

	return last && str_starts(str_of(last), "/cairn-") && !lstat(folder, &st) &&
	       S_ISDIR(st.st_mode) && st.st_uid == c->user.uid;
}

/* Removes what a killed server left of its short folder. */
static void remove_old_folder(const struct db_cluster *c, const char *record)
{
	const char *old = db_read_line(c->arena, record);

	if (!old || !is_made_by_us(c, old))
		return;
	unlink(arena_printf(c->arena, "%s/.s.PGSQL.5432", old));
	unlink(arena_printf(c->arena, "%s" DB_CLUSTER_SOCKET_LOCK, old));
	rmdir(old);
}

static err_t write_record(const struct db_cluster *c, const char *record)
{
	const char *new = arena_printf(c->arena, "%s.new", record);
	int fd = open(new, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
	bool written = fd >= 0 && dprintf(fd, "%s\n", c->socket) > 0;

	if (fd >= 0)
		close(fd);
	return written && !rename(new, record) ? NULL : failed(c->arena, "write", record);
}

/* Percent-encodes characters that are not allowed in a URL's query. */
const char *db_cluster_url(struct arena *a, const char *folder)
{
	char *text = arena_alloc(a, strlen(folder) * 3 + 1);
	char *to = text;

	for (const char *p = folder; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c <= ' ' || c >= 0x7f || strchr("%&=?#+'\\\"", c))
			to += sprintf(to, "%%%02X", c);
		else
			*to++ = *p;
	}
	*to = '\0';
	return arena_printf(a, "postgresql:///postgres?host=%s&port=5432&user=cairn", text);
}

static err_t choose_socket(struct db_cluster *c, const char *name)
{
	err_t e;

	c->socket = arena_printf(c->arena, "%s/%s", c->data, name);
	if (is_short(c->socket))
		e = make_private(c, c->arena, c->socket);
	else
		e = make_short_folder(c, &c->socket);
	c->url = e ? NULL : db_cluster_url(c->arena, c->socket);
	return e;
}

static err_t record_socket(struct db_cluster *c)
{
	const char *record = arena_printf(c->arena, "%s/postgres.socket", c->data);
	err_t e;

	remove_old_folder(c, record);
	e = choose_socket(c, "pgsock");
	return e ? e : write_record(c, record);
}

err_t db_cluster_beside(const struct db_cluster *c, const char *pg, const char *socket_name,
			struct db_cluster *ret_beside)
{
	*ret_beside = *c;
	ret_beside->pg = pg;
	return choose_socket(ret_beside, socket_name);
}

/* ---- open and close -------------------------------------------------------------------------- */

err_t db_cluster_open(struct arena *a, const struct db_embedded_options *options,
		      struct db_cluster *ret_cluster)
{
	struct db_cluster c = { .arena = a, .lock = -1, .log = -1 };
	err_t e = db_user_find(a, options->user, &c.user);

	if (!e)
		e = open_data(&c, options->data_dir);
	if (!e)
		e = check_file_system(&c, options);
	if (!e)
		e = take_lock(&c);
	if (!e)
		e = open_log(&c);
	if (!e)
		e = make_reachable(&c);
	if (!e)
		e = record_socket(&c);
	if (e) {
		db_cluster_close(&c);
		return e;
	}
	*ret_cluster = c;
	return NULL;
}

void db_cluster_close(struct db_cluster *c)
{
	if (c->socket && is_made_by_us(c, c->socket))
		rmdir(c->socket);
	if (c->log >= 0)
		close(c->log);
	if (c->lock >= 0)
		close(c->lock);
}

/* ---- the cluster ----------------------------------------------------------------------------- */

/* An upgrade that was cut between its last two steps: a new, empty cluster would hide the data. */
static err_t check_no_old(const struct db_cluster *c, struct arena *a)
{
	DIR *d = opendir(c->data);
	const struct dirent *entry;
	err_t e = NULL;

	if (!d)
		return failed(a, "open", c->data);
	while (!e && (entry = readdir(d))) {
		if (str_starts(str_of(entry->d_name), "pg.old-"))
			e = err_new(a, ERR_PRECONDITION,
				    "the cluster \"%s\" is missing, but \"%s/%s\" exists: an "
				    "upgrade was interrupted; rename it back and start again",
				    c->pg, c->data, entry->d_name);
	}
	closedir(d);
	return e;
}

err_t db_cluster_major(const struct db_cluster *c, struct arena *a, int *ret_major)
{
	const char *line = db_read_line(a, arena_printf(a, "%s/PG_VERSION", c->pg));
	int64_t major = 0;

	if (!line) {
		*ret_major = 0;
		return check_no_old(c, a);
	}
	if (!str_to_int64(str_of(line), 1, 1000, &major))
		return err_new(a, ERR_PRECONDITION, "\"%s\" is a cluster of an unknown version",
			       c->pg);
	*ret_major = (int)major;
	return NULL;
}

static err_t run_initdb(const struct db_cluster *c, struct arena *a,
			const struct db_programs *programs, const char *folder)
{
	const char *argv[] = {
		db_program(a, programs, "initdb"),
		"-D",
		folder,
		"-U",
		"cairn",
		"--auth-local=trust",
		"--auth-host=reject",
		"-E",
		"UTF8",
		"--locale=C.UTF-8",
		"--data-checksums",
		"--no-instructions",
		"--no-sync",
		NULL,
	};
	struct db_spawn s = {
		.argv = argv,
		.user = &c->user,
		.workdir = c->data,
		.death_signal = SIGKILL,
		.in = -1,
		.out = c->log,
		.err = c->log,
	};
	pid_t pid;
	err_t e = db_spawn(a, &s, &pid);

	if (!e)
		e = db_spawn_wait(a, argv[0], pid);
	return e ? err_wrap(a, e, "cannot create a cluster, see \"%s/postgres.log\"", c->data)
		 : NULL;
}

static err_t check_room(const struct db_cluster *c, struct arena *a)
{
	int64_t free_mib = db_free_bytes(c->data) / MIB;
	struct err *e;

	if (free_mib >= NEW_MIB)
		return NULL;
	e = err_new(a, ERR_PRECONDITION,
		    "not enough disk space for a new database in \"%s\": it needs %d MiB, but %lld "
		    "are free",
		    c->data, NEW_MIB, (long long)free_mib);
	e->hint = "make room, or choose a directory on another disk with --data-dir";
	return e;
}

err_t db_cluster_init(const struct db_cluster *c, struct arena *a,
		      const struct db_programs *programs, const char *folder)
{
	const char *half = arena_printf(a, "%s.half", folder);
	err_t e = db_remove_tree(a, half);

	if (!e)
		e = check_room(c, a);
	if (!e)
		e = make_private(c, a, half);
	if (!e)
		e = run_initdb(c, a, programs, half);
	if (!e)
		e = sync_file_system(a, half);
	if (!e && rename(half, folder))
		e = failed(a, "rename", half);
	return e ? e : db_sync_folder(a, c->data);
}
