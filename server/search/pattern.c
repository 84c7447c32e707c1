/*
 * PCRE2 restarts its count of steps at every offset of a text at which a match may begin, so a long
 * text is matched in slices of offsets, with a check of the clock in between. Compiled to machine
 * code if the system allows that: without it the same answers come slower. An expression that needs
 * more stack than machine code has is matched once more without it.
 */
#include "pattern.h"

#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "arena.h"
#include "clock.h"
#include "match_prefilter.h"

struct pattern {
	const struct filter_node *node;
	pcre2_code *code;
	struct match_prefilter prefilter;
};

struct patterns {
	struct arena *arena;
	struct pattern at[FILTER_PATTERNS_MAX];
	size_t count;
	pcre2_match_context *context;
	pcre2_match_data *data;
	int64_t deadline_us;
	int64_t end_us;      /* of this thread's CPU time; 0: nothing was matched yet */
	unsigned until_look; /* texts until the clock is read */
	err_t error;
};

enum { TEXTS_PER_LOOK = 64 };

static void release(void *arg)
{
	struct patterns *p = arg;

	for (size_t i = 0; i < p->count; i++)
		pcre2_code_free(p->at[i].code);
	pcre2_match_data_free(p->data);
	pcre2_match_context_free(p->context);
}

static struct err *error_of(struct arena *a, const struct filter_node *node, enum err_kind kind,
			    const char *message)
{
	struct err *e = err_field(a, kind, node->field ? node->field : "filter", "%s", message);

	if (node->at.length)
		err_set_range(a, e, node->at.offset, node->at.length);
	return e;
}

static err_t refuse(struct arena *a, const struct filter_node *node, int number, size_t offset)
{
	const char *where = node->character ? arena_printf(a, ", at character %zu", node->character)
					    : "";
	PCRE2_UCHAR8 text[160] = "";

	(void)pcre2_get_error_message(number, text, sizeof(text));
	return error_of(a, node, ERR_INVALID,
			arena_printf(a, "invalid regular expression: %s, at byte %zu%s",
				     (const char *)text, offset + 1, where));
}

static uint32_t options_of(const struct filter_node *node)
{
	uint32_t options = PCRE2_UTF | PCRE2_USE_OFFSET_LIMIT;

	if (node->op == FILTER_WORDS)
		return options | PCRE2_LITERAL | PCRE2_CASELESS;
	return options | PCRE2_NEVER_BACKSLASH_C | (node->ignore_case ? PCRE2_CASELESS : 0);
}

static err_t compile(struct patterns *p, const struct filter_node *node)
{
	struct str text = node->values[0].text;
	struct pattern *pattern = &p->at[p->count];
	PCRE2_SIZE offset;
	int number;

	pattern->node = node;
	pattern->code = pcre2_compile((PCRE2_SPTR)text.at, text.len, options_of(node), &number,
				      &offset, NULL);
	if (!pattern->code)
		return refuse(p->arena, node, number, offset);
	p->count++;
	pattern->prefilter = match_prefilter_of(p->arena, node);
	(void)pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE);
	return NULL;
}

/* In the order of their numbers, which is the order they were read in; a child may come before. */
static err_t compile_all(struct patterns *p, const struct filter_node *node, unsigned number,
			 bool *ret_found)
{
	if ((node->op == FILTER_REGEX || node->op == FILTER_WORDS) && node->pattern == number) {
		*ret_found = true;
		return compile(p, node);
	}
	for (const struct filter_node *child = node->child; child && !*ret_found;
	     child = child->next) {
		err_t e = compile_all(p, child, number, ret_found);

		if (e)
			return e;
	}
	return NULL;
}

err_t patterns_new(struct arena *a, const struct filter_node *filter, int64_t deadline_us,
		   struct patterns **ret_patterns)
{
	struct patterns *p = arena_new_of(a, struct patterns);
	bool found = true;

	p->arena = a;
	p->deadline_us = deadline_us;
	arena_defer(a, release, p);
	while (found && p->count < FILTER_PATTERNS_MAX) {
		err_t e;

		found = false;
		e = compile_all(p, filter, (unsigned)p->count, &found);
		if (e)
			return e;
	}
	*ret_patterns = p;
	if (!p->count)
		return NULL;
	p->context = pcre2_match_context_create(NULL);
	p->data = pcre2_match_data_create(1, NULL);
	if (!p->context || !p->data)
		return err_new(a, ERR_INTERNAL, "out of memory for a regular expression");
	pcre2_set_match_limit(p->context, PATTERN_STEPS_MAX);
	pcre2_set_depth_limit(p->context, PATTERN_DEPTH_MAX);
	pcre2_set_heap_limit(p->context, PATTERN_HEAP_KIB);
	return NULL;
}

