/*
 * A setting comes from the option, else the environment, else the login file, else the
 * default. All of them are rows of two tables, text and numbers; what must hold between them is
 * checked once at the end.
 */
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "credentials.h"
#include "names.h"
#include "number.h"
#include "random_id.h"
#include "ranks.h"
#include "sampler.h"
#include "spool_folder.h"
#include "spool_writer.h"
#include "text.h"
#include "utf8.h"

#define MIB (1024 * 1024)
#define GIB (1024.0 * MIB)
#define KEY_FILE_MAX_BYTES 1024

struct text_setting {
	const char *variable;
	size_t option; /* offset in struct cairn_options, or NO_OPTION */
	size_t member; /* offset in struct settings */
};

#define NO_OPTION SIZE_MAX
#define VARIABLE(variable, name) \
	{ \
		variable, NO_OPTION, offsetof(struct settings, name) \
	}
#define TEXT(variable, name) \
	{ \
		variable, offsetof(struct cairn_options, name), offsetof(struct settings, name) \
	}

static const struct text_setting texts[] = {
	TEXT("CAIRN_URL", url),
	TEXT("CAIRN_API_KEY", api_key),
	TEXT("CAIRN_CA_FILE", ca_file),
	TEXT("CAIRN_PROJECT", project),
	TEXT("CAIRN_RUN", run_id),
	TEXT("CAIRN_LABEL", label),
	TEXT("CAIRN_CLIENT", client_id),
	TEXT("CAIRN_PARENT", parent),
	TEXT("CAIRN_NAME", display_name),
	TEXT("CAIRN_GROUP", group),
	TEXT("CAIRN_JOB_TYPE", job_type),
	TEXT("CAIRN_TAGS", tags),
	TEXT("CAIRN_NOTES", notes),
	TEXT(NULL, config_json),
	TEXT("CAIRN_SAMPLE_DISKS", sample_disks),
	TEXT("CAIRN_SAMPLE_GPUS", sample_gpus),
	VARIABLE("CAIRN_SAMPLE_DEVICES", sample_devices),
	VARIABLE("CAIRN_OPEN_METRICS", open_metrics),
	VARIABLE("CAIRN_OPEN_METRICS_FILTERS", open_metrics_filters),
	VARIABLE("CAIRN_OPEN_METRICS_HEADERS", open_metrics_headers),
};

static char **text_member(struct settings *settings, const struct text_setting *setting)
{
	return (char **)((char *)settings + setting->member);
}

static int fail(char *error, int result, const char *message)
{
	snprintf(error, SETTINGS_ERROR_SIZE, "%s", message);
	return result;
}

static int no_memory(char *error)
{
	return fail(error, CAIRN_MEMORY, "out of memory");
}

static const char *text_option(const struct cairn_options *options,
			       const struct text_setting *setting)
{
	if (setting->option == NO_OPTION)
		return NULL;
	return *(const char *const *)((const char *)options + setting->option);
}

static int load_texts(const struct cairn_options *options, struct settings *settings, char *error)
{
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const char *value = text_option(options, &texts[i]);

		if (!value && texts[i].variable)
			value = getenv(texts[i].variable);
		if (!value || !value[0])
			continue;
		*text_member(settings, &texts[i]) = strdup(value);
		if (!*text_member(settings, &texts[i]))
			return no_memory(error);
	}
	return CAIRN_OK;
}

void settings_deinit(struct settings *settings)
{
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		free(*text_member(settings, &texts[i]));
	free(settings->entity);
	free(settings->spool.path);
	*settings = (struct settings){ 0 };
}

/* An option (below 0: not set), else a variable, else a default. *wrong becomes the name of a variable
 * that is no number. */
static double number_setting(double option, const char *variable, double otherwise,
			     const char **wrong)
{
	const char *text = getenv(variable);
	double number;

	if (option >= 0)
		return option;
	if (!text || !text[0])
		return otherwise;
	if (number_parse(text, strlen(text), &number) && number >= 0)
		return number;
	*wrong = variable;
	return otherwise;
}

static int clamp(double number, int least, int most)
{
	if (!(number > least))
		return least;
	return number < most ? (int)number : most;
}

static int fail_number(char *error, const char *variable)
{
	snprintf(error, SETTINGS_ERROR_SIZE, "%s must be a number, 0 or more", variable);
	return CAIRN_INVALID;
}

