#ifndef LINE_RANGES_H
#define LINE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct buf;

/*
 * Which line numbers of a writer's files are stored, so that a repeat is told from what is new. Nearly
 * always it is one range; a line that comes late lies in a gap between two.
 *
 *	        border
 *	unknown │      stored      missing    stored     missing …
 *	────────┼───────[────────)──────────[────────)──────────────
 *
 * INVARIANT: ranges are ascending, none is empty, none touches another, none begins below the border.
 *
 * Of more than LINE_RANGES_MAX ranges the lowest is forgotten: the border comes to its end. Of a number
 * below the border nothing is known: it may be stored or not, so the caller compares by content. That
 * costs more, and no line is lost or doubled.
 */
enum {
	LINE_RANGES_MAX = 64,
	LINE_PARTS_MAX = LINE_RANGES_MAX + 2,
	LINE_RANGES_MAX_BYTES = 2 * (2 + 2 * LINE_RANGES_MAX) * 10, /* encoded, both files */
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

/* The files of which line numbers identify lines; console lines are written again. */
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

/* [from, to) is stored; what of it lies below the border is forgotten at once. 0 <= from <= to. */
void line_ranges_add(struct line_ranges *ranges, int64_t from, int64_t to) __attribute__((nonnull));

/* Numbers of lines, in all files, that are missing between stored ones. */
int64_t line_files_gaps(const struct line_files *files) __attribute__((nonnull));

/* Nothing stored is no bytes. False when they are damaged. */
void line_files_encode(struct buf *out, const struct line_files *files) __attribute__((nonnull));
bool line_files_decode(struct str bytes, struct line_files *ret_files)
	__attribute__((nonnull, warn_unused_result));

#endif
