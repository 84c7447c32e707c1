/*
 * main.c - cairn-sampler: rows of the sampler as JSON lines on standard output.
 *
 * It takes rows itself instead of starting the sampler's thread: waiting for the next row and for
 * a signal to end is one call.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampler.h"
#include "schedule.h"

#define INTERVAL_MAX_S 86400
#define METADATA_WAIT_MS 5000

struct command {
	struct sampler_options options;
	const char *disk_paths[SAMPLER_DISK_PATHS_MAX];
	int gpu_ids[SAMPLER_GPUS_MAX];
	uint64_t count; /* rows; 0: until a signal */
	bool metadata;
};

enum { EXIT_USAGE = 2 };
enum {
	OPT_INTERVAL = 256,
	OPT_PID,
	OPT_ONCE,
	OPT_COUNT,
	OPT_DISK_PATH,
	OPT_GPU,
	OPT_NO_TREE,
	OPT_NO_CGROUP,
	OPT_RAW_MEMORY,
	OPT_PHYSICAL,
	OPT_NO_GPU,
	OPT_METADATA,
	OPT_PROC_ROOT,
	OPT_SYS_ROOT,
	OPT_DEV_ROOT,
	OPT_NVML,
	OPT_HELP,
	OPT_VERSION
};

static const struct option long_options[] = {
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "pid", required_argument, NULL, OPT_PID },
	{ "once", no_argument, NULL, OPT_ONCE },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "disk-path", required_argument, NULL, OPT_DISK_PATH },
	{ "gpu", required_argument, NULL, OPT_GPU },
	{ "no-process-tree", no_argument, NULL, OPT_NO_TREE },
	{ "no-cgroup", no_argument, NULL, OPT_NO_CGROUP },
	{ "raw-cgroup-memory", no_argument, NULL, OPT_RAW_MEMORY },
	{ "physical-network", no_argument, NULL, OPT_PHYSICAL },
	{ "no-gpu", no_argument, NULL, OPT_NO_GPU },
	{ "metadata", no_argument, NULL, OPT_METADATA },
	{ "proc-root", required_argument, NULL, OPT_PROC_ROOT },
	{ "sys-root", required_argument, NULL, OPT_SYS_ROOT },
	{ "dev-root", required_argument, NULL, OPT_DEV_ROOT },
	{ "nvml", required_argument, NULL, OPT_NVML },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ 0 },
};

static const char help[] =
	"Usage: cairn-sampler [OPTION]...\n"
	"Print numbers about this machine and a process tree, one JSON line per sample.\n"
	"\n"
	"  --interval SECONDS    time between samples, 0.1 or more (default 15)\n"
	"  --pid PID             root of the process tree (default: the sampler itself)\n"
	"  --no-process-tree     only PID itself, not its descendants\n"
	"  --once                one sample, after a second or the interval if that is shorter\n"
	"  --count N             end after N samples\n"
	"  --disk-path PATH      usage of the file system of PATH; repeatable (default /)\n"
	"  --gpu LIST            indices of NVIDIA GPUs, as 0,2 (default: all)\n"
	"  --no-gpu              no GPUs\n"
	"  --no-cgroup           ignore limits of control groups\n"
	"  --raw-cgroup-memory   count page cache of the control group as used memory\n"
	"  --physical-network    skip virtual network interfaces\n"
	"  --metadata            print what does not change as one JSON object, then end\n"
	"  --proc-root DIR       instead of /proc, for tests\n"
	"  --sys-root DIR        instead of /sys, for tests\n"
	"  --dev-root DIR        instead of /dev, for tests\n"
	"  --nvml FILE           NVIDIA's management library\n"
	"  --help, --version\n"
	"\n"
	"The first sample comes within a second, the last one at SIGINT or SIGTERM.\n";

static bool parse_number(const char *text, uint64_t most, uint64_t *ret_number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (errno || *end || number > most)
		return false;
	*ret_number = number;
	return true;
}

static bool parse_interval(struct command *command, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.1 && seconds <= INTERVAL_MAX_S))
		return false;
	command->options.interval_ms = (unsigned)(seconds * 1000 + 0.5);
	return true;
}

static bool parse_pid(struct command *command, const char *text)
{
	uint64_t number;

	if (!parse_number(text, INT32_MAX, &number) || number == 0)
		return false;
	command->options.pid = (pid_t)number;
	return true;
}

static bool parse_count(struct command *command, const char *text)
{
	return parse_number(text, UINT64_MAX, &command->count) && command->count > 0;
}

