/*
 * A field is a key of filters: a path whose names have dots is the same
 * as one with the names split, and a path that no filter finds is left
 * out. Its cells are read once, without making a value of each.
 */
#include "fields_tally.h"

#include <stdlib.h>
#include <string.h>

#include "value.h"

enum { OWN_ARENA = 16 << 10, NOT_NUMBERS = 3 };

struct fields_counted {
	unsigned turn; /* in which it was counted last */
	unsigned kinds;
	bool is_asked_for; /* its name matches */
	int64_t runs;
};

static bool add(struct tally *tally, const struct columns *c, struct bits rows);

static void release(void *arg)
{
	struct fields_tally *t = arg;

	dictionary_deinit(&t->names);
	bounded_arena_free(&t->name_texts);
}

struct fields_tally *fields_tally_new(struct arena *a, const struct search_fields *ask,
				      int64_t deadline_us)
{
	struct fields_tally *t = arena_new_of(a, struct fields_tally);

	*t = (struct fields_tally){ .tally = { add, deadline_us },
				    .arena = a,
				    .ask = ask,
				    .name_texts = { .limit = SIZE_MAX } };
	arena_defer(a, release, t);
	return t;
}

/* ---- cells --------------------------------------------------------------------------------------- */

/* The cells of one column under a field. */
struct reading {
	const struct column *column;
	bool outside;                  /* of config and summary: an empty value is missing */
	uint32_t numbers[NOT_NUMBERS]; /* texts that represent numbers; DICTIONARY_NONE */
};

static struct reading reading_of(const struct column *column, bool outside, bool of_metrics)
{
	static const char *const names[NOT_NUMBERS] = { "NaN", "Infinity", "-Infinity" };
	struct reading r = { .column = column, .outside = outside };

	for (size_t i = 0; i < NOT_NUMBERS; i++)
		r.numbers[i] = column && of_metrics
				       ? dictionary_find(&column->texts, str_of(names[i]))
				       : DICTIONARY_NONE;
	return r;
}

static enum search_rank rank_of_text(const struct reading *r, uint32_t text)
{
	for (size_t i = 0; i < NOT_NUMBERS; i++) {
		if (r->numbers[i] == text)
			return SEARCH_RANK_NUMBER;
	}
	return r->outside && text + 1 == r->column->texts.empty ? 0 : SEARCH_RANK_TEXT;
}

/* Several values without an order are a list, too. */
static enum search_rank rank_of_special(const struct reading *r, uint32_t number)
{
	const struct special *s = &r->column->specials[number];

	if (s->rank == SEARCH_RANK_NONE)
		return SEARCH_RANK_LIST;
	if (r->outside && s->rank == SEARCH_RANK_LIST &&
	    str_is(dictionary_text(&r->column->texts, s->text), "[]"))
		return 0;
	return (enum search_rank)s->rank;
}

/* 0: there is no value. */
static enum search_rank rank_of(const struct reading *r, cell c)
{
	switch (cell_tag(c)) {
	case CELL_NUMBER:
	case CELL_DECIMAL:
		return SEARCH_RANK_NUMBER;
	case CELL_NULL:
		return SEARCH_RANK_NULL;
	case CELL_FALSE:
	case CELL_TRUE:
		return SEARCH_RANK_BOOL;
	case CELL_TEXT:
		return rank_of_text(r, cell_number(c));
	case CELL_SPECIAL:
		return rank_of_special(r, cell_number(c));
	case CELL_MISSING:
		break;
	}
	return 0;
}

/* The rows of `rows`, a word of 64, that have a value there. */
static uint64_t count_word(const struct reading *r, uint64_t rows, size_t first,
			   struct fields_counted *field)
{
	const cell *cells = r->column ? column_cells(r->column, first) : NULL;
	uint64_t have = 0;

	while (cells && rows) {
		const unsigned bit = (unsigned)__builtin_ctzll(rows);
		const enum search_rank rank = rank_of(r, cells[bit]);

		rows &= rows - 1;
		field->kinds |= 1u << rank;
		have |= (uint64_t)(rank != 0) << bit;
	}
	return have;
}

/* The paths of a field's values: the first one that a run has counts. */
struct sources {
	struct reading readings[2 * 2]; /* of two documents, nested and not */
	size_t count;
};

static void add_sources(struct sources *s, const struct value_columns *p, bool of_metrics)
{
	if (p->column)
		s->readings[s->count++] = reading_of(p->column, p->outside, of_metrics);
	if (p->flat)
		s->readings[s->count++] = reading_of(p->flat, p->outside, of_metrics);
}

