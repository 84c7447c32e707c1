/* Merged documents leaf by leaf: the same as merging everything anew, at the cost of what changed. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "document.h"
#include "document_store.h"
#include "run_documents.h"
#include "scene.h"

enum { WRITERS = 6 };

static const struct json_doc *parse(struct scene *s, const char *text)
{
	const struct json_doc *doc;

	ok(json_doc_parse(s->a, str_of(text), &doc));
	return doc;
}

static const char *dump(struct scene *s, const struct json_doc *doc)
{
	return json_doc_dump(s->a, doc).at;
}

static const struct json_doc *shown(struct scene *s, enum document_kind kind)
{
	const struct run_reader reader = { s->db, s->codec, s->metrics };
	const struct json_doc *doc;
	struct run run = scene_run(s);

	if (kind == DOCUMENT_CONFIG)
		ok(run_documents_config(&reader, &run, &doc));
	else
		ok(run_documents_summary(&reader, &run, &doc));
	return doc;
}

static void send(struct scene *s, int writer, const char *noun, const char *text)
{
	struct buf *streams = buf_new(s->a);

	buf_printf(streams, "\"%s\":%s", noun, text);
	scene_send_buf(s, arena_printf(s->a, "w%d", writer), streams);
}

static void join_all(struct scene *s, int count)
{
	for (int i = 0; i < count; i++)
		scene_join(s, arena_printf(s->a, "w%d", i), WRITER_WORKER);
}

/* ---- whatever comes ---------------------------------------------------------------------------------- */

static unsigned next(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % below;
}

/* Few names, few values, and leaves where others have objects: everything meets. */
static void add_object(struct buf *b, unsigned *seed, int depth, bool tangles)
{
	static const char *const names[] = { "a", "b", "a.b", "", "\\u0001" };
	static const char *const values[] = { "1", "2", "1.0", "null", "[1]", "{}", "\"x\"" };
	bool first = true;

	buf_add_text(b, "{");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool object = tangles ? next(seed, 3) == 0 : i < 2;

		if (next(seed, 2) && (tangles || i < 4)) /* {} would meet the objects of others */
			continue;
		buf_printf(b, "%s\"%s\":", first ? "" : ",", names[i]);
		first = false;
		if (object && depth)
			add_object(b, seed, depth - 1, tangles);
		else
			buf_add_text(b, values[next(seed, object && !tangles ? 1 : 7)]);
	}
	buf_add_text(b, "}");
}

static const char *some_document(struct scene *s, unsigned *seed, bool tangles)
{
	struct buf *b = buf_new(s->a);

	add_object(b, seed, 2, tangles);
	buf_add_byte(b, '\0');
	return b->at;
}

struct sent {
	const struct json_doc *doc; /* of each writer, NULL: none */
	int order;
};

static int by_order(const void *x, const void *y)
{
	return ((const struct sent *)x)->order - ((const struct sent *)y)->order;
}

/* In order of last change, as the design has it. */
static const struct json_doc *merged(struct scene *s, const struct sent *sent)
{
	const struct json_doc *doc = json_doc_empty();
	struct sent sorted[WRITERS];

	memcpy(sorted, sent, sizeof(sorted));
	qsort(sorted, WRITERS, sizeof(sorted[0]), by_order);
	for (int i = 0; i < WRITERS; i++) {
		if (sorted[i].doc)
			doc = json_doc_merge(s->a, doc, sorted[i].doc);
	}
	return doc;
}

static bool is_tangled(struct scene *s)
{
	return scene_number(s,
			    "select count(*) as number from run_merged "
			    "where run_id = %lld and kind = 1 and tangled",
			    (long long)s->run_id);
}

static void check_config(struct scene *s, unsigned seed, bool tangles)
{
	struct sent sent[WRITERS] = { { NULL, 0 } };
	unsigned first = seed;
	int seen = 0;

	s->run_id = scene_new_run(s);
	join_all(s, WRITERS);
	for (int i = 1; i <= 30; i++) {
		int who = (int)next(&seed, WRITERS);
		const char *text = some_document(s, &seed, tangles);
		const struct json_doc *doc = parse(s, text);
		const struct json_doc *is;

		send(s, who, "config", text);
		if (!sent[who].doc || !json_doc_equal(sent[who].doc, doc))
			sent[who] = (struct sent){ doc, i };
		is = shown(s, DOCUMENT_CONFIG);
		if (!json_doc_equal(is, merged(s, sent)))
			fail_msg("seed %u, change %d, %s: %s is not %s", first, i, text,
				 dump(s, is), dump(s, merged(s, sent)));
		seen += is_tangled(s);
	}
	assert_int_equal(seen > 0, tangles);
}

static void test_config_is_the_merge_of_all(void **state)
{
	for (unsigned seed = 1; seed <= 4; seed++)
		check_config(*state, seed, false);
}

static void test_config_where_leaves_meet_objects(void **state)
{
	for (unsigned seed = 1; seed <= 4; seed++)
		check_config(*state, seed, true);
}

