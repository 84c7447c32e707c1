#include "panel_writer.h"

#include "arena.h"
#include "auth.h"
#include "db.h"
#include "labels.h"
#include "rollup.h"
#include "series_clocks.h"
#include "series_fold.h"

enum {
	SLICE_CELLS = 512 << 10, /* 112 bytes each */
	SLICE_BUCKETS = 64 << 10,
	SLICE_RUNS = 512,
};

/* ---- the state ------------------------------------------------------------------------------------ */

const struct series_panel *panel_writer_panel(const struct panel_writer *w)
{
	return &w->question.panels[w->panel];
}

const struct series_members *panel_writer_members(const struct panel_writer *w)
{
	if (w->phase == PHASE_GROUPS)
		return &w->question.groups[w->group].members;
	if (w->phase == PHASE_GRID && w->group)
		return &w->question.groups[w->group - 1].members;
	return &w->question.shown;
}

void panel_writer_enter(struct panel_writer *w, enum phase phase)
{
	w->phase = phase;
	w->at = (struct panel_position){ 0, 0 };
	w->group = 0;
	w->summed = (struct key_span){ 0, 0 };
}

void panel_writer_next_panel(struct panel_writer *w)
{
	w->panel++;
	w->has_etag = false;
	panel_writer_enter(w, PHASE_PANEL);
}

struct key_span panel_writer_keys(const struct panel_writer *w)
{
	return (struct key_span){ 0, w->id_count };
}

/* ---- slices --------------------------------------------------------------------------------------- */

static uint64_t cells_of(const struct series_panel *panel, const struct series_member *member)
{
	int64_t rows = panel->axis.stream == STREAM_EVENTS ? member->events : member->rows;

	if (axis_is_by_rows(&panel->axis)) /* a clock is read with the keys */
		rows += member->rows;
	return (uint64_t)rows / CELL_VALUES + 1;
}

/* The buckets of the clocks count too. */
static size_t most_runs(const struct series_panel *panel)
{
	return axis_is_by_rows(&panel->axis) ? SLICE_BUCKETS / CLOCK_BUCKETS : SLICE_RUNS;
}

static size_t at_least_one(uint64_t most, size_t there)
{
	if (most < 1)
		most = 1;
	return most < there ? (size_t)most : there;
}

struct panel_slice panel_writer_slice(const struct panel_writer *w,
				      const struct series_members *all,
				      const struct panel_position *at, struct key_span keys)
{
	const struct series_panel *panel = panel_writer_panel(w);
	uint64_t most = SLICE_BUCKETS / panel->buckets;
	uint64_t cells = cells_of(panel, &all->at[at->member]);
	size_t runs = most_runs(panel);
	struct panel_slice slice = { .members = &all->at[at->member],
				     .member_count = 1,
				     .ids = w->ids + at->key,
				     .id_count = keys.first + keys.count - at->key };

	slice.id_count = at_least_one(most, slice.id_count);
	slice.id_count = at_least_one(SLICE_CELLS / cells, slice.id_count);
	if (slice.id_count < keys.count)
		return slice;
	while (at->member + slice.member_count < all->count && slice.member_count < runs) {
		cells += cells_of(panel, &slice.members[slice.member_count]);
		if (cells * slice.id_count > SLICE_CELLS ||
		    (slice.member_count + 1) * slice.id_count > most)
			break;
		slice.member_count++;
	}
	return slice;
}

void panel_writer_pass_slice(struct panel_position *at, const struct panel_slice *slice,
			     struct key_span keys)
{
	at->key += slice->id_count;
	if (at->key < keys.first + keys.count)
		return;
	at->key = keys.first;
	at->member += slice->member_count;
}

