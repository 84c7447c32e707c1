#ifndef FILTER_READER_H
#define FILTER_READER_H

#include "filter_build.h"

/*
 * The text form of a filter, word by word (filter_text.c has its grammar).
 * Errors name the character.
 */
struct filter_reader {
	struct filter_build *build;
	struct str text;
	size_t at;
	unsigned depth;
};

/* Characters, not bytes, from 1. */
size_t filter_column_of(const struct filter_reader *r, size_t at);
err_t filter_refuse_at(const struct filter_reader *r, size_t at, const char *message)
	__attribute__((warn_unused_result));
err_t filter_error_at(const struct filter_reader *r, size_t at, err_t e)
	__attribute__((warn_unused_result));
char filter_peek(const struct filter_reader *r);
bool filter_is_blank(char c);
void filter_skip_blanks(struct filter_reader *r);
/* A plain word ends before a blank, a bracket, a quote, or a character of `ends`. */
struct str filter_plain_word(const struct filter_reader *r, const char *ends);
/* Takes "and", "or" or "not", if it is next as a word of its own. */
bool filter_take_keyword(struct filter_reader *r, const char *keyword);
/* The text up to `end`, in which a backslash takes `end` and, between quotes, itself. */
err_t filter_read_until(struct filter_reader *r, char end, struct str *ret_text)
	__attribute__((warn_unused_result));
err_t filter_read_path(struct filter_reader *r, struct filter_path *ret_path)
	__attribute__((warn_unused_result));
/* With the blanks around it. */
bool filter_take_sign(struct filter_reader *r, enum filter_op *ret_op, bool *ret_negate);

#endif
