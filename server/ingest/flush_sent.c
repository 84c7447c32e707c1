#include "flush_sent.h"

#include <stdlib.h>

#include "arena.h"
#include "document_store.h"
#include "flush_writers.h"

static int by_writer(const void *a, const void *b)
{
	const struct sent_row *x = &((const struct flush_sent *)a)->row;
	const struct sent_row *y = &((const struct flush_sent *)b)->row;

	if (x->run_id != y->run_id)
		return (x->run_id > y->run_id) - (x->run_id < y->run_id);
	return (x->writer > y->writer) - (x->writer < y->writer);
}

static struct flush_sent *find(const struct flush *f, int64_t run_id, int32_t writer)
{
	struct flush_sent wanted = { .row = { .run_id = run_id, .writer = writer } };
	struct flush_sent *found = NULL;

	if (f->sent_sorted)
		found = bsearch(&wanted, f->sent, f->sent_sorted, sizeof(wanted), by_writer);
	for (size_t i = f->sent_sorted; !found && i < f->sent_count; i++) {
		if (by_writer(&wanted, &f->sent[i]) == 0)
			found = &f->sent[i];
	}
	return found;
}

/* ---- reading ------------------------------------------------------------------------------------ */

static bool brings_summary(const struct ingest_batch *b)
{
	return b->summary_is_whole && (b->summary || b->last);
}

/* Only existing writers: one made in this flush has sent nothing. */
static void collect_writers(struct flush *f)
{
	size_t kept = 0;

	f->sent = arena_new_array(f->arena, struct flush_sent, f->count);
	for (size_t i = 0; i < f->count; i++) {
		const struct writer *w = NULL;

		if (brings_summary(f->batches[i]))
			w = flush_find_writer(f, f->batches[i]);
		if (w)
			f->sent[f->sent_count++].row =
				(struct sent_row){ .run_id = w->run_id, .writer = w->writer };
	}
	if (f->sent_count)
		qsort(f->sent, f->sent_count, sizeof(f->sent[0]), by_writer);
	for (size_t i = 0; i < f->sent_count; i++) {
		if (!kept || by_writer(&f->sent[kept - 1], &f->sent[i]) != 0)
			f->sent[kept++] = f->sent[i];
	}
	f->sent_count = f->sent_sorted = kept;
}

err_t flush_sent_read(struct flush *f)
{
	int64_t *run_ids = arena_new_array(f->arena, int64_t, f->count);
	int32_t *writers = arena_new_array(f->arena, int32_t, f->count);
	struct sent_row *rows;
	size_t count;
	err_t e;

	collect_writers(f);
	if (!f->sent_count)
		return NULL;
	for (size_t i = 0; i < f->sent_count; i++) {
		run_ids[i] = f->sent[i].row.run_id;
		writers[i] = f->sent[i].row.writer;
	}
	e = document_store_find_sent(f->db, run_ids, writers, f->sent_count, &rows, &count);
	for (size_t i = 0; !e && i < count; i++)
		find(f, rows[i].run_id, rows[i].writer)->row = rows[i];
	return e;
}

/* ---- what is known ------------------------------------------------------------------------------- */

const struct sent_row *flush_sent_find(const struct flush *f, const struct writer *w)
{
	static const struct sent_row none;
	const struct flush_sent *known = find(f, w->run_id, w->writer);

	return known ? &known->row : &none;
}

/* There is room for one of each batch. */
void flush_sent_put(struct flush *f, const struct writer *w, const struct sent_row *row)
{
	struct flush_sent *known = find(f, w->run_id, w->writer);

	if (!known)
		known = &f->sent[f->sent_count++];
	known->row = *row;
	known->row.run_id = w->run_id;
	known->row.writer = w->writer;
	known->changed = true;
}

struct sent_row *flush_sent_changed(struct flush *f, size_t *ret_count)
{
	struct sent_row *rows = arena_new_array(f->arena, struct sent_row, f->sent_count + 1);
	size_t count = 0;

	for (size_t i = 0; i < f->sent_count; i++) {
		if (f->sent[i].changed)
			rows[count++] = f->sent[i].row;
	}
	*ret_count = count;
	return rows;
}
