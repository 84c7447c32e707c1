/* tool.c - see tool.h. */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monotonic.h"
#include "settings.h"

#define STOP_POLL_MS 50 /* how late the end of the sampler may be noticed */
#define FAILURES_MAX 6  /* the pause is doubled so often */

/* Not the program's own: what it loads by LD_PRELOAD and the like is not meant for a vendor's
 * tool. */
static char locale[] = "LC_ALL=C", folders[] = "PATH=/usr/local/bin:/usr/bin:/bin";
static char *const environment[] = { locale, folders, NULL };

static bool is_program(const char *path)
{
	return access(path, X_OK) == 0;
}

bool tool_find(const struct settings *settings, const char *name, const char *folder,
	       char ret_path[TOOL_PATH_MAX])
{
	const char *at = settings->tool_path;

	while (*at) {
		int length = (int)strcspn(at, ":");
		int written = snprintf(ret_path, TOOL_PATH_MAX, "%.*s/%s", length, at, name);
		if (*at == '/' && written < TOOL_PATH_MAX && is_program(ret_path))
			return true;
		at += length + (at[length] == ':');
	}
	return folder && snprintf(ret_path, TOOL_PATH_MAX, "%s/%s", folder, name) < TOOL_PATH_MAX &&
	       is_program(ret_path);
}

static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	int e = posix_spawnattr_setflags(
		attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!e)
		e = posix_spawnattr_setpgroup(attributes, 0);
	if (!e)
		e = posix_spawnattr_setsigmask(attributes, &none);
	return e ? e : posix_spawnattr_setsigdefault(attributes, &all);
}

static int set_files(posix_spawn_file_actions_t *actions, int output)
{
	int e = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
	if (!e)
		e = posix_spawn_file_actions_adddup2(actions, output, 1);
	if (!e)
		e = posix_spawn_file_actions_addopen(actions, 2, "/dev/null", O_WRONLY, 0);
#ifdef __GLIBC__
	if (!e)
		e = posix_spawn_file_actions_addclosefrom_np(actions, 3);
#endif
	return e;
}

/* posix_spawn takes arguments that it does not change as if it did. */
static bool spawn(struct tool_child *child, const char *const arguments[], int output)
{
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_t actions;
	char *copies[TOOL_ARGUMENTS_MAX + 1] = { NULL };

	for (size_t i = 0; i < TOOL_ARGUMENTS_MAX && arguments[i]; i++)
		memcpy(&copies[i], &arguments[i], sizeof copies[i]);
	if (posix_spawnattr_init(&attributes) != 0)
		return false;
	if (posix_spawn_file_actions_init(&actions) != 0) {
		posix_spawnattr_destroy(&attributes);
		return false;
	}
	int e = set_attributes(&attributes);
	if (!e)
		e = set_files(&actions, output);
	if (!e)
		e = posix_spawn(&child->pid, copies[0], &actions, &attributes, copies, environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return e == 0;
}

/* Standard descriptors that the program has closed must not become the pipe: dup2 onto itself
 * would leave it closed in the child. */
static int move_up(int fd)
{
	if (fd > STDERR_FILENO)
		return fd;
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return moved;
}

bool tool_start(struct tool_child *child, const char *const arguments[])
{
	int ends[2];

	*child = (struct tool_child){ .output = -1 };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	ends[0] = move_up(ends[0]);
	ends[1] = move_up(ends[1]);
	bool is_started = ends[0] >= 0 && ends[1] >= 0 && spawn(child, arguments, ends[1]);
	if (ends[1] >= 0)
		close(ends[1]);
	if (!is_started) {
		if (ends[0] >= 0)
			close(ends[0]);
		child->pid = 0;
		return false;
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	child->output = ends[0];
	return true;
}

ssize_t tool_read(const struct tool_child *child, unsigned wait_ms, char *ret_bytes, size_t size)
{
	struct pollfd output = { .fd = child->output, .events = POLLIN };

	if (poll(&output, 1, (int)wait_ms) <= 0)
		return 0;
	ssize_t n = read(child->output, ret_bytes, size);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	return n == 0 ? -1 : n;
}

/* The exit status, or -1. A program that ignores SIGCHLD has no status to give. */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno == ECHILD ? 0 : -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A number that the program itself has waited for may belong to others by now. */
static bool is_ours(pid_t pid)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void tool_stop(struct tool_child *child)
{
	if (child->pid == 0)
		return;
	if (is_ours(child->pid)) {
		kill(-child->pid, SIGKILL);
		wait_for(child->pid);
	}
	close(child->output);
	child->pid = 0;
}

bool tool_is_due(const struct tool_turns *turns, uint64_t now_ns)
{
	return now_ns >= turns->next_ns;
}

void tool_was_run(struct tool_turns *turns, const struct settings *settings, uint64_t now_ns,
		  bool is_good)
{
	if (is_good)
		turns->failures = 0;
	else if (turns->failures < FAILURES_MAX)
		turns->failures++;
	turns->next_ns = now_ns + (settings->tool_period_ms * NS_PER_MS << turns->failures);
}

static unsigned wait_ms(uint64_t now_ns, uint64_t deadline_ns)
{
	uint64_t rest_ms = (deadline_ns - now_ns) / NS_PER_MS + 1;

	return rest_ms < STOP_POLL_MS ? (unsigned)rest_ms : STOP_POLL_MS;
}

/* Reads until the output is closed. */
static enum tool_result read_all(const struct tool_child *child, uint64_t deadline_ns,
				 const atomic_bool *stop, char *ret_text, size_t size)
{
	size_t length = 0;

	for (;;) {
		uint64_t now_ns = monotonic_ns();
		ret_text[length] = '\0';
		if (atomic_load(stop))
			return TOOL_STOPPED;
		if (now_ns >= deadline_ns)
			return TOOL_TIMEOUT;
		if (length == size - 1)
			return TOOL_TOO_LONG;
		ssize_t n = tool_read(child, wait_ms(now_ns, deadline_ns), ret_text + length,
				      size - 1 - length);
		if (n < 0)
			return TOOL_OK;
		length += (size_t)n;
	}
}

/* The child has closed its output; it may still live, or have left others behind. */
static enum tool_result finish(struct tool_child *child, uint64_t deadline_ns,
			       const atomic_bool *stop)
{
	siginfo_t info = { 0 };
	struct timespec pause = { .tv_nsec = 1000000 };
	int e;

	while ((e = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT | WNOHANG)) == 0 &&
	       info.si_pid == 0) {
		if (atomic_load(stop))
			return TOOL_STOPPED;
		if (monotonic_ns() >= deadline_ns)
			return TOOL_TIMEOUT;
		nanosleep(&pause, NULL);
	}
	int status = 0; /* a program that waits for all its children has taken it */
	if (e == 0) {
		kill(-child->pid, SIGKILL);
		status = wait_for(child->pid);
	}
	close(child->output);
	child->pid = 0;
	return status == 0 ? TOOL_OK : TOOL_FAILED;
}

enum tool_result tool_run(const char *const arguments[], unsigned timeout_ms,
			  const atomic_bool *stop, char *ret_text, size_t size)
{
	uint64_t deadline_ns = monotonic_ns() + timeout_ms * NS_PER_MS;
	struct tool_child child;

	ret_text[0] = '\0';
	if (!tool_start(&child, arguments))
		return TOOL_NOT_STARTED;
	enum tool_result result = read_all(&child, deadline_ns, stop, ret_text, size);
	if (result == TOOL_OK)
		result = finish(&child, deadline_ns, stop);
	tool_stop(&child);
	return result;
}
