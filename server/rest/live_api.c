#include "live_api.h"

#include "app.h"
#include "arena.h"
#include "auth.h"
#include "listeners.h"
#include "run_store.h"

static const struct {
	const char *name;
	enum listener_stream stream;
} streams[] = {
	{ "history", LISTEN_HISTORY }, { "events", LISTEN_EVENTS }, { "console", LISTEN_CONSOLE },
	{ "state", LISTEN_STATE },     { "writer", LISTEN_WRITER }, { "alert", LISTEN_ALERT },
};

/* 0 when there is no such stream. */
static unsigned stream_of(struct str name)
{
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		if (str_is(name, streams[i].name))
			return streams[i].stream;
	}
	return 0;
}

static err_t read_streams(struct request *q, unsigned (*find)(struct str), const char *words,
			  unsigned *ret_streams)
{
	struct str rest = request_query(q, "streams");

	*ret_streams = rest.at ? 0 : LISTEN_ALL;
	while (rest.at && (rest.len || !*ret_streams)) {
		unsigned stream = find(str_cut(&rest, ','));

		if (!stream)
			return err_field(q->arena, ERR_INVALID, "streams", "must be a list of %s",
					 words);
		*ret_streams |= stream;
	}
	return NULL;
}

/* Rows are told of together, history and events. */
static unsigned followed_stream_of(struct str name)
{
	if (str_is(name, "rows"))
		return LISTEN_HISTORY | LISTEN_EVENTS;
	return stream_of(name) & ~(unsigned)(LISTEN_HISTORY | LISTEN_EVENTS);
}

err_t live_api_followed_streams(struct request *q, unsigned *ret_streams)
{
	return read_streams(q, followed_stream_of, "rows, state, writer, console, alert",
			    ret_streams);
}

err_t live_api_bad_cursor(struct request *q, const char *field)
{
	return err_field(q->arena, ERR_INVALID, field, "invalid event id for this stream");
}

static err_t read_cursor(struct request *q, struct listener_ask *ask)
{
	struct str last = request_header(q, "Last-Event-ID");

	ask->resumed = last.len > 0;
	if (ask->resumed && !listener_cursor_read(last, &ask->cursor))
		return live_api_bad_cursor(q, "Last-Event-ID");
	return NULL;
}

err_t live_api_show(struct request *q)
{
	struct listener_ask ask = {
		.run_id = q->target->run_id,
		.limit_us = q->target->crash_after_us,
	};
	struct run *run;
	err_t e;

	e = read_streams(q, stream_of, "history, events, console, state, writer, alert",
			 &ask.streams);
	if (!e)
		e = read_cursor(q, &ask);
	if (!e)
		e = run_store_get(q->db, ask.run_id, &run);
	return e ? e : listeners_add(q->app->listeners, q, &ask);
}
