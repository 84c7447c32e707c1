/*
 * Both ways of asking, SQL and columns, give the same answers: thousands of filters, orders, pages and
 * groups made by chance, over documents made by chance, with changes in between. CAIRN_SEED and CAIRN_ROUNDS
 * make other and longer runs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "order.h"
#include "scene.h"
#include "search_ways.h"

enum { RUNS = 200, ROUNDS = 500, PAGES = 3, CHANGES_EVERY = 25, STATISTICS = 3 };

static unsigned seed;
static struct search *by_sql;
static struct search *by_columns;
static size_t answered; /* runs and groups, of all answers */

static unsigned chance(unsigned n)
{
	return (unsigned)rand_r(&seed) % n;
}

static unsigned setting(const char *name, unsigned standard)
{
	const char *value = getenv(name);

	return value ? (unsigned)strtoul(value, NULL, 10) : standard;
}

#define PICK(list) (list)[chance(sizeof(list) / sizeof((list)[0]))]

/* ---- documents ----------------------------------------------------------------------------------- */

#define LONG_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LONG_B "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"

static const char *const numbers[] = {
	"0",
	"-0",
	"1",
	"1.0",
	"1.50",
	"-3",
	"0.1",
	"0.10000000000000000001",
	"1e3",
	"1000",
	"12345678901234567890",
	"12345678901234567891",
	"9007199254740993",
	"9007199254740992",
	"1e308",
	"1e399",
	"-1e399",
	"1e-399",
	"2.5e-8",
	"123456789012345678",
	"0.30000000000000004",
};
static const char *const texts[] = {
	"\"\"",
	"\"x\"",
	"\"y\"",
	"\"X\"",
	"\"xy\"",
	"\"1\"",
	"\"true\"",
	"\"Infinity\"",
	"\"-Infinity\"",
	"\"Infinity stones\"",
	"\"NaN\"",
	"\"a \\\"b\\\" \\\\ c\"",
	"\"\\u0001\\u001f\\b\\f\\n\\r\\t/\"",
	"\"\xc3\xa4rger\"",
	"\"\xc3\x84RGER\"",
	"\"\xe2\x82\xac \xf0\x9f\x98\x80\"",
	"\"" LONG_A LONG_A LONG_A LONG_A "1\"",
	"\"" LONG_A LONG_A LONG_A LONG_A "2\"",
	"\"" LONG_B LONG_A LONG_A LONG_A LONG_A "\"",
	"\"2026-11-21T10:00:00.000000Z\"",
};
static const char *const words[] = { "true", "false", "null" };
static const char *const nests[] = {
	"[]",
	"{}",
	"[\"x\"]",
	"[\"x\",\"y\"]",
	"[1,2,\"x\"]",
	"[[1],[\"x\",[\"y\"]]]",
	"[null]",
	"[[null]]",
	"[true]",
	"{\"b\":1}",
	"{\"b\":\"x\",\"c\":{\"d\":2}}",
	"{\"b\":null}",
	"{\"b\":[1,{\"c\":\"x\"}]}",
	"[{\"b\":1},{\"b\":\"x\"}]",
	"[{\"b\":[1,[2]]},3]",
	"[[{\"b\":1}]]",
	"[{\"b\":{\"c\":1}},{\"b\":{\"c\":2}}]",
	"{\"b.c\":5}",
	"[{}]",
	"[\"a, ]}{[ \\\" b\"]",
};

static const char *value(void)
{
	switch (chance(8)) {
	case 0:
	case 1:
	case 2:
		return PICK(numbers);
	case 3:
	case 4:
		return PICK(texts);
	case 5:
		return PICK(words);
	default:
		return PICK(nests);
	}
}

static void add_members(struct buf *b, const char *const *names, size_t count)
{
	bool any = false;

	buf_add_byte(b, '{');
	for (size_t i = 0; i < count; i++) {
		if (!chance(3))
			continue;
		buf_printf(b, "%s\"%s\":%s", any ? "," : "", names[i], value());
		any = true;
	}
	buf_add_byte(b, '}');
}

static struct str document(struct scene *s, int64_t run_id)
{
	static const char *const config[] = { "a", "b", "a.b", "a.b.c", "lr" };
	static const char *const summary[] = { "loss", "val/loss", "a", "a.b" };
	static const char *const states[] = { "running", "finished", "failed", "crashed" };
	static const char *const tags[] = { "[]", "[\"good\"]", "[\"good\",\"x\"]", "[\"x\"]" };
	static const char *const groups[] = { "", "x", "y", "xy", "\xc3\xa4rger" };
	struct buf *b = buf_new(s->a);

