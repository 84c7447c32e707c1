#include "request.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <strings.h>

#include "exchange.h"
#include "path.h"
#include "worker.h"

#define SECONDS_LARGEST 253402300799.0 /* the year 9999 */

struct str request_base(const struct request *q)
{
	struct str configured = str_of(q->exchange->server->options.public_url);

	while (configured.len && configured.at[configured.len - 1] == '/')
		configured.len--;
	if (configured.len)
		return configured;
	if (!q->host.len)
		return STR("");
	return str_of(arena_printf(q->arena, "%s://%.*s%.*s", q->is_https ? "https" : "http",
				   STR_ARG(q->host), STR_ARG(q->prefix)));
}

struct str request_query(const struct request *q, const char *name)
{
	return path_query_find(q->arena, q->exchange->query, str_of(name));
}

static bool is_listed(struct str name, const char *names)
{
	struct str rest = str_of(names);

	while (rest.len) {
		if (str_equal(name, str_cut(&rest, ' ')))
			return true;
	}
	return false;
}

err_t request_check_query(struct request *q)
{
	struct str rest = q->exchange->query;

	if (q->route->flags & (ROUTE_WANDB | ROUTE_ANY_QUERY))
		return NULL;
	while (rest.len) {
		struct str part = str_cut(&rest, '&');
		struct str name = { "", 0 };

		if (part.len &&
		    path_decode(q->arena, str_cut(&part, '='), PATH_PLUS_IS_SPACE, &name) &&
		    !is_listed(name, q->route->query))
			return err_field(q->arena, ERR_INVALID, name.at,
					 "unknown parameter \"%.*s\"", STR_ARG(name));
	}
	return NULL;
}

uint64_t request_question(const struct request *q, const char *except)
{
	uint64_t question = str_hash(STR_HASH_START, q->path);
	struct str rest = q->exchange->query;

	while (rest.len) {
		struct str value = str_cut(&rest, '&');
		struct str name = str_cut(&value, '=');
		uint64_t hash;

		if (!path_decode(q->arena, name, PATH_PLUS_IS_SPACE, &name) ||
		    !path_decode(q->arena, value, PATH_PLUS_IS_SPACE, &value) ||
		    is_listed(name, except))
			continue;
		hash = str_hash(STR_HASH_START, name);
		question += str_hash(str_hash(hash, STR("=")), value);
	}
	return question;
}

err_t request_query_int(struct request *q, const char *name, int64_t min, int64_t max,
			int64_t absent, int64_t *ret_value)
{
	struct str text = request_query(q, name);

	*ret_value = absent;
	if (!text.at || str_to_int64(text, min, max, ret_value))
		return NULL;
	return err_field(q->arena, ERR_INVALID, name,
			 "\"%s\" must be an integer from %" PRId64 " to %" PRId64, name, min, max);
}

err_t request_query_bool(struct request *q, const char *name, bool *ret_value)
{
	struct str text = request_query(q, name);

	*ret_value = str_is(text, "true");
	if (*ret_value || !text.at || str_is(text, "false"))
		return NULL;
	return err_field(q->arena, ERR_INVALID, name, "\"%s\" must be true or false", name);
}

err_t request_query_seconds(struct request *q, const char *name, int64_t absent, int64_t *ret_us)
{
	struct str text = request_query(q, name);
	double seconds;

	*ret_us = absent;
	if (!text.at)
		return NULL;
	if (!str_to_double(text, &seconds) || !isfinite(seconds) || seconds < 0 ||
	    seconds > SECONDS_LARGEST)
		return err_field(q->arena, ERR_INVALID, name, "must be seconds since 1970");
	*ret_us = llround(seconds * 1e6);
	return NULL;
}

struct str request_header(const struct request *q, const char *name)
{
	return headers_find(&q->exchange->headers, name);
}

struct str request_header_list(const struct request *q, const char *name)
{
	return headers_list(&q->exchange->headers, q->arena, name);
}

static bool is_word(struct str a, struct str b)
{
	return a.len == b.len && strncasecmp(a.at, b.at, a.len) == 0;
}

/* How exactly a range of media types matches a type: 0 not at all, 3 by its name. */
static int range_fits(struct str range, const char *type)
{
	struct str name = str_of(type);
	struct str kind = str_cut(&name, '/');
	struct str range_kind = str_cut(&range, '/');

	if (str_is(range_kind, "*"))
		return 1;
	if (!is_word(range_kind, kind))
		return 0;
	if (str_is(range, "*"))
		return 2;
	return is_word(range, name) ? 3 : 0;
}

static double weight_of(struct str accept, const char *type)
{
	struct header_item item;
	double weight = 0;
	int best = 0;

	while (headers_next_item(&accept, &item)) {
		int fits = range_fits(item.name, type);

		if (fits > best) {
			best = fits;
			weight = item.weight;
		}
	}
	return weight;
}

size_t request_accepts(const struct request *q, const char *const *types)
{
	struct str accept = request_header_list(q, "Accept");
	double most = 0;
	size_t liked = 0;

	for (size_t i = 0; types[i]; i++) {
		double weight = weight_of(accept, types[i]);

		if (weight > most) {
			most = weight;
			liked = i;
		}
	}
	return liked;
}

struct str request_param(const struct request *q, const char *name)
{
	for (size_t i = 0; i < q->params.count; i++) {
		if (str_is(q->params.at[i].name, name))
			return q->params.at[i].value;
	}
	assert(!"the route has no such parameter");
	return (struct str){ NULL, 0 };
}

int64_t request_left_ms(const struct request *q)
{
	int64_t left = (q->deadline_us - clock_mono_us()) / 1000;

	return left > 1 ? left : 1;
}

struct arena *request_scratch(const struct request *q)
{
	return q->worker->scratch;
}

void request_detach(struct request *q)
{
	worker_detach(q->worker, q);
}

void request_complete(struct request *q, err_t e)
{
	exchange_finish(q->exchange, e);
	exchange_answer(q->exchange);
}
