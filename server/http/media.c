/*
 * The media types of bodies, by method and route. One place for all routes: a handler reads JSON,
 * and never has to wonder about forms.
 */
#include "media.h"

#include "request.h"

static const struct media {
	const char *type;
	unsigned methods; /* a bit each */
	unsigned flags;   /* of the route; 0: none needed */
} medias[] = {
	{ "application/json", 1u << POST | 1u << PUT | 1u << PATCH, 0 },
	{ "application/merge-patch+json", 1u << PATCH, 0 },
	{ "application/x-ndjson", 1u << POST, ROUTE_LINES },
};

static bool is_read(const struct request *q, const struct media *m)
{
	return str_is(q->content_type, m->type) && (m->methods & 1u << q->method) &&
	       (q->route->flags & m->flags) == m->flags;
}

err_t media_check(struct request *q)
{
	struct err *e;

	if (!q->content_type.len || !q->route->max_body)
		return NULL;
	for (size_t i = 0; i < sizeof(medias) / sizeof(medias[0]); i++) {
		if (is_read(q, &medias[i]))
			return NULL;
	}
	e = err_field(q->arena, ERR_UNSUPPORTED, "Content-Type",
		      "unsupported content type \"%.*s\"", STR_ARG(q->content_type));
	e->hint = "send JSON, with Content-Type: application/json";
	return e;
}
