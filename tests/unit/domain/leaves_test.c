/* Leaves of a document: their order, documents made of them, and what a change does to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "leaves.h"

static struct leaves split(struct arena *a, const char *text)
{
	const struct json_doc *doc;
	struct leaves leaves;

	assert_null(json_doc_parse(a, str_of(text), &doc));
	leaves_split(a, doc, LEAVES_ALONE, &leaves);
	return leaves;
}

static void those_below_a_path_stand_together(void **state)
{
	static const struct {
		struct str path;
		size_t count;
		struct str first;
	} cases[] = {
		{ STR("a"), 3, STR("a\0b") },
		{ STR("a\0b"), 0, { 0 } },
		{ STR("a\0c"), 2, STR("a\0c\0d") },
		{ STR("a "), 1, STR("a \0b") },
		{ STR("A"), 0, { 0 } },
		{ STR("b"), 0, { 0 } },
		{ STR("c"), 1, STR("c\0") },
		{ STR("d"), 0, { 0 } },
		{ STR(""), 0, { 0 } },
	};
	struct arena *a = arena_new(4096);
	const struct leaves nothing = { NULL, 0 };
	const struct leaves leaves =
		split(a, "{\"a\":{\"b\":1,\"c\":{\"d\":2,\"e\":3}},\"a \":{\"b\":4},"
			 "\"ab\":5,\"b\":6,\"c\":{\"\":7}}");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct leaves below = leaves_below(&leaves, cases[i].path);

		assert_int_equal(below.count, cases[i].count);
		if (below.count)
			assert_true(str_equal(below.at[0].path, cases[i].first));
	}
	assert_int_equal(leaves_below(&nothing, STR("a")).count, 0);
	arena_free(a);
}

/* ---- documents and leaves ------------------------------------------------------------------------ */

/* Paths are written with dots: none of the names here has one. */
static void add_path(struct buf *out, struct str path)
{
	for (size_t i = 0; i < path.len; i++)
		buf_add_byte(out, path.at[i] ? path.at[i] : '.');
}

/* "a=1@0* o{}": the value with its writer, a star if it is shared; an object. */
static const char *text_of(struct arena *a, const struct leaves *leaves)
{
	struct buf *out = buf_new(a);

	for (size_t i = 0; i < leaves->count; i++) {
		const struct leaf *leaf = &leaves->at[i];

		buf_add_text(out, i ? " " : "");
		add_path(out, leaf->path);
		if (!leaf->value) {
			buf_add_text(out, "{}");
			continue;
		}
		buf_add_byte(out, '=');
		buf_add_str(out, json_doc_dump(a, leaf->value));
		buf_printf(out, "@%d%s", leaf->writer, leaf->shared ? "*" : "");
	}
	buf_add_byte(out, '\0');
	return out->at;
}

static const struct json_doc *parse(struct arena *a, const char *text)
{
	const struct json_doc *doc;

	assert_null(json_doc_parse(a, str_of(text), &doc));
	return doc;
}

static const char *dump(struct arena *a, const struct json_doc *doc)
{
	return str_copy(a, json_doc_dump(a, doc));
}

#define DOCUMENT "{\"a\":{\"b\":1,\"c\":{\"d\":[2],\"e\":{}}},\"f\":{},\"g\":null}"

static void a_document_is_split_and_joined(void **state)
{
	struct arena *a = arena_new(4096);
	const struct json_doc *doc = parse(a, DOCUMENT);
	struct leaves leaves;

	(void)state;
	leaves_split(a, doc, LEAVES_ALONE, &leaves);
	assert_string_equal(text_of(a, &leaves), "a.b=1@0 a.c.d=[2]@0 a.c.e={}@0 f={}@0 g=null@0");
	assert_string_equal(dump(a, leaves_join(a, &leaves)), DOCUMENT);
	leaves_split(a, doc, LEAVES_AND_OBJECTS, &leaves);
	assert_string_equal(text_of(a, &leaves),
			    "a{} a.b=1@0 a.c{} a.c.d=[2]@0 a.c.e={}@0 f={}@0 g=null@0");
	assert_string_equal(dump(a, leaves_join(a, &leaves)), DOCUMENT);
	arena_free(a);
}

