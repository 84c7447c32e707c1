/*
 * Secrets are told by their names, and by where a password stands in an address. A name counts wherever it stands in an
 * argument, which may be a header, a JSON document or the text of a shell; no parser for each of them, for an argument
 * does not say what it is. In doubt more is masked than less: what was masked in vain is still known to who gave it.
 */
#include "masked.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "secret_name.h"
#include "secret_value.h"

#define MASK "***"
#define BLANKS " \t\r\n"
#define QUOTES "\"'`"
#define PORT_MAX_DIGITS 5

/* One argument, from its start to its end. */
struct scan {
	struct text *text; /* what may be shown */
	const char *at;    /* what comes next */
	char before;       /* the byte before that; 0: none */
	char quote;        /* that is open; 0: none */
	bool is_script;    /* the text of a shell: a blank ends what it assigns */
	bool is_split;     /* a blank or a quote came already */
	enum secret_p p;   /* what "-p" takes here */
};

/* How a name and its value are set apart. */
enum apart {
	APART_NOT,
	APART_OPTION, /* --token abc */
	APART_EQUALS, /* TOKEN=abc */
	APART_HEADER, /* Token: abc */
	APART_MEMBER  /* "token": "abc" */
};

static bool is_one_of(const char *set, char c)
{
	return c && strchr(set, c);
}

static size_t name_length(const char *text)
{
	const char *end = text;

	while (isalnum((unsigned char)*end) || (unsigned char)*end >= 0x80 ||
	       is_one_of("-_.", *end))
		end++;
	return (size_t)(end - text);
}

/* The last "@" before the end; NULL: none. */
static const char *last_at(const char *text, const char *end)
{
	const char *found = NULL;

	for (; text < end; text++)
		found = *text == '@' ? text : found;
	return found;
}

/* ":8080", with nothing behind it. */
static bool is_port(const char *colon, const char *end)
{
	size_t digits = strspn(colon + 1, "0123456789");

	return digits && digits <= PORT_MAX_DIGITS && colon + 1 + digits == end;
}

/* Behind a word of which an address is: blanks end it, quotes that stand around it, and the next address. */
static const char *end_of_address(const char *authority, char quote)
{
	const char *end = authority;

	while (*end && *end != quote && !is_one_of(BLANKS, *end) && strncmp(end, "://", 3) != 0)
		end++;
	return end;
}

/*
 * Returns the beginning of the host, after its user and password. A password may contain characters that end a host:
 * after "user:" it is taken to reach to the last "@" of the word.
 */
static const char *host_of(const char *authority, char quote)
{
	const char *reach = end_of_address(authority, quote);
	const char *end = authority + strcspn(authority, "/?#,"), *colon, *at;

	if (end > reach)
		end = reach;
	colon = memchr(authority, ':', (size_t)(end - authority));
	if (colon && (colon == authority || !is_port(colon, end)))
		end = reach;
	at = last_at(authority, end);
	return at ? at + 1 : authority;
}

void masked_remote(struct text *text, const char *remote)
{
	const char *at = strchr(remote, '@');
	const char *colon = strchr(remote, ':');

	if (!strstr(remote, "://") && at && colon && colon < at)
		remote = at + 1;
	for (const char *next; (next = strstr(remote, "://")); remote = host_of(next + 3, '\0'))
		text_add(text, remote, (size_t)(next + 3 - remote));
	text_str(text, remote);
}

/* Shows what comes up to there. */
static void show(struct scan *s, const char *end)
{
	text_add(s->text, s->at, (size_t)(end - s->at));
	for (; s->at < end; s->before = *s->at++) {
		if (is_one_of(QUOTES, *s->at) && s->before != '\\' &&
		    (!s->quote || s->quote == *s->at))
			s->quote = s->quote ? '\0' : *s->at;
		s->is_split |= is_one_of(BLANKS QUOTES, *s->at);
	}
}

static void mask(struct scan *s, const char *end)
{
	if (end == s->at)
		return;
	text_str(s->text, MASK);
	s->at = end;
	s->before = '*';
}

static bool is_bearer(const char *name, const char *end)
{
	return end - name == 6 && strncasecmp(name, "bearer", 6) == 0;
}

