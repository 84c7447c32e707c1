#include "requests.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void requests_path(struct text *path, const char *entity, const struct settings *settings,
		   const char *tail)
{
	text_format(path, "/api/v1/projects/%s/", entity);
	text_escaped(path, settings->project);
	text_str(path, "/runs/");
	text_escaped(path, settings->run_id);
	text_str(path, tail);
}

static void write_tags(struct text *body, const char *tags)
{
	const char *comma = "";

	if (!tags)
		return;
	text_format(body, "%s\"tags\":[", body->length > 1 ? "," : "");
	while (*tags) {
		size_t length = strcspn(tags, ",");

		if (length) {
			text_str(body, comma);
			text_json_string(body, tags, length);
			comma = ",";
		}
		tags += length + (tags[length] == ',');
	}
	text_str(body, "]");
}

static void write_time(struct text *body, const char *name, int64_t time_us)
{
	time_t second = time_us / 1000000;
	char time[32], text[48];
	struct tm tm;

	if (time_us <= 0 || !gmtime_r(&second, &tm) ||
	    !strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	snprintf(text, sizeof text, "%s.%06dZ", time, (int)(time_us % 1000000));
	text_json_member(body, name, text);
}

void requests_make(struct text *body, const struct settings *settings, int64_t started_at_us)
{
	text_str(body, "{");
	text_json_member(body, "display_name", settings->display_name);
	text_json_member(body, "group", settings->group);
	text_json_member(body, "job_type", settings->job_type);
	text_json_member(body, "notes", settings->notes);
	write_tags(body, settings->tags);
	write_time(body, "started_at", started_at_us);
	text_str(body, "}");
}

void requests_join(struct text *body, const struct settings *settings,
		   const struct requests_process *process)
{
	text_str(body, "{");
	text_json_member(body, "client", settings->client_id);
	text_json_member(body, "label", settings->label);
	text_json_member(body, "role", settings->role == CAIRN_WORKER ? "worker" : "primary");
	text_json_member(body, "parent", settings->parent);
	text_json_member(body, "stream", process->stream);
	text_json_member(body, "host", process->host);
	text_json_member(body, "client_version", process->client_version);
	text_str(body, ",\"pid\":");
	text_int(body, process->pid);
	write_time(body, "started_at", process->started_at_us);
	text_str(body, "}");
}

void requests_finish(struct text *body, const char *client_id, int64_t session,
		     const struct requests_end *end)
{
	text_format(body, "{\"writer\":\"%s\",\"session\":", client_id);
	text_int(body, session);
	if (end->state) {
		text_json_member(body, "state", end->state);
	} else {
		text_str(body, ",\"exit_code\":");
		text_int(body, end->exit_code);
	}
	text_json_member(body, "reason", end->reason && end->reason[0] ? end->reason : NULL);
	write_time(body, "ended_at", end->ended_at_us);
	text_str(body, "}");
}
