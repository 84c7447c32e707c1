/*
 * YAML into values over the events of libyaml. Not its documents: they would be in memory as a whole, of any depth, before the first
 * limit could be checked.
 */
#include "sweep_yaml.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "arena.h"
#include "buf.h"
#include "sweep_members.h"
#include "sweep_scalar.h"

enum { ANCHORS_MAX = 1000 };

/* A node that aliases may repeat. */
struct anchor {
	struct str name;
	struct sweep_value value;
	size_t count; /* of the values it is made of */
	unsigned depth;
};

struct reader {
	struct arena *arena;
	struct sweep_faults *faults;
	struct str text;
	yaml_parser_t parser;
	yaml_event_t event; /* the current one */
	bool has_event;
	bool has_failed;
	size_t count; /* of values so far */
	unsigned depth, deepest;
	struct anchor *anchors;
	size_t anchor_count;
};

static bool read_node(struct reader *r, struct sweep_value *ret_value);

/* ---- faults --------------------------------------------------------------------------------------------- */

static void add_fault(struct reader *r, yaml_mark_t mark, bool is_error, const char *text)
{
	sweep_fault_add(r->arena, r->faults,
			(struct sweep_fault){ .line = (unsigned)mark.line + 1,
					      .column = (unsigned)mark.column + 1,
					      .is_error = is_error,
					      .text = str_of(text) });
}

__attribute__((format(printf, 3, 4))) static bool fail(struct reader *r, yaml_mark_t mark,
						       const char *fmt, ...)
{
	va_list ap;

	if (r->has_failed)
		return false;
	r->has_failed = true;
	va_start(ap, fmt);
	add_fault(r, mark, true, arena_vprintf(r->arena, fmt, ap));
	va_end(ap);
	return false;
}

/* Marks of libyaml count characters. */
static bool is_tab(struct str text, yaml_mark_t mark)
{
	struct str line = str_cut(&text, '\n');

	for (size_t i = 0; i < mark.line; i++)
		line = str_cut(&text, '\n');
	return str_head_characters(line, mark.column + 1).len >
		       str_head_characters(line, mark.column).len &&
	       line.at[str_head_characters(line, mark.column).len] == '\t';
}

/* The message of libyaml, except for a tab, which it does not name. */
static bool fail_of_parser(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	const char *problem = p->problem ? p->problem : "unreadable";

	if (p->error == YAML_READER_ERROR)
		return fail(r, p->mark, "invalid YAML: %s", problem);
	if (strstr(problem, "cannot start any token") && is_tab(r->text, p->problem_mark))
		return fail(r, p->problem_mark, "invalid YAML: a tab cannot indent: use blanks");
	if (p->context)
		return fail(r, p->problem_mark, "invalid YAML: %s %s", p->context, problem);
	return fail(r, p->problem_mark, "invalid YAML: %s", problem);
}

/* ---- events --------------------------------------------------------------------------------------------- */

static void drop_event(struct reader *r)
{
	if (r->has_event)
		yaml_event_delete(&r->event);
	r->has_event = false;
}

static bool next_event(struct reader *r)
{
	drop_event(r);
	if (r->has_failed)
		return false;
	if (!yaml_parser_parse(&r->parser, &r->event))
		return fail_of_parser(r);
	r->has_event = true;
	return true;
}

/* Drops the current event and the one after it. */
static bool skip_event(struct reader *r)
{
	if (!next_event(r))
		return false;
	return next_event(r);
}

static struct str text_of(const yaml_char_t *text, size_t len)
{
	return (struct str){ (const char *)text, len };
}

/* Counts values, which aliases repeat. */
static bool count_values(struct reader *r, size_t more)
{
	r->count += more;
	if (r->count > SWEEP_VALUES_MAX)
		return fail(r, r->event.start_mark,
			    "more than %d values, with those that aliases repeat",
			    SWEEP_VALUES_MAX);
	return true;
}

/* ---- scalars -------------------------------------------------------------------------------------------- */

static struct str kept(struct reader *r, struct str text)
{
	return (struct str){ str_copy(r->arena, text), text.len };
}

