#include "artifact_filter.h"

#include <string.h>

#include "artifact_page.h"
#include "artifact_target.h"
#include "auth.h"
#include "clock.h"
#include "filter.h"
#include "json_doc.h"

enum { WINDOW = 200, WINDOW_ARENA = 256 << 10 };

/* ---- reading ---------------------------------------------------------------------------------------- */

static bool is_pattern(const struct filter_node *node)
{
	return node->op == FILTER_REGEX || node->op == FILTER_WORDS;
}

static err_t too_complex(struct request *q)
{
	return err_field(q->arena, ERR_INVALID, "filter",
			 "regular expressions and free words can only be combined by \"and\" and "
			 "\"not\" here");
}

/* The parser makes groups of one condition, too. */
static const struct filter_node *unwrapped(const struct filter_node *node)
{
	while ((node->op == FILTER_AND || node->op == FILTER_OR) && node->child &&
	       !node->child->next)
		node = node->child;
	return node;
}

/* A pattern, perhaps within "not". NULL: it is another condition. */
static const struct filter_node *pattern_of(const struct filter_node *node, bool *ret_negated)
{
	*ret_negated = false;
	for (node = unwrapped(node); node->op == FILTER_NOT; node = unwrapped(node->child))
		*ret_negated = !*ret_negated;
	return is_pattern(node) ? node : NULL;
}

static err_t note_pattern(struct request *q, const struct filter_node *node, bool is_negated,
			  struct artifact_filter *filter)
{
	if (node->op == FILTER_REGEX && str_is(node->path.names[0], "run"))
		return err_field(q->arena, ERR_INVALID, "filter",
				 "a run can only be compared with its id here");
	filter->is_negated[node->pattern] = is_negated;
	return NULL;
}

struct splitting {
	struct request *q;
	struct artifact_filter *filter;
	struct filter_node rest;  /* the conditions without patterns */
	struct filter_node **end; /* of its children */
};

static err_t split_one(struct splitting *s, const struct filter_node *node)
{
	bool is_negated;
	const struct filter_node *pattern = pattern_of(node, &is_negated);

	if (pattern)
		return note_pattern(s->q, pattern, is_negated, s->filter);
	if (filter_has_patterns(node))
		return too_complex(s->q);
	*s->end = arena_new_of(s->q->arena, struct filter_node);
	**s->end = *node;
	(*s->end)->next = NULL;
	s->end = &(*s->end)->next;
	return NULL;
}

static err_t split(struct splitting *s, const struct filter_node *filter)
{
	err_t e = NULL;

	filter = unwrapped(filter);
	if (filter->op != FILTER_AND)
		return split_one(s, filter);
	for (const struct filter_node *child = filter->child; child && !e; child = child->next)
		e = split(s, child);
	return e;
}

err_t artifact_filter_read(struct request *q, struct str text, struct artifact_versions_ask *ask,
			   struct artifact_filter *ret_filter)
{
	struct splitting s = { .q = q, .filter = ret_filter };
	const struct filter_node *filter;
	err_t e;

	*ret_filter = (struct artifact_filter){ 0 };
	ask->jsonpath = STR("");
	ask->sees = artifact_target_sees(q->target);
	if (!text.len)
		return NULL;
	e = filter_parse_artifacts(q->arena, text, &filter);
	if (!e && filter_has_patterns(filter))
		e = patterns_new(q->arena, filter, q->deadline_us, &ret_filter->patterns);
	s.rest = (struct filter_node){ .op = FILTER_AND };
	s.end = &s.rest.child;
	if (!e)
		e = split(&s, filter);
	return e || !s.rest.child ? e : filter_to_jsonpath(q->arena, &s.rest, &ask->jsonpath);
}

/* ---- matching ------------------------------------------------------------------------------------------ */

struct matching {
	struct arena *arena;
	struct patterns *patterns;
	size_t pattern;
	const struct artifact *artifact;
};

static bool match_text(const struct matching *m, struct str text)
{
	return text.at && patterns_match(m->patterns, m->pattern, text);
}