/* Each kept within its limits. */
static int load_numbers(const struct cairn_options *options, struct settings *settings, char *error)
{
	double mib = options->buffer_bytes < 0 ? -1 : (double)options->buffer_bytes / MIB;
	const char *wrong = NULL;
	double interval =
		number_setting(options->sample_interval_s, "CAIRN_SAMPLE_INTERVAL", 15, &wrong);

	mib = fmin(fmax(number_setting(mib, "CAIRN_BUFFER_MIB", 64, &wrong), 1), 1 << 20);
	settings->buffer_bytes = (int64_t)(mib * MIB);
	settings->sample_interval_s = interval > 0 ? fmin(fmax(interval, 0.1), 86400) : 0;
	settings->sample_pid = options->sample_pid > 0 ? options->sample_pid : 0;
	settings->flush_interval_ms =
		clamp(number_setting(options->flush_interval_ms, "CAIRN_FLUSH_MS", 1000, &wrong),
		      10, 5000);
	settings->request_timeout_ms =
		clamp(number_setting(options->request_timeout_ms, "CAIRN_REQUEST_TIMEOUT_MS", 30000,
				     &wrong),
		      100, 600000);
	settings->exit_timeout_ms = clamp(number_setting(options->exit_timeout_ms,
							 "CAIRN_EXIT_TIMEOUT_MS", 2000, &wrong),
					  0, 600000);
	settings->retry_max_ms =
		clamp(number_setting(-1, "CAIRN_RETRY_MAX_MS", 30000, &wrong), 100, 600000);
	return wrong ? fail_number(error, wrong) : CAIRN_OK;
}

/* "GIB" or "PERCENT%" */
static bool read_reserve(const char *text, struct spool_settings *spool)
{
	size_t length = strlen(text);
	bool is_part = text[length - 1] == '%';
	double number;

	if (!number_parse(text, length - is_part, &number) || !(number >= 0))
		return false;
	spool->reserve_part = is_part ? fmin(number, 100) / 100 : 1;
	spool->reserve_bytes = is_part ? INT64_MAX : (int64_t)(fmin(number, 1 << 20) * GIB);
	return true;
}

static int load_reserve(struct spool_settings *spool, char *error)
{
	const char *text = getenv("CAIRN_SPOOL_RESERVE");

	spool->reserve_part = SPOOL_RESERVE_PART;
	spool->reserve_bytes = SPOOL_RESERVE_BYTES;
	if (!text || !text[0] || read_reserve(text, spool))
		return CAIRN_OK;
	return fail(error, CAIRN_INVALID,
		    "CAIRN_SPOOL_RESERVE must be a number of GiB, or a percentage such as 5%");
}

static int load_switch(struct spool_settings *spool, char *error)
{
	const char *text = getenv("CAIRN_SPOOL");

	spool->is_on = !text || !text[0] || strcmp(text, "on") == 0;
	if (spool->is_on || strcmp(text, "off") == 0)
		return CAIRN_OK;
	return fail(error, CAIRN_INVALID, "CAIRN_SPOOL must be \"on\" or \"off\"");
}

/* The limits of the spool. It is always on in offline mode. */
static int load_spool(struct settings *settings, char *error)
{
	struct spool_settings *spool = &settings->spool;
	const char *wrong = NULL;
	double mib = number_setting(-1, "CAIRN_SPOOL_AFTER_MIB", 16, &wrong);
	double gib = number_setting(-1, "CAIRN_SPOOL_MAX_GIB", 10, &wrong);
	int result;

	spool->after_ms =
		clamp(number_setting(-1, "CAIRN_SPOOL_AFTER_MS", 5000, &wrong), 100, 3600000);
	spool->after_bytes = (int64_t)(fmin(mib, 1 << 20) * MIB);
	if (spool->after_bytes > settings->buffer_bytes / 2)
		spool->after_bytes = settings->buffer_bytes / 2;
	spool->max_bytes = (uint64_t)(fmin(gib, 1 << 20) * GIB);
	if (wrong)
		return fail_number(error, wrong);
	result = load_switch(spool, error);
	if (!result)
		result = load_reserve(spool, error);
	if (settings->mode == MODE_OFFLINE)
		spool->is_on = true;
	if (result || !spool->is_on)
		return result;
	spool->path = spool_folder_default();
	return spool->path ? CAIRN_OK : no_memory(error);
}

