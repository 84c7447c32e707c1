/*
 * Lines are matched as they are printed; without its terminal sequences a line may not be valid
 * UTF-8, and PCRE2 is told so.
 */
#include "line_regex.h"

#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "arena.h"

enum { STEPS_MAX = 20000, DEPTH_MAX = 1000, HEAP_KIB = 4096 };

struct line_regex {
	pcre2_code *code;
	pcre2_match_context *context;
	pcre2_match_data *data;
	int64_t given_up;
};

static void release(void *arg)
{
	struct line_regex *r = arg;

	pcre2_code_free(r->code);
	pcre2_match_data_free(r->data);
	pcre2_match_context_free(r->context);
}

static err_t refuse(struct arena *a, const char *field, int number, size_t offset)
{
	PCRE2_UCHAR8 text[160] = "";

	(void)pcre2_get_error_message(number, text, sizeof(text));
	return err_field(a, ERR_INVALID, field, "invalid regular expression: %s, at byte %zu",
			 (const char *)text, offset + 1);
}

static err_t prepare(struct arena *a, struct line_regex *r)
{
	(void)pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE);
	r->context = pcre2_match_context_create(NULL);
	r->data = pcre2_match_data_create(1, NULL);
	if (!r->context || !r->data)
		return err_new(a, ERR_INTERNAL, "out of memory for a regular expression");
	pcre2_set_match_limit(r->context, STEPS_MAX);
	pcre2_set_depth_limit(r->context, DEPTH_MAX);
	pcre2_set_heap_limit(r->context, HEAP_KIB);
	return NULL;
}

err_t line_regex_new(struct arena *a, const char *field, struct str text,
		     enum line_regex_case letters, struct line_regex **ret_regex)
{
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
			   (letters == LINE_REGEX_EITHER_CASE ? PCRE2_CASELESS : 0);
	struct line_regex *r = arena_new_of(a, struct line_regex);
	PCRE2_SIZE offset;
	int number;

	arena_defer(a, release, r);
	r->code = pcre2_compile((PCRE2_SPTR)text.at, text.len, options, &number, &offset, NULL);
	if (!r->code)
		return refuse(a, field, number, offset);
	*ret_regex = r;
	return prepare(a, r);
}

bool line_regex_is_in(struct line_regex *r, struct str line)
{
	PCRE2_SPTR text = (PCRE2_SPTR)(line.at ? line.at : "");
	int result = pcre2_match(r->code, text, line.len, 0, 0, r->data, r->context);

	if (result == PCRE2_ERROR_JIT_STACKLIMIT)
		result = pcre2_match(r->code, text, line.len, 0, PCRE2_NO_JIT, r->data, r->context);
	if (result < 0 && result != PCRE2_ERROR_NOMATCH)
		r->given_up++;
	return result >= 0;
}

int64_t line_regex_given_up(const struct line_regex *r)
{
	return r->given_up;
}
