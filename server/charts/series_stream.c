/*
 * Writes panel after panel. The data of a panel is read twice, first for its grid, unless all of it is one slice.
 */
#include "series_stream.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "auth.h"
#include "db.h"
#include "metric_cache.h"
#include "panel_writer.h"
#include "reply.h"
#include "run_view.h"
#include "series_clocks.h"

enum { KEEPING = 1 << 10 }; /* first bytes of an arena that grows if groups are added up */

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

static err_t find_keys(struct request *q, struct panel_writer *w, const struct run_reader *reader)
{
	struct series_panel *panel = &w->question.panels[w->panel];
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
	w->ids = ids;
	w->id_names = arena_new_array(q->arena, const struct str *, count);
	w->id_count = 0;
	for (size_t i = 0; i < panel->key_count; i++) {
		if (named[i].id == INT32_MAX ||
		    (w->id_count && w->ids[w->id_count - 1] == named[i].id))
			continue;
		w->ids[w->id_count] = named[i].id;
		w->id_names[w->id_count++] = named[i].name;
	}
	return NULL;
}

static void empty_grid(struct panel_writer *w)
{
	w->grid = (struct series_range){ INT64_MAX, INT64_MIN };
	w->aside = (struct sampled_aside){ 0 };
	w->times = NULL;
}

static void widen(struct panel_writer *w, const struct sampled_answer *there)
{
	w->grid.from = there->grid.from < w->grid.from ? there->grid.from : w->grid.from;
	w->grid.to = there->grid.to > w->grid.to ? there->grid.to : w->grid.to;
	sampled_aside_widen(&w->aside, &there->aside);
}

/* All of the panel is read at once, and the grid is found on the way. */
static bool is_one_slice(const struct panel_writer *w)
{
	struct panel_position start = { 0, 0 };
	struct panel_slice slice;

	if (w->question.group_count || !w->question.shown.count || !w->id_count)
		return false;
	slice = panel_writer_slice(w, &w->question.shown, &start, panel_writer_keys(w));
	return slice.member_count == w->question.shown.count && slice.id_count == w->id_count;
}

static err_t do_all(struct request *q, struct panel_writer *w, struct codec *codec,
		    struct pieces *p)
{
	struct panel_position start = { 0, 0 };
	struct panel_slice slice =
		panel_writer_slice(w, &w->question.shown, &start, panel_writer_keys(w));
	struct sampled_answer answer;
	struct sampled_ask ask;
	err_t e = panel_writer_ask(q, w, &slice, &ask);

	if (!e)
		e = series_sampled(q->db, codec, &ask, &answer);
	if (e && e->kind != ERR_UNPROCESSABLE)
		return e;
	empty_grid(w);
	if (!e)
		widen(w, &answer);
	w->times = e ? NULL : answer.times;
	panel_writer_write_panel(w, p);
	if (e)
		panel_writer_write_error(w, p, e);
	else
		e = panel_writer_write_series(q, w, p, &slice, &answer);
	panel_writer_next_panel(w);
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

/* The other panels of the request are answered. */
static void refuse_panel(struct request *q, struct panel_writer *w, struct pieces *p)
{
	empty_grid(w);
	panel_writer_write_panel(w, p);
	panel_writer_write_error(w, p, axis_refuse_steps(q->arena, "keys"));
	panel_writer_next_panel(w);
}

/* Whether the client has the answer already. A replica may be behind, so it cannot tell. */
static bool is_same(struct request *q, struct panel_writer *w)
{
	const struct series_panel *panel = panel_writer_panel(w);

	w->has_etag = q->db == q->primary && series_version(&w->question, panel, w->etag);
	return w->has_etag && str_is(panel->etag, w->etag);
}

static err_t do_panel(struct request *q, struct panel_writer *w, const struct run_reader *reader,
		      struct pieces *p)
{
	err_t e;

