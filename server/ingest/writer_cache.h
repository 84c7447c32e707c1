#ifndef WRITER_CACHE_H
#define WRITER_CACHE_H

#include "writer.h"

/*
 * What a flusher knows of the writers it stored something of, so that it need not read them again. It
 * holds as long as the run's version is the one it was left at: whoever changes a writer saves the run,
 * which gives it another (run_hot_save). For one thread. Bounded: when it is full it is emptied.
 */
struct writer_cache;

enum { WRITER_CACHE_WRITERS = 8192, WRITER_CACHE_BYTES = 16 << 20 };

struct writer_cache *writer_cache_new(void);
void writer_cache_free(struct writer_cache *cache);

/* Whether the writer is known, at whatever version of its run. */
bool writer_cache_has(const struct writer_cache *cache, int64_t run_id, struct str client);
/*
 * The writer at this version of its run; NULL when it is not known. What is returned has no `info` and
 * lives until the next call of writer_cache_keep.
 */
const struct writer *writer_cache_find(const struct writer_cache *cache, int64_t run_id,
				       int64_t version, struct str client);

/* The run's version went from one to the other, and what is known of its writers holds but for those
 * that are kept again. Of a run at any other version all is forgotten. */
void writer_cache_advance(struct writer_cache *cache, int64_t run_id, int64_t from, int64_t to);
/* The writer as it is at the version to which its run advanced. */
void writer_cache_keep(struct writer_cache *cache, const struct writer *w);

#endif
