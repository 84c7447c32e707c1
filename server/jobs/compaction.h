#ifndef COMPACTION_H
#define COMPACTION_H

#include "buf.h"
#include "chunk.h"
#include "db.h"
#include "key_stats.h"
#include "series_store.h"

struct codec;
struct job;
struct run_set_item;

/*
 * From tail to chunks. What waits of a run is read and put together without any lock. The transaction
 * that saves it writes the chunks first (those of the console are put together in it, in portions) and
 * locks the run last, when little is left to do: it looks whether anybody compacted the run meanwhile, and
 * moves compact_seq. Nothing is deleted from the tail: readers pass over what is compacted, and a slot is
 * truncated when nothing in it waits any more.
 */

/* What waits in a run's tail. */
struct tail_load {
	int32_t blocks;
	int64_t bytes; /* decoded */
	int32_t writers;
	bool ended;
};

/*
 * Whether it is worth while: each (key, writer) has a chunk that is not full and is written again, so a
 * run of many writers waits for more blocks.
 */
bool compaction_is_due(const struct tail_load *load);

/* So much waits that compaction comes even if the last one was just now. */
bool compaction_is_pressing(const struct tail_load *load);

/* Compacts some of a run, unless it is not due; puts it back into the set when more is. */
err_t compaction_run(struct job *job, const struct run_set_item *item)
	__attribute__((warn_unused_result));

/* ---- its parts ---------------------------------------------------------------------------------- */

struct compaction {
	struct db *db;
	struct arena *arena;
	struct codec *codec;
	int64_t run_id;
	struct pending_row *pending; /* by stream and writer, each oldest first */
	size_t pending_count;
	int64_t seq_last;    /* the greatest of what is compacted */
	struct marks *marks; /* of its writers */
	size_t mark_count;
	struct chunk_row *chunks;
	size_t chunk_count;
	size_t chunk_size;
	struct open_values *replaced; /* their chunks become others */
	size_t replaced_count;
	struct stream_keys *keys;
	size_t key_count;
	int64_t new_consoles;  /* chunks of the console that were not there before */
	int64_t new_lines;     /* numbers of lines that were not there before */
	struct arena *scratch; /* of what is put together now: a strand */
	struct buf bytes;      /* what was encoded just now */
};

/* How many rows from pending[first] on are of its stream and writer. */
size_t compaction_lane(const struct compaction *c, size_t first);

/* Blocks of history and events into chunks and key statistics. */
err_t compaction_series(struct compaction *c) __attribute__((warn_unused_result));
/* Console lines into chunks of line numbers, which are saved: in the transaction that is open. */
err_t compaction_console(struct compaction *c) __attribute__((warn_unused_result));

#endif
