#include "run_branch.h"

#include <inttypes.h>

#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "branch_keys.h"
#include "leaf_store.h"
#include "metric_cache.h"
#include "move_store.h"
#include "rewound_summary.h"
#include "run_target.h"
#include "run_view.h"
#include "sdk_role.h"
#include "search_store.h"
#include "tail_store.h"
#include "writer.h"

/* ---- both ----------------------------------------------------------------------------------------- */

static err_t view_of(struct request *q, const struct run *run, struct branch_view *ret_view)
{
	*ret_view = branch_of_run(q->arena, run->run_id);
	return run->branch ? branch_store_view(q->db, run->run_id, run->branch, ret_view) : NULL;
}

static struct branch_point end_of(const struct run *run, int64_t step)
{
	return (struct branch_point){
		.step = step,
		.row_end = run->next_row,
		.writer_end = run->next_writer < WRITER_OVERFLOW ? run->next_writer
								 : WRITER_OVERFLOW,
	};
}

/* The heritage of a new branch. If it is large, most of it is read before the run is locked. */
struct heritage {
	struct branch_summing *summing;
	int32_t branch; /* that it was read of */
};

enum { LEFT_FOR_LOCK = 4096, READ_AHEAD_TIMES = 8 };

static err_t read_heritage(struct heritage *h, const struct run *run, int64_t step)
{
	const struct branch_rows_ask ask = { run->run_id, run->branch + 1, end_of(run, step) };

	return branch_summing_read(h->summing, &ask);
}

static err_t read_ahead(struct request *q, int64_t run_id, int64_t step, struct heritage *ret_h)
{
	struct codec *codec = run_view_reader(q).codec;
	int64_t read = 0;
	struct run *run;
	err_t e = run_store_get(q->db, run_id, &run);

	if (e)
		return e;
	*ret_h = (struct heritage){ branch_summing_begin(q->db, codec), run->branch };
	for (int i = 0; i < READ_AHEAD_TIMES && !e && run->branch == ret_h->branch &&
			run->next_row - read > LEFT_FOR_LOCK;
	     i++) {
		e = read_heritage(ret_h, run, step);
		read = run->next_row;
		if (!e)
			e = run_store_get(q->db, run_id, &run);
	}
	return e;
}

/* Reads what came since, or all of it if the run was rewound in the meantime. The run is locked. */
static err_t read_rest(struct request *q, const struct run *run, int64_t step, struct heritage *h,
		       struct branch_sum *ret_sum)
{
	err_t e;

	if (run->branch != h->branch)
		h->summing = branch_summing_begin(q->db, run_view_reader(q).codec);
	e = read_heritage(h, run, step);
	if (!e)
		branch_summing_end(h->summing, ret_sum);
	return e;
}

/* Makes the run show its heritage and count on from there. */
static err_t take_over(struct request *q, struct run *run, const struct branch_sum *sum)
{
	const struct branch_begin begin = { run->run_id, run->branch, run->branch_writer,
					    run->branch_row };
	err_t e = branch_store_begin(q->db, &begin);

	if (!e)
		e = branch_store_save_keys(q->db, run->run_id, run->branch, sum->keys, sum->count);
	if (e)
		return e;
	run->hidden_rows = run->next_row - sum->rows;
	run->last_step = sum->last_step;
	q->target->resized = run->run_id;
	return NULL;
}

/* ---- rewind --------------------------------------------------------------------------------------- */

