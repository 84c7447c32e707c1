/* options.c - the options of cairn-sampler, and what their values may be. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "device_choice.h"

#define INTERVAL_MAX_S 86400
#define OPTIONS_MAX 32
#define FIRST_CODE 256 /* of getopt_long's, above every letter */

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

static bool set_interval(struct command *command, char *value)
{
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end || !(seconds >= 0.1 && seconds <= INTERVAL_MAX_S))
		return false;
	command->options.interval_ms = (unsigned)(seconds * 1000 + 0.5);
	return true;
}

static bool set_pid(struct command *command, char *value)
{
	uint64_t number;

	if (!parse_number(value, INT32_MAX, &number) || number == 0)
		return false;
	command->options.pid = (pid_t)number;
	return true;
}

static bool set_once(struct command *command, char *value)
{
	(void)value;
	command->count = 1;
	return true;
}

static bool set_count(struct command *command, char *value)
{
	return parse_number(value, UINT64_MAX, &command->count) && command->count > 0;
}

static bool add_disk_path(struct command *command, char *value)
{
	if (value[0] != '/' || command->options.disk_path_count == SAMPLER_DISK_PATHS_MAX)
		return false;
	command->disk_paths[command->options.disk_path_count++] = value;
	command->options.disk_paths = command->disk_paths;
	return true;
}

/* Appends to a list with `between` between. */
static bool append(char *list, size_t size, const char *between, const char *value)
{
	size_t length = strlen(list), room = size - length;
	int written = snprintf(list + length, room, "%s%s", length > 0 ? between : "", value);

	return value[0] && written >= 0 && (size_t)written < room;
}

/* Appends to the list of devices, which is checked as a whole. */
static bool add_devices(struct command *command, const char *kind, const char *list)
{
	struct device_choice choice;
	char entry[sizeof command->devices];
	int length = snprintf(entry, sizeof entry, "%s%s", kind, list);

	if (!list[0] || length < 0 || (size_t)length >= sizeof entry ||
	    !append(command->devices, sizeof command->devices, ",", entry) ||
	    !device_choice_parse(command->devices, &choice))
		return false;
	command->options.devices = command->devices;
	return true;
}

static bool set_gpus(struct command *command, char *value)
{
	return !strchr(value, ':') && add_devices(command, "gpu:", value);
}

static bool set_devices(struct command *command, char *value)
{
	return add_devices(command, "", value);
}

static bool set_text(const char **text, const char *value)
{
	*text = value;
	return value[0] != '\0';
}

static bool set_proc_root(struct command *command, char *value)
{
	return set_text(&command->options.proc_root, value);
}

static bool set_sys_root(struct command *command, char *value)
{
	return set_text(&command->options.sys_root, value);
}

static bool set_dev_root(struct command *command, char *value)
{
	return set_text(&command->options.dev_root, value);
}

static bool set_nvml(struct command *command, char *value)
{
	return set_text(&command->options.nvml_path, value);
}

static bool ask_metadata(struct command *command, char *value)
{
	(void)value;
	command->task = TASK_METADATA;
	return true;
}

static bool set_tool_path(struct command *command, char *value)
{
	return set_text(&command->options.tool_path, value);
}

static bool set_tpu_ports(struct command *command, char *value)
{
	return set_text(&command->options.tpu_ports, value);
}

static bool add_open_metrics(struct command *command, char *value)
{
	command->options.open_metrics = command->open_metrics;
	return append(command->open_metrics, sizeof command->open_metrics, " ", value);
}

static bool set_open_metrics_filters(struct command *command, char *value)
{
	return set_text(&command->options.open_metrics_filters, value);
}

static bool add_open_metrics_header(struct command *command, char *value)
{
	command->options.open_metrics_headers = command->open_metrics_headers;
	return append(command->open_metrics_headers, sizeof command->open_metrics_headers, "\n",
		      value);
}

static bool set_ca_file(struct command *command, char *value)
{
	return set_text(&command->options.ca_file, value);
}

static bool ask_explain(struct command *command, char *value)
{
	(void)value;
	command->task = TASK_EXPLAIN;
	return true;
}

static bool ask_help(struct command *command, char *value)
{
	(void)value;
	command->task = TASK_HELP;
	return true;
}

static bool ask_manual(struct command *command, char *value)
{
	(void)value;
	command->task = TASK_MANUAL;
	return true;
}

static bool ask_version(struct command *command, char *value)
{
	(void)value;
	command->task = TASK_VERSION;
	return true;
}

