/*
 * The same queries by SQL: one path over all documents of a project. Expressions and free words are
 * matched here, before: the texts at their paths are scanned, and the query lists the runs that
 * they matched. So both ways have one dialect and one set of limits.
 */
#include <stdlib.h>

#include "arena.h"
#include "decimal.h"
#include "ordered_runs.h"
#include "search_parts.h"

enum {
	WINDOW_ARENA = 64 << 10,
	SORTED_MAX = 200000,   /* runs that are ordered by several keys */
	MATCHES_MAX = 4000000, /* of all expressions; their memory is the request's */
};

struct match {
	int64_t run_id;
	uint32_t mask; /* a bit for each expression */
};

/* ---- expressions --------------------------------------------------------------------------------- */

struct matching {
	struct db *db;
	const struct search_which *which;
	struct patterns *patterns;
	struct buf *matches; /* struct match */
};

static err_t note_match(struct matching *m, int64_t run_id, size_t pattern)
{
	struct match match = { run_id, UINT32_C(1) << pattern };

	if (m->matches->len / sizeof(match) >= MATCHES_MAX)
		return err_field(db_arena(m->db), ERR_UNPROCESSABLE, "filter",
				 "the regular expressions match too many runs");
	buf_add(m->matches, &match, sizeof(match));
	return NULL;
}

static err_t match_rows(struct matching *m, size_t pattern, const struct search_text_row *rows,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		err_t e;

		if (!rows[i].text.at || !patterns_match(m->patterns, pattern, rows[i].text))
			continue;
		e = note_match(m, rows[i].run_id, pattern);
		if (e)
			return e;
	}
	return patterns_error(m->patterns);
}

static err_t match_window(struct matching *m, size_t pattern, struct str path, int64_t *after,
			  bool *ret_more)
{
	struct arena *before = db_arena(m->db);
	struct arena *own = arena_new_beside(before, WINDOW_ARENA);
	struct search_text_row *rows;
	size_t count = 0;
	err_t e;

	db_set_arena(m->db, own);
	e = search_store_texts(m->db, m->which, path, *after, &rows, &count);
	db_set_arena(m->db, before);
	if (e)
		e = err_wrap(before, e, "texts");
	else
		e = match_rows(m, pattern, rows, count);
	*ret_more = count > 0;
	if (count)
		*after = rows[count - 1].run_id;
	arena_free(own);
	return e;
}

static err_t match_path(struct matching *m, size_t pattern, struct str path)
{
	int64_t after = INT64_MIN;
	bool more = true;
	err_t e = NULL;

	while (more && !e)
		e = match_window(m, pattern, path, &after, &more);
	return e;
}

static err_t match_pattern(struct matching *m, size_t pattern)
{
	const struct filter_node *node = patterns_node(m->patterns, pattern);
	struct arena *a = db_arena(m->db);
	struct filter_path flat;
	err_t e;

	if (node->op == FILTER_WORDS)
		return match_path(m, pattern, filter_word_items(a));
	e = match_path(m, pattern, filter_path_items(a, &node->path));
	if (e || !filter_path_is_double(&node->path))
		return e;
	flat = filter_path_flat(a, &node->path);
	return match_path(m, pattern, filter_path_items(a, &flat));
}

/* ---- what the question says of them -------------------------------------------------------------- */

static int compare_matches(const void *a, const void *b)
{
	const struct match *x = a;
	const struct match *y = b;

	return (x->run_id > y->run_id) - (x->run_id < y->run_id);
}

static struct str variables_of(struct arena *a, uint32_t mask, size_t patterns)
{
	struct buf *b = buf_new(a);

	for (size_t i = 0; i < patterns; i++)
		buf_printf(b, "%s\"m%zu\":%s", i ? "," : "{", i, mask >> i & 1 ? "true" : "false");
	buf_add_byte(b, '}');
	return buf_str(b);
}

/* Each run once, with the number of its variables: those without a match are number 1. */
static void number_matches(struct arena *a, struct buf *matches, size_t patterns,
			   struct search_which *which)
{
	struct match *at = (struct match *)(void *)matches->at;
	size_t count = matches->len / sizeof(*at);
	int32_t *numbers = arena_new_array(a, int32_t, (size_t)1 << patterns);
	struct buf *variables = buf_new(a);
	int64_t *run_ids = arena_new_array(a, int64_t, count + 1);
	int32_t *matched = arena_new_array(a, int32_t, count + 1);
	struct str text = variables_of(a, 0, patterns);

	buf_add(variables, &text, sizeof(text));
	which->variable_count = 1;
	if (count)
		qsort(at, count, sizeof(*at), compare_matches);
	for (size_t i = 0; i < count;) {
		int64_t run_id = at[i].run_id;
		uint32_t mask = 0;

		while (i < count && at[i].run_id == run_id)
			mask |= at[i++].mask;
		if (!numbers[mask]) {
			numbers[mask] = (int32_t)++which->variable_count;
			text = variables_of(a, mask, patterns);
			buf_add(variables, &text, sizeof(text));
		}
		run_ids[which->run_count] = run_id;
		matched[which->run_count++] = numbers[mask];
	}
	which->run_ids = run_ids;
	which->matched = matched;
	which->variables = (const struct str *)(void *)variables->at;
}

