#include "match_results.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "clock.h"

/* Limits of one walk. */
enum { TRY_US = 10000, TRIES_PER_LOOK = 64, ASKED_MAX = 64 << 10, ASKED_FIRST = 256 };

/* One column's texts and one expression. */
struct match_column {
	struct match_column *next;
	size_t column; /* its number */
	size_t pattern;
	uint8_t *results;
	size_t count;
};

struct asked {
	uint8_t *result;
	struct str text;
	size_t pattern;
};

struct match_results {
	struct arena *arena;
	struct patterns *patterns;
	struct match_cache *cache;
	struct columns *columns; /* held */
	struct match_column *known;
	struct asked *asked;
	size_t tried_count;
	int64_t try_until_us; /* monotonic */
	size_t asked_count;
	size_t asked_room;
	bool has_new;  /* an unknown result was requested */
	bool is_short; /* there were more than could be requested */
};

static void release(void *arg)
{
	struct match_results *v = arg;

	columns_free(v->columns);
	free(v->asked);
}

struct match_results *match_results_new(struct arena *a, struct patterns *patterns,
					struct match_cache *cache)
{
	struct match_results *v = arena_new_of(a, struct match_results);

	v->arena = a;
	v->patterns = patterns;
	v->cache = cache;
	arena_defer(a, release, v);
	return v;
}

/* Held until the next columns come, so that others cannot be taken for them. */
void match_results_begin(struct match_results *v, struct columns *c)
{
	v->tried_count = 0;
	v->asked_count = 0;
	v->is_short = false;
	if (c == v->columns)
		return;
	columns_hold(c);
	columns_free(v->columns);
	v->columns = c;
	v->known = NULL;
	v->has_new = false;
}

static struct match_key key_of(const struct match_results *v, const struct match_column *k)
{
	return (struct match_key){ v->columns->id, k->column,
				   patterns_node(v->patterns, k->pattern) };
}

/* Results for newer texts are not known. */
static void grow(struct match_results *v, struct match_column *k, size_t count)
{
	uint8_t *results = arena_zalloc(v->arena, count, 1);
	const struct match_key key = key_of(v, k);

	if (k->count)
		memcpy(results, k->results, k->count);
	else if (v->cache)
		(void)match_cache_get(v->cache, &key, results, count - 1);
	k->results = results;
	k->count = count;
}

void match_results_keep(const struct match_results *v)
{
	for (struct match_column *k = v->known; k && v->cache && v->has_new; k = k->next) {
		const struct match_key key = key_of(v, k);

		match_cache_put(v->cache, &key, k->results, k->count - 1);
	}
}

uint8_t *match_results_of(struct match_results *v, const struct column *column, size_t pattern)
{
	size_t number = (size_t)(column - v->columns->all);
	struct match_column *k = v->known;

	while (k && (k->column != number || k->pattern != pattern))
		k = k->next;
	if (!k) {
		k = arena_new_of(v->arena, struct match_column);
		*k = (struct match_column){ v->known, number, pattern, NULL, 0 };
		v->known = k;
	}
	if (!k->results || k->count < column->texts.count)
		grow(v, k, column->texts.count + 1);
	return k->results;
}

static void grow_asked(struct match_results *v)
{
	v->asked_room = v->asked_room ? 2 * v->asked_room : ASKED_FIRST;
	v->asked = realloc(v->asked, v->asked_room * sizeof(v->asked[0]));
	if (!v->asked)
		abort();
}

/* For a few milliseconds, while the columns are locked. */
static bool may_try(struct match_results *v)
{
	if (!v->tried_count)
		v->try_until_us = clock_mono_us() + TRY_US;
	if (v->tried_count++ % TRIES_PER_LOOK == 0 && clock_mono_us() > v->try_until_us)
		v->try_until_us = 0;
	return v->try_until_us > 0;
}

void match_results_ask(struct match_results *v, uint8_t *result, size_t pattern, struct str text)
{
	bool matches;

	v->has_new = true;
	if (may_try(v) && patterns_try(v->patterns, pattern, text, &matches)) {
		*result = matches ? MATCH_YES : MATCH_NO;
		return;
	}
	if (v->asked_count == ASKED_MAX) {
		v->is_short = true;
		return;
	}
	if (v->asked_count == v->asked_room)
		grow_asked(v);
	v->asked[v->asked_count++] = (struct asked){ result, text, pattern };
	*result = MATCH_NO;
}

bool match_results_are_short(const struct match_results *v)
{
	return v->is_short;
}

bool match_results_are_known(const struct match_results *v)
{
	return !v->asked_count && !v->is_short;
}

err_t match_results_find(struct match_results *v)
{
	bool goes_on = patterns_look(v->patterns);

	for (size_t i = 0; goes_on && i < v->asked_count; i++) {
		const struct asked *asked = &v->asked[i];
		bool matches = patterns_match(v->patterns, asked->pattern, asked->text);

		*asked->result = matches ? MATCH_YES : MATCH_NO;
		goes_on = !patterns_error(v->patterns);
	}
	return patterns_error(v->patterns);
}
