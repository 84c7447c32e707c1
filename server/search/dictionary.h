#ifndef DICTIONARY_H
#define DICTIONARY_H

#include <stdint.h>

#include "bounded_arena.h"
#include "str.h"

/* Different texts, numbered from 0 as they come. Texts are never removed. Starts as { 0 }. */
struct dictionary {
	struct str *texts;
	size_t count;
	size_t room;
	uint32_t *table;   /* number + 1; 0: free */
	size_t table_size; /* a power of two */
	size_t common; /* all texts begin with the same so many bytes, at most DICTIONARY_COMMON_MAX */
	uint64_t *keys; /* the sort key of each text: dictionary_key() */
	size_t key_room;
	uint32_t empty; /* the number + 1 of the empty text; 0: there is none */
	uint32_t infinities
		[2]; /* the same of "Infinity" and "-Infinity", which are ordered as numbers */
};
enum { DICTIONARY_COMMON_MAX = 128 };

#define DICTIONARY_NONE UINT32_MAX

/* Memory allocated in the arena is not freed with it. */
void dictionary_deinit(struct dictionary *d);
uint32_t dictionary_add(struct dictionary *d, struct bounded_arena *s, struct str text);
uint32_t dictionary_find(const struct dictionary *d, struct str text);

/*
 * The eight bytes after the common prefix of all texts, as a number: less
 * is before, and texts with the same key are compared in full. The keys of
 * its texts are in `keys`, so that ordering need not read each text.
 */
uint64_t dictionary_key(const struct dictionary *d, struct str text);

static inline bool dictionary_is_infinity(const struct dictionary *d, uint32_t number)
{
	return number + 1 == d->infinities[0] || number + 1 == d->infinities[1];
}

static inline struct str dictionary_text(const struct dictionary *d, uint32_t number)
{
	return d->texts[number];
}

#endif
