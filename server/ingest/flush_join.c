#include "flush_join.h"

#include <string.h>

#include "arena.h"
#include "branch_store.h"
#include "buf.h"
#include "flush_writers.h"
#include "record_streams.h"
#include "sdk_processes.h"

/* The run's writers among those that the flush has read; they are next to each other. */
static struct writer *writers_of(const struct flush *f, int64_t run_id, size_t *ret_count)
{
	size_t first = 0;
	size_t end;

	while (first < f->state.writer_count && f->state.writers[first].run_id < run_id)
		first++;
	end = first;
	while (end < f->state.writer_count && f->state.writers[end].run_id == run_id)
		end++;
	*ret_count = end - first;
	return f->state.writers + first;
}

/* Notes writers for which cached state does not hold any more. */
static void note_changes(struct flush *f, struct run_work *work, const struct writer *joined,
			 const struct writer *others, size_t count)
{
	size_t first = (size_t)(others - f->state.writers);

	for (size_t i = 0; i < count; i++) {
		if (&others[i] == joined)
			f->writer_joined[first + i] = true;
		if (&others[i] == joined || others[i].state != f->state_before[first + i])
			work->rejoined = true;
	}
}

static struct str copy(struct arena *a, struct str s)
{
	return (struct str){ str_copy(a, s), s.len };
}

static void answer(const struct flush *f, const struct run *run, const struct writer *w,
		   struct ingest_batch *b)
{
	struct ingest_joined *joined = arena_new_of(b->arena, struct ingest_joined);

	joined->now = f->state.now;
	joined->run = *run;
	joined->run.stop_reason = copy(b->arena, run->stop_reason);
	joined->run.end_reason = copy(b->arena, run->end_reason);
	joined->writer = *w;
	joined->writer.client = b->client;
	joined->writer.sessions = copy(b->arena, w->sessions);
	joined->writer.streams = copy(b->arena, w->streams);
	joined->records = record_streams_find(w->streams, b->join->stream);
	joined->writer.recent = (struct str){ NULL, 0 };
	joined->writer.end_reason = (struct str){ NULL, 0 };
	b->joined = joined;
}

/* A process that joins under the name of a writer on an abandoned branch is another writer. */
static err_t set_aside(struct flush *f, struct run_work *work, const struct ingest_batch *b,
		       struct writer **w)
{
	const struct writer *left = *w;
	err_t e;

	if (!left || !run_is_left_by(work->run, left))
		return NULL;
	e = branch_store_set_aside_one(f->db, left->run_id, left->client);
	if (e)
		return e;
	*w = flush_make_writer(f, work, b);
	(*w)->session = left->session; /* which is fenced as by any other join */
	(*w)->streams = left->streams; /* whose records it does not send again */
	work->rejoined = true;
	return NULL;
}

/* For a writer from before there was a list of its processes: it may be one that goes on. */
static void note_former(struct sdk_processes *p, const struct writer *w)
{
	if (!p->count && !w->lines.len && w->session && w->state == WRITER_ALIVE)
		p->at[p->count++] = (struct sdk_process){ w->heard_at, { -1, -1 } };
}

/* The SDK's own process, one more of those that are the writer; it counts its lines on from those of the run. */
static err_t begin_process(struct flush *f, const struct run *run, struct writer *w,
			   const struct ingest_batch *b)
{
	struct buf *out = buf_new(f->arena);
	struct sdk_beginning beginning = {
		.process = { .heard_at = f->state.now,
			     .next = { run_rows(run), b->join->is_blank ? 0 : run->next_event } },
		.is_blank = b->join->is_blank,
	};
	const struct run_clock clock = { f->state.now, b->limit_us };
	struct sdk_processes processes;

	if (b->identity != BATCH_BY_CONTENT)
		return NULL;
	if (!sdk_processes_read(w->lines, &processes))
		return err_new(f->arena, ERR_INTERNAL,
			       "cannot read the processes of writer %d of run %lld", w->writer,
			       (long long)w->run_id);
	note_former(&processes, w);
	/*
	 * A change of tags or notes looks like a beginning, but it has the name
	 * that the first answer returned.
	 */
	if (b->join->knows_name && sdk_processes_alive(&processes, clock))
		return NULL;
	memcpy(beginning.said, b->join->said, sizeof(beginning.said));
	sdk_processes_begin(&processes, &beginning, clock);
	sdk_processes_write(out, &processes);
	w->lines = buf_str(out);
	return NULL;
}

err_t flush_join(struct flush *f, struct run_work *work, struct ingest_batch *b)
{
	struct run_clock clock = { f->state.now, b->limit_us };
	const struct writer_join *join = b->join;
	struct writer *w = flush_find_writer(f, b);
	struct run_joining joining = { .started_at = join->started_at };
	err_t e;

	if (join->started_at.us)
		b->error = run_check_start(b->arena, join->started_at, f->state.now);
	if (b->error)
		return NULL;
	e = set_aside(f, work, b, &w);
	if (e)
		return e;
	if (!w)
		w = flush_make_writer(f, work, b);
	e = begin_process(f, work->run, w, b);
	if (e)
		return e;
	batch_remember_session(f->arena, w);
	w->label = join->label;
	w->role = (int16_t)join->role;
	w->parent = join->parent;
	w->info = join->info;
	joining.others = writers_of(f, b->run_id, &joining.count);
	run_join(work->run, w, &joining, clock, &work->changes);
	note_changes(f, work, w, joining.others, joining.count);
	work->changed = work->noted = work->update.state = true;
	answer(f, work->run, w, b);
	return NULL;
}
