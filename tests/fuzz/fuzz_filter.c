/*
 * Filters and orders, as anybody may send them. What is refused says where; what is taken is within
 * its bounds, and its predicate is made of the words of SQL/JSON path and of quoted literals that
 * nothing escapes from.
 */
#include <string.h>

#include "arena.h"
#include "filter.h"
#include "fuzz.h"
#include "order.h"

enum { DEPTH_MAX = 4 * FILTER_DEPTH_MAX };

static void check_error(err_t e, const char *field)
{
	FUZZ_CHECK(e->kind == ERR_INVALID);
	FUZZ_CHECK(e->field && !strncmp(e->field, field, strlen(field)));
	FUZZ_CHECK(e->message && *e->message);
}

/* ---- the tree --------------------------------------------------------------------------------------- */

static void check_path(const struct filter_path *path)
{
	FUZZ_CHECK(path->count > 0 && path->count <= FILTER_PATH_MAX);
	for (size_t i = 0; i < path->count; i++)
		FUZZ_CHECK(path->names[i].len && str_is_utf8(path->names[i]));
}

static size_t check_node(const struct filter_node *node, unsigned depth)
{
	bool is_group = node->op <= FILTER_NOT;
	size_t count = 1 + node->value_count;

	FUZZ_CHECK(depth < DEPTH_MAX);
	FUZZ_CHECK(is_group || !node->child);
	if (!is_group && node->op != FILTER_WORDS)
		check_path(&node->path);
	for (size_t i = 0; i < node->value_count; i++)
		FUZZ_CHECK(str_is_utf8(node->values[i].text));
	if (node->op == FILTER_NOT)
		FUZZ_CHECK(node->child && !node->child->next);
	for (const struct filter_node *child = node->child; child; child = child->next)
		count += check_node(child, depth + 1);
	return count;
}

/* ---- the predicate ---------------------------------------------------------------------------------- */

/* From the quote on; the character behind its end. */
static const char *skip_quoted(const char *at)
{
	for (at++; *at != '"'; at++) {
		FUZZ_CHECK((unsigned char)*at >= 0x20 && *at != 0x7f && *at != '\'');
		if (*at != '\\')
			continue;
		FUZZ_CHECK(at[1] == 'u' && strspn(at + 2, "0123456789abcdef") >= 4);
		at += 5;
	}
	return at + 1;
}

static void check_predicate(struct str text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzE_0123456789 $.()[]*?@!&|=<>+-";
	const char *at = text.at;
	int open = 0;

	FUZZ_CHECK(strlen(text.at) == text.len && str_is_utf8(text));
	while (*at) {
		open += (*at == '(') - (*at == ')');
		FUZZ_CHECK(open >= 0);
		if (*at == '"') {
			at = skip_quoted(at);
			continue;
		}
		FUZZ_CHECK(strchr(plain, *at));
		at++;
	}
	FUZZ_CHECK(open == 0);
}

static void check_filter(struct arena *a, struct str text)
{
	const struct filter_node *node;
	struct str predicate;
	err_t e = filter_parse(a, text, &node);

	if (e) {
		check_error(e, "filter");
		return;
	}
	FUZZ_CHECK(check_node(node, 0) <= FILTER_NODES_MAX);
	e = filter_to_jsonpath(a, node, &predicate);
	if (e)
		check_error(e, "filter");
	else
		check_predicate(predicate);
}

/* ---- orders ----------------------------------------------------------------------------------------- */

typedef err_t parse_fn(struct arena *a, struct str text, struct order *ret_order);

static void check_order(struct arena *a, struct str text, parse_fn *parse)
{
	struct order order;
	err_t e = parse(a, text, &order);

	if (e) {
		check_error(e, "order");
		return;
	}
	FUZZ_CHECK(order.count <= ORDER_KEYS_MAX);
	for (size_t i = 0; i < order.count; i++) {
		struct str path = order_path_text(a, &order.keys[i].path);

		if (order.keys[i].of != ORDER_OF_DOCUMENT) {
			FUZZ_CHECK(order.keys[i].metric.len > 0);
			continue;
		}
		check_path(&order.keys[i].path);
		FUZZ_CHECK(path.len > 2 && path.at[0] == '{' && path.at[path.len - 1] == '}');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096);
	struct str text = { size ? (const char *)data : "", size };

	check_filter(a, text);
	check_order(a, text, order_parse);
	check_order(a, text, order_parse_metrics);
	arena_free(a);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"state:crashed config.lr<0.01 (tags:good or has:summary.best) not name:/^test/ \"free words\"",
		"{\"state\":\"crashed\",\"config.lr\":{\"$lt\":0.01},\"$or\":[{\"tags\":\"good\"},"
		"{\"summary.best\":{\"$exists\":true}}]}",
		"{\"$nor\":[{\"config.a.b\":{\"$in\":[1,\"x\",null,true]}},{\"$and\":[{}]}],"
		"\"$not\":{\"display_name\":{\"$regex\":\"^a\\\"b\",\"$options\":\"i\"}}}",
		"config.lr>=1e-3 config.\"a.b\":1,2,\"x,y\" summary.val/loss!=null not not id:7",
		"{\"created_at\":{\"$gte\":\"2026-01-01\",\"$lt\":\"2026-11-21T10:00:00+01:00\"},"
		"\"summary_metrics.loss\":{\"$not\":{\"$gt\":5}},\"user.username\":{\"$nin\":[\"a\"]}}",
		"created_at:2026-11 tags.good:true and config.x:/a\\/b\\\\/i",
		"{\"config.lr.value\":{\"$eq\":-0.5e+10},\"jobType\":{\"$ne\":null},\"writers\":3}",
		"-summary.loss,created_at,+config.\"a.b\"",
		"not (((a or b) c) or \xc3\xbc:\xe2\x82\xac)",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
