#ifndef SHARES_H
#define SHARES_H

#include <stddef.h>

#include "str.h"

/*
 * The number of units that each owner has taken of something limited, so that one owner cannot take
 * all of them. An owner is any text, an address or a user's name, and costs memory only while it has
 * units. Any thread.
 */
struct arena;
struct share_owner;
struct shares;

/* Freed with the arena, after the last unit was given back. */
struct shares *shares_new(struct arena *a) __attribute__((nonnull, returns_nonnull));

/* NULL, and nothing is taken, if the owner would have more than `limit` units. */
struct share_owner *shares_take(struct shares *s, struct str owner, size_t count, size_t limit)
	__attribute__((nonnull, warn_unused_result));
/* `owner` may be NULL. */
void shares_give(struct shares *s, struct share_owner *owner, size_t count)
	__attribute__((nonnull(1)));

/*
 * The part of a limit that one owner may have: so many percent, at least 1; 100 percent: no limit.
 */
size_t shares_of(size_t limit, unsigned percent);

#endif