	buf_printf(b, "{\"id\":\"r%lld\",\"display_name\":%s,\"state\":\"%s\",\"job_type\":\"%s\",",
		   (long long)run_id, PICK(texts), PICK(states), PICK(groups));
	buf_printf(b, "\"group\":\"%s\",\"tags\":%s,\"notes\":%s,\"writers\":%u,", PICK(groups),
		   PICK(tags), PICK(texts), chance(3));
	if (chance(2))
		buf_add_text(b, "\"user\":\"ann\",");
	buf_printf(b,
		   "\"created_at\":\"2026-11-%02uT10:00:00.000000Z\",\"config\":", 1 + chance(28));
	add_members(b, config, sizeof(config) / sizeof(config[0]));
	buf_add_text(b, ",\"summary\":");
	add_members(b, summary, sizeof(summary) / sizeof(summary[0]));
	buf_add_byte(b, '}');
	return buf_str(b);
}

static void save_one(struct scene *s, int64_t run_id, int64_t seq)
{
	const struct search_document doc = { s->project_id, run_id, seq, (int16_t)chance(3),
					     document(s, run_id) };

	ok(search_store_save(s->db, &doc));
}

static void change_some(struct scene *s, int64_t seq)
{
	for (int i = 0; i < 6; i++) {
		int64_t run_id = 1 + chance(RUNS);

		if (!chance(4))
			ok(search_store_drop(s->db, s->project_id, run_id));
		else if (!chance(3))
			ok(search_store_show(s->db, s->project_id, run_id, (int16_t)chance(3)));
		else
			save_one(s, run_id, seq);
	}
}

/* ---- questions ----------------------------------------------------------------------------------- */

static const char *const keys[] = {
	"id",           "display_name", "state",
	"job_type",     "group",        "tags",
	"notes",        "user",         "writers",
	"config.a",     "config.b",     "config.a.b",
	"config.a.b.c", "config.lr",    "config.no",
	"config.a.no",  "summary.loss", "summary.val/loss",
	"summary.a.b",  "summary.a",
};

static void add_scalar(struct buf *b)
{
	switch (chance(5)) {
	case 0:
	case 1:
		buf_add_text(b, numbers[chance(12)]);
		break;
	case 2:
		buf_add_text(b, PICK(words));
		break;
	default:
		buf_add_text(b, PICK(texts));
		break;
	}
}

static void add_bound(struct buf *b)
{
	buf_add_text(b, chance(2) ? numbers[chance(12)] : PICK(texts));
}

static void add_condition(struct buf *b)
{
	static const char *const ranges[] = { "$gt", "$gte", "$lt", "$lte" };
	static const char *const expressions[] = { "x",   "^x$", "[xy]",    "^$",   "\xc3\xa4",
						   "a+1", ".",   "(x|y)y?", "\\\\d" };

	switch (chance(7)) {
	case 0:
		add_scalar(b);
		break;
	case 1:
	case 2:
		buf_printf(b, "{\"%s\":", PICK(ranges));
		add_bound(b);
		buf_add_byte(b, '}');
		break;
	case 3:
		buf_printf(b, "{\"%s\":[", chance(2) ? "$in" : "$nin");
		for (unsigned i = 0, count = chance(4); i < count; i++) {
			buf_add_text(b, i ? "," : "");
			add_scalar(b);
		}
		buf_add_text(b, "]}");
		break;
	case 4:
		buf_printf(b, "{\"$regex\":\"%s\"%s}", PICK(expressions),
			   chance(2) ? ",\"$options\":\"i\"" : "");
		break;
	case 5:
		buf_printf(b, "{\"$exists\":%s}", chance(2) ? "true" : "false");
		break;
	default:
		buf_add_text(b, "{\"$ne\":");
		add_scalar(b);
		buf_add_byte(b, '}');
		break;
	}
}

static void add_filter(struct buf *b, unsigned depth)
{
	static const char *const lists[] = { "$and", "$or", "$nor" };

	buf_add_byte(b, '{');
	if (depth && chance(3)) {
		buf_printf(b, "\"%s\":[", PICK(lists));
		for (unsigned i = 0, count = 1 + chance(3); i < count; i++) {
			buf_add_text(b, i ? "," : "");
			add_filter(b, depth - 1);
		}
		buf_add_byte(b, ']');
	} else {
		buf_printf(b, "\"%s\":", PICK(keys));
		add_condition(b);
	}
	buf_add_byte(b, '}');
}

