/*
 * The process that stays behind. It is a fork of one that has threads, so it makes system calls only. It stays in the
 * process group: a terminal that stops background output (stty tostop) stops the whole group, as without us. The signals
 * that cairn run passes on stay blocked: a process that one of them ends may still write what it has to say about it.
 */
#include "forward.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define OPEN_FILES_MAX 1024 /* as many as are looked for one by one */

static bool is_kept(const struct relay relays[2], int fd)
{
	for (int i = 0; i < 2; i++) {
		if (!relay_is_over(&relays[i]) && (fd == relays[i].from || fd == relays[i].to))
			return true;
	}
	return false;
}

/* Standard input, connections, and whatever else we were started with: whoever waits for their end waits for others. */
static void close_others(const struct relay relays[2])
{
	int last = STDERR_FILENO;

	for (int i = 0; i < 2; i++)
		last = relays[i].from > last ? relays[i].from : last;
	if (close_range((unsigned)last + 1, UINT_MAX, 0) != 0) /* a kernel before 5.9 */
		last = OPEN_FILES_MAX;
	for (int fd = 0; fd <= last; fd++) {
		if (!is_kept(relays, fd))
			close(fd);
	}
}

static void copy(const struct child *child, struct relay relays[2])
{
	while (!relay_is_over(&relays[0]) || !relay_is_over(&relays[1])) {
		struct pollfd fds[2] = { relay_wish(&relays[0]), relay_wish(&relays[1]) };
		int found = poll(fds, 2, -1);

		child_resize(child);
		for (int i = 0; i < 2; i++) {
			bool was_over = relay_is_over(&relays[i]);

			if (found > 0)
				relay_step(&relays[i], fds[i].revents);
			if (!was_over && relay_is_over(&relays[i]))
				close(relays[i].to);
		}
	}
}

static void stay_behind(const struct child *child, struct relay relays[2])
{
	close_others(relays);
	if (chdir("/") != 0)
		_exit(EXIT_FAILURE); /* cannot be: the root is there */
	copy(child, relays);
	_exit(EXIT_SUCCESS);
}

bool forward_start(const struct child *child, struct relay relays[static 2])
{
	pid_t pid = fork();

	if (pid == 0)
		stay_behind(child, relays);
	for (int i = 0; pid > 0 && i < 2; i++)
		relay_release(&relays[i]);
	return pid > 0;
}
