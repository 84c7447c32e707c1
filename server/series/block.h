#ifndef BLOCK_H
#define BLOCK_H

#include <stdint.h>

#include "err.h"
#include "str.h"

struct buf;
struct codec;
struct json_rows;

/*
 * A block: some rows of one writer in one stream, all columns together, as one run of bytes. A
 * request becomes a block on its way into the tail, and small runs stay in blocks for good.
 *
 *	version  flags  size  | one zstd frame: row and step columns, the list of keys with their
 *	                      | coding, presence, byte planes of all columns, texts |  checksum
 *
 * One frame over all columns: a frame per column is seven times slower and twice the size when a
 * request has ten rows. Neither row numbers nor assigned steps are in it, so a block can be made
 * before the database decides its number.
 *
 * Steps. A row brings its step or is assigned one. With `cur` the run's last step before the block
 * (-1 at the start), rows in order: a brought step s makes cur = max(cur, s); an assigned step is
 * ++cur. After the block the run's last step is max(M + assigned, step_top): see block_last_step().
 */
enum {
	BLOCK_MAX_ROWS = 1 << 20,
	BLOCK_MAX_CELLS = 1 << 24, /* as many as a request can bring; a merge must stay below */
};

#define BLOCK_KEY_NONE UINT32_MAX /* as a key id: leave this column out */
#define BLOCK_STEP_NONE INT64_C(-1)

struct block_facts {
	uint32_t row_count;
	uint32_t assigned;    /* rows that brought no step */
	uint64_t point_count; /* number and text cells */
	uint64_t size_bytes;  /* its size decoded; its bytes may be a thousand times fewer */
	int64_t step_top; /* max of e + assigned rows after it, over brought steps e; -1: none */
	int64_t step_min; /* of brought steps; -1: none */
	int64_t step_max;
};

/* The run's last step once the block is stored, when it was `last_step` before (-1: none). */
static inline int64_t block_last_step(const struct block_facts *f, int64_t last_step)
{
	int64_t counted = last_step + f->assigned;

	return counted > f->step_top ? counted : f->step_top;
}

/* Numbers and texts of one key, in order of rows. At most one of each kind per row. */
struct block_column {
	uint32_t key_id;
	uint32_t number_count;
	uint32_t text_count;
	const uint32_t *number_rows; /* index into rows and steps; NULL: every row has one */
	const double *numbers;
	const uint32_t *text_rows;
	const struct str *texts; /* JSON text */
};

struct block {
	uint32_t row_count;
	uint32_t column_count;
	const int64_t *rows; /* run-global row numbers, ascending */
	const int64_t *steps;
	const struct block_column *columns;
};

static inline uint32_t block_number_row(const struct block_column *c, uint32_t i)
{
	return c->number_rows ? c->number_rows[i] : i;
}

static inline uint32_t block_text_row(const struct block_column *c, uint32_t i)
{
	return c->text_rows ? c->text_rows[i] : i;
}

/*
 * Appends the block of finished rows to `out`. `key_ids` has an id for every column of `rows`, or
 * BLOCK_KEY_NONE. Bit-exact for every double but the payloads of NaN. A small one is left
 * uncompressed: it is not stored by itself, but in a pack (pack.h).
 */
void block_encode_rows(struct codec *c, const struct json_rows *rows, const uint32_t *key_ids,
		       struct buf *out, struct block_facts *ret_facts) __attribute__((nonnull));

/*
 * The same for a block in memory, such as a merged one. Row numbers are kept relative to rows[0],
 * which the decoder gets again; steps are kept as they are (BLOCK_STEP_NONE: to be assigned).
 */
void block_encode(struct codec *c, const struct block *block, struct buf *out,
		  struct block_facts *ret_facts) __attribute__((nonnull));

struct block_ask {
	int64_t row_first;       /* number of the first row */
	int64_t last_step;       /* the run's, before this block */
	const uint32_t *key_ids; /* ascending; NULL: all columns */
	uint32_t key_count;
};

/* Everything returned lives in the arena. Corrupt bytes are an ERR_INTERNAL, never a crash. */
err_t block_decode(struct codec *c, struct arena *a, struct str bytes, const struct block_ask *ask,
		   struct block *ret_block) __attribute__((nonnull, warn_unused_result));

/*
 * One block with the rows of all, in the order given, which must be ascending by row number; its
 * columns are ascending by key id. Texts are not copied.
 */
void block_merge(struct arena *a, const struct block *blocks, uint32_t count,
		 struct block *ret_block) __attribute__((nonnull));

/* Cells of all columns; those of blocks to be merged are at most BLOCK_MAX_CELLS together. */
uint64_t block_cells(const struct block *block) __attribute__((nonnull));

#endif