static const char *filter_text(struct scene *s)
{
	static const char *const for_people[] = {
		"",
		"x",
		"\"\xc3\xa4RGER\"",
		"state:running",
		"not x state:failed",
		"has:config.a.b",
		"name:/^r1/",
		"name:x",
		"tags:good",
		"tags.good:true",
		"created_at>2026-11-14",
		"created_at:2026-11-07",
		"config.lr<0.5 or summary.loss>=1",
		"writers:1",
		"r2 ann",
		"config.a:x,1,null,true",
		"not has:group",
		"group:\"\"",
		"config.\"a.b\":1",
		"not (good or state:crashed)",
		"config.lr:12345678901234567890",
	};
	struct buf *b = buf_new(s->a);

	if (!chance(3))
		return PICK(for_people);
	add_filter(b, chance(3));
	buf_add_byte(b, '\0');
	return b->at;
}

static struct filter_path path_of(struct scene *s, const char *key)
{
	struct order order;

	ok(order_parse(s->a, str_of(key), &order));
	return order.keys[0].path;
}

/* ---- answers ------------------------------------------------------------------------------------- */

static void same_value(const char *what, const struct search_value *a, const struct search_value *b)
{
	if (a->rank != b->rank || !str_equal(a->number, b->number) || !str_equal(a->text, b->text))
		fail_msg("%s: by SQL %d %.*s %.*s, by columns %d %.*s %.*s", what, a->rank,
			 STR_ARG(a->number), STR_ARG(a->text), b->rank, STR_ARG(b->number),
			 STR_ARG(b->text));
}

static void same_pages(struct scene *s, const struct search_question *q, const char *text)
{
	const char *key = PICK(keys);
	struct search_page ask = {
		.order = path_of(s, key),
		.descending = chance(2),
		.counts = true,
		.offset = chance(2) ? chance(RUNS + 10) : 0,
		.limit = 1 + chance(40),
	};
	const char *what = arena_printf(s->a, "%s ordered by %s%s from %lld", text,
					ask.descending ? "-" : "", key, (long long)ask.offset);

	for (int page = 0; page < PAGES; page++) {
		struct search_page_found a, b;

		ok(search_page(by_sql, s->db, q, &ask, &a));
		ok(search_page(by_columns, s->db, q, &ask, &b));
		if (a.count != b.count || a.all != b.all)
			fail_msg("%s: by SQL %zu of %lld, by columns %zu of %lld", what, a.count,
				 (long long)a.all, b.count, (long long)b.all);
		for (size_t i = 0; i < a.count; i++) {
			same_value(what, &a.runs[i].value, &b.runs[i].value);
			if (a.runs[i].run_id != b.runs[i].run_id)
				fail_msg("%s: other runs in row %zu, with %d %.*s %.*s: %lld, %lld",
					 what, i, a.runs[i].value.rank,
					 STR_ARG(a.runs[i].value.number),
					 STR_ARG(a.runs[i].value.text), (long long)a.runs[i].run_id,
					 (long long)b.runs[i].run_id);
		}
		answered += a.count;
		if (a.count < (size_t)ask.limit)
			return;
		ask.offset = 0;
		ask.has_cursor = true;
		ask.cursor = a.runs[a.count - 1].value;
		ask.cursor_run_id = a.runs[a.count - 1].run_id;
	}
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + 1e-290;
}

static void same_numbers(const char *what, const struct search_numbers *a,
			 const struct search_numbers *b)
{
	if (a->count != b->count || a->least != b->least || a->greatest != b->greatest)
		fail_msg("%s: by SQL %lld numbers %g to %g; by columns %lld, %g to %g", what,
			 (long long)a->count, a->least, a->greatest, (long long)b->count, b->least,
			 b->greatest);
	if (!is_near(a->mean, b->mean))
		fail_msg("%s: mean by SQL %.17g, by columns %.17g", what, a->mean, b->mean);
	if (!is_near(a->deviation, b->deviation))
		fail_msg("%s: deviation by SQL %.17g, by columns %.17g", what, a->deviation,
			 b->deviation);
}

static void same_group(const char *what, const struct search_groups *ask,
		       const struct search_group *a, const struct search_group *b)
{
	same_value(what, &a->value, &b->value);
	if (a->runs != b->runs)
		fail_msg("%s: by SQL %lld runs, by columns %lld", what, (long long)a->runs,
			 (long long)b->runs);
	for (size_t i = 0; i < ask->of_count; i++)
		same_numbers(what, &a->numbers[i], &b->numbers[i]);
}