size_t patterns_count(const struct patterns *p)
{
	return p->count;
}

const struct filter_node *patterns_node(const struct patterns *p, size_t i)
{
	return p->at[i].node;
}

err_t patterns_error(const struct patterns *p)
{
	return p->error;
}

static void give_up(struct patterns *p, struct err *e)
{
	e->hint = "simplify the regular expressions, or select fewer runs";
	p->error = e;
}

/* If there are several, it is not known which one it is. */
static struct err *too_long(const struct patterns *p)
{
	static const char message[] = "the regular expressions take too long";

	return p->count == 1 ? error_of(p->arena, p->at[0].node, ERR_UNPROCESSABLE, message)
			     : err_field(p->arena, ERR_UNPROCESSABLE, "filter", message);
}

/* Time spent waiting, such as for the database, does not count. */
static int64_t spent_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

bool patterns_look(struct patterns *p)
{
	int64_t now_us = spent_us();

	p->until_look = TEXTS_PER_LOOK;
	if (!p->end_us)
		p->end_us = now_us + PATTERN_TIME_MS * INT64_C(1000);
	if (p->deadline_us && clock_mono_us() > p->deadline_us)
		p->error = err_new(p->arena, ERR_TIMEOUT, "the request took too long");
	else if (now_us > p->end_us)
		give_up(p, too_long(p));
	return !p->error;
}

bool patterns_try(struct patterns *p, size_t i, struct str text, bool *ret_matches)
{
	enum prefilter_result guess;
	int result;

	if (text.len > PATTERN_SHORT)
		return false;
	guess = match_prefilter_look(&p->at[i].prefilter, text);
	*ret_matches = guess == PREFILTER_YES;
	if (guess != PREFILTER_UNKNOWN)
		return true;
	pcre2_set_match_limit(p->context, PATTERN_SHORT_STEPS);
	pcre2_set_offset_limit(p->context, PCRE2_UNSET);
	result = pcre2_match(p->at[i].code, (PCRE2_SPTR)text.at, text.len, 0, PCRE2_NO_UTF_CHECK,
			     p->data, p->context);
	pcre2_set_match_limit(p->context, PATTERN_STEPS_MAX);
	*ret_matches = result >= 0;
	return result >= 0 || result == PCRE2_ERROR_NOMATCH;
}

/* From the byte `start` on, at the offsets of one slice. */
static int match_slice(struct patterns *p, const pcre2_code *code, struct str text, size_t start)
{
	int result;

	pcre2_set_offset_limit(p->context, start + PATTERN_SLICE - 1);
	result = pcre2_match(code, (PCRE2_SPTR)text.at, text.len, start, PCRE2_NO_UTF_CHECK,
			     p->data, p->context);
	if (result == PCRE2_ERROR_JIT_STACKLIMIT)
		result = pcre2_match(code, (PCRE2_SPTR)text.at, text.len, start,
				     PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, p->data, p->context);
	return result;
}

/* The beginning of a character, not before `at`. */
static size_t character_from(struct str text, size_t at)
{
	while (at < text.len && ((unsigned char)text.at[at] & 0xc0) == 0x80)
		at++;
	return at;
}

bool patterns_match(struct patterns *p, size_t i, struct str text)
{
	enum prefilter_result guess = match_prefilter_look(&p->at[i].prefilter, text);
	size_t start = 0;

	if (!p->until_look-- && !patterns_look(p))
		return false;
	if (guess != PREFILTER_UNKNOWN)
		return !p->error && guess == PREFILTER_YES;
	do {
		int result = p->error ? PCRE2_ERROR_NOMATCH
				      : match_slice(p, p->at[i].code, text, start);

		if (result >= 0)
			return true;
		if (result != PCRE2_ERROR_NOMATCH) {
			give_up(p, error_of(p->arena, p->at[i].node, ERR_UNPROCESSABLE,
					    "a regular expression needs too much backtracking"));
			return false;
		}
		start = character_from(text, start + PATTERN_SLICE);
	} while (start <= text.len && patterns_look(p));
	return false;
}