int settings_load_mode(const struct cairn_options *options, enum settings_mode *ret_mode,
		       char error[static SETTINGS_ERROR_SIZE])
{
	static const struct {
		const char *name;
		enum settings_mode mode;
	} modes[] = { { "online", MODE_ONLINE },
		      { "offline", MODE_OFFLINE },
		      { "dryrun", MODE_OFFLINE },
		      { "disabled", MODE_DISABLED } };
	const char *name = options->mode ? options->mode : getenv("CAIRN_MODE");

	*ret_mode = MODE_ONLINE;
	if (!name || !name[0])
		return CAIRN_OK;
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		if (strcmp(name, modes[i].name) == 0) {
			*ret_mode = modes[i].mode;
			return CAIRN_OK;
		}
	}
	return fail(error, CAIRN_INVALID,
		    "the mode (CAIRN_MODE) must be online, offline, dryrun or disabled");
}

/* The sampler of a run would only be missing. */
static int check_sampling(const struct settings *settings, char *error)
{
	const struct sampler_options options = {
		.devices = settings->sample_devices,
		.open_metrics = settings->open_metrics,
		.open_metrics_filters = settings->open_metrics_filters,
		.open_metrics_headers = settings->open_metrics_headers,
	};
	const char *fault = sampler_options_fault(&options);

	return fault ? fail(error, CAIRN_INVALID, fault) : CAIRN_OK;
}

/* A rank makes a worker only if the run has an id that the others know, too. */
static enum cairn_role default_role(const struct settings *settings, const struct ranks *ranks)
{
	bool is_worker = settings->run_id && ranks_is_worker(ranks, settings->run_id);

	return is_worker ? CAIRN_WORKER : CAIRN_PRIMARY;
}

static int load_role(const struct cairn_options *options, const struct ranks *ranks,
		     struct settings *settings, char *error)
{
	const char *role = getenv("CAIRN_ROLE");

	settings->role = options->role;
	if (settings->role == CAIRN_PRIMARY || settings->role == CAIRN_WORKER)
		return CAIRN_OK;
	if (settings->role != CAIRN_ROLE_DEFAULT)
		return fail(error, CAIRN_INVALID, "the role must be primary or worker");
	settings->role = default_role(settings, ranks);
	if (!role || !role[0])
		return CAIRN_OK;
	settings->role = CAIRN_PRIMARY;
	if (strcmp(role, "primary") == 0)
		return CAIRN_OK;
	if (strcmp(role, "worker") != 0)
		return fail(error, CAIRN_INVALID, "CAIRN_ROLE must be \"primary\" or \"worker\"");
	settings->role = CAIRN_WORKER;
	return CAIRN_OK;
}

/* The first line of a file. */
static int load_key_file(const char *path, struct settings *settings, char *error)
{
	char key[KEY_FILE_MAX_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, key, sizeof key - 1);
	int reason = errno;

	if (fd >= 0)
		close(fd);
	if (length < 0) {
		snprintf(error, SETTINGS_ERROR_SIZE, "cannot read the key file \"%.200s\": %s",
			 path, strerror(reason));
		return CAIRN_SETUP;
	}
	key[length] = '\0';
	key[strcspn(key, "\r\n")] = '\0';
	if (!key[0] || strlen(key) == sizeof key - 1) {
		snprintf(error, SETTINGS_ERROR_SIZE,
			 "the key file \"%.200s\" does not contain an API key on its first line",
			 path);
		return CAIRN_SETUP;
	}
	settings->api_key = strdup(key);
	return settings->api_key ? CAIRN_OK : no_memory(error);
}

/* Why the login file is of no use. */
static void explain_login(enum credentials_result result, const char *path, int reason, char *error)
{
	if (result == CREDENTIALS_OPEN)
		snprintf(error, SETTINGS_ERROR_SIZE,
			 "\"%.200s\" is readable by others: run chmod 600 on it, then try again",
			 path);
	else
		snprintf(error, SETTINGS_ERROR_SIZE, "cannot read the login in \"%.200s\": %s",
			 path, strerror(reason));
}

/* A run that needs no key does not need the login file, even if it cannot be read. */
static bool is_login_needed(const struct settings *settings, enum settings_key key)
{
	return key == SETTINGS_KEY_NEEDED || !settings->url;
}

