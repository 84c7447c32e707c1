/*
 * What tests/api/test_verify.py cannot ask for: runs with more rows than are looked at together, and what
 * is found when faults lie behind the first of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "verify.h"

enum { WRITERS = 3, BATCHES = 40, ROWS = 25, ALL_ROWS = WRITERS * BATCHES * ROWS };

struct found {
	int faults[VERIFY_STORAGE + 1];
	char last[300];
};

static void take_fault(void *p, const struct verify_fault *fault)
{
	struct found *found = p;

	found->faults[fault->part]++;
	snprintf(found->last, sizeof(found->last), "%s: %s", verify_part_name(fault->part),
		 fault->message);
}

static void take_progress(void *p, const struct verify_sum *sum)
{
	(void)p;
	assert_true(sum->runs <= sum->total.runs);
}

static struct verify_sum look(struct scene *s, int64_t map_rows, struct found *found)
{
	const struct db_options options = { .url = getenv("CAIRN_TEST_DATABASE_URL") };
	const struct verify_ask ask = {
		.db = &options,
		.scope.run_id = s->run_id,
		.jobs = 1,
		.map_rows = map_rows,
		.fault = take_fault,
		.progress = take_progress,
		.p = found,
	};
	struct verify_sum sum;

	memset(found, 0, sizeof(*found));
	ok(verify_all(s->a, &ask, &sum));
	assert_int_equal(sum.runs, 1);
	return sum;
}

/* Writers in turn, so that each one's chunks lie in every window. */
static void fill(struct scene *s)
{
	static const char *const clients[WRITERS] = { "w0", "w1", "w2" };

	for (int w = 0; w < WRITERS; w++)
		scene_join(s, clients[w], w ? WRITER_WORKER : WRITER_PRIMARY);
	for (int b = 0; b < BATCHES * WRITERS; b++) {
		struct buf *streams = buf_new(s->a);

		buf_add_text(streams, "\"history\":[");
		for (int i = 0; i < ROWS; i++)
			buf_printf(streams, "%s{\"loss\":%d.5,\"name\":\"x%d\"}", i ? "," : "", b,
				   i);
		buf_add_text(streams, "]");
		buf_add_byte(streams, '\0');
		scene_send_buf(s, clients[b % WRITERS], streams);
		if (b % 30 == 29)
			scene_compact(s);
	}
	scene_compact(s);
}

static void test_windows(void **state)
{
	static const int64_t windows[] = { 0, 64, 1000, ALL_ROWS - 1, ALL_ROWS, ALL_ROWS + 1 };
	struct scene *s = *state;
	struct found found;
	struct verify_sum whole;

	fill(s);
	whole = look(s, 0, &found);
	assert_true(whole.chunks > 0);
	for (size_t i = 1; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct verify_sum sum;

		sum = look(s, windows[i], &found);
		if (sum.faults)
			fail_msg("%lld rows at a time: %s", (long long)windows[i], found.last);
		assert_int_equal(sum.chunks, whole.chunks); /* counted once, however often read */
		assert_int_equal(sum.bytes, whole.bytes);
	}
}

/* Two writers' values of one key changed places: rows of both are another's, in every window. */
static void test_faults_behind_the_first_window(void **state)
{
	struct scene *s = *state;
	struct found found;
	struct found windowed;

	fill(s);
	scene_sql(s,
		  "update chunk c set data = o.data, roll = o.roll, row_first = o.row_first,"
		  " row_last = o.row_last, step_min = o.step_min, step_max = o.step_max"
		  " from chunk o where c.run_id = %lld and o.run_id = c.run_id and c.kind = 2"
		  " and o.kind = 2 and c.key_id = o.key_id and c.index_first = o.index_first"
		  " and (c.writer, o.writer) in ((0, 1), (1, 0)) and c.value_count = o.value_count",
		  (long long)s->run_id);
	look(s, 0, &found);
	assert_true(found.faults[VERIFY_ROWS] >= 2);
	look(s, 100, &windowed);
	assert_true(windowed.faults[VERIFY_ROWS] > found.faults[VERIFY_ROWS]);
}

/* Rows whose every value is gone lie in a later window. */
static void test_missing_rows_in_a_later_window(void **state)
{
	struct scene *s = *state;
	struct found found;

	fill(s);
	scene_sql(s, "update run_hot set next_row = next_row + 7 where run_id = %lld",
		  (long long)s->run_id);
	look(s, 100, &found);
	assert_int_equal(found.faults[VERIFY_ROWS], 1);
	assert_non_null(strstr(found.last, "7 rows are missing, the first from 3000 to 3006"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_windows),
		SCENE_TEST(test_faults_behind_the_first_window),
		SCENE_TEST(test_missing_rows_in_a_later_window),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