static bool add_disk_path(struct command *command, const char *path)
{
	if (path[0] != '/' || command->options.disk_path_count == SAMPLER_DISK_PATHS_MAX)
		return false;
	command->disk_paths[command->options.disk_path_count++] = path;
	command->options.disk_paths = command->disk_paths;
	return true;
}

static bool parse_gpu_list(struct command *command, char *list)
{
	char *state = NULL;
	uint64_t number;

	for (char *item = strtok_r(list, ",", &state); item; item = strtok_r(NULL, ",", &state)) {
		if (command->options.gpu_id_count == SAMPLER_GPUS_MAX ||
		    !parse_number(item, 1000, &number))
			return false;
		command->gpu_ids[command->options.gpu_id_count++] = (int)number;
	}
	command->options.gpu_ids = command->gpu_ids;
	return command->options.gpu_id_count > 0;
}

static bool set_flag(struct command *command, enum sampler_flag flag)
{
	command->options.flags |= (unsigned)flag;
	return true;
}

static bool set_text(const char **text, const char *value)
{
	*text = value;
	return value[0] != '\0';
}

static bool end_with_text(const char *text)
{
	fputs(text, stdout);
	exit(fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool apply_option(struct command *command, int option, char *value)
{
	struct sampler_options *options = &command->options;

	switch (option) {
	case OPT_INTERVAL:
		return parse_interval(command, value);
	case OPT_PID:
		return parse_pid(command, value);
	case OPT_ONCE:
		command->count = 1;
		return true;
	case OPT_COUNT:
		return parse_count(command, value);
	case OPT_DISK_PATH:
		return add_disk_path(command, value);
	case OPT_GPU:
		return parse_gpu_list(command, value);
	case OPT_NO_TREE:
		return set_flag(command, SAMPLER_NO_PROCESS_TREE);
	case OPT_NO_CGROUP:
		return set_flag(command, SAMPLER_NO_CGROUP);
	case OPT_RAW_MEMORY:
		return set_flag(command, SAMPLER_RAW_CGROUP_MEMORY);
	case OPT_PHYSICAL:
		return set_flag(command, SAMPLER_PHYSICAL_NETWORK);
	case OPT_NO_GPU:
		return set_flag(command, SAMPLER_NO_GPU);
	case OPT_METADATA:
		command->metadata = true;
		return true;
	case OPT_PROC_ROOT:
		return set_text(&options->proc_root, value);
	case OPT_SYS_ROOT:
		return set_text(&options->sys_root, value);
	case OPT_DEV_ROOT:
		return set_text(&options->dev_root, value);
	case OPT_NVML:
		return set_text(&options->nvml_path, value);
	case OPT_HELP:
		return end_with_text(help);
	case OPT_VERSION:
		return end_with_text("cairn-sampler " CAIRN_VERSION "\n");
	default:
		return false;
	}
}

static const char *option_name(int option)
{
	for (const struct option *o = long_options; o->name; o++) {
		if (o->val == option)
			return o->name;
	}
	return "?";
}

static int parse_options(struct command *command, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (option == '?')
			return EXIT_USAGE; /* getopt said why */
		if (apply_option(command, option, optarg))
			continue;
		fprintf(stderr, "cairn-sampler: not a value for --%s: \"%s\"; see --help\n",
			option_name(option), optarg);
		return EXIT_USAGE;
	}
	if (optind == argc)
		return 0;
	fprintf(stderr, "cairn-sampler: unexpected argument \"%s\"; see --help\n", argv[optind]);
	return EXIT_USAGE;
}

/* Names hold no control characters; '"' and '\' may occur in a path. */
static void print_name(const char *name)
{
	putchar('"');
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			putchar('\\');
		putchar(*name);
	}
	putchar('"');
}

/* False when nobody reads any more. */
static bool print_row(const struct sampler_row *row)
{
	printf("{\"_timestamp\":%.6f", row->timestamp_s);
	for (size_t i = 0; i < row->count; i++) {
		putchar(',');
		print_name(row->values[i].name);
		printf(":%.15g", row->values[i].value);
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

int main(int argc, char **argv)
{
	struct command command = { 0 };
	sigset_t signals;

	int status = parse_options(&command, argc, argv);
	if (status)
		return status;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	struct sampler *sampler = sampler_new(&command.options);
	if (!sampler) {
		fprintf(stderr, "cairn-sampler: %s\n", strerror(errno));
		return EXIT_FAILURE;
	}
	status = command.metadata ? print_metadata(sampler)
				  : print_rows(sampler, &command, &signals);
	sampler_free(sampler);
	return status;
}