err_t panel_writer_ask(struct request *q, const struct panel_writer *w,
		       const struct panel_slice *slice, struct sampled_ask *ret_ask)
{
	int64_t *runs = arena_new_array(db_arena(q->db), int64_t, slice->member_count);
	const struct series_panel *panel = panel_writer_panel(w);

	*ret_ask = (struct sampled_ask){
		.series = { .run_ids = runs,
			    .stream = panel->axis.stream,
			    .key_ids = slice->ids,
			    .key_count = slice->id_count,
			    .project_id = q->target->project_id },
		.x = panel->axis.x,
		.range = panel->range,
		.buckets = panel->buckets,
		.split = panel->split,
		.is_rate = panel->is_rate,
		.clocks = w->clocks,
	};
	return series_ask_still(q, slice->members, slice->member_count, runs,
				&ret_ask->series.run_count);
}

err_t panel_writer_sample(struct request *q, struct panel_writer *w, struct codec *codec,
			  const struct panel_slice *slice, struct sampled_answer *ret_answer)
{
	struct sampled_ask ask;
	err_t e = panel_writer_ask(q, w, slice, &ask);

	*ret_answer = (struct sampled_answer){ 0 };
	ask.grid = &w->grid;
	if (w->phase == PHASE_GROUPS) {
		ask.split = SERIES_SPLIT_RUN;
		ask.is_rate = false;
	}
	return e ? e : series_sampled(q->db, codec, &ask, ret_answer);
}

/* ---- pieces --------------------------------------------------------------------------------------- */

static void put_times(struct json_out *o, const int64_t *times, uint32_t count)
{
	json_out_key(o, "times");
	json_out_array(o);
	for (uint32_t i = 0; i < count; i++)
		json_out_real(o, (double)times[i] / 1e6);
	json_out_array_end(o);
}

void panel_writer_write_panel(struct panel_writer *w, struct pieces *p)
{
	const struct series_panel *panel = panel_writer_panel(w);
	struct piece piece = piece_begin(p, "panel", w->panel);
	struct json_out *o = &piece.out;

	json_out_put_text(o, "x", panel->axis.name);
	json_out_put_int(o, "buckets", panel->buckets);
	if (w->has_etag)
		json_out_put_text(o, "etag", str_of(w->etag));
	if (w->grid.from <= w->grid.to) {
		axis_put(o, "from", &panel->axis, w->grid.from);
		axis_put(o, "to", &panel->axis, w->grid.to);
	} else {
		json_out_put_null(o, "from");
		json_out_put_null(o, "to");
	}
	axis_put_aside(o, &panel->axis, &w->aside);
	if (w->times)
		put_times(o, w->times, panel->buckets + 1);
	json_out_key(o, "missing");
	json_out_array(o);
	for (size_t i = 0; i < w->question.missing_count; i++)
		json_out_text(o, w->question.missing[i]);
	json_out_array_end(o);
	piece_end_plain(p, &piece);
}

void panel_writer_write_same(struct panel_writer *w, struct pieces *p)
{
	struct piece piece = piece_begin(p, "same", w->panel);

	json_out_put_text(&piece.out, "etag", str_of(w->etag));
	piece_end_plain(p, &piece);
}

void panel_writer_write_error(struct panel_writer *w, struct pieces *p, err_t e)
{
	struct piece piece = piece_begin(p, "error", w->panel);

	json_out_put_int(&piece.out, "status", 422);
	json_out_put_text(&piece.out, "detail", str_of(e->message));
	json_out_put_text(&piece.out, "field", str_of(e->field ? e->field : "panels"));
	piece_end_plain(p, &piece);
}

static struct str key_name(const struct panel_writer *w, int32_t key_id)
{
	for (size_t i = 0; i < w->id_count; i++) {
		if (w->ids[i] == key_id)
			return *w->id_names[i];
	}
	return STR("");
}

static struct str run_name(const struct panel_slice *slice, int64_t run_id)
{
	for (size_t i = 0; i < slice->member_count; i++) {
		if (slice->members[i].run_id == run_id)
			return slice->members[i].name;
	}
	return STR("");
}

