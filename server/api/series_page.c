/*
 * Panel after panel: its grid, then the runs shown, then the groups. Each call does one batch. A panel that is one batch tells its grid by itself; else all of it is looked at twice.
 */
#include "series_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "auth.h"
#include "db.h"
#include "labels.h"
#include "metric_cache.h"
#include "reply.h"
#include "run_view.h"
#include "series_batch.h"
#include "series_fold.h"
#include "series_piece.h"

enum { KEEPING = 1 << 10 }; /* bytes of an arena that grows where groups are added up */

enum phase { PHASE_PANEL, PHASE_GRID, PHASE_SERIES, PHASE_GROUPS };

struct maker {
	struct series_page page;
	bool begun;
	bool any; /* a piece was written */
	size_t panel;
	enum phase phase;
	struct place at;
	size_t group;              /* in PHASE_GRID: 0 the runs shown, then the groups */
	struct span summed;        /* keys that are being added up */
	struct arena *keeping;     /* of both that follow, given back before the client reads */
	struct group_bucket *sums; /* of each of them, all buckets */
	double *kept;              /* and what each run has there, for percentiles */
	struct series_range grid;
	int32_t *ids; /* of the panel's keys, ascending, without those there are not */
	size_t id_count;
	const struct str **id_names;
};

static const struct series_range nothing = { INT64_MAX, INT64_MIN };

static const struct series_panel *panel_of(const struct maker *m)
{
	return &m->page.panels[m->panel];
}

/* ---- batches ------------------------------------------------------------------------------------ */

static struct batch next_batch(const struct maker *m, const struct series_members *all,
			       const struct place *at, struct span keys)
{
	return batch_next(panel_of(m), m->ids, all, at, keys);
}

static struct span all_keys(const struct maker *m)
{
	return (struct span){ 0, m->id_count };
}

static err_t ask_of(struct request *q, const struct maker *m, const struct batch *b,
		    struct sampled_ask *ask)
{
	int64_t *runs = arena_new_array(db_arena(q->db), int64_t, b->member_count);
	const struct series_panel *panel = panel_of(m);

	*ask = (struct sampled_ask){
		.series = { .run_ids = runs,
			    .stream = panel->axis.stream,
			    .key_ids = b->ids,
			    .key_count = b->id_count,
			    .project_id = q->target->project_id },
		.x = panel->axis.x,
		.range = panel->range,
		.buckets = panel->buckets,
		.split = panel->split,
	};
	return series_ask_still(q, b->members, b->member_count, runs, &ask->series.run_count);
}

/* ---- pieces ------------------------------------------------------------------------------------- */

static void write_panel(struct maker *m, struct pieces *p)
{
	const struct series_panel *panel = panel_of(m);
	struct piece piece = piece_begin(p, "panel", m->panel);
	struct json_out *o = &piece.out;

	json_out_put_text(o, "x", panel->axis.name);
	json_out_put_int(o, "buckets", panel->buckets);
	if (m->grid.from <= m->grid.to) {
		axis_put(o, "from", &panel->axis, m->grid.from);
		axis_put(o, "to", &panel->axis, m->grid.to);
	} else {
		json_out_put_null(o, "from");
		json_out_put_null(o, "to");
	}
	json_out_key(o, "missing");
	json_out_array(o);
	for (size_t i = 0; i < m->page.missing_count; i++)
		json_out_text(o, m->page.missing[i]);
	json_out_array_end(o);
	piece_end_plain(p, &piece);
}

/* What went wrong with some of the answer; the rest goes on. */
static void write_error(struct maker *m, struct pieces *p, err_t e)
{
	struct piece piece = piece_begin(p, "error", m->panel);

	json_out_put_int(&piece.out, "status", 422);
	json_out_put_text(&piece.out, "detail", str_of(e->message));
	json_out_put_text(&piece.out, "field", str_of(e->field ? e->field : "panels"));
	piece_end_plain(p, &piece);
}

static struct str key_name(const struct maker *m, int32_t key_id)
{
	for (size_t i = 0; i < m->id_count; i++) {
		if (m->ids[i] == key_id)
			return *m->id_names[i];
	}
	return STR("");
}

