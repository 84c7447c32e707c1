#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"

static err_t failed(struct arena *a, const char *what, const char *path)
{
	bool is_full = errno == ENOSPC || errno == EDQUOT;
	struct err *e =
		err_new(a, ERR_INTERNAL, "cannot %s \"%s\": %s", what, path, strerror(errno));

	if (is_full)
		e->hint = "the incomplete file was removed; make room or choose a location on "
			  "another disk";
	return e;
}

static err_t taken(struct arena *a, const char *path)
{
	return err_new(a, ERR_CONFLICT, "the file \"%s\" already exists", path);
}

static const char *folder_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return ".";
	return slash == path ? "/" : arena_printf(a, "%.*s", (int)(slash - path), path);
}

static const char *own_path(struct arena *a, int fd)
{
	return arena_printf(a, "/proc/self/fd/%d", fd);
}

/* ---- open ------------------------------------------------------------------------------------- */

err_t new_file_remove_part(struct arena *a, const char *part)
{
	int fd = open(part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool busy = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;

	if (!busy)
		unlink(part);
	if (fd >= 0)
		close(fd);
	if (busy)
		return err_new(a, ERR_CONFLICT, "another process is writing \"%s\"", part);
	return NULL;
}

err_t new_file_open_part(struct arena *a, const char *path, struct new_file *ret_file)
{
	struct new_file f = { .arena = a, .path = path };
	err_t e;

	f.part = arena_printf(a, "%s.part", path);
	e = new_file_remove_part(a, f.part);
	if (e)
		return e;
	f.fd = open(f.part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (f.fd < 0)
		return failed(a, "write", f.part);
	flock(f.fd, LOCK_EX | LOCK_NB);
	*ret_file = f;
	return NULL;
}

err_t new_file_open(struct arena *a, const char *path, struct new_file *ret_file)
{
	struct new_file f = { .arena = a, .path = path };

	if (access(path, F_OK) == 0)
		return taken(a, path);
	f.fd = open(folder_of(a, path), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (f.fd >= 0 && access(own_path(a, f.fd), F_OK)) { /* there is no /proc to name it by */
		close(f.fd);
		f.fd = -1;
	}
	if (f.fd < 0)
		return new_file_open_part(a, path, ret_file);
	*ret_file = f;
	return NULL;
}

/* ---- finish ----------------------------------------------------------------------------------- */

/* Whether the file with the part's name is the one we wrote. */
static bool is_ours(const struct new_file *f)
{
	struct stat ours;
	struct stat there;

	return !fstat(f->fd, &ours) && !lstat(f->part, &there) && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

/* Never over another file; NFS does not have such a rename, but it has links. */
static int rename_part(const struct new_file *f)
{
	if (!renameat2(AT_FDCWD, f->part, AT_FDCWD, f->path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	return link(f->part, f->path) ? -1 : unlink(f->part);
}

static err_t give_name(struct new_file *f)
{
	struct err *e;

	if (!f->part &&
	    !linkat(AT_FDCWD, own_path(f->arena, f->fd), AT_FDCWD, f->path, AT_SYMLINK_FOLLOW))
		return NULL;
	if (f->part && !is_ours(f))
		return err_new(f->arena, ERR_CONFLICT, "another process has removed \"%s\"",
			       f->part);
	if (f->part && !rename_part(f))
		return NULL;
	if (errno == EEXIST)
		return taken(f->arena, f->path);
	e = err_new(f->arena, ERR_INTERNAL, "cannot create \"%s\": %s", f->path, strerror(errno));
	if (f->part) {
		e->hint = arena_printf(f->arena, "the backup is complete: rename \"%s\" by hand",
				       f->part);
		f->part = NULL; /* it stays */
	}
	return e;
}

/* Its name is on disk, too. */
static void sync_folder(const struct new_file *f)
{
	int fd = open(folder_of(f->arena, f->path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd); /* some file systems cannot sync folders */
	close(fd);
}

err_t new_file_finish(struct new_file *f)
{
	err_t e = fsync(f->fd) ? failed(f->arena, "write", f->path) : give_name(f);

	if (e)
		return e;
	sync_folder(f);
	close(f->fd);
	f->fd = -1;
	return NULL;
}

void new_file_abandon(struct new_file *f)
{
	if (f->fd < 0)
		return;
	if (f->part && is_ours(f))
		unlink(f->part);
	close(f->fd);
	f->fd = -1;
}