static void same_groups(struct scene *s, const struct search_question *q, const char *text)
{
	const char *key = PICK(keys);
	struct search_groups ask = {
		.key = path_of(s, key),
		.by_count = chance(2),
		.descending = chance(2),
		.limit = 1 + chance(20),
	};
	const char *what = arena_printf(s->a, "%s grouped by %s", text, key);
	struct filter_path of[STATISTICS];

	ask.of = of;
	ask.of_count = chance(STATISTICS + 1);
	for (size_t i = 0; i < ask.of_count; i++)
		of[i] = path_of(s, PICK(keys));
	for (int page = 0; page < PAGES; page++) {
		struct search_groups_found a, b;

		ok(search_groups(by_sql, s->db, q, &ask, &a));
		ok(search_groups(by_columns, s->db, q, &ask, &b));
		if (a.count != b.count || a.all_groups != b.all_groups || a.all_runs != b.all_runs)
			fail_msg("%s: by SQL %zu of %lld, %lld runs; by columns %zu of %lld, %lld",
				 what, a.count, (long long)a.all_groups, (long long)a.all_runs,
				 b.count, (long long)b.all_groups, (long long)b.all_runs);
		for (size_t i = 0; i < a.count; i++)
			same_group(what, &ask, &a.groups[i], &b.groups[i]);
		answered += a.count;
		if (a.count < (size_t)ask.limit)
			return;
		ask.has_cursor = true;
		ask.cursor_runs = a.groups[a.count - 1].runs;
		ask.cursor = a.groups[a.count - 1].value;
	}
}

/* One of the groups by some key, or what is no group of it. */
static const char *within_group(struct scene *s, struct search_question *q, const char *text)
{
	const char *key = PICK(keys);
	struct search_groups ask = { .key = path_of(s, key), .limit = 5 };
	struct search_groups_found found;

	ok(search_groups(by_sql, s->db, q, &ask, &found));
	q->group_key = path_of(s, chance(8) ? key : PICK(keys));
	q->group = found.count ? found.groups[chance((unsigned)found.count)].value
			       : (struct search_value){ SEARCH_RANK_TEXT, STR("0"), STR("x") };
	return arena_printf(s->a, "%s within a group by %s", text, key);
}

static void test_both_ways_are_one(void **state)
{
	struct scene *s = *state;
	unsigned rounds = setting("CAIRN_ROUNDS", ROUNDS);
	struct arena *kept = s->a;

	for (unsigned round = 0; round < rounds; round++) {
		struct search_question q = {
			.project_id = s->project_id,
			.sees_private = chance(2),
			.project_public = chance(2),
		};
		const char *text;

		s->a = arena_new(64 << 10);
		db_set_arena(s->db, s->a);
		if (round % CHANGES_EVERY == 0)
			change_some(s, round + 2);
		text = filter_text(s);
		ok(filter_parse(s->a, str_of(text), &q.filter));
		if (!chance(3))
			text = within_group(s, &q, text);
		if (chance(3))
			same_pages(s, &q, text);
		else
			same_groups(s, &q, text);
		arena_free(s->a);
		s->a = kept;
		db_set_arena(s->db, s->a);
	}
	assert_int_equal(ways_metric(by_columns, "cairn_search_by_sql_total"), 1);
	assert_int_equal(ways_metric(by_sql, "cairn_search_by_columns_total"), 0);
	assert_true(answered > 4 * rounds);
}

static int setup(void **state)
{
	struct scene *s;

	scene_setup(state);
	s = *state;
	seed = setting("CAIRN_SEED", 20261121);
	scene_sql(s, "truncate run_document, document_count");
	scene_sql(s,
		  "insert into run_hot (run_id, project_id, next_row, next_event, next_seq, "
		  "last_step, compact_seq, tail_rows, tail_bytes, heard_at, look_at, state, "
		  "attempt, fallback_state, end_pending, next_writer, next_state, document_seq, "
		  "started_at) select i, %lld, 0, 0, 0, -1, -1, 0, 0, now(), now(), 2, 1, 0, "
		  "false, 0, 2, 0, now() from generate_series(1, %d) i on conflict do nothing",
		  (long long)s->project_id, RUNS);
	for (int64_t i = 1; i <= RUNS; i++)
		save_one(s, i, 1);
	by_sql = ways_loaded(s, 0);
	by_columns = ways_loaded(s, 64 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	search_free(by_sql);
	search_free(by_columns);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_both_ways_are_one, setup, teardown),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