static void leaves_below_a_leaf_are_merged_into_it(void **state)
{
	struct arena *a = arena_new(4096);
	const struct json_doc *one = parse(a, "1");
	struct leaf items[] = { { .path = STR("a"), .value = parse(a, "{\"x\":1,\"y\":2}") },
				{ .path = STR("a\0x"), .value = parse(a, "7") },
				{ .path = STR("b"), .value = one },
				{ .path = STR("b\0c"), .value = one },
				{ .path = STR("bc"), .value = one } };
	const struct leaves leaves = { items, 5 };

	(void)state;
	assert_string_equal(dump(a, leaves_join(a, &leaves)),
			    "{\"a\":{\"x\":7,\"y\":2},\"b\":{\"c\":1},\"bc\":1}");
	arena_free(a);
}

static void writers_are_kept_in_the_shape_of_the_document(void **state)
{
	struct arena *a = arena_new(4096);
	struct leaves leaves = split(a, DOCUMENT);
	struct leaves others = split(a, "{\"a\":{\"b\":1,\"c\":{\"z\":1}},\"g\":2,\"h\":3}");
	const struct json_doc *writers;

	(void)state;
	for (size_t i = 0; i < leaves.count; i++)
		leaves.at[i].writer = (int32_t)i + 3;
	writers = leaves_join_writers(a, &leaves);
	assert_string_equal(dump(a, writers),
			    "{\"a\":{\"b\":3,\"c\":{\"d\":4,\"e\":5}},\"f\":6,\"g\":7}");
	for (size_t i = 0; i < leaves.count; i++)
		leaves.at[i].writer = 0;
	leaves_take_writers(&leaves, writers);
	assert_string_equal(text_of(a, &leaves), "a.b=1@3 a.c.d=[2]@4 a.c.e={}@5 f={}@6 g=null@7");
	leaves_take_writers(&others, writers);
	assert_string_equal(text_of(a, &others), "a.b=1@3 a.c.z=1@0 g=2@7 h=3@0");
	arena_free(a);
}

static void a_leaf_is_found_by_its_path(void **state)
{
	struct arena *a = arena_new(4096);
	const struct leaves nothing = { NULL, 0 };
	struct leaf items[] = { { .path = STR("b") },
				{ .path = STR("a\0b") },
				{ .path = STR("a") },
				{ .path = STR("ab") } };
	struct leaves leaves = { items, 4 };

	(void)state;
	leaves_sort(&leaves);
	assert_string_equal(text_of(a, &leaves), "a{} a.b{} ab{} b{}");
	for (size_t i = 0; i < 4; i++)
		assert_ptr_equal(leaves_find(&leaves, items[i].path), &items[i]);
	assert_null(leaves_find(&leaves, STR("a\0")));
	assert_null(leaves_find(&leaves, STR("c")));
	assert_null(leaves_find(&nothing, STR("a")));
	arena_free(a);
}

static void names_are_the_parts_of_a_path(void **state)
{
	const struct str path = STR("ab\0\0c");

	(void)state;
	assert_true(str_is(leaf_name_at(path, 0), "ab"));
	assert_true(str_is(leaf_name_at(path, 3), ""));
	assert_true(str_is(leaf_name_at(path, 4), "c"));
	assert_true(str_is(leaf_name_at(path, 5), ""));
}

