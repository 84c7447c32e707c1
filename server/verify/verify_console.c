#include "arena.h"
#include "lines.h"
#include "verify_run.h"

static const char *check_times(const struct console_chunk *row, const struct lines *lines)
{
	int64_t first = INT64_MAX;
	int64_t last = INT64_MIN;

	for (uint32_t i = 0; i < lines->count; i++) {
		first = lines->items[i].time_us < first ? lines->items[i].time_us : first;
		last = lines->items[i].time_us > last ? lines->items[i].time_us : last;
	}
	if (row->time_first == first && row->time_last == last)
		return NULL;
	return "its time_first or time_last is not that of its lines";
}

static const char *check_numbers(struct verify_run *v, const struct console_chunk *row,
				 const struct lines *lines)
{
	int64_t last = lines->count ? lines->items[lines->count - 1].number : -1;

	if (row->line_first % LINES_PER_CHUNK)
		return "it begins at a line where no chunk begins";
	if ((int64_t)lines->count != row->line_count)
		return arena_printf(v->one, "it holds %u lines, its line_count is %d", lines->count,
				    row->line_count);
	if (!lines->count || lines->items[0].number < row->line_first ||
	    last >= row->line_first + LINES_PER_CHUNK)
		return "it holds lines of another place";
	return check_times(row, lines);
}

static void check_one(struct verify_run *v, const struct console_chunk *row)
{
	const struct verify_place place = { VERIFY_CONSOLE, STREAM_CONSOLE, 0, row->writer };
	struct writer_tally *writer = verify_writer(v, row->writer);
	struct lines lines = { .count = 0 };
	const char *fault = NULL;
	err_t e = lines_decode(v->codec, v->one, row->data, &lines);

	v->sum.lines += lines.count;
	v->sum.bytes += (int64_t)row->data.len;
	if (e)
		fault = err_chain(v->one, e);
	else
		fault = check_numbers(v, row, &lines);
	if (!fault && row->seq_last > v->hot->compact_seq)
		fault = arena_printf(v->one, "its seq_last is %lld, the run is compacted to %lld",
				     (long long)row->seq_last, (long long)v->hot->compact_seq);
	if (!fault && !writer)
		fault = "it is of a writer that the run does not have";
	if (fault)
		verify_tell(v, &place, "lines %lld to %lld: %s", (long long)row->line_first,
			    (long long)row->line_first + LINES_PER_CHUNK - 1, fault);
	if (!writer)
		return;
	/* Of what cannot be read, its writer's count is believed. */
	if (e && writer->lines_told > writer->lines_seen)
		writer->lines_seen = writer->lines_told;
	else if (lines.count && lines.items[lines.count - 1].number >= writer->lines_seen)
		writer->lines_seen = lines.items[lines.count - 1].number + 1;
}

err_t verify_console(struct verify_run *v)
{
	struct console_chunk after = { .writer = -1 };
	struct console_chunk *rows;
	size_t count;
	err_t e;

	do {
		arena_reset(v->page);
		e = verify_store_list_console(v->db, v->item->run_id, &after, &rows, &count);
		for (size_t i = 0; i < count && !e; i++) {
			after = (struct console_chunk){ .writer = rows[i].writer,
							.line_first = rows[i].line_first };
			check_one(v, &rows[i]);
			arena_reset(v->one);
		}
	} while (!e && count);
	return e;
}
