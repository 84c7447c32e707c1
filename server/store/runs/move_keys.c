#include "move_keys.h"

#include <stdlib.h>

#include "arena.h"
#include "buf.h"
#include "column.h"
#include "key_stats.h"
#include "store_sql.h"

enum { LISTS_AT_ONCE = 50, SCRATCH_BYTES = 256 << 10 };

/* A key list: of a stream or a branch, and a writer. */
struct list_row {
	int32_t part;
	int32_t writer;
	struct str document;
};
static const struct db_column list_columns[] = {
	DB_COLUMN(struct list_row, part),
	DB_COLUMN(struct list_row, writer),
	DB_BYTES(struct list_row, document),
};
static const struct db_row_table list_table = DB_ROW_TABLE(struct list_row, list_columns);

/* Both kinds of lists are as long as a run has writers. */
static const struct lists {
	const struct db_stmt *list, *save;
} kinds[] = {
	{ &STMT_move_keys_list, &STMT_move_keys_save },
	{ &STMT_move_branch_keys_list, &STMT_move_branch_keys_save },
};

struct mover {
	struct db *db;
	struct codec *codec;
	int64_t run_id;
	const struct key_move *moves;
	size_t count;
};

/* ---- lists --------------------------------------------------------------------------------------- */

static int by_old(const void *a, const void *b)
{
	int32_t x = ((const struct key_move *)a)->old_id;
	int32_t y = ((const struct key_move *)b)->old_id;

	return (x > y) - (x < y);
}

static int by_key(const void *a, const void *b)
{
	uint32_t x = ((const struct key_stat *)a)->key_id;
	uint32_t y = ((const struct key_stat *)b)->key_id;

	return (x > y) - (x < y);
}

static err_t renumber(const struct mover *m, struct key_stats *stats)
{
	for (uint32_t i = 0; i < stats->count; i++) {
		const struct key_move wanted = { .old_id = (int32_t)stats->items[i].key_id };
		const struct key_move *found = NULL;

		if (m->count)
			found = bsearch(&wanted, m->moves, m->count, sizeof(wanted), by_old);
		if (!found)
			return err_new(db_arena(m->db), ERR_INTERNAL,
				       "a key list contains a key without values");
		stats->items[i].key_id = (uint32_t)found->new_id;
	}
	if (stats->count)
		qsort(stats->items, stats->count, sizeof(stats->items[0]), by_key);
	return NULL;
}

static err_t move_list(const struct mover *m, struct list_row *row)
{
	struct buf *out = buf_new(db_arena(m->db));
	struct key_stats stats;
	err_t e = key_stats_decode(m->codec, db_arena(m->db), row->document, &stats);

	if (!e)
		e = renumber(m, &stats);
	if (e)
		return e;
	key_stats_encode(m->codec, &stats, out);
	row->document = buf_str(out);
	return NULL;
}

static err_t move_some(const struct mover *m, const struct lists *kind, struct list_row *at,
		       bool *ret_more)
{
	struct arena *a = db_arena(m->db);
	struct list_row *rows;
	size_t n;
	err_t e = db_all(m->db, kind->list,
			 DB_ARGS(P_INT8(m->run_id), P_INT4(at->part), P_INT4(at->writer),
				 P_INT8(LISTS_AT_ONCE)),
			 &list_table, (void **)&rows, &n);

	for (size_t i = 0; i < n && !e; i++)
		e = move_list(m, &rows[i]);
	if (e || !n)
		return e;
	*at = rows[n - 1];
	*ret_more = n == LISTS_AT_ONCE;
	return db_exec(m->db, kind->save,
		       DB_ARGS(P_INT8(m->run_id), COLUMN(a, DB_INT4_ARRAY, rows, n, part),
			       COLUMN(a, DB_INT4_ARRAY, rows, n, writer),
			       COLUMN(a, DB_BYTEA_ARRAY, rows, n, document)),
		       NULL);
}

/* In memory of its own, with errors in that of the request: a run has thousands of them. */
static err_t move_lists(const struct mover *m, const struct lists *kind)
{
	struct arena *own = db_arena(m->db);
	struct list_row at = { .part = -1, .writer = -1 };
	bool more = true;
	err_t e = NULL;

	while (more && !e) {
		struct arena *scratch = arena_new_beside(own, SCRATCH_BYTES);

		more = false;
		db_set_arena(m->db, scratch);
		e = move_some(m, kind, &at, &more);
		db_set_arena(m->db, own);
		if (e)
			e = err_wrap(own, e, "cannot rewrite a key list");
		arena_free(scratch);
	}
	return e;
}

/* ---- chunks -------------------------------------------------------------------------------------- */

static err_t move_chunks(const struct mover *m)
{
	struct arena *a = db_arena(m->db);
	struct key_move *others = arena_new_array(a, struct key_move, m->count + 1);
	size_t n = 0;
	err_t e;

	for (size_t i = 0; i < m->count; i++) {
		if (m->moves[i].old_id != m->moves[i].new_id)
			others[n++] = m->moves[i];
	}
	if (!n)
		return NULL;
	e = db_exec(m->db, &STMT_move_chunks_aside,
		    DB_ARGS(P_INT8(m->run_id), COLUMN(a, DB_INT4_ARRAY, others, n, old_id),
			    COLUMN(a, DB_INT4_ARRAY, others, n, new_id)),
		    NULL);
	return e ? e : db_exec(m->db, &STMT_move_chunks_home, DB_ARGS(P_INT8(m->run_id)), NULL);
}

err_t move_keys(struct db *db, struct codec *codec, int64_t run_id, const struct key_move *moves,
		size_t count)
{
	const struct mover m = { db, codec, run_id, moves, count };
	err_t e = move_chunks(&m);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !e; i++)
		e = move_lists(&m, &kinds[i]);
	return e;
}

const struct db_stmt_check move_keys_checks[] = {
	{ &STMT_move_keys_list, &list_table },
	{ &STMT_move_branch_keys_list, &list_table },
};
const size_t move_keys_check_count = sizeof(move_keys_checks) / sizeof(move_keys_checks[0]);