static int load_login(struct settings *settings, enum settings_key needed, char *error)
{
	char *path = credentials_path(), *url = NULL, *key = NULL;
	enum credentials_result result = CREDENTIALS_NONE;

	if (path)
		result = credentials_read(path, settings->url, &url, &key);
	if (result == CREDENTIALS_FAILED && !is_login_needed(settings, needed))
		result = CREDENTIALS_NONE;
	if (result == CREDENTIALS_OPEN || result == CREDENTIALS_FAILED)
		explain_login(result, path, errno, error);
	free(path);
	if (result == CREDENTIALS_OK) {
		free(settings->url);
		settings->url = url;
		if (settings->api_key)
			free(key);
		else
			settings->api_key = key;
		return CAIRN_OK;
	}
	free(url);
	free(key);
	return result == CREDENTIALS_NONE ? CAIRN_OK : CAIRN_SETUP;
}

static int check_url(struct settings *settings, char *error)
{
	size_t length;

	if (!settings->url)
		return fail(error, CAIRN_SETUP,
			    "no server is set: set CAIRN_URL, or run \"cairn login URL\" once");
	if (strncmp(settings->url, "http://", 7) != 0 && strncmp(settings->url, "https://", 8) != 0)
		return fail(error, CAIRN_INVALID,
			    "the server's address must begin with http:// or https://");
	for (const char *p = settings->url; *p; p++) {
		if (*p <= ' ' || *p >= 0x7f || *p == '?' || *p == '#' || *p == '@')
			return fail(error, CAIRN_INVALID,
				    "the server's address contains an invalid character");
	}
	for (length = strlen(settings->url); settings->url[length - 1] == '/'; length--)
		settings->url[length - 1] = '\0';
	return CAIRN_OK;
}

/* A key becomes part of a header. */
static int check_key(struct settings *settings, enum settings_key key, char *error)
{
	if (!settings->api_key && key == SETTINGS_KEY_OPTIONAL)
		return CAIRN_OK;
	if (!settings->api_key)
		return fail(error, CAIRN_SETUP,
			    "no API key is set: set CAIRN_API_KEY or CAIRN_API_KEY_FILE, or run "
			    "\"cairn login URL\" once");
	for (const char *p = settings->api_key; *p; p++) {
		if (*p <= ' ' || *p >= 0x7f)
			return fail(error, CAIRN_INVALID,
				    "the API key contains an invalid character");
	}
	return CAIRN_OK;
}

/* The key, and the address when only the login knows it. */
static int load_key(const struct cairn_options *options, enum settings_key needed,
		    struct settings *settings, char *error)
{
	const char *file = options->api_key_file;
	int result = CAIRN_OK;

	if (!options->api_key && file) { /* an option goes before the environment */
		free(settings->api_key);
		settings->api_key = NULL;
	}
	if (!file)
		file = getenv("CAIRN_API_KEY_FILE");
	if (!settings->api_key && file && file[0])
		result = load_key_file(file, settings, error);
	if (result || (settings->api_key && settings->url))
		return result;
	return load_login(settings, needed, error);
}

/* "entity/project" or "project" */
static int split_project(struct settings *settings, char *error)
{
	char *slash;

	if (!settings->project)
		settings->project = strdup("uncategorized");
	if (!settings->project)
		return no_memory(error);
	slash = strchr(settings->project, '/');
	if (slash) {
		char *project = strdup(slash + 1);

		if (!project)
			return no_memory(error);
		*slash = '\0';
		settings->entity = settings->project;
		settings->project = project;
	}
	if (settings->entity && !names_is_entity(settings->entity))
		return fail(
			error, CAIRN_INVALID,
			"invalid entity in \"entity/project\": expected 1 to 64 letters, digits, "
			"_ - . beginning with a letter or digit");
	if (!names_is_project(settings->project))
		return fail(
			error, CAIRN_INVALID,
			"invalid project: expected \"entity/project\" or \"project\", which is 1 "
			"to 512 bytes of UTF-8 without control characters and / \\ # ? % :, and "
			"no blank at the start or end");
	return CAIRN_OK;
}

int settings_load_server(const struct cairn_options *options, enum settings_key key,
			 struct settings *settings, char error[static SETTINGS_ERROR_SIZE])
{
	int result;

	*settings = (struct settings){ 0 };
	error[0] = '\0';
	result = load_texts(options, settings, error);
	if (!result && settings->url)
		result = check_url(settings, error);
	if (!result)
		result = load_key(options, key, settings, error);
	if (!result)
		result = check_url(settings, error);
	if (!result)
		result = check_key(settings, key, error);
	if (!result)
		result = split_project(settings, error);
	return result;
}