static err_t label_name(struct request *q, const struct sampled *s, struct labels *labels,
			int64_t *labels_of_run, struct str *ret_label)
{
	err_t e = NULL;

	if (*labels_of_run != s->run_id)
		e = labels_read_of(q, s->run_id, labels);
	*labels_of_run = s->run_id;
	if (!e)
		*ret_label = labels_of(labels, s->writer);
	return e;
}

err_t panel_writer_write_series(struct request *q, struct panel_writer *w, struct pieces *p,
				const struct panel_slice *slice, struct sampled_answer *answer)
{
	struct labels labels = { 0 };
	int64_t labels_of_run = INT64_MIN;
	const struct str *hosts = NULL;
	err_t e = series_fold(q, panel_writer_panel(w), answer, &hosts);

	if (e)
		return e;
	p->columns = panel_writer_panel(w)->columns;
	for (size_t i = 0; i < answer->count; i++) {
		const struct sampled *s = &answer->series[i];
		struct piece piece;
		struct str label;

		if (!s->count)
			continue;
		piece = piece_begin(p, "series", w->panel);
		json_out_put_text(&piece.out, "run", run_name(slice, s->run_id));
		json_out_put_text(&piece.out, "key", key_name(w, s->key_id));
		if (hosts && hosts[i].len) {
			json_out_put_text(&piece.out, "host", hosts[i]);
		} else if (s->writer >= 0) {
			e = label_name(q, s, &labels, &labels_of_run, &label);
			if (e)
				return e;
			json_out_put_text(&piece.out, "label", label);
			json_out_put_int(&piece.out, "writer", s->writer);
		}
		piece_end_series(p, &piece, &panel_writer_panel(w)->axis, s);
	}
	return NULL;
}

/* ---- groups: all their runs are added up, bucket for bucket, key after key --------------------------- */

/* Returns of how many keys all buckets may be held at once: at least one, at most `left`. */
static size_t keys_at_once(const struct series_panel *panel, size_t left)
{
	return at_least_one(SLICE_BUCKETS / panel->buckets, left);
}

/* An empty group has a piece, too. */
static size_t most_members(const struct panel_writer *w)
{
	return panel_writer_members(w)->count ? panel_writer_members(w)->count : 1;
}

/* How many numbers of one key are kept for the group; 0: no percentiles were asked for. */
static size_t kept_of_key(const struct panel_writer *w)
{
	const struct series_panel *panel = panel_writer_panel(w);

	return panel->percentiles ? most_members(w) * panel->buckets : 0;
}

/* The room is in use until the keys are written. ERR_BUSY: the server lacks the memory now, and the client asks again. */
static err_t take_room(struct request *q, struct panel_writer *w, size_t sums, size_t kept)
{
	size_t bytes = sums * sizeof(w->sums[0]) + kept * sizeof(w->kept[0]);

	if (!arena_may_read(w->keeping, bytes))
		return err_new(db_arena(q->db), ERR_BUSY,
			       "the server's memory for groups is in use");
	w->sums = arena_new_array(w->keeping, struct group_bucket, sums);
	w->kept = kept ? arena_alloc(w->keeping, kept * sizeof(w->kept[0])) : NULL;
	return NULL;
}

static err_t begin_sums(struct request *q, struct panel_writer *w)
{
	uint32_t buckets = panel_writer_panel(w)->buckets;
	size_t keys = keys_at_once(panel_writer_panel(w), w->id_count - w->at.key);
	const size_t kept = kept_of_key(w);
	err_t e;

	if (kept > SERIES_KEPT_MAX)
		return err_field(q->arena, ERR_UNPROCESSABLE, "percentiles",
				 "too many values for percentiles: %zu runs in %u buckets, the "
				 "limit is %d values",
				 panel_writer_members(w)->count, buckets, SERIES_KEPT_MAX);
	if (kept && keys > SERIES_KEPT_MAX / kept)
		keys = SERIES_KEPT_MAX / kept;
	e = take_room(q, w, keys * buckets, keys * kept);
	if (!e)
		w->summed = (struct key_span){ w->at.key, keys };
	return e;
}

