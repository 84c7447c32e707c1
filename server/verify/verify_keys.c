/* Key lists, writer by writer, and the chunks that they list. */
#include "arena.h"
#include "verify_values.h"

static int16_t stream_of(const struct walk *w)
{
	return w->stream ? STREAM_EVENTS : STREAM_HISTORY;
}

static void add_strand(struct walk *w, int32_t writer, const struct key_stat *stat, int16_t kind,
		       uint64_t count)
{
	struct strand *s = &w->strands[w->strand_count];

	*s = (struct strand){
		.from = { .number = (int32_t)w->strand_count,
			  .stream = stream_of(w),
			  .key_id = (int32_t)stat->key_id,
			  .kind = kind,
			  .writer = writer },
		.chain.row_last = -1,
		.told = *stat,
		.found = { .key_id = stat->key_id, .row_last = -1 },
		.done = count == 0,
	};
	w->strand_count++;
}

static err_t add_key(struct walk *w, int32_t writer, const struct key_stat *stat)
{
	const struct verify_location location = { VERIFY_KEYS, stream_of(w), (int32_t)stat->key_id,
						  writer };
	struct key_stats one = { 1, &(struct key_stat){ 0 } };
	err_t e = NULL;

	if (w->strand_count == WALK_STRANDS)
		e = walk_strands(w);
	if (e)
		return e;
	if (w->map.first == 0 && !verify_has_name(w->v, stat->key_id))
		verify_tell(w->v, &location, "it contains key number %u, which does not exist",
			    stat->key_id);
	one.items[0] = *stat;
	key_stats_copy(w->v->slice, &one, &one);
	add_strand(w, writer, &one.items[0], CHUNK_NUMBERS, stat->number_count);
	add_strand(w, writer, &one.items[0], CHUNK_TEXTS, stat->text_count);
	return NULL;
}

static err_t add_list(struct walk *w, struct arena *a, const struct verify_keys *row)
{
	const struct verify_location location = { VERIFY_KEYS, stream_of(w), 0, row->writer };
	struct key_stats stats;
	err_t e = key_stats_decode(w->v->codec, a, row->document, &stats);

	if (e) {
		w->v->broken[w->stream] = true;
		if (w->map.first == 0)
			verify_tell(w->v, &location, "%s", err_chain(w->v->answer, e));
		return NULL;
	}
	if (w->map.first == 0) {
		w->v->sum.bytes += (int64_t)row->document.len;
		if (!verify_writer(w->v, row->writer))
			verify_tell(w->v, &location,
				    "it belongs to a writer that does not exist in the run");
	}
	for (uint32_t i = 0; i < stats.count && !e; i++)
		e = add_key(w, row->writer, &stats.items[i]);
	return e;
}

