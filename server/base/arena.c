/*
 * A list of blocks, each twice the one before; an allocation moves a mark in the newest. Rejected:
 * a free list per size (nothing is freed on its own) and mmap per arena (a request is small).
 */
#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { BLOCK_MAX = 1 << 20 }; /* but for a single larger allocation */

struct block {
	struct block *next;
	size_t size;
	alignas(max_align_t) unsigned char bytes[];
};

struct deferred {
	struct deferred *next;
	void (*fn)(void *);
	void *p;
	size_t held;
};

struct arena {
	struct block *head;
	size_t used; /* of the head */
	struct deferred *deferred;
	struct memory_share *
		share; /* NULL: not counted. Nor is the first block, unless arena_new_beside() made it */
	bool counts_first;
};

static void out_of_memory(size_t size)
{
	fprintf(stderr, "cairn: out of memory allocating %zu bytes\n", size);
	abort();
}

static struct block *block_new(size_t size, struct block *next)
{
	struct block *b = malloc(sizeof(*b) + size);

	if (!b)
		out_of_memory(size);
	b->next = next;
	b->size = size;
	return b;
}

struct arena *arena_new(size_t first_block)
{
	struct arena *a = malloc(sizeof(*a));

	if (!a)
		out_of_memory(sizeof(*a));
	*a = (struct arena){ .head = block_new(first_block, NULL) };
	return a;
}

struct arena *arena_new_beside(const struct arena *a, size_t first_block)
{
	struct arena *beside = arena_new(first_block);

	beside->share = a->share;
	beside->counts_first = a->share != NULL;
	if (a->share)
		share_grow(a->share, first_block);
	return beside;
}

void arena_count_in(struct arena *a, struct memory_share *share)
{
	a->share = share;
}

struct memory_share *arena_share(const struct arena *a)
{
	return a->share;
}

bool arena_has_room(const struct arena *a, size_t bytes)
{
	return !a->share || share_has(a->share, bytes);
}

bool arena_fits(const struct arena *a)
{
	return !a->share || share_fits(a->share);
}

bool arena_may_read(const struct arena *a, size_t bytes)
{
	return !a->share || share_may_read(a->share, bytes);
}

/*
 * After a single large allocation the blocks are as before: the next ones are likely to be small.
 */
static void add_block(struct arena *a, size_t need)
{
	size_t grown = a->head->size < BLOCK_MAX ? a->head->size * 2 : BLOCK_MAX;

	a->head = block_new(grown > need ? grown : need, a->head);
	a->used = 0;
	if (a->share)
		share_grow(a->share, a->head->size);
}

static void drop_block(struct arena *a)
{
	struct block *b = a->head;

	if (a->share)
		share_shrink(a->share, b->size);
	a->head = b->next;
	free(b);
}

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	size_t need = (size + align - 1) & ~(align - 1);
	void *p;

	if (need < size)
		out_of_memory(size);
	if (a->head->size - a->used < need)
		add_block(a, need);
	p = a->head->bytes + a->used;
	a->used += need;
	return p;
}

void *arena_zalloc(struct arena *a, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		out_of_memory(SIZE_MAX);
	return memset(arena_alloc(a, total), 0, total);
}

void *arena_grow(struct arena *a, const void *array, size_t *size, size_t element)
{
	size_t had = *size * element;
	size_t total;
	void *grown;

	*size = *size ? *size * 2 : 64;
	if (__builtin_mul_overflow(*size, element, &total))
		out_of_memory(SIZE_MAX);
	grown = arena_alloc(a, total);
	if (had)
		memcpy(grown, array, had);
	return grown;
}

void *arena_copy(struct arena *a, const void *bytes, size_t size)
{
	char *copy = arena_alloc(a, size + 1);

	if (size)
		memcpy(copy, bytes, size);
	copy[size] = '\0';
	return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
	return arena_copy(a, text, strlen(text));
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	int n;
	char *s;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n < 0)
		abort();
	s = arena_alloc(a, (size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return s;
}

void arena_defer(struct arena *a, void (*fn)(void *), void *p)
{
	arena_hold(a, fn, p, 0);
}

void arena_hold(struct arena *a, void (*fn)(void *), void *p, size_t bytes)
{
	struct deferred *d = arena_alloc(a, sizeof(*d));

	*d = (struct deferred){ .next = a->deferred, .fn = fn, .p = p, .held = bytes };
	a->deferred = d;
	if (a->share && bytes)
		share_grow(a->share, bytes);
}

size_t arena_size(const struct arena *a)
{
	size_t size = 0;

	for (const struct block *b = a->head; b; b = b->next)
		size += b->size;
	return size;
}

size_t arena_held(const struct arena *a)
{
	return a->share ? a->share->held : arena_size(a);
}

struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){ .head = a->head, .deferred = a->deferred, .used = a->used };
}

/* The list is shortened first: a function that runs may use the arena, but not add to it. */
static void run_deferred(struct arena *a, const void *end)
{
	while (a->deferred != end) {
		struct deferred *d = a->deferred;

		a->deferred = d->next;
		d->fn(d->p);
		if (a->share && d->held)
			share_shrink(a->share, d->held);
	}
}

void arena_rewind(struct arena *a, const struct arena_mark *mark)
{
	run_deferred(a, mark->deferred);
	while (a->head != mark->head)
		drop_block(a);
	a->used = mark->used;
}

void arena_reset(struct arena *a)
{
	run_deferred(a, NULL);
	while (a->head->next)
		drop_block(a);
	a->used = 0;
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	arena_reset(a);
	if (a->counts_first)
		share_shrink(a->share, a->head->size);
	free(a->head);
	free(a);
}