const struct command_option command_options[] = {
	{ "interval", "SECONDS", "Seconds between samples, from 0.1 to 86400 [15].",
	  .apply = set_interval },
	{ "pid", "PID", "Root of the process tree [the sampler itself].", .apply = set_pid },
	{ "no-process-tree", NULL, "Sample only PID, not its descendants.",
	  .flag = SAMPLER_NO_PROCESS_TREE },
	{ "once", NULL, "Print one sample, after a second or the interval if that is shorter.",
	  .apply = set_once },
	{ "count", "N", "Exit after N samples.", .apply = set_count },
	{ "disk-path", "PATH",
	  "Absolute path; the usage of its file system is sampled. May be repeated [/].",
	  .apply = add_disk_path },
	{ "gpu", "LIST",
	  "GPUs by index or UUID, such as 0,2 or GPU-8932f937, or all [CUDA_VISIBLE_DEVICES, else "
	  "all].",
	  .apply = set_gpus },
	{ "devices", "LIST",
	  "Devices of any kind (gpu, tpu, trn, ipu, hpu), such as gpu:0,2,tpu:1-3,ipu:none [all].",
	  .apply = set_devices },
	{ "no-gpu", NULL, "Do not sample GPUs.", .flag = SAMPLER_NO_GPU },
	{ "no-cgroup", NULL, "Ignore the limits of control groups.", .flag = SAMPLER_NO_CGROUP },
	{ "raw-cgroup-memory", NULL, "Count the page cache of the control group as used memory.",
	  .flag = SAMPLER_RAW_CGROUP_MEMORY },
	{ "physical-network", NULL, "Skip virtual network interfaces.",
	  .flag = SAMPLER_PHYSICAL_NETWORK },
	{ "per-core", NULL, "Sample each CPU of the host, too.", .flag = SAMPLER_PER_CORE },
	{ "metadata", NULL, "Print constant information as one JSON object, then exit.",
	  .apply = ask_metadata },
	{ "explain", NULL, "Print which sources were found and why others were not, then exit.",
	  .apply = ask_explain },
	{ "proc-root", "DIR", "Directory to use instead of /proc, for tests.",
	  .apply = set_proc_root },
	{ "sys-root", "DIR", "Directory to use instead of /sys, for tests.",
	  .apply = set_sys_root },
	{ "dev-root", "DIR", "Directory to use instead of /dev, for tests.",
	  .apply = set_dev_root },
	{ "nvml", "FILE", "Path of NVIDIA's management library [libnvidia-ml.so.1].",
	  .apply = set_nvml },
	{ "tool-path", "DIRS", "Folders of vendors' tools, such as rocm-smi [PATH].",
	  .apply = set_tool_path },
	{ "tpu-ports", "LIST",
	  "Ports of libtpu's metric services [TPU_RUNTIME_METRICS_PORTS, else 8431].",
	  .apply = set_tpu_ports },
	{ "open-metrics", "NAME=URL",
	  "Endpoint of metrics in the format of Prometheus or OpenMetrics. May be repeated "
	  "[CAIRN_OPEN_METRICS].",
	  .apply = add_open_metrics },
	{ "open-metrics-filters", "FILTERS",
	  "Which series of the endpoints to sample: a regular expression for ENDPOINT.METRIC, a JSON array "
	  "of them, or a JSON object {expression: {label: expression}} [CAIRN_OPEN_METRICS_FILTERS, else "
	  "all].",
	  .apply = set_open_metrics_filters },
	{ "open-metrics-header", "HEADER",
	  "Header for the endpoints, as \"NAME: VALUE\". May be repeated. Others can see the command line: "
	  "set secrets in the environment [CAIRN_OPEN_METRICS_HEADERS].",
	  .apply = add_open_metrics_header },
	{ "ca-file", "FILE",
	  "PEM certificates to trust the endpoints by [CAIRN_CA_FILE, else the system's].",
	  .apply = set_ca_file },
	{ "help", NULL, "Print this help.", .apply = ask_help },
	{ "version", NULL, "Print the version.", .apply = ask_version },
	{ "man", NULL, NULL, .apply = ask_manual },
	{ 0 },
};

#define OPTION_COUNT (sizeof command_options / sizeof command_options[0])
_Static_assert(OPTION_COUNT <= OPTIONS_MAX, "room for getopt_long's table");

static void make_table(struct option *ret_table)
{
	memset(ret_table, 0, OPTION_COUNT * sizeof *ret_table);
	for (size_t i = 0; command_options[i].name; i++)
		ret_table[i] = (struct option){
			.name = command_options[i].name,
			.has_arg = command_options[i].value ? required_argument : no_argument,
			.val = FIRST_CODE + (int)i,
		};
}

static bool apply(struct command *command, const struct command_option *option, char *value)
{
	if (option->apply)
		return option->apply(command, value);
	command->options.flags |= (unsigned)option->flag;
	return true;
}

/* A process that is gone later is no mistake; one that never was is. */
static bool is_there(const struct sampler_options *options)
{
	char path[PATH_MAX];

	if (!options->pid)
		return true;
	snprintf(path, sizeof path, "%s/%d", options->proc_root ? options->proc_root : "/proc",
		 (int)options->pid);
	if (access(path, F_OK) == 0)
		return true;
	fprintf(stderr, "cairn-sampler: process %d does not exist\n", (int)options->pid);
	return false;
}

int command_parse(struct command *command, int argc, char **argv)
{
	struct option table[OPTIONS_MAX];
	int code;

	make_table(table);
	while ((code = getopt_long(argc, argv, ":", table, NULL)) != -1) {
		if (code < FIRST_CODE) {
			fprintf(stderr, "cairn-sampler: %s \"%s\"; see --help\n",
				code == ':' ? "missing value after" : "unknown option",
				argv[optind - 1]);
			return EXIT_USAGE;
		}
		const struct command_option *option = &command_options[code - FIRST_CODE];
		if (apply(command, option, optarg))
			continue;
		fprintf(stderr, "cairn-sampler: invalid value for --%s: \"%s\"; see --help\n",
			option->name, optarg);
		return EXIT_USAGE;
	}
	if (!is_there(&command->options))
		return EXIT_USAGE;
	if (optind == argc)
		return 0;
	fprintf(stderr, "cairn-sampler: unexpected argument \"%s\"; see --help\n", argv[optind]);
	return EXIT_USAGE;
}
