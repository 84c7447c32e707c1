#ifndef GQL_RUN_H
#define GQL_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"
#include "gql_doc.h"
#include "json_out.h"

struct arena;
struct buf;
struct json_doc;
struct gql_call;
struct gql_type;

/*
 * Answers an operation from tables: a type has a row for each of its fields. Nothing is checked
 * against a schema, for clients of many releases ask for fields this server does not know: a field
 * without a row answers null, and is reported to `unknown`.
 *
 *	static const struct gql_field project_fields[] = {
 *		GQL_MEMBER("name", GQL_TEXT_MEMBER, struct project_view, name),
 *		GQL_OBJECT_FIELD("run", "name", find_run, &run_type),
 *	};
 */
typedef err_t gql_resolve(struct gql_call *call);

struct gql_field {
	const char *name;
	enum gql_member {
		GQL_RESOLVED,    /* by resolve() */
		GQL_TEXT_MEMBER, /* struct str; null when .at is */
		GQL_INT_MEMBER,  /* int64_t */
		GQL_BOOL_MEMBER,
		GQL_TIME_MEMBER, /* timestamp_us; null when 0 */
	} member;
	size_t offset; /* of the member in the object's struct */
	gql_resolve *resolve;
	const struct gql_type *type; /* of the objects that it returns; NULL: it writes a value */
	const char *args;            /* names with blanks between, for introspection; or NULL */
	bool is_large;               /* the resolver's memory is freed when the value is written */
};

#define GQL_MEMBER(field_name, kind, T, m) \
	{ \
		.name = (field_name), .member = (kind), .offset = offsetof(T, m) \
	}
#define GQL_VALUE_FIELD(field_name, arg_names, fn) \
	{ \
		.name = (field_name), .resolve = (fn), .args = (arg_names) \
	}
#define GQL_LARGE_FIELD(field_name, arg_names, fn) \
	{ \
		.name = (field_name), .resolve = (fn), .args = (arg_names), .is_large = true \
	}
#define GQL_OBJECT_FIELD(field_name, arg_names, fn, object_type) \
	{ \
		.name = (field_name), .resolve = (fn), .args = (arg_names), .type = (object_type) \
	}

struct gql_type {
	const char *name;
	const struct gql_field *fields;
	size_t field_count;
	const char *also; /* interfaces and unions it is one of, with blanks between; or NULL */
};

#define GQL_TYPE(type_name, rows) \
	{ \
		.name = (type_name), .fields = (rows), \
		.field_count = sizeof(rows) / sizeof((rows)[0]) \
	}

/* An input object, which only introspection shows. */
struct gql_input {
	const char *name;
	const char *fields; /* names with blanks between */
};

struct gql_schema {
	const struct gql_type *query;
	const struct gql_type *mutation;
	const struct gql_type *const *types; /* that can be asked about by name */
	size_t type_count;
	const struct gql_input *inputs;
	size_t input_count;
};

/*
 * The context of a resolver call. A resolver that writes a value writes it to `out`, or nothing:
 * null. A resolver that returns objects calls gql_give() or gql_give_list(), or neither: null. On
 * an error the field is null, and the answer has the error with its path.
 */
struct gql_call {
	const void *parent;          /* the object whose field is asked for; of a root field NULL */
	const struct json_doc *args; /* an object; arguments that were not given are absent */
	void *context;               /* of the whole request */
	struct arena *arena;
	struct json_out *out;
	struct gql_run *run; /* for the functions below */
};

/* NULL: null. The objects live until the answer is written. */
void gql_give(struct gql_call *call, const void *object) __attribute__((nonnull(1)));
/* With another type than the row's: for fields that return one of several types. */
void gql_give_as(struct gql_call *call, const struct gql_type *type, const void *object)
	__attribute__((nonnull(1, 2)));
/* An array of `count` objects of `size` bytes each. */
void gql_give_list(struct gql_call *call, const void *objects, size_t count, size_t size)
	__attribute__((nonnull(1)));

/* Whether that part of the field being answered is asked for, as in "edges.node.config". */
bool gql_asks_for(const struct gql_call *call, const char *path) __attribute__((nonnull));

/* Members of the arguments: empty, false or `or_else` when they are not there or null. */
struct str gql_arg_text(const struct gql_call *call, const char *name) __attribute__((nonnull));
bool gql_arg_bool(const struct gql_call *call, const char *name) __attribute__((nonnull));
/* Out of bounds or not a whole number: an error that names the argument. */
err_t gql_arg_int(const struct gql_call *call, const char *name, int64_t min, int64_t max,
		  int64_t or_else, int64_t *ret_value) __attribute__((nonnull, warn_unused_result));

/*
 * The error of an answer that takes too much memory, for resolvers that allocate piece by piece;
 * also checked before each field.
 */
err_t gql_check_memory(const struct gql_call *call) __attribute__((nonnull, warn_unused_result));

enum {
	GQL_WIDTH_MAX = 2000,     /* fields of one object */
	GQL_FIELDS_MAX = 2000000, /* values in the answer */
	GQL_ANSWER_BYTES = 64 << 20,
	GQL_MEMORY_BYTES = 512 << 20, /* that answering takes, */
	GQL_MEMORY_PART = 4,          /* and at most a quarter of the server's memory */
	GQL_ERRORS_SHOWN = 20,
};

/* A request, parsed and checked. */
struct gql_prepared {
	const struct gql_document *document;
	const struct gql_operation *operation;
};

/* `operation` is empty for the only one. ERR_BUSY: see gql_parse(). */
err_t gql_prepare(struct arena *a, struct str query, struct str operation,
		  struct gql_prepared *ret_prepared) __attribute__((nonnull, warn_unused_result));

struct gql_request {
	const struct gql_schema *schema;
	const struct gql_prepared *prepared; /* of the two below, if it is done; else NULL */
	struct str query;
	struct str operation;             /* empty: the only one */
	const struct json_doc *variables; /* an object, or NULL */
	void *context;
	int64_t deadline_us; /* by clock_mono_us() */
	/* A field without a row; may be NULL. */
	void (*unknown)(void *context, const char *type, struct str field);
	/* Calls the resolver of a large field with memory of its own; NULL: it has none. */
	err_t (*resolve_large)(struct gql_call *call, gql_resolve *resolve);
	/* Whether a field's error is that of the whole request; NULL: none is. */
	bool (*ends)(err_t e);
};

/*
 * Writes {"data":…} and, with errors, "errors":[{"message":…,"path":[…]}] after it. An error of the
 * whole request (grammar, variables, limits) is returned and nothing is written. So is the first
 * error of a field that ends the request, after which no field is resolved.
 */
err_t gql_execute(struct arena *a, const struct gql_request *request, struct buf *answer)
	__attribute__((nonnull, warn_unused_result));

/* Every field that can be asked for, a line each: "Run.files FileConnection names first", "Run.id -". */
void gql_print(const struct gql_schema *schema, FILE *out) __attribute__((nonnull));

#endif
