/*
 * A filter over columns: every condition sets a bit for each row that is still undecided
 * (columns_leaf.h), and AND, OR and NOT are those of words of bits. config.a.b may be two names or
 * one, as in filter_jsonpath.c.
 */
#include "columns_filter.h"

#include "access.h"
#include "columns_leaf.h"

/* The context of a walk over the filter. */
struct walk {
	struct arena *arena;
	const struct columns *columns;
	struct match_results *results;
};

/* The rows that match at one path. */
static struct bits path_rows(const struct walk *w, const struct filter_path *path,
			     const struct filter_node *n, struct bits asked)
{
	struct bits out = bits_new(w->arena, asked.rows);
	const struct column *column = columns_find(w->columns, path);

	if (column)
		leaf_rows(w->arena, column, n, w->results, asked, out);
	return out;
}

/*
 * The rows that are null at one path: there is no value, or (in config
 * and summary) one that is null.
 */
static struct bits null_rows(const struct walk *w, const struct filter_path *path,
			     struct bits asked)
{
	const struct filter_node there = { .op = FILTER_EXISTS, .path = *path };
	const struct column *column = columns_find(w->columns, path);
	struct bits out = bits_but(w->arena, asked, path_rows(w, path, &there, asked));

	if (column && path->count > 1)
		leaf_null_rows(w->arena, column, w->results, asked, out);
	return out;
}

static bool asks_for_null(const struct filter_node *n)
{
	for (size_t i = 0; i < n->value_count; i++) {
		if (n->values[i].kind == FILTER_NULL && leaf_is_of_set(n))
			return true;
	}
	return false;
}

/*
 * The key may be two names or one: a value at either matches, but it is missing only if both are.
 */
static struct bits key_rows(const struct walk *w, const struct filter_node *n, struct bits asked)
{
	const bool is_double = filter_path_is_double(&n->path);
	struct filter_path flat = is_double ? filter_path_flat(w->arena, &n->path) : n->path;
	struct bits out = path_rows(w, &n->path, n, asked);
	struct bits nulls;

	if (is_double)
		bits_or(out, path_rows(w, &flat, n, asked));
	if (!asks_for_null(n))
		return out;
	nulls = null_rows(w, &n->path, asked);
	if (is_double)
		bits_and(nulls, null_rows(w, &flat, asked));
	bits_or(out, nulls);
	return out;
}

static struct bits words_rows(const struct walk *w, const struct filter_node *n, struct bits asked)
{
	struct bits out = bits_new(w->arena, asked.rows);
	struct bits left = bits_copy(w->arena, asked);

	for (size_t i = 0; filter_word_members[i]; i++) {
		struct str name = str_of(filter_word_members[i]);
		const struct filter_path path = { &name, 1 };

		bits_or(out, path_rows(w, &path, n, left));
		bits_take(left, out);
	}
	return out;
}

static struct bits node_rows(const struct walk *w, const struct filter_node *n, struct bits asked);

static bool has_pattern(const struct filter_node *n)
{
	if (leaf_is_pattern(n))
		return true;
	for (const struct filter_node *child = n->child; child; child = child->next) {
		if (has_pattern(child))
			return true;
	}
	return false;
}

/* Takes from `left`, the undecided rows, those that one child decides. */
static void decide(const struct walk *w, const struct filter_node *n,
		   const struct filter_node *child, struct bits left, struct bits out)
{
	struct arena *own = arena_new(4096); /* a filter may have hundreds of conditions */
	const struct walk inner = { own, w->columns, w->results };
	struct bits rows = node_rows(&inner, child, left);

	if (n->op == FILTER_AND) {
		bits_and(left, rows);
	} else {
		bits_or(out, rows);
		bits_take(left, rows);
	}
	arena_free(own);
}

/* The most expensive conditions come last, for the rows that are left then. */
static struct bits group_rows(const struct walk *w, const struct filter_node *n, struct bits asked)
{
	struct bits left = bits_copy(w->arena, asked);
	struct bits out = bits_new(w->arena, asked.rows);

	for (int costly = 0; costly < 2; costly++) {
		for (const struct filter_node *child = n->child; child; child = child->next) {
			if (has_pattern(child) == costly)
				decide(w, n, child, left, out);
		}
	}
	return n->op == FILTER_AND ? left : out;
}

static struct bits node_rows(const struct walk *w, const struct filter_node *n, struct bits asked)
{
	switch (n->op) {
	case FILTER_AND:
	case FILTER_OR:
		return group_rows(w, n, asked);
	case FILTER_NOT:
		return bits_but(w->arena, asked, node_rows(w, n->child, asked));
	case FILTER_WORDS:
		return words_rows(w, n, asked);
	default:
		return key_rows(w, n, asked);
	}
}

struct bits columns_filter(struct arena *a, const struct columns *c,
			   const struct filter_node *filter, struct match_results *results,
			   struct bits asked)
{
	const struct walk w = { a, c, results };

	return node_rows(&w, filter, asked);
}

struct bits columns_shown(struct arena *a, const struct columns *c, bool sees_private,
			  bool project_public)
{
	const enum visibility project = project_public ? VISIBILITY_PUBLIC : VISIBILITY_PRIVATE;
	struct bits out = bits_new(a, c->row_count);

	for (int run = VISIBILITY_INHERIT; run <= VISIBILITY_PUBLIC; run++) {
		if (!access_sees(sees_private, project, (enum visibility)run))
			continue;
		for (size_t i = 0; i * 64 < c->row_count; i++)
			out.words[i] |= c->shown[i].by[run];
	}
	return out;
}
