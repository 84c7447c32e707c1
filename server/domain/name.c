/*
 * Names: one row per kind, one loop that checks. ASCII names go into URLs, files
 * and command lines as they are, so they need no quoting anywhere; names for people
 * may be any text. Runs and projects may have any name that the wandb SDK allows,
 * except those that no path can hold. They are compared byte for byte: not
 * normalised, for the SDK requests a run by the same bytes that it created it with.
 */
#include "name.h"

#include <assert.h>
#include <string.h>

#include "arena.h"
#include "sdk_role.h"

enum name_form {
	FORM_WORD,    /* begins with a letter or digit, then also _ . - */
	FORM_CLIENT,  /* any of A-Z a-z 0-9 _ . : - */
	FORM_STREAM,  /* any of A-Z a-z 0-9 _ - */
	FORM_PROJECT, /* one segment of a path: text without / and some more signs */
	FORM_RUN,     /* likewise, with other signs left out */
	FORM_SEGMENT, /* text without / */
	FORM_KEY,     /* UTF-8 without control characters */
	FORM_TEXT,    /* likewise, and its limits are in characters */
};

struct name_rule {
	const char *what;
	size_t min, max;
	enum name_form form;
	const char *const *reserved;
};

/* First path segments that the server uses, now or in the SDK API. */
static const char *const reserved_entities[] = {
	"admin",   "api",     "artifacts",   "artifactsV2", "authorize", "files", "graphql",
	"healthz", "login",   "metrics",     "oidc",        "ready",     "sdk",   "settings",
	"static",  "storage", "favicon.ico", "robots.txt",  NULL,
};
static const char *const reserved_projects[] = { "settings", NULL };
static const char *const reserved_clients[] = { SDK_PLAIN_CLIENT, NULL };

static const struct name_rule rules[NAME_KINDS] = {
	[NAME_ENTITY] = { "entity", 1, NAME_ENTITY_MAX, FORM_WORD, reserved_entities },
	[NAME_PROJECT] = { "project", 1, NAME_PROJECT_MAX, FORM_PROJECT, reserved_projects },
	[NAME_RUN] = { "run id", 1, NAME_RUN_MAX, FORM_RUN, NULL },
	[NAME_LABEL] = { "label", 1, NAME_LABEL_MAX, FORM_SEGMENT, NULL },
	[NAME_CLIENT] = { "client id", 1, NAME_CLIENT_MAX, FORM_CLIENT, reserved_clients },
	[NAME_STREAM] = { "stream", 1, NAME_STREAM_MAX, FORM_STREAM, NULL },
	[NAME_METRIC] = { "metric name", 1, NAME_METRIC_MAX, FORM_KEY, NULL },
	[NAME_DISPLAY] = { "display name", 0, NAME_DISPLAY_MAX, FORM_TEXT, NULL },
	[NAME_GROUP] = { "group", 0, NAME_GROUP_MAX, FORM_TEXT, NULL },
	[NAME_JOB_TYPE] = { "job type", 0, NAME_JOB_TYPE_MAX, FORM_TEXT, NULL },
	[NAME_SWEEP] = { "sweep", 0, NAME_SWEEP_MAX, FORM_TEXT, NULL },
	[NAME_TAG] = { "tag", 1, NAME_TAG_MAX, FORM_TEXT, NULL },
	[NAME_API_KEY] = { "name of a key", 0, NAME_API_KEY_MAX, FORM_TEXT, NULL },
	[NAME_VIEW] = { "name of a view", 1, NAME_VIEW_MAX, FORM_TEXT, NULL },
	[NAME_NOTE] = { "note", 0, NAME_NOTE_MAX, FORM_TEXT, NULL },
};

static const char *const form_texts[] = {
	[FORM_WORD] = "of A-Z a-z 0-9 _ . -, beginning with a letter or digit",
	[FORM_CLIENT] = "of A-Z a-z 0-9 _ . : -",
	[FORM_STREAM] = "of A-Z a-z 0-9 _ -",
	[FORM_PROJECT] =
		"of UTF-8 text without control characters and / \\ # ? % :, and no blank at the "
		"start or end",
	[FORM_RUN] =
		"of UTF-8 text without control characters and : ; , # ? / ' %, and no blank at "
		"the start or end",
	[FORM_SEGMENT] = "of UTF-8 text without \"/\" and control characters",
	[FORM_KEY] = "of UTF-8 text without control characters",
	[FORM_TEXT] = "of text without control characters",
};

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool all_of(struct str s, const char *more)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!is_alnum(s.at[i]) && !(s.at[i] && strchr(more, s.at[i])))
			return false;
	}
	return true;
}

static bool has_any_of(struct str s, const char *signs)
{
	for (size_t i = 0; i < s.len; i++) {
		if (strchr(signs, s.at[i]))
			return true;
	}
	return false;
}

