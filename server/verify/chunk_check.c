#include "chunk_check.h"

#include <math.h>
#include <string.h>

#include "arena.h"
#include "chunk_store.h"
#include "rollup.h"

/* ---- columns ---------------------------------------------------------------------------------- */

static const char *differs(struct arena *a, const char *column, int64_t told, int64_t found)
{
	if (told == found)
		return NULL;
	return arena_printf(a, "its %s is %lld, expected %lld", column, (long long)told,
			    (long long)found);
}

static void step_range(const struct chunk *chunk, int64_t *ret_min, int64_t *ret_max)
{
	*ret_min = *ret_max = chunk->steps[0];
	for (uint32_t i = 1; i < chunk->count; i++) {
		*ret_min = chunk->steps[i] < *ret_min ? chunk->steps[i] : *ret_min;
		*ret_max = chunk->steps[i] > *ret_max ? chunk->steps[i] : *ret_max;
	}
}

static const char *check_rising(struct arena *a, const struct chunk *chunk)
{
	for (uint32_t i = 1; i < chunk->count; i++) {
		if (chunk->rows[i] <= chunk->rows[i - 1])
			return arena_printf(a, "row %lld comes after row %lld",
					    (long long)chunk->rows[i],
					    (long long)chunk->rows[i - 1]);
	}
	return NULL;
}

const char *chunk_check_columns(struct arena *a, const struct verify_chunk *row, int16_t kind,
				const struct chunk *chunk)
{
	int64_t step_min;
	int64_t step_max;
	const char *fault;

	if ((kind == CHUNK_NUMBERS) != (chunk->numbers != NULL))
		return "it contains values of the wrong kind";
	step_range(chunk, &step_min, &step_max);
	fault = differs(a, "value_count", row->value_count, chunk->count);
	if (!fault)
		fault = differs(a, "row_first", row->row_first, chunk->rows[0]);
	if (!fault)
		fault = differs(a, "row_last", row->row_last, chunk->rows[chunk->count - 1]);
	if (!fault)
		fault = differs(a, "step_min", row->step_min, step_min);
	if (!fault)
		fault = differs(a, "step_max", row->step_max, step_max);
	return fault ? fault : check_rising(a, chunk);
}

/* ---- rollups ---------------------------------------------------------------------------------- */

/* The payload of a NaN is not stored. */
static bool same_bits(double x, double y)
{
	return (isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof(x)) == 0;
}

static const char *cell_difference(const struct cell *x, const struct cell *y)
{
	if (x->row_first != y->row_first || x->row_last != y->row_last)
		return "rows";
	if (x->step_first != y->step_first || x->step_last != y->step_last ||
	    x->step_min != y->step_min || x->step_max != y->step_max)
		return "steps";
	if (x->n != y->n || x->nan != y->nan || x->pinf != y->pinf || x->ninf != y->ninf)
		return "counts";
	if (!same_bits(x->first, y->first) || !same_bits(x->last, y->last))
		return "first or last value";
	if (!same_bits(x->min, y->min) || !same_bits(x->max, y->max))
		return "least or greatest value";
	return same_bits(x->sum, y->sum) ? NULL : "sum";
}

const char *chunk_check_roll(struct arena *a, struct codec *codec, const struct verify_chunk *row,
			     const struct chunk *chunk)
{
	struct cell made[CELLS_PER_CHUNK + 1] = { 0 };
	struct cell_values values = { chunk->count, chunk->rows, chunk->steps, chunk->numbers };
	struct cell *told;
	uint32_t count;
	uint32_t told_count;
	err_t e;

	if (!chunk->numbers)
		return row->roll.len ? "a text chunk has a rollup" : NULL;
	if (!row->roll.len)
		return "the rollup is missing";
	e = rollup_decode(codec, a, row->roll, &told, &told_count);
	if (e)
		return err_chain(a, e);
	count = rollup_add(made, (uint64_t)row->index_first, &values);
	if (told_count != count)
		return arena_printf(a, "it has %u cells, expected %u", told_count, count);
	for (uint32_t i = 0; i < count; i++) {
		const char *what = cell_difference(&told[i], &made[i]);

		if (what)
			return arena_printf(a, "the %s of cell %u does not match its values", what,
					    i);
	}
	return NULL;
}

/* ---- chains ----------------------------------------------------------------------------------- */

static const char *span(struct arena *a, int64_t first, int64_t end, const char *what)
{
	return arena_printf(a, "values %lld to %lld %s", (long long)first, (long long)end - 1,
			    what);
}

const char *chunk_chain_index(struct arena *a, struct chunk_chain *chain,
			      const struct verify_chunk *row)
{
	const char *fault = NULL;
	int64_t end = row->index_first + row->value_count;

	if (row->index_first > chain->next)
		fault = span(a, chain->next, row->index_first, "are missing");
	else if (row->index_first < chain->next)
		fault = span(a, row->index_first, chain->next < end ? chain->next : end,
			     "are duplicated");
	chain->next = end > chain->next ? end : chain->next;
	return fault;
}

const char *chunk_chain_rows(struct arena *a, struct chunk_chain *chain, const struct chunk *chunk)
{
	int64_t before = chain->row_last;

	chain->row_last = chunk->rows[chunk->count - 1];
	if (chunk->rows[0] > before)
		return NULL;
	return arena_printf(a, "its first row is %lld, but the previous chunk ends with row %lld",
			    (long long)chunk->rows[0], (long long)before);
}

/* ---- key lists -------------------------------------------------------------------------------- */

/* A long text is stored by its beginning, or its length. */
static bool same_value(const struct key_stat *told, const struct key_stat *found)
{
	if (told->is_text != found->is_text)
		return false;
	if (told->is_text)
		return str_equal(told->text, found->text);
	return same_bits(told->number, found->number);
}

/* A row with both a number and a text, a big integer, was counted twice in `found`. */
static bool same_rows(const struct key_stat *told, const struct key_stat *found)
{
	uint64_t most = found->number_count + found->text_count;
	uint64_t least = found->number_count > found->text_count ? found->number_count
								 : found->text_count;

	return told->row_count <= most && told->row_count >= least;
}

const char *chunk_check_stat(struct arena *a, const struct key_stat *told,
			     const struct key_stat *found)
{
	const char *fault;

	fault = differs(a, "count of numbers", (int64_t)told->number_count,
			(int64_t)found->number_count);
	if (!fault)
		fault = differs(a, "count of texts", (int64_t)told->text_count,
				(int64_t)found->text_count);
	if (!fault && !same_rows(told, found))
		fault = differs(a, "count of rows", (int64_t)told->row_count,
				(int64_t)found->row_count);
	if (!fault)
		fault = differs(a, "last row", told->row_last, found->row_last);
	if (!fault)
		fault = differs(a, "step of the last row", told->step_last, found->step_last);
	if (!fault && told->kinds != found->kinds)
		fault = differs(a, "set of kinds", told->kinds, found->kinds);
	if (!fault && !same_value(told, found))
		fault = "its last value does not match its values";
	return fault;
}
