/*
 * What a branch inherited is summed once, when it is made: that must be what lies there, and with what its own
 * writers logged it must be all that the run shows. Of the branch that is written into; the others were it once.
 */
#include "arena.h"
#include "branch_keys.h"
#include "key_stats.h"
#include "verify_run.h"

static const struct verify_place keys_place = { VERIFY_KEYS, STREAM_HISTORY, 0, -1 };
static const struct verify_place counter_place = { VERIFY_COUNTER, STREAM_HISTORY, 0, -1 };

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

static void compare_keys(struct verify_run *v, const struct branch_keys *told,
			 const struct branch_keys *found)
{
	struct key_stats x;
	struct key_stats y;

	if (key_stats_decode(v->codec, v->page, told->document, &x) ||
	    key_stats_decode(v->codec, v->page, found->document, &y) ||
	    told->writer != found->writer || !is_same(&x, &y))
		verify_tell(
			v, &keys_place,
			"the list of the keys that branch %d inherited of writer %d is not what "
			"lies there",
			v->hot->branch, found->writer);
}

/* Writers that share a lane are of several branches. */
static void compare_rows(struct verify_run *v, int64_t inherited)
{
	int64_t rows = inherited;

	for (size_t i = (size_t)v->hot->branch_writer; i < v->writer_count; i++)
		rows += v->writers[i].is_there ? v->writers[i].told[0] : 0;
	if (v->hot->next_writer <= WRITER_MAX && rows != run_rows(v->hot))
		verify_tell(v, &counter_place, "the run shows %lld rows, its branch has %lld",
			    (long long)run_rows(v->hot), (long long)rows);
}

/* Behind all that is inherited. */
static int64_t end_of(const struct branch_view *view)
{
	int64_t end = 0;

	for (size_t i = 0; i + 1 < view->count; i++)
		end = view->parts[i].row_end > end ? view->parts[i].row_end : end;
	return end;
}

static err_t compare(struct verify_run *v, const struct branch_view *view)
{
	struct branch_keys *told;
	struct branch_sum sum;
	size_t count;
	err_t e;

	e = branch_store_list_keys(v->db, v->item->run_id, v->hot->branch, &told, &count);
	if (!e)
		e = branch_keys_sum(v->db, v->codec, v->item->run_id, end_of(view), &sum);
	if (e)
		return e;
	if (count != sum.count)
		verify_tell(v, &keys_place, "branch %d inherited keys of %zu writers, %zu are told",
			    v->hot->branch, sum.count, count);
	for (size_t i = 0; i < count && count == sum.count; i++)
		compare_keys(v, &told[i], &sum.keys[i]);
	compare_rows(v, sum.rows);
	return NULL;
}

err_t verify_branch(struct verify_run *v)
{
	struct branch_view view;
	err_t e;

	arena_reset(v->page);
	if (!v->hot->branch || v->broken[0])
		return NULL;
	e = branch_store_view(v->db, v->item->run_id, v->hot->branch, &view);
	if (!e)
		e = compare(v, &view);
	if (!e || !db_is_up(v->db))
		return e;
	verify_tell(v, &keys_place, "branch %d cannot be read: %s", v->hot->branch,
		    err_chain(v->page, e));
	return NULL;
}
