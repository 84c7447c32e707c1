#ifndef WRITER_CACHE_H
#define WRITER_CACHE_H

#include "run.h"
#include "writer.h"

/*
 * What a flusher knows of the writers it stored something of, so that it need not read them again. It
 * holds as long as the run's version is the one it was left at: whoever changes a writer saves the run,
 * which gives it another (run_hot_save). For one thread. Bounded: one that is full is emptied before the next flush.
 */
struct arena;
struct marks;
struct writer_cache;

enum { WRITER_CACHE_WRITERS = 8192, WRITER_CACHE_BYTES = 16 << 20 };

struct writer_cache *writer_cache_new(void);
void writer_cache_free(struct writer_cache *cache);

/*
 * Empties it when it is full. Between two flushes alone: what a flush took from it, it keeps again at its
 * end, with names and remembered batches that lie in the cache.
 */
void writer_cache_make_room(struct writer_cache *cache);

/* Whether the writer is known, at whatever version of its run. */
bool writer_cache_has(const struct writer_cache *cache, int64_t run_id, struct str client);
/*
 * The writer at this version of its run; NULL when it is not known. What is returned has no `info`; the
 * texts that it points to live until the next call of writer_cache_make_room.
 */
const struct writer *writer_cache_find(const struct writer_cache *cache, int64_t run_id,
				       int64_t version, struct str client);

/*
 * Where in its tail to look for what other servers stored of a run that is known at another version than
 * this: the first block behind what is known; -1: nothing is known of it, or the version is the same.
 */
int64_t writer_cache_behind(const struct writer_cache *cache, int64_t run_id, int64_t version);
/* When marks begin at the version at which their run is known, its writers are what they say now. */
void writer_cache_follow(struct writer_cache *cache, struct arena *a, const struct marks *m);

/* The run went from its version to the other, and what is known of its writers holds but for those
 * that are kept again. Of a run at any other version all is forgotten. */
void writer_cache_advance(struct writer_cache *cache, const struct run *run, int64_t to);
/* The writer as it is at the version to which its run advanced. */
void writer_cache_keep(struct writer_cache *cache, const struct writer *w);

#endif