static bool has_values(const struct group_bucket *sums, uint32_t buckets)
{
	uint32_t i = 0;

	while (i < buckets && !group_has(&sums[i]))
		i++;
	return i < buckets;
}

/* To a reader who does not see private runs, a key that only those have is like a key that no run has: no piece. */
static bool is_hidden(const struct request *q, const struct group_bucket *sums, uint32_t buckets)
{
	return !q->target->sees_private && !has_values(sums, buckets);
}

static void write_sums(const struct request *q, struct panel_writer *w, struct pieces *p)
{
	const struct series_group *group = &w->question.groups[w->group];
	const size_t kept = kept_of_key(w);
	uint32_t buckets = panel_writer_panel(w)->buckets;

	for (size_t i = 0; i < w->summed.count; i++) {
		struct group_bucket *sums = w->sums + i * buckets;
		struct piece piece;

		if (is_hidden(q, sums, buckets))
			continue;
		piece = piece_begin(p, "group", w->panel);

		json_out_put_text(&piece.out, "group", group->name);
		json_out_put_text(&piece.out, "key", *w->id_names[w->summed.first + i]);
		json_out_put_int(&piece.out, "runs", (int64_t)group->members.count);
		piece_end_group(p, &piece, &panel_writer_panel(w)->axis,
				&(struct group_sums){
					.buckets = sums,
					.count = buckets,
					.kept = kept ? w->kept + i * kept : NULL,
					.most = most_members(w),
				});
	}
}

static void add_up(struct panel_writer *w, const struct sampled_answer *answer)
{
	const uint32_t buckets = panel_writer_panel(w)->buckets;
	const size_t kept = kept_of_key(w);

	for (size_t i = 0; i < answer->count; i++) {
		const struct sampled *s = &answer->series[i];
		struct group_bucket *sums;
		size_t key = 0;

		while (w->ids[w->summed.first + key] != s->key_id)
			key++;
		sums = w->sums + key * buckets;
		if (kept)
			group_keep(w->kept + key * kept, most_members(w), sums, s->buckets,
				   s->count);
		group_add(sums, s->buckets, s->count);
	}
}

/* Goes on to the next keys of the group, or to the next group. */
static void next_sums(struct panel_writer *w)
{
	w->at = (struct panel_position){ 0, w->summed.first + w->summed.count };
	w->summed.count = 0;
	arena_reset(w->keeping);
	if (w->at.key < w->id_count)
		return;
	w->at.key = 0;
	w->group++;
}

err_t panel_writer_do_groups(struct request *q, struct panel_writer *w, struct codec *codec,
			     struct pieces *p)
{
	struct sampled_answer answer;
	struct panel_slice slice;
	err_t e;

	if (w->group == w->question.group_count || !w->id_count) {
		panel_writer_next_panel(w);
		return NULL;
	}
	if (!w->summed.count) {
		e = begin_sums(q, w);
		if (e && e->kind == ERR_BUSY)
			return e;
		if (e) {
			panel_writer_write_error(w, p, e);
			w->at.key = 0;
			w->group++;
			return NULL;
		}
	}
	if (w->at.member == panel_writer_members(w)->count) {
		write_sums(q, w, p);
		next_sums(w);
		return NULL;
	}
	slice = panel_writer_slice(w, panel_writer_members(w), &w->at, w->summed);
	e = panel_writer_sample(q, w, codec, &slice, &answer);
	if (e && e->kind == ERR_UNPROCESSABLE) {
		panel_writer_write_error(w, p, e);
		next_sums(w);
		return NULL;
	}
	if (e)
		return e;
	add_up(w, &answer);
	panel_writer_pass_slice(&w->at, &slice, w->summed);
	return NULL;
}
