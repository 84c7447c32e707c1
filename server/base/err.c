#include "err.h"

static const char *const kind_names[ERR_KINDS] = {
	[ERR_INVALID] = "invalid",
	[ERR_UNAUTHORIZED] = "unauthorized",
	[ERR_FORBIDDEN] = "forbidden",
	[ERR_NOT_FOUND] = "not-found",
	[ERR_GONE] = "gone",
	[ERR_CONFLICT] = "conflict",
	[ERR_PRECONDITION] = "precondition-failed",
	[ERR_TOO_LARGE] = "too-large",
	[ERR_UNSUPPORTED] = "unsupported-media",
	[ERR_UNPROCESSABLE] = "unprocessable",
	[ERR_RATE_LIMIT] = "rate-limit",
	[ERR_BUSY] = "busy",
	[ERR_TIMEOUT] = "timeout",
	[ERR_INTERNAL] = "internal",
};

struct err *err_new(struct arena *a, enum err_kind kind, const char *fmt, ...)
{
	struct err *e = arena_new_of(a, struct err);
	va_list ap;

	va_start(ap, fmt);
	*e = (struct err){ .kind = kind, .message = arena_vprintf(a, fmt, ap) };
	va_end(ap);
	return e;
}

struct err *err_field(struct arena *a, enum err_kind kind, const char *field, const char *fmt, ...)
{
	struct err *e = arena_new_of(a, struct err);
	va_list ap;

	va_start(ap, fmt);
	*e = (struct err){
		.kind = kind,
		.field = field ? arena_strdup(a, field) : NULL,
		.message = arena_vprintf(a, fmt, ap),
	};
	va_end(ap);
	return e;
}

void err_set_range(struct arena *a, struct err *e, size_t offset, size_t length)
{
	struct err_range *at = arena_new_of(a, struct err_range);

	*at = (struct err_range){ offset, length };
	e->at = at;
}

static const char *copied_text(struct arena *a, const char *text)
{
	return text ? arena_strdup(a, text) : NULL;
}

err_t err_copy(struct arena *a, err_t e)
{
	struct err *copy = arena_new_of(a, struct err);

	*copy = *e;
	copy->message = arena_strdup(a, e->message);
	copy->field = copied_text(a, e->field);
	copy->hint = copied_text(a, e->hint);
	copy->sqlstate = copied_text(a, e->sqlstate);
	if (e->at)
		err_set_range(a, copy, e->at->offset, e->at->length);
	copy->cause = e->cause ? err_copy(a, e->cause) : NULL;
	return copy;
}

struct err *err_wrap(struct arena *a, err_t cause, const char *fmt, ...)
{
	struct err *e = arena_new_of(a, struct err);
	va_list ap;

	va_start(ap, fmt);
	*e = (struct err){
		.kind = cause->kind,
		.message = arena_vprintf(a, fmt, ap),
		.cause = err_copy(a, cause),
	};
	e->sqlstate = e->cause->sqlstate;
	va_end(ap);
	return e;
}

err_t err_hint(struct arena *a, err_t e, const char *hint)
{
	struct err *hinted;

	for (err_t cause = e; cause; cause = cause->cause) {
		if (cause->hint)
			return e;
	}
	hinted = arena_new_of(a, struct err);
	*hinted = *e;
	hinted->hint = hint;
	return hinted;
}

const char *err_kind_name(enum err_kind kind)
{
	return kind_names[kind];
}

const char *err_chain(struct arena *a, err_t e)
{
	const char *text;

	if (!e)
		return "";
	text = e->message;
	for (e = e->cause; e; e = e->cause)
		text = arena_printf(a, "%s: %s", text, e->message);
	return text;
}
