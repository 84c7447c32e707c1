#ifndef FILTER_BUILD_H
#define FILTER_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "filter.h"

/*
 * Shared by the two forms of a filter: nodes that are counted, and the names of the keys. Errors
 * here know no position; the form that called adds it. Private to filter_*.c and order.c.
 */
struct filter_build {
	struct arena *arena;
	struct filter_bare *bare; /* NULL: every key has its section */
	size_t nodes;
	unsigned patterns;
};

static inline bool filter_of_artifacts(const struct filter_build *b)
{
	return b->bare && b->bare->of_artifacts;
}

/* The kind of the values under a key. */
enum filter_key_kind {
	FILTER_KEY_ANY,  /* numbers, texts, true and false */
	FILTER_KEY_TEXT, /* a number is read as text */
	FILTER_KEY_TIME, /* RFC 3339; the beginning of one, such as a date, is enough */
	FILTER_KEY_TAG,  /* tags.<tag>, which is set or not */
};

struct filter_key {
	enum filter_key_kind kind;
	struct filter_path path;
	struct str tag;
};

err_t filter_node_new(struct filter_build *b, enum filter_op op, struct filter_node **ret_node)
	__attribute__((nonnull, warn_unused_result));
/* Adds a child at the end. */
void filter_node_add(struct filter_node *node, struct filter_node *child) __attribute__((nonnull));
/* `node`, or a new FILTER_NOT around it. */
err_t filter_node_negate(struct filter_build *b, bool negate, struct filter_node *node,
			 struct filter_node **ret_node)
	__attribute__((nonnull, warn_unused_result));

/* Makes a leaf. The values are converted to the form that the key's kind asks for. */
err_t filter_leaf(struct filter_build *b, const struct filter_key *key, enum filter_op op,
		  struct filter_value *values, size_t count, struct filter_node **ret_node)
	__attribute__((nonnull(1, 2, 6), warn_unused_result));

/* A key by its dotted name as programs write it: config.lr, summary_metrics.loss, jobType. */
err_t filter_key_find(struct arena *a, struct str name, struct filter_bare *bare,
		      struct filter_key *ret_key)
	__attribute__((nonnull(1, 4), warn_unused_result));
/* The same for names that were split before. */
err_t filter_key_of_path(struct arena *a, struct filter_path path, struct filter_bare *bare,
			 struct filter_key *ret_key)
	__attribute__((nonnull(1, 4), warn_unused_result));

/* Whether it is a number in JSON's grammar, not longer and not larger than PostgreSQL takes. */
bool filter_is_number(struct str text);
/* .5, 5. and +5 as JSON writes them; any other word as it is. */
struct str filter_number_of_word(struct arena *a, struct str word) __attribute__((nonnull));

err_t filter_parse_json(struct filter_build *b, struct str text, struct filter_node **ret_node)
	__attribute__((nonnull, warn_unused_result));
err_t filter_parse_text(struct filter_build *b, struct str text, struct filter_node **ret_node)
	__attribute__((nonnull, warn_unused_result));

#endif
