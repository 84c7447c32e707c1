/*
 * The rows that a branch inherited are summed once, when it is made: the sum must match the stored
 * rows, and with those of its own writers it must be all that the run shows. A branch that was left
 * may have later rows of its former writers; none of its rows may be missing.
 */
#include "arena.h"
#include "branch_keys.h"
#include "key_stats.h"
#include "verify_run.h"

enum { BRANCHES_AT_ONCE = 100 };

static const struct verify_location keys_location = { VERIFY_KEYS, STREAM_HISTORY, 0, -1 };
static const struct verify_location counter_location = { VERIFY_COUNTER, STREAM_HISTORY, 0, -1 };

static bool is_same(const struct key_stats *x, const struct key_stats *y)
{
	bool same = x->count == y->count;

	for (uint32_t i = 0; same && i < x->count; i++)
		same = x->items[i].key_id == y->items[i].key_id &&
		       x->items[i].row_count == y->items[i].row_count &&
		       x->items[i].row_last == y->items[i].row_last &&
		       x->items[i].kinds == y->items[i].kinds;
	return same;
}

static void compare_keys(struct verify_run *v, int32_t number, const struct branch_keys *told,
			 const struct branch_keys *found)
{
	struct key_stats x;
	struct key_stats y;

	if (key_stats_decode(v->codec, v->answer, told->document, &x) ||
	    key_stats_decode(v->codec, v->answer, found->document, &y) ||
	    told->writer != found->writer || !is_same(&x, &y))
		verify_tell(
			v, &keys_location,
			"the list of keys that branch %d inherited from writer %d does not match "
			"the stored data",
			number, found->writer);
}

static int64_t own_rows(const struct verify_run *v, const struct branch_view *view)
{
	const struct branch_part *own = &view->parts[view->count - 1];
	int64_t rows = 0;

	for (size_t i = (size_t)own->writer_first;
	     i < v->writer_count && i < (size_t)own->writer_end; i++)
		rows += v->writers[i].is_there ? v->writers[i].told[0] : 0;
	return rows;
}

/* Writers that share a lane are of several branches. */
static void compare_rows(struct verify_run *v, const struct branch_info *b,
			 const struct branch_view *view, int64_t inherited)
{
	int64_t rows = inherited + own_rows(v, view);

	if (v->hot->next_writer > WRITER_MAX)
		return;
	if (b->number == v->hot->branch && rows != run_rows(v->hot))
		verify_tell(v, &counter_location,
			    "the run counts %lld rows, but its branch has %lld",
			    (long long)run_rows(v->hot), (long long)rows);
	if (b->number != v->hot->branch && rows < b->row_count)
		verify_tell(v, &counter_location,
			    "branch %d had %lld rows when it was abandoned, but has %lld",
			    b->number, (long long)b->row_count, (long long)rows);
}

/* The rows after all that is inherited. */
static int64_t end_of(const struct branch_view *view)
{
	int64_t end = 0;

	for (size_t i = 0; i + 1 < view->count; i++)
		end = view->parts[i].row_end > end ? view->parts[i].row_end : end;
	return end;
}

static err_t compare(struct verify_run *v, const struct branch_info *b)
{
	struct branch_rows_ask ask = {
		.run_id = v->item->run_id,
		.branch = b->number + 1,
		.at = { .step = INT64_MAX, .writer_end = BRANCH_WRITERS_OPEN },
	};
	struct branch_keys *told;
	struct branch_view view;
	struct branch_sum sum;
	size_t count;
	err_t e = branch_store_view(v->db, v->item->run_id, b->number, &view);

	if (!e)
		e = branch_store_list_keys(v->db, v->item->run_id, b->number, &told, &count);
	if (e)
		return e;
	ask.at.row_end = end_of(&view);
	e = branch_keys_sum(v->db, v->codec, &ask, &sum);
	if (e)
		return e;
	if (count != sum.count)
		verify_tell(v, &keys_location,
			    "branch %d inherited keys of %zu writers, but %zu are "
			    "recorded",
			    b->number, sum.count, count);
	for (size_t i = 0; i < count && count == sum.count; i++)
		compare_keys(v, b->number, &told[i], &sum.keys[i]);
	compare_rows(v, b, &view, sum.rows);
	return NULL;
}

static err_t check(struct verify_run *v, const struct branch_info *b)
{
	err_t e;

	arena_reset(v->answer);
	db_set_arena(v->db, v->answer);
	e = compare(v, b);
	if (!e || !db_is_up(v->db))
		return e;
	verify_tell(v, &keys_location, "cannot read branch %d: %s", b->number,
		    err_chain(v->answer, e));
	return NULL;
}

/* Numbers go without a gap to the one that is written into; a fork has none of number 0. */
static err_t check_some(struct verify_run *v, int32_t *after, size_t *ret_count)
{
	const struct branch_list list = { v->item->project_id, v->item->run_id, *after,
					  BRANCHES_AT_ONCE };
	struct branch_info *branches;
	err_t e;

	arena_reset(v->slice);
	db_set_arena(v->db, v->slice);
	e = branch_store_list(v->db, &list, &branches, ret_count);
	for (size_t i = 0; i < *ret_count && !e; i++) {
		if (branches[i].number != *after + 1 && (*after >= 0 || branches[i].number > 1))
			verify_tell(v, &keys_location, "branches %d to %d are missing", *after + 1,
				    branches[i].number - 1);
		*after = branches[i].number;
		e = check(v, &branches[i]);
	}
	return e;
}

err_t verify_branches(struct verify_run *v)
{
	size_t count = BRANCHES_AT_ONCE;
	int32_t last = -1;
	err_t e = NULL;

	if (!v->hot->branch || v->broken[0])
		return NULL;
	while (!e && count == BRANCHES_AT_ONCE)
		e = check_some(v, &last, &count);
	db_set_arena(v->db, v->answer);
	arena_reset(v->answer);
	if (!e && last != v->hot->branch)
		verify_tell(v, &keys_location, "the run is at branch %d, but the last branch is %d",
			    v->hot->branch, last);
	return e;
}