static bool has_kind_of_tag(const char *tag, const struct sweep_value *v)
{
	static const struct {
		const char *tag;
		enum sweep_kind kind;
	} tags[] = { { YAML_NULL_TAG, SWEEP_NULL },
		     { YAML_BOOL_TAG, SWEEP_BOOL },
		     { YAML_INT_TAG, SWEEP_INT },
		     { YAML_FLOAT_TAG, SWEEP_REAL } };

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (strcmp(tags[i].tag, tag) == 0)
			return tags[i].kind == v->kind;
	return false;
}

static bool resolve(struct reader *r, struct str plain, struct sweep_value *v)
{
	const char *tag = (const char *)r->event.data.scalar.tag;
	yaml_mark_t mark = r->event.start_mark;

	switch (sweep_scalar_resolve(r->arena, plain, v)) {
	case SWEEP_SCALAR_TOO_BIG:
		return fail(r, mark,
			    "integer beyond 64 bits: write it as a float (1.0e+20) or a string");
	case SWEEP_SCALAR_NO_DIGITS:
		return fail(r, mark, "invalid integer \"%.*s\": quote it if it is a string",
			    STR_ARG(str_head(plain, 100)));
	case SWEEP_SCALAR_GOOD:
		break;
	}
	if (!tag || strcmp(tag, "!") == 0) {
		if (v->kind == SWEEP_TEXT && sweep_scalar_is_misread(plain))
			add_fault(
				r, mark, false,
				arena_printf(
					r->arena,
					"\"%.*s\" is a string in YAML 1.1: a float has a point and a signed exponent, as 1.0e-3",
					STR_ARG(plain)));
		return true;
	}
	if (strcmp(tag, YAML_FLOAT_TAG) == 0 && v->kind == SWEEP_INT) {
		v->real = (double)v->whole;
		v->kind = SWEEP_REAL;
	}
	return has_kind_of_tag(tag, v) ||
	       fail(r, mark, "\"%.*s\" does not have the type of its tag \"%.100s\"",
		    STR_ARG(str_head(plain, 100)), tag);
}

static bool read_scalar(struct reader *r, struct sweep_value *v)
{
	struct str text = kept(r, text_of(r->event.data.scalar.value, r->event.data.scalar.length));
	const char *tag = (const char *)r->event.data.scalar.tag;

	if (memchr(text.at, 0, text.len))
		return fail(r, r->event.start_mark, "the character U+0000 is not supported");
	if (!r->event.data.scalar.plain_implicit &&
	    (!tag || strcmp(tag, "!") == 0 || strcmp(tag, YAML_STR_TAG) == 0)) {
		v->kind = SWEEP_TEXT;
		v->text = text;
		return true;
	}
	return resolve(r, text, v);
}

/* ---- lists and objects ------------------------------------------------------------------------------------ */

static bool check_tag(struct reader *r, const yaml_char_t *tag, const char *own)
{
	if (!tag || strcmp((const char *)tag, "!") == 0 || strcmp((const char *)tag, own) == 0)
		return true;
	return fail(r, r->event.start_mark, "tag \"%.100s\" is not supported", (const char *)tag);
}

static bool enter(struct reader *r)
{
	if (++r->depth > r->deepest)
		r->deepest = r->depth;
	return r->depth <= SWEEP_DEPTH_MAX ||
	       fail(r, r->event.start_mark, "more than %d levels", SWEEP_DEPTH_MAX);
}

static bool read_list(struct reader *r, struct sweep_value *v)
{
	struct sweep_items items = { 0 };
	bool is_good = enter(r) && check_tag(r, r->event.data.sequence_start.tag, YAML_SEQ_TAG);

	while (is_good && next_event(r) && r->event.type != YAML_SEQUENCE_END_EVENT) {
		struct sweep_value item = { 0 };

		is_good = read_node(r, &item);
		sweep_items_add(&items, item);
	}
	r->depth--;
	sweep_items_end(r->arena, &items, v);
	return !r->has_failed;
}

