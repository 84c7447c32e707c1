/*
 * The signals are let in only while the terminal is waited for; one that comes ends the wait, the
 * terminal is mended, and then the signal is raised again to do what it always does. A handler can
 * only set a flag, so there is one variable of the program here.
 */
#include "secret.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

#define CAUGHT (sizeof caught / sizeof caught[0])

static volatile sig_atomic_t arrived;

struct signals {
	struct sigaction actions[CAUGHT];
	sigset_t mask;
};

static void note_signal(int number)
{
	arrived = number;
}

static void catch_signals(struct signals *before)
{
	struct sigaction action = { .sa_handler = note_signal };
	sigset_t mask;

	arrived = 0;
	sigemptyset(&action.sa_mask);
	sigemptyset(&mask);
	for (size_t i = 0; i < CAUGHT; i++)
		sigaddset(&mask, caught[i]);
	sigprocmask(SIG_BLOCK, &mask, &before->mask);
	for (size_t i = 0; i < CAUGHT; i++)
		sigaction(caught[i], &action, &before->actions[i]);
}

static void release_signals(const struct signals *before)
{
	for (size_t i = 0; i < CAUGHT; i++)
		sigaction(caught[i], &before->actions[i], NULL);
	if (arrived)
		raise(arrived);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* False when a signal came first. */
static bool wait_for_line(const struct signals *before)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	int found;

	do
		found = ppoll(&input, 1, NULL, &before->mask);
	while (found < 0 && errno == EINTR && !arrived);
	return found > 0;
}

char *secret_read_line(FILE *file)
{
	char *line = NULL;
	size_t size = 0;

	if (getline(&line, &size, file) < 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\r\n")] = '\0';
	return line;
}

char *secret_ask(const char *prompt)
{
	struct termios before, quiet;
	struct signals signals;
	char *line = NULL;

	if (tcgetattr(STDIN_FILENO, &before) != 0)
		return secret_read_line(stdin);
	quiet = before;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	catch_signals(&signals);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	fputs(prompt, stderr);
	if (wait_for_line(&signals))
		line = secret_read_line(stdin);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	fputc('\n', stderr);
	release_signals(&signals);
	return line;
}
