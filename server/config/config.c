/*
 * Settings: a table (config_settings.c), and four places that a value may
 * come from. A value is checked when it is read, so that the message can
 * say where it is set. Checks between settings come last.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "str.h"

enum { CONFIG_FILE_MAX = 256 << 10, CONFIG_SECRET_MAX = 16 << 10 };

/* Room for a body with its parsed form (http/body.h), and for work on it. */
enum { CONFIG_BODY_SHARE = 5 };
#define CONFIG_BODY_SHARE_TEXT "five"

/* The origin of a value, for messages. */
struct source {
	struct arena *arena;
	const char *where;
};

static bool same_name(const char *name, const char *given)
{
	while (*name && (*name == *given || (*name == '_' && *given == '-'))) {
		name++;
		given++;
	}
	return *name == *given;
}

const struct config_setting *config_find(const char *name)
{
	for (size_t i = 0; i < config_setting_count; i++) {
		if (same_name(config_settings[i].name, name))
			return &config_settings[i];
	}
	return NULL;
}

static void *member(struct config *config, const struct config_setting *s)
{
	return (char *)config + s->offset;
}

static bool read_size(struct str text, int64_t max, int64_t *ret_value)
{
	int shift = 0;
	int64_t value;

	if (text.len && strchr("kKmMgG", text.at[text.len - 1])) {
		switch (text.at[text.len - 1] | 0x20) {
		case 'k':
			shift = 10;
			break;
		case 'm':
			shift = 20;
			break;
		default:
			shift = 30;
		}
		text.len--;
	}
	if (!str_to_int64(text, 0, max >> shift, &value))
		return false;
	*ret_value = value << shift;
	return true;
}

bool config_read_size(const char *text, int64_t max, int64_t *ret_value)
{
	return read_size(str_of(text), max, ret_value);
}

static bool read_bool(const char *text, bool *ret_value)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i]) == 0) {
			*ret_value = i % 2;
			return true;
		}
	}
	return false;
}

static bool read_choice(const struct config_setting *s, const char *text, int64_t *ret_value)
{
	for (int64_t i = 0; s->words[i]; i++) {
		if (strcmp(text, s->words[i]) == 0) {
			*ret_value = i;
			return true;
		}
	}
	return false;
}

static bool read_number(const struct config_setting *s, const char *text, int64_t *ret_value)
{
	if (s->kind == CONFIG_INT)
		return str_to_int64(str_of(text), s->min, s->max, ret_value);
	return read_size(str_of(text), s->max, ret_value) && *ret_value >= s->min;
}

static bool set_value(struct arena *a, const struct config_setting *s, const char *text,
		      struct config *config)
{
	switch (s->kind) {
	case CONFIG_TEXT:
		*(const char **)member(config, s) = arena_strdup(a, text);
		return !str_has_control(str_of(text));
	case CONFIG_BOOL:
		return read_bool(text, member(config, s));
	case CONFIG_CHOICE:
		return read_choice(s, text, member(config, s));
	case CONFIG_INT:
	case CONFIG_SIZE:
		return read_number(s, text, member(config, s));
	}
	return false;
}

static err_t set(const struct source *from, const struct config_setting *s, const char *text,
		 struct config *config)
{
	struct err *e;

	if (set_value(from->arena, s, text, config))
		return NULL;
	if (s->secret)
		e = err_new(from->arena, ERR_INVALID, "%s: invalid value \"%s\"", from->where,
			    s->name);
	else
		e = err_new(from->arena, ERR_INVALID, "%s: invalid \"%s\" value \"%s\"",
			    from->where, s->name, text);
	e->hint = config_allowed(from->arena, s);
	return e;
}

const char *config_allowed(struct arena *a, const struct config_setting *s)
{
	struct buf *text = buf_new(a);

	switch (s->kind) {
	case CONFIG_TEXT:
		return "text";
	case CONFIG_BOOL:
		return "true or false";
	case CONFIG_INT:
		return arena_printf(a, "%" PRId64 " to %" PRId64, s->min, s->max);
	case CONFIG_SIZE:
		return arena_printf(a, "%" PRId64 " to %" PRId64 " bytes, or with K, M, G", s->min,
				    s->max);
	case CONFIG_CHOICE:
		for (size_t i = 0; s->words[i]; i++)
			buf_printf(text, "%s%s", i ? ", " : "", s->words[i]);
		break;
	}
	return str_copy(a, buf_str(text));
}