/* Keeps the branch before, as the run showed it. */
static err_t leave(struct request *q, const struct run_reader *reader, const struct run *run,
		   const struct branch_view *view)
{
	const struct json_doc *config;
	const struct json_doc *summary;
	struct branch_end end = {
		.run_id = run->run_id,
		.number = run->branch,
		.view = branch_left(q->arena, view, run->next_writer),
		.left_at = q->now,
		.row_count = run_rows(run),
		.last_step = run->last_step,
	};
	const struct branch_new first = {
		.run_id = run->run_id,
		.source_id = run->run_id,
		.step = -1,
		.view = *view,
		.made_at = q->now,
	};
	err_t e = run->branch ? NULL : branch_store_insert(q->db, &first);

	if (!e)
		e = run_documents_config(reader, run, &config);
	if (!e)
		e = run_documents_summary(reader, run, &summary);
	if (e)
		return e;
	end.config = json_doc_dump(q->arena, config);
	end.summary = json_doc_dump(q->arena, summary);
	return branch_store_leave(q->db, &end);
}

/* Reads the names of all metrics of the branch before. */
static err_t metric_names(struct request *q, const struct run_reader *reader, const struct run *run,
			  struct str **ret_names, size_t *ret_count)
{
	struct key_stats stats;
	int32_t *ids;
	err_t e = run_documents_keys(reader, run->project_id, run->run_id, STREAM_HISTORY, &stats);

	if (e)
		return e;
	ids = arena_new_array(q->arena, int32_t, stats.count);
	for (uint32_t i = 0; i < stats.count; i++)
		ids[i] = (int32_t)stats.items[i].key_id;
	*ret_count = stats.count;
	*ret_names = arena_new_array(q->arena, struct str, stats.count);
	return metric_cache_names(reader->metrics, q->db, run->project_id, ids, stats.count,
				  *ret_names);
}

static err_t save_summary(struct request *q, const struct leaf_document *of,
			  const struct json_doc *doc)
{
	struct leaves_size size = { .values = 0 };
	struct merged_row merged = { .tangled = false };
	struct leaves leaves;
	err_t e;

	leaves_split(q->arena, doc, LEAVES_AND_OBJECTS, &leaves);
	for (size_t i = 0; i < leaves.count; i++) {
		leaves.at[i].shared = true; /* if it is not, a search for other owners finds none */
		leaves_count(q->arena, &size, &leaves.at[i], 1);
	}
	merged.value_count = size.values;
	merged.size_bytes = size.bytes;
	merged.path_bytes = size.paths;
	e = leaf_store_drop_all(q->db, of);
	if (!e)
		e = leaf_store_save(q->db, of, &leaves);
	return e ? e : leaf_store_save_merged(q->db, of, &merged);
}

/* Call it before the branch changes, since it reads the metrics of the old one. */
static err_t rewind_summary(struct request *q, const struct run_reader *reader,
			    const struct run *run)
{
	const struct leaf_document of = { run->run_id, DOCUMENT_SUMMARY };
	struct leaves leaves;
	struct str *names;
	size_t count;
	err_t e = leaf_store_list(q->db, &of, &leaves);

	if (e || !leaves.count)
		return e;
	e = metric_names(q, reader, run, &names, &count);
	return e ? e : save_summary(q, &of, rewound_summary(q->arena, &leaves, names, count));
}

static err_t begin_branch(struct request *q, struct run *run, const struct branch_view *from,
			  int64_t step, const struct branch_sum *sum)
{
	struct branch_point at = end_of(run, step);
	struct branch_new branch = {
		.run_id = run->run_id,
		.number = run->branch + 1,
		.source_id = run->run_id,
		.source_branch = run->branch,
		.step = step,
		.row_first = run->next_row,
		.made_at = q->now,
		.user_id = q->identity->user_id,
	};
	err_t e = branch_from(q->arena, from, &at, run->run_id, &branch.view);

	if (!e)
		e = branch_store_insert(q->db, &branch);
	if (!e)
		e = branch_store_set_aside(q->db, run->run_id, run->branch, STR(SDK_PLAIN_CLIENT));
	run->branch_writer = run->next_writer;
	run->branch++;
	return e ? e : take_over(q, run, sum);
}

