#ifndef GQL_LEX_H
#define GQL_LEX_H

#include "err.h"
#include "str.h"

/*
 * The words of a GraphQL document (GraphQL specification, October 2021, section 2.1). Blanks,
 * commas, comments and a byte order mark separate words and mean nothing.
 */
enum gql_token_kind {
	GQL_END,
	GQL_PUNCTUATOR, /* one of ! $ & ( ) : = @ [ ] { | }, or three dots */
	GQL_NAME,
	GQL_NUMBER, /* as JSON writes numbers */
	GQL_TEXT,   /* between quotes, escapes undone; also between three quotes */
};

struct gql_token {
	enum gql_token_kind kind;
	struct str text; /* the value of a text; else as written */
	size_t at;       /* its first byte's place in the document */
};

struct gql_lexer {
	struct arena *arena;
	struct str document;
	size_t at;
};

/* The next word; GQL_END at the end, and again after it. */
err_t gql_lex(struct gql_lexer *l, struct gql_token *ret_token)
	__attribute__((nonnull, warn_unused_result));

/* An error with the line and column, both from 1, columns in bytes. */
err_t gql_refuse(const struct gql_lexer *l, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), nonnull(1, 3), returns_nonnull));

#endif