struct search_key_paths search_sql_paths(struct arena *a, const struct filter_path *path)
{
	struct search_key_paths p = { .outside = path->count == 1 };
	struct filter_path flat;

	if (!path->count)
		return p;
	p.path = filter_path_value(a, path);
	if (filter_path_is_double(path)) {
		flat = filter_path_flat(a, path);
		p.flat = filter_path_value(a, &flat);
	}
	return p;
}

static err_t which_of(struct db *db, const struct search_question *q, struct patterns *patterns,
		      struct search_which *ret_which)
{
	static const struct str no_variables = { "{}", 2 };
	struct arena *a = db_arena(db);
	struct search_which which = {
		.project_id = q->project_id,
		.sees_private = q->sees_private,
		.project_public = q->project_public,
		.variables = &no_variables,
		.variable_count = 1,
		.of_group = q->group_key.count > 0,
		.group_key = search_sql_paths(a, &q->group_key),
		.group = { SEARCH_RANK_NONE, STR("0"), STR("") },
	};
	struct matching m = { db, &which, patterns, buf_new(a) };
	err_t e = NULL;

	if (which.of_group)
		which.group = q->group;
	if (q->filter->op != FILTER_AND || q->filter->child)
		e = filter_to_jsonpath(a, q->filter, &which.filter);
	for (size_t i = 0; i < patterns_count(patterns) && !e; i++)
		e = match_pattern(&m, i);
	if (e)
		return e;
	if (patterns_count(patterns))
		number_matches(a, m.matches, patterns_count(patterns), &which);
	*ret_which = which;
	return NULL;
}

static struct search_value no_cursor(void)
{
	return (struct search_value){ SEARCH_RANK_NONE, STR("0"), STR("") };
}

struct search_value search_sql_value(struct arena *a, int16_t rank, struct str number,
				     struct str text)
{
	struct search_value v = { rank, STR("0"), text };
	struct buf *written;
	struct decimal d;

	if (rank != SEARCH_RANK_NUMBER)
		return v;
	d = decimal_read(number);
	written = buf_new(a);
	decimal_write(written, &d);
	v.number = buf_str(written);
	return v;
}

/* ---- what is asked ------------------------------------------------------------------------------- */

err_t search_sql_page(struct db *db, const struct search_question *q, struct patterns *patterns,
		      const struct search_page *ask, struct search_page_found *ret_found)
{
	struct arena *a = db_arena(db);
	struct search_page_ask sql = {
		.order = search_sql_paths(a, &ask->order),
		.descending = ask->descending,
		.has_cursor = ask->has_cursor,
		.cursor = ask->has_cursor ? ask->cursor : no_cursor(),
		.cursor_run_id = ask->cursor_run_id,
		.offset = ask->offset,
		.limit = ask->limit,
	};
	struct search_run_row *rows;
	err_t e;

	e = which_of(db, q, patterns, &sql.which);
	if (!e)
		e = search_store_page(db, &sql, &rows, &ret_found->count);
	if (!e && ask->counts)
		e = search_store_count(db, &sql.which, &ret_found->all);
	if (e)
		return e;
	ret_found->runs = arena_new_array(a, struct search_found_run, ret_found->count);
	for (size_t i = 0; i < ret_found->count; i++)
		ret_found->runs[i] = (struct search_found_run){
			.run_id = rows[i].run_id,
			.value = search_sql_value(a, rows[i].rank, rows[i].number, rows[i].text),
		};
	return NULL;
}

/* ---- several keys -------------------------------------------------------------------------------- */

/* All runs by each key on its own, joined here: it is rare, and for few runs. */
static int by_run(const void *x, const void *y)
{
	const struct ordered_run *a = x;
	const struct ordered_run *b = y;

	return (a->run_id > b->run_id) - (a->run_id < b->run_id);
}

static err_t read_key(struct db *db, const struct search_which *which,
		      const struct filter_path *path, struct search_run_row **ret_rows,
		      size_t *ret_count)
{
	const struct search_page_ask sql = {
		.which = *which,
		.order = search_sql_paths(db_arena(db), path),
		.cursor = no_cursor(),
		.limit = SORTED_MAX + 1,
	};
	err_t e = search_store_page(db, &sql, ret_rows, ret_count);

	if (!e && *ret_count > SORTED_MAX)
		return err_field(db_arena(db), ERR_UNPROCESSABLE, "order",
				 "more than %d runs can only be ordered by a single key",
				 SORTED_MAX);
	return e;
}

static struct value value_of_row(struct arena *a, const struct search_run_row *row)
{
	const struct search_value v = search_sql_value(a, row->rank, row->number, row->text);

	return value_read(&v);
}

