#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "say.h"

#define EXIT_CANNOT_EXECUTE 126
#define EXIT_NOT_FOUND 127

static bool close_on_exec(int fd)
{
	return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* A terminal like ours that changes nothing on the way: ours does what there is to do. */
static bool open_terminal(int like, int *ret_read, int *ret_write)
{
	struct termios modes;
	struct winsize size;

	if (tcgetattr(like, &modes) != 0)
		return false;
	modes.c_oflag &= ~(tcflag_t)OPOST;
	if (ioctl(like, TIOCGWINSZ, &size) != 0)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	if (openpty(ret_read, ret_write, NULL, &modes, &size) != 0)
		return false;
	return close_on_exec(*ret_read) && close_on_exec(*ret_write);
}

static bool open_stream(struct child *child, int index, int *ret_write)
{
	int own = index ? STDERR_FILENO : STDOUT_FILENO, ends[2];

	child->is_terminal[index] = isatty(own) &&
				    open_terminal(own, &child->output[index], ret_write);
	if (child->is_terminal[index])
		return true;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	child->output[index] = ends[0];
	*ret_write = ends[1];
	return true;
}

static void change_environment(const struct child_environment *environment)
{
	for (; environment->name; environment++) {
		if (environment->value)
			setenv(environment->name, environment->value, 1);
		else
			unsetenv(environment->name);
	}
}

/* In the child: becomes the command, or tells the parent why it cannot. */
static void become(char **argv, const struct child_environment *environment,
		   const struct child_signals *signals, const int writes[2], int report)
{
	int reason;

	if (dup2(writes[0], STDOUT_FILENO) >= 0 && dup2(writes[1], STDERR_FILENO) >= 0) {
		change_environment(environment);
		sigaction(SIGCHLD, &signals->on_child, NULL);
		sigprocmask(SIG_SETMASK, &signals->mask, NULL);
		execvp(argv[0], argv);
	}
	reason = errno;
	if (write(report, &reason, sizeof reason) < 0)
		_exit(EXIT_CANNOT_EXECUTE);
	_exit(EXIT_NOT_FOUND);
}

static int explain(const char *command, int reason)
{
	say("cannot run \"%s\": %s", command, strerror(reason));
	return reason == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

/* 0 once the command runs; otherwise errno of why it does not. */
static int read_report(int report)
{
	int reason = 0;
	ssize_t count;

	do
		count = read(report, &reason, sizeof reason);
	while (count < 0 && errno == EINTR);
	return count == sizeof reason ? reason : 0;
}

int child_start(struct child *child, char **argv, const struct child_environment *environment,
		const struct child_signals *signals)
{
	int writes[2], report[2], reason;

	if (!open_stream(child, 0, &writes[0]) || !open_stream(child, 1, &writes[1]) ||
	    pipe2(report, O_CLOEXEC) != 0) {
		say("cannot create a pipe: %s", strerror(errno));
		return EXIT_FAILURE;
	}
	fflush(NULL);
	child->pid = fork();
	if (child->pid == 0)
		become(argv, environment, signals, writes, report[1]);
	reason = child->pid < 0 ? errno : 0;
	close(writes[0]);
	close(writes[1]);
	close(report[1]);
	if (!reason)
		reason = read_report(report[0]);
	close(report[0]);
	return reason ? explain(argv[0], reason) : 0;
}

void child_resize(const struct child *child)
{
	struct winsize size;

	for (int i = 0; i < 2; i++) {
		if (child->is_terminal[i] &&
		    ioctl(i ? STDERR_FILENO : STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
			ioctl(child->output[i], TIOCSWINSZ, &size);
	}
}
