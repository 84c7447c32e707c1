/*
 * Signals come as bytes of a signalfd into the one poll loop. What the terminal sends reaches the
 * whole foreground group, the command included, so only what a process sent to us alone is passed
 * on. A command that SIGTSTP stops (Ctrl-Z) is followed: we stop, too. Behind fg it may hear SIGCONT twice.
 */
#include "watch.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forward.h"
#include "say.h"
#include "transport.h"

#define TICK_MS 500
#define QUIET_MS 100     /* after the end: others may still hold the output open */
#define STOP_US 1000000  /* within which a command that is asked to stop does so */
#define LINGER_US 500000 /* and write to it without a pause; that is listened to for so long */

static const int passed_on[] = { SIGHUP,  SIGINT,   SIGQUIT, SIGTERM, SIGUSR1,
				 SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT };

/* Signals by which a batch system may announce the end. */
static const struct {
	int number;
	const char *name;
} announcing[] = {
	{ SIGTERM, "SIGTERM" }, { SIGUSR1, "SIGUSR1" }, { SIGUSR2, "SIGUSR2" },
	{ SIGHUP, "SIGHUP" },   { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" },
};

#define ANNOUNCING (sizeof announcing / sizeof announcing[0])

int watch_find_signal(const char *name)
{
	for (size_t i = 0; i < ANNOUNCING; i++) {
		if (strcmp(name, announcing[i].name) == 0 ||
		    strcmp(name, announcing[i].name + 3) == 0)
			return announcing[i].number;
	}
	return 0;
}

const char *watch_signal_name(int number)
{
	for (size_t i = 0; i < ANNOUNCING; i++) {
		if (announcing[i].number == number)
			return announcing[i].name;
	}
	return "";
}

/* Some start us with SIGCHLD ignored: then nobody would tell us of the command's end. */
static bool hear_of_child(struct watch *watch)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };

	return sigaction(SIGCHLD, &usual, &watch->before.on_child) == 0;
}

bool watch_prepare(struct watch *watch)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGPIPE);
	for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++)
		sigaddset(&mask, passed_on[i]);
	if (hear_of_child(watch) && sigprocmask(SIG_BLOCK, &mask, &watch->before.mask) == 0) {
		watch->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
		if (watch->signals >= 0)
			return true;
	}
	say("cannot forward signals: %s", strerror(errno));
	return false;
}

/* As the system does where the signal is not blocked; returns when somebody lets us go on. */
static void stop_too(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	sigprocmask(SIG_BLOCK, &mask, NULL);
}

/* A command may ignore the signal, or end of it: only where it stops do we. */
static void look_for_stop(struct watch *watch)
{
	if (!watch->is_stopped || transport_clock_us() > watch->stop_until_us)
		return;
	watch->stop_until_us = 0;
	stop_too();
}

static void reap(struct watch *watch)
{
	int status;

	while (!watch->has_ended &&
	       waitpid(watch->child.pid, &status, WNOHANG | WUNTRACED | WCONTINUED) > 0) {
		watch->status = status;
		watch->is_stopped = WIFSTOPPED(status);
		watch->has_ended = WIFEXITED(status) || WIFSIGNALED(status);
	}
	look_for_stop(watch);
	if (!watch->has_ended || watch->ended_us)
		return;
	watch->ended_us = transport_clock_us();
	relay_owe(&watch->relays[0]);
	relay_owe(&watch->relays[1]);
}

/* A user asked the run to stop, or the agent of its sweep: the command gets the signal that a batch system would send. */
static void stop_command(struct watch *watch)
{
	if (watch->was_stopped || watch->has_ended)
		return;
	watch->was_stopped = true;
	kill(watch->child.pid, SIGTERM);
}

static bool is_of_parent(const struct signalfd_siginfo *info, int value)
{
	return info->ssi_code == SI_QUEUE && info->ssi_int == value &&
	       (pid_t)info->ssi_pid == getppid();
}

static void note_announcement(struct watch *watch, const struct signalfd_siginfo *info)
{
	int number = (int)info->ssi_signo;

	if (is_of_parent(info, WATCH_LEAVE_VALUE))
		watch->left_signal = number;
	if (number == watch->preempt_signal || watch->left_signal)
		watch->is_preempting = true;
	if (number == SIGTERM || watch->is_preempting)
		watch->was_signalled = true;
}

