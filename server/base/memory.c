#include "memory.h"

void memory_init(struct memory *m, size_t limit)
{
	*m = (struct memory){ .limit = limit };
}

static void note_peak(struct memory *m, size_t used)
{
	size_t peak = atomic_load_explicit(&m->peak, memory_order_relaxed);

	while (used > peak &&
	       !atomic_compare_exchange_weak_explicit(&m->peak, &peak, used, memory_order_relaxed,
						      memory_order_relaxed))
		;
}

void memory_take(struct memory *m, enum memory_part part, size_t bytes)
{
	size_t before = atomic_fetch_add_explicit(&m->used, bytes, memory_order_relaxed);

	note_peak(m, before + bytes);
	if (part != MEMORY_REQUESTS)
		atomic_fetch_add_explicit(&m->of[part], bytes, memory_order_relaxed);
}

void memory_give(struct memory *m, enum memory_part part, size_t bytes)
{
	atomic_fetch_sub_explicit(&m->used, bytes, memory_order_relaxed);
	if (part != MEMORY_REQUESTS)
		atomic_fetch_sub_explicit(&m->of[part], bytes, memory_order_relaxed);
}

/* `used` has them already. */
static bool fits(const struct memory *m, size_t used, size_t bytes)
{
	size_t limit = bytes > MEMORY_SMALL ? m->limit - m->limit / 8 : m->limit;

	return used <= limit;
}

bool memory_has(const struct memory *m, size_t bytes)
{
	return fits(m, atomic_load_explicit(&m->used, memory_order_relaxed) + bytes, bytes);
}

size_t memory_used_by(const struct memory *m, enum memory_part part)
{
	size_t used = atomic_load_explicit(&m->used, memory_order_relaxed);

	if (part != MEMORY_REQUESTS)
		return atomic_load_explicit(&m->of[part], memory_order_relaxed);
	for (int i = 0; i < MEMORY_PARTS; i++)
		used -= atomic_load_explicit(&m->of[i], memory_order_relaxed);
	return used;
}

/* ---- shares -------------------------------------------------------------------------------------- */

static size_t counted(const struct memory_share *s)
{
	return s->held > s->reserved ? s->held : s->reserved;
}

static void recount(struct memory_share *s, size_t before)
{
	size_t now = counted(s);

	if (!s->memory || now == before)
		return;
	if (now > before)
		memory_take(s->memory, MEMORY_REQUESTS, now - before);
	else
		memory_give(s->memory, MEMORY_REQUESTS, before - now);
}

void share_begin(struct memory_share *s, struct memory *m, size_t reserved)
{
	*s = (struct memory_share){ .memory = m, .reserved = reserved };
	recount(s, 0);
}

void share_end(struct memory_share *s)
{
	if (s->memory)
		memory_give(s->memory, MEMORY_REQUESTS, counted(s));
	s->memory = NULL;
}

void share_grow(struct memory_share *s, size_t bytes)
{
	size_t before = counted(s);

	s->held += bytes;
	recount(s, before);
}

void share_shrink(struct memory_share *s, size_t bytes)
{
	size_t before = counted(s);

	s->held -= bytes;
	recount(s, before);
}

bool share_reserve(struct memory_share *s, size_t bytes)
{
	size_t before = counted(s);

	if (bytes <= s->reserved)
		return true;
	s->reserved = bytes;
	recount(s, before);
	if (!s->memory || counted(s) == before)
		return true;
	return fits(s->memory, atomic_load_explicit(&s->memory->used, memory_order_relaxed), bytes);
}

void share_settle(struct memory_share *s)
{
	size_t before = counted(s);

	s->reserved = 0;
	recount(s, before);
}

bool share_has(const struct memory_share *s, size_t bytes)
{
	size_t now = counted(s);

	if (!s->memory || s->held + bytes <= now)
		return true;
	return memory_has(s->memory, s->held + bytes - now);
}

bool share_fits(const struct memory_share *s)
{
	if (!s->memory || s->held <= s->reserved)
		return true;
	return fits(s->memory, atomic_load_explicit(&s->memory->used, memory_order_relaxed),
		    s->held);
}

bool share_may_read(const struct memory_share *s, size_t bytes)
{
	size_t used;

	if (!s->memory)
		return true;
	used = atomic_load_explicit(&s->memory->used, memory_order_relaxed);
	return fits(s->memory, used - counted(s) + bytes, bytes);
}
