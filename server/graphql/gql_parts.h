#ifndef GQL_PARTS_H
#define GQL_PARTS_H

#include "gql_run.h"

/* Shared by the parts of the executor. */

/* A selection set, or several that were asked for under one name. */
struct gql_sets {
	const struct gql_set *set;
	struct gql_sets *next;
};

struct gql_chosens {
	struct gql_chosen *at;
	size_t count;
	size_t size;
};

/* A field of the answer. */
struct gql_chosen {
	struct str key;
	const struct gql_selection *node;
	const struct gql_field *field; /* NULL: unknown, or __typename */
	struct gql_sets *sets;
	const struct gql_type *type; /* of its last object, */
	struct gql_chosens chosens;  /* and the fields selected of such objects */
};

struct gql_run {
	struct arena *arena;
	const struct gql_request *request;
	const struct gql_operation *operation;
	const struct json_doc *variables;
	struct collecting *collecting; /* memory of gql_collect.c */
	struct json_out out;
	size_t fields; /* written */
	const struct gql_chosen *current;
	const struct gql_type *given_type;
	const char *given;
	size_t given_count;
	size_t given_size; /* 0: no list */
	bool gave;
	struct gql_failure *failures;
	struct gql_failure **failures_end;
	size_t failure_count;
	err_t limit; /* that the answer reached: all that follows is null */
	bool limit_told;
	err_t end; /* of the request */
	size_t held_before;
};

/* Blank-separated words. */
bool gql_word_in(const char *words, struct str word);
struct str gql_next_word(const char **words); /* empty at the end */

const struct gql_field *gql_find_field(const struct gql_type *type, struct str name);

/* The fields of an object of that type, fragments opened, conditions evaluated, each key once. */
err_t gql_collect(struct gql_run *run, const struct gql_type *type, const struct gql_sets *sets,
		  struct gql_chosens *ret_chosens);

/*
 * The variables of the operation, given or by default; a required one that is missing is refused.
 */
err_t gql_read_variables(struct gql_run *run, const struct json_doc *given,
			 const struct json_doc **ret_variables);
/* The arguments of a selection as an object. */
const struct json_doc *gql_read_args(struct gql_run *run, const struct gql_selection *node);
/* NULL: a variable that was not given. */
const struct json_doc *gql_read_value(struct gql_run *run, const struct gql_value *value);

/* __type and __schema: rows for the root of queries. */
const struct gql_field *gql_find_introspection(struct str name);

#endif
