/*
 * Panel after panel. One that is one batch tells its grid by itself; else all of it is looked at twice.
 */
#include "series_page.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "auth.h"
#include "db.h"
#include "metric_cache.h"
#include "reply.h"
#include "run_view.h"
#include "series_clocks.h"
#include "series_maker.h"

enum { KEEPING = 1 << 10 }; /* bytes of an arena that grows where groups are added up */

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

static void empty_grid(struct maker *m)
{
	m->grid = (struct series_range){ INT64_MAX, INT64_MIN };
	m->aside = (struct sampled_aside){ 0 };
	m->times = NULL;
}

static void widen(struct maker *m, const struct sampled_answer *there)
{
	m->grid.from = there->grid.from < m->grid.from ? there->grid.from : m->grid.from;
	m->grid.to = there->grid.to > m->grid.to ? there->grid.to : m->grid.to;
	sampled_aside_widen(&m->aside, &there->aside);
}

/* Everything at once: the grid is found on the way. */
static bool is_one_batch(const struct maker *m)
{
	struct place start = { 0, 0 };
	struct batch b;

	if (m->page.group_count || !m->page.shown.count || !m->id_count)
		return false;
	b = maker_batch(m, &m->page.shown, &start, maker_keys(m));
	return b.member_count == m->page.shown.count && b.id_count == m->id_count;
}

static err_t do_all(struct request *q, struct maker *m, struct codec *codec, struct pieces *p)
{
	struct place start = { 0, 0 };
	struct batch b = maker_batch(m, &m->page.shown, &start, maker_keys(m));
	struct sampled_answer answer;
	struct sampled_ask ask;
	err_t e = maker_ask(q, m, &b, &ask);

	if (!e)
		e = series_sampled(q->db, codec, &ask, &answer);
	if (e && e->kind != ERR_UNPROCESSABLE)
		return e;
	empty_grid(m);
	if (!e)
		widen(m, &answer);
	m->times = e ? NULL : answer.times;
	maker_write_panel(m, p);
	if (e)
		maker_write_error(m, p, e);
	else
		e = maker_write_series(q, m, p, &b, &answer);
	maker_pass_panel(m);
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
	empty_grid(m);
	maker_write_panel(m, p);
	maker_write_error(m, p, axis_refuse_steps(q->arena, "keys"));
	maker_pass_panel(m);
}

/* Whether who asks has the answer: what its runs have was read, and is in no replica that is behind. */
static bool is_same(struct request *q, struct maker *m)
{
	const struct series_panel *panel = maker_panel(m);

	m->has_etag = q->db == q->primary && series_version(&m->page, panel, m->etag);
	return m->has_etag && str_is(panel->etag, m->etag);
}

static err_t do_panel(struct request *q, struct maker *m, const struct run_reader *reader,
		      struct pieces *p)
{
	err_t e;

	if (asks_for_steps(maker_panel(m))) {
		refuse_panel(q, m, p);
		return NULL;
	}
	if (is_same(q, m)) {
		maker_write_same(m, p);
		maker_pass_panel(m);
		return NULL;
	}
	e = find_keys(q, m, reader);
	if (e)
		return e;
	empty_grid(m);
	if (is_one_batch(m))
		return do_all(q, m, reader->codec, p);
	maker_enter(m, PHASE_GRID);
	return NULL;
}

static err_t do_grid(struct request *q, struct maker *m, struct codec *codec, struct pieces *p)
{
	const struct series_members *members = maker_members(m);
	struct sampled_answer there;
	struct sampled_ask ask;
	struct batch b;
	err_t e;

	if (m->at.member == members->count || !m->id_count) {
		m->at = (struct place){ 0, 0 };
		if (m->group++ < m->page.group_count)
			return NULL;
		maker_write_panel(m, p);
		maker_enter(m, PHASE_SERIES);
		return NULL;
	}
	b = maker_batch(m, members, &m->at, maker_keys(m));
	e = maker_ask(q, m, &b, &ask);
	if (!e)
		e = series_sampled_grid(q->db, codec, &ask, &there);
	if (e)
		return e;
	widen(m, &there);
	batch_pass(&m->at, &b, maker_keys(m));
	return NULL;
}

static err_t do_series(struct request *q, struct maker *m, struct codec *codec, struct pieces *p)
{
	const struct series_members *members = maker_members(m);
	struct sampled_answer answer;
	struct batch b;
	err_t e;

	if (m->at.member == members->count || !m->id_count) {
		maker_enter(m, PHASE_GROUPS);
		return NULL;
	}
	b = maker_batch(m, members, &m->at, maker_keys(m));
	e = maker_sample(q, m, codec, &b, &answer);
	if (e && e->kind == ERR_UNPROCESSABLE)
		maker_write_error(m, p, e);
	else if (!e)
		e = maker_write_series(q, m, p, &b, &answer);
	if (e && e->kind != ERR_UNPROCESSABLE)
		return e;
	batch_pass(&m->at, &b, maker_keys(m));
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
		e = maker_do_groups(q, m, reader->codec, &p);
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
	m->clocks = series_clocks_keep(q->arena);
	m->keeping = arena_new_beside(q->arena, KEEPING);
	arena_defer(q->arena, free_kept, m->keeping);
	reply_stream(q, types[m->page.form], next, m);
	return NULL;
}
