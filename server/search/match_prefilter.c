/*
 * The piece is the longest run of plain characters outside of every group, class and choice.
 * Unknown syntax ends the reading: then less is known, but nothing wrong.
 */
#include "match_prefilter.h"

#include <string.h>

#include "arena.h"

/* ---- the piece ----------------------------------------------------------------------------------- */

struct reading {
	struct str text;
	size_t at;
	size_t run; /* the start of the run that ends at `at` */
	struct str best;
	bool is_plain; /* only plain characters so far */
};

static bool is_plain(char c)
{
	return c >= ' ' && c <= '~' && !strchr("\\^$.[]|()?*+{}", c);
}

/* It ends before the character `end`. */
static void end_run(struct reading *r, size_t end)
{
	if (end > r->run && end - r->run > r->best.len)
		r->best = (struct str){ r->text.at + r->run, end - r->run };
	r->is_plain = false;
}

/* Skips a repetition: the character before it is no longer certain. False: it is not understood. */
static bool pass_quantifier(struct reading *r)
{
	const char *close;

	end_run(r, r->at - (r->at > r->run));
	if (r->text.at[r->at] == '{') {
		close = memchr(r->text.at + r->at, '}', r->text.len - r->at);
		if (!close)
			return false;
		r->at = (size_t)(close - r->text.at);
	}
	r->run = ++r->at;
	return true;
}

/* False: what follows is not understood. */
static bool pass_special(struct reading *r)
{
	switch (r->text.at[r->at]) {
	case '?':
	case '*':
	case '{':
		return pass_quantifier(r);
	case '.':
	case '+':
	case '^':
	case '$':
		end_run(r, r->at);
		r->run = ++r->at;
		return true;
	default:
		return false;
	}
}

static void read_expression(struct reading *r)
{
	while (r->at < r->text.len) {
		if (is_plain(r->text.at[r->at]))
			r->at++;
		else if (!pass_special(r))
			break;
	}
	if (r->at < r->text.len || r->run)
		end_run(r, r->at);
	else
		r->best = r->text;
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static void set_piece(struct match_prefilter *n, struct arena *a, struct str piece)
{
	char *copy = str_copy(a, piece);

	for (size_t i = 0; n->either_case && i < piece.len; i++)
		copy[i] = small(copy[i]);
	n->piece = (struct str){ copy, piece.len };
}

static bool is_ascii(struct str text)
{
	unsigned char all = 0;

	for (size_t i = 0; i < text.len; i++)
		all |= (unsigned char)text.at[i];
	return all < 0x80;
}

static struct match_prefilter needle_of_words(struct arena *a, struct str text)
{
	struct match_prefilter n = { .either_case = true, .is_all = true };

	if (is_ascii(text))
		set_piece(&n, a, text);
	return n;
}

static struct match_prefilter needle_of_expression(struct arena *a, const struct filter_node *node)
{
	struct match_prefilter n = { .either_case = node->ignore_case };
	struct reading r = { .text = node->values[0].text, .is_plain = true };

	if (r.text.len && memchr(r.text.at, '|', r.text.len))
		return n;
	n.is_first = r.text.len && r.text.at[0] == '^';
	if (n.is_first)
		r.text = (struct str){ r.text.at + 1, r.text.len - 1 };
	read_expression(&r);
	n.is_all = r.is_plain;
	n.is_first &= r.is_plain;
	set_piece(&n, a, r.best);
	return n;
}

struct match_prefilter match_prefilter_of(struct arena *a, const struct filter_node *node)
{
	if (node->op == FILTER_WORDS)
		return needle_of_words(a, node->values[0].text);
	return needle_of_expression(a, node);
}

/* ---- texts --------------------------------------------------------------------------------------- */

static bool stands_at(const struct match_prefilter *n, const char *text)
{
	size_t i = 0;

	if (!n->either_case)
		return !memcmp(text, n->piece.at, n->piece.len);
	while (i < n->piece.len && small(text[i]) == n->piece.at[i])
		i++;
	return i == n->piece.len;
}

static bool stands_in(const struct match_prefilter *n, struct str text)
{
	const size_t offsets = text.len - n->piece.len + 1;
	const char first = n->piece.at[0];

	for (size_t i = 0; i < (n->is_first ? 1 : offsets); i++) {
		char c = n->either_case ? small(text.at[i]) : text.at[i];

		if (c == first && stands_at(n, text.at + i))
			return true;
	}
	return false;
}

enum prefilter_result match_prefilter_look(const struct match_prefilter *n, struct str text)
{
	if (!n->piece.len || (n->either_case && !is_ascii(text)))
		return PREFILTER_UNKNOWN;
	if (text.len < n->piece.len || !stands_in(n, text))
		return PREFILTER_NO;
	return n->is_all ? PREFILTER_YES : PREFILTER_UNKNOWN;
}
