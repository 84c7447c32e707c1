/*
 * A filter as a predicate of PostgreSQL's SQL/JSON path.
 *
 * Every leaf is `exists(PLACE ? (@ …))`: a comparison of unlike types is unknown, which drops the
 * item and leaves exists() false, so that `!` has two values to deal with and never three. Lax mode,
 * the default, opens lists in front of `?`.
 *
 * Regular expressions and free words are not matched by the database: its dialect differs from that
 * of the columns in memory (PCRE2), so the server matches them and passes the results in variables.
 *
 * A user's text goes into it only as a literal: names and texts between quotes
 * with everything else than letters, digits and a few signs escaped where it
 * could matter, and numbers that were checked (filter_is_number()). Rejected: SQL
 * made of parts with parameters, which needs one statement per shape of filter.
 */
#include <assert.h>
#include <string.h>

#include "buf.h"
#include "filter_build.h"

static void write_node(struct buf *b, const struct filter_node *node);

static void write_quoted(struct buf *b, struct str text)
{
	buf_add_byte(b, '"');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.at[i];

		if (c < 0x20 || c == 0x7f || c == '"' || c == '\\' || c == '\'')
			buf_printf(b, "\\u%04x", c);
		else
			buf_add_byte(b, (char)c);
	}
	buf_add_byte(b, '"');
}

static void write_value(struct buf *b, const struct filter_value *value)
{
	switch (value->kind) {
	case FILTER_NULL:
		buf_add_text(b, "null");
		break;
	case FILTER_FALSE:
		buf_add_text(b, "false");
		break;
	case FILTER_TRUE:
		buf_add_text(b, "true");
		break;
	case FILTER_NUMBER:
		assert(filter_is_number(value->text));
		buf_add_str(b, value->text);
		break;
	case FILTER_TEXT:
		write_quoted(b, value->text);
		break;
	}
}

/* The path as names one within the other; or, when `flat`, all below the first as one name. */
static void write_path(struct buf *b, const struct filter_path *path, bool flat)
{
	struct buf name = { 0 };

	buf_add_byte(b, '$');
	for (size_t i = 0; i < path->count; i++) {
		if (i > 1 && flat)
			buf_add_byte(&name, '.');
		buf_add_str(&name, path->names[i]);
		if (i > 0 && flat && i + 1 < path->count)
			continue;
		buf_add_byte(b, '.');
		write_quoted(b, buf_str(&name));
		buf_clear(&name);
	}
	buf_free(&name);
}

static void write_sign(struct buf *b, enum filter_op op)
{
	static const char *const signs[] = {
		[FILTER_EQ] = "==", [FILTER_GT] = ">",   [FILTER_GTE] = ">=",
		[FILTER_LT] = "<",  [FILTER_LTE] = "<=", [FILTER_PREFIX] = "starts with",
	};

	assert(op < sizeof(signs) / sizeof(signs[0]) && signs[op]);
	buf_printf(b, "@ %s ", signs[op]);
}

/* Outside of config and summary an empty text counts as nothing. */
static void write_is_there(struct buf *b, const struct filter_path *path, bool flat)
{
	buf_add_text(b, "exists(");
	write_path(b, path, flat);
	if (path->count == 1)
		buf_add_text(b, "[*] ? (@ != null && (@ != \"\" || (@ == \"\") is unknown))");
	buf_add_byte(b, ')');
}

static void write_missing(struct buf *b, const struct filter_path *path, bool flat)
{
	buf_add_text(b, "(!");
	write_is_there(b, path, flat);
	if (path->count > 1) {
		buf_add_text(b, " || exists(");
		write_path(b, path, flat);
		buf_add_text(b, " ? (@ == null))");
	}
	buf_add_byte(b, ')');
}

/*
 * Outside config and summary an empty text is missing: neither less than another nor as great as
 * "".
 */
static bool leaves_out_empty(const struct filter_node *node, const struct filter_value *value)
{
	return node->path.count == 1 && value->kind == FILTER_TEXT &&
	       (node->op == FILTER_LT || node->op == FILTER_LTE ||
		(node->op == FILTER_GTE && !value->text.len));
}

/* exists(PATH ? (what the operator asks)), for one path. */
static void write_test(struct buf *b, const struct filter_node *node,
		       const struct filter_value *value, bool flat)
{
	buf_add_text(b, "exists(");
	write_path(b, &node->path, flat);
	buf_add_text(b, " ? (");
	write_sign(b, node->op == FILTER_IN ? FILTER_EQ : node->op);
	write_value(b, value);
	if (leaves_out_empty(node, value))
		buf_add_text(b, " && @ != \"\"");
	buf_add_text(b, "))");
}

static bool asks_for_null(const struct filter_node *node, const struct filter_value *value)
{
	return value && value->kind == FILTER_NULL &&
	       (node->op == FILTER_EQ || node->op == FILTER_IN);
}