/* A run that was added in the meantime has no first value, and is left out. */
static err_t add_key(struct db *db, const struct search_which *which,
		     const struct search_order *order, size_t key, struct ordered_run *runs,
		     size_t count)
{
	struct search_run_row *rows;
	size_t row_count;
	err_t e = read_key(db, which, &order->path, &rows, &row_count);

	for (size_t i = 0; i < row_count && !e; i++) {
		const struct ordered_run wanted = { .run_id = rows[i].run_id };
		struct ordered_run *run = bsearch(&wanted, runs, count, sizeof(wanted), by_run);

		if (run)
			run->values[key] = value_of_row(db_arena(db), &rows[i]);
	}
	return e;
}

static err_t read_ordered(struct db *db, const struct search_which *which,
			  const struct search_page *ask, struct ordered_run **ret_runs,
			  size_t *ret_count)
{
	struct search_run_row *rows;
	struct ordered_run *runs;
	size_t count;
	err_t e = read_key(db, which, &ask->order, &rows, &count);

	if (e)
		return e;
	runs = arena_new_array(db_arena(db), struct ordered_run, count + 1);
	for (size_t i = 0; i < count; i++) {
		runs[i].run_id = rows[i].run_id;
		runs[i].values[0] = value_of_row(db_arena(db), &rows[i]);
		for (size_t k = 1; k <= ask->more_count; k++)
			runs[i].values[k].rank = SEARCH_RANK_NONE;
	}
	if (count)
		qsort(runs, count, sizeof(*runs), by_run);
	for (size_t i = 0; i < ask->more_count && !e; i++)
		e = add_key(db, which, &ask->more[i], i + 1, runs, count);
	*ret_runs = runs;
	*ret_count = count;
	return e;
}

err_t search_sql_page_of_several(struct db *db, const struct search_question *q,
				 struct patterns *patterns, const struct search_page *ask,
				 struct search_page_found *ret_found)
{
	struct search_which which;
	struct ordered_run *runs;
	size_t count;
	err_t e = which_of(db, q, patterns, &which);

	if (!e)
		e = read_ordered(db, &which, ask, &runs, &count);
	if (e)
		return e;
	ordered_runs_sort(ask, runs, count);
	ordered_runs_page(db_arena(db), ask, runs, count, ret_found);
	return NULL;
}

/* ---- groups -------------------------------------------------------------------------------------- */

static void set_statistics_paths(struct arena *a, const struct search_groups *ask,
				 struct search_groups_ask *sql)
{
	struct str *paths = arena_new_array(a, struct str, ask->of_count + 1);
	struct str *flats = arena_new_array(a, struct str, ask->of_count + 1);

	for (size_t i = 0; i < ask->of_count; i++) {
		const struct search_key_paths path = search_sql_paths(a, &ask->of[i]);

		paths[i] = path.path;
		flats[i] = path.flat.len ? path.flat : path.path;
	}
	sql->of_paths = paths;
	sql->of_flats = flats;
	sql->of_count = ask->of_count;
}

static struct search_numbers numbers_of(const struct search_group_row *row)
{
	return (struct search_numbers){ row->numbers, row->least, row->greatest, row->mean,
					row->deviation };
}

/* A group has as many rows as there are keys of statistics, or one. */
static void take_groups(struct arena *a, size_t of_count, const struct search_group_row *rows,
			size_t row_count, struct search_groups_found *found)
{
	const size_t each = of_count ? of_count : 1;

	found->count = row_count / each;
	found->groups = arena_new_array(a, struct search_group, found->count + 1);
	found->all_groups = row_count ? rows[0].all_groups : 0;
	found->all_runs = row_count ? rows[0].all_runs : 0;
	for (size_t i = 0; i < found->count; i++) {
		const struct search_group_row *row = &rows[i * each];
		struct search_numbers *numbers =
			arena_new_array(a, struct search_numbers, of_count + 1);

		for (size_t k = 0; k < of_count; k++)
			numbers[k] = numbers_of(&row[k]);
		found->groups[i] = (struct search_group){
			.value = search_sql_value(a, row->rank, row->number, row->text),
			.runs = row->runs,
			.numbers = numbers,
		};
	}
}

err_t search_sql_groups(struct db *db, const struct search_question *q, struct patterns *patterns,
			const struct search_groups *ask, struct search_groups_found *ret_found)
{
	struct arena *a = db_arena(db);
	struct search_groups_ask sql = {
		.key = search_sql_paths(a, &ask->key),
		.by_count = ask->by_count,
		.descending = ask->descending,
		.has_cursor = ask->has_cursor,
		.cursor_runs = ask->by_count ? ask->cursor_runs : 0,
		.cursor = ask->has_cursor ? ask->cursor : no_cursor(),
		.limit = ask->limit,
	};
	struct search_group_row *rows;
	size_t row_count;
	err_t e;

	set_statistics_paths(a, ask, &sql);
	e = which_of(db, q, patterns, &sql.which);
	if (!e)
		e = search_store_groups(db, &sql, &rows, &row_count);
	if (e)
		return e;
	take_groups(a, ask->of_count, rows, row_count, ret_found);
	return NULL;
}
