/* What identifies a batch, what is remembered of those that were stored, and who a writer is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "batch.h"
#include "record_streams.h"

static void digest_of(int64_t batch, unsigned char digest[BATCH_DIGEST_LEN])
{
	for (int i = 0; i < BATCH_DIGEST_LEN; i++)
		digest[i] = (unsigned char)((uint64_t)batch * 31 + (unsigned)i);
}

static void store(struct arena *a, struct writer *w)
{
	struct batch_memory m = {
		.batch = w->batch + 1,
		.row_first = 1000 * (w->batch + 1),
		.rows = (int32_t)w->batch + 1,
	};

	digest_of(m.batch, m.digest);
	batch_remember(a, w, &m);
}

/* A writer in session 3 that stored batches 1 to 20. */
static struct writer twenty(struct arena *a)
{
	struct writer w = { .session = 3 };

	while (w.batch < 20)
		store(a, &w);
	return w;
}

static void test_verdicts(void **state)
{
	static const struct {
		int32_t session;
		int64_t batch;
		bool other_bytes;
		enum batch_verdict verdict;
		const char *type; /* of the refusal; NULL: none */
	} cases[] = {
		{ 3, 21, false, BATCH_NEW, NULL },
		{ 3, 21, true, BATCH_NEW, NULL },
		{ 3, 22, false, BATCH_GAP, "batch-gap" },
		{ 3, INT64_MAX, false, BATCH_GAP, "batch-gap" },
		{ 3, 20, false, BATCH_REPEAT, NULL },
		{ 3, 20, true, BATCH_DIFFERS, "batch-differs" },
		{ 3, 5, false, BATCH_REPEAT, NULL },
		{ 3, 5, true, BATCH_DIFFERS, "batch-differs" },
		{ 3, 4, false, BATCH_FORGOTTEN, "batch-forgotten" },
		{ 3, 4, true, BATCH_FORGOTTEN, "batch-forgotten" },
		{ 3, 1, false, BATCH_FORGOTTEN, "batch-forgotten" },
		{ 2, 21, false, BATCH_FENCED, "session-fenced" },
		{ 2, 20, false, BATCH_FENCED, "session-fenced" },
		{ 4, 21, false, BATCH_FENCED, "session-fenced" },
		{ 0, 1, false, BATCH_FENCED, "session-fenced" },
	};
	struct arena *a = arena_new(1024);
	const struct writer w = twenty(a);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned char digest[BATCH_DIGEST_LEN];
		struct batch_memory memory;
		enum batch_verdict verdict;
		err_t e;

		digest_of(cases[i].batch, digest);
		digest[BATCH_DIGEST_LEN - 1] ^= cases[i].other_bytes;
		verdict = batch_judge(&w, cases[i].session, cases[i].batch, digest, &memory);
		if (verdict != cases[i].verdict)
			fail_msg("case %zu: verdict %d", i, (int)verdict);
		e = batch_refusal(a, verdict, &w, cases[i].session, cases[i].batch);
		assert_int_equal(e == NULL, cases[i].type == NULL);
		if (!e)
			continue;
		assert_string_equal(e->type, cases[i].type);
		assert_int_equal(e->kind, ERR_CONFLICT);
		assert_int_equal(e->expected, verdict == BATCH_GAP ? 21 : 0);
	}
	arena_free(a);
}

/*
 * By the records before it in its stream, and its own: from zero, at what is stored, before and after it, and
 * at the end of numbers.
 */
