#include "arena.h"
#include "buf.h"
#include "console_store.h"
#include "line_spread.h"
#include "lines.h"
#include "verify_run.h"

/* The state of the walk. Numbers may have gaps: the first is reported if lines are missing. */
struct walked {
	struct verify_run *v;
	int64_t chunks;
	int64_t lines;
	struct console_chunk last;
	struct console_chunk gap; /* .line_count: of chunks that are not there; 0: none seen */
};

static const char *check_spans(const struct console_chunk *row, const struct lines *lines)
{
	int64_t first;
	int64_t last;

	lines_span(lines, LINES_BY_TIME, &first, &last);
	if (row->time_first != first || row->time_last != last)
		return "its time_first or time_last does not match its lines";
	lines_span(lines, LINES_BY_ARRIVAL, &first, &last);
	if (row->arrival_first != first || row->arrival_last != last)
		return "its arrival_first or arrival_last does not match its lines";
	return NULL;
}

/* The distribution over its time is counted again; a chunk may be without it. */
static const char *check_spread(struct verify_run *v, const struct console_chunk *row,
				const struct lines *lines)
{
	struct buf *bytes = buf_new(v->one);
	struct line_spread spread;

	if (!row->spread.len)
		return NULL;
	line_spread_make(lines, row->time_first, row->time_last, &spread);
	line_spread_write(&spread, bytes);
	return str_equal(buf_str(bytes), row->spread) ? NULL
						      : "its spread does not match its lines";
}

static const char *check_numbers(struct verify_run *v, const struct console_chunk *row,
				 const struct lines *lines)
{
	int64_t last = lines->count ? lines->items[lines->count - 1].number : -1;
	const char *fault;

	if (row->line_first % LINES_PER_CHUNK)
		return "its first line is not the first line of a chunk";
	if ((int64_t)lines->count != row->line_count)
		return arena_printf(v->one, "it contains %u lines, but its line_count is %d",
				    lines->count, row->line_count);
	if (!lines->count || lines->items[0].number < row->line_first ||
	    last >= row->line_first + LINES_PER_CHUNK)
		return "it contains lines of a different range";
	fault = check_spans(row, lines);
	return fault ? fault : check_spread(v, row, lines);
}

static void note_gap(struct walked *w, const struct console_chunk *row)
{
	bool same = w->chunks && w->last.writer == row->writer;
	int64_t next = same ? w->last.line_first + LINES_PER_CHUNK : 0;

	if (!w->gap.line_count && row->line_first > next)
		w->gap = (struct console_chunk){
			.writer = row->writer,
			.line_first = next,
			.line_count = (int32_t)(row->line_first - next),
		};
	w->last = (struct console_chunk){ .writer = row->writer, .line_first = row->line_first };
}

/* If a chunk cannot be read, its row's count and writer are believed. */
static void count(struct walked *w, const struct console_chunk *row, const struct lines *lines)
{
	struct writer_tally *writer = verify_writer(w->v, row->writer);
	int64_t last = lines->count ? lines->items[lines->count - 1].number : -1;

	note_gap(w, row);
	w->chunks++;
	w->lines += lines->count ? lines->count : (uint32_t)row->line_count;
	w->v->sum.lines += lines->count;
	w->v->sum.bytes += (int64_t)row->data.len;
	if (!writer)
		return;
	if (!lines->count && writer->lines_told > writer->lines_seen)
		writer->lines_seen = writer->lines_told;
	else if (last >= writer->lines_seen)
		writer->lines_seen = last + 1;
}

static void check_one(struct walked *w, const struct console_chunk *row)
{
	const struct verify_location location = { VERIFY_CONSOLE, STREAM_CONSOLE, 0, row->writer };
	struct verify_run *v = w->v;
	struct lines lines = { .count = 0 };
	const char *fault = NULL;
	err_t e = lines_decode(v->codec, v->one, row->data, &lines);

	if (e)
		lines.count = 0;
	count(w, row, &lines);
	if (e)
		fault = err_chain(v->one, e);
	else
		fault = check_numbers(v, row, &lines);
	if (!fault && row->seq_last > v->hot->compact_seq)
		fault = arena_printf(v->one,
				     "its seq_last is %lld, but the run is compacted to %lld",
				     (long long)row->seq_last, (long long)v->hot->compact_seq);
	if (!fault && !verify_writer(v, row->writer))
		fault = "it belongs to a writer that does not exist in the run";
	if (fault)
		verify_tell(v, &location, "lines %lld to %lld: %s", (long long)row->line_first,
			    (long long)row->line_first + LINES_PER_CHUNK - 1, fault);
}

/*
 * The last chunk of a writer is missed by its own count too; one from the middle only by this one.
 */
static void compare(struct walked *w)
{
	struct verify_location location = { VERIFY_CONSOLE, STREAM_CONSOLE, 0, -1 };
	const struct verify_told *told = &w->v->told;
	const char *where = "";

	if (w->chunks == told->console_chunks && w->lines == told->console_lines)
		return;
	if (w->chunks < told->console_chunks && w->gap.line_count) {
		location.writer = w->gap.writer;
		where = arena_printf(w->v->one, "; the first gap is from line %lld to %lld",
				     (long long)w->gap.line_first,
				     (long long)w->gap.line_first + w->gap.line_count - 1);
	}
	verify_tell(w->v, &location,
		    "%lld chunks with %lld lines, but the run counts %lld with "
		    "%lld%s",
		    (long long)w->chunks, (long long)w->lines, (long long)told->console_chunks,
		    (long long)told->console_lines, where);
}

err_t verify_console(struct verify_run *v)
{
	struct walked w = { .v = v };
	struct console_chunk after = { .writer = -1 };
	struct console_chunk *rows;
	size_t some;
	err_t e;

	do {
		arena_reset(v->answer);
		e = verify_store_list_console(v->db, v->item->run_id, &after, &rows, &some);
		for (size_t i = 0; i < some && !e; i++) {
			check_one(&w, &rows[i]);
			arena_reset(v->one);
		}
		after = w.last;
	} while (!e && some);
	if (!e)
		compare(&w);
	return e;
}
