#ifndef ARENA_H
#define ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Arena: memory with one lifetime.
 *
 * Everything a request allocates comes from the request's arena and is returned in one step when
 * the reply has been sent. Nothing in an arena is freed on its own. Things that are not memory (a
 * database result, a descriptor) join the same lifetime with arena_defer().
 *
 * Allocation never fails: the process stops if the system is out of memory. Memory that a client
 * can make us allocate is bounded where its bytes come in, and counted.
 */
struct arena;
struct memory_share;

struct arena *arena_new(size_t first_block);
/*
 * An arena counted where `a` is, its first block too, for data that does not live as long as `a`.
 */
struct arena *arena_new_beside(const struct arena *a, size_t first_block) __attribute__((nonnull));

/*
 * The memory that the arena takes from now on, for its bufs too, counts in the share (memory.h),
 * which must live until another is set or the arena is freed; NULL: nowhere. Reset it before.
 */
void arena_count_in(struct arena *a, struct memory_share *share) __attribute__((nonnull(1)));
struct memory_share *arena_share(const struct arena *a) __attribute__((nonnull));
/*
 * Whether the budget has room for that many bytes more; for callers that grow by what a client
 * sent.
 */
bool arena_has_room(const struct arena *a, size_t bytes) __attribute__((nonnull));
/* Whether the budget has room for what is held now; see share_fits(). */
bool arena_fits(const struct arena *a) __attribute__((nonnull));
/* arena_has_room() for callers that grow by what is stored; see share_may_read(). */
bool arena_may_read(const struct arena *a, size_t bytes) __attribute__((nonnull));

/*
 * A point that arena_rewind() goes back to: what was allocated since is freed, what was deferred since
 * is run. An arena that was reset has no earlier points.
 */
struct arena_mark {
	const void *head;
	const void *deferred;
	size_t used;
};
struct arena_mark arena_mark(const struct arena *a) __attribute__((nonnull));
void arena_rewind(struct arena *a, const struct arena_mark *mark) __attribute__((nonnull));

/* Runs what was deferred, frees all but the first block: a steady server stops calling malloc. */
void arena_reset(struct arena *a);
void arena_free(struct arena *a);

/* Bytes the arena holds from the system now. */
size_t arena_size(const struct arena *a) __attribute__((nonnull));
/*
 * The bytes that its share counts, with bufs and other arenas; without a share, the arena's own
 * size.
 */
size_t arena_held(const struct arena *a) __attribute__((nonnull));

/* Aligned for any type; not zeroed. */
void *arena_alloc(struct arena *a, size_t size) __attribute__((malloc, nonnull, returns_nonnull));
void *arena_zalloc(struct arena *a, size_t count, size_t size)
	__attribute__((malloc, nonnull, returns_nonnull));

/*
 * For an array that is full: a copy with room for twice as many elements (64 at first). *size is the
 * number it has room for, before and after.
 */
void *arena_grow(struct arena *a, const void *array, size_t *size, size_t element)
	__attribute__((nonnull(1, 3), returns_nonnull));

/* A copy that ends with a NUL byte, which `size` does not count. */
void *arena_copy(struct arena *a, const void *bytes, size_t size)
	__attribute__((nonnull(1), returns_nonnull));
char *arena_strdup(struct arena *a, const char *text) __attribute__((nonnull, returns_nonnull));
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), nonnull, returns_nonnull));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0), nonnull(1, 2), returns_nonnull));

/* Run fn(p) when the arena is reset or freed; last deferred runs first. */
void arena_defer(struct arena *a, void (*fn)(void *), void *p) __attribute__((nonnull(1, 2)));
/* The same for what takes memory elsewhere, which counts until then. */
void arena_hold(struct arena *a, void (*fn)(void *), void *p, size_t bytes)
	__attribute__((nonnull(1, 2)));

#define arena_new_of(a, T) ((T *)arena_zalloc((a), 1, sizeof(T)))
#define arena_new_array(a, T, n) ((T *)arena_zalloc((a), (n), sizeof(T)))

#endif
