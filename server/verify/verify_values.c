/*
 * The key lists give the chunks that must exist. Keys are taken some at a time, with the values of
 * their two kinds as strands; each strand is walked from its first chunk to its last. So memory
 * does not grow with keys, writers or rows. If a run has more rows than a map of rows holds, the
 * chunks are read again for each further window.
 */
#include "verify_values.h"

#include <string.h>

#include "arena.h"
#include "chunk_check.h"

enum { CHUNKS_AT_ONCE = 512, CHUNKS_LEAST = 8 };

/* ---- what a strand's values say --------------------------------------------------------------- */

/* The last value's text is copied: its chunk is freed. */
static void take_last(struct walk *w, struct strand *s, const struct key_stat *come)
{
	s->found.row_last = come->row_last;
	s->found.step_last = come->step_last;
	s->found.is_text = come->is_text;
	s->found.number = come->number;
	if (!come->is_text)
		return;
	if (!s->text)
		s->text = arena_alloc(w->v->slice, KEY_STAT_TEXT_MAX);
	memcpy(s->text, come->text.at, come->text.len);
	s->found.text = (struct str){ s->text, come->text.len };
}

/* Treats a chunk as a block of one column, so that the product's own code makes its statistics. */
static void take_stat(struct walk *w, struct strand *s, const struct chunk *chunk)
{
	const struct block_column column = {
		.key_id = (uint32_t)s->from.key_id,
		.number_count = chunk->numbers ? chunk->count : 0,
		.text_count = chunk->texts ? chunk->count : 0,
		.numbers = chunk->numbers,
		.texts = chunk->texts,
	};
	const struct block block = { chunk->count, 1, chunk->rows, chunk->steps, &column };
	struct key_stats stats;

	key_stats_of_block(w->v->one, &block, &stats);
	s->found.kinds |= stats.items[0].kinds;
	s->found.number_count += stats.items[0].number_count;
	s->found.text_count += stats.items[0].text_count;
	if (stats.items[0].row_last > s->found.row_last)
		take_last(w, s, &stats.items[0]);
}

/* ---- one chunk -------------------------------------------------------------------------------- */

static struct verify_location location_of(const struct strand *s, enum verify_part part)
{
	return (struct verify_location){ part, s->from.stream, s->from.key_id, s->from.writer };
}

static void tell(struct walk *w, const struct strand *s, enum verify_part part,
		 const struct verify_chunk *row, const char *fault)
{
	struct verify_location location = location_of(s, part);

	if (fault)
		verify_tell(w->v, &location, "%s, values %lld to %lld: %s",
			    s->from.kind == CHUNK_NUMBERS ? "numbers" : "texts",
			    (long long)row->index_first,
			    (long long)row->index_first + row->value_count - 1, fault);
}

/* Finds the first row that does not belong only to the writer. */
static const char *mark_rows(struct walk *w, const struct strand *s, const struct chunk *chunk)
{
	struct writer_tally *writer = verify_writer(w->v, s->from.writer);
	int64_t end = w->v->in_chunks[w->stream];

	if (chunk->rows[0] < 0 || chunk->rows[chunk->count - 1] >= end)
		return arena_printf(
			w->v->one,
			"rows %lld to %lld, but the run's compacted rows end before %lld",
			(long long)chunk->rows[0], (long long)chunk->rows[chunk->count - 1],
			(long long)end);
	for (uint32_t i = 0; i < chunk->count; i++) {
		switch (row_map_note(&w->map, chunk->rows[i], s->from.writer, chunk->steps[i])) {
		case ROW_NEW:
			if (writer)
				writer->seen[w->stream]++;
			break;
		case ROW_OTHER:
			return arena_printf(w->v->one,
					    "row %lld has a different writer or step with another "
					    "key",
					    (long long)chunk->rows[i]);
		case ROW_KNOWN:
		case ROW_OUTSIDE:
			break;
		}
	}
	return NULL;
}

static void check_decoded(struct walk *w, struct strand *s, const struct verify_chunk *row,
			  const struct chunk *chunk)
{
	struct arena *a = w->v->one;

	tell(w, s, VERIFY_CHUNK, row, chunk_check_columns(a, row, s->from.kind, chunk));
	tell(w, s, VERIFY_CHUNK, row, chunk_chain_rows(a, &s->chain, chunk));
	tell(w, s, VERIFY_ROLLUP, row, chunk_check_roll(a, w->v->codec, row, chunk));
	take_stat(w, s, chunk);
	if (w->stream == 0) {
		for (uint32_t i = 0; i < chunk->count; i++)
			w->step_max = chunk->steps[i] > w->step_max ? chunk->steps[i] : w->step_max;
	}
}

