/*
 * A chunk has the number of lines in each part of its time; if a part is
 * longer than a bucket, its lines count as spread evenly. Sums are exact.
 * All statements use one snapshot, as in console_times.c.
 */
#include "console_density.h"

#include <stdlib.h>

#include "arena.h"
#include "console_store.h"
#include "console_tail.h"
#include "line_level.h"
#include "tail_store.h"

enum { SCRATCH_BYTES = 1 << 20 };

struct counting {
	struct db *db;
	struct codec *codec;
	const struct console_density_ask *ask;
	struct console_tail tail;
	struct console_density made;
	size_t tallies_size;
	struct arena *arena;   /* of the answer */
	struct arena *scratch; /* of some chunks */
};

/* ---- counts ----------------------------------------------------------------------------------------- */

static struct line_counts *bucket_at(const struct counting *c, int64_t time_us)
{
	const struct console_density *d = &c->made;

	return &d->buckets[line_spread_part(d->from_us, d->to_us, c->ask->bucket_count, time_us)];
}

static void add(struct line_counts *to, const struct line_counts *more)
{
	to->lines += more->lines;
	to->errors += more->errors;
}

/* Adds evenly to all buckets from one to another. */
static void add_over(struct line_counts *first, const struct line_counts *last,
		     const struct line_counts *more)
{
	int64_t count = last - first + 1;

	for (int64_t i = 0; i < count; i++) {
		first[i].lines += more->lines * (i + 1) / count - more->lines * i / count;
		first[i].errors += more->errors * (i + 1) / count - more->errors * i / count;
	}
}

