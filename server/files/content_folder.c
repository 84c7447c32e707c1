/*
 * A local folder, or one that servers share:
 *
 *	mark                    proves that it is the same folder
 *	content/ab/cd/abcd…     by hash, in two levels of folders: 65,536 with some files each
 *	incoming/RANDOM         what comes in; locked (flock) as long as its server lives
 *
 * Content is complete under its name or not there: it is written and synced under incoming, and
 * renamed; then the folder that names it is synced. Files without a name (O_TMPFILE) would go by
 * themselves with a server that dies, but not every file system has them; so any server removes
 * files that are not locked.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "arena.h"
#include "aside.h"
#include "content_kind.h"
#include "id.h"

enum {
	NAME_SIZE = 2 * CONTENT_HASH_SIZE + 1,
	PATH_SIZE = sizeof("content/ab/cd/") + NAME_SIZE,
	WRITEBACK_BYTES = 8 << 20, /* writing starts before it has to be waited for */
	PROBE_BYTES = 128 << 10,
};
#define PROBED_MAX (INT64_C(4) << 30) /* bytes; a larger file is read by disk threads */

struct folder {
	struct content_store store;
	char *path;
	int fd;
	int64_t reserve_bytes;        /* that stay free for others */
	_Atomic bool is_durable[256]; /* content/ab, by ab: it will be there after a crash */
};

struct folder_coming {
	struct content_coming coming;
	struct folder *folder;
	char path[PATH_SIZE];
	int fd;
	int64_t handed_bytes; /* to the disk, without waiting */
};

struct folder_reader {
	struct content_reader reader;
	int fd;
};

static struct folder *folder_of(struct content_store *store)
{
	return (struct folder *)store;
}

/* A full disk may have room again: clients should retry later. */
static err_t failed(struct arena *a, const struct folder *f, const char *what, const char *path)
{
	bool is_full = errno == ENOSPC || errno == EDQUOT;
	const char *why = strerror(errno);
	err_t cause = err_new(a, is_full ? ERR_BUSY : ERR_INTERNAL, "cannot %s \"%s/%s\": %s", what,
			      f->path, path, why);

	return is_full ? err_wrap(a, cause, "the disk for files is full") : cause;
}

static void content_path(struct str hash, char path[static PATH_SIZE])
{
	char name[NAME_SIZE];

	sodium_bin2hex(name, sizeof(name), (const unsigned char *)hash.at, CONTENT_HASH_SIZE);
	snprintf(path, PATH_SIZE, "content/%.2s/%.2s/%s", name, name + 2, name);
}

/* ---- the folder ------------------------------------------------------------------------------- */

static err_t sync_folder(struct arena *a, const struct folder *f, const char *path)
{
	int fd = openat(f->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err_t e = fd < 0 || fsync(fd) ? failed(a, f, "sync", path) : NULL;

	if (fd >= 0)
		close(fd);
	return e;
}

static err_t make_folder(struct arena *a, const struct folder *f, const char *path)
{
	if (!mkdirat(f->fd, path, 0700) || errno == EEXIST)
		return NULL;
	return failed(a, f, "make", path);
}

static void folder_close(struct content_store *store)
{
	struct folder *f = folder_of(store);

	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f);
}

