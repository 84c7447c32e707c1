#include <string.h>

#include "arena.h"
#include "gql_parts.h"
#include "json_doc.h"

enum { FRAGMENTS_MAX = 256, KEYS_SLOTS = 4096, FEW_FIELDS = 4 };

struct collecting {
	struct gql_run *run;
	const struct gql_type *type;
	struct gql_chosens *chosens;
	const struct gql_fragment *opened[FRAGMENTS_MAX];
	size_t opened_count;
	uint16_t slots[KEYS_SLOTS]; /* 1 + the number of a chosen one, by hash of its key */
};

struct str gql_next_word(const char **words)
{
	struct str word;

	while (**words == ' ')
		(*words)++;
	word.at = *words;
	word.len = strcspn(*words, " ");
	*words += word.len;
	return word;
}

bool gql_word_in(const char *words, struct str word)
{
	struct str w;

	while (words && (w = gql_next_word(&words)).len) {
		if (str_equal(w, word))
			return true;
	}
	return false;
}

const struct gql_field *gql_find_field(const struct gql_type *type, struct str name)
{
	for (size_t i = 0; i < type->field_count; i++) {
		if (str_is(name, type->fields[i].name))
			return &type->fields[i];
	}
	return NULL;
}

static const struct gql_field *find_field(const struct collecting *c, struct str name)
{
	const struct gql_field *field = gql_find_field(c->type, name);

	if (!field && c->type == c->run->request->schema->query)
		field = gql_find_introspection(name);
	return field;
}

static err_t is_wanted(struct gql_run *run, const struct gql_condition *conditions,
		       bool *ret_wanted)
{
	*ret_wanted = true;
	for (const struct gql_condition *c = conditions; c; c = c->next) {
		const struct json_doc *value = gql_read_value(run, c->value);

		if (!json_doc_is(value, JSON_KIND_BOOL))
			return err_field(run->arena, ERR_INVALID, "query",
					 "@include and @skip require true or false");
		if (value->truth != c->wanted)
			*ret_wanted = false;
	}
	return NULL;
}

static struct gql_chosen *find_key(struct collecting *c, struct str key, uint16_t **ret_slot)
{
	uint64_t hash = str_hash(STR_HASH_START, key);

	for (size_t i = hash % KEYS_SLOTS;; i = (i + 1) % KEYS_SLOTS) {
		*ret_slot = &c->slots[i];
		if (!c->slots[i])
			return NULL;
		if (str_equal(c->chosens->at[c->slots[i] - 1].key, key))
			return &c->chosens->at[c->slots[i] - 1];
	}
}

static void add_set(struct gql_run *run, struct gql_chosen *chosen, const struct gql_set *set)
{
	struct gql_sets **at = &chosen->sets;

	if (!set->first)
		return;
	while (*at)
		at = &(*at)->next;
	*at = arena_new_of(run->arena, struct gql_sets);
	(*at)->set = set;
}

/* Two selections with one key have to ask for the same (GraphQL, section 5.3.2). */
static bool is_alike(struct gql_run *run, const struct gql_selection *a,
		     const struct gql_selection *b)
{
	if (a == b)
		return true;
	if (!str_equal(a->name, b->name))
		return false;
	if (!a->arg_count && !b->arg_count)
		return true;
	return json_doc_equal(gql_read_args(run, a), gql_read_args(run, b));
}

/* Most objects are asked for a few fields. */
static struct gql_chosen *new_chosen(struct arena *a, struct gql_chosens *all)
{
	if (!all->size) {
		all->size = FEW_FIELDS;
		all->at = arena_new_array(a, struct gql_chosen, FEW_FIELDS);
	} else if (all->count == all->size) {
		all->at = arena_grow(a, all->at, &all->size, sizeof(all->at[0]));
	}
	return &all->at[all->count++];
}

static err_t add_field(struct collecting *c, const struct gql_selection *node)
{
	struct gql_chosens *all = c->chosens;
	uint16_t *slot;
	struct gql_chosen *chosen = find_key(c, node->alias, &slot);

	if (!chosen) {
		if (all->count == GQL_WIDTH_MAX)
			return err_field(c->run->arena, ERR_UNPROCESSABLE, "query",
					 "more than %d fields of an object", GQL_WIDTH_MAX);
		chosen = new_chosen(c->run->arena, all);
		*slot = (uint16_t)all->count;
		*chosen = (struct gql_chosen){ .key = node->alias,
					       .node = node,
					       .field = find_field(c, node->name) };
	}
	if (!is_alike(c->run, chosen->node, node))
		return err_field(c->run->arena, ERR_INVALID, "query",
				 "\"%.*s\" is requested twice for different fields",
				 STR_ARG(node->alias));
	add_set(c->run, chosen, &node->set);
	return NULL;
}

static bool fits(const struct gql_type *type, struct str condition)
{
	return !condition.len || str_is(condition, type->name) ||
	       gql_word_in(type->also, condition);
}

static err_t collect_set(struct collecting *c, const struct gql_set *set);

/* Each fragment once for an object. */
static err_t open_fragment(struct collecting *c, const struct gql_fragment *f)
{
	for (size_t i = 0; i < c->opened_count; i++) {
		if (c->opened[i] == f)
			return NULL;
	}
	if (c->opened_count == FRAGMENTS_MAX)
		return err_field(c->run->arena, ERR_UNPROCESSABLE, "query",
				 "more than %d fragments for an object", FRAGMENTS_MAX);
	c->opened[c->opened_count++] = f;
	return fits(c->type, f->on) ? collect_set(c, &f->set) : NULL;
}

static err_t collect_one(struct collecting *c, const struct gql_selection *node)
{
	bool wanted;
	err_t e = is_wanted(c->run, node->conditions, &wanted);

	if (e || !wanted)
		return e;
	if (node->kind == GQL_FIELD)
		return add_field(c, node);
	if (node->kind == GQL_SPREAD)
		return open_fragment(c, node->fragment);
	return fits(c->type, node->name) ? collect_set(c, &node->set) : NULL;
}

static err_t collect_set(struct collecting *c, const struct gql_set *set)
{
	err_t e = NULL;

	for (const struct gql_selection *node = set->first; node && !e; node = node->next)
		e = collect_one(c, node);
	return e;
}

err_t gql_collect(struct gql_run *run, const struct gql_type *type, const struct gql_sets *sets,
		  struct gql_chosens *ret_chosens)
{
	struct collecting *c = run->collecting;
	err_t e = NULL;

	if (!c)
		c = run->collecting = arena_new_of(run->arena, struct collecting);
	*ret_chosens = (struct gql_chosens){ 0 };
	*c = (struct collecting){ .run = run, .type = type, .chosens = ret_chosens };
	for (; sets && !e; sets = sets->next)
		e = collect_set(c, sets->set);
	return e;
}