static err_t rewind_locked(struct request *q, struct run *run, int64_t step, struct heritage *h)
{
	const struct run_reader reader = run_view_reader(q);
	struct branch_view before;
	struct branch_sum sum;
	err_t e = read_rest(q, run, step, h, &sum);

	if (!e)
		e = view_of(q, run, &before);
	if (!e)
		e = leave(q, &reader, run, &before);
	if (!e)
		e = rewind_summary(q, &reader, run);
	return e ? e : begin_branch(q, run, &before, step, &sum);
}

err_t run_branch_rewind(struct request *q, int64_t step)
{
	const char *reason = arena_printf(q->arena, "rewound to step %" PRId64, step);
	struct run_changes changes = { .count = 0 };
	struct heritage heritage;
	struct run *run;
	err_t e = run_store_get(q->db, q->target->run_id, &run);

	if (e || step >= run->last_step)
		return e;
	e = read_ahead(q, run->run_id, step, &heritage);
	if (!e)
		e = run_target_lock(q, &run);
	if (e || step >= run->last_step)
		return e;
	e = rewind_locked(q, run, step, &heritage);
	if (e)
		return e;
	run_rewind(run, q->identity->user_id, reason, run_target_clock(q), &changes);
	return run_target_save(q, run, &changes);
}

/* ---- fork ----------------------------------------------------------------------------------------- */

static err_t find_parent(struct request *q, struct str name, int64_t *ret_run_id)
{
	struct run_info *info;
	err_t e;

	if (str_equal(name, q->target->run))
		return err_field(q->arena, ERR_INVALID, "forked_from",
				 "a run cannot be forked from itself: use rewind");
	e = run_store_find_info(q->db, q->target->project_id, name, &info);
	if (e)
		return e;
	if (!info)
		return err_field(q->arena, ERR_NOT_FOUND, "forked_from",
				 "the run \"%.*s\" to fork from does not exist", STR_ARG(name));
	*ret_run_id = info->run_id;
	return NULL;
}

/* Locks both in their order, so that no writer changes the parent while its numbers are read, and it is not purged. */
static err_t lock_both(struct request *q, int64_t parent_id, struct run **ret_parent,
		       struct run **ret_run)
{
	bool is_first = q->target->run_id < parent_id;
	err_t e = is_first ? run_target_lock(q, ret_run) : NULL;

	if (!e)
		e = run_store_lock(q->db, parent_id, ret_parent);
	if (!e)
		e = run_check_project(q->arena, *ret_parent, q->target->project_id);
	return e || is_first ? e : run_target_lock(q, ret_run);
}

static err_t is_fork(struct request *q, const struct run_fork *fork, bool *ret_is)
{
	struct run_info *info;
	err_t e = run_target_info(q, &info);

	*ret_is = !e && str_equal(info->forked_from, fork->parent) &&
		  info->forked_step == fork->step;
	return e;
}

/* Narrows the visibility of the run. */
static err_t narrow(struct request *q, int16_t visibility)
{
	const struct audit_event event = {
		.action = AUDIT_RUN_VISIBILITY,
		.detail = str_of(visibility_name((enum visibility)visibility)),
	};
	const struct target *t = q->target;
	err_t e = search_store_show(q->db, t->project_id, t->run_id, visibility);

	if (!e)
		e = move_store_show_left(q->db, t->run_id, visibility);
	auth_forget(q);
	return e ? e : audit_note(q, &event);
}

/* Both runs are locked, so the parent's visibility cannot change here. */
static err_t note_fork(struct request *q, const struct run_fork *fork)
{
	struct run_info *parent;
	struct run_info *info;
	enum visibility before, narrower;
	err_t e = run_store_find_info(q->db, q->target->project_id, fork->parent, &parent);

	if (!e && !parent)
		e = err_new(q->arena, ERR_GONE, "the run to fork from was deleted");
	if (!e)
		e = run_target_info(q, &info);
	if (e)
		return e;
	before = (enum visibility)info->visibility;
	narrower = access_narrower((enum visibility)parent->visibility, before);
	if (fork->says_visibility && narrower != before) {
		e = auth_may_show(q, VISIBILITY_PRIVATE, VISIBILITY_PUBLIC);
		narrower = before;
	}
	if (e)
		return e;
	info->visibility = (int16_t)narrower;
	info->forked_from = fork->parent;
	info->forked_step = fork->step;
	e = branch_store_note_fork(q->db, q->target->project_id, info);
	return e || narrower == before ? e : narrow(q, info->visibility);
}