/* "--" on its own, behind which no option has its value. */
static bool is_end_of_options(const char *word)
{
	return strncmp(word, "--", 2) == 0 && (!word[2] || is_one_of(BLANKS QUOTES, word[2]));
}

/* Finds the value of an option whose name ends here: after blanks, or as the next member of a list. */
static enum apart find_next_word(const char *name, const char *end, const char **ret_value)
{
	const char *word = end + strspn(end, BLANKS QUOTES ",\\");

	*ret_value = word;
	if (word == end || is_end_of_options(word) || (*name != '-' && !is_bearer(name, end)))
		return APART_NOT;
	return APART_OPTION;
}

/* Finds the value of a name that ends here, and has that byte before it. */
static enum apart find_value(const char *name, const char *end, char before, const char **ret_value)
{
	const char *quoted = end + strspn(end, QUOTES "\\]");
	const char *sign = quoted + strspn(quoted, BLANKS);
	const char *value = sign + strspn(sign, ":=");
	bool has_gap;

	if (is_bearer(name, end) || value == sign || (*sign == ':' && before == '/') ||
	    strncmp(sign, "::", 2) == 0 || strncmp(sign, "://", 3) == 0)
		return find_next_word(name, end, ret_value);
	value += *value == '>';
	has_gap = is_one_of(BLANKS, *value);
	*ret_value = value;
	if (*sign == '=' && sign == quoted)
		return APART_EQUALS; /* and a blank behind it would end that */
	*ret_value = value + strspn(value, BLANKS);
	return *sign == ':' && has_gap && quoted == end ? APART_HEADER : APART_MEMBER;
}

/* Returns the closing quote, or the end of the text. */
static const char *end_of_quote(const char *text, char quote)
{
	while (*text && *text != quote)
		text += *text == '\\' && text[1] ? 2 : 1;
	return text;
}

/* Behind what closes the list or object that begins here, or where the text ends. */
static const char *end_of_brackets(const char *text)
{
	int depth = 0;

	for (; *text; text++) {
		depth += is_one_of("[{", *text);
		depth -= is_one_of("]}", *text);
		if (depth == 0)
			return text + 1;
	}
	return text;
}

/* Returns the end of a word that may have quoted parts; a closing bracket after it is not part of it. */
static const char *end_of_word(const struct scan *s, const char *word)
{
	const char *limit = s->quote ? end_of_quote(word, s->quote) : word + strlen(word);
	const char *end = word;

	while (end < limit && !is_one_of(BLANKS, *end)) {
		const char *close = is_one_of(QUOTES, *end) ? end_of_quote(end + 1, *end) : limit;

		if (close < limit)
			end = close + 1;
		else
			end += *end == '\\' && end + 1 < limit ? 2 : 1;
	}
	while (end > word && is_one_of(",;)]}", end[-1]))
		end--;
	return end;
}

/* "Bearer abc" is one value. */
static const char *end_of_words(const struct scan *s)
{
	static const char *const schemes[] = { "bearer ", "basic ", "token " };

	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		size_t length = strlen(schemes[i]);

		if (strncasecmp(s->at, schemes[i], length) == 0)
			return end_of_word(s, s->at + length + strspn(s->at + length, " "));
	}
	return end_of_word(s, s->at);
}

static const char *end_of_line(const struct scan *s)
{
	const char ends[] = { '\r', '\n', s->quote, '\0' };

	return s->at + strcspn(s->at, ends);
}

static void mask_value(struct scan *s, enum apart apart)
{
	bool is_escaped;

	if (apart != APART_EQUALS && is_one_of(QUOTES, *s->at) && !s->quote)
		show(s, s->at + 1);
	else if (*s->at == '\\' && is_one_of(QUOTES, s->at[1]))
		show(s, s->at + 2);
	is_escaped = is_one_of(QUOTES, s->before) && s->at[-2] == '\\';
	if (is_escaped)
		mask(s, s->at + strcspn(s->at, "\\" QUOTES));
	else if (s->quote && s->before == s->quote)
		mask(s, end_of_quote(s->at, s->quote));
	else if (apart == APART_HEADER)
		mask(s, end_of_line(s));
	else if (is_one_of("[{", *s->at))
		mask(s, end_of_brackets(s->at));
	else
		mask(s, end_of_words(s));
}

