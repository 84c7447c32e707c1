#include "gql_lex.h"

#include <string.h>

#include "arena.h"
#include "json_doc.h"

err_t gql_refuse(const struct gql_lexer *l, size_t at, const char *fmt, ...)
{
	size_t line = 1;
	size_t column = 1;
	const char *message;
	va_list ap;

	for (size_t i = 0; i < at && i < l->document.len; i++) {
		column = l->document.at[i] == '\n' ? 1 : column + 1;
		line += l->document.at[i] == '\n';
	}
	va_start(ap, fmt);
	message = arena_vprintf(l->arena, fmt, ap);
	va_end(ap);
	return err_field(l->arena, ERR_INVALID, "query", "%s, at line %zu, column %zu", message,
			 line, column);
}

static char peek(const struct gql_lexer *l, size_t ahead)
{
	return l->at + ahead < l->document.len ? l->document.at[l->at + ahead] : '\0';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_ignored(struct gql_lexer *l)
{
	for (; l->at < l->document.len; l->at++) {
		char c = l->document.at[l->at];

		if (c == '#') {
			while (l->at + 1 < l->document.len && peek(l, 1) != '\n' &&
			       peek(l, 1) != '\r')
				l->at++;
		} else if (c == '\xef' && peek(l, 1) == '\xbb' && peek(l, 2) == '\xbf') {
			l->at += 2;
		} else if (!strchr(" \t\n\r,", c) || !c) {
			return;
		}
	}
}

static void take(struct gql_lexer *l, size_t len, enum gql_token_kind kind, struct gql_token *token)
{
	token->kind = kind;
	token->text = (struct str){ l->document.at + l->at, len };
	l->at += len;
}

static size_t digits(const struct gql_lexer *l, size_t from)
{
	size_t n = 0;

	while (is_digit(peek(l, from + n)))
		n++;
	return n;
}

/* -? 0|[1-9][0-9]* (.[0-9]+)? ([eE][+-]?[0-9]+)?, and no letter or dot after it. */
static err_t lex_number(struct gql_lexer *l, struct gql_token *token)
{
	size_t len = peek(l, 0) == '-';
	size_t whole = digits(l, len);
	bool good = whole == 1 || (whole > 1 && peek(l, len) != '0');

	len += whole;
	if (good && peek(l, len) == '.') {
		good = digits(l, len + 1) > 0;
		len += 1 + digits(l, len + 1);
	}
	if (good && (peek(l, len) == 'e' || peek(l, len) == 'E')) {
		len += 1 + (peek(l, len + 1) == '+' || peek(l, len + 1) == '-');
		good = digits(l, len) > 0;
		len += digits(l, len);
	}
	if (!good || begins_name(peek(l, len)) || peek(l, len) == '.')
		return gql_refuse(l, l->at, "invalid number");
	take(l, len, GQL_NUMBER, token);
	return NULL;
}

/* Its escapes are those of JSON, so it is parsed as JSON. */
static err_t lex_text(struct gql_lexer *l, struct gql_token *token)
{
	const struct json_doc *doc;
	size_t len = 1;
	err_t e;

	if (peek(l, 1) == '"' && peek(l, 2) == '"')
		return gql_refuse(l, l->at, "strings in triple quotes are not supported");
	while (peek(l, len) && !strchr("\"\n\r", peek(l, len)))
		len += peek(l, len) == '\\' ? 2 : 1;
	if (peek(l, len) != '"')
		return gql_refuse(l, l->at, "unterminated string");
	e = json_doc_parse(l->arena, (struct str){ l->document.at + l->at, len + 1 }, &doc);
	if (e)
		return gql_refuse(l, l->at, "invalid string: %s", e->message);
	take(l, len + 1, GQL_TEXT, token);
	token->text = doc->text;
	return NULL;
}

static size_t punctuator(const struct gql_lexer *l)
{
	char c = peek(l, 0);

	if (c == '.')
		return peek(l, 1) == '.' && peek(l, 2) == '.' ? 3 : 0;
	return c && strchr("!$&():=@[]{|}", c) ? 1 : 0;
}

static size_t name_length(const struct gql_lexer *l)
{
	size_t n = 0;

	while (begins_name(peek(l, n)) || (n && is_digit(peek(l, n))))
		n++;
	return n;
}

err_t gql_lex(struct gql_lexer *l, struct gql_token *ret_token)
{
	size_t len;

	skip_ignored(l);
	*ret_token = (struct gql_token){ .kind = GQL_END, .text = STR(""), .at = l->at };
	if (l->at == l->document.len)
		return NULL;
	len = punctuator(l);
	if (len) {
		take(l, len, GQL_PUNCTUATOR, ret_token);
		return NULL;
	}
	len = name_length(l);
	if (len) {
		take(l, len, GQL_NAME, ret_token);
		return NULL;
	}
	if (peek(l, 0) == '-' || is_digit(peek(l, 0)))
		return lex_number(l, ret_token);
	if (peek(l, 0) == '"')
		return lex_text(l, ret_token);
	return gql_refuse(l, l->at, "unexpected character");
}