/* Its writers that have joined already get numbers after those of the other run. */
static err_t make_room(struct request *q, struct run *run, const struct run *parent)
{
	int32_t writers = run->next_writer;
	int32_t first = parent->next_writer > writers ? parent->next_writer : writers;

	if (writers && first + writers > WRITER_OVERFLOW)
		return err_new(q->arena, ERR_CONFLICT, "both runs together have too many writers");
	run->branch_writer = first;
	run->next_writer = first + writers;
	return writers ? branch_store_renumber(q->db, run->run_id, first) : NULL;
}

static err_t join_branches(struct request *q, struct run *run, const struct run *parent,
			   int64_t step, const struct branch_sum *sum)
{
	struct branch_point at = end_of(parent, step);
	struct branch_new branch = {
		.run_id = run->run_id,
		.number = 1,
		.source_id = parent->run_id,
		.source_branch = parent->branch,
		.step = step,
		.row_first = parent->next_row,
		.made_at = q->now,
		.user_id = q->identity->user_id,
	};
	struct branch_view from;
	err_t e = view_of(q, parent, &from);

	if (!e)
		e = branch_from(q->arena, &from, &at, run->run_id, &branch.view);
	if (!e)
		e = branch_store_insert(q->db, &branch);
	if (!e)
		e = make_room(q, run, parent);
	run->branch = 1;
	run->branch_row = run->next_row = parent->next_row;
	return e ? e : take_over(q, run, sum);
}

/* A run that goes on from another, or that another goes on from, could not be brought back. */
static err_t check_claim(struct request *q, const struct run *run)
{
	timestamp_us moved_at;
	err_t e = move_store_find_claim(q->db, run->run_id, q->target->entity_id, &moved_at);

	if (e || !moved_at.us || moved_at.us + q->app->config->grace_s * 1000000 <= q->now.us)
		return e;
	return err_field(q->arena, ERR_CONFLICT, "forked_from",
			 "cannot fork: the run was moved here from another user or team, whose "
			 "admins can still bring it back");
}

static err_t cannot_fork(struct request *q, const struct run *run)
{
	return err_field(q->arena, ERR_CONFLICT, "forked_from",
			 run->branch
				 ? "the run \"%.*s\" was already forked or rewound"
				 : "the run \"%.*s\" already has rows or console lines: fork it "
				   "before others write to it",
			 STR_ARG(q->target->run));
}

err_t run_branch_fork(struct request *q, const struct run_fork *fork)
{
	struct run_changes none = { .count = 0 };
	struct heritage heritage;
	struct branch_sum sum;
	struct run *parent;
	struct run *run;
	int64_t parent_id;
	bool is_done;
	err_t e = is_fork(q, fork, &is_done);

	if (e || is_done)
		return e;
	e = find_parent(q, fork->parent, &parent_id);
	if (!e)
		e = read_ahead(q, parent_id, fork->step, &heritage);
	if (!e)
		e = lock_both(q, parent_id, &parent, &run);
	if (!e)
		e = is_fork(q, fork, &is_done); /* by another process meanwhile */
	if (e || is_done)
		return e;
	if (!run_can_be_forked(run))
		return cannot_fork(q, run);
	e = check_claim(q, parent);
	if (!e)
		e = check_claim(q, run);
	if (!e)
		e = read_rest(q, parent, fork->step, &heritage, &sum);
	if (!e)
		e = join_branches(q, run, parent, fork->step, &sum);
	if (!e)
		e = note_fork(q, fork);
	return e ? e : run_target_save(q, run, &none);
}
