/*
 * Whether the process that writes a folder lives. `alive` holds: boot id, namespace of process ids, pid, start time, host.
 * If the boot and the namespace are those of the caller, the process table says it. Else the age of the file does, measured by the
 * clock of the file system: that of another file which is made next to it. Host names and namespaces may be the same on two
 * machines, so they say nothing there.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool_folder.h"
#include "spool_segment.h"

#define FILE_NAME "alive"
#define LINE_SIZE 512

struct process {
	char boot[64], space[64], host[128];
	long pid;
	unsigned long long started; /* in ticks since the boot */
};

static bool read_small(int folder_fd, const char *path, char *text, size_t size)
{
	int fd = openat(folder_fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[got < 0 ? 0 : got] = '\0';
	return got > 0;
}

/* Field 22 of /proc/PID/stat; the name before it may hold blanks and brackets. 0: no such process. */
static unsigned long long start_time(long pid)
{
	char path[64], line[1024], *at;

	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	if (!read_small(AT_FDCWD, path, line, sizeof line))
		return 0;
	at = strrchr(line, ')');
	for (int field = 3; at && field <= 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

static void describe_self(struct process *self)
{
	ssize_t length;

	*self = (struct process){ .pid = getpid() };
	if (!read_small(AT_FDCWD, "/proc/sys/kernel/random/boot_id", self->boot, sizeof self->boot))
		snprintf(self->boot, sizeof self->boot, "-");
	self->boot[strcspn(self->boot, " \n")] = '\0';
	length = readlink("/proc/self/ns/pid", self->space, sizeof self->space - 1);
	snprintf(self->space + (length > 0 ? length : 0), 2, "%s", length > 0 ? "" : "-");
	if (gethostname(self->host, sizeof self->host - 1) != 0 || !self->host[0])
		snprintf(self->host, sizeof self->host, "-");
	self->started = start_time(self->pid);
}

static int write_alive(int folder_fd)
{
	char line[LINE_SIZE], new_name[64];
	struct process self;
	size_t length;
	int fd, e = 0;

	snprintf(new_name, sizeof new_name, FILE_NAME ".%ld", (long)getpid());
	fd = openat(folder_fd, new_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (fd < 0)
		return errno;
	describe_self(&self);
	length = (size_t)snprintf(line, sizeof line, "%s %s %ld %llu %s\n", self.boot, self.space,
				  self.pid, self.started, self.host);
	errno = EIO;
	if (write(fd, line, length) != (ssize_t)length)
		e = errno;
	if (close(fd) != 0 && !e)
		e = errno;
	if (!e && renameat(folder_fd, new_name, folder_fd, FILE_NAME) != 0)
		e = errno;
	if (e)
		unlinkat(folder_fd, new_name, 0);
	return e;
}

/* The next word of a line; false if there is none or it is too long. */
static bool take_word(char **line, char *word, size_t size)
{
	const char *next = strsep(line, " \n");

	return next && next[0] && (size_t)snprintf(word, size, "%s", next) < size;
}

static bool read_alive(int folder_fd, struct process *ret_process)
{
	char line[LINE_SIZE], pid[24], started[24], *at = line;

	if (!read_small(folder_fd, FILE_NAME, line, sizeof line) ||
	    !take_word(&at, ret_process->boot, sizeof ret_process->boot) ||
	    !take_word(&at, ret_process->space, sizeof ret_process->space) ||
	    !take_word(&at, pid, sizeof pid) || !take_word(&at, started, sizeof started) ||
	    !take_word(&at, ret_process->host, sizeof ret_process->host))
		return false;
	ret_process->pid = strtol(pid, NULL, 10);
	ret_process->started = strtoull(started, NULL, 10);
	return true;
}

static bool is_here(const struct process *process, const struct process *self)
{
	return strcmp(process->boot, self->boot) == 0 && strcmp(process->boot, "-") != 0 &&
	       strcmp(process->space, self->space) == 0;
}

int spool_folder_touch(int folder_fd, bool is_new)
{
	if (!is_new && utimensat(folder_fd, FILE_NAME, NULL, 0) == 0)
		return 0;
	return write_alive(folder_fd);
}

/* The file system's clock: the time of a file made just now. False where none can be made. */
static bool now_there(int folder_fd, struct timespec *ret_now)
{
	static atomic_uint count;
	struct stat info;
	char name[64];
	int fd;
	bool is_well;

	snprintf(name, sizeof name, "clock.%ld.%u", (long)getpid(), atomic_fetch_add(&count, 1));
	fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	is_well = write(fd, "\n", 1) == 1 && fsync(fd) == 0 && fstat(fd, &info) == 0;
	close(fd);
	unlinkat(folder_fd, name, 0);
	if (is_well)
		*ret_now = info.st_mtim;
	return is_well;
}

static enum spool_life judge_by_age(int folder_fd)
{
	struct timespec now;
	struct stat info;

	if (fstatat(folder_fd, FILE_NAME, &info, AT_SYMLINK_NOFOLLOW) != 0 &&
	    fstat(folder_fd, &info) != 0)
		return SPOOL_UNKNOWN;
	if (!now_there(folder_fd, &now))
		return SPOOL_UNKNOWN;
	return now.tv_sec - info.st_mtim.tv_sec > SPOOL_SILENT_S ? SPOOL_DEAD : SPOOL_ALIVE;
}

enum spool_life spool_folder_life(const char *folder)
{
	char error[SPOOL_ERROR_SIZE];
	int folder_fd = segment_open_folder(folder, error);
	struct process process, self;
	enum spool_life life;

	if (folder_fd < 0)
		return SPOOL_UNKNOWN;
	describe_self(&self);
	if (!read_alive(folder_fd, &process))
		life = judge_by_age(folder_fd);
	else if (is_here(&process, &self))
		life = process.started && start_time(process.pid) == process.started ? SPOOL_ALIVE
										     : SPOOL_DEAD;
	else
		life = judge_by_age(folder_fd);
	close(folder_fd);
	return life;
}
