#ifndef CONSOLE_TAIL_H
#define CONSOLE_TAIL_H

#include "db.h"
#include "lines.h"

struct codec;

/*
 * The lines of a run that are in the tail, writer by writer: they replace lines of chunks with the
 * same numbers. All of them, for counting (console_density.h), however long the tail is; pages are
 * read block by block (console_waiting.h).
 */
struct tail_lines {
	int32_t writer;
	struct lines lines; /* ascending */
};

struct console_tail {
	struct tail_lines *writers; /* ascending */
	size_t count;
};

/* For some writers, or for all (none). The lines live as long as the connection's arena. */
err_t console_tail_read(struct db *db, struct codec *codec, int64_t run_id, const int32_t *writers,
			size_t writer_count, struct console_tail *ret_tail)
	__attribute__((warn_unused_result));

/* NULL: it has none of that writer. */
const struct lines *console_tail_of(const struct console_tail *tail, int32_t writer);

bool console_tail_has(const struct lines *lines, int64_t number);
/* Whether it has any with a number from `first` to `last`. */
bool console_tail_touches(const struct lines *lines, int64_t first, int64_t last);

#endif
