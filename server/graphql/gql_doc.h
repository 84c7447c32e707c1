#ifndef GQL_DOC_H
#define GQL_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

struct json_doc;

/*
 * A GraphQL document as read: operations and fragments, nothing checked against any type (GraphQL
 * specification, October 2021, section 2). The directives @include and @skip are kept, others are
 * ignored. Syntax for schemas and subscriptions (type, extend, subscription, …) is refused.
 */
enum {
	GQL_TOKENS_MAX = 50000,
	GQL_DEPTH_MAX = 32, /* selections within each other; lists and objects within each other */
	GQL_EXPANDED_MAX =
		100000, /* fields and values of an operation, with all fragments expanded */
};

struct gql_value {
	enum gql_value_kind {
		GQL_CONSTANT, /* enum values are texts */
		GQL_VARIABLE,
		GQL_LIST, /* that has a variable somewhere; so has an */
		GQL_OBJECT,
	} kind;
	const struct json_doc *constant;
	struct str variable;
	const struct gql_argument *parts; /* of a list without names */
	size_t count;
};

struct gql_argument {
	struct str name;
	const struct gql_value *value;
};

/* A directive: its node is included if the value equals `wanted`. */
struct gql_condition {
	const struct gql_value *value;
	bool wanted;
	const struct gql_condition *next;
};

struct gql_set {
	const struct gql_selection *first;
};

struct gql_selection {
	enum gql_selection_kind {
		GQL_FIELD,
		GQL_SPREAD, /* ...name */
		GQL_INLINE, /* ... on name {}; name may be empty */
	} kind;
	struct str name;
	struct str alias; /* its name in the answer */
	const struct gql_argument *args;
	size_t arg_count;
	const struct gql_condition *conditions;
	struct gql_set set;
	const struct gql_fragment
		*fragment; /* of a spread; NULL: the document has none of that name */
	const struct gql_selection *next;
};

struct gql_variable {
	struct str name;
	struct str type;                /* the innermost one's name */
	unsigned lists;                 /* how many brackets are around it */
	bool required;                  /* the outermost is marked ! */
	const struct json_doc *or_else; /* NULL: none */
	const struct gql_variable *next;
};

struct gql_operation {
	bool is_mutation;
	struct str name; /* may be empty */
	const struct gql_variable *variables;
	struct gql_set set;
	const struct gql_operation *next;
};

struct gql_fragment {
	struct str name;
	struct str on;
	struct gql_set set;
	size_t number; /* among those of the document, from 0 */
	const struct gql_fragment *next;
};

struct gql_document {
	const struct gql_operation *operations; /* one at least */
	const struct gql_fragment *fragments;
	size_t fragment_count;
};

/*
 * Everything lives in the arena; texts point into it or into `text`. ERR_BUSY: the arena's share found
 * no room for it.
 */
err_t gql_parse(struct arena *a, struct str text, const struct gql_document **ret_document)
	__attribute__((nonnull, warn_unused_result));

/* The one of that name, or, with an empty name, the only one. */
err_t gql_choose(struct arena *a, const struct gql_document *document, struct str name,
		 const struct gql_operation **ret_operation)
	__attribute__((nonnull(1, 2, 4), warn_unused_result));

/*
 * Refuses fragments that are missing or contain themselves, and an operation that asks for more than
 * GQL_EXPANDED_MAX.
 */
err_t gql_check(struct arena *a, const struct gql_document *document,
		const struct gql_operation *operation) __attribute__((nonnull, warn_unused_result));

#endif
