#include "live_api.h"

#include "app.h"
#include "auth.h"
#include "listeners.h"
#include "run_store.h"

static err_t read_streams(struct request *q, unsigned *ret_streams)
{
	static const struct {
		const char *name;
		enum listener_stream stream;
	} names[] = {
		{ "history", LISTEN_HISTORY }, { "events", LISTEN_EVENTS },
		{ "console", LISTEN_CONSOLE }, { "state", LISTEN_STATE },
		{ "writer", LISTEN_WRITER },
	};
	struct str rest = request_query(q, "streams");
	unsigned streams = 0;

	if (!rest.at) {
		*ret_streams = LISTEN_ALL;
		return NULL;
	}
	do {
		struct str name = str_cut(&rest, ',');
		size_t i = 0;

		while (i < 5 && !str_is(name, names[i].name))
			i++;
		if (i == 5)
			return err_field(q->arena, ERR_INVALID, "streams",
					 "must be of history, events, console, state, writer");
		streams |= names[i].stream;
	} while (rest.len);
	*ret_streams = streams;
	return NULL;
}

err_t live_api_show(struct request *q)
{
	struct str last = request_header(q, "Last-Event-ID");
	struct listener_ask ask = {
		.run_id = q->target->run_id,
		.limit_us = q->target->crash_after_us,
	};
	struct run *run;
	err_t e;

	e = read_streams(q, &ask.streams);
	if (!e)
		e = run_store_get(q->db, ask.run_id, &run);
	if (e)
		return e;
	if (last.len && !listener_place_read(last, &ask.place))
		return err_field(q->arena, ERR_INVALID, "Last-Event-ID",
				 "this is no id of an event of this stream");
	ask.resumed = last.len > 0;
	return listeners_add(q->app->listeners, q, &ask);
}
