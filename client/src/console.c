#include "console.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

enum { ESCAPE = 0x1b };

void console_init(struct console *console, console_sink *sink, void *context)
{
	*console = (struct console){ .sink = sink, .context = context };
	for (int i = 0; i < 2; i++) {
		console->streams[i].number = -1;
		console->streams[i].row_count = 1;
	}
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

/* Keeps the first bytes; the rest was moved or removed. */
static void keep(struct console_stream *stream, size_t length)
{
	stream->length = length;
	stream->measured = 0;
	stream->sent = 0;
}

/* ---- rows ----------------------------------------------------------------------------------------- */

static void go_to(struct console_stream *stream, int at)
{
	stream->rows[stream->at] = stream->number;
	stream->at = at;
	stream->number = stream->rows[at];
	stream->is_dirty = false;
	stream->saw_return = false;
	keep(stream, 0);
}

/* Behind the last; the first of as many as are known is left. */
static void add_row(struct console_stream *stream)
{
	if (stream->row_count == CONSOLE_ROWS) {
		memmove(stream->rows, stream->rows + 1,
			(CONSOLE_ROWS - 1) * sizeof(stream->rows[0]));
		stream->row_count--;
		stream->at--;
	}
	stream->rows[stream->row_count++] = -1;
}

static void end_line(struct console *console, struct console_stream *stream)
{
	if (stream->is_dirty || stream->number < 0)
		hand_on(console, stream, stream->length);
	if (stream->at + 1 == stream->row_count)
		add_row(stream);
	go_to(stream, stream->at + 1);
}

static void move_up(struct console *console, struct console_stream *stream, int rows)
{
	if (stream->is_dirty)
		hand_on(console, stream, stream->length);
	go_to(stream, stream->at > rows ? stream->at - rows : 0);
}

/* ---- text ----------------------------------------------------------------------------------------- */

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

static bool is_tail(const struct console_stream *stream, size_t at)
{
	return ((unsigned char)stream->text[at] & 0xc0) == 0x80;
}

/*
 * A boundary from which on the line can be measured alone, whatever follows: not within a character, nor
 * within the last three bytes, which may be the beginning of one. Behind three tails nothing goes
 * on: no character has four.
 */
static size_t find_boundary(const struct console_stream *stream)
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
	size_t at = find_boundary(stream);

	stream->sent += text_json_length(stream->text + stream->measured, at - stream->measured);
	stream->measured = at;
	return stream->sent + text_json_length(stream->text + at, stream->length - at);
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

static bool goes_on(const struct console_stream *stream, char byte)
{
	if (stream->escape_length < 2)
		return byte == (stream->escape_length ? '[' : ESCAPE);
	return byte >= '0' && byte <= '9' && stream->escape_length + 1 < sizeof(stream->escape);
}

/* True when the byte is of a cursor up, or may be; what was held back and is none is plain. */
static bool take_escape(struct console *console, struct console_stream *stream, char byte)
{
	size_t held = stream->escape_length;

	if (goes_on(stream, byte)) {
		stream->escape[stream->escape_length++] = byte;
		stream->escape[stream->escape_length] = 0;
		return true;
	}
	stream->escape_length = 0;
	if (held >= 2 && byte == 'A') {
		long rows = strtol(stream->escape + 2, NULL, 10); /* of digits, few enough */

		move_up(console, stream, rows ? (int)rows : 1);
		return true;
	}
	if (held)
		add_plain(console, stream, stream->escape, held);
	return byte == ESCAPE && take_escape(console, stream, byte);
}

static bool is_plain(char byte)
{
	return byte != '\n' && byte != '\r' && byte != ESCAPE;
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

		if ((s->escape_length || *bytes == ESCAPE) && take_escape(console, s, *bytes)) {
			bytes++;
			continue;
		}
		while (stop < end && is_plain(*stop))
			stop++;
		if (stop > bytes)
			add_plain(console, s, bytes, (size_t)(stop - bytes));
		bytes = stop < end && *stop != ESCAPE ? stop + 1 : stop;
		if (stop < end && *stop == '\n')
			end_line(console, s);
		else if (stop < end && *stop == '\r')
			s->saw_return = true;
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
