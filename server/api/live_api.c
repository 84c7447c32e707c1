#include "live_api.h"

#include "app.h"
#include "auth.h"
#include "listeners.h"
#include "run_store.h"

static const struct {
	const char *name;
	enum listener_stream stream;
} streams[] = {
	{ "history", LISTEN_HISTORY }, { "events", LISTEN_EVENTS }, { "console", LISTEN_CONSOLE },
	{ "state", LISTEN_STATE },     { "writer", LISTEN_WRITER },
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

static err_t read_streams(struct request *q, struct listener_ask *ask)
{
	struct str rest = request_query(q, "streams");

	if (!rest.at) {
		ask->streams = LISTEN_ALL;
		return NULL;
	}
	do {
		unsigned stream = stream_of(str_cut(&rest, ','));

		if (!stream)
			return err_field(q->arena, ERR_INVALID, "streams",
					 "must be of history, events, console, state, writer");
		ask->streams |= stream;
	} while (rest.len);
	return NULL;
}

static err_t read_place(struct request *q, struct listener_ask *ask)
{
	struct str last = request_header(q, "Last-Event-ID");

	ask->resumed = last.len > 0;
	if (ask->resumed && !listener_place_read(last, &ask->place))
		return err_field(q->arena, ERR_INVALID, "Last-Event-ID",
				 "this is no id of an event of this stream");
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

	e = read_streams(q, &ask);
	if (!e)
		e = read_place(q, &ask);
	if (!e)
		e = run_store_get(q->db, ask.run_id, &run);
	return e ? e : listeners_add(q->app->listeners, q, &ask);
}