static void test_records(void **state)
{
	static const struct {
		int64_t stored;
		struct batch_records records;
		bool is_stored;
		int64_t then;
	} cases[] = {
		{ 0, { { "s", 1 }, true, 0, 0 }, false, 0 },
		{ 0, { { "s", 1 }, true, 0, 5 }, false, 5 },
		{ 7, { { "s", 1 }, true, 7, 5 }, false, 12 },
		{ 7, { { "s", 1 }, true, 7, 0 }, false, 7 },
		{ 7, { { "s", 1 }, true, 8, 5 }, false, 13 },
		{ 7, { { "s", 1 }, true, 100, 0 }, false, 100 },
		{ 7, { { "s", 1 }, true, 6, 1 }, true, 0 },
		{ 7, { { "s", 1 }, true, 6, 5 }, true, 0 },
		{ 7, { { "s", 1 }, true, 0, 0 }, true, 0 },
		{ 7, { { "s", 1 }, false, 0, 5 }, false, 12 },
		{ 7, { { "s", 1 }, false, 0, 0 }, false, 7 },
		{ INT64_MAX - 1, { { "s", 1 }, false, 0, 1 }, false, INT64_MAX },
		{ INT64_MAX - 1, { { "s", 1 }, false, 0, 2 }, false, INT64_MAX },
		{ 0, { { "s", 1 }, true, INT64_MAX, 2 }, false, INT64_MAX },
	};
	const struct str no_name = { NULL, 0 };
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct writer w = { .session = 3 };
		err_t e;

		w.streams = record_streams_put(a, w.streams, STR("s"), cases[i].stored);
		w.streams = record_streams_put(a, w.streams, no_name, 1000);
		e = batch_check_records(a, &w, &cases[i].records);
		if (!e != !cases[i].is_stored)
			fail_msg("case %zu", i);
		if (e) {
			assert_string_equal(e->type, "records-stored");
			assert_string_equal(e->field, "record_first");
			assert_int_equal(e->expected, cases[i].stored);
			continue;
		}
		batch_count_records(a, &w, &cases[i].records);
		assert_int_equal(record_streams_find(w.streams, STR("s")), cases[i].then);
		assert_int_equal(record_streams_find(w.streams, no_name), 1000);
	}
	arena_free(a);
}

/* A repeat gets the answer it got before; exactly the last sixteen are remembered. */
static void test_ring(void **state)
{
	struct arena *a = arena_new(1024);
	const struct writer w = twenty(a);

	(void)state;
	for (int64_t batch = 1; batch <= 20; batch++) {
		unsigned char digest[BATCH_DIGEST_LEN];
		struct batch_memory memory;
		enum batch_verdict verdict;

		digest_of(batch, digest);
		verdict = batch_judge(&w, 3, batch, digest, &memory);
		if (batch <= 20 - BATCH_REMEMBERED) {
			assert_int_equal(verdict, BATCH_FORGOTTEN);
			continue;
		}
		assert_int_equal(verdict, BATCH_REPEAT);
		assert_int_equal(memory.batch, batch);
		assert_int_equal(memory.row_first, 1000 * batch);
		assert_int_equal(memory.rows, batch);
		assert_memory_equal(memory.digest, digest, sizeof(digest));
	}
	arena_free(a);
}

static void test_first_batch(void **state)
{
	const unsigned char digest[BATCH_DIGEST_LEN] = { 1 };
	const struct writer w = { .session = 1 };
	struct batch_memory memory;

	(void)state;
	assert_int_equal(batch_judge(&w, 1, 1, digest, &memory), BATCH_NEW);
	assert_int_equal(batch_judge(&w, 1, 2, digest, &memory), BATCH_GAP);
	assert_int_equal(batch_judge(&w, 1, 0, digest, &memory), BATCH_FORGOTTEN);
}

static void test_sessions(void **state)
{
	struct batch_session sessions[BATCH_SESSIONS];
	struct arena *a = arena_new(1024);
	struct writer w = { .session = 0 };

	(void)state;
	batch_remember_session(a, &w);
	assert_int_equal(batch_sessions(&w, sessions), 0);
	for (int32_t session = 1; session <= 12; session++) {
		w.session = session;
		w.batch = INT64_C(1) << (4 * session - 1);
		batch_remember_session(a, &w);
	}
	assert_int_equal(batch_sessions(&w, sessions), BATCH_SESSIONS);
	for (int32_t i = 0; i < BATCH_SESSIONS; i++) {
		assert_int_equal(sessions[i].session, 12 - i);
		assert_int_equal(sessions[i].batch, INT64_C(1) << (4 * (12 - i) - 1));
	}
	arena_free(a);
}

/* ---- writers --------------------------------------------------------------------------------------- */

static void test_roles(void **state)
{
	enum writer_role role;

	(void)state;
	assert_true(writer_role_parse(STR("primary"), &role));
	assert_int_equal(role, WRITER_PRIMARY);
	assert_true(writer_role_parse(STR("worker"), &role));
	assert_int_equal(role, WRITER_WORKER);
	assert_false(writer_role_parse(STR("hand"), &role));
	assert_false(writer_role_parse(STR("Primary"), &role));
	assert_false(writer_role_parse(STR(""), &role));
	assert_string_equal(writer_role_name(WRITER_HAND), "hand");
}