static void count_rows(const struct sources *s, struct bits rows, struct fields_counted *field)
{
	for (size_t i = 0; i < rows.words_count; i++) {
		uint64_t have = 0;

		for (size_t k = 0; k < s->count; k++)
			have |= count_word(&s->readings[k], rows.words[i] & ~have, i * 64, field);
		field->runs += __builtin_popcountll(have);
	}
}

/* ---- names --------------------------------------------------------------------------------------- */

static bool is_within(struct str path, struct str document)
{
	return document.len && path.len > document.len &&
	       memcmp(path.at, document.at, document.len) == 0 && !path.at[document.len];
}

/* Names joined by dots. */
static struct str dotted(struct arena *a, struct str document, struct str names)
{
	const size_t len = document.len + names.len;
	char *name = arena_alloc(a, len + 1);

	memcpy(name, document.at, document.len);
	memcpy(name + document.len, names.at, names.len);
	for (size_t i = document.len; i < len; i++)
		name[i] = name[i] ? name[i] : '.';
	return (struct str){ name, len };
}

/* Empty if it is not asked for. */
static struct str name_of(struct arena *a, const struct fields_tally *t, struct str path)
{
	const struct str within = t->ask->within;
	const struct str beside = t->ask->beside;

	if (!memchr(path.at, 0, path.len))
		return within.len ? STR("") : filter_name_of_member(path);
	if (!within.len || is_within(path, within))
		return dotted(a, STR(""), path);
	if (!is_within(path, beside))
		return STR("");
	return dotted(a, within, (struct str){ path.at + beside.len, path.len - beside.len });
}

/*
 * Finds the sources of a name as filters read it, which read some names as others; the one in
 * `beside` comes first.
 */
static bool find_sources(struct arena *a, const struct fields_tally *t, const struct columns *c,
			 struct str name, struct sources *ret_sources)
{
	const bool of_metrics = t->ask->within.len > 0;
	struct filter_path path;
	struct value_columns there;
	struct value_columns beside;

	*ret_sources = (struct sources){ .count = 0 };
	if (filter_path_parse(a, name, NULL, &path))
		return false;
	there = value_columns_of(a, c, &path);
	if (t->ask->beside.len) {
		path.names[0] = t->ask->beside;
		beside = value_columns_of(a, c, &path);
		add_sources(ret_sources, &beside, of_metrics);
	}
	add_sources(ret_sources, &there, of_metrics);
	return ret_sources->count > 0;
}

/* The name in the answer's form. */
static struct str shown_name(const struct fields_tally *t, struct str name)
{
	const size_t skipped = t->ask->within.len ? t->ask->within.len + 1 : 0;

	return (struct str){ name.at + skipped, name.len - skipped };
}

static struct fields_counted *field_of(struct fields_tally *t, struct str name)
{
	const size_t known = t->names.count;
	const uint32_t number = dictionary_add(&t->names, &t->name_texts, name);

	if (number == known) {
		if (known == t->room)
			t->fields = arena_grow(t->arena, t->fields, &t->room, sizeof(t->fields[0]));
		t->fields[number] = (struct fields_counted){
			.is_asked_for = text_match_is(t->ask->match, shown_name(t, name)),
		};
	}
	return &t->fields[number];
}

static bool add(struct tally *tally, const struct columns *c, struct bits rows)
{
	struct fields_tally *t = (struct fields_tally *)tally;
	struct arena *own = arena_new(OWN_ARENA);
	bool is_late = false;

	t->turn++;
	for (size_t i = 0; i < c->paths.count && !is_late; i++) {
		const struct str name = name_of(own, t, dictionary_text(&c->paths, (uint32_t)i));
		struct fields_counted *field;
		struct sources sources;

		is_late = tally_is_late(tally);
		if (!name.len || !find_sources(own, t, c, name, &sources))
			continue;
		field = field_of(t, name);
		if (field->turn == t->turn || !field->is_asked_for)
			continue;
		field->turn = t->turn;
		count_rows(&sources, rows, field);
	}
	arena_free(own);
	return !is_late;
}

/* ---- the answer ---------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return str_compare(((const struct search_field *)a)->name,
			   ((const struct search_field *)b)->name);
}

void fields_tally_end(struct fields_tally *t, struct search_fields_found *ret_found)
{
	struct search_fields_found found = { 0 };

	found.fields = arena_new_array(t->arena, struct search_field, t->names.count + 1);
	for (uint32_t i = 0; i < t->names.count; i++) {
		const struct str name = dictionary_text(&t->names, i);

		if (t->fields[i].runs)
			found.fields[found.count++] = (struct search_field){
				.name = shown_name(t, name),
				.kinds = t->fields[i].kinds & ~1u,
				.runs = t->fields[i].runs,
			};
	}
	if (found.count)
		qsort(found.fields, found.count, sizeof(found.fields[0]), by_name);
	*ret_found = found;
}
