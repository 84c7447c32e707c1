/*
 * Whole summaries, as processes of the wandb SDK send them: what is set, what follows from history, and
 * that the later of both holds, whoever it came from.
 */
#include <string.h>

#include "arena.h"
#include "batch_scan.h"
#include "document_store.h"
#include "run_documents.h"
#include "scene.h"

/* A summary that comes with some history; both as JSON, "" for none. */
struct step {
	const char *writer;
	const char *history; /* one row */
	const char *summary;
	bool derived;
	bool behind; /* the summary was made before the row was logged */
	bool final;  /* its writer sends no more */
	bool before; /* or is sent before the rows that are in it */
	bool native; /* its summary is what is set, as a client of our own sends it */
	const char *becomes;
};

enum { STEPS = 6 };
struct play {
	const char *what;
	struct step steps[STEPS];
	const char *conflicts; /* their keys; NULL: none */
};

static const struct play plays[] = {
	{ "what is logged is not set",
	  { { "a", "{\"loss\":1}", "{\"loss\":1,\"_step\":0}", .becomes = "{\"loss\":1}" },
	    { "a", "{\"loss\":2}", "{\"loss\":2}", .becomes = "{\"loss\":2}" },
	    { "b", "{\"loss\":3}", "", .native = true, .becomes = "{\"loss\":3}" } } },
	{ "what is set holds until it is logged again",
	  { { "a", "{\"loss\":1}", "{\"loss\":1}", .becomes = "{\"loss\":1}" },
	    { "a", "", "{\"loss\":0.5}", .becomes = "{\"loss\":0.5}" },
	    { "a", "{\"x\":1}", "{\"loss\":0.5,\"x\":1}", .becomes = "{\"loss\":0.5,\"x\":1}" },
	    { "a", "{\"loss\":2}", "{\"loss\":2,\"x\":1}", .becomes = "{\"loss\":2,\"x\":1}" },
	    { "a", "{\"loss\":3}", "{\"loss\":3,\"x\":1}", .becomes = "{\"loss\":3,\"x\":1}" } } },
	{ "whoever logs it",
	  { { "a", "{\"loss\":1}", "{\"loss\":0.5,\"best\":1}",
	      .becomes = "{\"best\":1,\"loss\":0.5}" },
	    { "b", "{\"loss\":2}", "{\"loss\":2}", .becomes = "{\"best\":1,\"loss\":2}" },
	    { "a", "", "{\"loss\":0.5,\"best\":2}", .becomes = "{\"best\":2,\"loss\":2}" },
	    { "a", "", "{\"loss\":0.4,\"best\":2}", .becomes = "{\"best\":2,\"loss\":0.4}" } } },
	{ "what one process never sent it cannot erase",
	  { { "a", "", "{\"x\":1,\"o\":{\"p\":1}}", .becomes = "{\"o\":{\"p\":1},\"x\":1}" },
	    { "b", "", "{\"y\":1,\"o\":{\"q\":1}}",
	      .becomes = "{\"o\":{\"p\":1,\"q\":1},\"x\":1,\"y\":1}" },
	    { "b", "", "{}", .becomes = "{\"o\":{\"p\":1},\"x\":1}" },
	    { "a", "", "{\"o\":{\"p\":1}}", .becomes = "{\"o\":{\"p\":1}}" } } },
	{ "the last one holds, and two that differ are a conflict",
	  { { "a", "", "{\"best\":1}", .becomes = "{\"best\":1}" },
	    { "b", "", "{\"best\":2}", .becomes = "{\"best\":2}" },
	    { "a", "{\"x\":1}", "{\"best\":1,\"x\":1}", .becomes = "{\"best\":2,\"x\":1}" },
	    { "a", "", "{\"x\":1}", .becomes = "{\"best\":2,\"x\":1}" } },
	  "best" },
	{ "what define_metric() makes of a key",
	  { { "a", "{\"acc\":1}", "{\"acc\":{\"max\":1}}", .becomes = "{\"acc\":{\"max\":1}}" },
	    { "a", "{\"acc\":3}", "{\"acc\":{\"max\":3}}", .becomes = "{\"acc\":{\"max\":3}}" },
	    { "a", "{\"acc\":2}", "{\"acc\":{\"max\":3}}", .becomes = "{\"acc\":{\"max\":3}}" },
	    { "a", "{\"acc\":2}", "{\"acc\":{\"max\":3,\"last\":2}}",
	      .becomes = "{\"acc\":{\"last\":2,\"max\":3}}" },
	    { "a", "{\"acc\":2}", "{\"acc\":2}", .becomes = "{\"acc\":2}" } } },
	{ "the longest runtime, and no conflict over it",
	  { { "a", "", "{\"_wandb\":{\"runtime\":5}}", .becomes = "{\"_wandb\":{\"runtime\":5}}" },
	    { "b", "", "{\"_wandb\":{\"runtime\":3}}", .becomes = "{\"_wandb\":{\"runtime\":5}}" },
	    { "b", "", "{\"_wandb\":{\"runtime\":6}}",
	      .becomes = "{\"_wandb\":{\"runtime\":6}}" } } },
	{ "a process that leaves history to the server",
	  { { "a", "{\"loss\":1}", "{\"best\":1}", true, .becomes = "{\"best\":1,\"loss\":1}" },
	    { "a", "", "{\"best\":1,\"loss\":9}", true, .becomes = "{\"best\":1,\"loss\":9}" },
	    { "a", "{\"loss\":2}", "{\"best\":1,\"loss\":9}", true,
	      .becomes = "{\"best\":1,\"loss\":2}" },
	    { "a", "", "{\"best\":2,\"loss\":9}", true, .becomes = "{\"best\":2,\"loss\":2}" } } },
	{ "and says nothing when it logs",
	  { { "a", "", "{\"loss\":9}", true, .becomes = "{\"loss\":9}" },
	    { "a", "{\"loss\":2}", "", true, .becomes = "{\"loss\":2}" },
	    { "a", "", "{\"loss\":8}", true, .becomes = "{\"loss\":8}" } } },
	{ "a summary that is behind the rows beside it",
	  { { "a", "{\"loss\":1}", "{}", .behind = true, .becomes = "{\"loss\":1}" },
	    { "a", "{\"loss\":2}", "{\"loss\":1}", .behind = true, .becomes = "{\"loss\":2}" },
	    { "b", "{\"loss\":3}", "{\"loss\":3}", .becomes = "{\"loss\":3}" },
	    { "a", "", "{\"loss\":2}", .becomes = "{\"loss\":3}" },
	    { "a", "", "{\"loss\":7}", .becomes = "{\"loss\":7}" } } },
	{ "a summary that comes before the rows that are in it",
	  { { "a", "{\"loss\":1}", "{\"loss\":2,\"best\":1}", .before = true,
	      .becomes = "{\"loss\":1}" },
	    { "a", "{\"loss\":2}", "", .becomes = "{\"best\":1,\"loss\":2}" },
	    { "b", "{\"loss\":3}", "{\"loss\":4}", .before = true,
	      .becomes = "{\"best\":1,\"loss\":3}" },
	    { "b", "{\"loss\":4}", "{\"loss\":4}", .becomes = "{\"best\":1,\"loss\":4}" },
	    { "a", "", "{\"loss\":2,\"best\":3}", .final = true,
	      .becomes = "{\"best\":3,\"loss\":4}" } } },
	{ "or without them",
	  { { "a", "{\"loss\":1}", "{\"loss\":2}", .before = true, .becomes = "{\"loss\":1}" },
	    { "a", "{\"x\":1}", "", .becomes = "{\"loss\":2,\"x\":1}" },
	    { "a", "{\"loss\":3}", "{\"loss\":9}", .before = true, .final = true,
	      .becomes = "{\"loss\":9,\"x\":1}" } } },
	{ "rows that came alone",
	  { { "a", "{\"first\":1,\"x\":1}", "", .becomes = "{\"first\":1,\"x\":1}" },
	    { "b", "{\"first\":2}", "", .becomes = "{\"first\":2,\"x\":1}" },
	    { "a", "{\"x\":2}", "{\"first\":1,\"x\":2}", .becomes = "{\"first\":2,\"x\":2}" },
	    { "b", "", "{\"first\":2}", .becomes = "{\"first\":2,\"x\":2}" } } },
	{ "each process has its own greatest",
	  { { "a", "", "{\"acc\":{\"max\":2}}", .becomes = "{\"acc\":{\"max\":2}}" },
	    { "b", "", "{\"acc\":{\"max\":1}}", .becomes = "{\"acc\":{\"max\":1}}" } } },
	{ "what a client of our own set stays on top of history",
	  { { "a", "", "{\"loss\":7}", .native = true, .becomes = "{\"loss\":7}" },
	    { "a", "{\"loss\":2}", "", .native = true, .becomes = "{\"loss\":7}" } } },
	{ "a value in the place of an object, and the other way round",
	  { { "a", "", "{\"o\":{\"p\":{\"q\":1}},\"k\":1}",
	      .becomes = "{\"k\":1,\"o\":{\"p\":{\"q\":1}}}" },
	    { "a", "", "{\"o\":2,\"k\":1}", .becomes = "{\"k\":1,\"o\":2}" },
	    { "a", "", "{\"o\":{\"p\":3},\"k\":1}", .becomes = "{\"k\":1,\"o\":{\"p\":3}}" },
	    { "a", "", "{\"k\":1}", .becomes = "{\"k\":1}" },
	    { "a", "", "{\"o\":5}", .becomes = "{\"o\":5}" } } },
};