/* A whole small file; a line end at its end is left out. */
static err_t read_file(struct arena *a, const char *path, size_t max, struct str *ret_text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buf *text = buf_new(a);
	ssize_t got = 1;

	if (fd < 0)
		return err_new(a, ERR_INVALID, "%s: %s", path, strerror(errno));
	while (got > 0 && text->len <= max) {
		got = read(fd, buf_reserve(text, 4096), 4096);
		if (got > 0)
			text->len += (size_t)got;
	}
	close(fd);
	if (got < 0)
		return err_new(a, ERR_INVALID, "%s: %s", path, strerror(errno));
	if (text->len > max)
		return err_new(a, ERR_INVALID, "%s: larger than %zu bytes", path, max);
	*ret_text = buf_str(text);
	return NULL;
}

static err_t read_config_line(const struct source *from, struct str line, struct config *config)
{
	const struct config_setting *s;
	struct str value = line;
	struct str name = str_trim(str_cut(&value, '='));

	if (name.len == 0 || name.at[0] == '#')
		return NULL;
	if (!memchr(line.at, '=', line.len))
		return err_new(from->arena, ERR_INVALID, "%s: expected \"NAME = VALUE\"",
			       from->where);
	s = config_find(str_copy(from->arena, name));
	if (!s)
		return err_hint(from->arena,
				err_new(from->arena, ERR_INVALID, "%s: unknown setting \"%.*s\"",
					from->where, STR_ARG(name)),
				"\"cairnd --print-config\" lists all settings");
	value = str_trim(value);
	if (value.len >= 2 && value.at[0] == '"' && value.at[value.len - 1] == '"')
		value = (struct str){ value.at + 1, value.len - 2 };
	return set(from, s, str_copy(from->arena, value), config);
}

static err_t load_file(struct arena *a, const char *path, struct config *config)
{
	struct str text;
	err_t e = read_file(a, path, CONFIG_FILE_MAX, &text);

	if (e)
		return e;
	for (unsigned number = 1; text.len; number++) {
		struct source from = { a, arena_printf(a, "%s:%u", path, number) };

		e = read_config_line(&from, str_trim(str_cut(&text, '\n')), config);
		if (e)
			return e;
	}
	return NULL;
}

const char *config_variable(struct arena *a, const struct config_setting *s, const char *ending)
{
	char *name = arena_printf(a, "CAIRN_%s%s", s->name, ending);

	for (char *p = name; *p; p++) {
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	}
	return name;
}

static err_t load_secret_file(struct arena *a, const struct config_setting *s,
			      struct config *config)
{
	const char *name = config_variable(a, s, "_FILE");
	const char *path = getenv(name);
	struct source from = { a, arena_printf(a, "environment: %s", name) };
	struct str text;
	err_t e;

	if (!path || !*path)
		return NULL;
	e = read_file(a, path, CONFIG_SECRET_MAX, &text);
	if (e)
		return err_wrap(a, e, "%s", from.where);
	return set(&from, s, str_copy(a, str_trim(text)), config);
}

/* An empty variable counts as not set: compose files set them so. */
static err_t load_variable(struct arena *a, const struct config_setting *s, struct config *config)
{
	const char *name = config_variable(a, s, "");
	const char *value = getenv(name);
	struct source from = { a, arena_printf(a, "environment: %s", name) };

	if (value && *value)
		return set(&from, s, value, config);
	return s->secret ? load_secret_file(a, s, config) : NULL;
}

static const char *default_data_dir(struct arena *a)
{
	const char *base = getenv("XDG_DATA_HOME");

	if (geteuid() == 0)
		return "/var/lib/cairn";
	if (base && base[0] == '/')
		return arena_printf(a, "%s/cairn", base);
	base = getenv("HOME");
	if (base && base[0] == '/')
		return arena_printf(a, "%s/.local/share/cairn", base);
	return "/var/lib/cairn";
}

/* Made absolute from the start's directory, for the server may change its directory. */
static const char *absolute(struct arena *a, const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/' || path[0] == '\0' || !getcwd(here, sizeof(here)))
		return path;
	return arena_printf(a, "%s/%s", here, path);
}

/* Completes settings that depend on others, or on the folder the server was started in. */
static void complete(struct arena *a, struct config *config)
{
	if (!config->data_dir[0])
		config->data_dir = default_data_dir(a);
	config->data_dir = absolute(a, config->data_dir);
	if (!config->secret_file[0])
		config->secret_file = arena_printf(a, "%s/secret", config->data_dir);
	config->secret_file = absolute(a, config->secret_file);
	if (!config->files_dir[0])
		config->files_dir = arena_printf(a, "%s/files", config->data_dir);
	config->files_dir = absolute(a, config->files_dir);
	if (!config->backup_dir[0])
		config->backup_dir = arena_printf(a, "%s/backups", config->data_dir);
	config->backup_dir = absolute(a, config->backup_dir);
	config->port_file = absolute(a, config->port_file);
	config->tls_cert_file = absolute(a, config->tls_cert_file);
	config->tls_key_file = absolute(a, config->tls_key_file);
	config->ca_file = absolute(a, config->ca_file);
	config->web_dir = absolute(a, config->web_dir);
	if (!config->listen_database_url[0])
		config->listen_database_url = config->database_url;
}

