#include "listener_line.h"

#include <stdlib.h>

#include "json_out.h"
#include "listener_place.h"
#include "shares.h"

enum { WAITING_LIMIT = 4 << 20 };

struct listener_line {
	struct reply_live *live;
	size_t owners;
	size_t taken; /* places, of each owner */
	struct listener_places places;
	struct str told; /* the project that is told of */
};

struct listener_line *listener_line_new(struct request *q, size_t owners,
					const struct listener_places *places)
{
	struct listener_line *line = calloc(1, sizeof(*line));

	if (!line)
		abort();
	line->live = reply_live(q, WAITING_LIMIT);
	line->owners = line->taken = owners;
	line->places = *places;
	return line;
}

void listener_line_leave(struct listener_line *line)
{
	if (!line || --line->owners)
		return;
	for (size_t i = 0; i < 2; i++)
		shares_give(line->places.shares, line->places.owners[i], line->taken);
	reply_live_end(line->live);
	free(line);
}

static bool turn_to(struct listener_line *line, struct str project)
{
	struct buf out = { 0 };
	struct json_out json;
	bool is_sent;

	listener_event_begin(&out, "project");
	json = json_out_begin(&out);
	json_out_object(&json);
	json_out_put_text(&json, "project", project);
	json_out_object_end(&json);
	buf_add_text(&out, "\nid:\n\n"); /* a browser's last id is not one of another project */
	is_sent = reply_live_send(line->live, buf_str(&out));
	buf_free(&out);
	line->told = project;
	return is_sent;
}

bool listener_line_send(struct listener_line *line, struct str project, struct str bytes)
{
	if (project.at && !str_equal(line->told, project) && !turn_to(line, project))
		return false;
	return reply_live_send(line->live, bytes);
}

enum reply_live_state listener_line_state(const struct listener_line *line)
{
	return reply_live_state(line->live);
}
