#ifndef CONSOLE_WAITING_H
#define CONSOLE_WAITING_H

#include "console_store.h"
#include "db.h"
#include "lines.h"

struct codec;

/*
 * A run's console in the tail, block by block: the position of every block
 * is known, its lines only if they were asked for. A line replaces those
 * with its number in chunks and in older blocks of its writer.
 *
 * How long the tail is has no bound of its own: compaction keeps it below some PRESSING_BYTES
 * (jobs/compaction.c) as long as it keeps up, and a run whose chunks are damaged is not compacted
 * at all. So a page never reads all of it.
 */
struct waiting_block {
	struct console_waiting at;
	const struct lines *lines; /* NULL: not read */
};

struct console_waiting_blocks {
	struct db *db;
	struct codec *codec;
	int64_t run_id;
	struct waiting_block *items; /* by writer, oldest first */
	size_t count;
	struct arena *arena;   /* of lines */
	int64_t bytes;         /* of blocks whose lines are there, decoded */
	struct arena *scratch; /* of lists of blocks: each may be as long as the tail */
};

/* For some writers, or for all (none). The blocks live as long as the connection's arena. */
err_t console_waiting_list(struct db *db, struct codec *codec, int64_t run_id,
			   const int32_t *writers, size_t writer_count,
			   struct console_waiting_blocks *ret_blocks)
	__attribute__((warn_unused_result));

/* Reads the lines of some blocks, if they are not read yet. */
err_t console_waiting_read(struct console_waiting_blocks *w, const size_t *which, size_t count)
	__attribute__((warn_unused_result));

/* Frees lines if those of many blocks are read; they may have to be read again. */
void console_waiting_trim(struct console_waiting_blocks *w);

/* Lines of a writer, from a chunk (seq -1) or a block. */
struct waiting_part {
	int32_t writer;
	int64_t line_first;
	int64_t line_last;
	int64_t seq;
};
/*
 * Blocks that came after a part and may have some of its lines again, the latest first. It lives
 * until the next call.
 */
struct waiting_later {
	const struct lines **at;
	size_t count;
};
err_t console_waiting_later(struct console_waiting_blocks *w, const struct waiting_part *part,
			    struct waiting_later *ret_later) __attribute__((warn_unused_result));
bool waiting_later_has(const struct waiting_later *later, int64_t number);

#endif
