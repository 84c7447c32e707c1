/*
 * What a call of cairn_log() with ten metrics costs the thread that trains, at a steady pace, with
 * the sender busy beside it; or, with --file, what it costs to write the same row as a line of JSON
 * into a file and flush it, which is what a training without a library would do. With --whole the seconds
 * include the end: until the server, or the spool in offline mode, has all rows.
 *
 *	load_log [--calls 100000] [--pause-us 50] [--file PATH] [--whole]
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cairn.h"
#include "load_report.h"

enum { METRICS = 10 };

static void call_library(struct cairn_run *run, long call)
{
	double x = (double)call;

	(void)CAIRN_LOG(run, { "train/loss", 1 / (1 + x) }, { "train/accuracy", x / (1 + x) },
			{ "train/grad_norm", x * 0.37 }, { "train/lr", x * 1e-9 },
			{ "train/tokens", x * 4096 }, { "train/step_time", 0.1 + x * 1e-7 },
			{ "train/data_time", 0.01 + x * 1e-8 }, { "train/parameter_norm", 30 + x },
			{ "train/activation_mean", x * 0.11 },
			{ "train/activation_std", x * 0.013 });
}

static void write_line(FILE *file, long call)
{
	double x = (double)call;

	fprintf(file,
		"{\"train/loss\":%.17g,\"train/accuracy\":%.17g,\"train/grad_norm\":%.17g,"
		"\"train/lr\":%.17g,\"train/tokens\":%.17g,\"train/step_time\":%.17g,"
		"\"train/data_time\":%.17g,\"train/parameter_norm\":%.17g,"
		"\"train/activation_mean\":%.17g,\"train/activation_std\":%.17g}\n",
		1 / (1 + x), x / (1 + x), x * 0.37, x * 1e-9, x * 4096, 0.1 + x * 1e-7,
		0.01 + x * 1e-8, 30 + x, x * 0.11, x * 0.013);
	fflush(file);
}

static void measure(struct load_report *report, struct cairn_run *run, FILE *file, long calls,
		    long pause_us)
{
	struct timespec pause = { 0, pause_us * 1000 };

	for (long call = 0; call < calls; call++) {
		int64_t start_ns = load_now_ns();

		if (file)
			write_line(file, call);
		else
			call_library(run, call);
		load_report_add(report, load_now_ns() - start_ns);
		if (pause_us)
			nanosleep(&pause, NULL);
	}
	report->points = (uint64_t)calls * METRICS;
}

static int end(struct cairn_run *run)
{
	struct cairn_report lost = { 0 };

	if (cairn_finish(run, 0, 120000, &lost) == CAIRN_OK && !lost.history_lost)
		return 0;
	fprintf(stderr, "load: not all rows are kept: %s\n", lost.error);
	return 1;
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{ "calls", required_argument, NULL, 'c' },
		{ "pause-us", required_argument, NULL, 'p' },
		{ "file", required_argument, NULL, 'f' },
		{ "whole", no_argument, NULL, 'w' },
		{ NULL, 0, NULL, 0 },
	};
	struct load_report report = { 0 };
	struct cairn_run *run = NULL;
	FILE *file = NULL;
	bool is_whole = false;
	long calls = 100000;
	long pause_us = 50;
	int64_t start_ns;
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (c == 'c')
			calls = load_number("calls", optarg, 1, 100000000);
		else if (c == 'p')
			pause_us = load_number("pause-us", optarg, 0, 999999);
		else if (c == 'f')
			file = fopen(optarg, "we");
		else if (c == 'w')
			is_whole = true;
		else
			return 2;
	}
	if (!file && (cairn_run_start(NULL, &run) != CAIRN_OK ||
		      cairn_wait_joined(run, 10000) != CAIRN_OK)) {
		fprintf(stderr, "load: no run to log to: set CAIRN_URL and CAIRN_API_KEY\n");
		return 1;
	}
	start_ns = load_now_ns();
	measure(&report, run, file, calls, pause_us);
	c = is_whole ? end(run) : 0;
	report.seconds = (double)(load_now_ns() - start_ns) / 1e9;
	load_report_print(&report, "");
	if (file)
		return fclose(file) != 0;
	c = is_whole ? c : end(run);
	cairn_run_free(run);
	return c;
}