	if (asks_for_steps(panel_writer_panel(w))) {
		refuse_panel(q, w, p);
		return NULL;
	}
	if (is_same(q, w)) {
		panel_writer_write_same(w, p);
		panel_writer_next_panel(w);
		return NULL;
	}
	e = find_keys(q, w, reader);
	if (e)
		return e;
	empty_grid(w);
	if (is_one_slice(w))
		return do_all(q, w, reader->codec, p);
	panel_writer_enter(w, PHASE_GRID);
	return NULL;
}

static err_t do_grid(struct request *q, struct panel_writer *w, struct codec *codec,
		     struct pieces *p)
{
	const struct series_members *members = panel_writer_members(w);
	struct sampled_answer there;
	struct sampled_ask ask;
	struct panel_slice slice;
	err_t e;

	if (w->at.member == members->count || !w->id_count) {
		w->at = (struct panel_position){ 0, 0 };
		if (w->group++ < w->question.group_count)
			return NULL;
		panel_writer_write_panel(w, p);
		panel_writer_enter(w, PHASE_SERIES);
		return NULL;
	}
	slice = panel_writer_slice(w, members, &w->at, panel_writer_keys(w));
	e = panel_writer_ask(q, w, &slice, &ask);
	if (!e)
		e = series_sampled_grid(q->db, codec, &ask, &there);
	if (e)
		return e;
	widen(w, &there);
	panel_writer_pass_slice(&w->at, &slice, panel_writer_keys(w));
	return NULL;
}

static err_t do_series(struct request *q, struct panel_writer *w, struct codec *codec,
		       struct pieces *p)
{
	const struct series_members *members = panel_writer_members(w);
	struct sampled_answer answer;
	struct panel_slice slice;
	err_t e;

	if (w->at.member == members->count || !w->id_count) {
		panel_writer_enter(w, PHASE_GROUPS);
		return NULL;
	}
	slice = panel_writer_slice(w, members, &w->at, panel_writer_keys(w));
	e = panel_writer_sample(q, w, codec, &slice, &answer);
	if (e && e->kind == ERR_UNPROCESSABLE)
		panel_writer_write_error(w, p, e);
	else if (!e)
		e = panel_writer_write_series(q, w, p, &slice, &answer);
	if (e && e->kind != ERR_UNPROCESSABLE)
		return e;
	panel_writer_pass_slice(&w->at, &slice, panel_writer_keys(w));
	return NULL;
}

static err_t next(struct request *q, void *state, struct buf *slice, bool *ret_done)
{
	struct panel_writer *w = state;
	struct pieces p = { .arena = db_arena(q->db),
			    .slice = slice,
			    .form = w->question.form,
			    .narrow = w->question.narrow,
			    .any = w->any };
	struct run_view *view = run_view_begin(q, db_arena(q->db));
	const struct run_reader *reader = run_view_of(view);
	err_t e = NULL;

	if (!w->begun)
		pieces_begin(&p);
	if (w->panel == w->question.panel_count) {
		struct piece piece = piece_begin(&p, "end", SIZE_MAX);

		piece_end_plain(&p, &piece);
		pieces_end(&p);
		*ret_done = true;
	} else if (w->phase == PHASE_PANEL) {
		e = do_panel(q, w, reader, &p);
	} else if (w->phase == PHASE_GRID) {
		e = do_grid(q, w, reader->codec, &p);
	} else if (w->phase == PHASE_SERIES) {
		e = do_series(q, w, reader->codec, &p);
	} else {
		e = panel_writer_do_groups(q, w, reader->codec, &p);
	}
	if (!e) {
		w->begun = true;
		w->any = p.any;
	}
	run_view_end(view);
	return e;
}

static void free_kept(void *arg)
{
	arena_free(arg);
}

err_t series_stream_post(struct request *q)
{
	static const char *const types[] = { "application/json", "application/x-ndjson",
					     "application/vnd.cairn.columns" };
	struct panel_writer *w = arena_new_of(q->arena, struct panel_writer);
	err_t e = series_ask_read(q, &w->question);

	if (!e)
		e = series_ask_find_runs(q, &w->question);
	if (e)
		return e;
	w->clocks = series_clocks_keep(q->arena);
	w->keeping = arena_new_beside(q->arena, KEEPING);
	arena_defer(q->arena, free_kept, w->keeping);
	reply_stream(q, types[w->question.form], next, w);
	return NULL;
}
