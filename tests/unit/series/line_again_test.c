/* Tests how sent lines are compared with stored ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "arena.h"
#include "line_again.h"

enum { MAX = 64 };

/* Texts are separated by blanks. "!" begins a line of standard error, "~" is an empty line. */
static struct lines lines_of(struct arena *a, const char *texts)
{
	struct lines lines = { 0, arena_new_array(a, struct line, MAX) };
	struct str rest = str_of(texts);

	while (rest.len) {
		struct str text = str_cut(&rest, ' ');
		bool is_error = text.len && text.at[0] == '!';

		if (is_error)
			text = (struct str){ text.at + 1, text.len - 1 };
		if (str_is(text, "~"))
			text.len = 0;
		lines.items[lines.count] = (struct line){
			.number = lines.count,
			.stream = is_error ? LINE_STDERR : LINE_STDOUT,
			.text = text,
		};
		lines.count++;
	}
	return lines;
}

static const char *kinds_of(struct arena *a, const struct line_again *again)
{
	char *kinds = arena_zalloc(a, MAX + 1, 1);

	for (uint32_t i = 0; i < again->sent->count; i++)
		kinds[i] = "nslc"[again->fates[i].kind];
	return kinds;
}

struct example {
	const char *stored;
	const char *sent;
	const char *kinds; /* new, same, longer, changed */
	int64_t alone;     /* the rate if nothing is known of the rows */
	int64_t repeated;  /* the rate if the rows are of the process */
};

static const struct example examples[] = {
	{ "a b c", "a b c", "sss", 3, 3 },
	{ "a b c", "a b c d e", "sssnn", 3, 3 },
	{ "a b c", "a b", "ss", 2, 2 },
	/* a torn line, stored or sent */
	{ "a b li", "a b line d", "ssln", 3, 3 },
	{ "a b line", "a b li", "sss", 3, 3 },
	{ "li", "line", "l", 1, 1 },
	{ "a li c", "a line c", "sls", -1, 3 },
	/* a progress bar */
	{ "a 20%", "a 100% b", "scn", -1, 1 },
	{ "20%", "100% b", "cn", -1, 0 },
	{ "20% b", "100%", "c", -1, -1 },
	{ "a 100% b", "a 20%", "sc", -1, 1 },
	/* another process */
	{ "a b", "c d", "cc", -1, -1 },
	{ "epoch1 x y", "epoch1 z", "sc", -1, 1 },
	/* each stream separately */
	{ "a !e b !f", "a b !e !f", "ssss", 4, 4 },
	{ "a !e b", "a b c !e !f", "ssnsn", 3, 3 },
	{ "a b", "!e", "n", -1, 0 },
	/* no line begins with an empty line */
	{ "~", "a", "c", -1, 0 },
	{ "a", "~", "c", -1, 0 },
};

static void sent_lines_are_compared_with_stored_ones(void **state)
{
	static const int64_t start[2];
	struct arena *a = arena_new(64 << 10);

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *x = &examples[i];
		const struct lines stored = lines_of(a, x->stored);
		const struct lines sent = lines_of(a, x->sent);
		const struct line_again_range range = { 0, stored.count, true };
		struct line_again again;

		line_again_begin(&again, a, &sent, start);
		line_again_add(&again, &stored);
		assert_string_equal(kinds_of(a, &again), x->kinds);
		if (line_again_rate(&again, LINES_ALONE, &range) != x->alone)
			fail_msg("%s / %s: alone", x->stored, x->sent);
		if (line_again_rate(&again, LINES_REPEATED, &range) != x->repeated)
			fail_msg("%s / %s: repeated", x->stored, x->sent);
		assert_int_equal(line_again_rate(&again, LINES_FRESH, &range), -1);
	}
	arena_free(a);
}

/* The lines are sent in two requests, the stored ones are read in windows. */
static void the_result_is_the_same_for_any_cut(void **state)
{
	struct arena *a = arena_new(64 << 10);
	const struct lines stored = lines_of(a, "a !e b !f c !g d");
	const struct lines all = lines_of(a, "a b !e c !f d !g h !i");

	(void)state;
	for (uint32_t cut = 0; cut <= all.count; cut++) {
		const struct lines parts[] = { { cut, all.items },
					       { all.count - cut, all.items + cut } };
		int64_t position[2] = { 0, 0 };

		for (int part = 0; part < 2; part++) {
			struct line_again again;

			line_again_begin(&again, a, &parts[part], position);
			for (uint32_t at = 0; at < stored.count; at += 2) {
				const struct lines window = { at + 2 < stored.count
								      ? 2
								      : stored.count - at,
							      stored.items + at };

				line_again_add(&again, &window);
			}
			for (uint32_t i = 0; i < parts[part].count; i++)
				assert_int_equal(again.fates[i].kind,
						 parts[part].items[i].number < 7 ? LINE_FATE_SAME
										 : LINE_FATE_NEW);
			position[0] = again.position[0];
			position[1] = again.position[1];
		}
	}
	arena_free(a);
}

static void missing_lines_are_skipped(void **state)
{
	static const int64_t start[2];
	struct arena *a = arena_new(64 << 10);
	const struct lines stored = lines_of(a, "a b c d !e f");
	static const struct {
		const char *sent;
		bool is_done;
	} cases[] = { { "a d f", true }, { "a f !e", true }, { "d a", false }, { "a x", false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct lines sent = lines_of(a, cases[i].sent);
		struct line_again again;

		line_again_begin(&again, a, &sent, start);
		again.has_gaps = true;
		line_again_add(&again, &stored);
		assert_int_equal(line_again_is_done(&again), cases[i].is_done);
	}
	arena_free(a);
}

/* Only lines before the first one of another process are in common; only the last stored line can be torn. */
static void common_lines_end_where_another_process_begins(void **state)
{
	static const int64_t start[2];
	static const struct {
		const char *stored;
		const char *sent;
		int64_t end; /* of the process; the stored lines are a part of it */
		uint32_t alone;
		uint32_t repeated;
	} cases[] = {
		{ "a b c", "a b c d", 3, 4, 4 },
		{ "a b c", "a x c", 3, 1, 3 },    /* the tail may differ */
		{ "a b c", "x b c", 200, 0, 3 },  /* the last lines that were sent, too */
		{ "a b", "a bb c", 2, 3, 3 },     /* torn */
		{ "a b c", "a bb c", 3, 1, 3 },   /* not the last stored line */
		{ "a b", "a bb", 200, 1, 2 },     /* the process has more lines */
		{ "a !e b", "a !ee b", 3, 3, 3 }, /* the last one of its stream */
	};
	struct arena *a = arena_new(64 << 10);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct lines stored = lines_of(a, cases[i].stored);
		const struct lines sent = lines_of(a, cases[i].sent);
		const struct line_again_range range = { 0, cases[i].end, false };
		struct line_again again;

		line_again_begin(&again, a, &sent, start);
		line_again_add(&again, &stored);
		if (line_again_common(&again, LINES_ALONE, &range) != cases[i].alone)
			fail_msg("%s / %s: alone", cases[i].stored, cases[i].sent);
		if (line_again_common(&again, LINES_REPEATED, &range) != cases[i].repeated)
			fail_msg("%s / %s: repeated", cases[i].stored, cases[i].sent);
		assert_int_equal(line_again_common(&again, LINES_FRESH, &range), 0);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sent_lines_are_compared_with_stored_ones),
		cmocka_unit_test(the_result_is_the_same_for_any_cut),
		cmocka_unit_test(missing_lines_are_skipped),
		cmocka_unit_test(common_lines_end_where_another_process_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
