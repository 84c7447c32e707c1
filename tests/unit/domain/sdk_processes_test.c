/*
 * Processes of the SDK that are one writer. What happens, in order: a letter for each event, in which A, B, C are the
 * processes in the order in which they begin. The limit is 300 s; an event takes a second.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "sdk_processes.h"

enum { SECOND = 1000000, LIMIT_S = 300 };

struct play {
	struct sdk_processes p;
	struct run_clock clock;
	int64_t rows;                /* of the run */
	int64_t next[3][LINE_FILES]; /* of each process */
	unsigned begun;
	unsigned char begins;
	unsigned char ends;
};

static void begin(struct play *play, bool is_blank)
{
	struct sdk_beginning beginning = { .is_blank = is_blank };

	beginning.process = (struct sdk_process){ play->clock.now, { play->rows, play->rows } };
	beginning.said[0] = ++play->begins;
	sdk_processes_begin(&play->p, &beginning, play->clock);
	play->next[play->begun][LINE_FILE_HISTORY] = play->rows;
	play->next[play->begun++][LINE_FILE_EVENTS] = play->rows;
}

static void log_lines(struct play *play, int who, int64_t count)
{
	int64_t *next = play->next[who];
	struct line_range lines[LINE_FILES] = { { next[0], next[0] + count },
						{ next[1], next[1] + count } };

	next[0] += count;
	next[1] += count;
	play->rows += count;
	sdk_processes_hear(&play->p, lines, play->clock.now);
}

static void end(struct play *play, bool is_again)
{
	unsigned char digest[SDK_PROCESS_SAID_LEN] = { 0 };

	play->ends += !is_again;
	digest[0] = play->ends;
	digest[1] = 1;
	assert_int_equal(sdk_processes_end(&play->p, digest), !is_again);
}

static void happen(struct play *play, char event)
{
	static const struct line_range none[LINE_FILES] = { { 0, 0 } };

	play->clock.now.us += SECOND;
	switch (event) {
	case '+': /* one that resumes */
	case '*': /* one that does not */
		begin(play, event == '*');
		break;
	case '"': /* in the same words as the last one */
		play->begins--;
		begin(play, false);
		break;
	case 'A':
	case 'B':
	case 'C':
		log_lines(play, event - 'A', 2);
		break;
	case 'a':
	case 'b':
		log_lines(play, event - 'a', 3);
		break;
	case '.':
		sdk_processes_hear(&play->p, none, play->clock.now);
		break;
	case 'e':
		end(play, false);
		break;
	case 'r':
		end(play, true);
		break;
	case 'E': /* in the same words as the last one, but another one's */
		play->ends--;
		end(play, false);
		break;
	case '~':
		play->clock.now.us += (int64_t)LIMIT_S * SECOND;
		break;
	default:
		fail_msg("'%c'", event);
	}
}

/* Through bytes each time. */
static void keep(struct play *play, struct arena *a)
{
	struct buf *out = buf_new(a);

	sdk_processes_write(out, &play->p);
	memset(&play->p, 0xee, sizeof(play->p));
	assert_true(sdk_processes_read(buf_str(out), &play->p));
}

static const struct {
	const char *events;
	unsigned alive;
	unsigned known;
	int silent_s; /* since the last one of them was heard; -1: there is none */
	bool has_blank;
} cases[] = {
	{ "", 0, 0, -1, false },
	{ ".", 0, 0, -1, false },
	{ "*", 1, 1, 0, false },
	{ "+A", 1, 1, 0, false },
	{ "+Ae", 0, 0, -1, false },
	{ "+A+B", 2, 2, 0, false },
	{ "+A*B", 2, 2, 0, true },
	/* the tester ends: the training was heard before it began, or since */
	{ "+A+Be", 1, 1, 3, false },
	{ "+A+BABe", 1, 1, 2, false },
	{ "+A+BAe", 1, 1, 2, false }, /* whichever it is */
	{ "+A+Bee", 0, 0, -1, false },
	/* an end that is told again ends no other one */
	{ "+A+Ber", 1, 1, 4, false },
	{ "+A+Berr", 1, 1, 5, false },
	{ "+Ae+BE", 0, 0, -1, false },
	/* a beginning that is told again begins no other one, unless none is there */
	{ "+\"Ae", 0, 0, -1, false },
	{ "*\"", 1, 1, 1, false },
	{ "+A\"AB+Bee", 0, 0, -1, false },
	{ "+Ae\"A", 1, 1, 0, false },
	{ "+A~\"A", 1, 1, 0, false },
	/* one that was killed, and that another one took over for at its numbers */
	{ "+AA~+BBBe", 0, 0, -1, false },
	{ "+AA+BBB~BB", 1, 2, 0, false },
	{ "+AA+BBB~BBe", 0, 1, 308, false },
	{ "+AA+BBB~BB+", 2, 2, 0, false },
	/* lines without numbers are of the one that was heard last */
	{ "+A+B....e", 1, 1, 7, false },
	/* numbers tell: A has others than B, whatever comes between */
	{ "+a+BBaBBaBe", 1, 1, 2, false },
	{ "+A+B+Cee", 1, 1, 6, false },
	/* whoever begins alone has nothing that others have */
	{ "*A+B", 2, 2, 0, false },
	{ "*A*B", 2, 2, 0, true },
	{ "*A*Bee*B", 1, 1, 0, false },
	{ "*A*Be+C", 2, 2, 0, true },
	{ "++++++++++++++++", 16, 16, 0, false },
};

static void test_cases(void **state)
{
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct play play = { .clock = { { SECOND }, (int64_t)LIMIT_S * SECOND } };
		int64_t silent;

		for (const char *event = cases[i].events; *event; event++) {
			if (play.begun == 3 && (*event == '+' || *event == '*'))
				play.begun = 0;
			happen(&play, *event);
			keep(&play, a);
		}
		silent = (play.clock.now.us - sdk_processes_heard_at(&play.p).us) / SECOND;
		if (!play.p.count)
			silent = -1;
		if (sdk_processes_alive(&play.p, play.clock) != cases[i].alive ||
		    play.p.count != cases[i].known || silent != cases[i].silent_s ||
		    play.p.has_blank != cases[i].has_blank)
			fail_msg("\"%s\": %u alive of %u, silent for %d, blank: %d",
				 cases[i].events, sdk_processes_alive(&play.p, play.clock),
				 play.p.count, (int)silent, play.p.has_blank);
	}
	arena_free(a);
}

/* Of one more than there is room for the one that was heard first is forgotten. */
static void test_too_many(void **state)
{
	struct play play = { .clock = { { SECOND }, (int64_t)LIMIT_S * SECOND } };

	(void)state;
	for (int i = 0; i < SDK_PROCESSES_MAX + 1; i++) {
		play.begun = 0;
		happen(&play, '+');
	}
	assert_int_equal(play.p.count, SDK_PROCESSES_MAX);
	assert_int_equal(play.p.at[0].heard_at.us, 3 * SECOND);
}

static void test_damaged(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} damaged[] = {
		{ "\0", 1 },
		{ "\0\0short", 7 },
		{ "\0\x11 that is too many", 20 },
		{ "\0\1\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 13 },
		{ "\0\0sixteen of both, and too long", 32 },
	};
	struct sdk_processes p;

	(void)state;
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		assert_false(
			sdk_processes_read((struct str){ damaged[i].bytes, damaged[i].len }, &p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
