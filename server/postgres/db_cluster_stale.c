/*
 * Leftovers of a former server in the data directory: a PostgreSQL that outlived it, its pid file,
 * its socket. The caller holds the directory's lock, so no other server starts a PostgreSQL there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "db_cluster.h"
#include "log.h"
#include "str.h"

/* A zombie does not work anywhere. */
static bool works_in(pid_t pid, const char *folder)
{
	char path[64];
	struct stat theirs;
	struct stat ours;

	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
	return !stat(path, &theirs) && !stat(folder, &ours) && theirs.st_ino == ours.st_ino &&
	       theirs.st_dev == ours.st_dev;
}

/* Stops an orphan: asks for a fast shutdown, then an immediate one, then kills it. */
static void stop_orphan(pid_t pid, const char *folder)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGKILL };

	log_warning("stopping a PostgreSQL that outlived its server", LOG_INT("pid", pid));
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int64_t until_us = clock_mono_us() + 10000000;

		if (works_in(pid, folder))
			kill(pid, signals[i]);
		while (works_in(pid, folder) && clock_mono_us() < until_us)
			clock_sleep_us(20000);
	}
}

static pid_t parent_of(pid_t pid)
{
	char text[256] = "";
	char path[64];
	const char *name_end;
	pid_t parent = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	/* PID (NAME) STATE PARENT ..., and the name may be anything */
	if (read(fd, text, sizeof(text) - 1) > 0 && (name_end = strrchr(text, ')')) &&
	    strlen(name_end) > strlen(") S "))
		parent = (pid_t)strtol(name_end + strlen(") S "), NULL, 10);
	close(fd);
	return parent;
}

/*
 * Stops processes that work in the folder and are not children of one that does. Returns whether
 * all have ended.
 */
static bool stop_orphans(const char *folder)
{
	DIR *d = opendir("/proc");
	const struct dirent *entry;
	bool ended = d;
	int64_t pid;

	while (d && (entry = readdir(d))) {
		if (!str_to_int64(str_of(entry->d_name), 1, INT_MAX, &pid) ||
		    !works_in((pid_t)pid, folder) || works_in(parent_of((pid_t)pid), folder))
			continue;
		stop_orphan((pid_t)pid, folder);
		ended &= !works_in((pid_t)pid, folder);
	}
	if (d)
		closedir(d);
	return ended;
}

/* A crash of the machine may leave postmaster.pid empty, and PostgreSQL does not start with that. */
static void remove_nameless(const struct db_cluster *c, const char *path)
{
	if (!stop_orphans(c->pg) || access(path, F_OK))
		return;
	log_warning("postmaster.pid does not contain a process id", LOG_TEXT("file", path));
	if (unlink(path))
		log_error("cannot remove postmaster.pid", LOG_TEXT("error", strerror(errno)));
}

/*
 * Puts a number into postmaster.pid that no process can have. The rest of the file stays: by it
 * PostgreSQL finds out whether a backend of the former server still holds the shared memory.
 */
static void disown(const char *path, int fd, struct str rest)
{
	char text[4096];
	int len = snprintf(text, sizeof(text), "%d\n%.*s", INT_MAX, STR_ARG(rest));

	log_warning("postmaster.pid is stale", LOG_TEXT("file", path));
	if (len < (int)sizeof(text) && pwrite(fd, text, (size_t)len, 0) == len &&
	    ftruncate(fd, len) == 0)
		return;
	log_error("cannot write postmaster.pid", LOG_TEXT("error", strerror(errno)));
}

/* Settles the process that postmaster.pid names: an orphan is stopped, any other is forgotten. */
static void settle_owner(const struct db_cluster *c, const char *path, int fd)
{
	char text[2048];
	ssize_t len = read(fd, text, sizeof(text));
	struct str rest = { text, len > 0 ? (size_t)len : 0 };
	struct str first = str_cut(&rest, '\n');
	int64_t pid;

	if (!str_to_int64(first, 1, INT_MAX - 1, &pid)) {
		remove_nameless(c, path);
		return;
	}
	if (kill((pid_t)pid, 0) && errno == ESRCH)
		return; /* PostgreSQL itself clears files of dead processes */
	if (works_in((pid_t)pid, c->pg))
		stop_orphan((pid_t)pid, c->pg);
	if (!access(path, F_OK) && !works_in((pid_t)pid, c->pg))
		disown(path, fd, rest);
}

void db_cluster_clear_stale(const struct db_cluster *c)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/postmaster.pid", c->pg) >= (int)sizeof(path))
		return;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		settle_owner(c, path, fd);
		close(fd);
	}
	/* Only this cluster uses the folder, and no server of it runs. */
	if (snprintf(path, sizeof(path), "%s" DB_CLUSTER_SOCKET_LOCK, c->socket) <
	    (int)sizeof(path))
		unlink(path);
}