/* The UTF-8 of characters that are invisible, or change the direction of text. */
static bool is_invisible(struct str rest)
{
	static const struct {
		const char *prefix;
		unsigned char first, last; /* of the byte after it */
	} ranges[] = {
		{ "\xc2", 0x80, 0x9f },     /* C1 controls */
		{ "\xd8", 0x9c, 0x9c },     /* Arabic letter mark */
		{ "\xe2\x80", 0x8e, 0x8f }, /* marks: left-to-right, right-to-left */
		{ "\xe2\x80", 0xa8, 0xae }, /* separators of lines, embeddings, overrides */
		{ "\xe2\x81", 0xa6, 0xa9 }, /* isolates */
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		size_t len = strlen(ranges[i].prefix);
		unsigned char c = rest.len > len ? (unsigned char)rest.at[len] : 0;

		if (str_starts(rest, ranges[i].prefix) && c >= ranges[i].first &&
		    c <= ranges[i].last)
			return true;
	}
	return false;
}

/* "." and ".." are removed from paths on the way. */
static bool is_segment(struct str s)
{
	return str_is_utf8(s) && !str_has_control(s) && str_trim(s).len == s.len &&
	       !str_is(s, ".") && !str_is(s, "..");
}

static bool has_form(enum name_form form, struct str s)
{
	switch (form) {
	case FORM_WORD:
		return s.len && is_alnum(s.at[0]) && all_of(s, "_.-");
	case FORM_CLIENT:
		return all_of(s, "_.:-");
	case FORM_STREAM:
		return all_of(s, "_-");
	case FORM_PROJECT:
		return is_segment(s) && !has_any_of(s, "/\\#?%:");
	case FORM_RUN: /* names in the SDK's URLs are not escaped for "%" */
		return is_segment(s) && !has_any_of(s, ":;,#?/'%");
	case FORM_SEGMENT:
		if (s.len && memchr(s.at, '/', s.len))
			return false;
		return str_is_utf8(s) && !str_has_control(s);
	case FORM_KEY:
	case FORM_TEXT:
		return str_is_utf8(s) && !str_has_control(s);
	}
	return false;
}

static bool is_reserved(const struct name_rule *rule, struct str name)
{
	for (const char *const *word = rule->reserved; word && *word; word++) {
		if (str_is(name, *word))
			return true;
	}
	return false;
}

/* In the unit of the rule's limits. */
static size_t length_of(const struct name_rule *rule, struct str name)
{
	return rule->form == FORM_TEXT ? str_characters(name) : name.len;
}

static bool counts_bytes(const struct name_rule *rule)
{
	return rule->form != FORM_WORD && rule->form != FORM_CLIENT && rule->form != FORM_STREAM &&
	       rule->form != FORM_TEXT;
}

size_t name_max_bytes(enum name_kind kind)
{
	enum { UTF8_MAX = 4 };
	const struct name_rule *rule = &rules[kind];

	return rule->form == FORM_TEXT ? rule->max * UTF8_MAX : rule->max;
}

bool name_is_valid(enum name_kind kind, struct str name)
{
	const struct name_rule *rule = &rules[kind];
	size_t length = length_of(rule, name);

	return length >= rule->min && length <= rule->max && has_form(rule->form, name) &&
	       !is_reserved(rule, name);
}

struct str name_fit(struct arena *a, enum name_kind kind, struct str name)
{
	struct str fit = str_head_characters(name, rules[kind].max);
	char *text;

	assert(rules[kind].form == FORM_TEXT);
	if (!str_has_control(fit))
		return fit;
	text = str_copy(a, fit);
	for (size_t i = 0; i < fit.len; i++) {
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			text[i] = ' ';
	}
	return (struct str){ text, fit.len };
}

err_t name_check(struct arena *a, enum name_kind kind, const char *field, struct str name)
{
	const struct name_rule *rule = &rules[kind];
	const char *unit = counts_bytes(rule) ? "bytes" : "characters";
	size_t length = length_of(rule, name);
	struct err *e;

	if (name_is_valid(kind, name))
		return NULL;
	if (is_reserved(rule, name))
		return err_field(a, ERR_INVALID, field, "the %s \"%.*s\" is reserved", rule->what,
				 STR_ARG(name));
	if (length > rule->max)
		e = err_field(a, ERR_INVALID, field, "the %s has %zu %s, more than %zu", rule->what,
			      length, unit, rule->max);
	else if (length < rule->min)
		e = err_field(a, ERR_INVALID, field, "the %s is empty", rule->what);
	else
		e = err_field(a, ERR_INVALID, field, "the %s contains invalid characters",
			      rule->what);
	e->hint = arena_printf(a, "expected %zu to %zu %s %s", rule->min, rule->max, unit,
			       form_texts[rule->form]);
	return e;
}

err_t name_check_visible(struct arena *a, const char *field, struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		struct err *e;

		if (!is_invisible((struct str){ name.at + i, name.len - i }))
			continue;
		e = err_field(a, ERR_INVALID, field,
			      "the name contains a character that is invisible or changes the "
			      "direction of text");
		e->hint = "remove U+0080 to U+009F, U+2028, U+2029 and the bidirectional controls "
			  "(U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069)";
		return e;
	}
	return NULL;
}
