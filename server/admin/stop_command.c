/* cairnd stop: ends the server that "serve --background" has started with this data directory. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "background.h"
#include "clock.h"
#include "commands.h"

enum { LOOK_US = 20 * 1000, STOP_S = 60 }; /* in addition to drain_timeout_s */

/* The lock is the server's as long as it lives, so a number that another process has by now is never signalled. */
static bool is_running(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB))
		return true;
	flock(fd, LOCK_UN);
	return false;
}

static bool read_pid(int fd, int64_t *ret_pid)
{
	char text[24];
	ssize_t len = pread(fd, text, sizeof(text), 0);
	struct str line = { text, len > 0 ? (size_t)len : 0 };

	return str_to_int64(str_cut(&line, '\n'), 2, INT32_MAX, ret_pid);
}

static err_t stop(struct command_call *call, int fd)
{
	int64_t until_us = clock_mono_us() + (call->config->drain_timeout_s + STOP_S) * 1000000;
	int64_t pid;

	if (!read_pid(fd, &pid))
		return err_new(call->arena, ERR_INTERNAL, "no process id in \"%s\"",
			       background_pid_file(call->arena, call->config));
	if (kill((pid_t)pid, SIGTERM))
		return err_new(call->arena, ERR_INTERNAL, "cannot stop process %" PRId64 ": %s",
			       pid, strerror(errno));
	while (is_running(fd)) {
		if (clock_mono_us() > until_us)
			return err_new(call->arena, ERR_BUSY, "process %" PRId64 " did not stop",
				       pid);
		clock_sleep_us(LOOK_US);
	}
	printf("stopped process %" PRId64 "\n", pid);
	return NULL;
}

err_t stop_command(struct command_call *call)
{
	int fd = open(background_pid_file(call->arena, call->config), O_RDONLY | O_CLOEXEC);
	err_t e;

	if (fd < 0 || !is_running(fd))
		e = err_new(
			call->arena, ERR_NOT_FOUND,
			"no server with the data directory \"%s\" is running in the background on this host",
			call->config->data_dir);
	else
		e = stop(call, fd);
	if (fd >= 0)
		close(fd);
	return e;
}