static int compare_numbers(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static bool is_shown(const struct counting *c, int32_t writer)
{
	const struct console_density_ask *ask = c->ask;

	return !ask->writers ||
	       (ask->writer_count &&
		bsearch(&writer, ask->writers, ask->writer_count, sizeof(writer), compare_numbers));
}

/* The tally of the writer that was counted last, or a new one. */
static struct console_tally *tally_of(struct counting *c, int32_t writer)
{
	struct console_density *d = &c->made;

	if (d->tally_count && d->tallies[d->tally_count - 1].writer == writer)
		return &d->tallies[d->tally_count - 1];
	if (d->tally_count == c->tallies_size)
		d->tallies =
			arena_grow(c->arena, d->tallies, &c->tallies_size, sizeof(*d->tallies));
	d->tallies[d->tally_count] = (struct console_tally){ .writer = writer };
	return &d->tallies[d->tally_count++];
}

static int by_writer(const void *a, const void *b)
{
	return compare_numbers(&((const struct console_tally *)a)->writer,
			       &((const struct console_tally *)b)->writer);
}

/* The writer's among the first `count`, which are ascending, or a new one. */
static struct console_tally *find_tally(struct counting *c, size_t count, int32_t writer)
{
	const struct console_tally wanted = { .writer = writer };
	struct console_tally *found = NULL;

	if (count)
		found = bsearch(&wanted, c->made.tallies, count, sizeof(wanted), by_writer);
	return found ? found : tally_of(c, writer);
}

/* ---- lines ------------------------------------------------------------------------------------------ */

static void count_line(struct counting *c, struct console_tally *tally, const struct line *line)
{
	const struct line_counts one = { 1, line_is_error(line->text) };

	add(&tally->streams[line->stream], &one);
	if (c->ask->streams[line->stream] && is_shown(c, tally->writer))
		add(bucket_at(c, line->time_us), &one);
}

static void count_tail(struct counting *c)
{
	size_t of_chunks = c->made.tally_count;

	for (size_t i = 0; i < c->tail.count; i++) {
		const struct tail_lines *tail = &c->tail.writers[i];
		struct console_tally *tally = find_tally(c, of_chunks, tail->writer);

		for (uint32_t j = 0; j < tail->lines.count; j++)
			count_line(c, tally, &tail->lines.items[j]);
	}
	if (c->made.tally_count)
		qsort(c->made.tallies, c->made.tally_count, sizeof(c->made.tallies[0]), by_writer);
}

/* Counts its lines that the tail does not replace. */
static err_t count_decoded(struct counting *c, struct console_tally *tally,
			   const struct console_spread *row, const struct lines *again)
{
	const struct console_chunk asked = { .writer = row->writer, .line_first = row->line_first };
	struct console_chunk *chunk;
	struct lines lines = { .count = 0 };
	size_t found;
	err_t e;

	e = console_store_chunks(c->db, c->ask->run_id, &asked, 1, &chunk, &found);
	if (!e && found)
		e = lines_decode(c->codec, c->scratch, chunk->data, &lines);
	for (uint32_t i = 0; !e && i < lines.count; i++) {
		if (!console_tail_has(again, lines.items[i].number))
			count_line(c, tally, &lines.items[i]);
	}
	return e;
}

/* ---- chunks ----------------------------------------------------------------------------------------- */

static void count_part(struct counting *c, const struct line_spread *s, int part,
		       const struct line_counts *counts)
{
	double width = ((double)(s->time_last - s->time_first) + 1) / LINE_SPREAD_PARTS;
	int64_t from = s->time_first + (int64_t)(width * part);
	int64_t to = s->time_first + (int64_t)(width * (part + 1)) - 1;

	add_over(bucket_at(c, from), bucket_at(c, to > from ? to : from), counts);
}

static void count_spread(struct counting *c, struct console_tally *tally,
			 const struct line_spread *s)
{
	bool shown = is_shown(c, tally->writer);

	for (int i = 0; i < LINE_SPREAD_PARTS; i++) {
		for (int stream = 0; stream < 2; stream++) {
			add(&tally->streams[stream], &s->parts[i][stream]);
			if (shown && c->ask->streams[stream] && s->parts[i][stream].lines)
				count_part(c, s, i, &s->parts[i][stream]);
		}
	}
}

static err_t count_chunk(struct counting *c, const struct console_spread *row)
{
	const struct lines *again = console_tail_of(&c->tail, row->writer);
	struct line_spread spread = { .time_first = row->time_first, .time_last = row->time_last };
	struct console_tally *tally = tally_of(c, row->writer);

	if (console_tail_touches(again, row->line_first, row->line_first + LINES_PER_CHUNK - 1) ||
	    !line_spread_read(row->spread, &spread))
		return count_decoded(c, tally, row, again);
	count_spread(c, tally, &spread);
	return NULL;
}

static err_t count_some(struct counting *c, struct console_spread *after, size_t *ret_count)
{
	struct console_spread *rows;
	err_t e = console_store_spreads(c->db, c->ask->run_id, after, &rows, ret_count);

	for (size_t i = 0; !e && i < *ret_count; i++)
		e = count_chunk(c, &rows[i]);
	if (!e && *ret_count)
		*after = rows[*ret_count - 1];
	return e;
}

static err_t count_chunks(struct counting *c)
{
	struct console_spread after = { .writer = -1 };
	size_t count = CONSOLE_SPREADS_AT_ONCE;
	err_t e = NULL;

	while (!e && count == CONSOLE_SPREADS_AT_ONCE) {
		db_set_arena(c->db, c->scratch);
		e = count_some(c, &after, &count);
		db_set_arena(c->db, c->arena);
		if (e)
			e = err_wrap(c->arena, e, "cannot count the console lines");
		arena_reset(c->scratch);
	}
	return e;
}

/* ---- all -------------------------------------------------------------------------------------------- */

static void widen(struct console_density *d, const struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		int64_t time_us = lines->items[i].time_us;

		if (d->to_us < d->from_us)
			d->from_us = d->to_us = time_us;
		if (time_us < d->from_us)
			d->from_us = time_us;
		if (time_us > d->to_us)
			d->to_us = time_us;
	}
}

static err_t find_range(struct counting *c)
{
	struct console_range range;
	err_t e = console_store_range(c->db, c->ask->run_id, &range);

	if (e)
		return e;
	c->made.from_us = range.time_first;
	c->made.to_us = range.time_last;
	for (size_t i = 0; i < c->tail.count; i++)
		widen(&c->made, &c->tail.writers[i].lines);
	return NULL;
}

static err_t count_all(struct counting *c)
{
	err_t e = console_tail_read(c->db, c->codec, c->ask->run_id, NULL, 0, &c->tail);

	if (!e)
		e = find_range(c);
	if (!e)
		e = count_chunks(c);
	if (!e)
		count_tail(c);
	return e;
}

err_t console_density_read(struct db *db, struct codec *codec,
			   const struct console_density_ask *ask,
			   struct console_density *ret_density)
{
	struct arena *a = db_arena(db);
	struct counting c = {
		.db = db,
		.codec = codec,
		.ask = ask,
		.arena = a,
		.scratch = arena_new_beside(a, SCRATCH_BYTES),
		.made.buckets = arena_new_array(a, struct line_counts, ask->bucket_count),
	};
	err_t e = db_begin_reading(db);

	if (!e) {
		e = count_all(&c);
		db_rollback(db);
	}
	arena_free(c.scratch);
	*ret_density = c.made;
	return e;
}
