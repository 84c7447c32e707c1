#include "prompt.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "key_file.h"

static const int ending[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };
enum { ENDING = sizeof(ending) / sizeof(ending[0]) };

static void block_ending(sigset_t *ret_signals, sigset_t *ret_before)
{
	sigemptyset(ret_signals);
	for (size_t i = 0; i < ENDING; i++)
		sigaddset(ret_signals, ending[i]);
	sigprocmask(SIG_BLOCK, ret_signals, ret_before);
}

static bool is_ending(void)
{
	sigset_t pending;
	bool is = false;

	sigpending(&pending);
	for (size_t i = 0; i < ENDING; i++)
		is = is || sigismember(&pending, ending[i]);
	return is;
}

/* Waits until there is a line, or one of the (blocked) signals has come. */
static void wait_for_line(const sigset_t *signals)
{
	int arrived = signalfd(-1, signals, SFD_CLOEXEC);
	struct pollfd either[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				   { .fd = arrived, .events = POLLIN } };

	(void)poll(either, 2, -1);
	if (arrived >= 0)
		close(arrived);
}

/* The terminal does not echo in the meantime, and does again when a signal ends the program. */
static err_t ask_terminal(struct arena *a, const char *user, const struct termios *as_it_was,
			  struct str *ret_password)
{
	struct termios quiet = *as_it_was;
	sigset_t signals;
	sigset_t before;
	err_t e = NULL;

	block_ending(&signals, &before);
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	fprintf(stderr, "new password of \"%s\": ", user);
	wait_for_line(&signals);
	if (!is_ending())
		e = key_file_read(a, NULL, ret_password);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, as_it_was);
	fprintf(stderr, "\n");
	sigprocmask(SIG_SETMASK, &before, NULL);
	return e;
}

err_t prompt_password(struct arena *a, const char *user, const char *file, struct str *ret_password)
{
	struct termios as_it_is;

	if (!file && tcgetattr(STDIN_FILENO, &as_it_is) == 0)
		return ask_terminal(a, user, &as_it_is, ret_password);
	return key_file_read(a, file, ret_password);
}
