#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdatomic.h>

#include "access.h"
#include "cell.h"
#include "dictionary.h"
#include "filter.h"
#include "bounded_arena.h"
#include "str.h"

/*
 * The searched documents of one project, column by column: a query of a
 * key reads only that key's values.
 *
 *   path            rows 0…255   256…511  …       the values' texts and lists, each once
 *   config\0lr       [cells…]     [cells…]
 *   config\0opt      [cells…]     NULL             texts: adam, sgd
 *   tags             [cells…]     [cells…]         specials: ["a","b"] → items a, b
 *
 * A path is the names on the way to a value, NUL between them. Objects and lists have a cell of
 * their own as well as those of their contents. Rows stay where they are; a deleted run's is empty.
 *
 * Nothing here locks: many threads may read at once, a writer needs exclusive access. A holder of
 * columns may read the texts that were in them, wherever they are pointed to from, without a lock:
 * no text moves or is freed.
 */
enum {
	COLUMNS_CHUNK = 256, /* rows; bits of four words */
};

/* A list, an object, or the values that objects in a list have under one name. */
struct special {
	int16_t rank; /* enum search_rank: of a list or an object; SEARCH_RANK_NONE: no value to order by */
	uint32_t text;  /* how it begins, by which it is ordered */
	uint32_t first; /* of its items: what comparisons see, lists opened twice */
	uint32_t count;
};

struct column {
	struct str path;
	cell **chunks; /* NULL: no row of it has a value */
	size_t chunk_room;
	struct dictionary texts; /* of text, of decimals, of what specials begin with */
	struct special *specials;
	size_t special_count;
	size_t special_room;
	cell *items;
	size_t item_count;
	size_t item_room;
	struct dictionary lists; /* lists that come again share a special: its number by theirs */
	uint32_t *list_specials;
	size_t list_room;
};

/* The visibility of 64 rows: a bit in one of them for each living run. */
struct shown {
	uint64_t by[VISIBILITY_PUBLIC + 1];
};

struct columns {
	_Atomic unsigned holders;
	uint64_t id; /* never used again for others; 0: results for them are not cached */
	struct bounded_arena arena;
	struct dictionary paths;
	struct column *all; /* by the number of the path */
	size_t room;

	int64_t *run_ids;
	int64_t *changes;    /* the count at which the row was written */
	struct shown *shown; /* of row / 64 */
	size_t row_count;
	size_t run_room, change_room, shown_room;
	uint32_t *run_table; /* row + 1 by run_id; 0: free */
	size_t run_table_size;
};

/* The limit is in bytes; columns that exceed it are unusable. Freed by their last holder. */
struct columns *columns_new(size_t limit);
void columns_hold(struct columns *c);
void columns_free(struct columns *c);

struct columns_document {
	int64_t run_id;
	int64_t change;
	int16_t visibility;
	bool deleted;
	struct str text; /* as the database writes jsonb */
};
/*
 * Sets the run's row, unless it is as new. False: the limit was reached, or the text is not a
 * document; the columns are then unusable.
 */
bool columns_put(struct columns *c, const struct columns_document *doc)
	__attribute__((warn_unused_result));

/* NULL if no run has a value there. */
const struct column *columns_find(const struct columns *c, const struct filter_path *path);

static inline cell column_cell(const struct column *column, size_t row)
{
	const cell *chunk = row / COLUMNS_CHUNK < column->chunk_room
				    ? column->chunks[row / COLUMNS_CHUNK]
				    : NULL;

	return chunk ? chunk[row % COLUMNS_CHUNK] : cell_of(CELL_MISSING, 0);
}

/* The cells of 64 rows, of which `row` is the first; NULL: no row of them has a value. */
static inline const cell *column_cells(const struct column *column, size_t row)
{
	const cell *chunk = row / COLUMNS_CHUNK < column->chunk_room
				    ? column->chunks[row / COLUMNS_CHUNK]
				    : NULL;

	return chunk ? chunk + row % COLUMNS_CHUNK : NULL;
}

/*
 * Prefetches the cells of 64 rows that are read some time later: chunks are anywhere in memory, so
 * the processor cannot predict how a walk over a column continues.
 */
enum { COLUMN_AHEAD = 512 }; /* rows that a walk announces in advance */
static inline void column_announce(const struct column *column, size_t row)
{
	const cell *cells = column_cells(column, row);

	for (size_t i = 0; cells && i < 64; i += 8)
		__builtin_prefetch(cells + i);
}

/* ---- for columns_read.c ------------------------------------------------------------------------ */

/* The column of a path, created if need be. */
struct column *columns_at(struct columns *c, struct str path);
void column_set(struct columns *c, struct column *column, size_t row, cell value);
/* Reads the document into an empty row. */
bool columns_read(struct columns *c, size_t row, struct str text)
	__attribute__((warn_unused_result));

#endif
