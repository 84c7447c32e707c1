/*
 * Row after row, window by window: a chunk of every key may be cut by the step, so the key lists of
 * the branch before are of little use.
 */
#include "branch_keys.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "key_stats.h"
#include "series_rows.h"

enum { WINDOW_ROWS = 4096, SCRATCH_BYTES = 256 << 10 };

struct tally {
	int32_t writer;
	struct key_stat stat;
};

struct branch_summing {
	struct db *db;
	struct codec *codec;
	struct arena *arena; /* of the tallies and their texts */
	struct tally *tallies;
	size_t count;
	size_t size;
	uint32_t *slots; /* hash table: index + 1, 0: free; at most half full */
	size_t slot_count;
	int64_t row_end; /* rows before are read */
	int64_t rows;
	int64_t last_step;
};

/* ---- tallies ------------------------------------------------------------------------------------- */

static uint32_t *find_slot(const struct branch_summing *s, int32_t writer, uint32_t key_id)
{
	uint64_t hash = ((uint64_t)(uint32_t)writer << 32 | key_id) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (s->slot_count - 1);

	while (s->slots[i] && (s->tallies[s->slots[i] - 1].writer != writer ||
			       s->tallies[s->slots[i] - 1].stat.key_id != key_id))
		i = (i + 1) & (s->slot_count - 1);
	return &s->slots[i];
}

static void grow(struct branch_summing *s)
{
	size_t size = s->size ? s->size * 2 : 64;
	struct tally *grown = arena_new_array(s->arena, struct tally, size);

	if (s->count)
		memcpy(grown, s->tallies, s->count * sizeof(grown[0]));
	s->tallies = grown;
	s->size = size;
	s->slot_count = size * 2;
	s->slots = arena_new_array(s->arena, uint32_t, s->slot_count);
	for (size_t i = 0; i < s->count; i++)
		*find_slot(s, grown[i].writer, grown[i].stat.key_id) = (uint32_t)i + 1;
}

static struct key_stat *stat_of(struct branch_summing *s, int32_t writer, int32_t key_id)
{
	uint32_t *slot;

	if (s->count == s->size)
		grow(s);
	slot = find_slot(s, writer, (uint32_t)key_id);
	if (!*slot) {
		s->tallies[s->count].writer = writer;
		s->tallies[s->count].stat.key_id = (uint32_t)key_id;
		*slot = (uint32_t)++s->count;
	}
	return &s->tallies[*slot - 1].stat;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static void add_row(struct branch_summing *s, const struct branch_point *at,
		    const struct exact_row *row)
{
	if (!row->value_count || row->step > at->step || row->writer >= at->writer_end)
		return;
	s->rows++;
	s->last_step = row->step > s->last_step ? row->step : s->last_step;
	for (uint32_t i = 0; i < row->value_count; i++) {
		const struct row_value *v = &row->values[i];
		const struct key_value value = { row->row, row->step, v->is_text, v->number,
						 v->text };

		key_stat_add(db_arena(s->db), stat_of(s, row->writer, v->key_id), &value);
	}
}

/* Copies the texts of the window, which ends. */
static void keep_texts(struct branch_summing *s, int64_t from)
{
	for (size_t i = 0; i < s->count; i++) {
		struct key_stat *stat = &s->tallies[i].stat;

		if (stat->is_text && stat->row_last >= from)
			stat->text.at = str_copy(s->arena, stat->text);
	}
}

/* With its own memory for the window, and errors in that of the request. */
static err_t add_window(struct branch_summing *s, const struct branch_point *at,
			const struct rows_ask *ask, uint32_t *ret_read)
{
	struct arena *scratch = arena_new_beside(s->arena, SCRATCH_BYTES);
	struct exact_row *rows;
	err_t e;

	db_set_arena(s->db, scratch);
	e = series_rows_read_some(s->db, s->codec, ask, &rows, ret_read);
	for (uint32_t i = 0; !e && i < *ret_read; i++)
		add_row(s, at, &rows[i]);
	keep_texts(s, ask->first);
	db_set_arena(s->db, s->arena);
	if (e)
		e = err_wrap(s->arena, e, "cannot read the inherited keys");
	arena_free(scratch);
	return e;
}

err_t branch_summing_read(struct branch_summing *s, const struct branch_rows_ask *ask)
{
	struct rows_ask window = {
		.run_id = ask->run_id,
		.stream = STREAM_HISTORY,
		.branch = ask->branch,
	};
	err_t e = NULL;

	while (s->row_end < ask->at.row_end && !e) {
		int64_t left = ask->at.row_end - s->row_end;
		uint32_t read;

		window.first = s->row_end;
		window.count = (uint32_t)(left < WINDOW_ROWS ? left : WINDOW_ROWS);
		e = add_window(s, &ask->at, &window, &read);
		s->row_end += e ? 0 : read;
	}
	return e;
}

/* ---- lists --------------------------------------------------------------------------------------- */

static int by_writer_and_key(const void *a, const void *b)
{
	const struct tally *x = a;
	const struct tally *y = b;

	if (x->writer != y->writer)
		return (x->writer > y->writer) - (x->writer < y->writer);
	return (x->stat.key_id > y->stat.key_id) - (x->stat.key_id < y->stat.key_id);
}

/* Makes a list for each writer. */
static void make_lists(struct branch_summing *s, struct branch_sum *sum)
{
	struct key_stat *items = arena_new_array(s->arena, struct key_stat, s->count);

	if (s->count)
		qsort(s->tallies, s->count, sizeof(s->tallies[0]), by_writer_and_key);
	sum->keys = arena_new_array(s->arena, struct branch_keys, s->count);
	for (size_t i = 0; i < s->count;) {
		struct buf *out = buf_new(s->arena);
		struct key_stats stats = { .items = &items[i] };
		int32_t writer = s->tallies[i].writer;

		for (; i < s->count && s->tallies[i].writer == writer; i++) {
			items[i] = s->tallies[i].stat;
			stats.count++;
		}
		key_stats_encode(s->codec, &stats, out);
		sum->keys[sum->count++] = (struct branch_keys){ writer, buf_str(out) };
	}
}

/* ---- all ----------------------------------------------------------------------------------------- */

struct branch_summing *branch_summing_begin(struct db *db, struct codec *codec)
{
	struct branch_summing *s = arena_new_of(db_arena(db), struct branch_summing);

	*s = (struct branch_summing){
		.db = db,
		.codec = codec,
		.arena = db_arena(db),
		.last_step = -1,
	};
	return s;
}

void branch_summing_end(struct branch_summing *s, struct branch_sum *ret_sum)
{
	*ret_sum = (struct branch_sum){ .rows = s->rows, .last_step = s->last_step };
	make_lists(s, ret_sum);
}

err_t branch_keys_sum(struct db *db, struct codec *codec, const struct branch_rows_ask *ask,
		      struct branch_sum *ret_sum)
{
	struct branch_summing *s = branch_summing_begin(db, codec);
	err_t e = branch_summing_read(s, ask);

	if (!e)
		branch_summing_end(s, ret_sum);
	return e;
}