/* A text, or one of a list. */
static bool match_value(const struct matching *m, const struct json_doc *value)
{
	if (value->kind == JSON_KIND_STRING)
		return match_text(m, value->text);
	for (size_t i = 0; value->kind == JSON_KIND_ARRAY && i < value->count; i++) {
		const struct json_doc *item = value->items[i];

		if (item->kind == JSON_KIND_STRING && match_text(m, item->text))
			return true;
	}
	return false;
}

static bool match_json(const struct matching *m, struct str json)
{
	const struct json_doc *doc;

	return json.len && !json_doc_parse(m->arena, json, &doc) && match_value(m, doc);
}

static bool match_path(const struct matching *m, const struct json_doc *doc,
		       const struct filter_path *path)
{
	for (size_t i = 1; i < path->count && doc; i++)
		doc = doc->kind == JSON_KIND_OBJECT ? json_doc_get(doc, path->names[i]) : NULL;
	return doc && match_value(m, doc);
}

/* metadata.a.b is the member b of a, or one member "a.b". */
static bool match_metadata(const struct matching *m, const struct filter_path *path)
{
	const struct json_doc *doc;
	struct filter_path flat;

	if (!m->artifact->metadata.len || json_doc_parse(m->arena, m->artifact->metadata, &doc))
		return false;
	if (match_path(m, doc, path))
		return true;
	if (!filter_path_is_double(path))
		return false;
	flat = filter_path_flat(m->arena, path);
	return match_path(m, doc, &flat);
}

static struct str text_of_time(struct arena *a, timestamp_us time)
{
	char text[CLOCK_TEXT_SIZE];

	clock_format(time, text);
	return str_of(arena_strdup(a, text));
}

static bool match_expression(const struct matching *m, const struct filter_path *path)
{
	const struct artifact *a = m->artifact;
	const struct {
		const char *name;
		struct str text;
	} texts[] = {
		{ "type", a->type },
		{ "collection", a->collection },
		{ "version", str_of(arena_printf(m->arena, "v%d", a->version)) },
		{ "digest", a->digest },
		{ "created_at", text_of_time(m->arena, a->created_at) },
		{ "user", a->user },
		{ "description", a->description },
	};

	if (str_is(path->names[0], "metadata"))
		return match_metadata(m, path);
	if (str_is(path->names[0], "tags") || str_is(path->names[0], "aliases"))
		return match_json(m, str_is(path->names[0], "tags") ? a->tags : a->aliases);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (str_is(path->names[0], texts[i].name))
			return match_text(m, texts[i].text);
	}
	return false;
}

static bool match_words(const struct matching *m)
{
	const struct artifact *a = m->artifact;

	return match_text(m, a->collection) || match_text(m, a->type) ||
	       match_text(m, a->description) || match_json(m, a->tags) || match_json(m, a->aliases);
}

static bool matches(struct arena *arena, const struct artifact_filter *filter,
		    const struct artifact *artifact)
{
	struct matching m = { .arena = arena, .patterns = filter->patterns, .artifact = artifact };

	for (; m.pattern < patterns_count(filter->patterns); m.pattern++) {
		const struct filter_node *node = patterns_node(filter->patterns, m.pattern);
		const bool is_match = node->op == FILTER_WORDS ? match_words(&m)
							       : match_expression(&m, &node->path);

		if (is_match == filter->is_negated[m.pattern])
			return false;
	}
	return true;
}

/* ---- pages ---------------------------------------------------------------------------------------------- */

struct walk {
	struct request *q;
	const struct artifact_filter *filter;
	struct artifact_versions_ask ask; /* of the next window */
	int64_t *ids;
	size_t count;  /* of these */
	int64_t limit; /* ends after so many; INT64_MAX: counts all, and keeps none */
	int64_t all;
	bool is_over;
};

static err_t match_rows(struct walk *w, struct arena *own, const struct artifact *rows,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!matches(own, w->filter, &rows[i]))
			continue;
		w->all++;
		if (w->ids && w->all <= w->limit)
			w->ids[w->count++] = rows[i].artifact_id;
	}
	if (count) {
		w->ask.has_after = true;
		w->ask.after_time = rows[count - 1].created_at;
		w->ask.after_id = rows[count - 1].artifact_id;
	}
	return patterns_error(w->filter->patterns);
}

