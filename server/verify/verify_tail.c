#include "arena.h"
#include "block.h"
#include "lines.h"
#include "pack.h"
#include "verify_run.h"

/* The state that the next block must continue. */
struct tail {
	struct verify_run *v;
	int64_t seq;
	int64_t next_row[VERIFY_STREAMS];
	bool begun[VERIFY_STREAMS];
	bool unknown;    /* a pack could not be opened */
	bool step_known; /* the next block's step_base must be last_step */
	int64_t last_step;
	int64_t blocks;
	int64_t bytes;
};

static struct verify_location location_of(const struct pending_row *row)
{
	return (struct verify_location){ VERIFY_TAIL, row->kind, 0, row->writer };
}

/* ---- blocks of rows --------------------------------------------------------------------------- */

static void check_keys(struct tail *t, const struct pending_row *row, const struct block *block)
{
	struct verify_location location = location_of(row);

	for (uint32_t i = 0; i < block->column_count; i++) {
		uint32_t key_id = block->columns[i].key_id;

		if (verify_has_name(t->v, key_id))
			continue;
		verify_tell(t->v, &location,
			    "block %lld has values of key number %u, which does not exist",
			    (long long)row->seq, key_id);
		return;
	}
}

static void check_rows(struct tail *t, const struct pending_row *row, const struct block *block)
{
	struct verify_location location = location_of(row);

	if ((int64_t)block->row_count != row->row_count)
		verify_tell(t->v, &location, "block %lld has %u rows, but its row_count is %d",
			    (long long)row->seq, block->row_count, row->row_count);
	for (uint32_t i = 0; i < block->row_count; i++) {
		if (block->rows[i] == row->row_first + i)
			continue;
		verify_tell(t->v, &location, "block %lld has row %lld instead of %lld",
			    (long long)row->seq, (long long)block->rows[i],
			    (long long)row->row_first + i);
		return;
	}
}

/* The step_base of a block is the greatest step of all before it, unless the run went back to an earlier one. */
static void check_steps(struct tail *t, const struct pending_row *row, const struct block *block)
{
	struct verify_location location = location_of(row);

	if (t->v->tail_base == -2)
		t->v->tail_base = row->step_base;
	if (t->step_known && !t->v->hot->branch && row->step_base != t->last_step)
		verify_tell(t->v, &location,
			    "the step_base of block %lld is %lld, but the step before is %lld",
			    (long long)row->seq, (long long)row->step_base,
			    (long long)t->last_step);
	t->last_step = row->step_base;
	for (uint32_t i = 0; i < block->row_count; i++)
		t->last_step = block->steps[i] > t->last_step ? block->steps[i] : t->last_step;
	t->step_known = true;
	if (t->last_step > t->v->step_max)
		t->v->step_max = t->last_step;
}

static void check_order(struct tail *t, const struct pending_row *row, int stream)
{
	struct verify_location location = location_of(row);
	struct writer_tally *writer = verify_writer(t->v, row->writer);

	if (!t->begun[stream])
		t->v->in_chunks[stream] = row->row_first;
	else if (row->row_first != t->next_row[stream])
		verify_tell(t->v, &location, "block %lld begins with row %lld instead of %lld",
			    (long long)row->seq, (long long)row->row_first,
			    (long long)t->next_row[stream]);
	t->begun[stream] = true;
	t->next_row[stream] = row->row_first + row->row_count;
	if (writer)
		writer->seen[stream] += row->row_count;
	else
		verify_tell(t->v, &location,
			    "block %lld belongs to a writer that does not exist in "
			    "the run",
			    (long long)row->seq);
}

/* Only blocks of lines have times. */
static void check_timeless(struct tail *t, const struct pending_row *row)
{
	struct verify_location location = location_of(row);

	if (row->kind != STREAM_CONSOLE && (row->time_first || row->time_last))
		verify_tell(t->v, &location,
			    "block %lld has no lines, but a time_first or time_last",
			    (long long)row->seq);
}