static void test_summary_is_what_was_set(void **state)
{
	struct scene *s = *state;
	unsigned seed = 7;
	struct document_set set = { json_doc_empty(), json_doc_empty() };

	join_all(s, WRITERS);
	for (int i = 0; i < 80; i++) {
		int who = (int)next(&seed, WRITERS);
		const char *text = some_document(s, &seed, i >= 40);
		struct document_part part = { who, parse(s, text) };
		struct conflicts found;

		send(s, who, "summary", text);
		set = document_set_summary(s->a, &set, &part, &found);
		if (!json_doc_equal(shown(s, DOCUMENT_SUMMARY), set.doc))
			fail_msg("change %d, %s: %s is not %s", i, text,
				 dump(s, shown(s, DOCUMENT_SUMMARY)), dump(s, set.doc));
	}
}

/* What was tangled is merged leaf by leaf again, once the writers agree on what is an object. */
static void test_tangles_are_undone(void **state)
{
	struct scene *s = *state;

	join_all(s, 2);
	send(s, 0, "config", "{\"o\":{\"a\":1}}");
	send(s, 1, "config", "{\"o\":5}");
	assert_true(is_tangled(s));
	send(s, 1, "config", "{\"p\":5}");
	assert_false(is_tangled(s));
	assert_string_equal(dump(s, shown(s, DOCUMENT_CONFIG)), "{\"o\":{\"a\":1},\"p\":5}");
	send(s, 0, "config", "{\"o\":6}");
	assert_false(is_tangled(s));
	assert_string_equal(dump(s, shown(s, DOCUMENT_CONFIG)), "{\"o\":6,\"p\":5}");
}

/* ---- what it costs ----------------------------------------------------------------------------------- */

enum { KEYS = 50, FEW = 4, MANY = 200 };

static const char *document_of(struct scene *s, int writer, int version)
{
	struct buf *b = buf_new(s->a);

	buf_printf(b, "{\"rank\":%d,\"version\":%d,\"of\":{\"w%d\":1}", writer, version, writer);
	for (int i = 0; i < KEYS; i++)
		buf_printf(b, ",\"key%d\":%d", i, i);
	buf_add_byte(b, '}');
	buf_add_byte(b, '\0');
	return b->at;
}

/* Memory that one change took: all that was read of the database lies in it. */
static size_t cost_of(struct scene *s, const char *noun, const char *text)
{
	struct arena *a = arena_new(4096);
	struct arena *before = db_arena(s->db);
	struct ingest_batch *batch;
	size_t size;
	err_t e;

	batch = scene_batch(s, "w0", scene_writer(s, "w0").batch + 1,
			    arena_printf(s->a, "\"%s\":%s", noun, text));
	db_set_arena(s->db, a);
	e = scene_flush(s, &batch, 1, FLUSH_WAIT);
	size = arena_size(a);
	db_set_arena(s->db, before);
	ok(e);
	arena_free(a);
	ok(batch->error);
	return size;
}

static void check_cost(struct scene *s, const char *noun)
{
	size_t few, many;

	s->run_id = scene_new_run(s);
	join_all(s, MANY);
	for (int i = 0; i < FEW; i++)
		send(s, i, noun, document_of(s, i, 0));
	few = cost_of(s, noun, document_of(s, 0, 1));
	for (int i = FEW; i < MANY; i++)
		send(s, i, noun, document_of(s, i, 0));
	many = cost_of(s, noun, document_of(s, 0, 2));
	if (many > 2 * few)
		fail_msg("a change of %s takes %zu bytes with %d writers, %zu with %d", noun, many,
			 MANY, few, FEW);
}

static void test_a_change_costs_what_it_changes(void **state)
{
	check_cost(*state, "config");
	check_cost(*state, "summary");
}

/* ---- conflicts --------------------------------------------------------------------------------------- */

static int64_t conflict_count(struct scene *s)
{
	return scene_number(s,
			    "select coalesce(sum(count), 0)::int8 as number from run_conflict "
			    "where run_id = %lld",
			    (long long)s->run_id);
}

static void test_conflicts_of_a_change_are_one_statement(void **state)
{
	struct scene *s = *state;

	join_all(s, 2);
	scene_sql(s, "create sequence conflict_statements");
	scene_sql(s, "create function note() returns trigger language plpgsql as "
		     "$$ begin perform nextval('conflict_statements'); return null; end $$");
	scene_sql(s, "create trigger note after insert on run_conflict for each statement "
		     "execute function note()");
	send(s, 0, "config", document_of(s, 0, 0));
	send(s, 1, "config", "{\"rank\":7,\"version\":8,\"key1\":\"x\",\"key2\":\"y\"}");
	scene_sql(s, "drop function note cascade");
	assert_int_equal(conflict_count(s), 4);
	assert_int_equal(scene_number(s, "select last_value as number from conflict_statements"),
			 1);
	scene_sql(s, "drop sequence conflict_statements");
}

/* "a.b" and "b" within "a" have one key in the list of conflicts. */
static void test_two_paths_of_one_key(void **state)
{
	struct scene *s = *state;

	join_all(s, 2);
	send(s, 0, "config", "{\"a.b\":1,\"a\":{\"b\":1}}");
	send(s, 1, "config", "{\"a.b\":2,\"a\":{\"b\":2}}");
	assert_int_equal(conflict_count(s), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_config_is_the_merge_of_all),
		SCENE_TEST(test_config_where_leaves_meet_objects),
		SCENE_TEST(test_summary_is_what_was_set),
		SCENE_TEST(test_tangles_are_undone),
		SCENE_TEST(test_a_change_costs_what_it_changes),
		SCENE_TEST(test_conflicts_of_a_change_are_one_statement),
		SCENE_TEST(test_two_paths_of_one_key),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
