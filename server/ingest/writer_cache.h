#ifndef WRITER_CACHE_H
#define WRITER_CACHE_H

#include "run.h"
#include "writer.h"

/*
 * A flusher's cache of the writers whose batches it stored, so that it need not read them again. An
 * entry is valid as long as the run's version is the one of the last store: any change of a writer
 * saves the run, which gives it another (run_hot_save). For one thread. Bounded: one that is full
 * is emptied before the next flush.
 */
struct arena;
struct marks;
struct writer_cache;

enum { WRITER_CACHE_WRITERS = 8192, WRITER_CACHE_BYTES = 16 << 20 };

struct writer_cache *writer_cache_new(void);
void writer_cache_free(struct writer_cache *cache);

/*
 * Empties it when it is full. Only between two flushes: a flush puts back at its end what it took,
 * with names and remembered batches that are in the cache.
 */
void writer_cache_make_room(struct writer_cache *cache);

/* Whether the writer is cached, at any version of its run. */
bool writer_cache_has(const struct writer_cache *cache, int64_t run_id, struct str client);
/*
 * The writer at this version of its run; NULL if it is not cached. The result has no `info`; the
 * texts that it points to live until the next call of writer_cache_make_room.
 */
const struct writer *writer_cache_find(const struct writer_cache *cache, int64_t run_id,
				       int64_t version, struct str client);

/*
 * The position in the tail from which to read what other servers stored of a run that is known at
 * another version than this: the first block after the known ones; -1: the run is not known, or the
 * version is the same.
 */
int64_t writer_cache_behind(const struct writer_cache *cache, int64_t run_id, int64_t version);
/* If marks begin at the version at which their run is known, they are applied to its writers. */
void writer_cache_follow(struct writer_cache *cache, struct arena *a, const struct marks *m);

/* The run went from its version to the other, and its writers stay valid except those that are kept
 * again. A run at any other version is dropped. */
void writer_cache_advance(struct writer_cache *cache, const struct run *run, int64_t to);
/* The writer as it is at the version to which its run advanced. */
void writer_cache_keep(struct writer_cache *cache, const struct writer *w);

#endif
