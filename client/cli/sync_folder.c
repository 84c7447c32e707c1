#include "sync_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "random_id.h"
#include "spool_folder.h"
#include "spool_segment.h"

#define SENT "sent"
#define SENT_NEW "sent.new"
#define IDENTITY "writer.json"
#define FILE_OPEN (O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)

/* ---- where the spool ends ----------------------------------------------------------------------------- */

static void take_last(void *context, uint64_t number)
{
	uint64_t *last = context;

	if (number > *last)
		*last = number;
}

static bool place_of(int folder_fd, struct sync_place *ret_place)
{
	char name[SPOOL_SEGMENT_NAME_SIZE];
	struct stat info;

	*ret_place = (struct sync_place){ 0 };
	if (segment_each(folder_fd, take_last, &ret_place->segment) != 0)
		return false;
	if (ret_place->segment == 0)
		return true;
	segment_name(ret_place->segment, name);
	if (fstatat(folder_fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	ret_place->bytes = info.st_size > 0 ? (uint64_t)info.st_size : 0;
	return true;
}

bool sync_folder_place(const char *folder, struct sync_place *ret_place)
{
	char error[SPOOL_ERROR_SIZE];
	int folder_fd = segment_open_folder(folder, error);
	bool is_found = folder_fd >= 0 && place_of(folder_fd, ret_place);

	if (folder_fd >= 0)
		close(folder_fd);
	return is_found;
}

bool sync_place_is_same(struct sync_place a, struct sync_place b)
{
	return a.segment == b.segment && a.bytes == b.bytes;
}

/* ---- the mark ----------------------------------------------------------------------------------------- */

static const char *const stages[] = {
	[SYNC_STAGE_NONE] = "begun", [SYNC_STAGE_DROPS] = "drops", [SYNC_STAGE_END] = "end"
};
#define STAGES (sizeof stages / sizeof stages[0])

/* A file of the folder's owner, or of this user, and nothing else. */
static bool read_own(int folder_fd, const char *name, char *text, size_t size)
{
	int fd = openat(folder_fd, name, FILE_OPEN);
	struct stat file, folder;
	ssize_t got = -1;

	text[0] = '\0';
	if (fd < 0)
		return false;
	if (fstat(fd, &file) == 0 && fstat(folder_fd, &folder) == 0 && S_ISREG(file.st_mode) &&
	    (file.st_uid == folder.st_uid || file.st_uid == geteuid()))
		got = read(fd, text, size - 1);
	close(fd);
	text[got < 0 ? 0 : got] = '\0';
	return got > 0;
}

/* The next number of a line, in decimal. */
static bool take_number(char **at, uint64_t *ret_number)
{
	char *end;

	*at += strspn(*at, " ");
	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*ret_number = strtoull(*at, &end, 10);
	*at = end;
	return errno == 0;
}

static bool parse_mark(char *text, struct sync_mark *mark)
{
	char *at = text;

	*mark = (struct sync_mark){ 0 };
	if (strncmp(at, "records ", 8) != 0)
		return false;
	at += 8;
	if (!take_number(&at, &mark->records) || *at++ != '\n')
		return false;
	for (size_t i = 0; i < STAGES; i++) {
		size_t length = strlen(stages[i]);

		if (strncmp(at, stages[i], length) != 0 || at[length] != ' ')
			continue;
		mark->stage = (enum sync_stage)i;
		at += length;
		return take_number(&at, &mark->place.segment) &&
		       take_number(&at, &mark->place.bytes) && take_number(&at, &mark->target) &&
		       take_number(&at, &mark->refused);
	}
	return false;
}

bool sync_folder_read_mark(const char *folder, struct sync_mark *ret_mark)
{
	char error[SPOOL_ERROR_SIZE], text[256];
	int folder_fd = segment_open_folder(folder, error);
	bool is_read;

	*ret_mark = (struct sync_mark){ 0 };
	if (folder_fd < 0)
		return false;
	is_read = read_own(folder_fd, SENT, text, sizeof text) && parse_mark(text, ret_mark);
	close(folder_fd);
	if (!is_read)
		*ret_mark = (struct sync_mark){ 0 };
	return is_read;
}

/* A new file, whatever is there: the folder's owner may read it, too. */
static void write_mark(int folder_fd, const char *text, size_t length)
{
	struct stat folder;
	bool is_written;
	int fd;

	if (unlinkat(folder_fd, SENT_NEW, 0) != 0 && errno != ENOENT)
		return;
	fd = openat(folder_fd, SENT_NEW,
		    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		return;
	is_written = write(fd, text, length) == (ssize_t)length;
	if (is_written && fstat(folder_fd, &folder) == 0 && folder.st_uid != geteuid())
		is_written = fchown(fd, folder.st_uid, folder.st_gid) == 0;
	close(fd);
	if (!is_written || renameat(folder_fd, SENT_NEW, folder_fd, SENT) != 0)
		unlinkat(folder_fd, SENT_NEW, 0);
}

void sync_folder_write_mark(const char *folder, const struct sync_mark *mark)
{
	char error[SPOOL_ERROR_SIZE], text[256];
	int folder_fd = segment_open_folder(folder, error);
	int length = snprintf(text, sizeof text,
			      "records %" PRIu64 "\n%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			      "\n",
			      mark->records, stages[mark->stage], mark->place.segment,
			      mark->place.bytes, mark->target, mark->refused);

	if (folder_fd < 0)
		return;
	write_mark(folder_fd, text, (size_t)length);
	close(folder_fd);
}

/* ---- the process -------------------------------------------------------------------------------------- */

/* Whether the first two words of `alive`, boot and namespace of process ids, are those of this process. */
bool sync_folder_is_surely_dead(const char *folder)
{
	char error[SPOOL_ERROR_SIZE], alive[512], own[256] = { 0 };
	int folder_fd = segment_open_folder(folder, error);
	int boot_fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t length = boot_fd < 0 ? -1 : read(boot_fd, own, 64);
	bool is_here = false;

	if (boot_fd >= 0)
		close(boot_fd);
	if (folder_fd < 0)
		return false;
	if (length > 0) {
		size_t used = strcspn(own, " \n");
		ssize_t more;

		own[used++] = ' ';
		more = readlink("/proc/self/ns/pid", own + used, sizeof own - used - 2);
		used += more > 0 ? (size_t)more : 0;
		own[used++] = ' ';
		is_here = more > 0 && read_own(folder_fd, "alive", alive, sizeof alive) &&
			  strncmp(alive, own, used) == 0;
	}
	close(folder_fd);
	return is_here;
}

/* ---- removal ------------------------------------------------------------------------------------------ */

struct aside {
	int parent_fd, folder_fd;
	char *parent;     /* path */
	const char *name; /* of the folder in it, and while it is removed: */
	char hidden[24];
	char hidden_identity[32]; /* and of its writer.json: the last that goes */
};

static bool open_aside(struct aside *aside, const char *folder)
{
	char error[SPOOL_ERROR_SIZE], random[13];
	char *slash;
	struct stat own, there;

	*aside = (struct aside){ .parent_fd = -1, .folder_fd = -1 };
	aside->parent = strdup(folder);
	slash = aside->parent ? strrchr(aside->parent, '/') : NULL;
	if (!slash || slash == aside->parent)
		return false;
	*slash = '\0';
	aside->name = slash + 1;
	random_id(random, 12);
	snprintf(aside->hidden, sizeof aside->hidden, ".gone.%s", random);
	snprintf(aside->hidden_identity, sizeof aside->hidden_identity, "%s.json", aside->hidden);
	aside->folder_fd = segment_open_folder(folder, error);
	aside->parent_fd = open(aside->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return aside->folder_fd >= 0 && aside->parent_fd >= 0 &&
	       fstat(aside->folder_fd, &own) == 0 &&
	       fstatat(aside->parent_fd, aside->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

static void close_aside(struct aside *aside)
{
	if (aside->parent_fd >= 0)
		close(aside->parent_fd);
	if (aside->folder_fd >= 0)
		close(aside->folder_fd);
	free(aside->parent);
}

struct unlinking {
	int folder_fd;
	uint64_t up_to;
};

static void unlink_segment(void *context, uint64_t number)
{
	const struct unlinking *unlinking = context;
	char name[SPOOL_SEGMENT_NAME_SIZE];

	segment_name(number, name);
	if (number <= unlinking->up_to)
		unlinkat(unlinking->folder_fd, name, 0);
}

/* Files beside the segments, with those that are renamed to them, but not writer.json itself. */
static bool is_small_file(const char *name)
{
	static const char *const names[] = { "alive", SENT, IDENTITY, "clock" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(name, names[i], length) == 0 &&
		    (name[length] == '.' || (!name[length] && strcmp(name, IDENTITY) != 0)))
			return true;
	}
	return false;
}

static void unlink_small_files(int folder_fd)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!entries) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(entries))) {
		if (is_small_file(entry->d_name))
			unlinkat(folder_fd, entry->d_name, 0);
	}
	closedir(entries);
}

/* False if the folder is not empty: a process that had opened it before may make a segment in it until it is gone. */
static bool unlink_all(const struct aside *aside, uint64_t up_to)
{
	struct unlinking unlinking = { aside->folder_fd, up_to };

	segment_each(aside->folder_fd, unlink_segment, &unlinking);
	unlink_small_files(aside->folder_fd);
	renameat(aside->folder_fd, IDENTITY, aside->parent_fd, aside->hidden_identity);
	if (unlinkat(aside->parent_fd, aside->hidden, AT_REMOVEDIR) == 0) {
		unlinkat(aside->parent_fd, aside->hidden_identity, 0);
		return true;
	}
	return false;
}

static enum sync_removal remove_aside(const struct aside *aside, struct sync_place place)
{
	enum sync_removal result = SYNC_REMOVAL_GREW;
	struct sync_place now;

	if (renameat(aside->parent_fd, aside->name, aside->parent_fd, aside->hidden) != 0)
		return SYNC_REMOVAL_FAILED;
	if (place_of(aside->folder_fd, &now) && sync_place_is_same(now, place)) {
		if (unlink_all(aside, place.segment))
			return SYNC_REMOVED;
		if (place_of(aside->folder_fd, &now) && now.segment == 0) {
			unlinkat(aside->parent_fd, aside->hidden_identity, 0);
			result = SYNC_REMOVAL_FAILED;
		} else {
			renameat(aside->parent_fd, aside->hidden_identity, aside->folder_fd,
				 IDENTITY);
		}
	}
	renameat(aside->parent_fd, aside->hidden, aside->parent_fd, aside->name);
	return result;
}

enum sync_removal sync_folder_remove(const char *folder, struct sync_place place)
{
	enum sync_removal result = SYNC_REMOVAL_FAILED;
	struct aside aside;

	if (open_aside(&aside, folder))
		result = remove_aside(&aside, place);
	close_aside(&aside);
	return result;
}
