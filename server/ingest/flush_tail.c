#include "flush_tail.h"

#include "arena.h"
#include "buf.h"
#include "pack.h"
#include "writer_marks.h"

static void add_row(struct flush *f, struct run_work *work, const struct tail_row *row)
{
	struct tail_row *to = &f->tail[f->tail_count++];

	*to = *row;
	to->run_id = work->run->run_id;
	to->seq = work->run->next_seq++;
	work->last_row = f->tail_count;
}

/* A single block stays a block: readers of one writer need not open it. */
static void close_pack(struct flush *f, struct run_work *work, struct flush_pack *pack)
{
	struct buf *data = buf_new(f->arena);
	struct tail_row row = pack->row;

	if (!pack->count)
		return;
	if (pack->count == 1) {
		pack_alone(f->codec, pack->blocks[0].data, data);
	} else {
		pack_encode(f->codec, pack->blocks, pack->count, data);
		row.writer = TAIL_PACK;
	}
	row.data = buf_str(data);
	add_row(f, work, &row);
	*pack = (struct flush_pack){ 0 };
}

static void begin_pack(struct flush *f, struct flush_pack *pack, const struct tail_row *row)
{
	*pack = (struct flush_pack){
		.row = *row,
		.blocks = arena_new_array(f->arena, struct pack_block, f->count),
	};
	pack->row.row_count = 0;
	pack->row.size_bytes = 0;
}

static void add_block(struct flush_pack *pack, const struct tail_row *row)
{
	pack->blocks[pack->count++] = (struct pack_block){
		.writer = row->writer,
		.row_offset = (uint32_t)pack->row.row_count,
		.row_count = (uint32_t)row->row_count,
		.step_base = row->step_base,
		.size_bytes = row->size_bytes,
		.data = row->data,
	};
	pack->row.row_count += row->row_count;
	pack->row.size_bytes += row->size_bytes;
	pack->bytes += row->data.len;
}

void flush_put_tail(struct flush *f, struct run_work *work, const struct tail_row *row)
{
	struct flush_pack *pack = &work->packs[row->kind];

	work->run->tail_rows++;
	work->run->tail_bytes += row->size_bytes;
	if (pack->count && (!pack_takes(row->data) || pack->bytes + row->data.len > PACK_BYTES))
		close_pack(f, work, pack);
	if (!pack_takes(row->data)) {
		add_row(f, work, row);
		return;
	}
	if (!pack->count)
		begin_pack(f, pack, row);
	add_block(pack, row);
}

void flush_close_packs(struct flush *f, struct run_work *work)
{
	for (size_t i = 0; i < sizeof(work->packs) / sizeof(work->packs[0]); i++)
		close_pack(f, work, &work->packs[i]);
}

/* ---- marks of writers --------------------------------------------------------------------------- */

/* Marks of the run's writers, which begin at `first`; returns the index after the last of them. */
static size_t mark_run(struct flush *f, const struct run_work *work, size_t first)
{
	/* A reader that knows the writers as before a join must not follow the marks. */
	int64_t from = work->rejoined ? f->version : work->run->version;
	struct marks marks = { .from = from, .to = f->version };
	size_t end = first;
	struct writer_mark *at;

	while (end < f->state.writer_count && f->state.writers[end].run_id == work->run->run_id)
		end++;
	if (!work->last_row)
		return end;
	marks.at = at = arena_new_array(f->arena, struct writer_mark, end - first + 1);
	for (size_t i = first; i < end; i++) {
		if (!f->writer_changed[i] || f->writer_joined[i])
			continue;
		at[marks.count++] = writer_mark_of(&f->state.writers[i], f->batch_before[i]);
		f->writer_changed[i] = false;
	}
	if (marks.count)
		f->tail[work->last_row - 1].marks = marks_encode(f->arena, &marks);
	return end;
}

void flush_put_marks(struct flush *f)
{
	size_t at = 0;

	for (size_t i = 0; i < f->run_count; i++) {
		while (at < f->state.writer_count &&
		       f->state.writers[at].run_id < f->runs[i].run->run_id)
			at++;
		at = mark_run(f, &f->runs[i], at);
	}
}