/* The name that json.dumps() gives to a key that is not a text. */
static bool name_of(struct reader *r, yaml_mark_t mark, const struct sweep_value *key,
		    struct str *ret_name)
{
	if (key->kind == SWEEP_LIST || key->kind == SWEEP_OBJECT)
		return fail(r, mark, "the name of a member must be a string, not %s",
			    sweep_kind_name(key->kind));
	*ret_name = key->kind == SWEEP_TEXT ? key->text : sweep_value_dump(r->arena, key);
	return true;
}

static void add_merged(struct sweep_members *merged, const struct sweep_value *object)
{
	for (size_t i = 0; i < object->object.count; i++)
		sweep_members_add(merged, object->object.members[i]);
}

/* The value of "<<": an object or a list of them, the first of which wins. */
static bool merge(struct reader *r, yaml_mark_t mark, const struct sweep_value *from,
		  struct sweep_members *merged)
{
	if (from->kind == SWEEP_OBJECT) {
		add_merged(merged, from);
		return count_values(r, from->object.count);
	}
	if (from->kind != SWEEP_LIST)
		return fail(r, mark, "\"<<\" merges an object or a list of objects, not %s",
			    sweep_kind_name(from->kind));
	for (size_t i = from->list.count; i-- > 0;) {
		const struct sweep_value *item = &from->list.items[i];

		if (item->kind != SWEEP_OBJECT)
			return fail(r, mark, "\"<<\" merges objects, not %s",
				    sweep_kind_name(item->kind));
		add_merged(merged, item);
		if (!count_values(r, item->object.count))
			return false;
	}
	return true;
}

static bool is_merge(const struct reader *r)
{
	return r->event.type == YAML_SCALAR_EVENT && r->event.data.scalar.plain_implicit &&
	       !r->event.data.scalar.tag &&
	       str_is(text_of(r->event.data.scalar.value, r->event.data.scalar.length), "<<");
}

/* The current event begins the name. */
static bool read_member(struct reader *r, struct sweep_members *own, struct sweep_members *merged)
{
	yaml_mark_t mark = r->event.start_mark;
	bool merges = is_merge(r);
	struct sweep_value key = { 0 };
	struct sweep_member m = { .line = (unsigned)mark.line + 1,
				  .column = (unsigned)mark.column + 1 };

	if (!read_node(r, &key) || !name_of(r, mark, &key, &m.name) || !next_event(r) ||
	    !read_node(r, &m.value))
		return false;
	if (merges)
		return merge(r, mark, &m.value, merged);
	sweep_members_add(own, m);
	return true;
}

static bool read_object(struct reader *r, struct sweep_value *v)
{
	struct sweep_members own = { 0 };
	struct sweep_members merged = { 0 };
	bool is_good = enter(r) && check_tag(r, r->event.data.mapping_start.tag, YAML_MAP_TAG);

	while (is_good && next_event(r) && r->event.type != YAML_MAPPING_END_EVENT)
		is_good = read_member(r, &own, &merged);
	r->depth--;
	sweep_members_end(r->arena, &own, v, r->faults);
	if (merged.members.len) {
		add_merged(&merged, v);
		sweep_members_end(r->arena, &merged, v, NULL);
	}
	buf_free(&merged.members);
	return !r->has_failed;
}

/* ---- anchors -------------------------------------------------------------------------------------------- */

static bool keep_anchor(struct reader *r, struct str name, struct anchor anchor)
{
	for (size_t i = 0; i < r->anchor_count; i++) {
		if (str_equal(r->anchors[i].name, name)) { /* a later one of that name */
			anchor.name = name;
			r->anchors[i] = anchor;
			return true;
		}
	}
	if (r->anchor_count == ANCHORS_MAX)
		return fail(r, r->event.start_mark, "more than %d anchors", ANCHORS_MAX);
	anchor.name = name;
	r->anchors[r->anchor_count++] = anchor;
	return true;
}