static void check_chunk(struct walk *w, struct strand *s, const struct verify_chunk *row)
{
	bool first_pass = w->map.first == 0;
	struct chunk chunk;
	err_t e;

	s->from.index_from = row->index_first + 1;
	if (first_pass) {
		w->v->sum.chunks++;
		w->v->sum.bytes += (int64_t)(row->data.len + row->roll.len);
		tell(w, s, VERIFY_CHUNK, row, chunk_chain_index(w->v->one, &s->chain, row));
	}
	e = chunk_decode(w->v->codec, w->v->one, row->data, &chunk);
	if (e) {
		s->broken = w->v->broken[w->stream] = true;
		if (first_pass)
			tell(w, s, VERIFY_CHUNK, row, err_chain(w->v->one, e));
		return;
	}
	if (first_pass)
		check_decoded(w, s, row, &chunk);
	tell(w, s, VERIFY_ROWS, row, mark_rows(w, s, &chunk));
}

static void check_one(struct walk *w, struct strand *s, const struct verify_chunk *row)
{
	check_chunk(w, s, row);
	arena_reset(w->v->one);
}

/* ---- some strands ----------------------------------------------------------------------------- */

/* Lists the strands that are not at their end; `number` is the strand's index. */
static size_t ask_for(struct walk *w, struct verify_from *from)
{
	size_t count = 0;

	for (size_t i = 0; i < w->strand_count; i++) {
		if (!w->strands[i].done)
			from[count++] = w->strands[i].from;
	}
	return count;
}

/*
 * A strand is at its end if fewer chunks came than were asked for, unless
 * the answer was cut before that.
 */
static void note_ends(struct walk *w, const struct verify_chunk *rows, size_t count, int64_t limit)
{
	bool cut = count && (int64_t)count < rows[0].total;
	int32_t last = cut ? rows[count - 1].number : INT32_MAX;
	size_t at = 0;

	for (size_t i = 0; i < w->strand_count && (int32_t)i < last; i++) {
		int64_t came = 0;

		for (; at < count && rows[at].number == (int32_t)i; at++)
			came++;
		w->strands[i].done |= came < limit;
	}
}

static err_t walk_some(struct walk *w, bool *ret_more)
{
	struct verify_from from[WALK_STRANDS];
	struct verify_chunk_ask ask = {
		.run_id = w->v->item->run_id,
		.from = from,
		.count = ask_for(w, from),
		.row_first = w->map.first ? w->map.first : INT64_MIN,
		.row_end = w->map.first ? w->map.first + w->map.count : INT64_MAX,
	};
	struct verify_chunk *rows;
	size_t count;
	err_t e;

	*ret_more = ask.count > 0;
	if (!ask.count)
		return NULL;
	ask.limit = CHUNKS_AT_ONCE / (int64_t)ask.count;
	ask.limit = ask.limit > CHUNKS_LEAST ? ask.limit : CHUNKS_LEAST;
	arena_reset(w->v->answer);
	e = verify_store_list_chunks(w->v->db, &ask, &rows, &count);
	for (size_t i = 0; i < count && !e; i++)
		check_one(w, &w->strands[rows[i].number], &rows[i]);
	if (!e)
		note_ends(w, rows, count, ask.limit);
	return e;
}

/* All that the list has was seen. */
static bool check_end(struct walk *w, const struct strand *s, uint64_t told)
{
	struct verify_location location = location_of(s, VERIFY_CHUNK);
	const char *kind = s->from.kind == CHUNK_NUMBERS ? "numbers" : "texts";

	if (s->chain.next < (int64_t)told)
		verify_tell(w->v, &location, "%s, values %lld to %lld: their chunk is missing",
			    kind, (long long)s->chain.next, (long long)told - 1);
	else if (s->chain.next > (int64_t)told)
		verify_tell(w->v, &location,
			    "%s: there are %lld values, but the key list counts %lld", kind,
			    (long long)s->chain.next, (long long)told);
	if (s->chain.next != (int64_t)told)
		w->v->broken[w->stream] = true;
	return s->chain.next == (int64_t)told && !s->broken;
}

/* Texts first: if a row has both, the text is its value. */
static void check_key(struct walk *w, const struct strand *numbers, const struct strand *texts)
{
	struct verify_location location = location_of(numbers, VERIFY_KEYS);
	struct key_stat found = texts->found;
	const char *fault;
	bool whole;

	whole = check_end(w, numbers, numbers->told.number_count);
	whole = check_end(w, texts, numbers->told.text_count) && whole;
	if (!whole)
		return;
	if (numbers->found.row_last > texts->found.row_last)
		found = numbers->found;
	found.kinds = numbers->found.kinds | texts->found.kinds;
	found.number_count = numbers->found.number_count;
	found.text_count = texts->found.text_count;
	fault = chunk_check_stat(w->v->one, &numbers->told, &found);
	if (fault)
		verify_tell(w->v, &location, "%s", fault);
}

err_t walk_strands(struct walk *w)
{
	bool more = true;
	err_t e = NULL;

	while (!e && more)
		e = walk_some(w, &more);
	for (size_t i = 0; i < w->strand_count && !e && w->map.first == 0; i += 2)
		check_key(w, &w->strands[i], &w->strands[i + 1]);
	w->strand_count = 0;
	arena_reset(w->v->slice);
	return e;
}