static struct str run_name(const struct batch *b, int64_t run_id)
{
	for (size_t i = 0; i < b->member_count; i++) {
		if (b->members[i].run_id == run_id)
			return b->members[i].name;
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

static err_t write_series(struct request *q, struct maker *m, struct pieces *p,
			  const struct batch *b, struct sampled_answer *answer)
{
	struct labels labels = { 0 };
	int64_t labels_of_run = INT64_MIN;
	const struct str *hosts = NULL;
	err_t e = series_fold(q, panel_of(m), answer, &hosts);

	if (e)
		return e;
	p->columns = panel_of(m)->columns;
	for (size_t i = 0; i < answer->count; i++) {
		const struct sampled *s = &answer->series[i];
		struct piece piece;
		struct str label;

		if (!s->count)
			continue;
		piece = piece_begin(p, "series", m->panel);
		json_out_put_text(&piece.out, "run", run_name(b, s->run_id));
		json_out_put_text(&piece.out, "key", key_name(m, s->key_id));
		if (hosts && hosts[i].len) {
			json_out_put_text(&piece.out, "host", hosts[i]);
		} else if (s->writer >= 0) {
			e = label_name(q, s, &labels, &labels_of_run, &label);
			if (e)
				return e;
			json_out_put_text(&piece.out, "label", label);
			json_out_put_int(&piece.out, "writer", s->writer);
		}
		piece_end_series(p, &piece, &panel_of(m)->axis, s);
	}
	return NULL;
}

/* ---- phases ------------------------------------------------------------------------------------- */

struct named_id {
	int32_t id;
	const struct str *name;
};

static int by_id(const void *a, const void *b)
{
	const struct named_id *x = a;
	const struct named_id *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static err_t find_keys(struct request *q, struct maker *m, const struct run_reader *reader)
{
	struct series_panel *panel = &m->page.panels[m->panel];
	size_t count = panel->key_count + 1;
	struct str *names = arena_new_array(q->arena, struct str, count);
	int32_t *ids = arena_new_array(q->arena, int32_t, count);
	struct named_id *named = arena_new_array(q->arena, struct named_id, count);
	err_t e;

	memcpy(names, panel->keys, panel->key_count * sizeof(*names));
	names[count - 1] = axis_key_name(&panel->axis);
	e = metric_cache_find(reader->metrics, q->db, q->target->project_id, names, count, ids);
	if (e)
		return e;
	panel->axis.x.key_id = ids[count - 1];
	for (size_t i = 0; i < panel->key_count; i++)
		named[i] = (struct named_id){ ids[i], &names[i] };
	qsort(named, panel->key_count, sizeof(*named), by_id);
	m->ids = ids;
	m->id_names = arena_new_array(q->arena, const struct str *, count);
	m->id_count = 0;
	for (size_t i = 0; i < panel->key_count; i++) {
		if (named[i].id == INT32_MAX ||
		    (m->id_count && m->ids[m->id_count - 1] == named[i].id))
			continue;
		m->ids[m->id_count] = named[i].id;
		m->id_names[m->id_count++] = named[i].name;
	}
	return NULL;
}

static const struct series_members *members_of(const struct maker *m)
{
	if (m->phase == PHASE_GROUPS)
		return &m->page.groups[m->group].members;
	if (m->phase == PHASE_GRID && m->group)
		return &m->page.groups[m->group - 1].members;
	return &m->page.shown;
}

static void enter(struct maker *m, enum phase phase)
{
	m->phase = phase;
	m->at = (struct place){ 0, 0 };
	m->group = 0;
	m->summed = (struct span){ 0, 0 };
}

/* Everything at once: the grid is found on the way. */
static bool is_one_batch(const struct maker *m)
{
	struct place start = { 0, 0 };
	struct batch b;

	if (m->page.group_count || !m->page.shown.count || !m->id_count)
		return false;
	b = next_batch(m, &m->page.shown, &start, all_keys(m));
	return b.member_count == m->page.shown.count && b.id_count == m->id_count;
}

static err_t do_all(struct request *q, struct maker *m, struct codec *codec, struct pieces *p)
{
	struct place start = { 0, 0 };
	struct batch b = next_batch(m, &m->page.shown, &start, all_keys(m));
	struct sampled_answer answer;
	struct sampled_ask ask;
	err_t e = ask_of(q, m, &b, &ask);

	if (!e)
		e = series_sampled(q->db, codec, &ask, &answer);
	if (e && e->kind != ERR_UNPROCESSABLE)
		return e;
	m->grid = e ? nothing : answer.grid;
	write_panel(m, p);
	if (e)
		write_error(m, p, e);
	else
		e = write_series(q, m, p, &b, &answer);
	m->panel++;
	enter(m, PHASE_PANEL);
	return e && e->kind != ERR_UNPROCESSABLE ? e : NULL;
}

static bool asks_for_steps(const struct series_panel *panel)
{
	for (size_t i = 0; i < panel->key_count; i++) {
		if (axis_is_steps(panel->keys[i], panel->axis.stream))
			return true;
	}
	return false;
}

/* It stands beside panels of others, which are answered. */
static void refuse_panel(struct request *q, struct maker *m, struct pieces *p)
{
	m->grid = nothing;
	write_panel(m, p);
	write_error(m, p, axis_refuse_steps(q->arena, "keys"));
	m->panel++;
	enter(m, PHASE_PANEL);
}

static err_t do_panel(struct request *q, struct maker *m, const struct run_reader *reader,
		      struct pieces *p)
{
	err_t e;

	if (asks_for_steps(panel_of(m))) {
		refuse_panel(q, m, p);
		return NULL;
	}
	e = find_keys(q, m, reader);
	if (e)
		return e;
	m->grid = nothing;
	if (is_one_batch(m))
		return do_all(q, m, reader->codec, p);
	enter(m, PHASE_GRID);
	return NULL;
}

static err_t do_grid(struct request *q, struct maker *m, struct codec *codec, struct pieces *p)
{
	const struct series_members *members = members_of(m);
	struct series_range grid;
	struct sampled_ask ask;
	struct batch b;
	err_t e;

	if (m->at.member == members->count || !m->id_count) {
		m->at = (struct place){ 0, 0 };
		if (m->group++ < m->page.group_count)
			return NULL;
		write_panel(m, p);
		enter(m, PHASE_SERIES);
		return NULL;
	}
	b = next_batch(m, members, &m->at, all_keys(m));
	e = ask_of(q, m, &b, &ask);
	if (!e)
		e = series_sampled_grid(q->db, codec, &ask, &grid);
	if (e)
		return e;
	m->grid.from = grid.from < m->grid.from ? grid.from : m->grid.from;
	m->grid.to = grid.to > m->grid.to ? grid.to : m->grid.to;
	batch_pass(&m->at, &b, all_keys(m));
	return NULL;
}

static err_t sample(struct request *q, struct maker *m, struct codec *codec, const struct batch *b,
		    struct sampled_answer *ret_answer)
{
	struct sampled_ask ask;
	err_t e = ask_of(q, m, b, &ask);

	*ret_answer = (struct sampled_answer){ 0 };
	ask.grid = &m->grid;
	if (m->phase == PHASE_GROUPS)
		ask.split = SERIES_SPLIT_RUN;
	return e ? e : series_sampled(q->db, codec, &ask, ret_answer);
}

static err_t do_series(struct request *q, struct maker *m, struct codec *codec, struct pieces *p)
{
	const struct series_members *members = members_of(m);
	struct sampled_answer answer;
	struct batch b;
	err_t e;

	if (m->at.member == members->count || !m->id_count) {
		enter(m, PHASE_GROUPS);
		return NULL;
	}
	b = next_batch(m, members, &m->at, all_keys(m));
	e = sample(q, m, codec, &b, &answer);
	if (e && e->kind == ERR_UNPROCESSABLE)
		write_error(m, p, e);
	else if (!e)
		e = write_series(q, m, p, &b, &answer);
	if (e && e->kind != ERR_UNPROCESSABLE)
		return e;
	batch_pass(&m->at, &b, all_keys(m));
	return NULL;
}

/* Of an empty group there is a piece, too. */
static size_t most_members(const struct maker *m)
{
	return members_of(m)->count ? members_of(m)->count : 1;
}

/* Numbers of one key that are kept of the group; 0: nobody asks for percentiles. */
static size_t kept_of_key(const struct maker *m)
{
	const struct series_panel *panel = panel_of(m);

	return panel->percentiles ? most_members(m) * panel->buckets : 0;
}

/* All of it stands there until the keys are written: what is too much for the server now is asked for again. */
static err_t take_room(struct request *q, struct maker *m, size_t sums, size_t kept)
{
	size_t bytes = sums * sizeof(m->sums[0]) + kept * sizeof(m->kept[0]);

	if (!arena_may_read(m->keeping, bytes))
		return err_new(db_arena(q->db), ERR_BUSY,
			       "the memory for what groups are made of is in use");
	m->sums = arena_new_array(m->keeping, struct group_bucket, sums);
	m->kept = kept ? arena_alloc(m->keeping, kept * sizeof(m->kept[0])) : NULL;
	return NULL;
}

static err_t begin_sums(struct request *q, struct maker *m)
{
	uint32_t buckets = panel_of(m)->buckets;
	size_t keys = batch_keys(panel_of(m), m->id_count - m->at.key);
	const size_t kept = kept_of_key(m);
	err_t e;

	if (kept > SERIES_KEPT_MAX)
		return err_field(q->arena, ERR_UNPROCESSABLE, "percentiles",
				 "%zu runs in %u buckets are more than percentiles are made of, "
				 "at most %d values",
				 members_of(m)->count, buckets, SERIES_KEPT_MAX);
	if (kept && keys > SERIES_KEPT_MAX / kept)
		keys = SERIES_KEPT_MAX / kept;
	e = take_room(q, m, keys * buckets, keys * kept);
	if (!e)
		m->summed = (struct span){ m->at.key, keys };
	return e;
}

static void write_sums(struct maker *m, struct pieces *p)
{
	const struct series_group *group = &m->page.groups[m->group];
	const size_t kept = kept_of_key(m);
	uint32_t buckets = panel_of(m)->buckets;

	for (size_t i = 0; i < m->summed.count; i++) {
		struct piece piece = piece_begin(p, "group", m->panel);

		json_out_put_text(&piece.out, "group", group->name);
		json_out_put_text(&piece.out, "key", *m->id_names[m->summed.first + i]);
		json_out_put_int(&piece.out, "runs", (int64_t)group->members.count);
		piece_end_group(p, &piece, &panel_of(m)->axis,
				&(struct group_sums){
					.buckets = m->sums + i * buckets,
					.count = buckets,
					.kept = kept ? m->kept + i * kept : NULL,
					.most = most_members(m),
				});
	}
}

static void add_up(struct maker *m, const struct sampled_answer *answer)
{
	const uint32_t buckets = panel_of(m)->buckets;
	const size_t kept = kept_of_key(m);

	for (size_t i = 0; i < answer->count; i++) {
		const struct sampled *s = &answer->series[i];
		struct group_bucket *sums;
		size_t key = 0;

		while (m->ids[m->summed.first + key] != s->key_id)
			key++;
		sums = m->sums + key * buckets;
		if (kept)
			group_keep(m->kept + key * kept, most_members(m), sums, s->buckets,
				   s->count);
		group_add(sums, s->buckets, s->count);
	}
}

/* The next keys of the group, or the next group. */
static void next_sums(struct maker *m)
{
	m->at = (struct place){ 0, m->summed.first + m->summed.count };
	m->summed.count = 0;
	arena_reset(m->keeping);
	if (m->at.key < m->id_count)
		return;
	m->at.key = 0;
	m->group++;
}

static err_t do_groups(struct request *q, struct maker *m, struct codec *codec, struct pieces *p)
{
	struct sampled_answer answer;
	struct batch b;
	err_t e;

	if (m->group == m->page.group_count || !m->id_count) {
		m->panel++;
		enter(m, PHASE_PANEL);
		return NULL;
	}
	if (!m->summed.count) {
		e = begin_sums(q, m);
		if (e && e->kind == ERR_BUSY)
			return e;
		if (e) {
			write_error(m, p, e);
			m->at.key = 0;
			m->group++;
			return NULL;
		}
	}
	if (m->at.member == members_of(m)->count) {
		write_sums(m, p);
		next_sums(m);
		return NULL;
	}
	b = next_batch(m, members_of(m), &m->at, m->summed);
	e = sample(q, m, codec, &b, &answer);
	if (e && e->kind == ERR_UNPROCESSABLE) {
		write_error(m, p, e);
		next_sums(m);
		return NULL;
	}
	if (e)
		return e;
	add_up(m, &answer);
	batch_pass(&m->at, &b, m->summed);
	return NULL;
}

static err_t next(struct request *q, void *state, struct buf *page, bool *ret_done)
{
	struct maker *m = state;
	struct pieces p = { .arena = db_arena(q->db),
			    .page = page,
			    .form = m->page.form,
			    .narrow = m->page.narrow,
			    .any = m->any };
	struct run_view *view = run_view_begin(q, db_arena(q->db));
	const struct run_reader *reader = run_view_of(view);
	err_t e = NULL;

	if (!m->begun)
		pieces_begin(&p);
	if (m->panel == m->page.panel_count) {
		struct piece piece = piece_begin(&p, "end", SIZE_MAX);

		piece_end_plain(&p, &piece);
		pieces_end(&p);
		*ret_done = true;
	} else if (m->phase == PHASE_PANEL) {
		e = do_panel(q, m, reader, &p);
	} else if (m->phase == PHASE_GRID) {
		e = do_grid(q, m, reader->codec, &p);
	} else if (m->phase == PHASE_SERIES) {
		e = do_series(q, m, reader->codec, &p);
	} else {
		e = do_groups(q, m, reader->codec, &p);
	}
	if (!e) {
		m->begun = true;
		m->any = p.any;
	}
	run_view_end(view);
	return e;
}

static void free_kept(void *arg)
{
	arena_free(arg);
}

err_t series_page_post(struct request *q)
{
	static const char *const types[] = { "application/json", "application/x-ndjson",
					     "application/vnd.cairn.columns" };
	struct maker *m = arena_new_of(q->arena, struct maker);
	err_t e = series_ask_read(q, &m->page);

	if (!e)
		e = series_ask_find_runs(q, &m->page);
	if (e)
		return e;
	m->keeping = arena_new_beside(q->arena, KEEPING);
	arena_defer(q->arena, free_kept, m->keeping);
	reply_stream(q, types[m->page.form], next, m);
	return NULL;
}
