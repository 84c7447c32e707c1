/*
 * sampler_bench.c - what sampling costs: CPU of this process while it samples at 1 Hz.
 *
 *     sampler_bench [SECONDS]
 *
 * The process does nothing else, so its own CPU time is that of all the sampler's threads. The
 * baseline takes the same facts the plain way, with ps, cat and df once a second.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "monotonic.h"
#include "sampler.h"

#define SECONDS_DEFAULT 20
#define INTERVAL_MS 1000

static double cpu_s(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6 +
	       (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
}

static void sleep_until(uint64_t time_ns)
{
	struct timespec time = monotonic_timespec(time_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
		;
}

static void count_row(void *context, const struct sampler_row *row)
{
	size_t *values = context;

	*values += row->count;
}

/* CPU seconds over the span; the start, with its first reading of everything, is not part of it. */
static double run_sampler(unsigned seconds, size_t *ret_values)
{
	struct sampler_options options = { .interval_ms = INTERVAL_MS };
	struct sampler *sampler = sampler_new(&options);

	*ret_values = 0;
	if (!sampler || sampler_start(sampler, count_row, ret_values) != 0)
		return -1;
	uint64_t start_ns = monotonic_ns() + NS_PER_S / 2;
	sleep_until(start_ns);
	double before = cpu_s(RUSAGE_SELF);
	sleep_until(start_ns + seconds * NS_PER_S);
	double used = cpu_s(RUSAGE_SELF) - before;
	sampler_free(sampler);
	return used;
}

static double run_baseline(unsigned seconds)
{
	static const char command[] =
		"{ ps -eo pid,ppid,nlwp,rss,time; cat /proc/meminfo /proc/net/dev /proc/diskstats; "
		"df -k /; } >/dev/null 2>&1";
	uint64_t start_ns = monotonic_ns();
	double before = cpu_s(RUSAGE_CHILDREN);

	for (unsigned i = 1; i <= seconds; i++) {
		if (system(command) < 0)
			return -1;
		sleep_until(start_ns + i * NS_PER_S);
	}
	return cpu_s(RUSAGE_CHILDREN) - before;
}

int main(int argc, char **argv)
{
	unsigned long seconds = argc > 1 ? strtoul(argv[1], NULL, 10) : SECONDS_DEFAULT;
	size_t values;

	if (seconds == 0 || seconds > 3600) {
		fprintf(stderr, "usage: sampler_bench [SECONDS]\n");
		return 2;
	}
	double used = run_sampler((unsigned)seconds, &values);
	double baseline = run_baseline((unsigned)seconds);
	if (used < 0 || baseline < 0)
		return EXIT_FAILURE;
	double value = 100 * used / (double)seconds;
	baseline = 100 * baseline / (double)seconds;
	printf("{\"name\":\"sampler\",\"value\":%.4f,\"unit\":\"%% of a core\",\"baseline\":%.4f,"
	       "\"ratio\":%.4f,\"interval_s\":1,\"seconds\":%lu,\"values\":%zu}\n",
	       value, baseline, baseline > 0 ? value / baseline : 0, seconds, values);
	return EXIT_SUCCESS;
}
