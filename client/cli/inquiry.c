#include "inquiry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport.h"

/* In the child: becomes the tool. A group of its own, to be ended as a whole, which what is typed does not reach; and not
 * longer than we are there: it may hang in a filter of a repository, or on a network. */
static void become(pid_t parent, int output, const char *script, const sigset_t *mask)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
	    dup2(nothing, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
	    dup2(nothing, STDERR_FILENO) >= 0) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		execl("/bin/sh", "sh", "-c", script, (char *)NULL);
	}
	_exit(EXIT_FAILURE);
}

/* Nothing that is buffered is written twice: the child writes nothing. */
static bool spawn(struct inquiry *inquiry, int output, const char *script, const sigset_t *mask)
{
	pid_t parent = getpid();

	inquiry->pid = fork();
	if (inquiry->pid == 0)
		become(parent, output, script, mask);
	if (inquiry->pid < 0)
		inquiry->pid = 0;
	else
		setpgid(inquiry->pid, inquiry->pid); /* whichever of us comes first */
	return inquiry->pid > 0;
}

void inquiry_start(struct inquiry *inquiry, const char *script, const sigset_t *mask)
{
	int ends[2];

	*inquiry = (struct inquiry){ .output = -1 };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && spawn(inquiry, ends[1], script, mask))
		inquiry->output = ends[0];
	else
		close(ends[0]);
	close(ends[1]);
}

struct pollfd inquiry_wish(const struct inquiry *inquiry)
{
	return (struct pollfd){ .fd = inquiry->output, .events = POLLIN };
}

static void close_output(struct inquiry *inquiry)
{
	if (inquiry->output >= 0)
		close(inquiry->output);
	inquiry->output = -1;
}

/* A child that had more to write is not reaped yet, so no other group has its number. */
static void end(struct inquiry *inquiry)
{
	if (inquiry->output >= 0 && inquiry->pid)
		kill(-inquiry->pid, SIGKILL);
	close_output(inquiry);
}

void inquiry_step(struct inquiry *inquiry, short found)
{
	char bytes[4096];
	ssize_t count;

	if (!found || inquiry->output < 0)
		return;
	count = read(inquiry->output, bytes, sizeof bytes);
	if (count > 0)
		text_add(&inquiry->told, bytes, (size_t)count);
	else if (count == 0)
		inquiry->is_whole = true;
	else if (errno == EINTR || errno == EAGAIN)
		return;
	if (inquiry->told.length > INQUIRY_TOLD_MAX_BYTES)
		end(inquiry);
	else if (count <= 0)
		close_output(inquiry);
}

void inquiry_reap(struct inquiry *inquiry)
{
	if (inquiry->pid && inquiry->output < 0 && waitpid(inquiry->pid, NULL, WNOHANG) != 0)
		inquiry->pid = 0;
}

void inquiry_wait(struct inquiry *inquiry, int64_t until_us)
{
	while (inquiry->output >= 0) {
		int64_t left_us = until_us - transport_clock_us();
		struct pollfd fd = inquiry_wish(inquiry);

		if (left_us <= 0)
			return;
		if (poll(&fd, 1, (int)(left_us / 1000) + 1) > 0)
			inquiry_step(inquiry, fd.revents);
	}
}

void inquiry_stop(struct inquiry *inquiry)
{
	end(inquiry);
	inquiry_reap(inquiry);
	text_deinit(&inquiry->told);
}
