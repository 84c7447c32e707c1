#include "branch.h"

#include <inttypes.h>

#include "arena.h"
#include "buf.h"

static struct branch_part own_part(int64_t run_id, int32_t writer_first)
{
	return (struct branch_part){
		.run_id = run_id,
		.writer_first = writer_first,
		.writer_end = BRANCH_WRITERS_OPEN,
		.row_end = BRANCH_ROWS_OPEN,
		.step_last = BRANCH_STEPS_OPEN,
	};
}

struct branch_view branch_of_run(struct arena *a, int64_t run_id)
{
	struct branch_part *part = arena_new_of(a, struct branch_part);

	*part = own_part(run_id, 0);
	return (struct branch_view){ part, 1 };
}

static struct branch_part cut(const struct branch_part *part, const struct branch_point *at)
{
	struct branch_part some = *part;

	if (at->step < some.step_last)
		some.step_last = at->step;
	if (at->row_end < some.row_end)
		some.row_end = at->row_end;
	if (at->writer_end < some.writer_end)
		some.writer_end = at->writer_end;
	return some;
}

err_t branch_from(struct arena *a, const struct branch_view *from, const struct branch_point *at,
		  int64_t run_id, struct branch_view *ret_view)
{
	struct branch_part *parts = arena_new_array(a, struct branch_part, from->count + 1);
	size_t count = 0;

	for (size_t i = 0; i < from->count; i++) {
		parts[count] = cut(&from->parts[i], at);
		count += parts[count].writer_first < parts[count].writer_end;
	}
	if (count >= BRANCH_PARTS_MAX)
		return err_new(a, ERR_UNPROCESSABLE,
			       "too many branches: a run can go back over at most %d rewinds and "
			       "forks",
			       BRANCH_PARTS_MAX - 1);
	parts[count++] = own_part(run_id, at->writer_end);
	*ret_view = (struct branch_view){ parts, count };
	return NULL;
}

struct branch_view branch_left(struct arena *a, const struct branch_view *view, int32_t writer_end)
{
	struct branch_part *parts = arena_new_array(a, struct branch_part, view->count);

	for (size_t i = 0; i < view->count; i++)
		parts[i] = view->parts[i];
	parts[view->count - 1].writer_end = writer_end;
	return (struct branch_view){ parts, view->count };
}

/* ---- what is in it ------------------------------------------------------------------------------- */

static bool is_of(const struct branch_part *part, int64_t run_id, int32_t writer)
{
	return part->run_id == run_id && writer >= part->writer_first && writer < part->writer_end;
}

bool branch_has(const struct branch_view *view, const struct branch_row *row)
{
	for (size_t i = 0; i < view->count; i++) {
		const struct branch_part *part = &view->parts[i];

		if (is_of(part, row->run_id, row->writer) && row->row < part->row_end &&
		    row->step <= part->step_last)
			return true;
	}
	return false;
}

enum branch_share branch_share(const struct branch_view *view, const struct branch_rows *rows)
{
	enum branch_share share = BRANCH_NONE;

	for (size_t i = 0; i < view->count; i++) {
		const struct branch_part *part = &view->parts[i];

		if (!is_of(part, rows->run_id, rows->writer))
			continue;
		if (rows->row_last < part->row_end && rows->step_max <= part->step_last)
			return BRANCH_ALL;
		if (rows->row_first < part->row_end && rows->step_min <= part->step_last)
			share = BRANCH_SOME;
	}
	return share;
}

size_t branch_runs(const struct branch_view *view, int64_t *ret_run_ids)
{
	size_t count = 0;

	for (size_t i = 0; i < view->count; i++) {
		size_t j = 0;

		while (j < count && ret_run_ids[j] != view->parts[i].run_id)
			j++;
		if (j == count)
			ret_run_ids[count++] = view->parts[i].run_id;
	}
	return count;
}

/* ---- as text ------------------------------------------------------------------------------------- */

struct str branch_write(struct arena *a, const struct branch_view *view)
{
	struct buf *out = buf_new(a);

	for (size_t i = 0; i < view->count; i++) {
		const struct branch_part *p = &view->parts[i];

		buf_printf(out, "%s%" PRId64 " %" PRId32 " %" PRId32 " %" PRId64 " %" PRId64,
			   i ? "," : "", p->run_id, p->writer_first, p->writer_end, p->row_end,
			   p->step_last);
	}
	return buf_str(out);
}

static bool read_number(struct str *text, int64_t min, int64_t max, int64_t *ret_number)
{
	return str_to_int64(str_cut(text, ' '), min, max, ret_number);
}

static bool read_part(struct str text, struct branch_part *part)
{
	int64_t first;
	int64_t end;

	if (!read_number(&text, 0, INT64_MAX, &part->run_id) ||
	    !read_number(&text, 0, INT32_MAX, &first) || !read_number(&text, 0, INT32_MAX, &end) ||
	    !read_number(&text, 0, INT64_MAX, &part->row_end) ||
	    !read_number(&text, -1, INT64_MAX, &part->step_last))
		return false;
	part->writer_first = (int32_t)first;
	part->writer_end = (int32_t)end;
	return !text.len;
}

err_t branch_read(struct arena *a, struct str text, struct branch_view *ret_view)
{
	struct branch_part *parts;
	size_t count = 1;
	size_t read = 0;

	for (size_t i = 0; i < text.len; i++)
		count += text.at[i] == ',';
	parts = arena_new_array(a, struct branch_part, count);
	while (read < count && read_part(str_cut(&text, ','), &parts[read]))
		read++;
	if (read < count)
		return err_new(a, ERR_INTERNAL, "cannot read the parts of a branch");
	*ret_view = (struct branch_view){ parts, count };
	return NULL;
}
