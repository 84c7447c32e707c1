#ifndef SERIES_MAKER_H
#define SERIES_MAKER_H

#include "series_batch.h"
#include "series_piece.h"
#include "series_version.h"

/*
 * The making of a page of series: panel after panel, its grid, then the runs shown, then the groups.
 * Each call of the stream does one batch; here stands where it goes on.
 */
struct codec;

enum phase { PHASE_PANEL, PHASE_GRID, PHASE_SERIES, PHASE_GROUPS };

struct maker {
	struct series_page page;
	bool begun;
	bool any; /* a piece was written */
	size_t panel;
	enum phase phase;
	struct place at;
	size_t group;               /* in PHASE_GRID: 0 the runs shown, then the groups */
	struct span summed;         /* keys that are being added up */
	struct arena *keeping;      /* of both that follow, given back before the client reads */
	struct group_bucket *sums;  /* of each of them, all buckets */
	double *kept;               /* and what each run has there, for percentiles */
	struct kept_clocks *clocks; /* of all panels */
	struct series_range grid;
	struct sampled_aside aside;
	const int64_t *times; /* of its buckets; while the panel begins */
	bool has_etag;        /* of its answer; a replica may be behind: none */
	char etag[SERIES_ETAG_SIZE];
	int32_t *ids; /* of the panel's keys, ascending, without those there are not */
	size_t id_count;
	const struct str **id_names;
};

const struct series_panel *maker_panel(const struct maker *m);
/* Of the phase that it is in. */
const struct series_members *maker_members(const struct maker *m);
struct span maker_keys(const struct maker *m);
void maker_enter(struct maker *m, enum phase phase);
void maker_pass_panel(struct maker *m); /* to the next one */

/* The batch that begins at a place of some members' keys, and what is asked of the store for it. */
struct batch maker_batch(const struct maker *m, const struct series_members *all,
			 const struct place *at, struct span keys);
err_t maker_ask(struct request *q, const struct maker *m, const struct batch *b,
		struct sampled_ask *ret_ask) __attribute__((warn_unused_result));
/* Its series on the grid that was found. */
err_t maker_sample(struct request *q, struct maker *m, struct codec *codec, const struct batch *b,
		   struct sampled_answer *ret_answer) __attribute__((warn_unused_result));

void maker_write_panel(struct maker *m, struct pieces *p);
/* Instead of the panel, to who has its answer. */
void maker_write_same(struct maker *m, struct pieces *p);
/* What went wrong with some of the answer; the rest goes on. */
void maker_write_error(struct maker *m, struct pieces *p, err_t e);
err_t maker_write_series(struct request *q, struct maker *m, struct pieces *p,
			 const struct batch *b, struct sampled_answer *answer)
	__attribute__((warn_unused_result));

/* A batch of a group's runs, or what the group comes to. */
err_t maker_do_groups(struct request *q, struct maker *m, struct codec *codec, struct pieces *p)
	__attribute__((warn_unused_result));

#endif
