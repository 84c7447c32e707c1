#include <string.h>

#include "arena.h"
#include "batch.h"
#include "record_streams.h"
#include "verify_run.h"
#include "writer_marks.h"
#include "writer_store.h"

enum { WRITERS_AT_ONCE = 500 };

/* Room for the lane's tally. */
static struct writer_tally *tally(struct verify_run *v, size_t *size, int32_t lane)
{
	if ((size_t)lane >= *size) {
		size_t more = *size ? *size * 2 : 64;
		struct writer_tally *grown;

		while (more <= (size_t)lane)
			more *= 2;
		grown = arena_new_array(v->arena, struct writer_tally, more);
		if (v->writer_count)
			memcpy(grown, v->writers, v->writer_count * sizeof(*grown));
		v->writers = grown;
		*size = more;
	}
	if ((size_t)lane >= v->writer_count)
		v->writer_count = (size_t)lane + 1;
	return &v->writers[lane];
}

static void check_streams(struct verify_run *v, const struct writer *w)
{
	const struct verify_location counter = { .part = VERIFY_COUNTER, .writer = w->writer };
	const struct verify_location writer = { .part = VERIFY_WRITER, .writer = w->writer };
	int64_t rows = w->history_rows + w->event_rows;
	int64_t records = record_streams_sum(w->streams);

	if (!record_streams_are_valid(w->streams))
		verify_tell(v, &writer, "%zu bytes of streams of records are not a valid list",
			    w->streams.len);
	else if (records < rows && !record_streams_are_full(w->streams))
		verify_tell(v, &counter, "its records is %lld, but it has %lld rows",
			    (long long)records, (long long)rows);
}

static void check_one(struct verify_run *v, const struct writer *w)
{
	const struct verify_location counter = { .part = VERIFY_COUNTER, .writer = w->writer };
	const struct verify_location writer = { .part = VERIFY_WRITER, .writer = w->writer };
	const char *fault = batch_check_memory(v->answer, w, v->hot->next_row);

	if (fault)
		verify_tell(v, &writer, "%s", fault);
	if (w->writer >= v->hot->next_writer)
		verify_tell(v, &counter, "the run's next_writer is %d, but a writer %d exists",
			    v->hot->next_writer, w->writer);
	if (w->attempt > v->hot->attempt)
		verify_tell(v, &counter, "it belongs to attempt %d, but the run is at attempt %d",
			    w->attempt, v->hot->attempt);
	check_streams(v, w);
	if (!v->hot->branch && w->last_step > v->hot->last_step)
		verify_tell(v, &counter, "its last_step is %lld, but the run's is %lld",
			    (long long)w->last_step, (long long)v->hot->last_step);
}

static void take(struct verify_run *v, size_t *size, const struct writer *w)
{
	struct writer_tally *lines = tally(v, size, w->writer);
	struct writer_tally *rows;

	lines->is_there = true;
	lines->label = (struct str){ str_copy(v->arena, w->label), w->label.len };
	lines->lines_told = w->console_lines;
	rows = tally(v, size, writer_lane(w));
	rows->is_there = true;
	rows->told[0] += w->history_rows;
	rows->told[1] += w->event_rows;
}

/* Reads the marks in the tail, in the run's arena: damaged ones are reported and skipped. */
static err_t read_marks(struct verify_run *v, struct marks **ret_marks, size_t *ret_count)
{
	const struct verify_location location = { .part = VERIFY_TAIL, .writer = -1 };
	struct marks_row *rows;
	struct marks *marks;
	size_t count;
	err_t e;

	db_set_arena(v->db, v->arena);
	e = marks_store_read(v->db, v->item->run_id, &rows, &count);
	db_set_arena(v->db, v->answer);
	if (e)
		return e;
	*ret_marks = marks = arena_new_array(v->arena, struct marks, count + 1);
	*ret_count = 0;
	for (size_t i = 0; i < count; i++) {
		marks[*ret_count].run_id = rows[i].run_id;
		marks[*ret_count].seq = rows[i].seq;
		if (marks_decode(v->arena, rows[i].marks, &marks[*ret_count]))
			++*ret_count;
		else
			verify_tell(v, &location, "the writers of block %lld are damaged",
				    (long long)rows[i].seq);
	}
	return NULL;
}

err_t verify_writers(struct verify_run *v)
{
	int32_t after = -1;
	size_t size = 0;
	size_t mark_count;
	struct marks *marks;
	struct writer *writers;
	size_t count;
	err_t e;

	e = read_marks(v, &marks, &mark_count);
	if (e)
		return e;
	do {
		arena_reset(v->answer);
		e = writer_store_list(v->db, v->item->run_id, after, WRITERS_AT_ONCE, &writers,
				      &count);
		if (!e)
			marks_apply(v->answer, marks, mark_count, writers, count);
		for (size_t i = 0; i < count && !e; i++) {
			after = writers[i].writer;
			take(v, &size, &writers[i]);
			check_one(v, &writers[i]);
		}
	} while (!e && count == WRITERS_AT_ONCE);
	return e;
}

/* ---- afterwards ------------------------------------------------------------------------------- */

static void count_rows(struct verify_run *v, int32_t lane, int stream)
{
	static const char *const names[] = { "history_rows", "event_rows" };
	const struct verify_location location = { .part = VERIFY_COUNTER, .writer = lane };
	const struct writer_tally *t = &v->writers[lane];

	if (t->told[stream] != t->seen[stream])
		verify_tell(v, &location, "its %s is %lld, but it has %lld rows", names[stream],
			    (long long)t->told[stream], (long long)t->seen[stream]);
}

static void count_lines(struct verify_run *v, int32_t lane)
{
	const struct verify_location location = { .part = VERIFY_COUNTER, .writer = lane };
	const struct writer_tally *t = &v->writers[lane];

	if (t->lines_told != t->lines_seen)
		verify_tell(v, &location,
			    "its console_lines is %lld, but its lines end before %lld",
			    (long long)t->lines_told, (long long)t->lines_seen);
}

/* The greatest step of all is the run's, and that of the compacted rows is the tail's first. */
static void count_steps(struct verify_run *v)
{
	const struct verify_location location = { .part = VERIFY_COUNTER,
						  .stream = STREAM_HISTORY,
						  .writer = -1 };

	if (!v->hot->branch && v->hot->last_step != v->step_max)
		verify_tell(v, &location,
			    "the run's last_step is %lld, but the greatest step is %lld",
			    (long long)v->hot->last_step, (long long)v->step_max);
}

void verify_counts(struct verify_run *v)
{
	for (int32_t lane = 0; (size_t)lane < v->writer_count; lane++) {
		for (int stream = 0; stream < VERIFY_STREAMS; stream++) {
			if (v->writers[lane].is_there && !v->broken[stream])
				count_rows(v, lane, stream);
		}
		if (v->writers[lane].is_there)
			count_lines(v, lane);
	}
	if (!v->broken[0])
		count_steps(v);
}
