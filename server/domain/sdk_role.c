#include "sdk_role.h"

#include <string.h>

#include "arena.h"
#include "name.h"

bool sdk_role_config_is_of_primary(const struct json_doc *config, struct str client)
{
	const struct json_doc *wandb = json_doc_get_named(config, "_wandb");
	const struct json_doc *environments = json_doc_get_named(wandb, "e");

	return client.len && json_doc_get(environments, client);
}

/* The last parts of a path, or of "-m wandb.__main__". */
static bool ends_in(struct str program, const char *end)
{
	const size_t before = program.len - strlen(end);

	return str_ends(program, end) && (!before || strchr("/\\ ", program.at[before - 1]));
}

bool sdk_role_program_may_sync(struct str program)
{
	static const char *const ends[] = {
		"wandb",
		"wandb.exe",
		"wandb.__main__",
		"wandb/__main__.py",
		"wandb\\__main__.py",
		"wandb.exe\\__main__.py",
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (ends_in(program, ends[i]))
			return true;
	}
	return !program.len;
}

bool sdk_role_file_is_of_primary(struct str name)
{
	static const char *const files[] = {
		"config.yaml",
		"wandb-summary.json",
		"requirements.txt",
		"wandb-metadata.json",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (str_is(name, files[i]))
			return true;
	}
	return false;
}

/* ---- labels ------------------------------------------------------------------------------------- */

struct str sdk_role_event_key(struct str key, struct str *ret_label)
{
	const struct str infix = STR("/l:");
	const char *at = key.len ? memmem(key.at, key.len, infix.at, infix.len) : NULL;
	size_t len = at ? (size_t)(at - key.at) : key.len;

	if (!len || !at || len + infix.len == key.len) {
		*ret_label = (struct str){ "", 0 };
		return key;
	}
	*ret_label = (struct str){ at + infix.len, key.len - len - infix.len };
	return (struct str){ key.at, len };
}

struct str sdk_role_file_label(struct str name)
{
	const struct str before = STR("output_");
	const struct str after = STR(".log");

	if (name.len <= before.len + after.len || !str_starts(name, before.at) ||
	    memcmp(name.at + name.len - after.len, after.at, after.len) != 0)
		return (struct str){ "", 0 };
	return (struct str){ name.at + before.len, name.len - before.len - after.len };
}

struct str sdk_label_of(struct arena *a, struct str told)
{
	char *label = str_copy(a, told);
	size_t len = 0;

	while (len < told.len) {
		size_t step = str_utf8_sequence(told.at + len, told.len - len);

		if (len + (step ? step : 1) > NAME_LABEL_MAX)
			break;
		if (step == 0 || told.at[len] == '/' ||
		    str_has_control((struct str){ told.at + len, step }))
			memset(label + len, '_', step ? step : 1);
		len += step ? step : 1;
	}
	return (struct str){ label, len };
}

struct str sdk_label_made(struct arena *a, struct str host, struct str client)
{
	enum { CLIENT_SHOWN = 8, HOST_SHOWN = NAME_LABEL_MAX - CLIENT_SHOWN - 1 };
	struct str shown = client;

	if (client.len > CLIENT_SHOWN)
		shown = (struct str){ client.at + client.len - CLIENT_SHOWN, CLIENT_SHOWN };

	host = str_head(host, HOST_SHOWN);
	if (!host.len)
		host = STR("writer");
	return sdk_label_of(a, str_of(arena_printf(a, "%.*s-%.*s", STR_ARG(host), STR_ARG(shown))));
}

static bool is_word(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c >= 0x80;
}

/* Whether `label` is `told` with some of its punctuation replaced. */
static bool is_replaced(struct str label, struct str told)
{
	if (label.len != told.len)
		return false;
	for (size_t i = 0; i < label.len; i++) {
		if (label.at[i] != told.at[i] &&
		    (is_word((unsigned char)told.at[i]) || is_word((unsigned char)label.at[i])))
			return false;
	}
	return true;
}

/* The file's name is the one of the two with more "_" in it. */
static size_t count_replaced(struct str label)
{
	size_t count = 0;

	for (size_t i = 0; i < label.len; i++)
		count += label.at[i] == '_' || label.at[i] == '-';
	return count;
}

struct str sdk_label_learn(struct arena *a, struct str label, struct str made, struct str told)
{
	struct str learnt = sdk_label_of(a, told);

	if (!learnt.len)
		return label;
	if (str_equal(label, made))
		return learnt;
	if (is_replaced(label, learnt) && count_replaced(learnt) < count_replaced(label))
		return learnt;
	return label;
}
