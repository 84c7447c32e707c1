#ifndef MEMORY_H
#define MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The memory that clients can make the server hold, all of it together.
 *
 * Work in progress never fails for lack of memory. Code that admits something, or lets it grow,
 * asks first, and answers ERR_BUSY when there is no room; what is admitted counts until it is
 * freed. Large things leave the last eighth to small ones, so a server full of large bodies still
 * takes small ones.
 *
 * Any thread.
 */
enum memory_part {
	MEMORY_REQUESTS, /* bodies, their parsed data until it is stored, answers */
	MEMORY_CONNECTIONS,
	MEMORY_LISTENERS,
	MEMORY_SEARCH,
	MEMORY_FACTS, /* values that runs are ordered by */
	MEMORY_PARTS,
};

struct memory {
	size_t limit;
	_Atomic size_t used;
	_Atomic size_t peak;
	_Atomic size_t of[MEMORY_PARTS]; /* MEMORY_REQUESTS: what remains */
};

enum { MEMORY_SMALL = 96 << 10 };

void memory_init(struct memory *m, size_t limit);
void memory_take(struct memory *m, enum memory_part part, size_t bytes);
void memory_give(struct memory *m, enum memory_part part, size_t bytes);
/* Whether there is room for that many more. */
bool memory_has(const struct memory *m, size_t bytes);
size_t memory_used_by(const struct memory *m, enum memory_part part);

/*
 * The memory that one request counts: what it holds, or what was reserved for it, whichever is
 * more. So reserved memory is there when it is needed. One thread at a time. A share of no memory
 * ({ 0 }) counts nothing.
 */
struct memory_share {
	struct memory *memory;
	size_t held;
	size_t reserved;
};

void share_begin(struct memory_share *s, struct memory *m, size_t reserved);
void share_end(struct memory_share *s);
void share_grow(struct memory_share *s, size_t bytes);
void share_shrink(struct memory_share *s, size_t bytes);
/* That much in all is reserved from now on, in any case; true if there was room for it. */
bool share_reserve(struct memory_share *s, size_t bytes);
/* Only what it holds counts from now on. */
void share_settle(struct memory_share *s);
/* Whether that many more may be held. */
bool share_has(const struct memory_share *s, size_t bytes);
/*
 * Whether there is room for what it holds, for a request that grows in small steps: one that holds
 * much leaves the last eighth to small ones. Reserved memory always has room.
 */
bool share_fits(const struct memory_share *s);
/*
 * share_has() for what is read, piece by piece: what this share counts itself is not held against
 * it, so the only read in progress goes on whatever it needs.
 */
bool share_may_read(const struct memory_share *s, size_t bytes);

#endif