static void test_shown(void **state)
{
	enum { NOW_US = 1000000 };
	static const struct {
		enum writer_role role;
		enum writer_state state;
		int64_t silent_us;
		const char *shown;
		struct writer_run run;
	} cases[] = {
		{ WRITER_WORKER, WRITER_ALIVE, 0, "alive" },
		{ WRITER_WORKER, WRITER_ALIVE, 99, "alive" },
		{ WRITER_WORKER, WRITER_ALIVE, 100, "lost" },
		{ WRITER_PRIMARY, WRITER_ALIVE, 100, "lost" },
		{ WRITER_HAND, WRITER_ALIVE, 100000, "alive" },
		{ WRITER_HAND, WRITER_ALIVE, 0, "ended", { true, { NOW_US } } },
		{ WRITER_WORKER, WRITER_ALIVE, 0, "alive", { true, { NOW_US } } },
		{ WRITER_WORKER, WRITER_ALIVE, 99, "alive", { true, { NOW_US - 50 } } },
		{ WRITER_WORKER, WRITER_ALIVE, 100, "lost", { true, { NOW_US } } },
		{ WRITER_PRIMARY, WRITER_ALIVE, 300, "ended", { true, { NOW_US - 201 } } },
		{ WRITER_PRIMARY, WRITER_ALIVE, 300, "lost", { true, { NOW_US - 200 } } },
		{ WRITER_PRIMARY, WRITER_ALIVE, 300, "ended", { true, { NOW_US - 900 } } },
		{ WRITER_WORKER, WRITER_ALIVE, 300, "lost", { true, { NOW_US - 201 } } },
		{ WRITER_WORKER, WRITER_ALIVE, 300, "lost", { true, { 0 } } },
		{ WRITER_WORKER, WRITER_ALIVE, 300, "lost", { false, { 0 } } },
		{ WRITER_PRIMARY, WRITER_ENDED, 100, "ended" },
		{ WRITER_WORKER, WRITER_ORPHANED, 100, "ended" },
		{ WRITER_PRIMARY, WRITER_REPLACED, 100, "replaced" },
	};
	const timestamp_us now = { NOW_US };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct writer w = {
			.role = (int16_t)cases[i].role,
			.state = (int16_t)cases[i].state,
			.heard_at = { now.us - cases[i].silent_us },
		};

		assert_string_equal(writer_state_shown(&w, cases[i].run, now, 100), cases[i].shown);
	}
}

/* What is remembered can be true, and one byte of it that changed cannot, but for digests. */
static void test_memory_is_checked(void **state)
{
	struct arena *a = arena_new(4096);
	struct writer w = twenty(a);
	struct str recent = w.recent;
	char *bytes = arena_copy(a, recent.at, recent.len);

	(void)state;
	assert_null(batch_check_memory(a, &w, 30000));
	assert_non_null(batch_check_memory(a, &w, 20000));
	w.recent.at = bytes;
	for (size_t at = 0; at < recent.len / BATCH_REMEMBERED; at++) {
		bool digest = at >= 8 && at < 8 + BATCH_DIGEST_LEN;

		bytes[at] ^= (char)0x80;
		if (!digest && batch_check_memory(a, &w, 30000) == NULL)
			assert_true(at == 24 || at == 32); /* a few rows more or less */
		bytes[at] ^= (char)0x80;
	}
	w.recent.len--;
	assert_non_null(batch_check_memory(a, &w, 30000));
	w.recent = (struct str){ NULL, 0 };
	assert_non_null(batch_check_memory(a, &w, 30000));
	w.batch = 0;
	assert_null(batch_check_memory(a, &w, 0));
	w.session = 0;
	batch_remember_session(a, &w);
	assert_null(batch_check_memory(a, &w, 0));
	w.session = 2;
	batch_remember_session(a, &w);
	assert_non_null(batch_check_memory(a, &w, 0));
	w.session = 3;
	assert_null(batch_check_memory(a, &w, 0));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts), cmocka_unit_test(test_records),
		cmocka_unit_test(test_ring),     cmocka_unit_test(test_first_batch),
		cmocka_unit_test(test_sessions), cmocka_unit_test(test_roles),
		cmocka_unit_test(test_shown),    cmocka_unit_test(test_memory_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
