#include "flush_marks.h"

#include "arena.h"
#include "writer_marks.h"

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
