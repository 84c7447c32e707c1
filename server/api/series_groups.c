/* Groups of a page of series: all of their runs are added up, bucket for bucket, key after key. */
#include "series_maker.h"

#include "arena.h"
#include "auth.h"
#include "db.h"

/* Of an empty group there is a piece, too. */
static size_t most_members(const struct maker *m)
{
	return maker_members(m)->count ? maker_members(m)->count : 1;
}

/* Numbers of one key that are kept of the group; 0: nobody asks for percentiles. */
static size_t kept_of_key(const struct maker *m)
{
	const struct series_panel *panel = maker_panel(m);

	return panel->percentiles ? most_members(m) * panel->buckets : 0;
}

/* All of it stands there until the keys are written: what is too much for the server now is asked for again. */
static err_t take_room(struct request *q, struct maker *m, size_t sums, size_t kept)
{
	size_t bytes = sums * sizeof(m->sums[0]) + kept * sizeof(m->kept[0]);

	if (!arena_may_read(m->keeping, bytes))
		return err_new(db_arena(q->db), ERR_BUSY,
			       "the server's memory for groups is in use");
	m->sums = arena_new_array(m->keeping, struct group_bucket, sums);
	m->kept = kept ? arena_alloc(m->keeping, kept * sizeof(m->kept[0])) : NULL;
	return NULL;
}

static err_t begin_sums(struct request *q, struct maker *m)
{
	uint32_t buckets = maker_panel(m)->buckets;
	size_t keys = batch_keys(maker_panel(m), m->id_count - m->at.key);
	const size_t kept = kept_of_key(m);
	err_t e;

	if (kept > SERIES_KEPT_MAX)
		return err_field(q->arena, ERR_UNPROCESSABLE, "percentiles",
				 "too many values for percentiles: %zu runs in %u buckets, the "
				 "limit is %d values",
				 maker_members(m)->count, buckets, SERIES_KEPT_MAX);
	if (kept && keys > SERIES_KEPT_MAX / kept)
		keys = SERIES_KEPT_MAX / kept;
	e = take_room(q, m, keys * buckets, keys * kept);
	if (!e)
		m->summed = (struct span){ m->at.key, keys };
	return e;
}

static bool has_values(const struct group_bucket *sums, uint32_t buckets)
{
	uint32_t i = 0;

	while (i < buckets && !group_has(&sums[i]))
		i++;
	return i < buckets;
}

/* Keys that only private runs have are for readers who do not see these as keys that no run has: without a piece. */
static bool is_hidden(const struct request *q, const struct group_bucket *sums, uint32_t buckets)
{
	return !q->target->sees_private && !has_values(sums, buckets);
}

static void write_sums(const struct request *q, struct maker *m, struct pieces *p)
{
	const struct series_group *group = &m->page.groups[m->group];
	const size_t kept = kept_of_key(m);
	uint32_t buckets = maker_panel(m)->buckets;

	for (size_t i = 0; i < m->summed.count; i++) {
		struct group_bucket *sums = m->sums + i * buckets;
		struct piece piece;

		if (is_hidden(q, sums, buckets))
			continue;
		piece = piece_begin(p, "group", m->panel);

		json_out_put_text(&piece.out, "group", group->name);
		json_out_put_text(&piece.out, "key", *m->id_names[m->summed.first + i]);
		json_out_put_int(&piece.out, "runs", (int64_t)group->members.count);
		piece_end_group(p, &piece, &maker_panel(m)->axis,
				&(struct group_sums){
					.buckets = sums,
					.count = buckets,
					.kept = kept ? m->kept + i * kept : NULL,
					.most = most_members(m),
				});
	}
}

static void add_up(struct maker *m, const struct sampled_answer *answer)
{
	const uint32_t buckets = maker_panel(m)->buckets;
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

err_t maker_do_groups(struct request *q, struct maker *m, struct codec *codec, struct pieces *p)
{
	struct sampled_answer answer;
	struct batch b;
	err_t e;

	if (m->group == m->page.group_count || !m->id_count) {
		maker_pass_panel(m);
		return NULL;
	}
	if (!m->summed.count) {
		e = begin_sums(q, m);
		if (e && e->kind == ERR_BUSY)
			return e;
		if (e) {
			maker_write_error(m, p, e);
			m->at.key = 0;
			m->group++;
			return NULL;
		}
	}
	if (m->at.member == maker_members(m)->count) {
		write_sums(q, m, p);
		next_sums(m);
		return NULL;
	}
	b = maker_batch(m, maker_members(m), &m->at, m->summed);
	e = maker_sample(q, m, codec, &b, &answer);
	if (e && e->kind == ERR_UNPROCESSABLE) {
		maker_write_error(m, p, e);
		next_sums(m);
		return NULL;
	}
	if (e)
		return e;
	add_up(m, &answer);
	batch_pass(&m->at, &b, m->summed);
	return NULL;
}
