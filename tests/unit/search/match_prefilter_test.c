/* What is told of texts without matching them: as expected, and never otherwise than PCRE2 says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "arena.h"
#include "match_prefilter.h"

static const struct filter_node *node_of(struct arena *a, const char *filter)
{
	const struct filter_node *node;

	assert_null(filter_parse(a, str_of(filter), &node));
	while (node->child)
		node = node->child;
	return node;
}

static void as_expected(void **state)
{
	static const struct {
		const char *filter;
		const char *text;
		enum prefilter_result result;
	} cases[] = {
		{ "run", "Train RUN 7", PREFILTER_YES },
		{ "run", "rum", PREFILTER_NO },
		{ "run", "r\xc3\xbcn", PREFILTER_UNKNOWN }, /* the Kelvin sign is a k */
		{ "gr\xc3\xbc\xc3\x9f", "gruss", PREFILTER_UNKNOWN },
		{ "name:/run/", "run 7", PREFILTER_YES },
		{ "name:/run/", "Run 7", PREFILTER_NO },
		{ "name:/run/i", "rUn 7", PREFILTER_YES },
		{ "name:/^run/", "my run", PREFILTER_NO },
		{ "name:/^run/", "run", PREFILTER_YES },
		{ "name:/run$/", "run", PREFILTER_UNKNOWN },
		{ "name:/run$/", "ru", PREFILTER_NO },
		{ "name:/abcd?/", "abc", PREFILTER_UNKNOWN },
		{ "name:/abcd?/", "abd", PREFILTER_NO },
		{ "name:/a{0}b/", "b", PREFILTER_UNKNOWN },
		{ "name:/ab+c/", "abbc", PREFILTER_UNKNOWN },
		{ "name:/ab+c/", "ac", PREFILTER_NO },
		{ "name:/run|walk/", "walk", PREFILTER_UNKNOWN },
		{ "name:/[x]?(ab)/", "ab", PREFILTER_UNKNOWN },
		{ "name:/7[0-9]*/", "6", PREFILTER_NO },
		{ "name:/\\d+/", "d", PREFILTER_UNKNOWN },
		{ "name:/run/", "r\xc3\xbcn", PREFILTER_NO },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct match_prefilter n = match_prefilter_of(a, node_of(a, cases[i].filter));

		if (match_prefilter_look(&n, str_of(cases[i].text)) != cases[i].result)
			fail_msg("%s in \"%s\"", cases[i].filter, cases[i].text);
	}
	arena_free(a);
}

static uint64_t dice_state = 42;

static size_t dice(size_t sides)
{
	dice_state ^= dice_state << 13;
	dice_state ^= dice_state >> 7;
	dice_state ^= dice_state << 17;
	return (size_t)(dice_state % sides);
}

/* Of pieces that mean something in an expression; few letters, so that many match. */
static void make(char *out, size_t pieces, bool expression)
{
	static const char *const of[] = {
		"a",    "b", "B",   "ab",  "k",     "1", "\xc3\xbc", "\xe2\x84\xaa", ".",
		"?",    "*", "+",   "{2}", "{0,1}", "^", "$",        "[b1]",         "(a)",
		"(b)?", "|", "\\d", "\\.", "(?i)",  "{", "]"
	};

	*out = '\0';
	for (size_t i = 0; i < pieces; i++)
		strcat(out, of[dice(expression ? sizeof(of) / sizeof(of[0]) : 9)]);
}

static void check_texts(const struct match_prefilter *n, const pcre2_code *code,
			const char *expression)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);

	for (int i = 0; i < 20; i++) {
		char text[64];
		enum prefilter_result guess;
		int result;

		make(text, dice(6), false);
		guess = match_prefilter_look(n, str_of(text));
		result = pcre2_match(code, (PCRE2_SPTR)text, strlen(text), 0, 0, data, NULL);
		if (guess != PREFILTER_UNKNOWN && (guess == PREFILTER_YES) != (result >= 0))
			fail_msg("/%s/ and \"%s\"", expression, text);
	}
	pcre2_match_data_free(data);
}

static void never_otherwise(void **state)
{
	enum { EXPRESSIONS = 20000 };
	int tried = 0;

	(void)state;
	for (int i = 0; i < EXPRESSIONS; i++) {
		struct arena *a = arena_new(4096);
		char text[64];
		struct filter_value value;
		struct filter_node node = { .op = dice(4) ? FILTER_REGEX : FILTER_WORDS,
					    .values = &value,
					    .value_count = 1,
					    .ignore_case = dice(2) };
		uint32_t options = PCRE2_UTF;
		pcre2_code *code;
		PCRE2_SIZE offset;
		int number;

		make(text, 1 + dice(6), true);
		value = (struct filter_value){ FILTER_TEXT, str_of(text) };
		if (node.op == FILTER_WORDS)
			options |= PCRE2_LITERAL | PCRE2_CASELESS;
		else if (node.ignore_case)
			options |= PCRE2_CASELESS;
		code = pcre2_compile((PCRE2_SPTR)text, strlen(text), options, &number, &offset,
				     NULL);
		if (code) {
			struct match_prefilter n = match_prefilter_of(a, &node);

			check_texts(&n, code, text);
			tried++;
		}
		pcre2_code_free(code);
		arena_free(a);
	}
	assert_true(tried > EXPRESSIONS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_expected),
		cmocka_unit_test(never_otherwise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
