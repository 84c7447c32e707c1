#ifndef ERR_H
#define ERR_H

#include "arena.h"

/*
 * A failed call returns a struct err that lives in the caller's arena; NULL is success. `kind` is
 * what a caller can act on, `message` is for users (lower case, no full stop, names in quotes),
 * `field` names the offending input, `hint` says what to do instead.
 */
enum err_kind {
	ERR_INVALID,      /* the request is wrong */
	ERR_UNAUTHORIZED, /* no key, or a bad one */
	ERR_FORBIDDEN,
	ERR_NOT_FOUND,
	ERR_GONE, /* it was deleted */
	ERR_CONFLICT,
	ERR_PRECONDITION, /* If-Match did not match */
	ERR_TOO_LARGE,
	ERR_UNSUPPORTED,   /* content type or encoding */
	ERR_UNPROCESSABLE, /* well-formed, but a limit or a rule forbids it */
	ERR_RATE_LIMIT,
	ERR_BUSY,     /* try again later */
	ERR_TIMEOUT,  /* the request's deadline passed */
	ERR_INTERNAL, /* our fault; details go to the log, not to the client */
	ERR_KINDS
};

/* Bytes of the offending input. */
struct err_range {
	size_t offset;
	size_t length;
};

struct err {
	enum err_kind kind;
	const char *type; /* stable short name such as "batch-gap"; NULL: the kind's own */
	const char *message;
	const char *field;          /* "history[3].loss"; NULL: no single field */
	const struct err_range *at; /* in the field, where it is a text; NULL: all of it */
	const char *hint;
	const char *sqlstate; /* of a database error; NULL: none */
	long expected; /* with type "batch-gap", "records-stored": the number expected; else 0 */
	const struct err *cause;
};

typedef const struct err *err_t;

struct err *err_new(struct arena *a, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), nonnull(1, 3), returns_nonnull));

/* The offending input named; `field` is copied. */
struct err *err_field(struct arena *a, enum err_kind kind, const char *field, const char *fmt, ...)
	__attribute__((format(printf, 4, 5), nonnull(1, 4), returns_nonnull));

/* Says where in the field. */
void err_set_range(struct arena *a, struct err *e, size_t offset, size_t length)
	__attribute__((nonnull));

/* Wraps a cause: same kind, own message. The cause is copied, for its arena may end sooner. */
struct err *err_wrap(struct arena *a, err_t cause, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), nonnull, returns_nonnull));

/* The same error with a hint, unless it or one of its causes has one already. */
err_t err_hint(struct arena *a, err_t e, const char *hint)
	__attribute__((nonnull, returns_nonnull));

/* The same in an arena that ends later. */
err_t err_copy(struct arena *a, err_t e) __attribute__((nonnull, returns_nonnull));

/* "invalid", "not-found": the default type of a kind. */
const char *err_kind_name(enum err_kind kind) __attribute__((returns_nonnull));

/* All messages of the chain, outermost first, joined by ": ". */
const char *err_chain(struct arena *a, err_t e) __attribute__((nonnull(1), returns_nonnull));

#endif
