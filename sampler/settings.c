/* settings.c - see settings.h. Text that could not be part of a metric's name is refused here. */
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "endpoints.h"
#include "info_text.h"
#include "metrics_filter.h"
#include "proc_file.h"

#define TOOL_PERIOD_MS 10000
#define ENVIRONMENT_MAX (256 * 1024) /* bytes of it that are read */

static int copy_text(const char *text, const char *otherwise, char *ret, size_t size)
{
	if (!text)
		text = otherwise;
	size_t length = strnlen(text, size);
	if (length >= size)
		return EINVAL;
	memcpy(ret, text, length + 1);
	return 0;
}

static bool has_control_character(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	}
	return false;
}

static int copy_disk_path(const char *path, char *ret)
{
	if (!path || path[0] != '/')
		return EINVAL;
	int e = copy_text(path, NULL, ret, SETTINGS_DISK_PATH_MAX + 1);
	if (e)
		return e;
	return has_control_character(ret) || !info_text_is_utf8(ret) ? EINVAL : 0;
}

static bool has_disk_path(const struct settings *s, const char *path)
{
	for (size_t i = 0; i < s->disk_path_count; i++) {
		if (strcmp(s->disk_paths[i], path) == 0)
			return true;
	}
	return false;
}

/* A path named twice counts once: no row may hold a name twice. */
static int copy_disk_paths(const struct sampler_options *options, struct settings *s)
{
	if (options->disk_path_count > SAMPLER_DISK_PATHS_MAX)
		return EINVAL;
	for (size_t i = 0; i < options->disk_path_count; i++) {
		char *path = s->disk_paths[s->disk_path_count];
		int e = copy_disk_path(options->disk_paths[i], path);
		if (e)
			return e;
		if (!has_disk_path(s, path))
			s->disk_path_count++;
	}
	if (s->disk_path_count > 0)
		return 0;
	s->disk_path_count = 1;
	return copy_disk_path("/", s->disk_paths[0]);
}

/* No more are measured than there is room for. */
static void add_gpu(struct settings *s, int index)
{
	for (size_t i = 0; i < s->gpu_id_count; i++) {
		if (s->gpu_ids[i] == index)
			return;
	}
	if (s->gpu_id_count < SAMPLER_GPUS_MAX)
		s->gpu_ids[s->gpu_id_count++] = index;
}

static void add_gpu_range(struct settings *s, const struct device_range *range)
{
	if (range->first > range->last)
		add_gpu(s, -1);
	for (unsigned i = range->first; i <= range->last; i++)
		add_gpu(s, (int)i);
}

/* GPUs that were chosen by number, in either way, are one list. */
static int copy_devices(const struct sampler_options *options, struct settings *s)
{
	if (options->gpu_id_count > SAMPLER_GPUS_MAX ||
	    !device_choice_parse(options->devices ? options->devices : "", &s->devices))
		return EINVAL;
	for (size_t i = 0; i < options->gpu_id_count; i++) {
		if (options->gpu_ids[i] < 0)
			return EINVAL;
		add_gpu(s, options->gpu_ids[i]);
	}
	memcpy(s->gpu_names, s->devices.gpu_names, sizeof s->gpu_names);
	for (size_t i = 0; !s->devices.is_every_gpu && i < s->devices.count; i++) {
		const struct device_range *range = &s->devices.ranges[i];
		if (strcmp(range->kind, "gpu") == 0)
			add_gpu_range(s, range);
	}
	return 0;
}

/* A list that is too long is taken as none: all GPUs are measured. */
static void take_cuda_variable(struct settings *s, const char *visible, const char *order)
{
	s->has_cuda_visible = visible &&
			      strnlen(visible, sizeof s->cuda_visible) < sizeof s->cuda_visible;
	if (s->has_cuda_visible)
		strcpy(s->cuda_visible, visible); /* it fits */
	s->is_cuda_order_pci = order && strcmp(order, "PCI_BUS_ID") == 0;
}

/* The value of a variable among "NAME=value" ended with NUL; NULL without it. */
static const char *find_variable(const char *variables, size_t size, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = variables; at < variables + size; at += strlen(at) + 1) {
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			return at + length + 1;
	}
	return NULL;
}

/* For another program, its environment at its start is read. It may hold secrets, and is forgotten. */
static void copy_cuda(struct settings *s)
{
	static const char visible[] = "CUDA_VISIBLE_DEVICES", order[] = "CUDA_DEVICE_ORDER";
	char path[SETTINGS_ROOT_MAX + 32];

	if (s->devices.is_every_gpu)
		return;
	if (s->pid == getpid()) {
		take_cuda_variable(s, getenv(visible), getenv(order));
		return;
	}
	char *bytes = malloc(ENVIRONMENT_MAX);
	ssize_t size = -1;
	if (bytes && proc_path(path, sizeof path, s->proc_root, "%d/environ", (int)s->pid))
		size = proc_read(AT_FDCWD, path, bytes, ENVIRONMENT_MAX);
	if (size > 0) {
		take_cuda_variable(s, find_variable(bytes, (size_t)size, visible),
				   find_variable(bytes, (size_t)size, order));
		explicit_bzero(bytes, (size_t)size);
	}
	free(bytes);
}

static int copy_roots(const struct sampler_options *options, struct settings *s)
{
	int e = copy_text(options->proc_root, "/proc", s->proc_root, sizeof s->proc_root);
	if (!e)
		e = copy_text(options->sys_root, "/sys", s->sys_root, sizeof s->sys_root);
	if (!e)
		e = copy_text(options->dev_root, "/dev", s->dev_root, sizeof s->dev_root);
	if (!e)
		e = copy_text(options->nvml_path, "", s->nvml_path, sizeof s->nvml_path);
	return e;
}

