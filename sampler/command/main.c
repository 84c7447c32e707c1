/*
 * main.c - cairn-sampler: rows of the sampler as JSON lines on standard output.
 *
 * It takes rows itself instead of starting the sampler's thread: waiting for the next row and for
 * a signal to end is one call.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "schedule.h"

#define METADATA_WAIT_MS 5000
#define WHOLE_MAX 1e15 /* below it 15 digits show a whole number without an exponent */

/* Names hold no control characters; '"' and '\' may occur in a path. No other thread prints. */
static void print_name(const char *name)
{
	putchar_unlocked('"');
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			putchar_unlocked('\\');
		putchar_unlocked(*name);
	}
	putchar_unlocked('"');
}

/* Most values are whole numbers, which printf takes long for. */
static void print_value(double value)
{
	char digits[24];
	size_t at = sizeof digits;

	if (!(value >= 0 && value < WHOLE_MAX) || value != (double)(uint64_t)value) {
		printf(":%.15g", value);
		return;
	}
	uint64_t number = (uint64_t)value;
	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	putchar_unlocked(':');
	while (at < sizeof digits)
		putchar_unlocked(digits[at++]);
}

/* False when nobody reads any more. */
static bool print_row(const struct sampler_row *row)
{
	printf("{\"_timestamp\":%.6f", row->timestamp_s);
	for (size_t i = 0; i < row->count; i++) {
		putchar(',');
		print_name(row->values[i].name);
		print_value(row->values[i].value);
	}
	fputs("}\n", stdout);
	return fflush(stdout) == 0;
}

/* True when a signal came first. */
static bool wait_for_signal(const sigset_t *signals, uint64_t until_ns)
{
	for (;;) {
		uint64_t now_ns = monotonic_ns();
		struct timespec rest =
			monotonic_timespec(until_ns > now_ns ? until_ns - now_ns : 0);
		if (sigtimedwait(signals, NULL, &rest) > 0)
			return true;
		if (errno != EINTR)
			return false;
	}
}

static int print_rows(struct sampler *sampler, const struct command *command,
		      const sigset_t *signals)
{
	static struct sampler_row row;
	unsigned interval_ms = command->options.interval_ms;
	struct schedule schedule = {
		.start_ns = monotonic_ns(),
		.interval_ns = (interval_ms ? interval_ms : SAMPLER_INTERVAL_DEFAULT_MS) *
			       NS_PER_MS,
	};
	bool is_last = false;

	for (uint64_t n = 1; !is_last; n++) {
		is_last = wait_for_signal(signals, schedule_next(&schedule, monotonic_ns()));
		is_last |= n == command->count;
		sampler_sample(sampler, &row);
		if (!print_row(&row))
			return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

static int print_metadata(struct sampler *sampler)
{
	char *text = sampler_metadata_json(sampler, METADATA_WAIT_MS);
	bool printed = text && puts(text) >= 0 && fflush(stdout) == 0;

	free(text);
	return printed ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int print_explanation(struct sampler *sampler)
{
	char *text = sampler_explain(sampler);
	bool printed = text && fputs(text, stdout) >= 0 && fflush(stdout) == 0;

	free(text);
	return printed ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_task(struct sampler *sampler, const struct command *command, const sigset_t *signals)
{
	if (command->task == TASK_METADATA)
		return print_metadata(sampler);
	if (command->task == TASK_EXPLAIN)
		return print_explanation(sampler);
	return print_rows(sampler, command, signals);
}

static int run_sampler(const struct command *command)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	const char *fault = sampler_options_fault(&command->options);
	if (fault) {
		fprintf(stderr, "cairn-sampler: %s\n", fault);
		return EXIT_USAGE;
	}
	struct sampler *sampler = sampler_new(&command->options);
	if (!sampler && errno == EINVAL) {
		fputs("cairn-sampler: a path is too long or not valid UTF-8\n", stderr);
		return EXIT_USAGE;
	}
	if (!sampler) {
		fprintf(stderr, "cairn-sampler: %s\n", strerror(errno));
		return EXIT_FAILURE;
	}
	int status = run_task(sampler, command, &signals);
	sampler_free(sampler);
	return status;
}

int main(int argc, char **argv)
{
	struct command command = { 0 };

	int status = command_parse(&command, argc, argv);
	if (status)
		return status;
	if (command.task == TASK_ROWS || command.task == TASK_METADATA ||
	    command.task == TASK_EXPLAIN)
		return run_sampler(&command);
	if (command.task == TASK_HELP)
		command_print_help();
	else if (command.task == TASK_MANUAL)
		command_print_manual();
	else
		puts("cairn-sampler " CAIRN_VERSION);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