/* A list and its keys live in arenas of their own: those of answers are freed in between. */
static err_t walk_lists(struct walk *w, struct arena *lists, struct arena *one)
{
	struct verify_keys *rows;
	int32_t after = -1;
	size_t count;
	err_t e;

	do {
		arena_reset(lists);
		db_set_arena(w->v->db, lists);
		e = verify_store_list_keys(w->v->db, w->v->item->run_id, stream_of(w), after, &rows,
					   &count);
		db_set_arena(w->v->db, w->v->answer);
		for (size_t i = 0; i < count && !e; i++) {
			after = rows[i].writer;
			e = add_list(w, one, &rows[i]);
			arena_reset(one);
		}
	} while (!e && count);
	return e ? e : walk_strands(w);
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Every row has a value, its time at least. */
static void check_gap(struct walk *w)
{
	const struct verify_location location = { VERIFY_ROWS, stream_of(w), 0, -1 };
	struct row_gap gap = row_map_gap(&w->map);

	if (gap.missing && !w->v->broken[w->stream])
		verify_tell(w->v, &location, "%lld rows are missing, the first from %lld to %lld",
			    (long long)gap.missing, (long long)gap.first, (long long)gap.last);
	if (gap.missing)
		w->v->broken[w->stream] = true;
}

static int64_t window_rows(const struct verify_run *v)
{
	return v->ask->map_rows ? v->ask->map_rows : ROW_MAP_ROWS;
}

static err_t walk_window(struct verify_run *v, struct walk *w, int64_t first)
{
	int64_t left = v->in_chunks[w->stream] - first;
	int64_t most = window_rows(v);
	struct arena *map = arena_new(4096);
	struct arena *lists = arena_new(4096);
	struct arena *one = arena_new(4096);
	err_t e;

	row_map_init(map, &w->map, first, left < 0 ? 0 : left < most ? left : most);
	e = walk_lists(w, lists, one);
	if (!e)
		check_gap(w);
	else
		e = err_wrap(v->arena, e, "in the key lists"); /* the error outlives that arena */
	arena_free(one);
	arena_free(lists);
	arena_free(map);
	return e;
}

/* The tail's first block continues where the chunks end. */
static void check_steps(const struct walk *w)
{
	const struct verify_location location = { VERIFY_TAIL, STREAM_HISTORY, 0, -1 };
	struct verify_run *v = w->v;

	if (!v->broken[0] && !v->hot->branch && v->tail_base != -2 && v->tail_base != w->step_max)
		verify_tell(v, &location,
			    "its first step_base is %lld, but the greatest step before it is %lld",
			    (long long)v->tail_base, (long long)w->step_max);
	if (w->step_max > v->step_max)
		v->step_max = w->step_max;
}

err_t verify_values(struct verify_run *v)
{
	struct walk *w = arena_new_of(v->arena, struct walk);
	err_t e = NULL;

	for (int stream = 0; stream < VERIFY_STREAMS && !e; stream++) {
		int64_t first = stream == 0 ? v->hot->branch_row : 0; /* a fork's come later */

		*w = (struct walk){ .v = v, .stream = stream, .step_max = -1 };
		do {
			e = walk_window(v, w, first);
			first += window_rows(v);
		} while (!e && first < v->in_chunks[stream]);
		if (stream == 0 && !e)
			check_steps(w);
	}
	return e;
}

/* ---- chunks that no list tells of --------------------------------------------------------------- */

/* The list of the writer that was read last. */
struct known {
	int16_t stream;
	int32_t writer;
	bool readable;
	struct key_stats stats;
};

static err_t find_list(struct verify_run *v, const struct verify_strand *s, struct known *known)
{
	const struct stream_keys asked = { .stream = s->stream, .writer = s->writer };
	struct stream_keys *rows;
	size_t count;
	err_t e;

	if (known->readable && known->stream == s->stream && known->writer == s->writer)
		return NULL;
	*known = (struct known){ .stream = s->stream, .writer = s->writer };
	e = chunk_store_list_keys(v->db, v->item->run_id, &asked, 1, &rows, &count);
	if (e)
		return e;
	known->readable = !count ||
			  !key_stats_decode(v->codec, v->answer, rows[0].document, &known->stats);
	return NULL;
}

static bool is_told(const struct known *known, const struct verify_strand *s)
{
	const struct key_stat *stat = key_stats_find(&known->stats, (uint32_t)s->key_id);

	if (!known->readable)
		return true; /* that cannot be known */
	if (!stat)
		return false;
	return s->kind == CHUNK_NUMBERS ? stat->number_count > 0
					: s->kind == CHUNK_TEXTS && stat->text_count > 0;
}

static err_t tell_orphans(struct verify_run *v, const struct verify_strand *rows, size_t count)
{
	struct known known = { .readable = false };
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++) {
		struct verify_location location = { VERIFY_CHUNK, rows[i].stream, rows[i].key_id,
						    rows[i].writer };

		e = find_list(v, &rows[i], &known);
		if (!e && !is_told(&known, &rows[i]))
			verify_tell(v, &location, "%lld chunks of kind %d are in no key list",
				    (long long)rows[i].chunks, rows[i].kind);
	}
	return e;
}

err_t verify_orphans(struct verify_run *v)
{
	struct verify_strand after = { .stream = INT16_MIN };
	struct verify_strand *rows;
	int64_t chunks;
	size_t count;
	err_t e;

	arena_reset(v->answer);
	e = verify_store_count_chunks(v->db, v->item->run_id, &chunks);
	if (e || chunks == v->sum.chunks)
		return e;
	do {
		arena_reset(v->answer);
		e = verify_store_list_strands(v->db, v->item->run_id, &after, &rows, &count);
		if (!e && count) {
			after = rows[count - 1];
			e = tell_orphans(v, rows, count);
		}
	} while (!e && count);
	return e;
}
