/*
 * The second form is read with the scanner, not as a document: a document refuses U+0000, which a
 * console may well have printed.
 */
#include "sdk_console.h"

#include <string.h>

#include "arena.h"
#include "clock.h"
#include "json_scan.h"

enum { TIME_MAX = 64 };

/* UTC without an offset. */
static bool read_time(struct arena *a, struct str text, int64_t *ret_us)
{
	const char *with_offset;
	timestamp_us t;

	if (!text.len || text.len > TIME_MAX || memchr(text.at, 0, text.len))
		return false;
	with_offset = arena_printf(a, "%.*sZ", STR_ARG(text));
	if (!clock_parse(str_of(with_offset), &t) || t.us < 0)
		return false;
	*ret_us = t.us;
	return true;
}

/* ---- first form --------------------------------------------------------------------------------- */

static struct str skip(struct str s, size_t bytes)
{
	return (struct str){ s.at + bytes, s.len - bytes };
}

/* Cuts "[label] " off the rest; false, with the rest as it was, when there is none. */
static bool cut_label(struct str *rest, struct str label)
{
	if (rest->len < label.len + 2 || rest->at[0] != '[' || rest->at[label.len + 1] != ']' ||
	    memcmp(rest->at + 1, label.at, label.len) != 0)
		return false;
	if (rest->len > label.len + 2 && rest->at[label.len + 2] != ' ')
		return false;
	*rest = skip(*rest, rest->len > label.len + 2 ? label.len + 3 : label.len + 2);
	return true;
}

static struct str in_brackets(struct str rest)
{
	const char *end = rest.len && rest.at[0] == '[' ? memchr(rest.at, ']', rest.len) : NULL;

	return end ? (struct str){ rest.at + 1, (size_t)(end - rest.at) - 1 } : (struct str){ 0 };
}

static void read_label(struct sdk_console_line *line, const struct sdk_console_ask *ask)
{
	struct str label = ask->labels == SDK_CONSOLE_THIS_LABEL ? ask->label
								 : in_brackets(line->text);

	if (ask->labels != SDK_CONSOLE_NO_LABEL && label.len && cut_label(&line->text, label))
		line->label = label;
}

static bool read_prefixed(struct arena *a, struct str text, const struct sdk_console_ask *ask,
			  struct sdk_console_line *ret_line)
{
	struct sdk_console_line line = { .is_stderr = str_starts(text, "ERROR ") };
	struct str rest = line.is_stderr ? skip(text, strlen("ERROR ")) : text;
	struct str time = str_cut(&rest, ' ');

	line.has_time = read_time(a, time, &line.time_us);
	if (!line.has_time)
		return false;
	line.text = rest;
	read_label(&line, ask);
	*ret_line = line;
	return true;
}

/* ---- second form -------------------------------------------------------------------------------- */

static struct str padded(struct arena *a, struct str text)
{
	char *copy = arena_zalloc(a, text.len + JSON_SCAN_PADDING, 1);

	if (text.len)
		memcpy(copy, text.at, text.len);
	return (struct str){ copy, text.len };
}

static bool read_structured(struct arena *a, struct str text, struct sdk_console_line *ret_line)
{
	struct sdk_console_line line = { .text = { NULL, 0 } };
	struct json_scan s;
	struct str key;

	if (!text.len || text.at[0] != '{')
		return false;
	json_scan_begin(&s, a, padded(a, text));
	json_scan_object(&s);
	while (json_scan_key(&s, &key)) {
		if (str_is(key, "content"))
			line.text = json_scan_text(&s, SIZE_MAX);
		else if (str_is(key, "label"))
			line.label = json_scan_text(&s, SIZE_MAX);
		else if (str_is(key, "level"))
			line.is_stderr = str_is(json_scan_text(&s, SIZE_MAX), "error");
		else if (str_is(key, "ts"))
			line.has_time = read_time(a, json_scan_text(&s, SIZE_MAX), &line.time_us);
		else
			json_scan_raw(&s);
	}
	if (json_scan_end(&s) || !line.text.at || !line.has_time)
		return false;
	*ret_line = line;
	return true;
}

struct sdk_console_line sdk_console_read(struct arena *a, struct str line,
					 const struct sdk_console_ask *ask)
{
	struct sdk_console_line read;

	/* Older SDKs send the end of the line with it when they sync a folder. */
	if (line.len && line.at[line.len - 1] == '\n')
		line.len--;
	read = (struct sdk_console_line){ .text = line };
	if (!read_structured(a, line, &read))
		read_prefixed(a, line, ask, &read);
	return read;
}