static const struct json_doc *read_doc(struct scene *s, const char *text)
{
	const struct json_doc *doc = NULL;

	if (*text)
		assert_null(json_doc_parse(s->a, str_of(text), &doc));
	return doc;
}

/* The values of a row that was logged at this second. */
static const struct json_doc *read_last(struct scene *s, const char *row, int64_t second)
{
	const struct json_doc *values = read_doc(s, row);
	const struct json_doc *last = json_doc_empty();

	for (size_t i = 0; values && i < values->count; i++) {
		const struct json_doc *pair[] = { json_doc_of_int64(s->a, second),
						  values->members[i].value };

		last = json_doc_with(s->a, last, values->members[i].name,
				     json_doc_array(s->a, pair, 2));
	}
	return values ? last : NULL;
}

/* `second`: when the writer logged its last row. */
static void send_step(struct scene *s, const struct step *step, int64_t number, int64_t second)
{
	const char *rows = *step->history ? step->history : "{}";
	const char *streams = arena_printf(s->a, "\"history\":[%s]", *step->history ? rows : "");
	struct ingest_batch *batch = scene_batch(s, step->writer, number, streams);

	batch->summary = read_doc(s, step->summary);
	batch->summary_is_whole = !step->native;
	batch->summary_is_final = step->final;
	batch->summary_derived = step->derived;
	if (batch->summary && batch->summary_is_whole && !step->derived && second)
		batch->summary = json_doc_with(
			s->a, batch->summary, STR("_timestamp"),
			json_doc_of_int64(s->a, second - step->behind + step->before));
	batch->last = read_last(s, step->history, second);
	ok(scene_flush(s, &batch, 1, FLUSH_WAIT));
	ok(batch->error);
}

