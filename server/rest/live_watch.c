/* Live streams of projects: of one, or of several over one connection. */
#include "app.h"
#include "arena.h"
#include "auth.h"
#include "listeners.h"
#include "live_api.h"
#include "name.h"
#include "project_follow.h"

static err_t read_names(struct request *q, const char *field, struct str text,
			struct watcher_ask *ask)
{
	struct str *names = arena_new_array(q->arena, struct str, FOLLOW_MAX);
	err_t e = NULL;

	ask->names = names;
	while (text.len && !e) {
		struct str name = str_cut(&text, ',');

		if (ask->count == FOLLOW_MAX)
			return err_field(q->arena, ERR_INVALID, field, "at most %d runs",
					 FOLLOW_MAX);
		e = name_check(q->arena, NAME_RUN, field, name);
		names[ask->count++] = name;
	}
	return e;
}

static err_t read_cursor(struct request *q, const char *field, struct str last,
			 struct watcher_ask *ask)
{
	ask->resumed = last.len > 0;
	if (ask->resumed && !watch_cursor_read(last, &ask->cursor))
		return live_api_bad_cursor(q, field);
	return NULL;
}

/* ---- one ---------------------------------------------------------------------------------------- */

/* The header is what a browser sends by itself when it comes back, and so the newer one. */
static err_t read_last(struct request *q, struct watcher_ask *ask)
{
	struct str header = request_header(q, "Last-Event-ID");

	if (header.len)
		return read_cursor(q, "Last-Event-ID", header, ask);
	return read_cursor(q, "after", request_query(q, "after"), ask);
}

err_t live_api_watch(struct request *q)
{
	struct watcher_ask ask = { .asked = q };
	err_t e;

	e = live_api_followed_streams(q, &ask.streams);
	if (!e)
		e = read_names(q, "follow", request_query(q, "follow"), &ask);
	if (!e)
		e = read_last(q, &ask);
	return e ? e : listeners_add_watchers(q->app->listeners, q, &ask, 1);
}

/* ---- several ------------------------------------------------------------------------------------ */

/* As the path of a stream of the project alone, which it is asked by again whether the caller may still read it. */
static const struct route of_one = {
	.method = GET,
	.path = "/api/v1/projects/{entity}/{project}/live",
	.access = ACCESS_READ,
};

static struct request *request_for(const struct request *q, struct str entity, struct str project)
{
	struct request *one = arena_new_of(q->arena, struct request);

	*one = *q;
	one->route = &of_one;
	one->params =
		(struct params){ { { STR("entity"), entity }, { STR("project"), project } }, 2 };
	return one;
}

static bool is_refusal(err_t e)
{
	return e->kind == ERR_UNAUTHORIZED || e->kind == ERR_FORBIDDEN ||
	       e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE;
}

/* *ret_why: what a request about it alone would be answered, where that is no. */
static err_t find_project(struct request *q, struct str entity, struct str project,
			  struct watcher_ask *ask, err_t *ret_why)
{
	struct request *one = request_for(q, entity, project);
	const struct auth_ask about = { ACCESS_READ, 0, entity, project, { 0 } };
	err_t e = auth_ask(one, &about);

	one->worker = NULL; /* it lives as long as the stream, and they serve others then */
	one->db = one->primary = NULL;
	ask->asked = one;
	ask->project =
		str_of(arena_printf(q->arena, "%.*s/%.*s", STR_ARG(entity), STR_ARG(project)));
	if (!e || !is_refusal(e))
		return e;
	ask->refused = err_kind_name(e->kind);
	*ret_why = e;
	return NULL;
}

/* ENTITY/PROJECT, or ENTITY/PROJECT/RUN,RUN… */
static err_t read_one(struct request *q, struct str text, struct watcher_ask *ask, err_t *ret_why)
{
	struct str entity = str_cut(&text, '/');
	struct str project = str_cut(&text, '/');
	err_t e = name_check(q->arena, NAME_ENTITY, "watch", entity);

	if (!e)
		e = name_check(q->arena, NAME_PROJECT, "watch", project);
	if (!e)
		e = read_names(q, "watch", text, ask);
	return e ? e : find_project(q, entity, project, ask, ret_why);
}

static bool is_there(const struct watcher_ask *asks, size_t count, struct str project)
{
	for (size_t i = 0; i < count; i++) {
		if (str_equal(asks[i].project, project))
			return true;
	}
	return false;
}

struct many {
	struct watcher_ask asks[WATCH_MAX];
	size_t count;
	size_t refused;
	err_t why; /* the last of them */
};

static err_t read_next(struct request *q, struct str text, struct str last, unsigned streams,
		       struct many *many)
{
	struct watcher_ask *ask = &many->asks[many->count];
	err_t e;

	if (many->count == WATCH_MAX)
		return err_field(q->arena, ERR_INVALID, "watch", "at most %d projects", WATCH_MAX);
	*ask = (struct watcher_ask){ .streams = streams };
	e = read_one(q, text, ask, &many->why);
	if (!e)
		e = read_cursor(q, "after", last, ask);
	if (!e && is_there(many->asks, many->count, ask->project))
		e = err_field(q->arena, ERR_INVALID, "watch", "duplicate project \"%.*s\"",
			      STR_ARG(ask->project));
	many->refused += ask->refused != NULL;
	many->count++;
	return e;
}

err_t live_api_watch_many(struct request *q)
{
	struct many *many = arena_new_of(q->arena, struct many);
	struct str rest = request_query(q, "watch");
	struct str after = request_query(q, "after");
	unsigned streams;
	err_t e = live_api_followed_streams(q, &streams);

	if (!e && !rest.len)
		e = err_field(q->arena, ERR_INVALID, "watch",
			      "expected at least one ENTITY/PROJECT");
	while (!e && rest.len)
		e = read_next(q, str_cut(&rest, ':'), str_cut(&after, ':'), streams, many);
	if (!e && many->refused == many->count)
		e = many->why;
	return e ? e : listeners_add_watchers(q->app->listeners, q, many->asks, many->count);
}
