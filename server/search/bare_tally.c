#include "bare_tally.h"

#include "arena.h"
#include "value.h"

enum { OWN_ARENA = 4 << 10 };

static bool has_value(const struct column *column, struct bits rows)
{
	for (size_t i = 0; column && i < rows.words_count; i++) {
		const cell *cells = column_cells(column, i * 64);

		for (uint64_t left = cells ? rows.words[i] : 0; left; left &= left - 1) {
			if (cell_tag(cells[__builtin_ctzll(left)]) != CELL_MISSING)
				return true;
		}
	}
	return false;
}

/* Another document may have the key as well: earlier results stay. */
static void look_for(struct arena *a, const struct columns *c, struct bits rows,
		     struct filter_bare_key *key, enum filter_section section)
{
	struct filter_path path;
	struct value_columns columns;

	if (key->sections & section)
		return;
	path = filter_path_within(a, section, &key->path);
	columns = value_columns_of(a, c, &path);
	if (has_value(columns.column, rows) || has_value(columns.flat, rows))
		key->sections |= section;
}

static bool add(struct tally *tally, const struct columns *c, struct bits rows)
{
	struct filter_bare *bare = ((struct bare_tally *)tally)->bare;
	struct arena *own = arena_new(OWN_ARENA);
	bool is_late = false;

	for (size_t i = 0; i < bare->count && !is_late; i++) {
		look_for(own, c, rows, &bare->keys[i], FILTER_CONFIG);
		look_for(own, c, rows, &bare->keys[i], FILTER_SUMMARY);
		is_late = tally_is_late(tally);
	}
	arena_free(own);
	return !is_late;
}

struct bare_tally bare_tally_of(struct filter_bare *bare, int64_t deadline_us)
{
	return (struct bare_tally){ { add, deadline_us }, bare };
}