static void check_block(struct tail *t, const struct pending_row *row)
{
	const struct block_ask ask = { .row_first = row->row_first, .last_step = row->step_base };
	struct verify_location location = location_of(row);
	int stream = verify_stream_index(row->kind);
	struct block block;
	err_t e;

	check_order(t, row, stream);
	check_timeless(t, row);
	e = block_decode(t->v->codec, t->v->one, row->data, &ask, &block);
	if (e) {
		t->v->broken[stream] = true;
		t->step_known &= stream != 0;
		verify_tell(t->v, &location, "block %lld, rows %lld to %lld: %s",
			    (long long)row->seq, (long long)row->row_first,
			    (long long)row->row_first + row->row_count - 1,
			    err_chain(t->v->one, e));
		return;
	}
	check_rows(t, row, &block);
	check_keys(t, row, &block);
	if (row->kind == STREAM_HISTORY)
		check_steps(t, row, &block);
}

/* ---- blocks of lines -------------------------------------------------------------------------- */

/* A block from before times were kept has none. */
static void check_times(struct tail *t, const struct pending_row *row, const struct lines *lines)
{
	struct verify_location location = location_of(row);
	int64_t first;
	int64_t last;

	lines_span(lines, LINES_BY_TIME, &first, &last);
	if ((row->time_first || row->time_last) &&
	    (row->time_first != first || row->time_last != last))
		verify_tell(t->v, &location,
			    "block %lld has lines from %lld to %lld us, but its time_first or "
			    "time_last differs",
			    (long long)row->seq, (long long)first, (long long)last);
}

static void check_lines(struct tail *t, const struct pending_row *row)
{
	struct verify_location location = location_of(row);
	struct writer_tally *writer = verify_writer(t->v, row->writer);
	struct lines lines;
	err_t e = lines_decode(t->v->codec, t->v->one, row->data, &lines);

	if (!writer)
		verify_tell(t->v, &location,
			    "block %lld belongs to a writer that does not exist in "
			    "the run",
			    (long long)row->seq);
	else if (row->step_base >= writer->lines_seen)
		writer->lines_seen = row->step_base + 1;
	if (e)
		verify_tell(t->v, &location, "block %lld, lines %lld to %lld: %s",
			    (long long)row->seq, (long long)row->row_first,
			    (long long)row->step_base, err_chain(t->v->one, e));
	else if ((int64_t)lines.count != row->row_count || !lines.count ||
		 lines.items[0].number != row->row_first ||
		 lines.items[lines.count - 1].number != row->step_base)
		verify_tell(t->v, &location,
			    "block %lld does not contain the %d lines from %lld to "
			    "%lld",
			    (long long)row->seq, row->row_count, (long long)row->row_first,
			    (long long)row->step_base);
	else
		check_times(t, row, &lines);
}

static void check_content(struct tail *t, const struct pending_row *row)
{
	struct verify_location location = location_of(row);

	t->blocks++;
	t->bytes += row->size_bytes;
	t->v->sum.blocks++;
	if (row->kind == STREAM_CONSOLE)
		check_lines(t, row);
	else if (row->kind == STREAM_HISTORY || row->kind == STREAM_EVENTS)
		check_block(t, row);
	else
		verify_tell(t->v, &location, "block %lld is of an unknown kind, %d",
			    (long long)row->seq, row->kind);
}

/* ---- packs ------------------------------------------------------------------------------------ */

/* The columns of a pack are the sums of its blocks. */
static void check_pack_row(struct tail *t, const struct pending_row *row,
			   const struct pack_block *blocks, uint32_t count)
{
	struct verify_location location = location_of(row);
	int64_t rows = 0;
	int64_t bytes = 0;

	check_timeless(t, row);
	for (uint32_t i = 0; i < count; i++) {
		if (blocks[i].row_offset != rows)
			verify_tell(t->v, &location,
				    "pack %lld has a block at row %u instead of %lld",
				    (long long)row->seq, blocks[i].row_offset, (long long)rows);
		rows += blocks[i].row_count;
		bytes += blocks[i].size_bytes;
	}
	if (row->row_count != rows || row->size_bytes != bytes)
		verify_tell(t->v, &location,
			    "pack %lld has %lld rows of %lld bytes, but its row_count is %d and "
			    "its size_bytes %lld",
			    (long long)row->seq, (long long)rows, (long long)bytes, row->row_count,
			    (long long)row->size_bytes);
	if (count && row->step_base != blocks[0].step_base)
		verify_tell(t->v, &location,
			    "pack %lld has the step_base %lld, but its first block "
			    "%lld",
			    (long long)row->seq, (long long)row->step_base,
			    (long long)blocks[0].step_base);
}

