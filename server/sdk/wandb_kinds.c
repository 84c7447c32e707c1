#include "wandb_kinds.h"

#include "arena.h"
#include "series_rows.h"

enum { WINDOW_ARENA = 256 << 10 };

static const struct {
	const char *name;
	uint32_t bits; /* of enum key_kind */
} kinds[WANDB_KINDS] = {
	[WANDB_KIND_NUMBER] = { "number", KEY_KIND_NUMBER | KEY_KIND_NONFINITE | KEY_KIND_INTEGER },
	[WANDB_KIND_STRING] = { "string", KEY_KIND_STRING },
	[WANDB_KIND_LIST] = { "list", KEY_KIND_ARRAY },
	[WANDB_KIND_MAP] = { "map", KEY_KIND_OBJECT },
	[WANDB_KIND_BOOL] = { "bool", KEY_KIND_BOOL },
	[WANDB_KIND_NIL] = { "nil", KEY_KIND_NULL },
};

const char *wandb_kind_name(enum wandb_kind kind)
{
	return kinds[kind].name;
}

/* By how its JSON begins. */
static enum wandb_kind kind_of(const struct row_value *value)
{
	switch (value->is_text && value->text.len ? value->text.at[0] : '0') {
	case '"':
		return WANDB_KIND_STRING;
	case '[':
		return WANDB_KIND_LIST;
	case '{':
		return WANDB_KIND_MAP;
	case 't':
	case 'f':
		return WANDB_KIND_BOOL;
	case 'n':
		return WANDB_KIND_NIL;
	default:
		return WANDB_KIND_NUMBER;
	}
}

/* Numbers are counted; what is not is all of the first of the other kinds. Returns how many kinds there are. */
static size_t count_by_stat(const struct key_stat *stat, struct wandb_kinds *counted)
{
	uint64_t others = stat->row_count - stat->number_count;
	size_t count = 0;

	counted->counts[WANDB_KIND_NUMBER] = stat->number_count;
	for (size_t i = WANDB_KIND_NUMBER + 1; i < WANDB_KINDS; i++) {
		if (!(stat->kinds & kinds[i].bits))
			continue;
		counted->counts[i] = others;
		others = 0;
		count++;
	}
	return count;
}

/* Own memory, and errors in that of the request. */
static err_t count_window(const struct run_reader *reader, struct rows_ask *ask,
			  struct wandb_kinds *counted)
{
	struct arena *outer = db_arena(reader->db);
	struct arena *own = arena_new_beside(outer, WINDOW_ARENA);
	struct exact_row *rows;
	uint32_t count = ask->count;
	err_t e;

	db_set_arena(reader->db, own);
	e = series_rows_read_some(reader->db, reader->codec, ask, &rows, &count);
	db_set_arena(reader->db, outer);
	if (e)
		e = err_wrap(outer, e, "rows");
	for (uint32_t i = 0; i < count && !e; i++) {
		if (rows[i].value_count)
			counted->counts[kind_of(&rows[i].values[0])]++;
	}
	ask->first += count;
	arena_free(own);
	return e;
}

static err_t count_by_value(const struct run_reader *reader, const struct run *run, int32_t key_id,
			    struct wandb_kinds *counted)
{
	struct rows_ask ask = {
		.run_id = run->run_id,
		.stream = STREAM_HISTORY,
		.key_ids = &key_id,
		.key_count = 1,
		.project_id = run->project_id,
	};
	err_t e = NULL;

	while (ask.first < run->next_row && !e) {
		int64_t left = run->next_row - ask.first;

		ask.count = left < ROWS_WINDOW_MAX ? (uint32_t)left : ROWS_WINDOW_MAX;
		e = count_window(reader, &ask, counted);
	}
	return e;
}

err_t wandb_kinds_count(const struct run_reader *reader, const struct run *run,
			const struct key_stat *stat, struct wandb_kinds *ret_kinds)
{
	struct wandb_kinds none = { .counts = { 0 } };

	*ret_kinds = none;
	if (count_by_stat(stat, ret_kinds) < 2 || run->next_row > WANDB_KINDS_ROWS_MAX)
		return NULL;
	*ret_kinds = none;
	return count_by_value(reader, run, (int32_t)stat->key_id, ret_kinds);
}