/* "<host>-<8 random>", or the label of the cairn run around us instead of the host: rank0-x1y2z3a4. */
static char *default_label(void)
{
	const char *outer = getenv("CAIRN_PARENT_LABEL");
	char host[65] = "host", random[9], *label;
	size_t length;

	if (gethostname(host, sizeof host - 1) != 0 || !utf8_is_name(host, strlen(host), 64))
		snprintf(host, sizeof host, "host");
	if (!outer || strchr(outer, '/') ||
	    !utf8_is_name(outer, strlen(outer), SETTINGS_LABEL_MAX - sizeof random))
		outer = host;
	random_id(random, 8);
	length = strlen(outer) + sizeof random + 1;
	label = malloc(length);
	if (label)
		snprintf(label, length, "%s-%s", outer, random);
	return label;
}

static char *random_text(size_t length)
{
	char *text = malloc(length + 1);

	if (text)
		random_id(text, length);
	return text;
}

static int fill_identity(struct settings *settings, const struct ranks *ranks, char *error)
{
	settings->has_own_client_id = settings->client_id != NULL;
	if (!settings->run_id)
		settings->run_id = random_text(8);
	if (!settings->client_id)
		settings->client_id = random_text(16);
	if (!settings->label)
		settings->label = ranks->label[0] ? strdup(ranks->label) : default_label();
	if (!settings->run_id || !settings->client_id || !settings->label)
		return no_memory(error);
	return CAIRN_OK;
}

static bool is_client_id(const char *text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:";
	size_t length = strlen(text);

	return length > 0 && length <= SETTINGS_CLIENT_ID_MAX && strspn(text, letters) == length;
}

static int check_identity(const struct settings *settings, char *error)
{
	if (!names_is_run(settings->run_id))
		return fail(error, CAIRN_INVALID,
			    "invalid run id: expected 1 to 512 bytes of UTF-8 without control "
			    "characters and : ; , # ? / ' %, and no blank at the start or end");
	if (!is_client_id(settings->client_id) ||
	    (settings->parent && !is_client_id(settings->parent)))
		return fail(error, CAIRN_INVALID,
			    "invalid client id: expected 1 to 64 letters, digits, _ - . :");
	if (!utf8_is_name(settings->label, strlen(settings->label), SETTINGS_LABEL_MAX) ||
	    strchr(settings->label, '/'))
		return fail(error, CAIRN_INVALID,
			    "invalid label: expected 1 to 128 bytes of UTF-8 without control "
			    "characters and without /");
	return CAIRN_OK;
}

/* Server and project. A run that sends nothing needs neither address nor key. */
static int load_target(const struct cairn_options *options, struct settings *settings, char *error)
{
	int result;

	if (settings->mode == MODE_ONLINE)
		return settings_load_server(options, SETTINGS_KEY_NEEDED, settings, error);
	result = load_texts(options, settings, error);
	free(settings->api_key);
	settings->api_key = NULL;
	if (!result && settings->url)
		result = check_url(settings, error);
	return result ? result : split_project(settings, error);
}

/* Options of an older header end before the members that it did not have. */
#define OPTIONS_LEAST_BYTES offsetof(struct cairn_options, mode)

int settings_load(const struct cairn_options *given, struct settings *settings,
		  char error[static SETTINGS_ERROR_SIZE])
{
	struct cairn_options all = CAIRN_OPTIONS_INIT, *options = &all;
	struct ranks ranks;
	int result;

	ranks_find(&ranks);
	*settings = (struct settings){ 0 };
	if (given && (given->size < OPTIONS_LEAST_BYTES || given->size > sizeof *given))
		return fail(error, CAIRN_INVALID,
			    "the options were not initialized with CAIRN_OPTIONS_INIT of this "
			    "version");
	if (given)
		memcpy(options, given, given->size);
	result = settings_load_mode(options, &settings->mode, error);
	if (!result)
		result = load_target(options, settings, error);
	if (!result)
		result = load_numbers(options, settings, error);
	if (!result && settings->sample_interval_s > 0)
		result = check_sampling(settings, error);
	if (!result)
		result = load_spool(settings, error);
	if (!result)
		result = load_role(options, &ranks, settings, error);
	if (!result)
		result = fill_identity(settings, &ranks, error);
	if (!result)
		result = check_identity(settings, error);
	return result;
}
