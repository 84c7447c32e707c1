/* Where the making of a page of series stands, and the batch that is next. */
#include "series_maker.h"

#include "arena.h"
#include "auth.h"
#include "db.h"

const struct series_panel *maker_panel(const struct maker *m)
{
	return &m->page.panels[m->panel];
}

const struct series_members *maker_members(const struct maker *m)
{
	if (m->phase == PHASE_GROUPS)
		return &m->page.groups[m->group].members;
	if (m->phase == PHASE_GRID && m->group)
		return &m->page.groups[m->group - 1].members;
	return &m->page.shown;
}

void maker_enter(struct maker *m, enum phase phase)
{
	m->phase = phase;
	m->at = (struct place){ 0, 0 };
	m->group = 0;
	m->summed = (struct span){ 0, 0 };
}

void maker_pass_panel(struct maker *m)
{
	m->panel++;
	m->has_etag = false;
	maker_enter(m, PHASE_PANEL);
}

struct batch maker_batch(const struct maker *m, const struct series_members *all,
			 const struct place *at, struct span keys)
{
	return batch_next(maker_panel(m), m->ids, all, at, keys);
}

struct span maker_keys(const struct maker *m)
{
	return (struct span){ 0, m->id_count };
}

err_t maker_ask(struct request *q, const struct maker *m, const struct batch *b,
		struct sampled_ask *ask)
{
	int64_t *runs = arena_new_array(db_arena(q->db), int64_t, b->member_count);
	const struct series_panel *panel = maker_panel(m);

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
		.is_rate = panel->is_rate,
		.clocks = m->clocks,
	};
	return series_ask_still(q, b->members, b->member_count, runs, &ask->series.run_count);
}

err_t maker_sample(struct request *q, struct maker *m, struct codec *codec, const struct batch *b,
		   struct sampled_answer *ret_answer)
{
	struct sampled_ask ask;
	err_t e = maker_ask(q, m, b, &ask);

	*ret_answer = (struct sampled_answer){ 0 };
	ask.grid = &m->grid;
	if (m->phase == PHASE_GROUPS) {
		ask.split = SERIES_SPLIT_RUN;
		ask.is_rate = false;
	}
	return e ? e : series_sampled(q->db, codec, &ask, ret_answer);
}
