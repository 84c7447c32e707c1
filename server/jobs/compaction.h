#ifndef COMPACTION_H
#define COMPACTION_H

#include "buf.h"
#include "chunk.h"
#include "chunk_store.h"
#include "db.h"
#include "key_stats.h"
#include "tail_store.h"

struct codec;
struct job;
struct run_set_item;

/*
 * From tail to chunks. The waiting blocks of a run are read and merged without any lock. The
 * transaction that saves it writes the chunks first (those of the console are merged in it, in
 * portions) and locks the run last, when little is left to do: it checks whether another server has
 * compacted the run since, and moves compact_seq. Nothing is deleted from the tail: readers skip
 * compacted blocks, and a slot is truncated when nothing in it waits any more.
 */

/* The load of a run's tail: what waits for compaction. */
struct tail_load {
	int32_t blocks;
	int64_t bytes; /* decoded */
	int32_t writers;
	bool ended;
};

/*
 * Whether it is worthwhile: each (key, writer) has a chunk that is not full and is rewritten, so a
 * run of many writers waits for more blocks.
 */
bool compaction_is_due(const struct tail_load *load);

/* So much waits that compaction runs even if the last one was just now. */
bool compaction_is_pressing(const struct tail_load *load);

/* Compacts some of a run, unless it is not due; puts it back into the set if more is due. */
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
	int64_t seq_last;    /* the greatest one compacted */
	struct marks *marks; /* of its writers */
	size_t mark_count;
	struct chunk_row *chunks;
	size_t chunk_count;
	size_t chunk_size;
	struct open_values *replaced; /* their chunks are replaced */
	size_t replaced_count;
	struct stream_keys *keys;
	size_t key_count;
	int64_t new_consoles;  /* new chunks of the console */
	int64_t new_lines;     /* new numbers of lines */
	struct arena *scratch; /* of the strand being merged */
	struct buf bytes;      /* the bytes encoded last */
};

/* How many rows from pending[first] on are of its stream and writer. */
size_t compaction_lane(const struct compaction *c, size_t first);

/* Compacts blocks of history and events into chunks and key statistics. */
err_t compaction_series(struct compaction *c) __attribute__((warn_unused_result));
/* Compacts console lines into chunks of line numbers, and saves these in the open transaction. */
err_t compaction_console(struct compaction *c) __attribute__((warn_unused_result));

#endif