static void handle_signal(struct watch *watch, const struct signalfd_siginfo *info)
{
	int number = (int)info->ssi_signo;
	bool is_from_terminal = info->ssi_code == SI_KERNEL;

	if (number == SIGCHLD) {
		reap(watch);
		return;
	}
	if (number == SIGPIPE || watch->has_ended)
		return;
	if (number == SIGTERM && is_of_parent(info, WATCH_STOP_VALUE)) {
		stop_command(watch);
		return;
	}
	if (!is_from_terminal)
		note_announcement(watch, info);
	if (number == SIGWINCH) {
		child_resize(&watch->child);
		is_from_terminal = false; /* it came before the new size was there */
	}
	if (!is_from_terminal && !watch->has_ended)
		kill(watch->child.pid, number);
	if (number == SIGTSTP) {
		watch->stop_until_us = transport_clock_us() + STOP_US;
		look_for_stop(watch);
	}
}

static void read_signals(struct watch *watch)
{
	struct signalfd_siginfo info;

	while (read(watch->signals, &info, sizeof info) == sizeof info)
		handle_signal(watch, &info);
}

static void pass_stop_on(struct watch *watch, const struct cairn_run *run)
{
	if (!watch->was_stopped && cairn_should_stop(run))
		stop_command(watch);
}

/* The run is told at once, while there is still time. */
static void announce(struct watch *watch, struct cairn_run *run)
{
	if (watch->is_preempting && !watch->was_announced)
		cairn_preempting(run);
	watch->was_announced = watch->is_preempting;
}

static void relay(struct watch *watch, int index, short found, struct cairn_run *run)
{
	struct relay *stream = &watch->relays[index];
	size_t count = relay_step(stream, found);

	if (count && run && watch->keeps_console)
		cairn_console(run, index ? CAIRN_STDERR : CAIRN_STDOUT, stream->bytes, count);
	if (stream->error && stream->error != EPIPE && !watch->has_complained &&
	    !watch->notices.is_quiet) {
		say("cannot write to standard %s: %s; the command continues",
		    index ? "error" : "output", strerror(stream->error));
		watch->has_complained = true;
	}
}

static bool is_over(const struct watch *watch, bool was_quiet)
{
	bool outputs_over = relay_is_over(&watch->relays[0]) && relay_is_over(&watch->relays[1]);
	bool is_written = watch->relays[0].start == watch->relays[0].end &&
			  watch->relays[1].start == watch->relays[1].end;

	if (!watch->has_ended)
		return false;
	if (outputs_over || (was_quiet && is_written))
		return true;
	return transport_clock_us() - watch->ended_us > LINGER_US && !watch->relays[0].owed &&
	       !watch->relays[1].owed;
}

/* Output of other processes is not waited for once all of the command's is written. */
static void leave_others(struct watch *watch)
{
	if (relay_is_over(&watch->relays[0]) && relay_is_over(&watch->relays[1]))
		return;
	if (!forward_start(&watch->child, watch->relays) && !watch->notices.is_quiet)
		say("cannot forward the output of processes left by the command: %s",
		    strerror(errno));
}

void watch_stop(struct watch *watch)
{
	struct signalfd_siginfo info;
	sigset_t mask;

	while (read(watch->signals, &info, sizeof info) == sizeof info)
		;
	close(watch->signals);
	watch->signals = -1;
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGQUIT);
	sigaddset(&mask, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
}

static int exit_code_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int watch_until_end(struct watch *watch, struct cairn_run *run)
{
	bool was_quiet = false;

	for (int i = 0; i < 2; i++)
		watch->relays[i] = (struct relay){ .from = watch->child.output[i],
						   .to = i ? STDERR_FILENO : STDOUT_FILENO };
	while (!is_over(watch, was_quiet)) {
		struct pollfd fds[3 + METADATA_FDS] = { relay_wish(&watch->relays[0]),
							relay_wish(&watch->relays[1]),
							{ .fd = watch->signals,
							  .events = POLLIN } };
		int found;

		metadata_wish(&watch->metadata, fds + 3);
		found = poll(fds, 3 + METADATA_FDS, watch->has_ended ? QUIET_MS : TICK_MS);

		was_quiet = found == 0 && watch->has_ended;
		if (found > 0) {
			relay(watch, 0, fds[0].revents, run);
			relay(watch, 1, fds[1].revents, run);
			if (fds[2].revents)
				read_signals(watch);
		}
		metadata_step(&watch->metadata, found > 0 ? fds + 3 : NULL, run);
		pass_stop_on(watch, run);
		announce(watch, run);
		if (!watch->has_ended)
			notices_look(&watch->notices, run);
	}
	leave_others(watch);
	return exit_code_of(watch->status);
}