static void expect_summary(struct scene *s, const char *what, size_t step, const char *wanted)
{
	const struct run_reader reader = { s->db, s->codec, s->metrics };
	struct run run = scene_run(s);
	const struct json_doc *summary;

	ok(run_documents_summary(&reader, &run, &summary));
	if (!str_is(json_doc_dump(s->a, summary), wanted))
		fail_msg("%s, step %zu: %s", what, step, json_doc_dump(s->a, summary).at);
}

static void act(struct scene *s, const struct play *play)
{
	int64_t numbers[2] = { 0, 0 };
	int64_t seconds[2] = { 0, 0 };

	s->run_id = scene_new_run(s);
	scene_join(s, "a", WRITER_PRIMARY);
	scene_join(s, "b", WRITER_WORKER);
	for (size_t i = 0; i < STEPS && play->steps[i].writer; i++) {
		const struct step *step = &play->steps[i];

		int who = step->writer[0] == 'b';

		seconds[who] += *step->history != '\0';
		send_step(s, step, ++numbers[who], seconds[who]);
		expect_summary(s, play->what, i, step->becomes);
	}
}

static void test_whole_summaries(void **state)
{
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(plays) / sizeof(plays[0]); i++) {
		const struct play *play = &plays[i];

		act(s, play);
		assert_int_equal(scene_number(s,
					      "select count(*) as number from run_conflict "
					      "where run_id = %lld and key <> '%s'",
					      (long long)s->run_id,
					      play->conflicts ? play->conflicts : ""),
				 0);
		assert_int_equal(scene_number(s,
					      "select count(*) as number from run_conflict "
					      "where run_id = %lld",
					      (long long)s->run_id),
				 play->conflicts ? 1 : 0);
	}
}

/* What its leaves are said to take is what they take, also when some of them went. */
static void test_sizes_are_right_after_drops(void **state)
{
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(plays) / sizeof(plays[0]); i++) {
		act(s, &plays[i]);
		assert_int_equal(
			scene_number(s,
				     "select count(*) as number from run_merged m "
				     "where run_id = %lld and kind = 2 and value_count <> "
				     "(select count(*) from run_leaf l where l.run_id = m.run_id "
				     "and l.kind = 2)",
				     (long long)s->run_id),
			0);
	}
}

/* As many writers as are asked for, and as take about so many bytes: the last one may go beyond. */
static void test_what_was_sent_is_listed_within_bounds(void **state)
{
	static const struct {
		int64_t limit, bytes;
		size_t count;
	} cases[] = {
		{ 9, 1 << 20, 5 }, { 5, 1 << 20, 5 }, { 4, 1 << 20, 4 }, { 0, 1 << 20, 0 },
		{ 9, 40, 4 },      { 9, 41, 5 },      { 9, 1, 1 },       { 9, 0, 0 },
	};
	struct scene *s = *state;

	scene_sql(s,
		  "insert into run_sent (run_id, writer, summary, ahead, session) select %lld, n, "
		  "case when n <> 3 then '{\"x\":1234}' end, '', 1 "
		  "from generate_series(1, 6) n",
		  (long long)s->run_id);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sent_row *rows;
		size_t count;

		ok(document_store_list_sent(s->db, s->run_id, cases[i].limit, cases[i].bytes, &rows,
					    &count));
		if (count != cases[i].count)
			fail_msg("case %zu: %zu", i, count);
		for (size_t k = 0; k < count; k++)
			assert_int_equal(rows[k].writer, k + 1 + (k >= 2));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_whole_summaries),
		SCENE_TEST(test_sizes_are_right_after_drops),
		SCENE_TEST(test_what_was_sent_is_listed_within_bounds),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
