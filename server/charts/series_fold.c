#include "series_fold.h"

#include <stdlib.h>

#include "arena.h"
#include "bucket.h"
#include "db.h"
#include "labels.h"
#include "writer_json.h"

/* ---- the hosts of writers ----------------------------------------------------------------------------- */

/* The host of a writer of the run that is being folded. Writers of one host have one number. */
struct writer_host {
	int32_t writer;
	struct str host;
	size_t number;
};

struct run_hosts {
	struct writer_host *writers; /* ascending */
	size_t count;
	size_t *last; /* by number: 1 + the index of the host's last series in the answer; 0: none yet */
};

static int by_host(const void *a, const void *b)
{
	return str_compare((*(struct writer_host *const *)a)->host,
			   (*(struct writer_host *const *)b)->host);
}

static void number_hosts(struct arena *a, struct run_hosts *hosts)
{
	struct writer_host **sorted = arena_new_array(a, struct writer_host *, hosts->count + 1);

	for (size_t i = 0; i < hosts->count; i++)
		sorted[i] = &hosts->writers[i];
	if (hosts->count)
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
		qsort(sorted, hosts->count, sizeof(sorted[0]), by_host);
	for (size_t i = 0; i < hosts->count; i++) {
		bool is_same = i && sorted[i]->host.len &&
			       str_equal(sorted[i]->host, sorted[i - 1]->host);

		sorted[i]->number = is_same ? sorted[i - 1]->number : i;
	}
}

static err_t read_hosts(struct request *q, int64_t run_id, struct run_hosts *ret_hosts)
{
	struct arena *a = db_arena(q->db);
	struct labels labels;
	err_t e = labels_read_of(q, run_id, &labels);

	if (e)
		return e;
	*ret_hosts = (struct run_hosts){
		.writers = arena_new_array(a, struct writer_host, labels.count),
		.count = labels.count,
		.last = arena_new_array(a, size_t, labels.count),
	};
	for (size_t i = 0; i < labels.count; i++) {
		ret_hosts->writers[i].writer = labels.writers[i].writer;
		ret_hosts->writers[i].host = writer_json_host(a, &labels.writers[i]);
	}
	number_hosts(a, ret_hosts);
	return NULL;
}

static int by_writer(const void *number, const void *writer)
{
	int32_t x = *(const int32_t *)number;
	int32_t y = ((const struct writer_host *)writer)->writer;

	return (x > y) - (x < y);
}

/* Returns NULL for a writer beyond the limit, which shares a lane with others. */
static const struct writer_host *host_of(const struct run_hosts *hosts, int32_t writer)
{
	return hosts->count ? bsearch(&writer, hosts->writers, hosts->count,
				      sizeof(hosts->writers[0]), by_writer)
			    : NULL;
}

/* ---- series ------------------------------------------------------------------------------------- */

struct fold {
	struct arena *arena;
	uint32_t buckets;
	struct sampled *series; /* of the answer; the folded ones come first */
	size_t count;
	struct str *hosts;
	struct bucket **grids; /* all buckets, of hosts with several writers; else NULL */
};

/* The first series of a host is kept as it is. The second one makes a grid. */
static void join(struct fold *f, size_t at, const struct sampled *s)
{
	if (!f->grids[at]) {
		f->grids[at] = arena_new_array(f->arena, struct bucket, f->buckets);
		bucket_join(f->grids[at], f->series[at].buckets, f->series[at].count);
	}
	bucket_join(f->grids[at], s->buckets, s->count);
}

static void add(struct fold *f, const struct run_hosts *hosts, const struct sampled *s)
{
	const struct writer_host *w = host_of(hosts, s->writer);
	size_t *at = w ? &hosts->last[w->number] : NULL;

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
	struct run_hosts hosts = { 0 };
	int64_t run_id = INT64_MIN;
	err_t e = NULL;

	for (size_t i = 0; i < answer->count && !e; i++) {
		const struct sampled s = answer->series[i];

		if (s.run_id != run_id)
			e = read_hosts(q, s.run_id, &hosts);
		run_id = s.run_id;
		if (!e && s.count)
			add(&f, &hosts, &s);
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
