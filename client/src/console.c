#include "console.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

void console_init(struct console *console, console_sink *sink, void *context)
{
	*console = (struct console){ .sink = sink, .context = context };
	console->streams[0].number = -1;
	console->streams[1].number = -1;
}

void console_deinit(struct console *console)
{
	free(console->streams[0].text);
	free(console->streams[1].text);
	console->streams[0].text = NULL;
	console->streams[1].text = NULL;
}

static enum cairn_stream stream_of(const struct console *console, const struct console_stream *s)
{
	return s == &console->streams[1] ? CAIRN_STDERR : CAIRN_STDOUT;
}

/* Hands the line on as it is. */
static void hand_on(struct console *console, struct console_stream *stream, size_t length)
{
	bool is_new = stream->number < 0;
	struct console_line line = {
		.number = is_new ? console->next_number : stream->number,
		.stream = stream_of(console, stream),
		.text = stream->text ? stream->text : "",
		.length = length,
	};

	stream->is_dirty = false;
	if (!console->sink(console->context, &line) || !is_new)
		return;
	stream->number = line.number;
	console->next_number++;
}

/* What stands there was moved or is no more. */
static void keep(struct console_stream *stream, size_t length)
{
	stream->length = length;
	stream->measured = 0;
	stream->sent = 0;
}

static void end_line(struct console *console, struct console_stream *stream)
{
	if (stream->is_dirty || stream->number < 0)
		hand_on(console, stream, stream->length);
	keep(stream, 0);
	stream->number = -1;
	stream->is_dirty = false;
	stream->saw_return = false;
}

/* The line is as long as a line may be: ends it between two characters and begins the next. */
static void cut_line(struct console *console, struct console_stream *stream)
{
	size_t cut = stream->length;

	for (size_t back = 1; back < 4 && back < cut; back++) {
		unsigned char byte = (unsigned char)stream->text[cut - back];
		if ((byte & 0xc0) == 0x80)
			continue;
		if (byte >= 0x80 && utf8_length(stream->text + cut - back, back) == 0)
			cut -= back;
		break;
	}
	hand_on(console, stream, cut);
	memmove(stream->text, stream->text + cut, stream->length - cut);
	keep(stream, stream->length - cut);
	stream->number = -1;
	stream->is_dirty = stream->length > 0;
}

static bool is_tail(const struct console_stream *stream, size_t place)
{
	return ((unsigned char)stream->text[place] & 0xc0) == 0x80;
}

/*
 * A place from which on the line can be measured alone, whatever follows: not within a character, nor
 * within the last three bytes, which may be the beginning of one. Behind three tails nothing goes
 * on: no character has four.
 */
static size_t find_place(const struct console_stream *stream)
{
	size_t last = stream->length < 4 ? 0 : stream->length - 4;

	for (size_t back = 0; back < 4; back++) {
		if (last < stream->measured + back)
			return stream->measured;
		if (!is_tail(stream, last - back))
			return last - back;
	}
	return last;
}

/* As how many bytes the line will be sent. All but the last of it is measured once only, for a program
 * may write it byte by byte. */
static size_t measure(struct console_stream *stream)
{
	size_t place = find_place(stream);

	stream->sent += text_json_length(stream->text + stream->measured, place - stream->measured);
	stream->measured = place;
	return stream->sent + text_json_length(stream->text + place, stream->length - place);
}

/*
 * How many bytes may follow, the next of them known. A byte that is no UTF-8 becomes three, so the line
 * is measured as it will be sent, once it has bytes enough to matter.
 */
static size_t room_of(struct console_stream *stream, unsigned char next)
{
	size_t used = 3 * stream->length;

	if (used + 3 > RECORD_LINE_MAX_BYTES)
		used = measure(stream);
	if (used >= RECORD_LINE_MAX_BYTES)
		return 0;
	if (RECORD_LINE_MAX_BYTES - used >= 3)
		return (RECORD_LINE_MAX_BYTES - used) / 3;
	return next && next < 0x80;
}

/* Bytes without a line feed or a carriage return. */
static void add_plain(struct console *console, struct console_stream *stream, const char *bytes,
		      size_t count)
{
	if (stream->saw_return) {
		keep(stream, 0);
		stream->saw_return = false;
	}
	while (count > 0) {
		size_t room = room_of(stream, (unsigned char)*bytes);
		size_t now = count < room ? count : room;

		if (!room) {
			cut_line(console, stream);
			continue;
		}
		memcpy(stream->text + stream->length, bytes, now);
		stream->length += now;
		stream->is_dirty = true;
		bytes += now;
		count -= now;
	}
}

bool console_add(struct console *console, enum cairn_stream stream, const char *bytes, size_t count)
{
	struct console_stream *s = &console->streams[stream == CAIRN_STDERR];
	const char *end = bytes + count;

	if (!s->text)
		s->text = malloc(RECORD_LINE_MAX_BYTES);
	if (!s->text)
		return false;
	while (bytes < end) {
		const char *stop = bytes;

		while (stop < end && *stop != '\n' && *stop != '\r')
			stop++;
		if (stop > bytes)
			add_plain(console, s, bytes, (size_t)(stop - bytes));
		if (stop < end && *stop == '\n')
			end_line(console, s);
		else if (stop < end)
			s->saw_return = true;
		bytes = stop + 1;
	}
	return true;
}

void console_flush(struct console *console)
{
	for (int i = 0; i < 2; i++) {
		if (console->streams[i].is_dirty)
			hand_on(console, &console->streams[i], console->streams[i].length);
	}
}
