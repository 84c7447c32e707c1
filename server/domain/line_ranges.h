#ifndef LINE_RANGES_H
#define LINE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct buf;

/*
 * The line numbers of a writer's files that are stored, so that a repeat is distinguished from new
 * lines. Nearly always it is one range; a line that comes late is in a gap between two.
 *
 *	        border
 *	unknown │      stored      missing    stored     missing …
 *	────────┼───────[────────)──────────[────────)──────────────
 *
 * INVARIANT: ranges are ascending, none is empty, none touches another, none begins below the border.
 *
 * If there are more than LINE_RANGES_MAX ranges, the lowest is forgotten: the border moves to its
 * end. A number below the border may be stored or not, so the caller compares by content. That
 * costs more, and no line is lost or doubled.
 */
enum {
	LINE_RANGES_MAX = 64,
	LINE_PARTS_MAX = LINE_RANGES_MAX + 2,
	CONSOLE_PIECES_MAX = 64,
	LINE_RANGES_MAX_BYTES = 2 * (2 + 2 * LINE_RANGES_MAX) * 10, /* encoded, both files */
	CONSOLE_PIECES_MAX_BYTES = (2 + 2 * CONSOLE_PIECES_MAX) * 10,
};

struct line_range {
	int64_t from;
	int64_t to; /* not in it */
};

struct line_ranges {
	int64_t border;
	unsigned count;
	struct line_range at[LINE_RANGES_MAX];
};

/* The files whose lines are identified by number; console lines may be rewritten. */
enum line_file { LINE_FILE_HISTORY, LINE_FILE_EVENTS, LINE_FILES };

struct line_files {
	struct line_ranges of[LINE_FILES];
};

enum line_part_kind { LINE_PART_NEW, LINE_PART_UNKNOWN };
struct line_part {
	enum line_part_kind kind;
	int64_t from;
	int64_t to;
};

/*
 * The parts of [from, to) that are not known to be stored, ascending; those that are left out are
 * repeats. Returns their number. 0 <= from <= to.
 */
unsigned line_ranges_missing(const struct line_ranges *ranges, int64_t from, int64_t to,
			     struct line_part ret_parts[static LINE_PARTS_MAX]);

/* Marks [from, to) as stored; any part below the border is forgotten at once. 0 <= from <= to. */
void line_ranges_add(struct line_ranges *ranges, int64_t from, int64_t to) __attribute__((nonnull));

/* Numbers of lines, in all files, that are missing between stored ones. */
int64_t line_files_gaps(const struct line_files *files) __attribute__((nonnull));

/* If nothing is stored, there are no bytes. False if they are damaged. */
void line_files_encode(struct buf *out, const struct line_files *files) __attribute__((nonnull));
bool line_files_decode(struct str bytes, struct line_files *ret_files)
	__attribute__((nonnull, warn_unused_result));

/*
 * Processes of the SDK without a client id share one writer. Each numbers its console lines from 0, or, when it
 * resumes, from the end of the stored ones. A piece is a range of stored lines of one process: its line `from` has the
 * number `at`. The piece ends where the next one begins.
 *
 * INVARIANT: ascending by `at`. If there are more than CONSOLE_PIECES_MAX, the first is forgotten.
 */
struct console_piece {
	int64_t at;
	int64_t from;  /* not above `at` */
	bool has_rows; /* its process has stored rows, too */
};

/*
 * A session that stored rows and no line may be a process whose console is in no piece. Rows that
 * are sent again may be its rows, so then they do not prove which process a piece belongs to.
 */
enum { CONSOLE_ROWS_UNKNOWN = -1 /* several sessions, or a forgotten one */ };

struct console_pieces {
	int32_t rows_only; /* the session that stored rows and no line; 0: none */
	unsigned count;
	struct console_piece of[CONSOLE_PIECES_MAX];
};

/* Replaces the last piece if it begins at the same number. `piece->at` is not below that of the last one. */
void console_pieces_add(struct console_pieces *pieces, const struct console_piece *piece)
	__attribute__((nonnull));
/* The session stores rows; it has no piece yet. Returns whether `rows_only` changes. */
bool console_pieces_add_rows_only(struct console_pieces *pieces, int32_t session)
	__attribute__((nonnull));
/*
 * Returns the piece of a process that resumes: its first line has the number `at`, after the
 * `lines` stored before.
 */
struct console_piece console_piece_resumed(int64_t lines, int64_t at);
/* Returns the number at which piece `i` ends, if the writer has `lines` lines. */
int64_t console_pieces_end(const struct console_pieces *pieces, unsigned i, int64_t lines)
	__attribute__((nonnull));

/* If nothing is known, there are no bytes. False if they are damaged. */
void console_pieces_encode(struct buf *out, const struct console_pieces *pieces)
	__attribute__((nonnull));
bool console_pieces_decode(struct str bytes, struct console_pieces *ret_pieces)
	__attribute__((nonnull, warn_unused_result));

#endif
