#ifndef COMPACTION_H
#define COMPACTION_H

#include "chunk.h"
#include "db.h"
#include "key_stats.h"
#include "series_store.h"

struct codec;

/*
 * From tail to chunks. What waits of a run is read and put together without any lock, then saved in a
 * short transaction that locks the run, looks whether anybody compacted it meanwhile, and moves
 * compact_seq. Nothing is deleted from the tail: readers pass over what is compacted, and a slot is
 * truncated when nothing in it waits any more.
 */

/* Compacts some of a run; *ret_more tells whether something waits still. */
err_t compaction_run(struct db *db, struct codec *codec, int64_t run_id, bool *ret_more)
	__attribute__((warn_unused_result));

/* ---- its parts ---------------------------------------------------------------------------------- */

struct compaction {
	struct db *db;
	struct arena *arena;
	struct codec *codec;
	int64_t run_id;
	struct pending_row *pending;
	size_t pending_count;
	struct chunk_row *chunks;
	size_t chunk_count;
	size_t chunk_size;
	struct stream_keys *keys;
	size_t key_count;
	struct console_chunk *consoles;
	size_t console_count;
};

/* Blocks of history and events into chunks and key statistics. */
err_t compaction_series(struct compaction *c) __attribute__((warn_unused_result));
/* Console lines into chunks of line numbers. */
err_t compaction_console(struct compaction *c) __attribute__((warn_unused_result));

#endif