/* A PATH that is too long is taken as none: the vendors' own folders are left. The caller's
 * thread reads it, once, as getenv is not safe beside setenv. */
static int copy_tool_path(const struct sampler_options *options, struct settings *s)
{
	const char *path = getenv("PATH");

	if (options->tool_path)
		return copy_text(options->tool_path, NULL, s->tool_path, sizeof s->tool_path);
	copy_text(path, "/usr/local/bin:/usr/bin:/bin", s->tool_path, sizeof s->tool_path);
	return 0;
}

/* An environment that makes no sense is no reason to refuse a sampler. */
static int copy_tpu_ports(const struct sampler_options *options, struct settings *s)
{
	const char *ports = getenv("TPU_RUNTIME_METRICS_PORTS");

	if (options->tpu_ports)
		return copy_text(options->tpu_ports, NULL, s->tpu_ports, sizeof s->tpu_ports);
	if (!ports || !*ports || copy_text(ports, NULL, s->tpu_ports, sizeof s->tpu_ports) != 0)
		copy_text("8431", NULL, s->tpu_ports, sizeof s->tpu_ports);
	return 0;
}

static int copy_variable(const char *option, const char *variable, char *ret, size_t size)
{
	const char *text = option ? option : getenv(variable);

	return copy_text(text, "", ret, size);
}

static int copy_endpoints(const struct sampler_options *options, struct settings *s)
{
	int e = copy_variable(options->open_metrics, "CAIRN_OPEN_METRICS", s->open_metrics,
			      sizeof s->open_metrics);
	if (!e)
		e = copy_variable(options->open_metrics_filters, "CAIRN_OPEN_METRICS_FILTERS",
				  s->open_metrics_filters, sizeof s->open_metrics_filters);
	if (!e)
		e = copy_variable(options->open_metrics_headers, "CAIRN_OPEN_METRICS_HEADERS",
				  s->open_metrics_headers, sizeof s->open_metrics_headers);
	if (!e)
		e = copy_variable(options->ca_file, "CAIRN_CA_FILE", s->ca_file, sizeof s->ca_file);
	return e;
}

static bool take_header(void *context, const char *header)
{
	size_t *count = context;

	(void)header;
	return ++*count <= ENDPOINT_HEADERS_MAX;
}

/* Returns NULL, or what is wrong. */
static const char *endpoints_fault(const struct settings *s)
{
	struct endpoint endpoints[ENDPOINTS_MAX];
	struct metrics_filters filters;
	size_t count = 0, headers = 0;

	if (!endpoints_parse(s->open_metrics, endpoints, &count))
		return "invalid endpoints of OpenMetrics: expected \"NAME=URL\", at most 8, with letters, "
		       "digits, _ and - in the name and http:// or https:// in the URL";
	if (!metrics_filters_init(&filters, s->open_metrics_filters))
		return "invalid filters of OpenMetrics: expected a regular expression, a JSON array of "
		       "them, or a JSON object {expression: {label: expression}}";
	metrics_filters_deinit(&filters);
	if (!endpoint_headers_parse(s->open_metrics_headers, take_header, &headers))
		return "invalid headers of OpenMetrics: expected lines \"NAME: VALUE\" or a JSON object";
	return NULL;
}

int settings_copy(const struct sampler_options *options, struct settings *ret_settings)
{
	static const struct sampler_options defaults;
	struct settings *s = ret_settings;

	memset(s, 0, sizeof *s);
	if (!options)
		options = &defaults;
	if (options->pid < 0)
		return EINVAL;
	s->pid = options->pid ? options->pid : getpid();
	s->flags = options->flags;
	s->interval_ms = options->interval_ms ? options->interval_ms : SAMPLER_INTERVAL_DEFAULT_MS;
	s->tool_period_ms = options->tool_period_ms ? options->tool_period_ms : TOOL_PERIOD_MS;
	s->has_remote_ipus = getenv("IPUOF_VIPU_API_HOST") || getenv("IPUOF_CONFIG_PATH");
	if (s->interval_ms < SAMPLER_INTERVAL_MIN_MS)
		s->interval_ms = SAMPLER_INTERVAL_MIN_MS;
	int e = copy_disk_paths(options, s);
	if (!e)
		e = copy_devices(options, s);
	if (!e)
		e = copy_roots(options, s);
	if (!e)
		e = copy_tool_path(options, s);
	if (!e)
		e = copy_tpu_ports(options, s);
	if (!e)
		e = copy_endpoints(options, s);
	if (!e && endpoints_fault(s))
		e = EINVAL;
	if (!e)
		copy_cuda(s);
	return e;
}

bool sampler_is_device_list(const char *list)
{
	struct device_choice choice;

	return device_choice_parse(list, &choice);
}

const char *sampler_options_fault(const struct sampler_options *options)
{
	static const struct sampler_options none;
	struct device_choice choice;
	struct settings *s = calloc(1, sizeof *s);
	const char *fault = NULL;

	if (!s)
		return NULL;
	if (!options)
		options = &none;
	if (!device_choice_parse(options->devices ? options->devices : "", &choice))
		fault = "invalid devices: expected a list such as \"gpu:0,2,tpu:1-3,ipu:none\"";
	else if (copy_endpoints(options, s) != 0)
		fault = "the settings of OpenMetrics are longer than 4095 bytes";
	else
		fault = endpoints_fault(s);
	explicit_bzero(s, sizeof *s);
	free(s);
	return fault;
}