static void write_path_test(struct buf *b, const struct filter_node *node,
			    const struct filter_value *value, bool flat)
{
	if (asks_for_null(node, value))
		write_missing(b, &node->path, flat);
	else if (node->op == FILTER_EXISTS)
		write_is_there(b, &node->path, flat);
	else
		write_test(b, node, value, flat);
}

/* config.a.b may be two names or one: either matches, but it is missing only if both are. */
static void write_leaf(struct buf *b, const struct filter_node *node,
		       const struct filter_value *value)
{
	if (!filter_path_is_double(&node->path)) {
		write_path_test(b, node, value, false);
		return;
	}
	buf_add_byte(b, '(');
	write_path_test(b, node, value, false);
	buf_add_text(b, asks_for_null(node, value) ? " && " : " || ");
	write_path_test(b, node, value, true);
	buf_add_byte(b, ')');
}

static void write_in(struct buf *b, const struct filter_node *node)
{
	buf_add_text(b, "(1 == 0");
	for (size_t i = 0; i < node->value_count; i++) {
		buf_add_text(b, " || ");
		write_leaf(b, node, &node->values[i]);
	}
	buf_add_byte(b, ')');
}

static void write_group(struct buf *b, const struct filter_node *node)
{
	bool is_and = node->op == FILTER_AND;

	if (!node->child) {
		buf_add_text(b, is_and ? "(1 == 1)" : "(1 == 0)");
		return;
	}
	if (!node->child->next) {
		write_node(b, node->child);
		return;
	}
	buf_add_byte(b, '(');
	for (const struct filter_node *child = node->child; child; child = child->next) {
		if (child != node->child)
			buf_add_text(b, is_and ? " && " : " || ");
		write_node(b, child);
	}
	buf_add_byte(b, ')');
}

static void write_node(struct buf *b, const struct filter_node *node)
{
	switch (node->op) {
	case FILTER_AND:
	case FILTER_OR:
		write_group(b, node);
		break;
	case FILTER_NOT:
		buf_add_text(b, "(!(");
		write_node(b, node->child);
		buf_add_text(b, "))");
		break;
	case FILTER_IN:
		write_in(b, node);
		break;
	case FILTER_REGEX:
	case FILTER_WORDS:
		buf_printf(b, "($\"m%u\" == true)", node->pattern);
		break;
	default:
		write_leaf(b, node, node->value_count ? &node->values[0] : NULL);
		break;
	}
}

err_t filter_to_jsonpath(struct arena *a, const struct filter_node *node, struct str *ret_text)
{
	struct buf *b = buf_new(a);

	write_node(b, node);
	if (b->len > FILTER_JSONPATH_MAX)
		return err_field(a, ERR_INVALID, "filter", "the filter is too complex");
	buf_add_byte(b, '\0');
	*ret_text = (struct str){ b->at, b->len - 1 };
	return NULL;
}

/* ---- paths ------------------------------------------------------------------------------------- */

const char *const filter_word_members[] = { "id",   "display_name", "group", "job_type",
					    "tags", "notes",        "user",  NULL };

bool filter_path_is_double(const struct filter_path *path)
{
	return path->count > 2;
}

struct filter_path filter_path_flat(struct arena *a, const struct filter_path *path)
{
	struct filter_path flat = { arena_new_array(a, struct str, 2), 2 };
	struct buf *name = buf_new(a);

	assert(filter_path_is_double(path));
	for (size_t i = 1; i < path->count; i++) {
		if (i > 1)
			buf_add_byte(name, '.');
		buf_add_str(name, path->names[i]);
	}
	flat.names[0] = path->names[0];
	flat.names[1] = buf_str(name);
	return flat;
}

static struct str ended(struct buf *b)
{
	buf_add_byte(b, '\0');
	return (struct str){ b->at, b->len - 1 };
}

struct str filter_path_value(struct arena *a, const struct filter_path *path)
{
	struct buf *b = buf_new(a);

	buf_add_text(b, "strict ");
	write_path(b, path, false);
	return ended(b);
}

/* A comparison opens lists twice: in front of `?`, and as its operand. */
struct str filter_path_items(struct arena *a, const struct filter_path *path)
{
	struct buf *b = buf_new(a);

	write_path(b, path, false);
	buf_add_text(b, "[*][*]");
	return ended(b);
}

struct str filter_word_items(struct arena *a)
{
	struct buf *b = buf_new(a);

	buf_add_text(b, "$.keyvalue() ? (1 == 0");
	for (size_t i = 0; filter_word_members[i]; i++)
		buf_printf(b, " || @.key == \"%s\"", filter_word_members[i]);
	buf_add_text(b, ").value[*][*]");
	return ended(b);
}