static void a_leaf_of_one_and_an_object_of_another_tangle(void **state)
{
	static const struct {
		const char *docs[2];
		bool tangled;
	} cases[] = {
		{ { "{\"a\":1}", "{\"a\":{\"b\":1}}" }, true },
		{ { "{\"a\":{\"b\":1}}", "{\"a\":1}" }, true },
		{ { "{\"a\":{}}", "{\"a\":{\"b\":1}}" }, true },
		{ { "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":2,\"c\":3}}" }, false },
		{ { "{\"a\":1,\"ab\":2}", "{\"ab\":1}" }, false },
		{ { "{\"a\":{\"b\":1}}", "{\"ab\":1,\"a \":1}" }, false },
		{ { "{}", "{}" }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct document_part parts[] = { { 0, parse(a, cases[i].docs[0]) },
						       { 1, parse(a, cases[i].docs[1]) } };

		assert_int_equal(leaves_tangled(a, parts, 2), cases[i].tangled);
		arena_free(a);
	}
}

/* ---- size ---------------------------------------------------------------------------------------- */

static void sizes_are_those_of_values_and_names(void **state)
{
	struct arena *a = arena_new(4096);
	struct leaves_size size = { 0 };
	struct leaves leaves;

	(void)state;
	leaves_split(a, parse(a, "{\"ab\":{\"cde\":[1,2]},\"f\":\"x\"}"), LEAVES_AND_OBJECTS,
		     &leaves);
	for (size_t i = 0; i < leaves.count; i++)
		leaves_count(a, &size, &leaves.at[i], 1);
	assert_int_equal(size.values, 1 + 3 + 1);
	assert_int_equal(size.bytes, 2 + (3 + 5) + (1 + 3));
	assert_int_equal(size.paths, 2 + 6 + 1);
	for (size_t i = 0; i < leaves.count; i++)
		leaves_count(a, &size, &leaves.at[i], -1);
	assert_int_equal(size.values, 0);
	assert_int_equal(size.bytes, 0);
	assert_int_equal(size.paths, 0);
	arena_free(a);
}

static void sizes_have_limits(void **state)
{
	static const struct {
		struct leaves_size size;
		bool fits;
	} cases[] = {
		{ { JSON_DOC_MAX_VALUES - 1, 0, 0 }, true },
		{ { JSON_DOC_MAX_VALUES, 0, 0 }, false },
		{ { 0, DOCUMENT_MAX_BYTES, 0 }, true },
		{ { 0, DOCUMENT_MAX_BYTES + 1, 0 }, false },
		{ { 0, 0, LEAVES_MAX_PATH_BYTES }, true },
		{ { 0, 0, LEAVES_MAX_PATH_BYTES + 1 }, false },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		err_t e = leaves_check_size(a, "config", &cases[i].size);

		assert_int_equal(!e, cases[i].fits);
		if (!e)
			continue;
		assert_int_equal(e->kind, ERR_UNPROCESSABLE);
		assert_string_equal(e->field, "config");
	}
	arena_free(a);
}

/* Each of `count` leaves has the long names of both objects around it in its path. */
static err_t check_paths(struct arena *a, size_t len, size_t count)
{
	struct json_member *leaves = arena_new_array(a, struct json_member, count);
	struct json_member inner = { { arena_zalloc(a, len, 1), len }, NULL };
	struct json_member outer = { { inner.name.at, len }, NULL };

	memset((char *)(uintptr_t)inner.name.at, 'n', len);
	for (size_t i = 0; i < count; i++) {
		leaves[i].name = str_of(arena_printf(a, "%04zu", i));
		leaves[i].value = json_doc_null();
	}
	inner.value = json_doc_object(a, leaves, count);
	outer.value = json_doc_object(a, &inner, 1);
	return leaves_check_paths(a, "config", json_doc_object(a, &outer, 1));
}

static void paths_have_a_limit(void **state)
{
	enum { COUNT = 1024 };
	/* the outer object, the inner one with it, and the leaves with both and their own four bytes */
	const size_t len = (LEAVES_MAX_PATH_BYTES - 1 - COUNT * 6) / (3 + 2 * COUNT);
	struct arena *a = arena_new(4096);
	const struct json_member members[] = {
		{ { arena_zalloc(a, LEAVES_MAX_PATH_BYTES, 1), LEAVES_MAX_PATH_BYTES },
		  json_doc_null() },
		{ STR("z"), json_doc_null() },
	};

	(void)state;
	assert_null(check_paths(a, len, COUNT));
	assert_int_equal(check_paths(a, len + 1, COUNT)->kind, ERR_UNPROCESSABLE);
	assert_null(leaves_check_paths(a, "config", parse(a, "{}")));
	assert_null(leaves_check_paths(a, "config", json_doc_object(a, members, 1)));
	assert_int_equal(leaves_check_paths(a, "config", json_doc_object(a, members, 2))->kind,
			 ERR_UNPROCESSABLE);
	arena_free(a);
}

/* ---- a change ------------------------------------------------------------------------------------ */

enum { ROWS_MAX = 3 };

/* A change by writer 1. Rows have dots for NUL; without a value they are objects. */
struct change {
	const char *before;
	const char *after;
	struct row {
		const char *path;
		const char *value;
		int32_t writer;
		bool shared;
	} rows[ROWS_MAX];
	const char *saved;
	const char *dropped;
	const char *orphaned;
	const char *conflict;
	const char *was;
	const char *is;
};

static struct leaves rows_of(struct arena *a, const struct change *change)
{
	struct leaves rows = { arena_new_array(a, struct leaf, ROWS_MAX), 0 };

	for (size_t i = 0; i < ROWS_MAX && change->rows[i].path; i++) {
		const struct row *row = &change->rows[i];
		char *path = arena_strdup(a, row->path);

		for (char *at = path; (at = strchr(at, '.'));)
			*at = '\0';
		rows.at[rows.count++] = (struct leaf){
			.path = { path, strlen(row->path) },
			.value = row->value ? parse(a, row->value) : NULL,
			.writer = row->writer,
			.shared = row->shared,
		};
	}
	return rows;
}

static const char *conflicts_of(struct arena *a, const struct conflicts *conflicts)
{
	struct buf *out = buf_new(a);

	for (size_t i = 0; i < conflicts->count; i++) {
		const struct conflict *c = &conflicts->at[i];

		buf_printf(out, "%.*s:", STR_ARG(c->key));
		for (size_t k = 0; k < c->count; k++)
			buf_printf(out, " %d=%s", c->values[k].writer, dump(a, c->values[k].value));
	}
	buf_add_byte(out, '\0');
	return out->at;
}

static struct leaves_outcome apply(struct arena *a, const struct change *change, bool is_summary)
{
	struct leaves_change c = { .kind = is_summary ? LEAVES_SUMMARY : LEAVES_CONFIG,
				   .writer = 1,
				   .rows = rows_of(a, change) };
	struct leaves_outcome outcome;

	c.before = split(a, change->before);
	leaves_split(a, parse(a, change->after), LEAVES_AND_OBJECTS, &c.after);
	leaves_apply(a, &c, &outcome);
	return outcome;
}

static void check(const struct change *change, bool is_summary)
{
	struct arena *a = arena_new(4096);
	const struct leaves_outcome outcome = apply(a, change, is_summary);

	assert_false(outcome.clash);
	assert_string_equal(text_of(a, &outcome.saved), change->saved);
	assert_string_equal(text_of(a, &outcome.dropped), change->dropped ? change->dropped : "");
	assert_string_equal(text_of(a, &outcome.orphaned),
			    change->orphaned ? change->orphaned : "");
	assert_string_equal(conflicts_of(a, &outcome.conflicts),
			    change->conflict ? change->conflict : "");
	assert_string_equal(dump(a, outcome.was), change->was ? change->was : "{}");
	assert_string_equal(dump(a, outcome.is), change->is ? change->is : "{}");
	arena_free(a);
}

static void a_change_of_a_config_saves_its_leaves(void **state)
{
	static const struct change changes[] = {
		/* a new leaf */
		{ "{}", "{\"a\":1}", { { 0 } }, .saved = "a=1@1", .is = "{\"a\":1}" },
		/* another writer has the same value: it is shared */
		{ "{}", "{\"a\":1}", { { "a", "1", 0, false } }, .saved = "a=1@0*" },
		{ "{}", "{\"a\":1.0}", { { "a", "1", 0, true } }, .saved = "" },
		/* another writer has another value */
		{ "{}",
		  "{\"a\":2}",
		  { { "a", "1", 0, false } },
		  .saved = "a=2@1*",
		  .conflict = "a: 1=2 0=1",
		  .was = "{\"a\":1}",
		  .is = "{\"a\":2}" },
		{ "{\"a\":1}",
		  "{\"a\":2}",
		  { { "a", "1", 0, true } },
		  .saved = "a=2@1*",
		  .conflict = "a: 1=2 0=1",
		  .was = "{\"a\":1}",
		  .is = "{\"a\":2}" },
		/* the value was the writer's own */
		{ "{\"a\":1}",
		  "{\"a\":2}",
		  { { "a", "1", 1, false } },
		  .saved = "a=2@1",
		  .was = "{\"a\":1}",
		  .is = "{\"a\":2}" },
		{ "{\"a\":1}",
		  "{\"a\":3}",
		  { { "a", "1", 1, true } },
		  .saved = "a=3@1*",
		  .was = "{\"a\":1}",
		  .is = "{\"a\":3}" },
		{ "{\"a\":1}", "{\"a\":1}", { { "a", "1", 1, false } }, .saved = "" },
		/* a value that is sent unchanged comes on top again, which is not a conflict */
		{ "{\"a\":1}", "{\"a\":1}", { { "a", "2", 0, true } }, .saved = "a=1@1*" },
		/* data of the SDK differs from process to process */
		{ "{}",
		  "{\"_wandb\":{\"x\":2}}",
		  { { "_wandb", NULL, 0, false }, { "_wandb.x", "1", 0, false } },
		  .saved = "_wandb.x=2@1*",
		  .was = "{\"_wandb\":{\"x\":1}}",
		  .is = "{\"_wandb\":{\"x\":2}}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		check(&changes[i], false);
}

static void objects_are_saved_before_their_leaves(void **state)
{
	static const struct change changes[] = {
		{ "{}",
		  "{\"o\":{\"x\":1}}",
		  { { 0 } },
		  .saved = "o{} o.x=1@1",
		  .is = "{\"o\":{\"x\":1}}" },
		{ "{}",
		  "{\"o\":{\"x\":2}}",
		  { { "o", NULL, 0, false }, { "o.x", "1", 0, false } },
		  .saved = "o.x=2@1*",
		  .conflict = "o.x: 1=2 0=1",
		  .was = "{\"o\":{\"x\":1}}",
		  .is = "{\"o\":{\"x\":2}}" },
		/* the writer's own leaf becomes an object */
		{ "{\"a\":1}",
		  "{\"a\":{\"b\":2}}",
		  { { "a", "1", 1, false } },
		  .saved = "a{} a.b=2@1",
		  .dropped = "a=1@1",
		  .is = "{\"a\":{\"b\":2}}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		check(&changes[i], false);
}

static void leaves_that_are_not_sent_any_more_are_dropped(void **state)
{
	static const struct change changes[] = {
		{ "{\"a\":1,\"b\":2}",
		  "{\"b\":2}",
		  { { "a", "1", 1, false }, { "b", "2", 1, false } },
		  .saved = "",
		  .dropped = "a=1@1" },
		/* others hold it, too: one of them gives the value */
		{ "{\"a\":1}", "{}", { { "a", "1", 1, true } }, .saved = "", .orphaned = "a=1@1*" },
		/* the value is another's */
		{ "{\"a\":1}", "{}", { { "a", "1", 0, true } }, .saved = "" },
		{ "{\"a\":1}", "{}", { { 0 } }, .saved = "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		check(&changes[i], false);
}

static void in_a_summary_the_last_writer_counts(void **state)
{
	static const struct change changes[] = {
		{ "{}", "{\"a\":1}", { { "a", "1", 0, false } }, .saved = "a=1@1*" },
		{ "{}", "{\"a\":1}", { { "a", "1", 0, true } }, .saved = "a=1@1*" },
		{ "{}", "{\"a\":1}", { { "a", "1", 1, false } }, .saved = "" },
		/* {} changes nothing in an object that is there */
		{ "{}",
		  "{\"o\":{}}",
		  { { "o", NULL, 0, false }, { "o.x", "1", 0, false } },
		  .saved = "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		check(&changes[i], true);
}

static void a_leaf_that_meets_an_object_clashes(void **state)
{
	static const struct change changes[] = {
		{ "{}", "{\"o\":{\"x\":1}}", { { "o", "5", 0, false } } },
		{ "{}", "{\"o\":7}", { { "o", NULL, 0, false }, { "o.x", "1", 0, false } } },
		{ "{\"o\":1}", "{\"o\":{\"x\":1}}", { { "o", "5", 0, true } } },
	};
	static const struct change empty = {
		"{}", "{\"o\":{}}", { { "o", NULL, 0, false }, { "o.x", "1", 0, false } }
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (int is_summary = 0; is_summary < 2; is_summary++) {
		for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
			assert_true(apply(a, &changes[i], is_summary).clash);
		assert_int_equal(apply(a, &empty, is_summary).clash, !is_summary);
	}
	arena_free(a);
}

static void so_many_conflicts_are_named(void **state)
{
	struct arena *a = arena_new(1 << 16);
	struct leaves_change c = { .kind = LEAVES_CONFIG, .writer = 1 };
	struct buf *rows = buf_new(a);
	struct buf *after = buf_new(a);
	struct leaves_outcome outcome;

	(void)state;
	for (int i = 0; i < CONFLICT_KEYS + 1; i++) {
		buf_printf(rows, "%c\"k%06d\":1", i ? ',' : '{', i);
		buf_printf(after, "%c\"k%06d\":2", i ? ',' : '{', i);
	}
	buf_add(rows, "}", 2);
	buf_add(after, "}", 2);
	c.rows = split(a, rows->at);
	leaves_split(a, parse(a, after->at), LEAVES_AND_OBJECTS, &c.after);
	leaves_apply(a, &c, &outcome);
	assert_int_equal(outcome.conflicts.count, CONFLICT_KEYS);
	assert_int_equal(outcome.saved.count, CONFLICT_KEYS + 1);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_below_a_path_stand_together),
		cmocka_unit_test(a_document_is_split_and_joined),
		cmocka_unit_test(leaves_below_a_leaf_are_merged_into_it),
		cmocka_unit_test(writers_are_kept_in_the_shape_of_the_document),
		cmocka_unit_test(a_leaf_is_found_by_its_path),
		cmocka_unit_test(names_are_the_parts_of_a_path),
		cmocka_unit_test(a_leaf_of_one_and_an_object_of_another_tangle),
		cmocka_unit_test(sizes_are_those_of_values_and_names),
		cmocka_unit_test(sizes_have_limits),
		cmocka_unit_test(paths_have_a_limit),
		cmocka_unit_test(a_change_of_a_config_saves_its_leaves),
		cmocka_unit_test(objects_are_saved_before_their_leaves),
		cmocka_unit_test(leaves_that_are_not_sent_any_more_are_dropped),
		cmocka_unit_test(in_a_summary_the_last_writer_counts),
		cmocka_unit_test(a_leaf_that_meets_an_object_clashes),
		cmocka_unit_test(so_many_conflicts_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
