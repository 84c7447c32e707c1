#ifndef SERIES_PIECE_H
#define SERIES_PIECE_H

#include "buf.h"
#include "group.h"
#include "json_out.h"
#include "series_ask.h"

/*
 * Pieces of an answer of series, in one of its forms:
 *
 *	JSON      {"pieces": [piece, piece, …]}
 *	lines     a piece a line
 *	columns   "CRN1" | u32 length of the head | u64 length of the columns | head | columns
 *
 * In the last, numbers are little-endian, head and columns are multiples of 8 bytes long, and so every
 * column begins at a multiple of 8 of the body: a browser lays a Float64Array over it in place. The
 * head is the piece as JSON, ended by blanks; its "columns" tell where each lies behind it.
 */
struct pieces {
	struct arena *arena; /* of the slice being made */
	struct buf *slice;
	enum series_form form;
	bool narrow;
	uint32_t columns; /* of series, by bits; 0: all */
	bool any;         /* a piece came before, in this slice or another */
	double *room;     /* of a piece's columns, used again for the next */
	size_t room_size;
};

/* Columns of a series beside "at", which is always there. */
enum { SERIES_COLUMNS_MAX = 11 };
extern const char *const series_column_names[SERIES_COLUMNS_MAX + 1]; /* ended by NULL */

void pieces_begin(struct pieces *p);
void pieces_end(struct pieces *p);

/* Begins a piece: the caller writes its other members, then ends it with exactly one of the functions below. */
struct piece {
	struct buf *head;
	struct json_out out;
};
struct piece piece_begin(struct pieces *p, const char *kind, size_t panel);

void piece_end_plain(struct pieces *p, struct piece *piece);
void piece_end_series(struct pieces *p, struct piece *piece, const struct axis *axis,
		      const struct sampled *series);
/* The statistics of a group: buckets and, for percentiles, the values of its runs there (group_keep()). */
struct group_sums {
	struct group_bucket *buckets;
	uint32_t count;
	double *kept; /* NULL: no percentiles */
	size_t most;  /* runs in each */
};
/* Buckets without a value are omitted. */
void piece_end_group(struct pieces *p, struct piece *piece, const struct axis *axis,
		     const struct group_sums *sums);

#endif