static bool read_alias(struct reader *r, struct sweep_value *v)
{
	struct str name = str_of((const char *)r->event.data.alias.anchor);
	unsigned line = v->line, column = v->column;

	for (size_t i = 0; i < r->anchor_count; i++) {
		const struct anchor *anchor = &r->anchors[i];

		if (!str_equal(anchor->name, name))
			continue;
		if (r->depth + anchor->depth > r->deepest)
			r->deepest = r->depth + anchor->depth;
		if (r->depth + anchor->depth > SWEEP_DEPTH_MAX)
			return fail(r, r->event.start_mark, "more than %d levels", SWEEP_DEPTH_MAX);
		*v = anchor->value;
		v->line = line;
		v->column = column;
		return count_values(r, anchor->count - 1);
	}
	return fail(r, r->event.start_mark, "alias \"%.*s\" has no anchor before it",
		    STR_ARG(str_head(name, 100)));
}

static struct str anchor_of(struct reader *r)
{
	const yaml_char_t *name = NULL;

	if (r->event.type == YAML_SCALAR_EVENT)
		name = r->event.data.scalar.anchor;
	else if (r->event.type == YAML_SEQUENCE_START_EVENT)
		name = r->event.data.sequence_start.anchor;
	else if (r->event.type == YAML_MAPPING_START_EVENT)
		name = r->event.data.mapping_start.anchor;
	return name ? kept(r, str_of((const char *)name)) : (struct str){ 0 };
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static bool read_any(struct reader *r, struct sweep_value *v)
{
	switch (r->event.type) {
	case YAML_ALIAS_EVENT:
		return read_alias(r, v);
	case YAML_SCALAR_EVENT:
		return read_scalar(r, v);
	case YAML_SEQUENCE_START_EVENT:
		return read_list(r, v);
	case YAML_MAPPING_START_EVENT:
		return read_object(r, v);
	default:
		return fail(r, r->event.start_mark, "invalid YAML: expected a value");
	}
}

static bool read_node(struct reader *r, struct sweep_value *v)
{
	struct str anchor = anchor_of(r);
	size_t count = r->count;
	unsigned deepest = r->deepest;

	v->line = (unsigned)r->event.start_mark.line + 1;
	v->column = (unsigned)r->event.start_mark.column + 1;
	r->deepest = r->depth;
	if (!count_values(r, 1) || !read_any(r, v))
		return false;
	if (anchor.at && !keep_anchor(r, anchor,
				      (struct anchor){ .value = *v,
						       .count = r->count - count,
						       .depth = r->deepest - r->depth }))
		return false;
	if (deepest > r->deepest)
		r->deepest = deepest;
	return true;
}

static bool read_document(struct reader *r, struct sweep_value *v)
{
	*v = (struct sweep_value){ .kind = SWEEP_NULL, .line = 1, .column = 1 };
	if (!skip_event(r)) /* the beginning of the stream */
		return false;
	if (r->event.type == YAML_STREAM_END_EVENT)
		return true;
	if (!next_event(r) || !read_node(r, v) || !skip_event(r))
		return false;
	return r->event.type == YAML_STREAM_END_EVENT ||
	       fail(r, r->event.start_mark, "more than one YAML document: one is expected");
}

static bool check_text(struct reader *r)
{
	yaml_mark_t start = { 0 };

	if (r->text.len > SWEEP_TEXT_MAX)
		return fail(r, start, "longer than %d bytes", SWEEP_TEXT_MAX);
	return str_is_utf8(r->text) || fail(r, start, "not UTF-8");
}

err_t sweep_yaml_read(struct arena *a, struct str yaml, const struct sweep_value **ret_value,
		      struct sweep_faults *faults)
{
	struct reader r = { .arena = a,
			    .faults = faults,
			    .text = yaml,
			    .anchors = arena_new_array(a, struct anchor, ANCHORS_MAX) };
	struct sweep_value *v = arena_new_of(a, struct sweep_value);

	if (!check_text(&r))
		return sweep_faults_error(a, faults);
	if (!yaml_parser_initialize(&r.parser))
		abort(); /* out of memory */
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)yaml.at, yaml.len);
	read_document(&r, v);
	drop_event(&r);
	yaml_parser_delete(&r.parser);
	if (r.has_failed)
		return sweep_faults_error(a, faults);
	*ret_value = v;
	return NULL;
}
