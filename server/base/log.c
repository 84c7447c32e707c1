#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "clock.h"

static const char *const level_names[] = { "debug", "info", "warning", "error" };

static _Atomic int least_level = LOG_INFO;
static _Atomic int line_format = LOG_FORMAT_TEXT;

void log_set(enum log_level least, enum log_format format)
{
	atomic_store(&least_level, (int)least);
	atomic_store(&line_format, (int)format);
}

bool log_enabled(enum log_level level)
{
	return (int)level >= atomic_load_explicit(&least_level, memory_order_relaxed);
}

/* U+0080 to U+009F: a terminal may take them for the beginning of a command. */
static bool is_high_control(struct str s, size_t i)
{
	return i + 1 < s.len && (unsigned char)s.at[i] == 0xc2 && (unsigned char)s.at[i + 1] < 0xa0;
}

/* Adds a character's first byte, or all of it; returns how many bytes it took. */
static size_t add_character(struct buf *b, struct str s, size_t i, bool clean)
{
	unsigned char c = (unsigned char)s.at[i];

	if (c == '"' || c == '\\')
		buf_printf(b, "\\%c", c);
	else if (c < 0x20 || c == 0x7f)
		buf_printf(b, "\\u%04x", c);
	else if (c >= 0x80 && !clean)
		buf_add_text(b, "\\ufffd");
	else if (is_high_control(s, i))
		buf_printf(b, "\\u%04x", (unsigned char)s.at[i + 1]);
	else
		buf_add_byte(b, (char)c);
	return clean && is_high_control(s, i) ? 2 : 1;
}

/* A JSON string; bytes that are not UTF-8 become U+FFFD one by one. */
static void add_quoted(struct buf *b, struct str s)
{
	bool clean = str_is_utf8(s);

	buf_add_byte(b, '"');
	for (size_t i = 0; i < s.len;)
		i += add_character(b, s, i, clean);
	buf_add_byte(b, '"');
}

/* The beginning of a long text, and how long it is. */
static void add_long(struct buf *b, struct str s)
{
	struct buf text = { 0 };
	struct str head = str_head(s, LOG_VALUE_BYTES);

	buf_add(&text, head.at, head.len);
	buf_printf(&text, "... (%zu bytes)", s.len);
	add_quoted(b, buf_str(&text));
	buf_free(&text);
}

static bool needs_quotes(struct str s)
{
	if (s.len == 0)
		return true;
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.at[i];

		if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c >= 0x7f)
			return true;
	}
	return false;
}

static void add_value(struct buf *b, const struct log_field *f, bool json)
{
	if (f->kind == LOG_FIELD_INT)
		buf_printf(b, "%" PRId64, f->number);
	else if (f->kind == LOG_FIELD_REAL)
		buf_printf(b, "%.6g", f->real);
	else if (f->text.len > LOG_VALUE_BYTES)
		add_long(b, f->text);
	else if (json || needs_quotes(f->text))
		add_quoted(b, f->text);
	else
		buf_add_str(b, f->text);
}

static void add_text_line(struct buf *b, const char *time, enum log_level level,
			  const char *message, const struct log_field *fields, unsigned count)
{
	buf_printf(b, "%s %s %s", time, level_names[level], message);
	for (unsigned i = 0; i < count; i++) {
		if (fields[i].kind == LOG_FIELD_NONE)
			continue;
		buf_printf(b, " %s=", fields[i].key);
		add_value(b, &fields[i], false);
	}
}

static void add_json_line(struct buf *b, const char *time, enum log_level level,
			  const char *message, const struct log_field *fields, unsigned count)
{
	buf_printf(b, "{\"time\":\"%s\",\"level\":\"%s\",\"message\":", time, level_names[level]);
	add_quoted(b, str_of(message));
	for (unsigned i = 0; i < count; i++) {
		if (fields[i].kind == LOG_FIELD_NONE)
			continue;
		buf_printf(b, ",\"%s\":", fields[i].key);
		add_value(b, &fields[i], true);
	}
	buf_add_byte(b, '}');
}

/* A line that could not be written cannot be reported anywhere. */
static void put_line(struct str line)
{
	while (line.len) {
		ssize_t written = write(STDERR_FILENO, line.at, line.len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		line.at += written;
		line.len -= (size_t)written;
	}
}

void log_write(enum log_level level, const char *message, const struct log_field *fields,
	       unsigned count)
{
	struct buf line = { 0 };
	char time[CLOCK_TEXT_SIZE];

	if (!log_enabled(level))
		return;
	clock_format(clock_wall_us(), time);
	if (atomic_load(&line_format) == LOG_FORMAT_JSON)
		add_json_line(&line, time, level, message, fields, count);
	else
		add_text_line(&line, time, level, message, fields, count);
	buf_add_byte(&line, '\n');
	put_line(buf_str(&line));
	buf_free(&line);
}