static err_t folder_read_mark(struct content_store *store, struct arena *a, struct str *ret_mark)
{
	struct folder *f = folder_of(store);
	char text[CONTENT_MARK_SIZE + 1];
	int fd = openat(f->fd, "mark", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n;

	*ret_mark = (struct str){ "", 0 };
	if (fd < 0)
		return errno == ENOENT ? NULL : failed(a, f, "read", "mark");
	n = read(fd, text, sizeof(text));
	close(fd);
	if (n != CONTENT_MARK_SIZE)
		return err_new(a, ERR_PRECONDITION, "invalid mark file \"%s/mark\"", f->path);
	*ret_mark = (struct str){ arena_copy(a, text, CONTENT_MARK_SIZE), CONTENT_MARK_SIZE };
	return NULL;
}

static err_t folder_room(struct content_store *store, struct arena *a,
			 struct content_room *ret_room)
{
	struct folder *f = folder_of(store);
	struct statvfs s;

	if (fstatvfs(f->fd, &s))
		return failed(a, f, "ask for the room in", ".");
	*ret_room = (struct content_room){
		.free_bytes = (int64_t)(s.f_bavail * s.f_frsize),
		.size_bytes = (int64_t)(s.f_blocks * s.f_frsize),
		.reserve_bytes = f->reserve_bytes,
	};
	return NULL;
}

static err_t folder_has_room(struct content_store *store, struct arena *a, int64_t bytes)
{
	struct folder *f = folder_of(store);
	struct content_room room;
	err_t e = folder_room(store, a, &room);

	if (e || room.free_bytes >= bytes + room.reserve_bytes)
		return e;
	return err_wrap(a,
			err_new(a, ERR_BUSY,
				"\"%s\" has %lld bytes free, of which %lld are reserved", f->path,
				(long long)room.free_bytes, (long long)room.reserve_bytes),
			"the disk for files is full");
}

/* ---- coming in -------------------------------------------------------------------------------- */

static void drop(void *p)
{
	struct folder_coming *c = p;

	if (c->path[0])
		unlinkat(c->folder->fd, c->path, 0);
	if (c->fd >= 0)
		close(c->fd);
	c->path[0] = '\0';
	c->fd = -1;
}

/* Before it was locked, another server may have removed it as left behind. */
static bool open_locked(struct folder_coming *c)
{
	struct stat s;

	snprintf(c->path, sizeof(c->path), "incoming/%016llx", (unsigned long long)id_snowflake());
	c->fd = openat(c->folder->fd, c->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (c->fd < 0)
		return false;
	if (!flock(c->fd, LOCK_EX | LOCK_NB) && !fstat(c->fd, &s) && s.st_nlink)
		return true;
	close(c->fd);
	c->fd = -1;
	errno = EAGAIN;
	return false;
}

static err_t folder_begin(struct content_store *store, struct arena *a,
			  struct content_coming **ret_coming)
{
	struct folder_coming *c = arena_new_of(a, struct folder_coming);
	int tries = 8;

	c->folder = folder_of(store);
	while (!open_locked(c)) {
		if (errno != EAGAIN || !--tries)
			return failed(a, c->folder, "write", c->path);
	}
	arena_defer(a, drop, c);
	*ret_coming = &c->coming;
	return NULL;
}

/* Bytes written by uploads are not free any more: the room is checked on the way. */
static err_t hand_over(struct folder_coming *c)
{
	int64_t more = c->coming.sums.size_bytes - c->handed_bytes;

	if (more < WRITEBACK_BYTES)
		return NULL;
	sync_file_range(c->fd, c->handed_bytes, more, SYNC_FILE_RANGE_WRITE);
	c->handed_bytes += more;
	return folder_has_room(&c->folder->store, c->coming.arena, 0);
}

static err_t folder_add(struct content_coming *coming, struct str piece)
{
	struct folder_coming *c = (struct folder_coming *)coming;

	while (piece.len) {
		ssize_t n = write(c->fd, piece.at, piece.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(coming->arena, c->folder, "write", c->path);
		piece.at += n;
		piece.len -= (size_t)n;
	}
	return hand_over(c);
}

static err_t folder_end(struct content_coming *coming)
{
	struct folder_coming *c = (struct folder_coming *)coming;

	return fsync(c->fd) ? failed(coming->arena, c->folder, "sync", c->path) : NULL;
}

/*
 * Linked, not renamed: the first server's mark stays. Locked like incoming files, for another
 * starting server sweeps the folder.
 */
static err_t folder_mark(struct content_store *store, struct arena *a, struct str mark)
{
	struct folder *f = folder_of(store);
	struct content_coming *coming;
	err_t e = folder_begin(store, a, &coming);

	if (e)
		return e;
	coming->arena = a;
	e = folder_add(coming, mark);
	if (!e)
		e = folder_end(coming);
	if (!e && linkat(f->fd, ((struct folder_coming *)coming)->path, f->fd, "mark", 0) &&
	    errno != EEXIST)
		e = failed(a, f, "write", "mark");
	drop(coming);
	return e ? e : sync_folder(a, f, ".");
}

/* The folders of the path, outermost first: content, content/ab, content/ab/cd. */
static const size_t folder_lengths[] = { 7, 10, 13 };
enum { FOLDERS = sizeof(folder_lengths) / sizeof(folder_lengths[0]) };

static const char *folder_in(char part[static PATH_SIZE], const char *path, size_t i)
{
	snprintf(part, PATH_SIZE, "%.*s", (int)folder_lengths[i], path);
	return part;
}

static err_t make_folders(struct arena *a, struct folder *f, const char *path)
{
	char part[PATH_SIZE];
	err_t e = NULL;

	for (size_t i = 1; i < FOLDERS && !e; i++)
		e = make_folder(a, f, folder_in(part, path, i));
	return e;
}

/* The folders content and content/ab, which lead to its own. */
static err_t sync_parents(struct folder_coming *c, const char *path)
{
	_Atomic bool *is_durable = &c->folder->is_durable[c->coming.sums.hash[0]];
	struct arena *a = c->coming.arena;
	char part[PATH_SIZE];
	err_t e = NULL;

	if (!atomic_load(is_durable))
		e = sync_folder(a, c->folder, folder_in(part, path, 0));
	if (e)
		return e;
	atomic_store(is_durable, true);
	return sync_folder(a, c->folder, folder_in(part, path, 1));
}

/* If the size differs, something else damaged the file: it is replaced. */
static bool is_there(const struct folder_coming *c, const char *path)
{
	struct stat s;

	return !fstatat(c->folder->fd, path, &s, AT_SYMLINK_NOFOLLOW) && S_ISREG(s.st_mode) &&
	       s.st_size == c->coming.sums.size_bytes;
}

/* *ret_made: its folders may be new, and are not durable yet. */
static err_t move(struct folder_coming *c, const char *path, bool *ret_made)
{
	struct folder *f = c->folder;
	struct arena *a = c->coming.arena;
	err_t e = NULL;

	*ret_made = false;
	if (renameat(f->fd, c->path, f->fd, path)) {
		*ret_made = errno == ENOENT;
		e = *ret_made ? make_folders(a, f, path) : failed(a, f, "write", path);
		if (!e && renameat(f->fd, c->path, f->fd, path))
			e = failed(a, f, "write", path);
	}
	if (!e)
		c->path[0] = '\0';
	return e;
}

static void path_of(const struct content_coming *coming, char path[static PATH_SIZE])
{
	content_path((struct str){ (const char *)coming->sums.hash, CONTENT_HASH_SIZE }, path);
}

/* If it is there, its server may not have got as far as to make the folders durable. */
static err_t folder_keep(struct content_coming *coming)
{
	struct folder_coming *c = (struct folder_coming *)coming;
	struct arena *a = coming->arena;
	char path[PATH_SIZE];
	char part[PATH_SIZE];
	bool made = true;
	err_t e = NULL;

	path_of(coming, path);
	if (!is_there(c, path))
		e = move(c, path, &made);
	if (!e && made)
		e = sync_parents(c, path);
	return e ? e : sync_folder(a, c->folder, folder_in(part, path, FOLDERS - 1));
}

/* ---- many at once ----------------------------------------------------------------------------- */

static err_t folder_place(struct content_coming *coming)
{
	struct folder_coming *c = (struct folder_coming *)coming;
	char path[PATH_SIZE];
	bool made;

	path_of(coming, path);
	return is_there(c, path) ? NULL : move(c, path, &made);
}

/* The whole file system: for many small files that takes less time than each of them by itself. */
static err_t folder_sync(struct content_store *store, struct arena *a)
{
	struct folder *f = folder_of(store);

	return syncfs(f->fd) ? failed(a, f, "sync", ".") : NULL;
}

/* ---- there ------------------------------------------------------------------------------------ */

static void close_reader(void *p)
{
	struct folder_reader *r = p;

	close(r->fd);
}

static err_t folder_open(struct content_store *store, struct arena *a, struct str hash,
			 struct content_reader **ret_reader)
{
	struct folder *f = folder_of(store);
	struct folder_reader *r = arena_new_of(a, struct folder_reader);
	char path[PATH_SIZE];
	struct stat s;

	content_path(hash, path);
	r->fd = openat(f->fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (r->fd < 0 && errno == ENOENT)
		return err_new(a, ERR_NOT_FOUND, "\"%s/%s\" does not exist", f->path, path);
	if (r->fd < 0)
		return failed(a, f, "read", path);
	arena_defer(a, close_reader, r);
	if (fstat(r->fd, &s))
		return failed(a, f, "read", path);
	r->reader = (struct content_reader){ store, a, s.st_size };
	*ret_reader = &r->reader;
	return NULL;
}

static err_t folder_read(struct content_reader *reader, int64_t offset, char *bytes, size_t size,
			 size_t *ret_count)
{
	struct folder_reader *r = (struct folder_reader *)reader;
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(r->fd, bytes + done, size - done, offset + (int64_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(reader->arena, folder_of(reader->store), "read", "content");
		if (!n)
			break;
		done += (size_t)n;
	}
	*ret_count = done;
	return NULL;
}

/* A file system that cannot tell says that nothing is in memory. */
static size_t folder_read_now(struct content_reader *reader, int64_t offset, char *bytes,
			      size_t size)
{
	const struct folder_reader *r = (const struct folder_reader *)reader;
	ssize_t n = preadv2(r->fd, &(struct iovec){ bytes, size }, 1, offset, RWF_NOWAIT);

	return n > 0 ? (size_t)n : 0;
}

/*
 * Looks at a byte of each PROBE_BYTES, which the kernel reads ahead together as a rule. Other bytes may be gone: then the thread that
 * sends waits for the disk once.
 */
static bool folder_is_in_memory(struct content_reader *reader, int64_t offset, int64_t length,
				int *ret_fd)
{
	const struct folder_reader *r = (const struct folder_reader *)reader;
	char byte;

	if (length > PROBED_MAX)
		return false;
	for (int64_t at = 0; at < length; at += PROBE_BYTES) {
		if (!folder_read_now(reader, offset + at, &byte, 1))
			return false;
	}
	*ret_fd = r->fd;
	return !length || folder_read_now(reader, offset + length - 1, &byte, 1) == 1;
}

static err_t folder_remove(struct content_store *store, struct arena *a, struct str hash)
{
	struct folder *f = folder_of(store);
	char path[PATH_SIZE];

	content_path(hash, path);
	if (unlinkat(f->fd, path, 0) && errno != ENOENT)
		return failed(a, f, "remove", path);
	return NULL;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static DIR *open_dir(const struct folder *f, const char *path)
{
	int fd = openat(f->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

/* Removes a file that is not locked: its server has died. */
static bool remove_left(DIR *dir, const char *name)
{
	int fd = openat(dirfd(dir), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool left = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && !unlinkat(dirfd(dir), name, 0);

	if (fd >= 0)
		close(fd);
	return left;
}

static err_t folder_sweep(struct content_store *store, struct arena *a, size_t *ret_count)
{
	struct folder *f = folder_of(store);
	DIR *dir = open_dir(f, "incoming");
	struct dirent *entry;

	*ret_count = 0;
	if (!dir)
		return failed(a, f, "read", "incoming");
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			*ret_count += remove_left(dir, entry->d_name);
	}
	closedir(dir);
	return NULL;
}

struct walk {
	struct folder *folder;
	struct arena *arena;
	content_see_fn *see;
	void *state;
};

static err_t see_entry(const struct walk *w, DIR *dir, const char *name)
{
	unsigned char hash[CONTENT_HASH_SIZE];
	struct stat s;
	size_t len;

	if (sodium_hex2bin(hash, sizeof(hash), name, strlen(name), NULL, &len, NULL) ||
	    len != sizeof(hash) || fstatat(dirfd(dir), name, &s, AT_SYMLINK_NOFOLLOW))
		return NULL;
	return w->see(w->state, (struct str){ (const char *)hash, sizeof(hash) }, s.st_size);
}

static err_t walk_leaf(const struct walk *w, const char *path)
{
	DIR *dir = open_dir(w->folder, path);
	struct dirent *entry;
	err_t e = NULL;

	if (!dir)
		return errno == ENOENT ? NULL : failed(w->arena, w->folder, "read", path);
	while (!e && (entry = readdir(dir)) != NULL)
		e = see_entry(w, dir, entry->d_name);
	closedir(dir);
	return e;
}

static err_t folder_walk(struct content_store *store, struct arena *a, content_see_fn *see,
			 void *state)
{
	struct walk w = { folder_of(store), a, see, state };
	char path[PATH_SIZE];

	for (unsigned i = 0; i < 1u << 16; i++) {
		err_t e;

		snprintf(path, sizeof(path), "content/%02x/%02x", i >> 8, i & 0xff);
		e = walk_leaf(&w, path);
		if (e)
			return e;
		path[sizeof("content/ab") - 1] = '\0';
		if (!(i & 0xff) && faccessat(w.folder->fd, path, F_OK, 0))
			i |= 0xff;
	}
	return NULL;
}

static const struct content_kind folder_kind = {
	.close = folder_close,
	.read_mark = folder_read_mark,
	.mark = folder_mark,
	.has_room = folder_has_room,
	.room = folder_room,
	.begin = folder_begin,
	.add = folder_add,
	.end = folder_end,
	.keep = folder_keep,
	.place = folder_place,
	.sync = folder_sync,
	.open = folder_open,
	.read = folder_read,
	.read_now = folder_read_now,
	.is_in_memory = folder_is_in_memory,
	.remove = folder_remove,
	.sweep = folder_sweep,
	.walk = folder_walk,
};

static err_t open_folder(struct arena *a, struct folder *f, enum content_open how)
{
	err_t e;

	if (how == CONTENT_MAKE && mkdir(f->path, 0700) && errno != EEXIST)
		return err_new(a, ERR_PRECONDITION, "cannot create the files directory \"%s\": %s",
			       f->path, strerror(errno));
	f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->fd < 0)
		return err_new(a, ERR_PRECONDITION, "cannot open the files directory \"%s\": %s",
			       f->path, strerror(errno));
	if (how == CONTENT_FIND)
		return NULL;
	e = make_folder(a, f, "content");
	return e ? e : make_folder(a, f, "incoming");
}

err_t content_folder_open(struct arena *a, const char *path, enum content_open how,
			  int64_t reserve_bytes, struct content_store **ret_store)
{
	struct folder *f = calloc(1, sizeof(*f));
	err_t e;

	if (!f || !(f->path = strdup(path)))
		abort();
	f->store.kind = &folder_kind;
	f->fd = -1;
	f->reserve_bytes = reserve_bytes;
	e = open_folder(a, f, how);
	if (e) {
		folder_close(&f->store);
		return e;
	}
	f->store.aside = aside_new();
	*ret_store = &f->store;
	return NULL;
}