/* Its rows are not known: that they are not counted is not reported again. */
static void pass_over(struct tail *t, const struct pending_row *row)
{
	int stream = verify_stream_index(row->kind);

	if (!t->begun[stream])
		t->v->in_chunks[stream] = row->row_first;
	t->begun[stream] = t->v->broken[stream] = t->unknown = true;
	t->next_row[stream] = row->row_first + row->row_count;
	t->step_known &= stream != 0;
}

static void check_pack(struct tail *t, const struct pending_row *row)
{
	struct verify_location location = location_of(row);
	struct arena *opened = arena_new(64 << 10);
	struct pack_block *blocks;
	uint32_t count;
	err_t e = pack_decode(t->v->codec, opened, row->data, &blocks, &count);

	if (e) {
		verify_tell(t->v, &location, "pack %lld, rows %lld to %lld: %s",
			    (long long)row->seq, (long long)row->row_first,
			    (long long)row->row_first + row->row_count - 1,
			    err_chain(t->v->one, e));
		pass_over(t, row);
	} else {
		check_pack_row(t, row, blocks, count);
	}
	for (uint32_t i = 0; !e && i < count; i++) {
		struct pending_row block = *row;

		block.writer = blocks[i].writer;
		block.row_first = row->row_first + blocks[i].row_offset;
		block.row_count = (int32_t)blocks[i].row_count;
		block.step_base = blocks[i].step_base;
		block.size_bytes = blocks[i].size_bytes;
		block.data = blocks[i].data;
		check_content(t, &block);
		arena_reset(t->v->one);
	}
	arena_free(opened);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static void check_row(struct tail *t, const struct pending_row *row)
{
	struct verify_location location = location_of(row);

	if (row->seq > t->seq)
		verify_tell(t->v, &location, "blocks %lld to %lld are missing", (long long)t->seq,
			    (long long)row->seq - 1);
	else if (row->seq < t->seq)
		verify_tell(t->v, &location, "block %lld is duplicated", (long long)row->seq);
	t->seq = row->seq + 1;
	t->v->sum.bytes += (int64_t)row->data.len;
	if (row->writer == TAIL_PACK && row->kind != STREAM_CONSOLE)
		check_pack(t, row);
	else
		check_content(t, row);
	arena_reset(t->v->one);
}

static void compare(struct tail *t, const char *counter, int64_t told, int64_t found)
{
	const struct verify_location location = { .part = VERIFY_COUNTER, .writer = -1 };

	if (told != found)
		verify_tell(t->v, &location, "the run's %s is %lld, expected %lld", counter,
			    (long long)told, (long long)found);
}

static void check_counters(struct tail *t)
{
	const struct run *hot = t->v->hot;

	compare(t, "next_seq", hot->next_seq, t->seq);
	if (!t->unknown) {
		compare(t, "tail_rows", hot->tail_rows, t->blocks);
		compare(t, "tail_bytes", hot->tail_bytes, t->bytes);
	}
	if (t->begun[0])
		compare(t, "next_row", hot->next_row, t->next_row[0]);
	if (t->begun[1])
		compare(t, "next_event", hot->next_event, t->next_row[1]);
}

err_t verify_tail(struct verify_run *v)
{
	struct tail t = { .v = v, .seq = v->hot->compact_seq + 1 };
	struct pending_row *rows;
	size_t count;
	err_t e;

	v->in_chunks[0] = v->hot->next_row;
	v->in_chunks[1] = v->hot->next_event;
	v->step_max = -1;
	v->tail_base = -2;
	do {
		arena_reset(v->answer);
		e = verify_store_list_tail(v->db, v->item->run_id, t.seq - 1, &rows, &count);
		for (size_t i = 0; i < count && !e; i++)
			check_row(&t, &rows[i]);
	} while (!e && count);
	if (!e)
		check_counters(&t);
	return e;
}
