#include "config_unknown.h"

#include <ctype.h>
#include <string.h>

#include "arena.h"
#include "config.h"
#include "str.h"

/*
 * Variables of the client: an operator's shell has them, too. CAIRN_CONFIG names the settings'
 * file, it is not one.
 */
static const char *const others[] = {
	"API_KEY",
	"API_KEY_FILE",
	"BUFFER_MIB",
	"CLIENT",
	"CONFIG",
	"EXIT_TIMEOUT_MS",
	"FLUSH_MS",
	"GROUP",
	"JOB_TYPE",
	"LABEL",
	"METADATA",
	"MODE",
	"NAME",
	"NOTES",
	"OPEN_METRICS",
	"OPEN_METRICS_FILTERS",
	"OPEN_METRICS_HEADERS",
	"PARENT",
	"PARENT_LABEL",
	"PARENT_LAUNCHER",
	"PROJECT",
	"REQUEST_TIMEOUT_MS",
	"RETRY_MAX_MS",
	"ROLE",
	"RUN",
	"SAMPLE_DEVICES",
	"SAMPLE_DISKS",
	"SAMPLE_GPUS",
	"SAMPLE_INTERVAL",
	"SPOOL",
	"SPOOL_AFTER_MIB",
	"SPOOL_AFTER_MS",
	"SPOOL_DIR",
	"SPOOL_MAX_GIB",
	"SPOOL_RESERVE",
	"TAGS",
	"TEST_ARTIFACT_LIMITS",
	"URL",
};

enum { NAME_MAX_BYTES = 64 };

static bool is_setting(struct arena *a, struct str variable)
{
	for (size_t i = 0; i < config_setting_count; i++) {
		const struct config_setting *s = &config_settings[i];

		if (str_is(variable, config_variable(a, s, "")) ||
		    (s->secret && str_is(variable, config_variable(a, s, "_FILE"))))
			return true;
	}
	return false;
}

static bool is_of_others(struct str name, struct str value)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (str_is(name, others[i]))
			return true;
	}
	return str_starts(name, "SERVICE_") || str_starts(name, "PORT_") ||
	       (str_is(name, "PORT") && str_starts(value, "tcp://"));
}

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* How many letters have to be added, left out or changed (Levenshtein). */
static size_t distance(struct str from, struct str to)
{
	size_t row[NAME_MAX_BYTES + 1];

	for (size_t j = 0; j <= to.len; j++)
		row[j] = j;
	for (size_t i = 1; i <= from.len; i++) {
		size_t before = row[0];

		row[0] = i;
		for (size_t j = 1; j <= to.len; j++) {
			size_t changed = before + (from.at[i - 1] != to.at[j - 1]);

			before = row[j];
			row[j] = least(row[j] + 1, row[j - 1] + 1, changed);
		}
	}
	return row[to.len];
}

static size_t difference(struct str given, struct str name)
{
	bool begins_it = given.len < name.len && !memcmp(given.at, name.at, given.len);

	return begins_it ? 1 : distance(name, given);
}

/* If more than half of it differs, it is another name. */
static const char *nearest(struct arena *a, struct str name)
{
	const struct config_setting *found = NULL;
	size_t best = name.len / 2 + 1;
	char lower[NAME_MAX_BYTES];

	if (name.len > sizeof(lower))
		return NULL;
	for (size_t i = 0; i < name.len; i++)
		lower[i] = (char)tolower((unsigned char)name.at[i]);
	name.at = lower;
	for (size_t i = 0; i < config_setting_count; i++) {
		size_t d = difference(name, str_of(config_settings[i].name));

		if (d < best) {
			best = d;
			found = &config_settings[i];
		}
	}
	return found ? config_variable(a, found, "") : NULL;
}

static bool read_unknown(struct arena *a, const char *line, struct config_unknown *ret_unknown)
{
	struct str value = str_of(line);
	struct str variable = str_cut(&value, '=');
	struct str name = variable;

	if (!str_starts(variable, "CAIRN_") || !value.len)
		return false;
	name.at += strlen("CAIRN_");
	name.len -= strlen("CAIRN_");
	if (is_setting(a, variable) || is_of_others(name, value))
		return false;
	*ret_unknown = (struct config_unknown){ str_copy(a, variable), nearest(a, name) };
	return true;
}

size_t config_list_unknown(struct arena *a, const char *const *environment,
			   struct config_unknown **ret_list)
{
	struct config_unknown *list = NULL;
	size_t count = 0, size = 0;

	for (; *environment; environment++) {
		if (count == size)
			list = arena_grow(a, list, &size, sizeof(*list));
		count += read_unknown(a, *environment, &list[count]);
	}
	*ret_list = list;
	return count;
}
