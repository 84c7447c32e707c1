#include "series_fold.h"

#include <stdlib.h>

#include "arena.h"
#include "bucket.h"
#include "db.h"
#include "labels.h"
#include "writer_json.h"

/* ---- who runs where ----------------------------------------------------------------------------- */

/* A writer of the run that is being folded; those of a host have one number between them. */
struct placed_writer {
	int32_t writer;
	struct str host;
	size_t number;
};

struct places {
	struct placed_writer *writers; /* ascending */
	size_t count;
	size_t *last; /* by number: 1 + where the host's last series stands in the answer; 0: none yet */
};

static int by_host(const void *a, const void *b)
{
	return str_compare((*(struct placed_writer *const *)a)->host,
			   (*(struct placed_writer *const *)b)->host);
}

static void number_hosts(struct arena *a, struct places *places)
{
	struct placed_writer **sorted =
		arena_new_array(a, struct placed_writer *, places->count + 1);

	for (size_t i = 0; i < places->count; i++)
		sorted[i] = &places->writers[i];
	if (places->count)
		qsort(sorted, places->count, sizeof(sorted[0]), by_host);
	for (size_t i = 0; i < places->count; i++) {
		bool is_same = i && sorted[i]->host.len &&
			       str_equal(sorted[i]->host, sorted[i - 1]->host);

		sorted[i]->number = is_same ? sorted[i - 1]->number : i;
	}
}

static err_t read_places(struct request *q, int64_t run_id, struct places *ret_places)
{
	struct arena *a = db_arena(q->db);
	struct labels labels;
	err_t e = labels_read_of(q, run_id, &labels);

	if (e)
		return e;
	*ret_places = (struct places){
		.writers = arena_new_array(a, struct placed_writer, labels.count),
		.count = labels.count,
		.last = arena_new_array(a, size_t, labels.count),
	};
	for (size_t i = 0; i < labels.count; i++) {
		ret_places->writers[i].writer = labels.writers[i].writer;
		ret_places->writers[i].host = writer_json_host(a, &labels.writers[i]);
	}
	number_hosts(a, ret_places);
	return NULL;
}

static int by_writer(const void *number, const void *writer)
{
	int32_t x = *(const int32_t *)number;
	int32_t y = ((const struct placed_writer *)writer)->writer;

	return (x > y) - (x < y);
}

/* NULL: one of those beyond the limit, who share a lane. */
static const struct placed_writer *place_of(const struct places *places, int32_t writer)
{
	return places->count ? bsearch(&writer, places->writers, places->count,
				       sizeof(places->writers[0]), by_writer)
			     : NULL;
}

/* ---- series ------------------------------------------------------------------------------------- */

struct fold {
	struct arena *arena;
	uint32_t buckets;
	struct sampled *series; /* of the answer, those that are left in front */
	size_t count;
	struct str *hosts;
	struct bucket **grids; /* all buckets, of hosts with several writers; else NULL */
};

/* The first of a host is taken as it is; the second makes a grid. */
static void join(struct fold *f, size_t at, const struct sampled *s)
{
	if (!f->grids[at]) {
		f->grids[at] = arena_new_array(f->arena, struct bucket, f->buckets);
		bucket_join(f->grids[at], f->series[at].buckets, f->series[at].count);
	}
	bucket_join(f->grids[at], s->buckets, s->count);
}

static void add(struct fold *f, const struct places *places, const struct sampled *s)
{
	const struct placed_writer *w = place_of(places, s->writer);
	size_t *at = w ? &places->last[w->number] : NULL;

	if (at && *at && f->series[*at - 1].key_id == s->key_id) {
		join(f, *at - 1, s);
		return;
	}
	f->hosts[f->count] = w ? w->host : (struct str){ NULL, 0 };
	f->series[f->count++] = *s;
	if (at)
		*at = f->count;
}

static void pack(struct fold *f)
{
	for (size_t i = 0; i < f->count; i++) {
		if (!f->grids[i])
			continue;
		f->series[i].buckets = f->grids[i];
		f->series[i].count = bucket_pack(f->grids[i], f->buckets);
	}
}

static err_t fold_hosts(struct request *q, const struct series_panel *panel,
			struct sampled_answer *answer, const struct str **ret_hosts)
{
	struct arena *a = db_arena(q->db);
	struct fold f = {
		.arena = a,
		.buckets = panel->buckets,
		.series = answer->series,
		.hosts = arena_new_array(a, struct str, answer->count),
		.grids = arena_new_array(a, struct bucket *, answer->count),
	};
	struct places places = { 0 };
	int64_t run_id = INT64_MIN;
	err_t e = NULL;

	for (size_t i = 0; i < answer->count && !e; i++) {
		const struct sampled s = answer->series[i];

		if (s.run_id != run_id)
			e = read_places(q, s.run_id, &places);
		run_id = s.run_id;
		if (!e && s.count)
			add(&f, &places, &s);
	}
	pack(&f);
	answer->count = f.count;
	*ret_hosts = f.hosts;
	return e;
}

err_t series_fold(struct request *q, const struct series_panel *panel,
		  struct sampled_answer *answer, const struct str **ret_hosts)
{
	*ret_hosts = NULL;
	return panel->by_host ? fold_hosts(q, panel, answer, ret_hosts) : NULL;
}
