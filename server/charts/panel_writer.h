#ifndef PANEL_WRITER_H
#define PANEL_WRITER_H

#include "series_ask.h"
#include "series_piece.h"
#include "series_version.h"

/*
 * Writes the answer to a request for series: panel after panel, its grid, then the runs shown, then the groups. Each
 * call of the stream does one slice, and the writer holds where the next call goes on.
 *
 * A slice is some runs and keys whose cells and buckets together have a bound, so that memory has one too, whatever is
 * asked for: some keys of one member, or all keys of several.
 */
struct codec;

/* A position in the keys of some members. */
struct panel_position {
	size_t member;
	size_t key;
};

/* The keys that are walked through. */
struct key_span {
	size_t first;
	size_t count;
};

struct panel_slice {
	const struct series_member *members;
	size_t member_count;
	const int32_t *ids;
	size_t id_count;
};

enum phase { PHASE_PANEL, PHASE_GRID, PHASE_SERIES, PHASE_GROUPS };

struct panel_writer {
	struct series_question question;
	bool begun;
	bool any; /* a piece was written */
	size_t panel;
	enum phase phase;
	struct panel_position at;
	size_t group;               /* in PHASE_GRID: 0 the runs shown, then the groups */
	struct key_span summed;     /* keys that are being added up */
	struct arena *keeping;      /* of `sums` and `kept`, given back before the client reads */
	struct group_bucket *sums;  /* of each summed key, all buckets */
	double *kept;               /* the value of each run there, for percentiles */
	struct kept_clocks *clocks; /* of all panels */
	struct series_range grid;
	struct sampled_aside aside;
	const int64_t *times; /* of its buckets, while the panel begins */
	bool has_etag;        /* false on a replica, which may be behind */
	char etag[SERIES_ETAG_SIZE];
	int32_t *ids; /* of the panel's keys, ascending, without those that do not exist */
	size_t id_count;
	const struct str **id_names;
};

const struct series_panel *panel_writer_panel(const struct panel_writer *w);
/* The members of the current phase. */
const struct series_members *panel_writer_members(const struct panel_writer *w);
struct key_span panel_writer_keys(const struct panel_writer *w);
void panel_writer_enter(struct panel_writer *w, enum phase phase);
void panel_writer_next_panel(struct panel_writer *w);

/* Returns the slice that begins at `at`. */
struct panel_slice panel_writer_slice(const struct panel_writer *w,
				      const struct series_members *all,
				      const struct panel_position *at, struct key_span keys);
/* Moves `at` behind the slice: to the member's other keys, or to the next member. */
void panel_writer_pass_slice(struct panel_position *at, const struct panel_slice *slice,
			     struct key_span keys);

/* Makes the question to the store for a slice. */
err_t panel_writer_ask(struct request *q, const struct panel_writer *w,
		       const struct panel_slice *slice, struct sampled_ask *ret_ask)
	__attribute__((warn_unused_result));
/* Reads the series of a slice on the grid that was found. */
err_t panel_writer_sample(struct request *q, struct panel_writer *w, struct codec *codec,
			  const struct panel_slice *slice, struct sampled_answer *ret_answer)
	__attribute__((warn_unused_result));

void panel_writer_write_panel(struct panel_writer *w, struct pieces *p);
/* Instead of the panel, if the client has its answer already. */
void panel_writer_write_same(struct panel_writer *w, struct pieces *p);
/* An error in a part of the answer. The other parts go on. */
void panel_writer_write_error(struct panel_writer *w, struct pieces *p, err_t e);
err_t panel_writer_write_series(struct request *q, struct panel_writer *w, struct pieces *p,
				const struct panel_slice *slice, struct sampled_answer *answer)
	__attribute__((warn_unused_result));

/* Adds up a slice of a group's runs, or writes the group. */
err_t panel_writer_do_groups(struct request *q, struct panel_writer *w, struct codec *codec,
			     struct pieces *p) __attribute__((warn_unused_result));

#endif
