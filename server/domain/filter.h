#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

/*
 * A user's selection of runs: one tree, written in either of two forms.
 *
 *   JSON (the grammar of the wandb SDK)                 text, for people
 *   {"state": "crashed",                                state:crashed config.lr<0.01
 *    "config.lr": {"$lt": 0.01},                        (tags:good or has:summary.best)
 *    "$or": [{"tags": "good"},                          not name:/^test/ "free words"
 *            {"summary.best": {"$exists": true}}]}
 *
 * The tree becomes a predicate of SQL/JSON path, or is walked over columns (search/), of the run's document
 *   { id, display_name, state, job_type, group, sweep, tags, notes, user, created_at, ended_at, rows,
 *     writers, config: {}, summary: {} }
 * in which every name and value is a quoted literal. A leaf is true or false, never unknown: a key
 * that is missing, or holds a value of another type, does not match, and `not` of it does. Outside
 * config and summary an empty value counts as missing. A list matches when one of its items does.
 * config.a.b is the member b of a, or one member with the name "a.b".
 *
 * Filters of artifacts have the same two forms, over the document of a version
 *   { type, collection, version: [3, "v3"], aliases, tags, digest, bytes, files, created_at, user, run, description,
 *     metadata: {} }
 */

enum {
	FILTER_TEXT_MAX = 16 << 10, /* bytes of the whole filter */
	FILTER_DEPTH_MAX = 16,
	FILTER_NODES_MAX = 512,   /* leaves, groups and values of lists together */
	FILTER_PATH_MAX = 16,     /* names in one key */
	FILTER_REGEX_MAX = 256,   /* bytes of one expression */
	FILTER_PATTERNS_MAX = 16, /* expressions and free words together */
	FILTER_NUMBER_MAX = 40,   /* characters of a number */
	FILTER_JSONPATH_MAX = 512 << 10,
	FILTER_BARE_MAX =
		64, /* different keys without a section, of one filter, order or list of keys */
};

enum filter_op {
	FILTER_AND, /* of the children; of none: true */
	FILTER_OR,  /* of the children; of none: false */
	FILTER_NOT, /* of the one child */
	FILTER_EQ,
	FILTER_GT,
	FILTER_GTE,
	FILTER_LT,
	FILTER_LTE,
	FILTER_IN,    /* equals one of the values */
	FILTER_REGEX, /* unanchored */
	FILTER_EXISTS,
	FILTER_PREFIX, /* the text begins with the value */
	FILTER_WORDS,  /* no key: the text occurs in a name, a label or the notes, in either case */
};

enum filter_value_kind { FILTER_NULL, FILTER_FALSE, FILTER_TRUE, FILTER_NUMBER, FILTER_TEXT };

struct filter_value {
	enum filter_value_kind kind;
	struct str text; /* the text, or the number as it was written (JSON grammar) */
};

/* A path in the document: names from the outside in. */
struct filter_path {
	struct str *names;
	size_t count;
};

struct filter_node {
	enum filter_op op;
	struct filter_path path;     /* of a leaf */
	struct filter_value *values; /* one; of FILTER_IN any number, of FILTER_EXISTS none */
	size_t value_count;
	bool ignore_case;  /* of FILTER_REGEX */
	unsigned pattern;  /* of FILTER_REGEX and FILTER_WORDS: its number in the filter, from 0 */
	const char *field; /* of FILTER_REGEX, for its errors: as in filter_parse() */
	size_t character;  /* likewise; 0: of JSON */
	struct err_range at;       /* likewise; without length: of JSON */
	struct filter_node *child; /* first child */
	struct filter_node *next;  /* sibling */
};

/*
 * Reads either form: a text that begins with `{` is JSON. An empty filter is a FILTER_AND of
 * nothing. Errors are ERR_INVALID: of the text form with field "filter", and the message says at
 * which character; of JSON with the path of the member, "filter.$or[1].state".
 */
err_t filter_parse(struct arena *a, struct str text, const struct filter_node **ret_node)
	__attribute__((nonnull, warn_unused_result));

/*
 * Keys without a section: val/loss, optim.lr. Such a key has a meaning if it is in one section of
 * the project, config or summary, and is not the name of a field of a run, which goes first. So the
 * text is parsed twice: the first time to collect the keys, and again when it is known which
 * sections have them. A key that is in no section, or in both, is an error. "tag" and "status" are
 * such keys, too, and mean the fields tags and state if no section has them.
 */
enum filter_section { FILTER_CONFIG = 1, FILTER_SUMMARY = 2 };
struct filter_bare_key {
	struct filter_path path;
	unsigned sections; /* a bit for each that has the key */
};
struct filter_bare {
	struct filter_bare_key keys[FILTER_BARE_MAX];
	size_t count;
	bool is_known;     /* the sections are */
	bool of_artifacts; /* see filter_parse_artifacts() */
};
/* `bare` may be NULL: no key is without a section. */
err_t filter_parse_bare(struct arena *a, struct str text, struct filter_bare *bare,
			const struct filter_node **ret_node)
	__attribute__((nonnull(1, 4), warn_unused_result));
/* A filter of artifacts. */
err_t filter_parse_artifacts(struct arena *a, struct str text, const struct filter_node **ret_node)
	__attribute__((nonnull, warn_unused_result));
/* The key in a section. */
struct filter_path filter_path_within(struct arena *a, enum filter_section section,
				      const struct filter_path *path) __attribute__((nonnull));

/*
 * The predicate, for jsonb_path_match(), ended by NUL. Expressions and free words are not matched
 * by the database: number i of them is read from a variable "m<i>", which is true or false.
 */
bool filter_has_patterns(const struct filter_node *node) __attribute__((nonnull));
err_t filter_to_jsonpath(struct arena *a, const struct filter_node *node, struct str *ret_text)
	__attribute__((nonnull, warn_unused_result));

/* Parses a dotted name to the key's path. ERR_INVALID with field "filter" if it is not a key. */
err_t filter_path_parse(struct arena *a, struct str name, struct filter_bare *bare,
			struct filter_path *ret_path)
	__attribute__((nonnull(1, 4), warn_unused_result));
/* The key of a member of the document outside config and summary; empty when there is none. */
struct str filter_name_of_member(struct str member);
/* A key as the text form writes it: quoted unless it is a plain word. */
struct str filter_term(struct arena *a, struct str name) __attribute__((nonnull));

/* A number in JSON's grammar, of any length. */
bool filter_is_decimal(struct str text);

/* Whether the path may also mean one member whose name has dots: config.a.b. */
bool filter_path_is_double(const struct filter_path *path) __attribute__((nonnull));
/* The names of config.a.b as those of that one member: config, "a.b". */
struct filter_path filter_path_flat(struct arena *a, const struct filter_path *path)
	__attribute__((nonnull));

/* Jsonpaths, ended by NUL: of the value that runs are ordered by (strict: lists are not opened), and of all
 * that a leaf compares. */
struct str filter_path_value(struct arena *a, const struct filter_path *path)
	__attribute__((nonnull));
struct str filter_path_items(struct arena *a, const struct filter_path *path)
	__attribute__((nonnull));

/*
 * The parts searched for free words: members of the document, NULL-ended; and all their values at
 * once.
 */
extern const char *const filter_word_members[];
struct str filter_word_items(struct arena *a) __attribute__((nonnull));

#endif