/* libpq would take any other text for the name of a local database. */
static bool is_database(const char *url)
{
	return !*url || strncmp(url, "postgresql://", 13) == 0 ||
	       strncmp(url, "postgres://", 11) == 0 || strchr(url, '=');
}

/* Else the largest body would always be refused. */
static err_t check_memory(struct arena *a, const struct config *config)
{
	int64_t for_body = config->memory - config->memory / 8 - config->search_memory;
	int64_t least;
	struct err *e;

	if (for_body / CONFIG_BODY_SHARE >= config->max_body)
		return NULL;
	least = (config->search_memory + CONFIG_BODY_SHARE * config->max_body + 6) / 7 * 8;
	e = err_new(a, ERR_INVALID,
		    "\"memory\" is too small for \"search_memory\" and \"max_body\"");
	e->hint = arena_printf(
		a,
		"seven eighths of it must hold search_memory and " CONFIG_BODY_SHARE_TEXT
		" times max_body: raise it to %lldM, or lower the others",
		(long long)((least + (1 << 20) - 1) >> 20));
	return e;
}

static err_t check(struct arena *a, const struct config *config)
{
	struct str prefix = str_of(config->path_prefix);
	err_t e = check_memory(a, config);

	if (e)
		return e;
	if (!config->tls_cert_file[0] != !config->tls_key_file[0])
		return err_new(a, ERR_INVALID,
			       "\"tls_cert_file\" and \"tls_key_file\" must be set together");
	if (config->read_database_url[0] && !config->database_url[0])
		return err_new(
			a, ERR_INVALID,
			"\"read_database_url\" requires \"database_url\": it names a replica of "
			"that database");
	if (!is_database(config->database_url) || !is_database(config->listen_database_url) ||
	    !is_database(config->read_database_url))
		return err_new(a, ERR_INVALID,
			       "a database URL begins with postgresql://, or has keywords such "
			       "as \"host=db.example dbname=cairn\"");
	if (prefix.len && (prefix.at[0] != '/' || prefix.at[prefix.len - 1] == '/'))
		return err_new(a, ERR_INVALID,
			       "\"path_prefix\" must begin with / and must not end with /");
	return NULL;
}

static err_t load_environment(struct arena *a, struct config *config)
{
	for (size_t i = 0; i < config_setting_count; i++) {
		err_t e = load_variable(a, &config_settings[i], config);

		if (e)
			return e;
	}
	return NULL;
}

err_t config_load(struct arena *a, const char *file, const struct config_override *overrides,
		  size_t count, struct config *ret_config)
{
	struct config config = { 0 };
	struct source standard = { a, "default" }, line = { a, "command line" };
	err_t e = NULL;

	for (size_t i = 0; i < config_setting_count && !e; i++)
		e = set(&standard, &config_settings[i], config_settings[i].standard, &config);
	if (!file)
		file = getenv("CAIRN_CONFIG");
	if (!file && access(CAIRN_CONFIG_FILE, R_OK) == 0)
		file = CAIRN_CONFIG_FILE;
	if (file && *file)
		config.file = file;
	if (!e && config.file)
		e = load_file(a, file, &config);
	if (!e)
		e = load_environment(a, &config);
	for (size_t i = 0; i < count && !e; i++)
		e = set(&line, overrides[i].setting, overrides[i].value, &config);
	if (!e)
		complete(a, &config);
	if (!e)
		e = check(a, &config);
	if (e)
		return e;
	*ret_config = config;
	return NULL;
}

static void print_value(const struct config_setting *s, const void *value, FILE *out)
{
	switch (s->kind) {
	case CONFIG_TEXT:
		fprintf(out, "%s", *(const char *const *)value);
		break;
	case CONFIG_BOOL:
		fprintf(out, "%s", *(const bool *)value ? "true" : "false");
		break;
	case CONFIG_CHOICE:
		fprintf(out, "%s", s->words[*(const int64_t *)value]);
		break;
	case CONFIG_INT:
	case CONFIG_SIZE:
		fprintf(out, "%" PRId64, *(const int64_t *)value);
		break;
	}
}

void config_print(const struct config *config, FILE *out)
{
	for (size_t i = 0; i < config_setting_count; i++) {
		const struct config_setting *s = &config_settings[i];
		const void *value = (const char *)config + s->offset;

		fprintf(out, "# %s\n", s->help);
		if (s->secret) {
			bool given = **(const char *const *)value;

			fprintf(out, "# %s is %s\n\n", s->name,
				given ? "set, not shown" : "not set");
			continue;
		}
		fprintf(out, "%s = ", s->name);
		print_value(s, value, out);
		fprintf(out, "\n\n");
	}
}
