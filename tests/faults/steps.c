/*
 * Preloaded: the process dies, as by kill -9, after a number of steps. A step is a call by which a thread that serves requests
 * changes a file or sends something to the database. The number is an int64 in the file STEPS_FILE, where it counts down; 0: none
 * is counted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int64_t *left;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("STEPS_FILE");
	long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR) : -1;
	void *shared =
		fd < 0 ? MAP_FAILED
		       : mmap(NULL, sizeof(*left), PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);

	if (shared != MAP_FAILED)
		left = shared;
	if (fd >= 0)
		close((int)fd);
}

static bool counts(void)
{
	char name[16] = "";

	return !pthread_getname_np(pthread_self(), name, sizeof(name)) &&
	       (!strcmp(name, "worker") || !strcmp(name, "disk"));
}

static long step(long result)
{
	int kept = errno;

	if (left && atomic_load(left) > 0 && counts() && atomic_fetch_sub(left, 1) == 1)
		kill(getpid(), SIGKILL);
	errno = kept;
	return result;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	return step(syscall(SYS_write, fd, bytes, size));
}

ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
	return step(syscall(SYS_sendto, fd, bytes, size, flags, NULL, 0));
}

int fsync(int fd)
{
	return (int)step(syscall(SYS_fsync, fd));
}

int syncfs(int fd)
{
	return (int)step(syscall(SYS_syncfs, fd));
}

int renameat(int from, const char *old, int to, const char *new)
{
	return (int)step(syscall(SYS_renameat2, from, old, to, new, 0));
}

int unlinkat(int fd, const char *path, int flags)
{
	return (int)step(syscall(SYS_unlinkat, fd, path, flags));
}

int mkdirat(int fd, const char *path, mode_t mode)
{
	return (int)step(syscall(SYS_mkdirat, fd, path, mode));
}

int openat(int fd, const char *path, int flags, ...)
{
	mode_t mode = 0;
	long result;
	va_list more;

	va_start(more, flags);
	if (flags & O_CREAT)
		mode = va_arg(more, mode_t);
	va_end(more);
	result = syscall(SYS_openat, fd, path, flags, mode);
	return (int)(flags & O_CREAT ? step(result) : result);
}