static bool is_word(const char *name, size_t length, const char *word)
{
	return strlen(word) == length && strncmp(name, word, length) == 0;
}

static bool takes_login(const char *name, size_t length)
{
	return is_word(name, length, "-u") || is_word(name, length, "--user") ||
	       is_word(name, length, "--proxy-user");
}

/* Takes the value of an option that is a secret or not depending on the value. */
static void take_value(struct scan *s, const char *name, size_t length)
{
	const char *secret = NULL, *word = s->at + strspn(s->at, BLANKS QUOTES);
	size_t count;

	if (word == s->at)
		return;
	count = strcspn(word, is_one_of(QUOTES, word[-1]) ? QUOTES : BLANKS QUOTES ";|&()");
	if (!count)
		return;
	if (takes_login(name, length))
		secret = secret_value_of_login(word, count);
	else if (is_word(name, length, "-p") && secret_value_of_p(word, count, s->p))
		secret = word;
	if (!secret)
		return;
	show(s, secret);
	mask(s, word + count);
}

/* Shows a name, and masks what it is of where that is a secret. */
static void take_name(struct scan *s)
{
	const char *name = s->at, *end = name + name_length(name), *value;
	size_t length = (size_t)(end - name);
	bool is_one_value = !s->is_split && !s->is_script;
	char before = s->before;
	enum apart apart;

	if (secret_value_is_key(name, length)) {
		mask(s, end);
		return;
	}
	show(s, end);
	s->p = secret_p_after(name, length, s->p);
	take_value(s, name, length);
	if (s->at != end)
		return;
	if (!is_bearer(name, end) && !secret_name_is(name, length) &&
	    !(is_one_of("?&", before) && secret_name_signs(name, length)))
		return;
	apart = find_value(name, end, before, &value);
	if (apart == APART_NOT)
		return;
	show(s, value);
	if (is_one_value && (apart == APART_EQUALS || apart == APART_MEMBER))
		mask(s, s->at + strlen(s->at));
	else
		mask_value(s, apart);
}

/* "--token ABC" */
static bool is_after_secret(char *const *argv, size_t at)
{
	const char *before = at ? argv[at - 1] : "";
	size_t length = strlen(before);

	return before[0] == '-' && name_length(before) == length && strcmp(argv[at], "--") != 0 &&
	       secret_name_is(before, length);
}

/* "-u me:ABC", "-p ABC"; false: the argument is not such a value. */
static bool mask_after_option(struct scan *s, char *const *argv, size_t at)
{
	const char *before = at ? argv[at - 1] : "", *secret = NULL;
	size_t length = strlen(before), count = strlen(argv[at]);

	/* the program and its words, of which some tell */
	for (size_t i = 0; i + 1 < at; i++) {
		const char *slash = strrchr(argv[i], '/'), *word = slash ? slash + 1 : argv[i];

		s->p = secret_p_after(word, strlen(word), s->p);
	}
	if (takes_login(before, length))
		secret = secret_value_of_login(argv[at], count);
	else if (is_word(before, length, "-p") && secret_value_of_p(argv[at], count, s->p))
		secret = argv[at];
	if (secret) {
		show(s, secret);
		mask(s, argv[at] + count);
	}
	return secret != NULL;
}

/* Behind "-c", "-lc" and the like. */
static bool is_script(char *const *argv, size_t at)
{
	const char *before = at ? argv[at - 1] : "";
	size_t length = strlen(before);

	return length > 1 && before[0] == '-' && before[1] != '-' && before[length - 1] == 'c';
}

void masked_argument(struct text *text, char *const *argv, size_t at)
{
	struct scan s = { .text = text, .at = argv[at], .is_script = is_script(argv, at) };

	if (is_after_secret(argv, at)) {
		text_str(text, MASK);
		return;
	}
	if (mask_after_option(&s, argv, at))
		return;
	while (*s.at) {
		if (name_length(s.at)) {
			take_name(&s);
		} else if (strncmp(s.at, "://", 3) == 0) {
			show(&s, s.at + 3);
			s.at = host_of(s.at, s.quote);
		} else {
			show(&s, s.at + 1);
		}
	}
}
