#include "sse.h"

#include <string.h>

#define KEEP_BYTES 65536

static void clear_event(struct sse *sse)
{
	text_clear(&sse->data, KEEP_BYTES);
	sse->name[0] = '\0';
	sse->has_event = sse->is_too_long = false;
}

void sse_reset(struct sse *sse)
{
	clear_event(sse);
	text_clear(&sse->line, KEEP_BYTES);
}

void sse_deinit(struct sse *sse)
{
	text_deinit(&sse->line);
	text_deinit(&sse->data);
}

static void end_event(struct sse *sse)
{
	const char *data = sse->is_too_long ? "" : text_c_string(&sse->data);

	if (sse->has_event && data)
		sse->on_event(sse->context, sse->name, data, strlen(data));
	clear_event(sse);
}

/* The value of a field without the blank before it; NULL when it is another one. */
static const char *value_of(const char *line, const char *field)
{
	size_t length = strlen(field);

	if (strncmp(line, field, length) != 0 || line[length] != ':')
		return NULL;
	line += length + 1;
	return *line == ' ' ? line + 1 : line;
}

static void take_line(struct sse *sse, const char *line)
{
	const char *name = value_of(line, "event"), *data = value_of(line, "data");

	if (!*line) {
		end_event(sse);
	} else if (name) {
		size_t length = strlen(name);

		length = length < SSE_NAME_SIZE ? length : SSE_NAME_SIZE - 1;
		memcpy(sse->name, name, length);
		sse->name[length] = '\0';
		sse->has_event = true;
	} else if (data) {
		sse->has_event = true;
		if (sse->data.length + strlen(data) > SSE_DATA_MAX)
			sse->is_too_long = true;
		else
			text_str(&sse->data, data);
	}
}

static void end_line(struct sse *sse)
{
	const char *line;

	if (sse->line.length && sse->line.data[sse->line.length - 1] == '\r')
		sse->line.length--;
	line = text_c_string(&sse->line);
	if (line)
		take_line(sse, line);
	text_clear(&sse->line, KEEP_BYTES);
}

void sse_take(struct sse *sse, const char *bytes, size_t count)
{
	while (count) {
		const char *feed = memchr(bytes, '\n', count);
		size_t length = feed ? (size_t)(feed - bytes) : count;

		if (sse->line.length + length <= SSE_DATA_MAX + SSE_NAME_SIZE)
			text_add(&sse->line, bytes, length);
		else
			sse->is_too_long = true;
		if (!feed)
			return;
		end_line(sse);
		bytes += length + 1;
		count -= length + 1;
	}
}