static err_t in_order(struct db *db, int64_t project_id, const int64_t *ids, size_t count,
		      struct artifact_found *found)
{
	struct artifact *sorted = arena_new_array(db_arena(db), struct artifact, count + 1);
	struct artifact *rows;
	size_t row_count;
	err_t e = artifact_store_list_ids(db, project_id, ids, count, &rows, &row_count);

	found->count = 0;
	found->artifacts = sorted;
	for (size_t i = 0; i < count && !e; i++) {
		for (size_t j = 0; j < row_count; j++) {
			if (rows[j].artifact_id == ids[i])
				sorted[found->count++] = rows[j];
		}
	}
	return e;
}

static err_t read_page(struct db *db, const struct artifact_versions_ask *ask,
		       struct artifact_found *found)
{
	struct artifact_size *sizes;
	size_t count, fit;
	int64_t *ids;
	err_t e = artifact_store_list_sizes(db, ask, &sizes, &count);

	if (e)
		return e;
	fit = artifact_page_cut(sizes, count);
	ids = arena_new_array(db_arena(db), int64_t, fit + 1);
	for (size_t i = 0; i < fit; i++)
		ids[i] = sizes[i].artifact_id;
	found->is_cut = fit < count;
	found->is_last = !found->is_cut && count < (size_t)ask->limit;
	return in_order(db, ask->project_id, ids, fit, found);
}

/* Rows are in memory for one window at a time. */
static err_t match_window(struct walk *w)
{
	struct arena *before = db_arena(w->q->db);
	struct arena *own = arena_new_beside(before, WINDOW_ARENA);
	struct artifact_found found = { .count = 0 };
	err_t e;

	db_set_arena(w->q->db, own);
	e = read_page(w->q->db, &w->ask, &found);
	db_set_arena(w->q->db, before);
	w->is_over = found.is_last;
	e = e ? err_wrap(before, e, "versions") : match_rows(w, own, found.artifacts, found.count);
	arena_free(own);
	return e;
}

static err_t find_matches(struct request *q, const struct walk *w, struct artifact_found *found)
{
	struct artifact_key *keys = arena_new_array(q->arena, struct artifact_key, w->count + 1);
	size_t fit = 0;
	err_t e;

	for (size_t i = 0; i < w->count; i++)
		keys[i] = (struct artifact_key){ w->ask.project_id, w->ids[i] };
	e = artifact_page_fit(q, keys, w->count, &fit);
	found->is_cut = fit < w->count;
	return e ? e : in_order(q->db, w->ask.project_id, w->ids, fit, found);
}

static err_t walk(struct walk *w)
{
	err_t e = NULL;

	w->ask.limit = WINDOW;
	while (!e && !w->is_over && w->all < w->limit)
		e = match_window(w);
	return e;
}

static err_t count_all(struct request *q, const struct artifact_versions_ask *ask,
		       const struct artifact_filter *filter, int64_t *ret_all)
{
	struct walk w = { .q = q, .filter = filter, .ask = *ask, .limit = INT64_MAX };
	err_t e;

	w.ask.has_after = false;
	e = walk(&w);
	*ret_all = w.all;
	return e;
}

err_t artifact_filter_page(struct request *q, const struct artifact_versions_ask *ask,
			   const struct artifact_filter *filter, struct artifact_found *ret_found,
			   int64_t *ret_all)
{
	struct walk w = { .q = q, .filter = filter, .ask = *ask, .limit = ask->limit };
	err_t e;

	if (!filter->patterns) {
		e = read_page(q->db, ask, ret_found);
		return e || !ret_all ? e : artifact_store_count(q->db, ask, ret_all);
	}
	w.ids = arena_new_array(q->arena, int64_t, (size_t)ask->limit + 1);
	e = walk(&w);
	if (!e && ret_all)
		e = count_all(q, ask, filter, ret_all);
	return e ? e : find_matches(q, &w, ret_found);
}
