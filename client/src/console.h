#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn.h"
#include "record.h"

/*
 * Turns what a program writes into numbered lines. Both streams share the numbers of their writer.
 * A line gets its number when it is first handed on; until it ends it may be handed on again, longer,
 * under the same number. A carriage return starts the line again; what it covers between two
 * calls of console_flush() is never handed on, so a progress bar costs one line a flush. The sequence for
 * cursor up (ESC [ n A) goes back to lines that ended: what is written there replaces the whole line, under
 * its number, and line feeds go down again over those below. Several progress bars stay as many lines.
 */
enum {
	CONSOLE_ROWS = 64
}; /* the last lines of a stream, its own among them: no way up leads beyond */

struct console_line {
	int64_t number;
	enum cairn_stream stream;
	const char *text;
	size_t length;
};

/* Takes a line; false when there was no room, then its number is used again. */
typedef bool console_sink(void *context, const struct console_line *line);

struct console_stream {
	char *text; /* the line so far; RECORD_LINE_MAX_BYTES once it is used */
	size_t length;
	size_t measured; /* so much of it was measured: no character goes across this boundary */
	size_t sent;     /* as so many bytes it will be sent */
	int64_t number;  /* -1: not handed on yet */
	bool is_dirty;   /* differs from what was handed on */
	bool saw_return;
	int64_t rows
		[CONSOLE_ROWS]; /* the numbers of the last lines; of the one it is at: `number` */
	int row_count;
	int at;
	char escape[8]; /* the beginning of what may be a cursor up */
	size_t escape_length;
};

struct console {
	struct console_stream streams[2];
	int64_t next_number;
	console_sink *sink;
	void *context;
};

void console_init(struct console *console, console_sink *sink, void *context)
	__attribute__((nonnull(1, 2)));
void console_deinit(struct console *console) __attribute__((nonnull));

/* False when memory for the line could not be had: these bytes are lost. */
bool console_add(struct console *console, enum cairn_stream stream, const char *bytes, size_t count)
	__attribute__((nonnull(1)));

/* Hands on the lines that have not ended, as they are. */
void console_flush(struct console *console) __attribute__((nonnull));

#endif
