/* Bodies of file_stream that are no good, or large: what is read of them, and what is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "json_scan.h"
#include "unread_store.h"
#include "wandb_body.h"

struct world {
	struct arena *arena;
	struct ingest_batch batch;
	struct wandb_body body;
};

static int begin(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->arena = arena_new(1 << 16);
	w->batch.arena = w->arena;
	*state = w;
	return 0;
}

static int end(void **state)
{
	struct world *w = *state;

	arena_free(w->arena);
	free(w);
	return 0;
}

static void read_text(struct world *w, struct str text)
{
	const struct wandb_body_ask ask = { w->arena, &w->batch, STR("") };
	char *copy = arena_zalloc(w->arena, text.len + JSON_SCAN_PADDING, 1);

	memcpy(copy, text.at, text.len);
	w->batch.unread_count = 0;
	assert_null(wandb_body_read(&ask, (struct str){ copy, text.len }, &w->body));
}

static const char *unread(const struct world *w, size_t i)
{
	assert_true(i < w->batch.unread_count);
	return arena_strdup(w->arena,
			    arena_printf(w->arena, "%.*s", STR_ARG(w->batch.unread[i].text)));
}

/* Every end of a body is a fault of its own; lines that are whole are taken, and no half of one. */
static void what_stands_before_a_fault(void **state)
{
	static const char whole[] = "{\"files\":{\"wandb-history.jsonl\":{\"offset\":5,\"content\":"
				    "[\"{\\\"a\\\":1}\",\"{\\\"a\\\":2}\"]}},\"complete\":true}";
	struct world *w = *state;

	for (size_t len = 0; len < sizeof(whole) - 1; len++) {
		const struct line_range *range = &w->body.lines[LINE_FILE_HISTORY];

		read_text(w, (struct str){ whole, len });
		assert_int_equal(w->batch.unread_count, 1);
		assert_in_range(w->body.parts.history.count, 0, 2);
		for (size_t i = 0; i < w->body.parts.history.count; i++)
			assert_int_equal(w->body.parts.history.lines[i].len, 7);
		if (w->body.parts.history.count)
			assert_int_equal(range->from, 5);
		assert_non_null(strstr(whole, unread(w, 0)));
		assert_false(w->body.is_complete && len < sizeof(whole) - 2);
	}
	read_text(w, str_of(whole));
	assert_int_equal(w->batch.unread_count, 0);
	assert_int_equal(w->body.parts.history.count, 2);
	assert_true(w->body.is_complete);
}

/* Without its offset a line could be any; so it is when the fault comes before it. */
static void lines_without_a_place(void **state)
{
	static const char *const bodies[] = {
		"{\"files\":{\"wandb-history.jsonl\":{\"content\":[\"{}\"],\"offset\":-1}}}",
		"{\"files\":{\"wandb-history.jsonl\":{\"content\":[\"{}\"],\"offset\":9007199254740993}}}",
		"{\"files\":{\"wandb-history.jsonl\":{\"offset\":\"1\",\"content\":[\"{}\"]}}}",
		"{\"files\":{\"output.log\":{\"offset\":0.5,\"content\":[\"{}\"]}}}",
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		read_text(w, str_of(bodies[i]));
		assert_int_equal(w->batch.unread_count, 1);
		assert_string_equal(unread(w, 0), "{}");
		assert_int_equal(w->body.parts.history.count + w->body.parts.console.count, 0);
	}
	read_text(w, STR("{\"files\":{\"wandb-history.jsonl\":{\"content\":[\"{}\"],\"of"));
	assert_int_equal(w->batch.unread_count, 2);
	assert_int_equal(w->body.parts.history.count, 0);
	read_text(
		w,
		STR("{\"files\":{\"wandb-history.jsonl\":{\"content\":[\"{}\"],\"offset\":2e3}}}"));
	assert_int_equal(w->body.lines[LINE_FILE_HISTORY].from, 2000);
}

static void a_file_twice(void **state)
{
	struct world *w = *state;

	read_text(
		w,
		STR("{\"files\":{\"output.log\":{\"content\":[\"a\"]},\"output.log\":{\"content\":[\"b\"]}}}"));
	assert_int_equal(w->body.parts.console.count, 1);
	assert_string_equal(unread(w, 0), "{\"content\":[\"b\"]}");
}

/* More values than a document may have: they are lines, and each is short. */
static void very_many_lines(void **state)
{
	enum { LINES = 300000 };
	struct world *w = *state;
	struct buf *text = buf_new(w->arena);

	buf_add_text(text, "{\"files\":{\"output.log\":{\"offset\":1,\"content\":[\"\"");
	for (int i = 1; i < LINES; i++)
		buf_add_text(text, ",\"x\"");
	buf_add_text(text, "]},\"wandb-history.jsonl\":{\"content\":[\"{}\"]}}}");
	read_text(w, buf_str(text));
	assert_int_equal(w->batch.unread_count, 0);
	assert_int_equal(w->body.parts.console.count, LINES);
	assert_int_equal(w->body.parts.console.items[LINES - 1].number, LINES);
	assert_int_equal(w->body.parts.history.count, 1);
}

static void unread_text_can_be_stored(void **state)
{
	struct world *w = *state;
	struct str long_text;
	struct buf *text = buf_new(w->arena);

	batch_add_unread(&w->batch, UNREAD_OTHER, STR("a\0b\xff\xc3\xbc\xed\xa0\x80"));
	assert_string_equal(unread(w, 0), "a?b?\xc3\xbc???");
	for (int i = 0; i < RUN_UNREAD_MAX_BYTES; i++)
		buf_add_text(text, "\xe2\x82\xac");
	batch_add_unread(&w->batch, UNREAD_OTHER, buf_str(text));
	long_text = w->batch.unread[1].text;
	assert_int_equal(long_text.len, RUN_UNREAD_MAX_BYTES / 3 * 3);
	assert_true(str_is_utf8(long_text));
	for (int i = 0; i < 2 * RUN_UNREAD_MAX; i++)
		batch_add_unread(&w->batch, UNREAD_OTHER, STR("x"));
	assert_int_equal(w->batch.unread_count, 2 + 2 * RUN_UNREAD_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_stands_before_a_fault, begin, end),
		cmocka_unit_test_setup_teardown(lines_without_a_place, begin, end),
		cmocka_unit_test_setup_teardown(a_file_twice, begin, end),
		cmocka_unit_test_setup_teardown(very_many_lines, begin, end),
		cmocka_unit_test_setup_teardown(unread_text_can_be_stored, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
