#include "console_waiting.h"

#include <stdlib.h>

#include "arena.h"
#include "console_tail.h"
#include "tail_store.h"

enum {
	LINES_BYTES = 64 << 10,
	SCRATCH_BYTES = 16 << 10,
	FEW_BYTES = 256 << 10, /* so little is read at once, whatever is asked for */
	KEPT_BYTES = 16 << 20,
};

static void free_arena(void *p)
{
	arena_free(p);
}

/* ---- lines ------------------------------------------------------------------------------------------ */

static int by_seq(const void *a, const void *b)
{
	int64_t x = (*(struct waiting_block *const *)a)->at.seq;
	int64_t y = (*(struct waiting_block *const *)b)->at.seq;

	return (x > y) - (x < y);
}

/* The blocks among them whose lines are not read yet, in the order of seq. */
static size_t list_missing(struct console_waiting_blocks *w, const size_t *which, size_t count,
			   struct waiting_block **missing)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		if (!w->items[which[i]].lines)
			missing[found++] = &w->items[which[i]];
	}
	if (found)
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
		qsort(missing, found, sizeof(missing[0]), by_seq);
	return found;
}

static err_t decode(struct console_waiting_blocks *w, const struct pending_row *row,
		    struct waiting_block *block)
{
	struct lines *lines = arena_new_of(w->arena, struct lines);
	err_t e = lines_decode(w->codec, w->arena, row->data, lines);

	if (e)
		return e;
	lines_arrive(lines, row->seq);
	block->lines = lines;
	w->bytes += block->at.size_bytes;
	return NULL;
}

/* In the arena of lines. A number occurs once: all are of one snapshot. */
static err_t read_missing(struct console_waiting_blocks *w, struct waiting_block **missing,
			  size_t count)
{
	struct console_waiting *which = arena_new_array(w->scratch, struct console_waiting, count);
	struct pending_row *rows;
	size_t found;
	err_t e;

	for (size_t i = 0; i < count; i++)
		which[i] = missing[i]->at;
	e = console_store_held(w->db, w->run_id, which, count, &rows, &found);
	if (!e && found != count)
		e = err_new(w->arena, ERR_INTERNAL, "blocks of the tail are missing");
	for (size_t i = 0; i < count && !e; i++)
		e = decode(w, &rows[i], missing[i]);
	return e;
}

err_t console_waiting_read(struct console_waiting_blocks *w, const size_t *which, size_t count)
{
	struct arena *before = db_arena(w->db);
	struct waiting_block **missing = arena_new_array(w->scratch, struct waiting_block *, count);
	size_t missing_count = list_missing(w, which, count, missing);
	err_t e;

	if (!missing_count)
		return NULL;
	db_set_arena(w->db, w->arena);
	e = read_missing(w, missing, missing_count);
	db_set_arena(w->db, before);
	return e ? err_wrap(before, e, "cannot read the console") : NULL;
}

void console_waiting_trim(struct console_waiting_blocks *w)
{
	if (w->bytes <= KEPT_BYTES)
		return;
	for (size_t i = 0; i < w->count; i++)
		w->items[i].lines = NULL;
	arena_reset(w->arena);
	w->bytes = 0;
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

/* Most tails are short, and are read as a whole by one more statement. */
static err_t read_few(struct console_waiting_blocks *w)
{
	size_t *all = arena_new_array(w->scratch, size_t, w->count);
	int64_t bytes = 0;

	for (size_t i = 0; i < w->count; i++) {
		all[i] = i;
		bytes += w->items[i].at.size_bytes;
	}
	return bytes <= FEW_BYTES ? console_waiting_read(w, all, w->count) : NULL;
}

err_t console_waiting_list(struct db *db, struct codec *codec, int64_t run_id,
			   const int32_t *writers, size_t writer_count,
			   struct console_waiting_blocks *ret_blocks)
{
	struct arena *a = db_arena(db);
	struct console_waiting *rows;
	err_t e;

	*ret_blocks =
		(struct console_waiting_blocks){ .db = db,
						 .codec = codec,
						 .run_id = run_id,
						 .arena = arena_new_beside(a, LINES_BYTES),
						 .scratch = arena_new_beside(a, SCRATCH_BYTES) };
	arena_defer(a, free_arena, ret_blocks->arena);
	arena_defer(a, free_arena, ret_blocks->scratch);
	e = console_store_waiting(db, run_id, writers, writer_count, &rows, &ret_blocks->count);
	if (e)
		return e;
	ret_blocks->items = arena_new_array(a, struct waiting_block, ret_blocks->count);
	for (size_t i = 0; i < ret_blocks->count; i++)
		ret_blocks->items[i].at = rows[i];
	return read_few(ret_blocks);
}

/* The first block of the writer, or of one after it. */
static size_t first_of(const struct console_waiting_blocks *w, int32_t writer)
{
	size_t low = 0;
	size_t high = w->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->items[middle].at.writer < writer)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool touches(const struct console_waiting *at, const struct waiting_part *part)
{
	return at->writer == part->writer && at->seq > part->seq &&
	       at->line_first <= part->line_last && at->line_last >= part->line_first;
}

/* Lists the later blocks, the latest first; NULL: only counts them. */
static size_t list_later(const struct console_waiting_blocks *w, const struct waiting_part *part,
			 size_t *which)
{
	size_t first = first_of(w, part->writer);
	size_t count = 0;

	for (size_t i = first_of(w, part->writer + 1); i > first; i--) {
		if (!touches(&w->items[i - 1].at, part))
			continue;
		if (which)
			which[count] = i - 1;
		count++;
	}
	return count;
}

err_t console_waiting_later(struct console_waiting_blocks *w, const struct waiting_part *part,
			    struct waiting_later *ret_later)
{
	size_t count = list_later(w, part, NULL);
	size_t *which;
	err_t e;

	arena_reset(w->scratch);
	*ret_later = (struct waiting_later){ .count = count };
	if (!count)
		return NULL;
	which = arena_new_array(w->scratch, size_t, count);
	list_later(w, part, which);
	e = console_waiting_read(w, which, count);
	if (e)
		return e;
	ret_later->at = arena_new_array(w->scratch, const struct lines *, count);
	for (size_t i = 0; i < count; i++)
		ret_later->at[i] = w->items[which[i]].lines;
	return NULL;
}

bool waiting_later_has(const struct waiting_later *later, int64_t number)
{
	for (size_t i = 0; i < later->count; i++) {
		if (console_tail_has(later->at[i], number))
			return true;
	}
	return false;
}
