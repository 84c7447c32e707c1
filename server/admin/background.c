#include "background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "database.h"

enum { LOG_MOST_BYTES = 16 << 20, SIGNAL_STATUS = 128 };

const char *background_pid_file(struct arena *a, const struct config *config)
{
	return arena_printf(a, "%s/cairnd.pid", config->data_dir);
}

const char *background_log_file(struct arena *a, const struct config *config)
{
	return arena_printf(a, "%s/cairnd.log", config->data_dir);
}

static err_t cannot_open(struct arena *a, const char *path)
{
	return err_new(a, ERR_PRECONDITION, "cannot open \"%s\": %s", path, strerror(errno));
}

static err_t take_lock(struct arena *a, const struct config *config, struct background *b)
{
	const char *path = background_pid_file(a, config);
	struct err *e;

	b->lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0640);
	if (b->lock < 0)
		return cannot_open(a, path);
	if (flock(b->lock, LOCK_EX | LOCK_NB) == 0)
		return NULL;
	close(b->lock);
	e = err_new(a, ERR_PRECONDITION,
		    "a server with the data directory \"%s\" is already running in the background",
		    config->data_dir);
	e->hint = "\"cairnd stop\" stops it";
	return e;
}

static err_t open_log(struct arena *a, const struct config *config, struct background *b)
{
	const char *path = background_log_file(a, config);
	struct stat st;

	if (!stat(path, &st) && st.st_size > LOG_MOST_BYTES)
		rename(path, arena_printf(a, "%s.1", path));
	b->log = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0640);
	return b->log < 0 ? cannot_open(a, path) : NULL;
}

/* The exit status of a server that ended before it was ready, 0 if it is ready. */
static int wait_for_server(int ready, pid_t pid)
{
	char byte;
	int status = 0;
	ssize_t got;

	do
		got = read(ready, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got == 1)
		return 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? SIGNAL_STATUS + WTERMSIG(status) : WEXITSTATUS(status);
}

static void become_server(struct background *b)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (null > STDERR_FILENO)
		close(null);
	if (ftruncate(b->lock, 0) || dprintf(b->lock, "%d\n", (int)getpid()) < 0)
		perror("cairnd: cannot write cairnd.pid");
}

err_t background_begin(struct arena *a, const struct config *config,
		       struct background *ret_background, bool *ret_is_server, int *ret_status)
{
	struct background b = { -1, -1, -1 };
	int ends[2] = { -1, -1 };
	pid_t pid;
	err_t e = database_make_directory(a, config);

	if (!e)
		e = take_lock(a, config, &b);
	if (!e)
		e = open_log(a, config, &b);
	if (e)
		return e;
	fflush(NULL);
	pid = pipe2(ends, O_CLOEXEC) ? -1 : fork();
	if (pid < 0)
		return err_new(a, ERR_INTERNAL, "cannot start a process: %s", strerror(errno));
	b.ready = ends[1];
	*ret_is_server = pid == 0;
	if (pid == 0) {
		close(ends[0]);
		become_server(&b);
		*ret_background = b;
		return NULL;
	}
	close(b.ready);
	close(b.lock);
	close(b.log);
	*ret_status = wait_for_server(ends[0], pid);
	close(ends[0]);
	return NULL;
}

void background_ready(struct background *b)
{
	fflush(NULL);
	dup2(b->log, STDOUT_FILENO);
	dup2(b->log, STDERR_FILENO);
	close(b->log);
	if (write(b->ready, "", 1) != 1)
		perror("cairnd: the command that started this server has ended");
	close(b->ready);
}
